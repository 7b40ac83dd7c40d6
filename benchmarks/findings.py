"""Measure how often cheats and honest players of Wordle are named: `python -m benchmarks.findings [--part NAME]`.

Entries play 20,000 games in this process; a simulated game of an entry is the one that it played with this secret.
Other players are simulated word by word. Each simulated run is judged by `wordpl.stats.findings`, as a board is.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import click
import numpy as np
import pandas as pd
from numba import njit

from wordpl import Contest, RunConfig, games
from wordpl.core import words
from wordpl.core.clues import decode
from wordpl.core.intervals import proportion_interval
from wordpl.kernels.clue_matrix import answer_rows, matrix_of
from wordpl.run.frame import Moves as PlayedMoves
from wordpl.stats import findings
from wordpl.stats.estimates import luck_of_guesses
from wordpl.stats.guess_odds import guess_odds

CSV = Path(__file__).with_suffix(".csv")
ENTRIES = ("Tree", "TreeSearch", "Entropy", "LetterFrequency")
N_PLAYED, LIMIT = 20_000, 6
LISTS, GAME = words.load(), games.make_game("wordle/1", words.load())
MATRIX, OWN = matrix_of(LISTS, "counted"), answer_rows(LISTS)
ALL_RIGHT = 3**5 - 1


@dataclass(frozen=True, eq=False)
class Moves:
    """The guesses of games, as rows of the list of guesses: int[n, 6] and how many of them were made."""

    guesses: np.ndarray
    lengths: np.ndarray


@cache
def entries() -> dict[str, Moves]:
    """Return the games of the bundled entries with each answer as the secret."""
    row = {word: number for number, word in enumerate(LISTS.guesses)}
    with TemporaryDirectory() as folder:
        config = RunConfig(game_id="wordle/1", n_games=N_PLAYED, player="trusted", repeats=0, results=Path(folder))
        run = Contest(config, ENTRIES).play()
        table = run.to_frame(["entry", "secret", "moves"]).drop_duplicates(["entry", "secret"])
    found = {}
    for name, rows in table.groupby("entry", sort=False, observed=True):
        guesses, lengths = np.zeros((len(LISTS.answers), LIMIT), int), np.zeros(len(LISTS.answers), int)
        for secret, moves in zip(rows["secret"], rows["moves"], strict=True):
            number = LISTS.answers.index(secret)
            lengths[number] = len(moves)
            guesses[number, : len(moves)] = [row[move[0]] for move in moves]
        found[str(name).split("(")[0]] = Moves(guesses, lengths)
    return found


@njit
def by_chance(matrix: np.ndarray, secrets: np.ndarray, seed: int, remembers: bool, guesses: np.ndarray) -> np.ndarray:
    """Guess words at random that may be the secret; with memory, those that were no secret before, if there are any."""
    np.random.seed(seed)
    n = matrix.shape[1]
    lengths, was_secret = np.zeros(len(secrets), np.int64), np.zeros(n, np.bool_)
    left, fresh = np.empty(n, np.int64), np.empty(n, np.int64)
    for game in range(len(secrets)):
        secret, n_left = secrets[game], n
        for word in range(n):
            left[word] = word
        for turn in range(6):
            n_fresh = 0
            for place in range(n_left):
                if remembers and not was_secret[left[place]]:
                    fresh[n_fresh] = left[place]
                    n_fresh += 1
            guess = fresh[np.random.randint(n_fresh)] if n_fresh else left[np.random.randint(n_left)]
            guesses[game, turn] = guess
            lengths[game] = turn + 1
            if guess == secret:
                break
            kept = 0
            for place in range(n_left):
                if matrix[guess, left[place]] == matrix[guess, secret]:
                    left[kept] = left[place]
                    kept += 1
            n_left = kept
        was_secret[secret] = True
    return lengths


def play(player: str, secrets: np.ndarray, rng: np.random.Generator) -> Moves:
    """Return the games of a player with these secrets."""
    if player in ("random", "memory"):
        guesses = np.zeros((len(secrets), LIMIT), np.int64)
        lengths = by_chance(MATRIX[OWN], secrets, int(rng.integers(1 << 31)), player == "memory", guesses)
        return Moves(OWN[guesses], lengths)
    own = entries()["LetterFrequency" if player == "stops early" else player]
    lengths = own.lengths[secrets]
    if player == "stops early":  # in half of the games that the second guess has not won
        lengths = np.where(rng.random(len(lengths)) < 0.5, np.minimum(lengths, 2), lengths)
    return Moves(own.guesses[secrets], lengths)


def named(rng: np.random.Generator, player: str, n: int, share: float = 0.0, at: int = 2) -> list[str]:
    """Return by which tests a player is named that knows the secret in a share of n games; n = 0: each answer once."""
    is_once = not n
    secrets = rng.permutation(len(LISTS.answers)) if is_once else rng.integers(0, len(LISTS.answers), n)
    moves = play(player, secrets, rng)
    knows = (rng.random(len(secrets)) < share) & (moves.lengths >= at)
    guesses, lengths = moves.guesses.copy(), np.where(knows, at, moves.lengths)
    guesses[knows, at - 1] = OWN[secrets[knows]]
    used, which = np.unique(guesses, return_inverse=True)
    made = np.arange(LIMIT) < lengths[:, None]
    clues = MATRIX[guesses, secrets[:, None]][made]
    numbers, names = np.arange(len(secrets)), [LISTS.answers[secret] for secret in secrets]
    codes = (which.reshape(guesses.shape)[made], np.zeros(made.sum(), int), clues.astype(int))
    played = PlayedMoves(
        numbers,
        np.concatenate([[0], np.cumsum(lengths)]),
        *(column.astype(np.uint32) for column in codes),
        tuple(LISTS.guesses[row] for row in used),
        np.array([np.nan]),
        tuple(decode(code, 5) for code in range(243)),
    )
    odds = guess_odds(GAME, played, names, numbers, are_different=is_once)
    is_won = guesses[np.arange(len(names)), lengths - 1] == OWN[secrets]
    costs = np.where(is_won, lengths, np.inf)
    luck = None if is_once else luck_of_guesses(played, is_won, GAME)
    run = pd.DataFrame({"entry": player, "rules": GAME.facts.id, "facts": GAME.facts.as_text(), "cost": costs})
    found = findings.find(run, LISTS, luck={player: luck} if luck else {}, odds={player: odds} if odds else {})
    return [str(one.kind) for one in found]


Line = tuple[str | float | int, ...]


def share_of(hits: int, n: int) -> str:
    low, high = proportion_interval(hits, n)
    return f"{100 * hits / n:.2f}% ({100 * low:.2f}-{100 * high:.2f})"


def honest(rng: np.random.Generator, n_runs: int, players: Sequence[str], sizes: Sequence[int]) -> Iterator[Line]:
    """How often honest players are named, by the number of games; each answer once: 0."""
    for player in players or (*ENTRIES, "random", "memory", "stops early"):
        for n in sizes or (50, 1001, 20_000, *([] if player == "memory" else [0])):
            yield player, n, share_of(sum(bool(named(rng, player, n)) for _ in range(n_runs)), n_runs)


def cheats(rng: np.random.Generator, n_runs: int, players: Sequence[str], sizes: Sequence[int]) -> Iterator[Line]:
    """How often a player is named that knows the secret in a share of its games and says it in one of its guesses."""
    kinds = ((20_000, 0.01, 2), (20_000, 0.01, 3), (1001, 0.05, 2), (1001, 0.05, 3), (40, 1.0, 2), (40, 1.0, 1))
    for player in players or (*ENTRIES, "random"):
        for n, share, at in (kind for kind in kinds if not sizes or kind[0] in sizes):
            found = [named(rng, player, n, share, at) for _ in range(n_runs)]
            by = [sum(kind in kinds for kinds in found) for kind in ("guesses", "mean", "luck")]
            yield player, n, share, at, share_of(sum(map(bool, found)), n_runs), *by


PARTS: dict[str, Callable[..., Iterator[Line]]] = {"cheats": cheats, "honest": honest}


@click.command()
@click.option("--part", type=click.Choice(list(PARTS)), multiple=True, help="Parts to measure; all by default.")
@click.option("--runs", "n_runs", default=200, show_default=True, help="Runs for each line.")
@click.option("--player", "players", multiple=True, help="Players; all by default.")
@click.option("--games", "sizes", multiple=True, type=int, help="Numbers of games; all by default.")
@click.option("--seed", default=1, show_default=True)
def main(part: tuple[str, ...], n_runs: int, players: tuple[str, ...], sizes: tuple[int, ...], seed: int) -> None:
    """Print the tables, and append them to findings.csv."""
    for name in part or PARTS:
        click.echo(f"\n{name}: {PARTS[name].__doc__}")
        for line in PARTS[name](np.random.default_rng(seed), n_runs, players, sizes):
            click.echo("| " + " | ".join(map(str, line)) + " |")
            with CSV.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow([f"{datetime.now(UTC):%Y-%m-%d}", n_runs, name, *line])


if __name__ == "__main__":
    main()
