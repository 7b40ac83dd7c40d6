"""Measure by simulation how often `wordpl match` is wrong, and how many games it takes.

Run `python benchmarks/match_errors.py`. Games are not played but drawn: the results of both entries in each game, with
the correlation of entries that meet the same secrets. A match is evaluated after every game, for at most 20,000 games.
For comparison, the fixed number of games is computed for a test with a single evaluation, 5 % error and the power that
the match reached. Such a test is valid only if it has at least ln(40) x range / mean games: fewer cannot exclude that
differences at the other end of the range are rare.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import click
import numpy as np
from scipy.stats import norm

from wordpl.core.intervals import proportion_interval
from wordpl.stats.compare.sequential import mean_interval, mean_test, sequential_pair_test

N_GAMES = 20_000
N_ANSWERS = 2315
POWER = 0.9
Draw = Callable[[np.random.Generator, int], np.ndarray]


@dataclass(frozen=True)
class Case:
    """Two entries.

    Attributes:
        draw: Returns the difference of each game, between -1 and 1.
        mean: The mean difference.
    """

    name: str
    mean: float
    draw: Draw
    population: int | None = None


def wins(only_new: float, only_old: float) -> Draw:
    """Return games that only one entry wins, with these probabilities."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        drawn = rng.random(n)
        return (drawn < only_new).astype(float) - (drawn > 1 - only_old)

    return draw


def chances(mean: float, gap: float, spread: float) -> Draw:
    """Return differences of probabilities of winning: Beta-distributed for the old entry, shifted for the new one."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        old = rng.beta(mean * 4, (1 - mean) * 4, n)
        room = np.minimum(old, 1 - old)
        moved = spread * room * rng.uniform(-1, 1, n) + gap * room / (4 / 5 * mean * (1 - mean)) * 0.5
        return np.clip(moved, -old, 1 - old)

    return draw


def steady(mean: float, spread: float) -> Draw:
    """Return normal differences that vary little."""
    return lambda rng, n: np.clip(rng.normal(mean, spread, n), -1, 1)


def guesses(gap: float) -> Draw:
    """Return differences of guesses, in sixths, for entries that differ in four of ten games."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        steps = rng.choice([-2, -1, 0, 1, 2], n, p=[0.03, 0.17 - gap / 2, 0.6, 0.17 + gap / 2, 0.03])
        return steps / 6

    return draw


def every_answer(n_unlike: int, lead: int) -> Draw:
    """Return all answers in random order; `n_unlike` of them differ by one guess, with a surplus of `lead`."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        values = np.zeros(N_ANSWERS)
        values[: (n_unlike + lead) // 2], values[(n_unlike + lead) // 2 : n_unlike] = 1 / 6, -1 / 6
        return rng.permutation(values)

    return draw


def measured(draw: Draw) -> float:
    """Return the mean difference of a source, from many draws."""
    return float(draw(np.random.default_rng(0), 2_000_000).mean())


def cases() -> tuple[list[Case], list[Case]]:
    """Return the pairs of equal entries and the pairs of different ones."""
    rb = [chances(0.5, gap, 0.6) for gap in (0.0, 0.02)]
    equal = [
        Case("wins counted, 20 % of games differ", 0.0, wins(0.1, 0.1)),
        Case("wins counted, 2 % differ", 0.0, wins(0.01, 0.01)),
        Case("chances (Rao-Blackwell)", 0.0, rb[0]),
        Case("guesses", 0.0, guesses(0.0)),
        Case("guesses, each answer once", 0.0, every_answer(926, 0), N_ANSWERS),
    ]
    differing = [
        Case("wins counted, 11 % and 9 % of games: 2 points", 0.02, wins(0.11, 0.09)),
        Case("wins counted, 21 % and 19 %: 2 points", 0.02, wins(0.21, 0.19)),
        Case("wins counted, 3 % and 1 %: 2 points", 0.02, wins(0.03, 0.01)),
        Case("chances (Rao-Blackwell): 2 points", measured(rb[1]), rb[1]),
        Case("steady: 0.03 ± 0.03", 0.03, steady(0.03, 0.03)),
        Case("steady: 0.003 ± 0.0075", 0.003, steady(0.003, 0.0075)),
        Case("steady: 0.03 ± 0.15", 0.03, steady(0.03, 0.15)),
        Case("guesses: 0.02", 0.02 / 6, guesses(0.02)),
        Case("guesses, each answer once: 0.02", 46 / 6 / N_ANSWERS, every_answer(926, 46), N_ANSWERS),
    ]
    return equal, differing


def share(hits: int, n: int) -> str:
    """Return the share with its exact 95% interval."""
    low, high = proportion_interval(hits, n)
    return f"{100 * hits / n:.1f}% ({100 * low:.1f}-{100 * high:.1f})"


def fixed_games(case: Case, power: float) -> float:
    """Return how many games a paired test with a single evaluation takes, with 5 % error and this power."""
    sample = case.draw(np.random.default_rng(0), 1_000_000)
    z = norm.ppf(0.975) + norm.ppf(power)
    n = z**2 * sample.var() / case.mean**2
    return n if case.population is None else n / (1 + n / case.population)


def show_equal(chosen_cases: list[Case], rng: np.random.Generator, n_runs: int) -> None:
    """Print how often equal entries are declared different."""
    click.echo("| equal entries | new called better | worse | either | interval misses 0 at the end |")
    click.echo("|---|---|---|---|---|")
    for case in chosen_cases:
        verdicts: Counter[str] = Counter()
        for _ in range(n_runs):
            values = case.draw(rng, N_GAMES)
            verdict = mean_test(values, case.population).verdict
            verdicts[verdict] += 1
            low, high = mean_interval(values[: N_ANSWERS // 2] if case.population else values, case.population)
            verdicts["missed"] += not low <= 0 <= high
        either = verdicts["above"] + verdicts["below"]
        columns = [share(hits, n_runs) for hits in (verdicts["above"], verdicts["below"], either, verdicts["missed"])]
        click.echo(f"| {case.name} | {' | '.join(columns)} |")


def show_differing(chosen_cases: list[Case], rng: np.random.Generator, n_runs: int) -> None:
    """Print after how many games different entries are distinguished."""
    click.echo("\n| entries that differ | right | wrong | games, median | 90 % of matches | mean | fixed number | "
               "ln(40) x range / mean | test of deciding.md, median |")  # fmt: skip
    click.echo("|---|---|---|--:|--:|--:|--:|--:|--:|")
    for case in chosen_cases:
        after, games_of_other, verdicts = [], [], Counter[str]()
        for _ in range(n_runs):
            values = case.draw(rng, N_GAMES)
            result = mean_test(values, case.population)
            verdicts[result.verdict] += 1
            after.append(result.after or N_GAMES)
            if set(np.unique(values)) <= {-1.0, 0.0, 1.0}:
                other_result = sequential_pair_test(values > 0, values < 0)
                games_of_other.append(other_result.after or N_GAMES)
        power = min(POWER, verdicts["above"] / n_runs)
        games = [float(np.median(after)), float(np.quantile(after, POWER)), float(np.mean(after)),
                 fixed_games(case, power)]  # fmt: skip
        games.append(np.log(40) * 2 / case.mean)  # differences range from -1 to 1
        cells = [f"{number:,.0f}" if number < N_GAMES else f"over {N_GAMES:,}" for number in games]
        of_others = f"{np.median(games_of_other):,.0f}" if games_of_other else ""
        columns = [share(verdicts["above"], n_runs), share(verdicts["below"], n_runs), *cells, of_others]
        click.echo(f"| {case.name} | {' | '.join(columns)} |")


@click.command()
@click.option("--runs", "n_runs", default=2000, show_default=True, help="Matches per pair of equal entries.")
@click.option(
    "--differing", "n_differing", default=1000, show_default=True, help="Matches per pair of different entries."
)
@click.option("--seed", default=1, show_default=True)
def main(n_runs: int, n_differing: int, seed: int) -> None:
    """Print how often matches end with a wrong verdict, and how many games they take."""
    equal, differing = cases()
    show_equal(equal, np.random.default_rng(seed), n_runs)
    show_differing(differing, np.random.default_rng(seed + 1), n_differing)
    click.echo(f"\n{process_time():.0f} s of CPU time", err=True)


if __name__ == "__main__":
    main()
