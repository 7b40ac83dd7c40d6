"""The words that a setup comes to: its lists after its filters, and how probable each answer is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from wordpl.core import priors, words
from wordpl.core.errors import UserError
from wordpl.terminal.app import openings
from wordpl.terminal.app.setups import CONTEST, Setup, changed

if TYPE_CHECKING:
    import numpy as np

    from wordpl.lexicon.filters import FilterStep


@dataclass(frozen=True)
class WordChoice:
    """What can be the secret, what can be guessed, and how probable each answer is.

    Attributes:
        answers: the words that can be the secret, in their list's order.
        guesses: the words that can be guessed.
        weights: the probability of each answer up to a factor; None where all are alike.
    """

    answers: tuple[str, ...]
    guesses: tuple[str, ...]
    weights: tuple[float, ...] | None = None

    @classmethod
    def from_message(cls, message: dict[str, Any]) -> "WordChoice":
        """Return the choice that `as_message` has written."""
        weights = message["weights"]
        return cls(tuple(message["answers"]), tuple(message["guesses"]), None if weights is None else tuple(weights))

    def as_message(self) -> dict[str, Any]:
        """Return the choice as JSON can hold it."""
        return {"answers": self.answers, "guesses": self.guesses, "weights": self.weights}

    def prior(self) -> "np.ndarray | None":
        """Return the probability of each answer, float64[n_answers], None where all are alike."""
        if self.weights is None:
            return None
        import numpy as np

        weights = np.array(self.weights)
        prior: np.ndarray = weights / weights.sum()
        return prior


def choose(setup: Setup) -> tuple[WordChoice, "list[FilterStep]"]:
    """Return the words of a setup and what each filter did; struck answers of earlier puzzles are the last step.

    Raises:
        UserError: for a list, filter or prior that can't be read, or where no answer is left.
    """
    answers, guesses = named(setup.answers, "answers"), named(setup.guesses, "guesses")
    if len(answers[0]) != len(guesses[0]):
        raise UserError(
            f"the answers ({setup.answers}) have {len(answers[0])} letters, the guesses ({setup.guesses}) "
            f"{len(guesses[0])}: choose lists with words of one length."
        )
    from wordpl.lexicon import filters  # in the process that reads the words, not in the app

    left, steps = filters.apply(answers, [filters.find(text) for text in setup.filters], ())
    left, steps = _strike(left, steps, setup)
    if missing := sorted(set(left) - set(guesses)):
        raise UserError(
            f"{len(missing):,} of {len(left):,} answers are not among the guesses ({setup.guesses}): "
            f"{', '.join(missing[:5])}{', ...' if len(missing) > 5 else ''}. Choose a longer list, such as modern."
        )
    return WordChoice(tuple(left), guesses, _weights(left, setup)), steps


def named(name: str, role: str) -> tuple[str, ...]:
    """Return the list of this name: the contest's own, one that comes with wordpl, or a file."""
    if name == CONTEST:
        lists = words.here()
        return lists.answers if role == "answers" else lists.guesses
    return words.find(name)


def _strike(left: list[str], steps: "list[FilterStep]", setup: Setup) -> tuple[list[str], "list[FilterStep]"]:
    if setup.past != "strike":
        return left, steps
    past = set(words.find(setup.past_answers))
    kept = [word for word in left if word not in past]
    if not kept:
        raise UserError(f"all {len(left):,} answers left are in {setup.past_answers}: weigh them instead.")
    from wordpl.lexicon.filters import FilterStep

    return kept, [*steps, FilterStep(f"strike {setup.past_answers}", len(left) - len(kept), 0, len(kept), ())]


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


def task(setup: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the words that a setup comes to, what each filter did, and the ratings of first guesses that are kept."""
    terms = changed(Setup(), **setup)
    choice, steps = choose(terms)
    yield {
        "kind": "words",
        "words": choice.as_message(),
        "steps": [[step.text, step.n_removed, step.n_back, step.n_left] for step in steps],
        "rule": clue_rule(terms),
        "opening": [] if terms.is_noisy else openings.load(terms, choice),
    }


def clue_rule(setup: Setup) -> str:
    """Return the rule of clues of the setup's game, a key of `clues.RULES`."""
    from wordpl.games import game_class

    return game_class(setup.game).clue_rule
