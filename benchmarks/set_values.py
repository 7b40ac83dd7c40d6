"""Fit the values of sets in `wordpl.stats.set_values`: `python -m benchmarks.set_values`.

Sets of possible words come from games on lists of several lengths, in which each guess is a random word, a possible
word, or the best of a few; what they are worth comes from near-optimal play from there on: always the guess with the
most different clues, a possible word if that is as good. No player of the package or its tests takes part. The result
is the same on every machine up to rounding errors.
"""

from collections.abc import Iterator

import click
import numpy as np
from numba import njit

from examples.fibble import Fibble
from wordpl.core import words
from wordpl.core.clues import Channel, Outcomes, encode
from wordpl.core.moves import ClassicMove, GameFacts, Move
from wordpl.core.words import letters
from wordpl.games import Game, Wordle
from wordpl.kernels.clue_matrix import clue_matrix
from wordpl.stats.guess_luck import Posteriors
from wordpl.stats.set_values import FEATURES, N_PROBES, N_ROUNDS, set_features

MAX_SET = 600
"""The largest set that is played to the end."""
N_BEST = 30
N_FALSE = 8
"""The number of guesses left with false clues that have weights of their own."""


def artificial(rng: np.random.Generator, length: int, n_answers: int, n_guesses: int) -> list[np.ndarray]:
    """Return words of another length whose letters follow each other as those of the bundled answers do."""
    known = letters(words.load().answers).astype(int)
    steps = np.full((27, 26), 0.02)
    np.add.at(steps, (26, known[:, 0]), 1)
    np.add.at(steps, (known[:, :-1].ravel(), known[:, 1:].ravel()), 1)
    ends = np.cumsum(steps / steps.sum(axis=1, keepdims=True), axis=1)
    found: dict[tuple[int, ...], None] = {}
    while len(found) < n_guesses:
        word, letter = [], 26
        for _ in range(length):
            letter = min(25, int(np.searchsorted(ends[letter], rng.random())))
            word.append(letter)
        found[tuple(word)] = None
    guesses = np.array(list(found), np.uint8)
    return [guesses[:n_answers], guesses]


@njit(cache=False)
def n_parts(row: np.ndarray, members: np.ndarray, seen: np.ndarray, stamp: int) -> int:
    parts = 0
    for member in members:
        if seen[row[member]] != stamp:
            seen[row[member]] = stamp
            parts += 1
    return parts


@njit(cache=False)
def best_of(matrix: np.ndarray, guesses: np.ndarray, members: np.ndarray, seen: np.ndarray, stamp: int) -> tuple:
    """Return the guess with the most parts, where a possible word goes first, and the next stamp.

    The rows of the answers are the first ones of the matrix.
    """
    best, most, n = -1, -1, len(members)
    for number in range(n + len(guesses)):
        guess = members[number] if number < n else guesses[number - n]
        stamp += 1
        parts = 2 * n_parts(matrix[guess], members, seen, stamp) + (number < n)
        if parts > most:
            best, most = guess, parts
            if parts == 2 * n + 1:
                break
    return best, most // 2, stamp


@njit(cache=False)
def needed(matrix: np.ndarray, guesses: np.ndarray, members: np.ndarray, n_codes: int) -> np.ndarray:
    """Return the number of guesses that near-optimal play needs for each of these words."""
    n = len(members)
    order, found = members.copy(), np.zeros(matrix.shape[1], np.int64)
    seen, stamp = np.zeros(n_codes, np.int64), 0
    starts, ends, depths = [0], [n], [0]
    while len(starts):
        start, end, depth = starts.pop(), ends.pop(), depths.pop()
        some = order[start:end].copy()
        if len(some) <= 2:
            for place in range(len(some)):
                found[some[place]] = depth + 1 + place
            continue
        guess, _, stamp = best_of(matrix, guesses, some, seen, stamp)
        codes = matrix[guess][some]
        by_code = np.argsort(codes)
        order[start:end] = some[by_code]
        codes = codes[by_code]
        first = 0
        for place in range(1, len(some) + 1):
            if place == len(some) or codes[place] != codes[first]:
                if codes[first] == n_codes - 1:
                    found[order[start + first]] = depth + 1
                else:
                    starts.append(start + first)
                    ends.append(start + place)
                    depths.append(depth + 1)
                first = place
    return found[members]


def sets(rng: np.random.Generator, matrix: np.ndarray, n_codes: int, n_games: int) -> Iterator[np.ndarray]:
    """Yield the sets of at least three possible words after each guess of these games."""
    n_guesses, n_answers = matrix.shape
    seen, stamp = np.zeros(n_codes, np.int64), 0
    for game in range(n_games):
        secret, left = int(rng.integers(n_answers)), np.arange(n_answers)
        for _ in range(6):
            few = rng.integers(0, n_guesses, N_BEST)
            if game % 3 == 0:
                guess = int(rng.choice(left))
            elif game % 3 == 1:
                guess, _, stamp = best_of(matrix, few, left[:1], seen, stamp)
                parts = [n_parts(matrix[one], left, seen, stamp + number) for number, one in enumerate(few, 1)]
                guess, stamp = int(few[int(np.argmax(parts))]), stamp + len(few)
            else:
                guess = int(few[0])
            if guess == secret:
                break
            left = left[matrix[guess][left] == matrix[guess, secret]]
            if len(left) <= 2:
                break
            if len(left) <= MAX_SET:
                yield left


def rows(rng: np.random.Generator, answers: np.ndarray, guesses: np.ndarray, n_games: int) -> Iterator[np.ndarray]:
    """Yield for each set its features, and the shares of words found within 1, 2, ... guesses."""
    known = {tuple(word) for word in answers.tolist()}
    others = np.array([word for word in guesses.tolist() if tuple(word) not in known], np.uint8)
    matrix = clue_matrix(np.concatenate([answers, others]), answers, "counted")
    n_codes = 3 ** answers.shape[1]
    for members in sets(rng, matrix, n_codes, n_games):
        few = rng.integers(0, len(matrix), 4000) if len(members) > 60 else np.arange(len(matrix))
        found = needed(matrix, few, members, n_codes)
        most = best_of(matrix, few, members, np.zeros(n_codes, np.int64), 0)[1]
        shares = (found[:, None] <= np.arange(1, N_ROUNDS + 1)).mean(axis=0)
        shares[:2] = 1 / len(members), max(most / len(members), shares[1])
        n_split = splits_of(matrix, members, n_codes)
        if n_split < len(members):
            yield np.concatenate([set_features(len(members), n_split), shares, [len(members), n_split]])


def splits_of(matrix: np.ndarray, members: np.ndarray, n_codes: int) -> int:
    n = len(members)
    probes = [members[number * n // N_PROBES] for number in range(N_PROBES)] if n > N_PROBES else members
    return max(len(np.unique(matrix[probe][members])) for probe in probes)


class Smudges(Channel):
    """Each mark is shown as one of the two others with 10% probability."""

    def outcomes(self, true: int, move: Move) -> Outcomes:
        codes, chances = [0], [1.0]
        for place in range(self.length):
            mark = true // 3**place % 3
            codes = [code + shown * 3**place for code in codes for shown in range(3)]
            chances = [chance * (0.9 if shown == mark else 0.05) for chance in chances for shown in range(3)]
        return codes, chances


class Smudged(Wordle):
    """Wordle with a channel of independent errors."""

    facts = GameFacts.of_guesses("smudged/1", limit=N_FALSE + 1)
    channel_type = Smudges


def false_rows(rng: np.random.Generator, game: Game, n_games: int) -> Iterator[list[float]]:
    """Yield the features of the posterior before each guess of games with false clues, and when they were won.

    The guess is the likeliest word or, unless that is more likely than not, the one with the most different clues on
    average (entropy) among some likely and some random words.
    """
    states, lists = Posteriors(game), game.lists
    for _ in range(n_games):
        secret, posterior, seen = str(rng.choice(lists.answers)), states.first(), []
        won_after = 3 * N_FALSE
        for number in range(1, N_FALSE + 2):
            top, positive = float(posterior.max()), posterior[posterior > 0]
            entropy = float(-(positive * np.log2(positive)).sum())
            seen.append([1.0, entropy, entropy**2, top])
            likely = [lists.answers[place] for place in np.argsort(-posterior, kind="stable")[:8]]
            words = likely[:1] if top > 0.5 else [*likely, *rng.choice(lists.guesses, 20)]
            asked = [states.ask(posterior, (), word, place) for place, word in enumerate(words)]
            spread = [-sum(chance * np.log2(chance) for chance in one.chances) for one in asked]
            best = int(np.argmax(spread))
            if words[best] == secret:
                won_after = number
                break
            true = encode(game.clue(words[best], secret))
            codes, chances = game.channel.outcomes(true, ClassicMove(words[best], ""))
            shown = int(rng.choice(codes, p=np.array(chances) / np.sum(chances)))
            posterior = states.told(posterior, asked[best], words[best], shown)
        for before, features in enumerate(seen):
            yield [*features, won_after - before]


@click.command()
@click.option("--games", default=1500, help="Games on each list.")
@click.option("--seed", default=1)
@click.option("--save", default="", help="A file for the rows.")
@click.option("--part", type=click.Choice(["exact", "false"]), default="exact")
def main(games: int, seed: int, save: str, part: str) -> None:
    """Print the weights of the features for each number of guesses left, with clues that are exact or may be false."""
    if part == "false":
        rng, lists = np.random.default_rng(seed), words.load()
        found = np.array([row for kind in (Fibble, Smudged) for row in false_rows(rng, kind(lists), games)])
        for left in range(2, N_FALSE + 1):
            weights = np.linalg.lstsq(found[:, :4], (found[:, 4] <= left).astype(float), rcond=None)[0]
            click.echo(f"    ({', '.join(f'{weight:.4f}' for weight in weights)}),  # {left} left")
        return
    rng = np.random.default_rng(seed)
    bundled = [letters(words.load().answers), letters(words.load().guesses)]
    modern = [letters(words.bundled("answers-2023")), letters(words.bundled("modern"))]
    made = [artificial(rng, length, n, 5 * n) for length, n in ((4, 1500), (6, 2500), (7, 2500), (8, 2000))]
    found = []
    for answers, guesses in [bundled, modern, *made]:
        found.append(np.array(list(rows(rng, answers, guesses, games))))
        click.echo(f"# {answers.shape[1]} letters: {len(found[-1])} sets", err=True)
    if save:
        np.save(save, np.concatenate(found))
    table = np.concatenate(found)
    features, shares = table[:, : len(FEATURES)], table[:, len(FEATURES) : len(FEATURES) + N_ROUNDS]
    for left in range(2, N_ROUNDS + 1):
        weights = np.linalg.lstsq(features, shares[:, left - 1], rcond=None)[0]
        error = np.sqrt(np.mean((features @ weights - shares[:, left - 1]) ** 2))
        click.echo(f"    ({', '.join(f'{weight:.4f}' for weight in weights)}),  # {left} left: ± {error:.3f}")


if __name__ == "__main__":
    main()
