"""The words of a setup: its lists after its filters, and the probability of each answer."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordpl.core import priors, words
from wordpl.core.errors import UserError
from wordpl.terminal.app import openings
from wordpl.terminal.app.setups import CONTEST, Setup

if TYPE_CHECKING:
    import numpy as np

    from wordpl.lexicon.filters import FilterStep


@dataclass(frozen=True)
class WordChoice:
    """The answers, the allowed guesses, and the weights of the answers.

    Attributes:
        answers: The words that can be the secret, in the order of their list.
        weights: The unnormalized probability of each answer; None if all are equal.
    """

    answers: tuple[str, ...]
    guesses: tuple[str, ...]
    weights: tuple[float, ...] | None = None

    def prior(self) -> "np.ndarray | None":
        """Return the probability of each answer as float64[n_answers]; None if all are equal."""
        if self.weights is None:
            return None
        import numpy as np

        weights = np.array(self.weights)
        prior: np.ndarray = weights / weights.sum()
        return prior


def choose(setup: Setup) -> tuple[WordChoice, "list[FilterStep]"]:
    """Return the words of a setup, and the result of each filter; removing past answers is the last step.

    Raises:
        UserError: A list, filter or prior cannot be read, or no answer is left.
    """
    answers, guesses = named(setup.answers, "answers"), named(setup.guesses, "guesses")
    if len(answers[0]) != len(guesses[0]):
        raise UserError(
            f"the answers ({setup.answers}) have {len(answers[0])} letters, the guesses ({setup.guesses}) "
            f"{len(guesses[0])}: choose lists with words of the same length."
        )
    from wordpl.lexicon import filters  # imported only in the worker, not in the app

    remaining, steps = filters.apply(answers, [filters.find(text) for text in setup.filters], ())
    remaining, steps = _strike(remaining, steps, setup)
    if missing := sorted(set(remaining) - set(guesses)):
        raise UserError(
            f"{len(missing):,} of {len(remaining):,} answers are not among the guesses ({setup.guesses}): "
            f"{', '.join(missing[:5])}{', ...' if len(missing) > 5 else ''}. Choose a longer list, such as modern."
        )
    return WordChoice(tuple(remaining), guesses, _weights(remaining, setup)), steps


def named(name: str, role: str) -> tuple[str, ...]:
    """Return the word list of this name: the contest's list, a bundled one, or a file."""
    if name == CONTEST:
        lists = words.here()
        return lists.answers if role == "answers" else lists.guesses
    return words.find(name)


def _strike(remaining: list[str], steps: "list[FilterStep]", setup: Setup) -> tuple[list[str], "list[FilterStep]"]:
    if setup.past != "strike":
        return remaining, steps
    past = set(words.find(setup.past_answers))
    unplayed = [word for word in remaining if word not in past]
    if not unplayed:
        raise UserError(f"all {len(remaining):,} remaining answers are in {setup.past_answers}: use `weigh` instead.")
    from wordpl.lexicon.filters import FilterStep

    return unplayed, [
        *steps,
        FilterStep(f"strike {setup.past_answers}", len(remaining) - len(unplayed), 0, len(unplayed), ()),
    ]


def _weights(answers: Sequence[str], setup: Setup) -> tuple[float, ...] | None:
    if not setup.prior and setup.past != "weigh":
        return None
    weights = priors.load(priors.find(setup.prior), answers).tolist() if setup.prior else [1.0] * len(answers)
    if setup.past == "weigh":
        past = set(words.find(setup.past_answers))
        weights = [w * setup.past_weight if word in past else w for word, w in zip(answers, weights, strict=True)]
    if not sum(weights) > 0:
        raise UserError("no answer has a probability: choose another prior, or a larger past_weight.")
    return tuple(weights)


def task(setup: Setup) -> Iterator[dict[str, Any]]:
    """Yield the words of a setup, the words left after each filter, and the cached ratings of first guesses."""
    choice, steps = choose(setup)
    yield {
        "kind": "words",
        "words": choice,
        "steps": [(step.text, step.n_left) for step in steps],
        "rule": clue_rule(setup),
        "opening": [] if setup.has_epsilon else openings.load(setup, choice),
    }


def clue_rule(setup: Setup) -> str:
    """Return the clue rule of the setup's game, a key of `clues.CLUE_RULES`."""
    from wordpl.games import game_class

    return game_class(setup.game).clue_rule
