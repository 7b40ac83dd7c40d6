"""Simulate seasons of a year: how often are ranks, "better" and records wrong? `python benchmarks/season_year.py`

A season has 40 authors, up to 300 versions and 52 rounds of 500 games. Half of the authors resubmit variants in order
to climb: a variant that looks worse than the version before it is withdrawn. Who plays is chosen as `wordpl season
round` chooses; in the end the first ten play a closing round, as `wordpl season end` lets them. True means are known,
so that each claim can be checked after each round.

- spread: authors differ by 5 % of the score, variants by 1 %.
- near ties: authors differ by 0.3 %, variants by 0.1 %.
- all equal: every version is equally good.
- rare losses: 0.2 % of the games are lost, by all alike.
- equal quantiles, spread quantiles: the score is the median budget of 12 versions in 12 rounds.
- records: only confirmations, each of which claims the true score.

Whether a record is false is counted, and its probability given the claims of the season is computed: the second has the
same mean and hardly varies, since a confirmation plays fresh games.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path

import click
import numpy as np
from scipy.stats import binom
from tqdm import tqdm

from wordpl.core import words
from wordpl.run.folder import Run
from wordpl.season import standings
from wordpl.season.scores import Credits, credits_of
from wordpl.season.standings import ScoreOrder
from wordpl.stats import anytime, dirichlet_means
from wordpl.stats.anytime import AnytimeOrder, AnytimeQuantiles, Bounds, rank_intervals

N_AUTHORS, N_VERSIONS, N_ROUNDS, N_GAMES = 40, 300, 52, 500
N_LEADERS, MAX_PLAYERS = 12, 17
N_CLOSING, CLOSING_GAMES = 10, 2500
ALPHA = 0.05
N_CONFIRMATIONS, CONFIRMATION_GAMES, MIN_GAIN = 20, 26_000, 0.01
CENTRE = 0.5
STUDENT = 1.96
N_RECORD_SEASONS, N_DRAWN_CONFIRMATIONS = 1_000_000, 20_000
RESULTS = Path(__file__).parents[1] / "results"
FULL_REPLAYS = 40


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
    replayed_current: float = 0.0
    rank_width: float = 0.0
    first_ten_width: float = 0.0
    closed_width: float = 0.0
    full_width: float = np.nan
    full_rank_width: float = np.nan
    pooled_covers: bool = False
    pooled_better: bool = False


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


def pooled_claims(outcome: Outcome, sums: np.ndarray, season: Season, truth: np.ndarray) -> None:
    """Note what plain pooling with Student's intervals claims: the leader's interval, and "better than the second"."""
    ranked = [v for v in season.ranked() if v < len(sums) and sums[v, 0]]
    n = sums[ranked, 0]
    means = sums[ranked, 1] / n
    errors = np.sqrt(np.maximum(sums[ranked, 2] / n - means**2, 1e-12) / n)
    leader = int(means.argmax())
    actual = truth[ranked]
    outcome.pooled_covers = bool(abs(means[leader] - actual[leader]) <= STUDENT * errors[leader])
    gaps = np.abs(means[:, None] - means) > STUDENT * np.hypot(errors[:, None], errors)
    outcome.pooled_better = bool((gaps & (means[:, None] > means) & (actual[:, None] <= actual)).any())


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
        return bool(dirichlet_means.lower_bound(values, 0.0, ALPHA / N_CONFIRMATIONS) > value)

    fewest, most = 0, CONFIRMATION_GAMES
    while most - fewest > 1:
        middle = (fewest + most) // 2
        fewest, most = (fewest, middle) if is_shown(middle) else (middle, most)
    return most


def print_records(rng: np.random.Generator) -> None:
    """Print how often records are false where each confirmation claims the true score: exact, and simulated.

    Confirmations play fresh games, so that neither the rounds nor who was nominated make a difference.
    """
    credits = credits_of_clues(np.random.default_rng(0), np.array([CENTRE]), 100)[0]
    needed = n_high_needed(float(credits.min()), float(credits.max()), CENTRE)
    false = float(binom.sf(needed - 1, CONFIRMATION_GAMES, 0.5))
    print("\nrecords alone: each confirmation claims the true score")
    print(f"  {'games with the higher credit that are needed':52} {needed:,} of {CONFIRMATION_GAMES:,}")
    print(f"  {'false confirmations, % (allowed)':52} {100 * false:.4f} ({100 * ALPHA / N_CONFIRMATIONS:.4f})")
    print(f"  {'seasons with a false record, %':52} {100 * (1 - (1 - false) ** N_CONFIRMATIONS):.3f}")
    n_high = rng.binomial(CONFIRMATION_GAMES, 0.5, (N_RECORD_SEASONS, N_CONFIRMATIONS))
    share, error = estimate((n_high >= needed).any(axis=1))
    print(f"  {f'the same in {N_RECORD_SEASONS:,} simulated seasons':52} {share:.3f} ± {error:.3f}")
    credits = np.concatenate([own.credit for own in credits_of_run(RESULTS / "bundled")])
    middle = credits[(credits > 0) & (credits < 1)]
    shown = [
        dirichlet_means.lower_bound(rng.choice(middle, CONFIRMATION_GAMES), 0.0, ALPHA / N_CONFIRMATIONS)
        > middle.mean()
        for _ in range(N_DRAWN_CONFIRMATIONS)
    ]
    share, error = estimate(np.array(shown))
    label = f"false confirmations of {N_DRAWN_CONFIRMATIONS:,}, real credits, %"
    print(f"  {label:52} {share:.3f} ± {error:.3f}")


def credits_of_run(folder: Path) -> list[Credits]:
    """Return the credits of the entries of a noisy run."""
    run = Run(folder)
    return [credits_of(run, entry, words.load()) for entry in run.info.entries]


def estimate(happened: np.ndarray) -> tuple[float, float]:
    """Return a share in percent and its standard error."""
    share = float(happened.mean())
    return 100 * share, 100 * float(np.sqrt(share * (1 - share) / len(happened)))


def play(rng: np.random.Generator, world: World, is_replayed: bool) -> Outcome:
    """Play a season, and check it after each round."""
    season, outcome, order = Season(), Outcome(), AnytimeOrder((0.0, 1.0), ALPHA)
    shift = 0.998 - CENTRE if world.draw is rare_losses else 0.0
    worth, games, least = np.zeros(0), np.zeros(0, np.int64), np.zeros(0)
    better = np.zeros((0, 0), bool)
    record, sums = 0.0, np.zeros((0, anytime.N_POWERS))
    for now in range(N_ROUNDS):
        submissions(rng, season, world, now, worth)
        count = len(season.means)
        more = count - len(worth)
        orders = [ScoreOrder(np.pad(worth, (0, more)), np.pad(least, (0, more)), np.pad(better, (0, more)))]
        players = standings.next_players(np.pad(games, (0, more)), season.ranked(), orders, N_LEADERS, MAX_PLAYERS)
        truth = np.array(season.means) + shift
        values = world.draw(rng, np.array(season.means)[players], N_GAMES)
        order.add(players, values)
        sums = np.pad(sums, ((0, more), (0, 0)))
        sums[players] += anytime.powers(values)
        bounds = order.bounds()
        known = len(bounds.means)
        worth = np.pad(bounds.means, (0, count - known), constant_values=np.nan)
        games = np.pad(bounds.n_games, (0, count - known))
        least, better = np.pad(bounds.low, (0, count - known)), np.pad(bounds.better, (0, count - known))
        check(outcome, bounds, season, truth)
        active = [v for v in range(count) if v not in season.left]
        outcome.games += len(players)
        outcome.replayed_all += len(active)
        outcome.replayed_current += len(season.ranked())
        played = [v for v in season.ranked() if games[v]]
        leader = max(played, key=lambda v: worth[v])
        # Without a record, the claim is the score that all have if they are equal: the worst case.
        value = record + MIN_GAIN * CENTRE if record else CENTRE + shift
        if worth[leader] > value and outcome.n_confirmations < N_CONFIRMATIONS:
            outcome.n_confirmations += 1
            is_false = bool(truth[leader] <= value)
            is_shown, chance = confirm(rng, world, season.means[leader], value)
            outcome.no_false_record *= 1 - chance * is_false
            if is_shown:
                outcome.n_records += 1
                outcome.false_record |= is_false
                record = value
    ranked = [v for v in season.ranked() if v < len(bounds.means) and bounds.n_games[v]]
    first = sorted(ranked, key=lambda v: -bounds.low[v])[:N_CLOSING]
    outcome.first_ten_width = float((bounds.high - bounds.low)[first].mean())
    pooled_claims(outcome, sums, season, truth)
    order.add(first, world.draw(rng, np.array(season.means)[first], CLOSING_GAMES))
    closed = order.bounds()
    check(outcome, closed, season, truth)
    outcome.games += N_CLOSING * CLOSING_GAMES / N_GAMES
    outcome.closed_width = float((closed.high - closed.low)[first].mean())
    if is_replayed:
        full = replay(rng, world, season, ranked)
        outcome.full_width = float((full.high - full.low)[first].mean())
        low, high = rank_intervals(full.better, ranked)
        outcome.full_rank_width = float((high - low + 1).mean())
    return outcome


def replay(rng: np.random.Generator, world: World, season: Season, ranked: list[int]) -> Bounds:
    """Return the bounds of the versions that are ranked in the end, if each had played every round since it arrived."""
    order, means = AnytimeOrder((0.0, 1.0), ALPHA), np.array(season.means)
    for now in range(N_ROUNDS):
        players = [v for v in ranked if season.arrived[v] <= now]
        order.add(players, world.draw(rng, means[players], N_GAMES))
    return order.bounds()


def budgets(rng: np.random.Generator, factors: np.ndarray, n: int) -> np.ndarray:
    """Return what versions spend: a common hardness times an own draw times their factor, float[k, n]."""
    hardness = rng.gamma(3, 10, n)
    return np.ceil(hardness * rng.gamma(5, 0.2, (len(factors), n)) * factors[:, None] * 10) / 10


def play_quantiles(rng: np.random.Generator, spread: float, n_players: int = 12, n_rounds: int = 12) -> Outcome:
    """Play rounds among versions that win every game; the better half so far and two others play each round."""
    outcome, orders = Outcome(), AnytimeQuantiles(0.5, ALPHA)
    factors = np.exp(spread * rng.standard_normal(n_players))
    truth = np.median(budgets(rng, np.ones(1), 400_000)) * factors
    players = list(range(n_players))
    for _ in range(n_rounds):
        spent = budgets(rng, factors[players], N_GAMES)
        orders.add(players, spent, np.ones_like(spent))
        bounds = orders.bounds()
        everybody = range(n_players)
        better = orders.better(everybody, bounds)
        outcome.false_better |= bool((better & (factors[:, None] >= factors)).any())
        outcome.wrong_interval |= bool(((bounds.low > 1.01 * truth) | (bounds.high < 0.99 * truth)).any())
        low, high = rank_intervals(better, everybody)
        ranks = 1 + (factors < factors[:, None]).sum(axis=1), (factors <= factors[:, None]).sum(axis=1)
        outcome.wrong_rank |= bool(((low > ranks[0]) | (high < ranks[1])).any())
        outcome.rank_width = float((high - low + 1).mean())
        best = np.argsort(bounds.values, kind="stable")
        players = sorted({*best[: n_players // 2].tolist(), *rng.choice(n_players, 2, replace=False).tolist()})
    outcome.first_ten_width = float((bounds.high / bounds.low)[best[:10]].mean() - 1)
    return outcome


def rate(values: list[bool]) -> str:
    """Return a share in percent with its standard error."""
    share = float(np.mean(values))
    return f"{100 * share:.1f} ± {100 * np.sqrt(max(share * (1 - share), 0.25 / len(values) ** 2) / len(values)):.1f}"


def mean(values: list[float], digits: int = 3) -> str:
    """Return a mean with its standard error."""
    known = np.array([value for value in values if not np.isnan(value)])
    if not len(known):
        return "-"
    error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else np.nan
    return f"{known.mean():.{digits}f} ± {error:.{digits}f}"


def rows(outcomes: list[Outcome]) -> Iterator[tuple[str, str]]:
    """Yield the names and values of the results of a line."""
    if outcomes[0].games:
        yield (
            "seasons with a false record, given the claims, %",
            mean([100 * (1 - o.no_false_record) for o in outcomes]),
        )
        yield "seasons with a false record, counted, %", rate([o.false_record for o in outcomes])
    yield "seasons with a wrong rank interval, %", rate([o.wrong_rank for o in outcomes])
    yield 'seasons with a false "better", %', rate([o.false_better for o in outcomes])
    yield "seasons with a score interval that misses, %", rate([o.wrong_interval for o in outcomes])
    if outcomes[0].games:
        yield (
            "records, confirmations",
            (f"{mean([o.n_records for o in outcomes], 1)}, {mean([o.n_confirmations for o in outcomes], 1)}"),
        )
        yield "games / replaying every version", mean([o.games / o.replayed_all for o in outcomes])
        yield "games / replaying current versions", mean([o.games / o.replayed_current for o in outcomes])
        yield "width of scores of the first ten", mean([o.first_ten_width for o in outcomes], 4)
        yield (
            "width / full replay's, before the closing round",
            mean([o.first_ten_width / o.full_width for o in outcomes]),
        )
        yield "width / full replay's, in the end", mean([o.closed_width / o.full_width for o in outcomes])
        yield (
            "ranks in an interval; full replay's",
            (f"{mean([o.rank_width for o in outcomes], 1)}; {mean([o.full_rank_width for o in outcomes], 1)}"),
        )
        yield "plain pooling: leader's 95 % interval covers, %", rate([o.pooled_covers for o in outcomes])
        yield 'plain pooling: seasons with a false "better", %', rate([o.pooled_better for o in outcomes])
    else:
        yield "relative width of scores", mean([o.first_ten_width for o in outcomes])
        yield "ranks in an interval", mean([o.rank_width for o in outcomes], 1)


LINES: dict[str, Callable[[int, bool], Outcome]] = {
    world.name: lambda season, is_replayed, number=number, world=world: play(
        np.random.default_rng([number, season]), world, is_replayed
    )
    for number, world in enumerate(WORLDS)
} | {
    name: lambda season, is_replayed, spread=spread: play_quantiles(np.random.default_rng([99, season]), spread)
    for name, spread in (("equal quantiles", 0.0), ("spread quantiles", 0.1))
}
"""What plays a season of each line, given its number and whether it is also replayed in full."""


def simulated(name: str, numbers: range, n_replays: int, save: Path | None) -> list[Outcome]:
    """Return the seasons of a line with these numbers; those that are in the file are not simulated again."""
    known = {}
    if save is not None and save.exists():
        rows = [json.loads(line) for line in save.read_text().splitlines()]
        known = {row["season"]: Outcome(**row["outcome"]) for row in rows if row["line"] == name}
    for season in tqdm(numbers, name, leave=False):
        if season not in known:
            known[season] = LINES[name](season, season < n_replays)
            if save is not None:
                with save.open("a") as file:
                    print(json.dumps({"line": name, "season": season, "outcome": asdict(known[season])}), file=file)
    return [known[season] for season in numbers]


@click.command()
@click.option("--seasons", default=200, help="Seasons a line.")
@click.option("--replays", default=FULL_REPLAYS, help="Seasons a line that are also replayed in full.")
@click.option("--only", multiple=True, help="Only these lines, or records.")
@click.option("--save", type=click.Path(path_type=Path), help="Keep each season in this file, and continue from it.")
def main(seasons: int, replays: int, only: tuple[str, ...], save: Path | None) -> None:
    """Print a table for each line."""
    if not only or "records" in only:
        print_records(np.random.default_rng(77))
    for name in LINES:
        if not only or name in only:
            report(name, simulated(name, range(seasons), replays, save))


def report(name: str, outcomes: list[Outcome]) -> None:
    """Print the results of a line."""
    print(f"\n{name}, {len(outcomes)} seasons")
    for label, text in rows(outcomes):
        print(f"  {label:52} {text}")


if __name__ == "__main__":
    main()
