"""Worker tasks for noisy clues: suggestions and the effect of a guess in Solve; letters, hints and prices in Play."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from wordpl import games
from wordpl.contest import session
from wordpl.contest.session import ANSWER_PROBABILITY, Session, Suggestion, suggestion, without_kernels
from wordpl.core.clues import decode, keep_probability
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import clue_row, guess_rows, matrix_of
from wordpl.kernels.posterior import Posterior
from wordpl.solvers.noisy.clue_entropy import channel, clue_entropies
from wordpl.terminal import display as game_hints
from wordpl.terminal.app import classic_tasks
from wordpl.terminal.app.classic_tasks import DefinedWords
from wordpl.terminal.app.setups import Setup

Message = dict[str, Any]
MAX_ANSWERS_SENT = 400
N_CLUES_SENT = 12
N_LIKELIEST = 30
Rows = Sequence[tuple[str, float, str]]
EPSILONS = (2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0)


def posterior_after(defined: DefinedWords, rule: str, rows: Rows) -> Posterior:
    """Return the posterior of the answers after guesses with their epsilons and clues."""
    prior = defined.choice.prior()
    if prior is None:
        posterior = Posterior.uniform(defined.lists, rule)
    else:
        with np.errstate(divide="ignore"):  # an answer with probability 0 has the log weight -inf
            posterior = Posterior(defined.lists, rule, np.log(prior / prior.max()))
    for guess, epsilon, clues in rows:
        posterior.update(guess, epsilon, clues)
    return posterior


def suggest(name: str, setup: Setup, rows: Rows) -> Iterator[Message]:
    """Yield the posterior, the guess and epsilon with the most information for its price, and the next best guesses.

    Args:
        name: The name under which the word lists were defined.
        setup: How the puzzle is solved.
        rows: The guesses so far with their epsilons and clues.
    """
    defined = classic_tasks.get_words(name)
    rule = games.game_class(setup.game).clue_rule
    posterior = posterior_after(defined, rule, rows)
    probabilities = posterior.probabilities
    top_answers = [[word, chance] for word, chance in posterior.top(MAX_ANSWERS_SENT)]
    n_likely = int(np.count_nonzero(probabilities >= 0.001))
    yield {"kind": "left", "n": n_likely, "n_all": len(probabilities), "bits": posterior.bits, "answers": top_answers}
    best, chance = posterior.best()
    move = suggestion(games.make_game(setup.game, defined.lists), posterior)
    yield {"kind": "suggestion", "guess": move.guess, "epsilon": move.epsilon, "best": best, "chance": chance,
           "is_answer": chance >= ANSWER_PROBABILITY}  # fmt: skip
    yield from _rated(defined.lists, rule, posterior, move, setup.top)
    yield {"kind": "done"}


def _rated(lists: WordLists, rule: str, posterior: Posterior, move: Suggestion, n: int) -> Iterator[Message]:
    probabilities, length = posterior.probabilities, lists.length
    matrix = matrix_of(lists, rule)
    with without_kernels():
        bits = clue_entropies(matrix, probabilities, move.epsilon, length) - _noise_bits(move.epsilon, length)
    chances = dict(zip(posterior.words, probabilities.tolist(), strict=True))
    suggested_row = guess_rows(lists)[move.guess]
    order = [suggested_row, *(int(row) for row in np.argsort(-bits, kind="stable")[:n] if row != suggested_row)][:n]
    for row in order:
        word = lists.guesses[row]
        yield {"kind": "rating", "n_wanted": len(order), "guess": word, "epsilon": move.epsilon,
               "bits": float(bits[row]), "chance": chances.get(word, 0.0)}  # fmt: skip


def _noise_bits(epsilon: float, length: int) -> float:
    keep = keep_probability(epsilon, length)
    return float(length * -(keep * np.log2(keep) + (1 - keep) * np.log2((1 - keep) / 2)))


def expected_bits(lists: WordLists, rule: str, posterior: Posterior, guess: str, epsilon: float) -> float:
    """Return the expected information of the guess's clue at this epsilon, in bits."""
    return session.expected_bits(clue_row(lists, rule, guess)[None, :], posterior, epsilon)


def effect(name: str, setup: Setup, rows: Rows, guess: str, epsilon: float) -> Iterator[Message]:
    """Yield the expected information of a guess at this epsilon, and the most likely clues with their probabilities."""
    defined = classic_tasks.get_words(name)
    rule, length = games.game_class(setup.game).clue_rule, defined.lists.length
    posterior = posterior_after(defined, rule, rows)
    probabilities, row = posterior.probabilities, clue_row(defined.lists, rule, guess)
    bits = expected_bits(defined.lists, rule, posterior, guess, epsilon)
    joint = channel(epsilon, length)[:, row] * probabilities
    code_chances = joint.sum(axis=1)
    parts = []
    for code in np.argsort(-code_chances, kind="stable")[:N_CLUES_SENT]:
        chances_after = joint[code] / code_chances[code]
        leading = [posterior.words[column] for column in np.argsort(-chances_after, kind="stable")[:3]]
        parts.append(
            [decode(int(code), length), float(code_chances[code]), int((chances_after >= 0.001).sum()), leading]
        )
    yield {"kind": "effect", "parts": parts, "n_parts": 3**length, "guess": guess, "bits": bits,
           "keep": keep_probability(epsilon, length), "chance": dict(posterior.top(len(probabilities))).get(guess, 0.0),
           "sure": float(joint.max(axis=1).sum())}  # fmt: skip


def session_of(name: str, game: str, seed: str, number: int, secret: str, proposals: Sequence[Any]) -> Session:
    """Return the game after these moves. The same seed gives the same clues as before."""
    session = Session(games.make_game(game, classic_tasks.get_words(name).lists), seed, number, secret)
    for proposal in proposals:
        session.play(proposal)
    return session


def letters(name: str, **game: Any) -> Iterator[Message]:
    """Yield the probability that each letter is in the secret, and the remaining bits."""
    session = session_of(name, **game)
    posterior = session.posterior()
    chances = session.letter_chances()
    yield {"kind": "letters", "chances": chances, "bits": posterior.bits, "top": posterior.top(N_LIKELIEST)}


def hints(name: str, **game: Any) -> Iterator[Message]:
    """Yield the hints as lines."""
    yield {"kind": "hints", "lines": game_hints.hints(session_of(name, **game))}


def price(name: str, guess: str, **game: Any) -> Iterator[Message]:
    """Yield, for some epsilons, the probability that a mark is true and the expected bits of this guess."""
    session = session_of(name, **game)
    posterior, lists = session.posterior(), session.game.lists
    rows = []
    for epsilon in EPSILONS:
        bits = expected_bits(lists, session.game.clue_rule, posterior, guess, epsilon)
        rows.append([epsilon, keep_probability(epsilon, lists.length), bits])
    yield {"kind": "price", "guess": guess, "rows": rows}
