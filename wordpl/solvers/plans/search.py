"""The search for a guess that one or more others follow, and for the second guess after each first clue."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from wordpl.core.clues import decode, keep_probability
from wordpl.kernels.clue_matrix import ClueTable, agreements
from wordpl.solvers.noisy import final_guess, information, lookahead
from wordpl.solvers.noisy.clue_entropy import channel
from wordpl.solvers.noisy.lookahead import Effort
from wordpl.solvers.plans.plan_file import shifted


@dataclass(frozen=True, eq=False)
class State:
    """The state of a game after its first clue.

    Attributes:
        clues: The shown clue.
        chance: Its probability.
        posterior: The probability of each answer after it, float64[n_answers].
    """

    clues: str
    chance: float
    posterior: np.ndarray


def after_first(words: ClueTable, row: int, epsilon: float) -> Iterator[State]:
    """Yield the states after the first guess, the likeliest first, given that all answers are equally likely before it.

    Args:
        row: The first guess.
        epsilon: The budget spent on it.
    """
    joint = channel(epsilon, words.length)[:, words.matrix[row]] / words.matrix.shape[1]
    chances = joint.sum(axis=1)
    for y in np.argsort(-chances, kind="stable"):
        yield State(decode(int(y), words.length), float(chances[y]), joint[y] / chances[y])


def updated(posterior: np.ndarray, clues: np.ndarray, shown: int, epsilon: float, length: int) -> np.ndarray:
    """Return the posterior after a shown clue.

    Args:
        posterior: The probability of each answer before it, float64[n_answers].
        clues: The number of the true clue for each answer, [n_answers].
        shown: The number of the shown clue.
        epsilon: The budget spent on the guess.
        length: The number of letters of a word.
    """
    keep = keep_probability(epsilon, length)
    by_agreement = keep ** np.arange(length + 1) * ((1 - keep) / 2) ** np.arange(length, -1, -1)
    weights: np.ndarray = posterior * by_agreement[agreements(shown, length)[clues]]
    weights /= weights.sum()
    return weights


N_FINALISTS, QUICK_FINALISTS = 4, 3
QUICK_POOL = 4096
"""From how many guesses, those with the largest bounds on their information, a quick search chooses the last one."""
TIE = 1e-9
QUICK, THOROUGH = Effort(300, 0.98), Effort(1500, 0.99)
PLAYED_ROUGHLY, PLAYED_CLOSELY = Effort(300, 0.9, True), Effort(300, 0.95, True)


@dataclass(frozen=True)
class Search:
    """How to search for a guess when others follow.

    Attributes:
        n_tried: How many guesses to try, the most informative ones. With 1 and two more guesses to follow, the search
            takes this guess without estimating its value.
        n_clues: How many of each guess's likeliest clues to follow; after each, the next guess is searched for among
            all words.
        splits: Parts of the last epsilon that may be moved to this guess if exactly one more follows.
    """

    n_tried: int = 16
    n_clues: int = 60
    splits: tuple[float, ...] = (0.0,)


PLAYED = Search(n_tried=16, n_clues=16, splits=(0.0, -0.15, 0.15))
"""The search of `quick_best_of_two`, which takes at most 20 ms."""


class Choice(NamedTuple):
    """A chosen guess.

    Attributes:
        row: The row of the guess.
        moved: The part of the last epsilon that is moved to it.
        value: The estimated probability of winning; NaN if it was not estimated.
    """

    row: int
    moved: float
    value: float


def best_of_two(words: ClueTable, posterior: np.ndarray, epsilons: tuple[float, ...], search: Search) -> Choice:
    """Return the best guess found when exactly one more follows.

    The most informative guesses are rated by lookahead. The best few are then rated again with all splits and with more
    last guesses. These last guesses are the best ones after the likeliest clues, first of the most informative guess
    only, then of all finalists.

    Args:
        posterior: The probability of each answer, float64[n_answers], with sum 1.
        epsilons: The planned epsilons of this guess and of the last.
        search: How many guesses, clues and splits to try.
    """
    rows = information.best_guesses(words, posterior, epsilons[0], min(search.n_tried, len(words.guesses)))
    after = lookahead.last_guesses(words, posterior, int(rows[0]), epsilons, search.n_clues)
    chances = lookahead.values(words, posterior, epsilons, (rows, in_order(after)), THOROUGH)
    rows = rows[np.argsort(-chances, kind="stable")[:N_FINALISTS]]
    for row in rows:
        after |= lookahead.last_guesses(words, posterior, int(row), epsilons, search.n_clues)
    return _best_split(words, posterior, epsilons, (rows, in_order(after)), (search.splits, THOROUGH))


def quick_best_of_two(
    words: ClueTable, posterior: np.ndarray, epsilons: tuple[float, ...], search: Search = PLAYED
) -> Choice:
    """Return a guess nearly as good as that of `best_of_two` in a twentieth of the time, for use during a game.

    The last guesses are chosen by `lookahead.quick_last_guesses`, and clues that are not followed are extrapolated.

    Args:
        posterior: The probability of each answer, float64[n_answers], with sum 1.
        epsilons: The planned epsilons of this guess and of the last.
        search: How many guesses, clues and splits to try.
    """
    bounds = information.upper_bounds(words, posterior, epsilons[0])
    rows = information.best_guesses(words, posterior, epsilons[0], min(search.n_tried, len(words.guesses)), bounds)
    pool = information.most_promising(bounds, min(QUICK_POOL, len(bounds)))
    pool = pool[np.argsort(-bounds[pool], kind="stable")]
    after = lookahead.quick_last_guesses(words, posterior, rows[:1], epsilons, search.n_clues, pool)
    chances = lookahead.values(words, posterior, epsilons, (rows, in_order(after)), PLAYED_ROUGHLY)
    rows = rows[np.argsort(-chances, kind="stable")[:QUICK_FINALISTS]]
    after |= lookahead.quick_last_guesses(words, posterior, rows, epsilons, search.n_clues, pool)
    return _best_split(words, posterior, epsilons, (rows, in_order(after)), (search.splits, PLAYED_CLOSELY))


def _best_split(
    words: ClueTable,
    posterior: np.ndarray,
    epsilons: tuple[float, ...],
    rows: tuple[np.ndarray, np.ndarray],
    tried: tuple[tuple[float, ...], Effort],
) -> Choice:
    splits, effort = tried
    tables = [lookahead.values(words, posterior, shifted(epsilons, part), rows, effort) for part in splits]
    split, which = np.unravel_index(np.argmax(tables), (len(tables), len(rows[0])))
    return Choice(int(rows[0][which]), splits[split], float(tables[split][which]))


def in_order(rows: set[int]) -> np.ndarray:
    """Return these rows as an array, in ascending order."""
    return np.array(sorted(rows))


def second_guess(words: ClueTable, state: State, epsilons: tuple[float, ...], search: Search) -> Choice:
    """Return the best second guess found.

    Args:
        state: The state after the first clue.
        epsilons: The planned epsilons of the second and all later guesses.
        search: Settings of the search.
    """
    if len(epsilons) == 1:
        chances = final_guess.win_chances(words.columns, state.posterior, epsilons[0], words.length)
        row = int(np.argmax(chances >= chances.max() - TIE))
        return Choice(row, 0.0, float(chances[row]))
    if len(epsilons) == 2:
        return best_of_two(words, state.posterior, epsilons, search)
    rows = information.best_guesses(words, state.posterior, epsilons[0], min(search.n_tried, len(words.guesses)))
    if len(epsilons) == 3 and len(rows) > 1:
        return _by_rollout(words, state, epsilons, rows, search)
    return Choice(int(rows[0]), 0.0, float("nan"))


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
