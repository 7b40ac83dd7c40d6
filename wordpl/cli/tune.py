"""`wordpl tune`: search for good parameters of an entry."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli import _run_options
from wordpl.cli._errors import WordplCommand
from wordpl.cli._options import json_option, log_option
from wordpl.cli._output import print_json, say
from wordpl.cli._values import ENTRY, RUN
from wordpl.run.config import RunConfig

if TYPE_CHECKING:
    from wordpl.workbench.tune import Tuner, TuneResult

GOALS = ("p05", "p50", "p95", "won", "cost", "guesses")


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entry", required=False, type=ENTRY)
@click.option("--param", "parameters", multiple=True, metavar="NAME=VALUES", help="Parameter to vary: a range such "
              "as epsilon=5:20, or choices such as n_guesses=2,3,4. Repeatable.")  # fmt: skip
@click.option("--goal", type=click.Choice(GOALS), help="What to optimize: the smallest budget that wins 5, 50 or 95 % "
              "of all games, the number of games won, the mean cost, or the mean number of guesses. [default: p50; "
              "guesses for classic games]")  # fmt: skip
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="With --goal won: count only games won within "
              "this budget.")  # fmt: skip
@click.option("--time", "cpu_s", default=60.0, type=click.FloatRange(1), metavar="SECONDS", help="CPU time of the "
              "search.")  # fmt: skip
@click.option("--trials", "max_trials", type=click.IntRange(1), help="Maximum number of parameter sets to try. "
              "[default: no limit]")  # fmt: skip
@click.option("--validate", "n_validation", default=2000, type=click.IntRange(100), metavar="GAMES",
              help="Number of fresh games for the best set and for your own parameters.")  # fmt: skip
@_run_options.options(
    "game_id", "seed", "answers", "guesses", "loss_cost", "results", "player", *_run_options.LIMIT_FIELDS
)
@_run_options.jobs_option
@click.option("--resume", metavar="RUN", type=RUN, help="Resume a search that was stopped.")
@json_option
@log_option
def command(
    entry: str | None,
    config: RunConfig,
    parameters: tuple[str, ...],
    goal: str | None,
    budget: float | None,
    cpu_s: float,
    max_trials: int | None,
    n_validation: int,
    jobs: int | None,
    resume: Path | None,
    as_json: bool,
) -> None:
    """Search for the best parameters of ENTRY.

    ENTRY must be a class with named arguments, such as a dataclass.

    \b
    wordpl tune my_bot.py --param epsilon=5:20 --param certainty=0.05:0.95
    wordpl tune n_guess --param n_guesses=2,3,4 --goal p95 --time 120
    wordpl tune my_classic_bot.py --param depth=1,2,3

    All parameter sets play the same games. Many sets play a few games, and the best of them play more (successive
    halving). For entries that always spend the same budget, the smallest budget that wins the share is found by
    bisection. Finally, the best set and your own parameters play fresh games. All games are kept, so you can stop with
    Ctrl-C and continue with --resume.
    """
    from wordpl.workbench.tune import Tuner, TuneTerms

    if resume:
        tuner = Tuner.resume(resume, jobs=jobs, level=config.level, trusted=config.is_trusted)
    elif entry is None:
        raise click.UsageError("name an entry, for example: wordpl tune my_bot.py --param epsilon=5:20")
    else:
        terms = TuneTerms(
            entry=entry, parameters=list(parameters), goal=goal or "", budget=budget, cpu_s=cpu_s,
            max_trials=max_trials or 10**6, n_validation=n_validation, config=config,
        )  # fmt: skip
        tuner = Tuner.new(terms, jobs=jobs)
    show(tuner, run(tuner), as_json)


def run(tuner: "Tuner") -> "TuneResult":
    """Search with a status line; Ctrl-C shows how to resume the search and exits with code 130."""
    from wordpl.cli._status_line import resumable
    from wordpl.core import paths
    from wordpl.workbench.tune.tuner import TuneProgress, live_line

    folder = paths.relative_to_cwd(tuner.folder)
    say(f"{folder}: {tuner.objective.in_words()}, seed {tuner.terms.seed}", err=True)

    def progress(now: TuneProgress) -> None:
        line.show(live_line(now, tuner))

    with resumable(f"wordpl tune --resume {folder}") as line:
        return tuner.run(progress)


def show(tuner: "Tuner", result: "TuneResult", as_json: bool) -> None:
    """Print the result as a table with sentences, or as JSON."""
    from wordpl.core import paths

    if as_json:
        return print_json("tune", result.to_json() | {"folder": paths.relative_to_cwd(tuner.folder)})
    from rich.console import Console

    from wordpl.reports.terminal import show_table
    from wordpl.workbench.tune.result import sentences, table

    show_table(table(result, tuner.terms.n_validation), Console())
    for sentence in sentences(result):
        say(sentence)
    return None
