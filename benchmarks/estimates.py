"""Measure what estimates, tests and probabilities of boards promise: `python benchmarks/estimates.py --part NAME`.

Games come from the records of official runs: a simulated game is one of them, drawn with replacement, so that the true
P(win) of an entry is the mean posterior of its answers. The luck of the clues is centred at each position, as it has
mean zero. Entries with rare losses lose a game at random. Every line has a standard error or an exact 95% interval, and
is also appended to benchmarks/estimates.csv with the date.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path

import click
import numpy as np
from scipy.special import ndtr

from wordpl import games
from wordpl.core import words
from wordpl.core.clues import anywhere, noisy
from wordpl.core.intervals import proportion_interval
from wordpl.kernels.posterior import Posterior
from wordpl.run.folder import Run
from wordpl.stats.budget_quantiles import (
    BudgetQuantile,
    chances_of_being_best,
    covariance_of_means,
    lower_quantiles,
    probable_quantiles,
    probable_scores,
    shows_distance,
)
from wordpl.stats.clue_luck import ClueLuck, LuckMeter
from wordpl.stats.estimates import LuckCorrected, luck_of_records
from wordpl.stats.hypothesis_tests import better_means, holm_step_down, mean_bounds, p_value, worst_value

ROOT = Path(__file__).parents[1]
CSV = Path(__file__).with_suffix(".csv")
LOSS_COST = 100.0
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Pool:
    """The games of an entry from which simulated ones are drawn."""

    name: str
    luck: ClueLuck
    won: np.ndarray

    @property
    def p_win(self) -> float:
        return float(self.luck.answer.mean())

    def draw(
        self, rng: np.random.Generator, n: int, loss: float = 0.0, games: np.ndarray | None = None
    ) -> LuckCorrected:
        """Return n games, each lost at random with probability `loss`; `games`: which games of the pool."""
        luck = self.luck.take(rng.integers(0, len(self.won), n) if games is None else games)
        if loss:
            luck = replace(luck, answer=luck.answer * (rng.random(n) >= loss))
        return LuckCorrected(np.arange(n), luck)

    def centred(self) -> "Pool":
        """Return the pool with the luck of the clues at each position shifted to the mean 0."""
        luck, position = self.luck.luck.copy(), self.luck.position
        for number in range(int(position.max()) + 1):
            luck[position == number] -= luck[position == number].mean()
        return replace(self, luck=replace(self.luck, luck=luck))

    def cost(self) -> float:
        """Return the true mean cost."""
        gain = np.maximum(LOSS_COST - self.luck.spent, 0) * self.luck.answer
        return LOSS_COST - float(gain.mean())

    def quantile(self, q: float, loss: float = 0.0) -> float:
        """Return the true budget within which a share q of games is won."""
        order = np.argsort(self.luck.spent, kind="stable")
        share = np.cumsum(self.luck.answer[order]) / len(order) * (1 - loss)
        place = int(np.searchsorted(share, q))
        return float(self.luck.spent[order][place]) if place < len(order) else np.inf


@cache
def pools(run: str = "official") -> tuple[Pool, ...]:
    """Return the pools of a run's entries that play with a budget."""
    lists, found = words.load(), []
    folder = Run(ROOT / "results" / run)
    for entry in folder.entries:
        if entry.info.game.has_answer_move:
            records = [record for block in entry.record_blocks() for record in block]
            clue_rule = games.game_class(entry.info.game).clue_rule
            won = np.array([record.verdict == "won" for record in records])
            luck = luck_of_records([records], lists, clue_rule).luck
            found.append(Pool(entry.name, luck, won).centred())
    return tuple(found)


def share(hits: int, n: int) -> str:
    low, high = proportion_interval(hits, n)
    return f"{100 * hits / n:.2f}% ({100 * low:.2f}-{100 * high:.2f})"


Line = tuple[str | float | int, ...]


def coverage(rng: np.random.Generator, n_boards: int) -> Iterator[Line]:
    """How often the interval of P(win) holds, how wide it is relative to counting, and the bias in standard errors."""
    for pool in (*pools(), *pools("bundled")[:3]):
        for n in (150, 1001, 20_000):
            held, widths, bias = 0, [], []
            for _ in range(n_boards):
                values = pool.draw(rng, n).win
                low, high = mean_bounds(values, 0.0, 1.0)
                held += low <= pool.p_win <= high
                widths.append(high - low)
                bias.append((values.mean() - pool.p_win) / (values.std(ddof=1) / np.sqrt(n)))
            counted = 2 * 1.96 * np.sqrt(pool.p_win * (1 - pool.p_win) / n)
            error = np.std(bias, ddof=1) / np.sqrt(n_boards)
            bias_text = f"{np.mean(bias):+.3f} ± {error:.3f}"
            yield pool.name, n, share(held, n_boards), f"{np.mean(widths) / counted:.2f}", bias_text


LUCKY_RATES = {50: (0, 0.01), 150: (0, 0.005, 0.01), 1001: (0, 0.001, 0.002, 0.005), 5000: (0, 0.0002, 0.0005, 0.001),
               20_000: (0, 0.0002)}  # fmt: skip
"""The shares of games that players lose although they are lucky, by the number of games: a few losses are expected."""


def lucky(rng: np.random.Generator, n_boards: int) -> Iterator[Line]:
    """How often intervals hold for 12 kinds of players that lose their luckiest games, and widths relative to 1.0.0's.

    A player loses the share `rate` of its games: those that are worth least if they are lost.
    """
    others = [
        Pool(kind, *_play_answerer(rng, kind, 4000)).centred()
        for kind in ("second best", "another prior", "own randomness")
    ]
    for n, rates in LUCKY_RATES.items():
        for pool in (*pools(), *pools("bundled")[:3], *others):
            games = LuckCorrected(np.arange(len(pool.won)), pool.luck)
            worth = games.lost(games.win)
            for rate in rates:
                answer = (
                    np.where(worth <= np.quantile(worth, rate), 0.0, pool.luck.answer) if rate else pool.luck.answer
                )
                player = replace(pool, luck=replace(pool.luck, answer=answer))
                yield from _coverage_of_scores(rng, player, n, rate, max(50, n_boards // (10 if n < 5000 else 20)))


def _coverage_of_scores(rng: np.random.Generator, player: Pool, n: int, rate: float, n_runs: int) -> Iterator[Line]:
    truths = {"p_win": player.p_win, "mean_cost": player.cost()} | {
        f"p{round(100 * q):02}": player.quantile(q) for q in (0.05, 0.5, 0.95)
    }
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in truths}
    for _ in range(n_runs):
        entry = player.draw(rng, n)
        win, cost = entry.win, entry.cost(LOSS_COST)
        of_win, of_cost = mean_bounds(win, 0.0, 1.0), mean_bounds(cost, 0.0, LOSS_COST)
        low, high = mean_bounds(win, worst_value(entry.lost(win), 0.0), 1.0)
        found["p_win"].append((low, high, (high - low) / (of_win[1] - of_win[0])))
        low, high = mean_bounds(cost, 0.0, -worst_value(-entry.lost_cost(LOSS_COST), -LOSS_COST))
        found["mean_cost"].append((low, high, (high - low) / (of_cost[1] - of_cost[0])))
        for q in (0.05, 0.5, 0.95):
            quantile = BudgetQuantile(entry, q).estimate()
            found[f"p{round(100 * q):02}"].append((quantile.low, quantile.high, np.nan))
    for name, rows in found.items():
        low, high, widths = np.array(rows).T
        truth = truths[name]
        n_below, n_above = int((truth < low * (1 - 1e-9)).sum()), int((truth > high * (1 + 1e-9)).sum())
        width = f"{np.mean(widths):.2f}" if np.isfinite(widths).all() else ""
        yield (player.name, n, f"{rate:.2%}", name, share(n_runs - n_below - n_above, n_runs),
               f"{100 * n_below / n_runs:.1f}%", f"{100 * n_above / n_runs:.1f}%", width)  # fmt: skip


def corner(rng: np.random.Generator, n_boards: int) -> Iterator[Line]:
    """How often a two-entry board calls an entry better by a percentile whose shares both touch the level.

    The first one wins the share q less a trifle within a budget of 10, and more within 30; the other one always pays 20
    and wins the share q. So the second is better.
    """
    for q in (0.05, 0.5, 0.95):
        for n in (1001, 5000, 20_000):
            n_false = sum(_calls_first_better(rng, q, n) for _ in range(n_boards))
            yield f"p{round(100 * q):02}", n, share(n_false, n_boards)


def _calls_first_better(rng: np.random.Generator, q: float, n: int) -> bool:
    is_early = rng.random(n) < min(1.0, q + 0.03)
    won = is_early & (rng.random(n) < (q - 1e-6) / min(1.0, q + 0.03))
    entries = [_counted(np.where(is_early, 10.0, 30.0), np.where(is_early, won, True)),
               _counted(np.full(n, 20.0), rng.random(n) < q)]  # fmt: skip
    return bool(holm_step_down(lower_quantiles(entries, q), LEVEL)[0, 1])


def _counted(spent: np.ndarray, won: np.ndarray) -> LuckCorrected:
    """Return games whose answers are certain, so that they have no luck."""
    n = len(won)
    luck = ClueLuck(won.astype(float), spent, np.arange(n + 1), np.zeros(n), np.zeros(n), spent)
    return LuckCorrected(np.arange(n), luck)


LEVEL_SHARE, LEVEL_GAMES = 0.5, 1001
"""The level of boards near a level, and the number of their games."""


def level(rng: np.random.Generator, n_boards: int) -> Iterator[Line]:
    """Whether P(best) is right for 2 to 6 entries near the level of a percentile, in any order and on a frontier.

    P(win) is uniform within the distance from the level; on a frontier it rises with the budget.
    """
    rows = []
    for distance in (0.03, 0.01, 0.003):
        for kind in ("any order", "frontier"):
            of_kind = []
            for k in (2, 3, 4, 5, 6):
                of_kind += [_level_board(rng, k, distance, kind == "frontier") for _ in range(n_boards // 30)]
            yield f"{distance:.1%}", kind, *_level_line(of_kind)
            rows += of_kind
    yield "all", "both", *_level_line(rows)
    said, was = np.array([row for row in rows if row[0] == row[0]]).T
    bins, errors = np.minimum((10 * said).astype(int), 9), []
    for number in np.unique(bins):
        own = bins == number
        z = (was[own].mean() - said[own].mean()) / np.sqrt(np.mean(said[own] * (1 - said[own])) / own.sum())
        errors.append(abs(said[own].mean() - was[own].mean()) * own.mean())
        yield (
            f"{number / 10:.1f}-{(number + 1) / 10:.1f}",
            int(own.sum()),
            f"{said[own].mean():.3f}",
            f"{was[own].mean():.3f}",
            f"z {z:+.1f}",
        )
    yield "mean calibration error", f"{sum(errors):.3f}"


def _level_line(rows: list[tuple[float, bool]]) -> Line:
    said, was = np.array([row for row in rows if row[0] == row[0]]).T
    is_likely = said >= 0.9
    return (f"shown on {share(len(said), len(rows))}", f"said {said.mean():.3f}, was {was.mean():.3f}",
            f"likely {is_likely.sum()}: {was[is_likely].mean() if is_likely.any() else 0:.3f}")  # fmt: skip


def _level_board(rng: np.random.Generator, k: int, distance: float, is_frontier: bool) -> tuple[float, bool]:
    """Return the leader's P(best), NaN if none is shown, and whether it is the best."""
    pool, true = pools()[1], LEVEL_SHARE + rng.uniform(-distance, distance, k)
    true = np.sort(true) if is_frontier else true
    entries = []
    for number, p in enumerate(true):
        games = _with_budget(pool.draw(rng, LEVEL_GAMES), 30 + 0.1 * number)
        shifted = replace(games.luck, answer=games.luck.answer + p - pool.p_win)
        entries.append(LuckCorrected(games.games, shifted))
    chances = chances_of_being_best(-probable_quantiles(entries, LEVEL_SHARE, rng))
    leader, able = int(chances.argmax()), np.flatnonzero(true >= LEVEL_SHARE)
    said = float(chances[leader]) if shows_distance(entries, LEVEL_SHARE) else np.nan
    return said, bool(len(able) and able[0] == leader)


@dataclass(frozen=True)
class Shape:
    """A kind of board: its pools, and the probability that each entry loses a game at random."""

    pools: tuple[Pool, ...]
    losses: tuple[float, ...]


def shapes() -> dict[str, Shape]:
    """Return the kinds of boards, with 3, 13 and 30 entries."""
    official, adaptive = pools(), pools("bundled")[:3]
    both = (*official, *adaptive)
    near = tuple(0.002 * step for step in range(13))
    return {
        "3 official": Shape(official[:3], (0.0,) * 3),
        "13 near ties": Shape((official[0],) * 13, near),
        "13 rare losses": Shape((official[3],) * 13, (0.0, 0.001, 0.001, 0.002, 0.002, 0.005, *(0.0,) * 7)),
        "13 equal": Shape((official[0],) * 13, (0.0,) * 13),
        "13, fixed and adaptive": Shape((*both, *official[:4]), (0.0,) * 9 + (0.01,) * 4),
        "13 equal adaptive": Shape((adaptive[1],) * 13, (0.0,) * 13),
        "30, six kinds": Shape(official * 5, tuple(0.004 * (number // 6) for number in range(30))),
        "30 equal": Shape((official[1],) * 30, (0.0,) * 30),
    }


def truths(shape: Shape) -> dict[str, np.ndarray]:
    """Return the true worth of each entry in each score, where higher is better."""
    pairs = list(zip(shape.pools, shape.losses, strict=True))
    found = {
        "p_win": np.array([pool.p_win * (1 - loss) for pool, loss in pairs]),
        "mean_cost": -np.array([LOSS_COST - (LOSS_COST - pool.cost()) * (1 - loss) for pool, loss in pairs]),
    }
    for q in (0.05, 0.5, 0.95):
        found[f"p{round(100 * q):02}"] = -np.array([pool.quantile(q, loss) for pool, loss in pairs])
    return found


def p_values(name: str, entries: list[LuckCorrected]) -> np.ndarray:
    """Return the p-values of all pairs in a score; those that no procedure rejects may be 1."""
    if name == "p_win":
        return _better_means(np.array([entry.win for entry in entries]), 1.0)
    if name == "mean_cost":
        return _better_means(-np.array([entry.cost(LOSS_COST) for entry in entries]), LOSS_COST)
    return lower_quantiles(entries, int(name[1:]) / 100)


def _better_means(values: np.ndarray, span: float) -> np.ndarray:
    """Return what `better_means` returns, without the pairs whose difference is below 1.2 standard errors."""
    covariance = np.cov(values) / values.shape[1]
    squares = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    errors = np.sqrt(np.maximum(squares, 0))  # those of the diagonal are 0 but for rounding
    means, p = values.mean(axis=1), np.ones(covariance.shape)
    for i, j in np.argwhere(means[:, None] - means > 1.2 * errors):
        p[i, j] = better_means(values[[i, j]], span)[0, 1]
    return p


def ranks(rng: np.random.Generator, n_boards: int, kinds: tuple[str, ...] = ()) -> Iterator[Line]:
    """On how many boards all rank intervals are right, and how many pairs are told apart."""
    n_games = 1001
    for kind, shape in shapes().items():
        if kinds and kind not in kinds:
            continue
        truth = truths(shape)
        right, apart = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0)
        for _ in range(n_boards):
            numbers = rng.integers(0, 20_000, n_games)  # the games are common to all entries of a pool
            entries = [
                pool.draw(rng, n_games, loss, numbers % len(pool.won) if number % 2 else None)
                for number, (pool, loss) in enumerate(zip(shape.pools, shape.losses, strict=True))
            ]
            for name, worth in truth.items():
                better = holm_step_down(p_values(name, entries), LEVEL)
                false = better & ~(worth[:, None] > worth[None])
                right[name] += not false.any()
                apart[name] += int(better.sum())
        for name in truth:
            yield kind, n_games, name, share(right[name], n_boards), f"{apart[name] / n_boards:.1f}"


def false_claims(rng: np.random.Generator, n_boards: int) -> Iterator[Line]:
    """How often an entry with rare losses is called cheaper than one that never loses and truly costs no more."""
    settings = [(1001, 0.001), (150, 0.01), (1001, 0.002), (5000, 0.0004), (20_000, 0.0001)]
    for n, chance, rival in [(1001, 0.001, 69.501), *((n, chance, 69.5 + chance * 30.5) for n, chance in settings)]:
        n_false = 0
        for _ in range(10 * n_boards):
            lost = rng.binomial(n, chance)
            values = np.repeat([rival - LOSS_COST, rival - 69.5], [lost, n - lost])
            n_false += p_value(values, 0.0, -LOSS_COST) < LEVEL / 2
        yield n, chance, rival, share(n_false, 10 * n_boards)


SPREADS = ((0.01, 1), (0.05, 1), (0.2, 2))
"""The spreads of P(win) on boards for P(best), and the number of the pool from whose games the entries lose some."""
N_RIVALS = 10


def best(rng: np.random.Generator, n_boards: int) -> Iterator[Line]:
    """Whether P(best) is calibrated: the leader's, and all entries' together, for P(win) and a percentile.

    The true P(win) of the entries of a board are normal or have heavy tails (Student, 3 degrees of freedom).
    """
    shapes = {"normal": lambda: rng.normal(size=N_RIVALS), "heavy tails": lambda: rng.standard_t(3, N_RIVALS) / 3**0.5}
    for shape, strengths in shapes.items():
        pooled: dict[str, list[tuple[float, float, float, float]]] = {}
        for spread, number in SPREADS:
            found = [_best_of_board(rng, pools()[number], spread, strengths()) for _ in range(n_boards)]
            for name in found[0]:
                rows = [board[name] for board in found]
                pooled.setdefault(name, []).extend(rows)
                yield shape, f"{spread:.0%}", name, *_summary(rows)
        for name, rows in pooled.items():
            yield shape, "all", name, *_summary(rows)


def _best_of_board(
    rng: np.random.Generator, pool: Pool, spread: float, strengths: np.ndarray
) -> dict[str, tuple[float, float, float, float]]:
    """Return the calibration of each score on a board with these strengths, in standard deviations."""
    n, mean = 1001, min(pool.p_win - 3 * spread, 0.5)
    true = np.clip(mean + spread * strengths, 0.005, pool.p_win)
    losses = 1 - true / pool.p_win
    entries = [pool.draw(rng, n, loss) for loss in losses]
    wins = np.array([entry.win for entry in entries])
    counted = (rng.random(wins.shape) < true[:, None]).astype(float)
    found = {}
    for name, values in (("p_win", wins), ("counted", counted)):
        drawn = probable_scores(values.mean(axis=1), covariance_of_means(values), rng)
        found[name] = _calibration(chances_of_being_best(drawn), true == true.max(), values.mean(axis=1).argmax())
    budgets = np.sort(rng.uniform(30, 45, len(true)))
    entries = [_with_budget(entry, budget) for entry, budget in zip(entries, budgets, strict=True)]
    q = float(np.clip(mean + rng.uniform(-3, 3) * spread, 0.02, 0.98))  # the mean and q are not related
    quantiles = np.where(true >= q, budgets, np.inf)
    chances = chances_of_being_best(-probable_quantiles(entries, q, rng))
    is_best = np.isfinite(quantiles) & (quantiles == quantiles.min())
    found["percentile"] = _calibration(chances, is_best, int(chances.argmax()))
    return found


def _summary(rows: list[tuple[float, float, float, float]]) -> tuple[str, str]:
    said, was, difference, expected = np.array(rows).T
    z = difference.sum() / np.sqrt(expected.sum())
    error = was.std() / np.sqrt(len(was))
    return f"said {said.mean():.3f}, was {was.mean():.3f} ± {error:.3f}", f"joint z {z:+.2f}, p {2 * ndtr(-abs(z)):.2f}"


def _with_budget(entry: LuckCorrected, budget: float) -> LuckCorrected:
    scale = budget / entry.luck.spent[0]
    luck = replace(entry.luck, spent=np.full_like(entry.luck.spent, budget), paid=entry.luck.paid * scale)
    return LuckCorrected(entry.games, luck)


def _calibration(chances: np.ndarray, is_best: np.ndarray, leader: int) -> tuple[float, float, float, float]:
    """Return the leader's P(best), whether it is the best, and the difference of Brier scores with its variance.

    If the chances are right, the Brier score has the mean sum p (1 - p), and one outcome of the board decides about it.
    """
    outcomes = is_best / max(1, is_best.sum())
    scores = ((chances[None] - np.eye(len(chances))) ** 2).sum(axis=1)  # if entry i is the best
    scores = np.append(scores, (chances**2).sum())
    weights = np.append(chances, max(0.0, 1 - chances.sum()))
    mean = float(weights @ scores)
    own = float((outcomes * scores[:-1]).sum()) if is_best.any() else float(scores[-1])
    return float(chances[leader]), float(outcomes[leader]), own - mean, float(weights @ (scores - mean) ** 2)


OPENERS, EPSILON = ("trace", "lions", "pudgy"), 12.2
"""The guesses of those who answer in different ways, and the epsilon of each."""


def answerers(rng: np.random.Generator, n_boards: int) -> Iterator[Line]:
    """What entries are credited that do not answer the likeliest word, in standard errors from the games they win."""
    for kind in ("likeliest", "second best", "another prior", "memory", "own randomness", "at random"):
        luck, won = _play_answerer(rng, kind, 2 * n_boards)
        values = LuckCorrected(np.arange(len(won)), luck).win
        gaps = values - won
        z = gaps.mean() / gaps.std(ddof=1) * np.sqrt(len(won))
        yield kind, len(won), f"{won.mean():.4f}", f"{luck.answer.mean():.4f}", f"{values.mean():.4f}", f"{z:+.2f}"


def _play_answerer(rng: np.random.Generator, kind: str, n: int) -> tuple[ClueLuck, np.ndarray]:
    """Return the luck of games with three guesses and a way of answering, and which were won."""
    lists, played, won = words.load(), [], []
    prior = rng.gamma(0.5, size=len(lists.answers))  # of the entry that believes in some words more than in others
    seen = np.zeros(len(lists.answers))
    for secret in rng.choice(lists.answers, n).tolist():
        posterior, moves = Posterior.uniform(lists, "anywhere"), []
        for opener in OPENERS:
            guess = str(rng.choice(lists.guesses)) if kind in ("own randomness", "at random") else opener
            draws = [int(draw) for draw in rng.integers(0, 1 << 32, 5)]
            moves.append((guess, EPSILON, noisy(anywhere(guess, secret), EPSILON, draws)))
            posterior.update(*moves[-1])
        chances = posterior.probabilities
        seen += chances  # words that seem to have been secrets before
        weights = {"another prior": chances * prior, "memory": chances / seen}.get(kind, chances)
        order = rng.permutation(len(weights)) if kind == "at random" else np.argsort(weights)
        number = int(order[-2 if kind == "second best" else -1])
        played.append([*moves, (lists.answers[number], 0, "")])
        won.append(lists.answers[number] == secret)
    return LuckMeter(lists, "anywhere").measure(played), np.array(won)


PARTS: dict[str, Callable[[np.random.Generator, int], Iterator[Line]]] = {
    "coverage": coverage,
    "claims": false_claims,
    "best": best,
    "answerers": answerers,
    "ranks": ranks,
    "lucky": lucky,
    "corner": corner,
    "level": level,
}


@click.command()
@click.option("--part", type=click.Choice(list(PARTS)), multiple=True, help="Parts to measure; all by default.")
@click.option("--kind", "kinds", multiple=True, help="Kinds of boards of the part ranks; all by default.")
@click.option("--boards", "n_boards", default=2000, show_default=True, help="Boards for each line.")
@click.option("--seed", default=1, show_default=True)
def main(part: tuple[str, ...], kinds: tuple[str, ...], n_boards: int, seed: int) -> None:
    """Print the tables, and append them to estimates.csv."""
    parts = PARTS | {"ranks": partial(ranks, kinds=kinds)}
    for name in part or PARTS:
        click.echo(f"\n{name}: {PARTS[name].__doc__}")
        for line in parts[name](np.random.default_rng(seed), n_boards):
            click.echo("| " + " | ".join(map(str, line)) + " |")
            with CSV.open("a", newline="", encoding="utf-8") as file:
                csv.writer(file).writerow([f"{datetime.now(UTC):%Y-%m-%d}", n_boards, name, *line])


if __name__ == "__main__":
    main()
