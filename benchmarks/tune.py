"""Compare the results of `wordpl tune` with the bundled parameters and with random search in the same CPU time.

Run `python benchmarks/tune.py --state FOLDER`; finished work is saved there, and running it again resumes. Random
search draws parameter sets uniformly from the same ranges, plays N_RANDOM games of each, and takes the best. All
results are evaluated on the same fresh games. `--simulate N` simulates searches from the author's own optimum instead.
"""

import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import click
import msgspec
import numpy as np

from wordpl import RunConfig
from wordpl.core import words
from wordpl.core.intervals import CONFIDENCE, proportion_interval
from wordpl.games import game_class
from wordpl.workbench import tune_search
from wordpl.workbench.arena import Arena
from wordpl.workbench.goals import GameValues, ValueReader, values_from_rows
from wordpl.workbench.tune import Tuner, TuneTerms
from wordpl.workbench.tune_question import Objective, Parameter, ScoreEstimate, win_share
from wordpl.workbench.tune_search import OutOfTimeError, Trials

N_RANDOM = 300
RANGES = {
    "n_guess": ["epsilon=5:30", "n_guesses=2,3,4"],
    "bayesian_random": ["epsilon=5:30", "certainty=0.02:0.99"],
}
GOALS = ("p05", "p50", "p95")


def random_search(tuner: Tuner, folder: Path) -> tuple[str, ScoreEstimate, tuple[float, float], int]:
    """Return what random search finds in the same time: the entry, its score and wins on fresh games, and its sets."""
    lists = words.load(None, None)
    reader = ValueReader(tuner.info, lists)
    rng, best, n_sets = np.random.default_rng(1), (float("inf"), tuner.own), 0
    with Arena(tuner.config_of("search"), jobs=1) as arena:
        trials = Trials(folder / "random.jsonl", arena, tuner.info, reader)
        trials.cpu_limit_s = tuner.terms.cpu_s
        with closing(trials):
            try:
                while True:
                    chosen = {parameter.name: parameter.value(rng.random()) for parameter in tuner.parameters}
                    make = tuner.entry.expression(chosen)
                    games = trials.play(make, chosen, N_RANDOM).games
                    n_sets += 1
                    best = min(best, (tuner.objective.loss(games), make))
            except OutOfTimeError:
                pass
    with Arena(tuner.config_of("validation"), jobs=1) as arena:
        fresh = Trials(folder / "random-validation.jsonl", arena, tuner.info, reader)
        with closing(fresh):
            games = fresh.play(best[1], {}, tuner.terms.n_validation).games
    return best[1], tuner.objective.score(games), win_share(games), n_sets


def measured(file: str, index: int, terms: TuneTerms) -> dict[str, object]:
    """Return the results for an entry and a goal, with the other settings of the search as in `terms`."""
    entry = f"{file}:ENTRIES[{index}]"
    terms = msgspec.structs.replace(terms, entry=entry, parameters=RANGES[file], goal=GOALS[index])
    tuner = Tuner.new(terms, jobs=1)
    result = tuner.run()
    make, score, share, n_sets = random_search(tuner, tuner.folder)
    wins = {"random_win_share": share, "random": make, "random_score": vars(score), "random_sets": n_sets}
    return json.loads(json.dumps(result.to_json() | wins).replace("Infinity", "null"))


def row(file: str, goal: str, result: dict) -> str:
    """Return a line of the table."""

    def in_words(score: dict) -> str:
        value, low, high = ("∞" if score[name] is None else f"{score[name]:.2f}" for name in ("value", "low", "high"))
        return value if low == high else f"{value} ({low} to {high})"

    share, error = result["win_share"]
    wins = f"{100 * share:.2f} ± {100 * error:.2f} %"
    parts = [
        f"`{result['own_entry']}`",
        in_words(result["own_score"]),
        f"`{result['entry']}`",
        in_words(result["score"]),
        wins,
        f"{result['cpu_s']:.0f} s",
        f"`{result['random']}`",
        in_words(result["random_score"]),
    ]
    return f"| {goal} | {' | '.join(parts)} |"


MAX_GAMES = 20_000
"""The number of games of a simulated search."""


def simulated_search(rng: np.random.Generator, goal: str, n_validation: int) -> tuple[bool, bool]:
    """Search for better parameters than the author's, which are optimal.

    Returns:
        Whether another set was found, and whether it was recommended.
    """
    objective = Objective.of(goal, game_class("wordpl/1").facts, None, 100.0)
    parameters = [Parameter("epsilon", low=5.0, high=30.0), Parameter("certainty", low=0.02, high=0.99)]
    own, world, n_played = {"epsilon": 12.0, "certainty": 0.5}, int(rng.integers(1 << 30)), 0

    def games(chosen: Mapping[str, float], n_games: int, phase: int) -> GameValues:
        """Return the first games of a set; they are equally hard for all sets."""
        distances = [parameter.share(chosen[parameter.name]) - parameter.share(own[parameter.name])
                     for parameter in parameters]  # fmt: skip
        loss = 0.3 * float(np.square(distances).sum())
        hardness = np.random.default_rng([world, phase]).normal(0, 1, (2, n_games))
        own_rng = np.random.default_rng([world, phase, hash(tuple(chosen.values())) % (1 << 30)])
        noise = own_rng.normal(0, 1, (2, n_games))
        chances = np.clip(0.55 - loss + 0.15 * hardness[0] + 0.15 * noise[0], 0, 1)
        spent = np.maximum(5, 40 * (1 + loss) + 4 * hardness[1] + 4 * noise[1])
        won = own_rng.random(n_games) < chances
        rows = zip(spent, won, chances, chances, [3] * n_games, [True] * n_games, strict=True)
        return values_from_rows(list(rows), True)

    def loss(chosen: Mapping[str, float], n_games: int) -> float:
        nonlocal n_played
        n_played += n_games
        if n_played > MAX_GAMES:
            raise OutOfTimeError
        return objective.loss(games(chosen, n_games, 0))

    best = tune_search.successive_halving(parameters, own, loss, loss, rng)[0].chosen
    if best == own:
        return False, False
    p_value = objective.p_better(games(best, n_validation, 1), games(own, n_validation, 1))
    return True, p_value < 1 - CONFIDENCE


def simulated_bisection(rng: np.random.Generator, n_validation: int) -> tuple[bool, bool]:
    """Do what `simulated_search` does for entries that always spend the same; the author's set just wins 50%."""
    objective = Objective.of("p50", game_class("wordpl/1").facts, None, 100.0)
    world, own = int(rng.integers(1 << 30)), {"n_guesses": 3, "epsilon": 12.0}

    def games(chosen: Mapping[str, float], n_games: int, phase: int = 0) -> GameValues:
        n_guesses, budget = chosen["n_guesses"], chosen["n_guesses"] * chosen["epsilon"]
        hardness = np.random.default_rng([world, phase]).normal(0, 1, n_games)
        noise = np.random.default_rng([world, phase, int(1e6 * budget)]).normal(0, 1, n_games)
        mean = 0.5 + 0.02 * (budget - 36 - 4 * abs(n_guesses - 3))
        chances = np.clip(mean + 0.12 * hardness + 0.05 * noise, 0, 1)
        won = rng.random(n_games) < chances
        rows = zip([budget] * n_games, won, chances, chances, [n_guesses + 1] * n_games, [True] * n_games, strict=True)
        return values_from_rows(list(rows), True)

    epsilon, others = Parameter("epsilon", low=5.0, high=30.0), [{"n_guesses": n} for n in (2, 3, 4)]
    best = tune_search.bisect_budget(epsilon, others, objective.q or 0.0, games, n_validation)[0]
    chosen = {**best.others, "epsilon": best.value}
    if chosen == own:
        return False, False
    return True, objective.p_better(games(chosen, n_validation, 1), games(own, n_validation, 1)) < 1 - CONFIDENCE


def simulate(n_searches: int) -> None:
    """Print how often a search recommends another set although the author's own is the best."""
    for goal in ("cost", "won", "p50", "p50 by bisection"):
        rng = np.random.default_rng(1)
        searches = (
            simulated_bisection(rng, 2000) if "bisection" in goal else simulated_search(rng, goal, 2000)
            for _ in range(n_searches)
        )
        found, recommended = np.sum(list(searches), axis=0)
        low, high = proportion_interval(int(recommended), n_searches)
        click.echo(
            f"{goal}: another set found in {found} of {n_searches} searches, recommended in {recommended} "
            f"({100 * low:.1f}-{100 * high:.1f}%)"
        )


@click.command()
@click.option("--simulate", "n_searches", default=0, help="Only simulate this many searches that cannot succeed.")
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    default=Path("results"),
    show_default=True,
    help="Folder for finished work.",
)
@click.option("--time", "cpu_s", default=15.0, show_default=True, help="CPU seconds of each search.")
@click.option("--validate", "n_validation", default=1000, show_default=True, help="Fresh games for the evaluation.")
@click.option("--seed", default="benchmark", show_default=True, help="Seed of the games.")
@click.option("--only", multiple=True, help="FILE-GOAL, such as n_guess-p50; may be given again.")
def main(n_searches: int, state: Path, cpu_s: float, n_validation: int, seed: str, only: tuple[str, ...]) -> None:
    """Print a line for each entry and goal."""
    if n_searches:
        simulate(n_searches)
        return
    state.mkdir(parents=True, exist_ok=True)
    terms = TuneTerms(entry="", parameters=[], cpu_s=cpu_s, seed=seed, n_validation=n_validation,
                      config=RunConfig(level="D", results=state))  # fmt: skip
    click.echo("| goal | bundled | its score | found | its score | wins | CPU time | random search | its score |")
    click.echo("|---|---|--:|---|--:|--:|--:|---|--:|")
    for file in RANGES:
        for index, goal in enumerate(GOALS):
            if only and f"{file}-{goal}" not in only:
                continue
            file_of_result = state / f"{file}-{goal}-{seed}.json"
            if not file_of_result.exists():
                file_of_result.write_text(json.dumps(measured(file, index, terms)))
            click.echo(row(file, goal, json.loads(file_of_result.read_text())))


if __name__ == "__main__":
    main()
