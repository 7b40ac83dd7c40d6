"""Measure the cost of the record strategies: `python benchmarks/records.py`.

Times are CPU times of one core without compilation. The published three-guess champion tries every valid word as its
third guess and sums the largest posterior over the clues that may be shown. Here this is done as its description says,
with a histogram and the 243 x 243 channel for each guess, on a part of the words and scaled. Our strategy finds the
same guess.
"""

import sys
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from strategies.published import D95
from strategies.schedule import Schedule
from wordpl import games
from wordpl.core import seeds, words
from wordpl.kernels.clue_matrix import ClueTable
from wordpl.solvers.noisy import final_guess
from wordpl.solvers.noisy.clue_entropy import channel
from wordpl.strategy import begin_game

LISTS = words.load()
KEY = seeds.run_key("benchmark")
N_GAMES = 100
N_MOVES = 8
EVERY = 40


def play(strategy, number: int, moves: list) -> float:
    """Play a game, append its moves to `moves`, and return the seconds the strategy took."""
    game = games.make_game("wordpl/1", LISTS)
    secret = LISTS.answers[seeds.secret_index(KEY, number, len(LISTS.answers))]
    begin_game(strategy, seeds.strategy_seed(KEY, number))
    started = process_time()
    proposal = strategy.first_move()
    spent = process_time() - started
    move = game.check(proposal)
    while not move.is_answer:
        draws = seeds.noise(KEY, number, len(moves) + 1, LISTS.length)
        moves.append(move.with_clues(game.reply(secret, moves, move, lambda: draws).clues))  # noqa: B023
        started = process_time()
        proposal = strategy.next_move(*moves[-1].arguments)
        spent += process_time() - started
        move = game.check(proposal)
    return spent


def costs() -> None:
    print(f"{'':44} {'mean':>8} {'95 %':>8} {'most':>8}   ms a game, {N_GAMES} games")
    for strategy in (Schedule("p05"), Schedule("p50"), Schedule("p95"), D95("d95_12"), D95("d95_25")):
        play(strategy, N_GAMES, [])
        ms = 1e3 * np.array([play(strategy, number, []) for number in range(N_GAMES)])
        print(f"{strategy!r:44} {ms.mean():8.2f} {np.quantile(ms, 0.95):8.2f} {ms.max():8.2f}")


def published_choice(matrix: np.ndarray, posterior: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Return the probability of winning with each guess, computed one guess at a time."""
    chances = np.empty(len(matrix))
    for row, clues in enumerate(matrix):
        largest = np.zeros(len(shown))
        np.maximum.at(largest, clues, posterior)
        chances[row] = (shown * largest).max(axis=1).sum()
    return chances


def selections() -> None:
    """Time both methods on the third moves of the published champion's own games."""
    words_, epsilon = ClueTable.of(LISTS, "anywhere"), 25.0  # the champion's budget for each guess
    strategy, noise = D95("d95_25"), channel(epsilon, LISTS.length)
    ours, theirs, short = [], [], []
    for number in range(N_MOVES):
        strategy.first_move()
        moves: list = []
        play(strategy, number, moves)
        strategy.first_move()
        for move in moves[:2]:
            strategy.posterior.update(*move.arguments)
        posterior = strategy.posterior.probabilities
        final_guess.best_guess(words_, posterior, epsilon)
        started = process_time()
        row = final_guess.best_guess(words_, posterior, epsilon)
        ours.append(process_time() - started)
        part = np.ascontiguousarray(words_.matrix[::EVERY])
        started = process_time()
        published_choice(part, posterior, noise)
        theirs.append((process_time() - started) * len(words_.matrix) / len(part))
        every = final_guess.win_chances(words_.columns, posterior, epsilon, LISTS.length)
        short.append(every.max() - every[row])
    print(f"\na third guess: published {np.mean(theirs) * 1e3:,.0f} ms, ours {np.mean(ours) * 1e3:.2f} ms: "
          f"{np.mean(theirs) / np.mean(ours):,.0f} times; {N_MOVES} moves")  # fmt: skip
    print(f"the chance to win with ours is at most {max(short):.1e} below that of the best of all words")


if __name__ == "__main__":
    costs()
    selections()
