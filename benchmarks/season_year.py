"""Simulate seasons of a year: how often are ranks, "better" and records wrong? `python benchmarks/season_year.py`

A season has 40 authors, up to 300 versions and 52 rounds of 500 games. Half of the authors resubmit variants in order
to climb: a variant that looks worse than the version before it is withdrawn. Who plays is chosen as `wordpl season
round` chooses; in the end the first ten play a closing round, as `wordpl season end` lets them. True means are known,
so that each claim can be checked after each round.

- spread: authors differ by 5 % of the score, variants by 1 %.
- near ties: authors differ by 0.3 %, variants by 0.1 %.
- all equal: every version is equally good.
- rare losses: 0.2 % of the games are lost, by all alike.
- records: only confirmations, each of which claims the true score, computed.

Whether a record is false is counted, and its probability given the claims of the season is computed: the second has the
same mean and hardly varies, since a confirmation plays fresh games.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import click
import numpy as np
from scipy.stats import binom
from tqdm import tqdm

from wordpl.apps.season import standings
from wordpl.apps.season.anytime import AnytimeOrder, Bounds, rank_intervals
from wordpl.apps.season.standings import ScoreOrder
from wordpl.stats import hypothesis_tests

N_AUTHORS, N_VERSIONS, N_ROUNDS, N_GAMES = 40, 300, 52, 500
N_LEADERS, MAX_PLAYERS = 12, 17
N_CLOSING, CLOSING_GAMES = 10, 2500
ALPHA = 0.05
N_CONFIRMATIONS, CONFIRMATION_GAMES, MIN_GAIN = 20, 26_000, 0.01
CENTRE = 0.5


@dataclass(frozen=True)
class World:
    """How good authors and their variants are, and what games look like."""

    name: str
    spread: float
    step: float
    draw: Callable[[np.random.Generator, np.ndarray, int], np.ndarray]


def credits_of_clues(rng: np.random.Generator, means: np.ndarray, n: int) -> np.ndarray:
    """Return credits between 0 and 1 with these means, half of whose noise is common, float[k, n]."""
    common = rng.random(n) < 0.5
    own = rng.random((len(means), n)) < 0.5
    is_high = np.where(rng.random((len(means), n)) < 0.5, common, own)
    room = 0.6 * np.minimum(means, 1 - means)[:, None]
    return means[:, None] + np.where(is_high, room, -room)


def rare_losses(rng: np.random.Generator, means: np.ndarray, n: int) -> np.ndarray:
    """Return games that are won, 1, or rarely lost, 0, float[k, n]; the means are those of the other worlds."""
    return (rng.random((len(means), n)) < 0.998 + (means - CENTRE)[:, None]).astype(float)


WORLDS = [
    World("spread", 0.05, 0.01, credits_of_clues),
    World("near ties", 0.003, 0.001, credits_of_clues),
    World("all equal", 0.0, 0.0, credits_of_clues),
    World("rare losses", 0.0, 0.0, rare_losses),
]


@dataclass
class Season:
    """The versions of a season: their true means, authors, and the round in which they arrive and leave."""

    means: list[float] = field(default_factory=list)
    authors: list[int] = field(default_factory=list)
    arrived: list[int] = field(default_factory=list)
    left: dict[int, int] = field(default_factory=dict)

    def submit(self, author: int, mean: float, now: int) -> int:
        """Add a version and return its number."""
        self.means.append(float(np.clip(mean, 0.3, 0.7)))
        self.authors.append(author)
        self.arrived.append(now)
        return len(self.means) - 1

    def ranked(self) -> list[int]:
        """Return the current version of each author, in the order of authors."""
        current = {author: v for v, author in enumerate(self.authors) if v not in self.left}
        return [current[author] for author in sorted(current)]


def submissions(rng: np.random.Generator, season: Season, world: World, now: int, worth: np.ndarray) -> None:
    """Withdraw variants that look worse than what they replaced, and submit the round's new versions."""
    for author in range(N_AUTHORS // 2):
        own = [v for v, name in enumerate(season.authors) if name == author and v not in season.left]
        if len(own) > 1 and len(worth) > own[-1] and worth[own[-1]] < worth[own[-2]]:
            season.left[own[-1]] = now
    due = round(N_VERSIONS * (now + 1) / N_ROUNDS)
    while len(season.means) < due:
        count = len(season.means)
        author = count if count < N_AUTHORS else int(rng.integers(N_AUTHORS // 2))
        own = [v for v, name in enumerate(season.authors) if name == author and v not in season.left]
        centre, deviation = (season.means[own[-1]], world.step) if own else (CENTRE, world.spread)
        season.submit(author, centre + CENTRE * deviation * rng.standard_normal(), now)


@dataclass
class Outcome:
    """What one season claimed."""

    wrong_rank: bool = False
    false_better: bool = False
    wrong_interval: bool = False
    false_record: bool = False
    no_false_record: float = 1.0
    n_records: int = 0
    n_confirmations: int = 0
    games: float = 0.0
    replayed_all: float = 0.0
    rank_width: float = 0.0
    first_ten_width: float = 0.0
    closed_width: float = 0.0


def check(outcome: Outcome, bounds: Bounds, season: Season, truth: np.ndarray) -> None:
    """Compare all claims after a round with the truth."""
    count = len(bounds.means)
    actual = truth[:count]
    better = bounds.better
    outcome.false_better |= bool((better & (actual[:, None] <= actual)).any())
    outcome.wrong_interval |= bool(((bounds.low > actual + 1e-12) | (bounds.high < actual - 1e-12)).any())
    ranked = [v for v in season.ranked() if v < count and bounds.n_games[v]]
    low, high = rank_intervals(better, ranked)
    best = 1 + (actual[ranked] > actual[ranked][:, None] + 1e-12).sum(axis=1)
    worst = (actual[ranked] >= actual[ranked][:, None] - 1e-12).sum(axis=1)
    outcome.wrong_rank |= bool(((low > best) | (high < worst)).any())
    outcome.rank_width = float((high - low + 1).mean())


def confirm(rng: np.random.Generator, world: World, mean: float, value: float) -> tuple[bool, float]:
    """Return whether a confirmation shows a mean above `value`, and how probable that was.

    A game of each world has one of two values, so that the number of games with the higher one is binomial.
    """
    values = world.draw(rng, np.array([mean]), CONFIRMATION_GAMES)[0]
    low, high = float(values.min()), float(values.max())
    if low == high:
        return False, 0.0
    needed = n_high_needed(low, high, value)
    share = mean + 0.998 - CENTRE if world.draw is rare_losses else 0.5
    return int((values == high).sum()) >= needed, float(binom.sf(needed - 1, CONFIRMATION_GAMES, share))


@cache
def n_high_needed(low: float, high: float, value: float) -> int:
    """Return how many games of a confirmation must have the higher of two values to show a mean above `value`.

    The lower bound rises with each such game, so this gives the same answers as computing it for every confirmation.
    """

    def is_shown(n_high: int) -> bool:
        values = np.repeat([low, high], [CONFIRMATION_GAMES - n_high, n_high])
        return bool(hypothesis_tests.lower_bound(values, 0.0, ALPHA / N_CONFIRMATIONS) > value)

    fewest, most = 0, CONFIRMATION_GAMES
    while most - fewest > 1:
        middle = (fewest + most) // 2
        fewest, most = (fewest, middle) if is_shown(middle) else (middle, most)
    return most


def print_records() -> None:
    """Print how often records are false where each confirmation claims the true score, which can be computed.

    Confirmations play fresh games, so that neither the rounds nor who was nominated make a difference.
    """
    credits = credits_of_clues(np.random.default_rng(0), np.array([CENTRE]), 100)[0]
    needed = n_high_needed(float(credits.min()), float(credits.max()), CENTRE)
    false = float(binom.sf(needed - 1, CONFIRMATION_GAMES, 0.5))
    print("\nrecords alone: each confirmation claims the true score")
    print(f"  {'games with the higher credit that are needed':52} {needed:,} of {CONFIRMATION_GAMES:,}")
    print(f"  {'false confirmations, % (allowed)':52} {100 * false:.4f} ({100 * ALPHA / N_CONFIRMATIONS:.4f})")
    print(f"  {'seasons with a false record, %':52} {100 * (1 - (1 - false) ** N_CONFIRMATIONS):.3f}")


class Year:
    """A season that is played and checked after each round, as long as it goes on."""

    def __init__(self, rng: np.random.Generator, world: World):
        self.rng, self.world = rng, world
        self.season, self.outcome, self.order = Season(), Outcome(), AnytimeOrder((0.0, 1.0), ALPHA)
        self.shift = 0.998 - CENTRE if world.draw is rare_losses else 0.0
        self.bounds: Bounds | None = None
        self.record = 0.0

    def play(self) -> Outcome:
        """Play all rounds and the closing round."""
        for now in range(N_ROUNDS):
            self.play_round(now)
            self.claim_record()
        before = self.bounds
        ranked = [v for v in self.season.ranked() if v < len(before.means) and before.n_games[v]]
        first = sorted(ranked, key=lambda v: -before.low[v])[:N_CLOSING]
        self.add(first, CLOSING_GAMES)
        self.outcome.first_ten_width = float((before.high - before.low)[first].mean())
        self.outcome.closed_width = float((self.bounds.high - self.bounds.low)[first].mean())
        return self.outcome

    def known(self, name: str, missing: float = 0.0) -> np.ndarray:
        """Return an array of the bounds, with a value for versions that are new."""
        n_known = len(self.bounds.means) if self.bounds else 0
        values = getattr(self.bounds, name) if self.bounds else np.zeros(0)
        return np.pad(values, [(0, len(self.season.means) - n_known)] * values.ndim, constant_values=missing)

    def add(self, players: list[int], n_games: int) -> None:
        """Let versions play, and compare all claims with the truth."""
        self.order.add(players, self.world.draw(self.rng, np.array(self.season.means)[players], n_games))
        self.bounds = self.order.bounds()
        check(self.outcome, self.bounds, self.season, np.array(self.season.means) + self.shift)
        self.outcome.games += len(players) * n_games / N_GAMES

    def play_round(self, now: int) -> None:
        """Take what authors send, and let those play whom a season chooses."""
        submissions(self.rng, self.season, self.world, now, self.known("means", np.nan))
        better = self.known("better") if self.bounds else np.zeros([len(self.season.means)] * 2, bool)
        orders = [ScoreOrder(self.known("means"), self.known("low"), better.astype(bool))]
        games = self.known("n_games").astype(np.int64)
        players = standings.next_players(games, self.season.ranked(), orders, N_LEADERS, MAX_PLAYERS)
        self.add(players, N_GAMES)
        self.outcome.replayed_all += len(self.season.means) - len(self.season.left)

    def claim_record(self) -> None:
        """Let the leader confirm a record if it seems to be one."""
        # Without a record, the claim is the score that all have if they are equal: the worst case.
        value = self.record + MIN_GAIN * CENTRE if self.record else CENTRE + self.shift
        worth, outcome = self.known("means", np.nan), self.outcome
        games = self.known("n_games")
        leader = max((v for v in self.season.ranked() if games[v]), key=lambda v: worth[v])
        if worth[leader] <= value or outcome.n_confirmations >= N_CONFIRMATIONS:
            return
        outcome.n_confirmations += 1
        mean = self.season.means[leader]
        is_false = bool(mean + self.shift <= value)
        is_shown, chance = confirm(self.rng, self.world, mean, value)
        outcome.no_false_record *= 1 - chance * is_false
        if is_shown:
            outcome.n_records += 1
            outcome.false_record |= is_false
            self.record = value


def rate(values: list[bool]) -> str:
    """Return a share in percent with its standard error."""
    share = float(np.mean(values))
    return f"{100 * share:.1f} ± {100 * np.sqrt(max(share * (1 - share), 0.25 / len(values) ** 2) / len(values)):.1f}"


def mean(values: list[float], digits: int = 3) -> str:
    """Return a mean with its standard error."""
    return f"{np.mean(values):.{digits}f} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.{digits}f}"


def report(outcomes: list[Outcome]) -> None:
    """Print the results of a line."""
    for label, text in (
        ("a false record, given the claims, %", mean([100 * (1 - o.no_false_record) for o in outcomes])),
        ("a false record, counted, %", rate([o.false_record for o in outcomes])),
        ("a wrong rank interval, %", rate([o.wrong_rank for o in outcomes])),
        ('a false "better", %', rate([o.false_better for o in outcomes])),
        ("a score interval that misses, %", rate([o.wrong_interval for o in outcomes])),
        ("records", mean([o.n_records for o in outcomes], 1)),
        ("confirmations", mean([o.n_confirmations for o in outcomes], 1)),
        ("games / replaying every version", mean([o.games / o.replayed_all for o in outcomes])),
        ("width of scores of the first ten", mean([o.first_ten_width for o in outcomes], 4)),
        ("the same after the closing round", mean([o.closed_width for o in outcomes], 4)),
        ("ranks in an interval", mean([o.rank_width for o in outcomes], 1)),
    ):
        print(f"  {label:52} {text}")


@click.command()
@click.option("--seasons", default=200, show_default=True, help="Seasons a line, at least 2.")
@click.option("--only", multiple=True, help="Only these lines, or records.")
def main(seasons: int, only: tuple[str, ...]) -> None:
    """Print a table for each line."""
    if not only or "records" in only:
        print_records()
    for number, world in enumerate(WORLDS):
        if not only or world.name in only:
            print(f"\n{world.name}, seasons of {seasons} with")
            report([Year(np.random.default_rng([number, each]), world).play() for each in tqdm(range(seasons))])


if __name__ == "__main__":
    main()
