"""The second guess after each first clue: exact if it is the last guess, otherwise by lookahead or rollout."""

import numpy as np

from wordpl.solvers.clue_table import ClueTable
from wordpl.solvers.noisy import final_guess, information, lookahead
from wordpl.solvers.noisy.lookahead import Effort
from wordpl.solvers.plans.search import Search
from wordpl.solvers.plans.states import State
from wordpl.solvers.plans.two_guesses import Choice, best_of_two, in_order

TIE = 1e-9
QUICK = Effort(300, 0.98)


def second_guess(words: ClueTable, state: State, epsilons: tuple[float, ...], search: Search) -> Choice:
    """Return the best second guess found.

    Args:
        words: The clue table.
        state: The state after the first clue.
        epsilons: The planned epsilons of the second and all later guesses.
        search: Settings of the search.
    """
    if len(epsilons) == 1:
        return _exact(words, state, epsilons[0])
    if len(epsilons) == 2:
        return best_of_two(words, state.posterior, epsilons, search)
    rows = information.best_guesses(words, state.posterior, epsilons[0], min(search.n_tried, len(words.guesses)))
    if len(epsilons) == 3 and len(rows) > 1:
        return _by_rollout(words, state, epsilons, rows, search)
    return Choice(int(rows[0]), 0.0, float("nan"))


def _exact(words: ClueTable, state: State, epsilon: float) -> Choice:
    chances = final_guess.win_chances(words.columns, state.posterior, epsilon, words.length)
    row = int(np.argmax(chances >= chances.max() - TIE))
    return Choice(row, 0.0, float(chances[row]))


def _by_rollout(
    words: ClueTable, state: State, epsilons: tuple[float, float, float], rows: np.ndarray, search: Search
) -> Choice:
    """Choose by rollout: the most informative guess and the best last one follow each guess's likeliest clues."""
    after: set[int] = set()
    few = max(1, search.n_clues // 4)
    for _, posterior in lookahead.after_clues(words, state.posterior, int(rows[0]), epsilons[0], few):
        third = information.best_guess(words, posterior, epsilons[1])
        after |= lookahead.last_guesses(words, posterior, third, epsilons[1:], few)
    values = [_rolled_out(words, state, (int(row), epsilons), in_order(after), search.n_clues) for row in rows]
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
