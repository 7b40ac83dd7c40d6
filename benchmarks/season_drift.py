"""Simulate seasons in which one version changes: `python benchmarks/season_drift.py`

Six versions play 60 rounds of 500 games; five of them are equal, and the sixth wins another share from some round on,
at once or little by little. Half of the games' difficulty is common to all. All play each round, or four of the six
drawn at random. The standings are computed as `wordpl season standings` computes them, after the rounds of CHECKED, and
each is compared with the truth: no version of the five is better than another, a first rank is not behind the last one,
and bounds are possible. Each line is appended to benchmarks/season_drift.csv with the date.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import click
import numpy as np
from scipy.special import ndtr
from tqdm import tqdm

from wordpl.apps.season import standings
from wordpl.apps.season.credits import Credits, SeasonScore
from wordpl.apps.season.log import Version
from wordpl.apps.season.periods import RoundGames
from wordpl.core.intervals import proportion_interval
from wordpl.core.messages import UserError
from wordpl.games import game_class

CSV = Path(__file__).with_suffix(".csv")
N_VERSIONS, N_ROUNDS, N_GAMES, N_SOME = 6, 60, 500, 4
CHECKED = (12, 13, 15, 18, 21, 24, 30, 40, 60)
EQUAL, COMMON = 0.55, 0.5
"""The share of games that the equal ones win, and how much of a game's difficulty is common to all."""


@dataclass(frozen=True)
class Change:
    """The share of games that the sixth version wins: `before`, then `after`, `n_rounds` later."""

    before: float
    after: float
    n_rounds: int
    start: int = 12

    @property
    def name(self) -> str:
        return f"{self.before:.2f} to {self.after:.2f} over {self.n_rounds}"

    def shares(self) -> np.ndarray:
        """Return the share in each round, float[N_ROUNDS]."""
        steps = np.clip((np.arange(N_ROUNDS) - self.start + 1) / self.n_rounds, 0, 1)
        return self.before + (self.after - self.before) * steps


CHANGES = [
    Change(0.60, 0.30, 1), Change(0.60, 0.30, 20), Change(0.30, 0.60, 1), Change(0.30, 0.60, 20),
    Change(0.52, 0.45, 20), Change(0.60, 0.50, 10), Change(0.50, 0.60, 10), Change(0.55, 0.55, 1),
]  # fmt: skip


def draw(rng: np.random.Generator, change: Change, plays_some: bool) -> list[RoundGames]:
    """Return the rounds of a season."""
    shares = np.full((N_ROUNDS, N_VERSIONS, 1), EQUAL)
    shares[:, -1, 0] = change.shares()
    size = (N_ROUNDS, N_VERSIONS, N_GAMES)
    common = rng.standard_normal((N_ROUNDS, 1, N_GAMES))
    difficulty = ndtr(np.sqrt(COMMON) * common + np.sqrt(1 - COMMON) * rng.standard_normal(size))
    credit, spent = (difficulty < shares).astype(float), np.round(20 + 40 * rng.random(size), 1)
    n_players = N_SOME if plays_some else N_VERSIONS
    rounds = []
    for number in range(N_ROUNDS):
        players = sorted(rng.permutation(N_VERSIONS)[:n_players].tolist())
        rounds.append(RoundGames(players, [Credits(spent[number, i], credit[number, i]) for i in players]))
    return rounds


@dataclass
class Outcome:
    """What the standings of one season said."""

    false_pair: bool = False
    wrong_ranks: bool = False
    impossible: bool = False
    stopped: bool = False
    largest: float = 0.0
    named: int = 0
    named_others: bool = False


def play(rng: np.random.Generator, score: SeasonScore, change: Change, plays_some: bool) -> Outcome:
    """Play a season and check its standings."""
    versions = [Version(i, f"bot{i}", 1, f"bot{i}", "", "", "", "") for i in range(N_VERSIONS)]
    rounds, found = draw(rng, change, plays_some), Outcome()
    for number in CHECKED:
        try:
            table = standings.compute(versions, range(N_VERSIONS), rounds[:number], [score]).tables[0]
        except UserError:
            found.stopped = True
            continue
        equal = table.order.better[:-1, :-1]
        found.false_pair |= bool(equal.any())
        most = np.inf if score.q is not None else score.highest
        for row in table.rows:
            found.wrong_ranks |= row.first_rank > row.last_rank
            found.impossible |= not -1e-9 <= row.low <= row.high <= most + 1e-9
            found.largest = max([found.largest, *(abs(bound) for bound in (row.low, row.high) if np.isfinite(bound))])
            if getattr(row, "changes", ()):
                if row.version.index == N_VERSIONS - 1:
                    found.named = found.named or number
                else:
                    found.named_others = True
    return found


def share(hits: list[bool]) -> str:
    low, high = proportion_interval(sum(hits), len(hits))
    return f"{100 * np.mean(hits):.1f}% ({100 * low:.1f}-{100 * high:.1f})"


HEADS = ("date", "tree", "seasons", "score", "change", "players", "false pair of equal ones", "first behind last rank",
         "impossible bound", "stopped", "largest bound", "named by round 24", "named by round 30", "named by round 60",
         "another one named")  # fmt: skip


def lines(n_seasons: int, names: tuple[str, ...], only: str) -> Iterator[tuple[object, ...]]:
    for name in names:
        score = SeasonScore.of(name, game_class("wordpl/1").facts)
        for number, change in enumerate(change for change in CHANGES if only in change.name):
            for plays_some in (False, True):
                seeds = [[number, plays_some, season] for season in range(n_seasons)]
                found = [play(np.random.default_rng(seed), score, change, plays_some) for seed in tqdm(seeds)]
                yield (
                    n_seasons, name, change.name, N_SOME if plays_some else N_VERSIONS,
                    share([one.false_pair for one in found]), share([one.wrong_ranks for one in found]),
                    share([one.impossible for one in found]), share([one.stopped for one in found]),
                    f"{max(one.largest for one in found):.4g}",
                    *(share([0 < one.named <= last for one in found]) for last in (24, 30, 60)),
                    share([one.named_others for one in found]),
                )  # fmt: skip


@click.command()
@click.option("--seasons", default=15, show_default=True, help="Seasons of each line.")
@click.option("--score", "names", multiple=True, default=("mean", "p_win", "p50"), show_default=True)
@click.option("--tree", default="2.0.0", show_default=True, help="The measured release.")
@click.option("--change", "only", default="", help="Only changes with this text in their names.")
def main(seasons: int, names: tuple[str, ...], tree: str, only: str) -> None:
    """Print a table, and append it to season_drift.csv."""
    for line in lines(seasons, names, only):
        click.echo("| " + " | ".join(map(str, line)) + " |")
        is_new = not CSV.exists()
        with CSV.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerows([HEADS] if is_new else [])
            writer.writerow([f"{datetime.now(UTC):%Y-%m-%d}", tree, *line])


if __name__ == "__main__":
    main()
