"""Measure the kernels, each next to a plain implementation: `python benchmarks/kernels.py`.

Times are CPU times of one core without compilation. Plain implementations are timed on a part of the work and scaled.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from strategies.max_clue_entropy import MaxClueEntropy
from wordpl import Posterior, games
from wordpl.core import seeds, words
from wordpl.core.clues import CLUE_RULES, encode, keep_probability
from wordpl.core.words import bundled, letters
from wordpl.kernels.clue_matrix import agreement_table, answer_rows, clue_matrix, matrix_of
from wordpl.solvers import entropy
from wordpl.solvers.noisy import clue_entropy
from wordpl.strategy import begin_game

EPSILON = 13.0
N_GAMES = 40
LISTS = words.load()
KEY = seeds.run_key("benchmark")


@dataclass
class Timed:
    """The seconds of one call: median and extremes of several repeats."""

    seconds: float
    low: float
    high: float


def timed(call: Callable[[], object], repeats: int = 9, inner: int = 1) -> Timed:
    """Time `call`, executed `inner` times in a row if one call is too short for the clock."""
    call()
    times = []
    for _ in range(repeats):
        start = process_time()
        for _ in range(inner):
            call()
        times.append((process_time() - start) / inner)
    return Timed(median(times), min(times), max(times))


def show(name: str, fast: Timed, plain: float | None = None) -> None:
    unit, scale = ("ms", 1e3) if fast.seconds > 1e-3 else ("µs", 1e6)
    spread = f"{fast.low * scale:.4g} to {fast.high * scale:.4g}"
    ratio = f"{plain / fast.seconds:,.0f} times" if plain else ""
    print(f"{name:48} {fast.seconds * scale:8.4g} {unit}  {spread:>18}  {ratio:>14}")


def matrices() -> None:
    guesses, answers, modern = letters(LISTS.guesses), letters(LISTS.answers), letters(bundled("modern"))
    for rule, clue in CLUE_RULES.items():
        pairs = [(guess, answer) for guess in LISTS.guesses[::60] for answer in LISTS.answers[::60]]
        pair = timed(lambda: [encode(clue(*pair)) for pair in pairs], 3).seconds / len(pairs)  # noqa: B023
        for rows, columns in ((guesses, answers), (modern, modern)):
            fast = timed(lambda: clue_matrix(rows, columns, rule), 5)  # noqa: B023
            size = len(rows) * len(columns)
            show(f"clue matrix, {rule}, {len(rows):,} x {len(columns):,}", fast, pair * size)


def posterior() -> None:
    def plain_update() -> None:
        for i, answer in enumerate(LISTS.answers):
            true = CLUE_RULES["anywhere"]("trace", answer)
            log_weights[i] -= EPSILON / 5 * sum(a != b for a, b in zip(true, "..i.c", strict=True))

    log_weights = [0.0] * len(LISTS.answers)
    belief = Posterior.uniform(LISTS)
    fast = timed(lambda: belief.update("trace", 1e-6, "..i.c"), inner=2000)
    show("posterior, one update", fast, timed(plain_update, 3).seconds)
    show("posterior, the best word and its probability", timed(belief.best, inner=1000))


def plain_entropies(matrix: np.ndarray, probabilities: np.ndarray) -> np.ndarray:
    """Return each guess's noisy entropy by a plain method: one histogram and one product with the channel per guess."""
    keep = keep_probability(EPSILON)
    channel = (keep ** np.arange(6) * ((1 - keep) / 2) ** np.arange(5, -1, -1))[agreement_table(5)]
    outputs = np.array([np.bincount(row, probabilities, 243) @ channel for row in matrix])
    return -(outputs * np.log2(outputs)).sum(axis=1)


def scans() -> None:
    matrix, every = matrix_of(LISTS, "anywhere"), 25
    belief = Posterior.uniform(LISTS)
    for after, (guess, clues) in enumerate([("soare", "..i.c"), ("clint", "....."), ("", "")]):
        p = belief.probabilities
        part = timed(lambda: plain_entropies(matrix[::every], p), 3).seconds * every  # noqa: B023
        name = f"after {after} clues, {belief.bits:.1f} bits left"
        assert np.allclose(
            plain_entropies(matrix[::every], p), clue_entropy.clue_entropies(matrix, p, EPSILON, 5)[::every]
        )
        show(f"noisy entropies, {name}", timed(lambda: clue_entropy.clue_entropies(matrix, p, EPSILON, 5)), part)  # noqa: B023
        show(f"best noisy guess, {name}", timed(lambda: clue_entropy.best_guess(matrix, p, EPSILON, 5)), part)  # noqa: B023
        if guess:
            belief.update(guess, EPSILON, clues)
    counted, everything = matrix_of(LISTS, "counted"), np.arange(len(LISTS.answers))
    best = timed(lambda: entropy.best_guess(counted, everything, answer_rows(LISTS)))
    show("classic entropy, the best opener", best)


def games_of_max_clue_entropy() -> None:
    """Time the moves of whole games, including moves that the strategy has cached and the answer."""
    strategy, game, times = MaxClueEntropy(), games.make_game("wordpl/1", LISTS), []
    for number in range(N_GAMES + 1):
        secret = LISTS.answers[seeds.secret_index(KEY, number, len(LISTS.answers))]
        begin_game(strategy, seeds.strategy_seed(KEY, number))
        start, moves = process_time(), []
        move = game.check(strategy.first_move())
        while not move.is_answer:
            draws = seeds.noise(KEY, number, len(moves) + 1, LISTS.length)
            moves.append(move.with_clues(game.reply(secret, moves, move, lambda: draws).clues))  # noqa: B023
            move = game.check(strategy.next_move(*moves[-1].arguments))
        times.append((process_time() - start) / (len(moves) + 1))
    del times[0]  # the first call compiles and finds the first guess
    show(f"MaxClueEntropy, a move, average of {N_GAMES} games", Timed(float(np.mean(times)), min(times), max(times)))


def main() -> None:
    print(f"{'':48} {'median':>11}  {'lowest to highest':>18}  {'plain way':>14}")
    matrices()
    posterior()
    scans()
    games_of_max_clue_entropy()


if __name__ == "__main__":
    main()
