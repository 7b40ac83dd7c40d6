"""Fit the chances to win a noisy game in `wordpl.stats.game_review`: `python -m benchmarks.win_chances`.

Games with random prices are played with the most informative guesses, the last of which is the one that wins most
often. Each state before a guess gives a row: what is known and what is left to spend, with the exact probability of
winning just before the last clue of this game. No player of the package or its tests takes part.
"""

from collections.abc import Iterator

import click
import numpy as np

from benchmarks.set_values import artificial
from wordpl.core import words
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import ClueTable
from wordpl.solvers.noisy.final_guess import next_guess
from wordpl.solvers.plans.recipes import chance_to_win, noisy_clue
from wordpl.solvers.plans.search import updated
from wordpl.stats.game_review import MAX_LEFT, capacity, win_features

PRICES = (3.0, 30.0)


def spelled(codes: np.ndarray) -> list[str]:
    """Return words from letter codes."""
    return ["".join(chr(97 + code) for code in word) for word in codes.tolist()]


def rows(rng: np.random.Generator, lists: WordLists, n_games: int) -> Iterator[list[float]]:
    """Yield for each state the length, the guesses left, its features, the answers left out, and the chance to win."""
    table, n = ClueTable.of(lists, "anywhere"), len(lists.answers)
    for _ in range(n_games):
        n_guesses = int(rng.integers(1, MAX_LEFT + 2))
        epsilons = rng.uniform(*PRICES, 1) * np.exp(rng.normal(0, 0.25, n_guesses))
        secret, posterior, seen = int(rng.integers(n)), np.full(n, 1 / n), []
        chance = 0.0
        for number, epsilon in enumerate(epsilons.tolist()):
            left = epsilons[number:].tolist()
            positive = posterior[posterior > 0]
            bits = float(-(positive * np.log2(positive)).sum())
            seen.append((len(left), bits, float(posterior.max()), sum(capacity(one, lists.length) for one in left)))
            row = next_guess(table, posterior, left)
            if len(left) == 1:
                chance = chance_to_win(table, posterior, row, epsilon)
                break
            shown = noisy_clue(int(table.matrix[row, secret]), epsilon, rng.random(lists.length))
            posterior = updated(posterior, table.matrix[row], shown, epsilon, lists.length)
        for n_left, bits, top, bits_to_come in seen:
            yield [lists.length, n_left, bits, top, bits_to_come, chance]


def fitted(features: np.ndarray, chances: np.ndarray, n_steps: int = 50) -> np.ndarray:
    """Return the weights of a logistic regression of chances."""
    weights = np.zeros(features.shape[1])
    for _ in range(n_steps):
        p = 1 / (1 + np.exp(-features @ weights))
        slope = features.T * (p * (1 - p) + 1e-9)
        weights += np.linalg.solve(slope @ features + 1e-6 * np.eye(len(weights)), features.T @ (chances - p))
    return weights


@click.command()
@click.option("--games", default=1500, help="Games on each list.")
@click.option("--seed", default=1)
@click.option("--save", default="", help="A file for the rows.")
@click.option("--load", "load_from", default="", help="A file of rows that --save wrote.")
def main(games: int, seed: int, save: str, load_from: str) -> None:
    """Print the weights of the features for each number of guesses left, with their mean error."""
    rng = np.random.default_rng(seed)
    if load_from:
        found = np.load(load_from)
    else:
        made = [artificial(rng, length, n, 2 * n) for length, n in ((4, 1500), (6, 2500))]
        lists = [words.load(), *(WordLists(tuple(spelled(a)), tuple(spelled(g))) for a, g in made)]
        parts = []
        for one in lists:
            parts.append(np.array(list(rows(rng, one, games))))
            click.echo(f"# {one.length} letters: {len(parts[-1])} states", err=True)
        found = np.concatenate(parts)
    if save:
        np.save(save, found)
    for left in range(1, MAX_LEFT + 1):
        own = found[found[:, 1] == left if left < MAX_LEFT else found[:, 1] >= left]
        features = np.concatenate([win_features(row[2:3], row[3:4], row[4]) for row in own])
        weights = fitted(features, own[:, 5])
        error = np.sqrt(np.mean((1 / (1 + np.exp(-features @ weights)) - own[:, 5]) ** 2))
        click.echo(f"    ({', '.join(f'{weight:.4f}' for weight in weights)}),  # {left} left: ± {error:.3f}")


if __name__ == "__main__":
    main()
