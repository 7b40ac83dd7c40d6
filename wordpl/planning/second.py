"""The second guess after each first clue: exact where it is the last, by looking ahead or by playing on where not."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordpl.planning.playing import value_of_playing_on
from wordpl.planning.states import State
from wordpl.solvers import information, last_guess, lookahead
from wordpl.solvers.guess_words import GuessWords
from wordpl.solvers.lookahead import Effort

TIE = 1e-9
THOROUGH = Effort(n_first=20, n_second=256, most_answers=400, coverage=0.93)


@dataclass(frozen=True)
class Search:
    """How the second guess is searched for when others follow.

    effort: of the lookahead, where one guess follows
    n_tried, n_games: guesses tried and games played on with each, where two or more follow; one guess to try is the
        one whose clue says most, and no game is played
    play_on: the effort with which these games are played
    """

    effort: Effort = THOROUGH
    n_tried: int = 8
    n_games: int = 48
    play_on: Effort | None = None


def second_guess(
    words: GuessWords, state: State, epsilons: Sequence[float], search: Search, rng: np.random.Generator
) -> tuple[int, float]:
    """Return the row of the best second guess found, and the chance to win after it as far as it was computed.

    epsilons: of the second guess and of those after it; rng: for the games that are played on
    """
    if len(epsilons) == 1:
        return _exact(words, state, epsilons[0])
    if len(epsilons) == 2:
        return _by_lookahead(words, state, (epsilons[0], epsilons[1]), search.effort)
    return _by_playing_on(words, state, epsilons, search, rng)


def _exact(words: GuessWords, state: State, epsilon: float) -> tuple[int, float]:
    chances = last_guess.win_chances(words.columns, state.posterior, epsilon, words.length)
    row = int(np.argmax(chances >= chances.max() - TIE))
    return row, float(chances[row])


def _by_lookahead(words: GuessWords, state: State, epsilons: tuple[float, float], effort: Effort) -> tuple[int, float]:
    rows, after = lookahead.candidates(words, state.posterior, epsilons[0], effort)
    values = lookahead.values(words, state.posterior, epsilons, (rows, after), effort)
    best = int(np.argmax(values >= values.max() - lookahead.TIE))
    return int(rows[best]), float(values[best])


def _by_playing_on(
    words: GuessWords, state: State, epsilons: Sequence[float], search: Search, rng: np.random.Generator
) -> tuple[int, float]:
    """Play the same games on with every guess tried; those behind by two standard errors leave half-way.

    Unless another guess leads by one standard error of the difference, the one with most information stays: the luck of
    a few games is no reason to leave what is known to be good.
    """
    rows = information.best_guesses(words, state.posterior, epsilons[0], search.n_tried)
    if search.n_tried == 1:
        return int(rows[0]), float("nan")
    seeds = rng.integers(2**63, size=search.n_games)
    half = search.n_games // 2

    def play(row: int, some: np.ndarray) -> list[float]:
        return [value_of_playing_on(words, state, row, epsilons, search.play_on, seed) for seed in some]

    won = {int(row): play(row, seeds[:half]) for row in rows}
    first = int(rows[0])
    leader = max(won, key=lambda row: np.mean(won[row]))
    for row in [row for row in won if row in (first, leader) or _lead(won[leader], won[row]) < 2]:
        won[row] += play(row, seeds[half:])
    full = [row for row in won if len(won[row]) == search.n_games]
    best = max(full, key=lambda row: np.mean(won[row]))
    chosen = best if _lead(won[best], won[first]) > 1 else first
    return chosen, float(np.mean(won[chosen]))


def _lead(better: Sequence[float], other: Sequence[float]) -> float:
    """Return by how many standard errors the first is ahead on the same games."""
    n = min(len(better), len(other))
    differences = np.subtract(better[:n], other[:n])
    spread = differences.std() / n**0.5
    return float(differences.mean() / spread) if spread > 0 else 0.0
