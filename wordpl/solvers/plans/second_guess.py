"""The second guess after each first clue: exact where it is the last, by enumerating what follows where not."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy import final_guess, information, lookahead
from wordpl.solvers.noisy.lookahead import Effort
from wordpl.solvers.plans.plan_file import shifted
from wordpl.solvers.plans.states import State

TIE = 1e-9
SEEN_THROUGH = 4
THOROUGH, QUICK = Effort(1500, 0.99), Effort(300, 0.98)


@dataclass(frozen=True)
class Search:
    """How the second guess is searched for when others follow.

    Attributes:
        n_tried: guesses tried, those whose clues say most; of one, where two others follow, nothing is estimated
        n_clues: of each guess, the likeliest clues, after which the next guess is looked for among all words
        splits: parts of the last epsilon that may be moved to the second guess, where one more follows
    """

    n_tried: int = 16
    n_clues: int = 60
    splits: tuple[float, ...] = (0.0,)


class Choice(NamedTuple):
    """A second guess: its row, the part of the last epsilon moved to it, and the chance to win if it was computed."""

    row: int
    moved: float
    value: float


def second_guess(words: ClueTable, state: State, epsilons: tuple[float, ...], search: Search) -> Choice:
    """Return the best second guess found.

    Args:
        epsilons: of the second guess and of those after it, as planned
    """
    if len(epsilons) == 1:
        return _exact(words, state, epsilons[0])
    rows = information.best_guesses(words, state.posterior, epsilons[0], min(search.n_tried, len(words.guesses)))
    if len(epsilons) == 2:
        return _by_lookahead(words, state, epsilons, rows, search)
    if len(epsilons) == 3 and len(rows) > 1:
        return _by_rollout(words, state, epsilons, rows, search)
    return Choice(int(rows[0]), 0.0, float("nan"))


def _exact(words: ClueTable, state: State, epsilon: float) -> Choice:
    chances = final_guess.win_chances(words.columns, state.posterior, epsilon, words.length)
    row = int(np.argmax(chances >= chances.max() - TIE))
    return Choice(row, 0.0, float(chances[row]))


def _by_lookahead(
    words: ClueTable, state: State, epsilons: tuple[float, float], rows: np.ndarray, search: Search
) -> Choice:
    """Choose among the guesses by their values, then among the best few and all splits with more last guesses.

    Last guesses come from the clues of the guesses in question: first of one, then of all that are left.
    """
    after = lookahead.last_guesses(words, state.posterior, int(rows[0]), epsilons, search.n_clues)
    found = lookahead.values(words, state.posterior, epsilons, (rows, _sorted(after)), THOROUGH)
    rows = rows[np.argsort(-found, kind="stable")[:SEEN_THROUGH]]
    for row in rows:
        after |= lookahead.last_guesses(words, state.posterior, int(row), epsilons, search.n_clues)
    tables = [
        lookahead.values(words, state.posterior, shifted(epsilons, part), (rows, _sorted(after)), THOROUGH)
        for part in search.splits
    ]
    split, which = np.unravel_index(np.argmax(tables), (len(tables), len(rows)))
    return Choice(int(rows[which]), search.splits[split], float(tables[split][which]))


def _by_rollout(
    words: ClueTable, state: State, epsilons: tuple[float, float, float], rows: np.ndarray, search: Search
) -> Choice:
    """Choose by what the guess that says most, and then the best last one, make of each guess's likeliest clues."""
    after: set[int] = set()
    few = max(1, search.n_clues // 4)
    for _, posterior in lookahead.after_clues(words, state.posterior, int(rows[0]), epsilons[0], few):
        third = information.best_guess(words, posterior, epsilons[1])
        after |= lookahead.last_guesses(words, posterior, third, epsilons[1:], few)
    values = [_rolled_out(words, state, (int(row), epsilons), _sorted(after), search.n_clues) for row in rows]
    best = int(np.argmax(values))
    return Choice(int(rows[best]), 0.0, float(values[best]))


def _rolled_out(
    words: ClueTable, state: State, move: tuple[int, tuple[float, float, float]], after: np.ndarray, n_clues: int
) -> float:
    row, (epsilon, *later) = move
    won = followed = 0.0
    for chance, posterior in lookahead.after_clues(words, state.posterior, row, epsilon, n_clues):
        third = np.array([information.best_guess(words, posterior, later[0])])
        won += chance * lookahead.values(words, posterior, tuple(later), (third, after), QUICK)[0]
        followed += chance
    return won / followed


def _sorted(rows: set[int]) -> np.ndarray:
    return np.array(sorted(rows))
