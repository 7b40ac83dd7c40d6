"""`wordpl match`: decide which of two entries is better, with a sequential test."""

from collections.abc import Callable
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
    from wordpl.workbench.match import Match, MatchResult

GOALS = ("won", "cost", "guesses")
MAX_GAMES = 20_000


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("new", required=False, type=ENTRY)
@click.argument("old", required=False, type=ENTRY)
@click.option("--goal", type=click.Choice(GOALS), help="Measure to compare: games won, mean cost (a lost game costs "
              "--loss-cost), or mean number of guesses. [default: cost; guesses for classic games]")  # fmt: skip
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="With --goal won: count only games won within "
              "this budget, or within this number of guesses.")  # fmt: skip
@click.option("--margin", default=0.0, type=click.FloatRange(0), help="Stop with the verdict `equal` if the difference "
              "is smaller than this, in percentage points, budget or guesses.")  # fmt: skip
@click.option("--games", "max_games", default=MAX_GAMES, type=click.IntRange(1),
              help="Stop with the verdict `open` after this number of games.")  # fmt: skip
@click.option("--exact/--no-exact", default=True, help="Compute the exact result from all clues if that needs fewer "
              "games.")  # fmt: skip
@_run_options.options(
    "game_id", "seed", "answers", "guesses", "loss_cost", "results", "player", *_run_options.LIMIT_FIELDS
)
@_run_options.jobs_option
@click.option("--resume", metavar="RUN", type=RUN, help="Resume a match that was stopped.")
@json_option
@log_option
def command(
    new: str | None,
    old: str | None,
    config: RunConfig,
    goal: str | None,
    budget: float | None,
    margin: float,
    max_games: int,
    exact: bool,
    jobs: int | None,
    resume: Path | None,
    as_json: bool,
) -> None:
    """Play NEW and OLD until it is clear which one is better.

    Both play the same games. NEW and OLD are files, classes with arguments, or files at a git revision. By default, OLD
    is the last committed version of NEW.

    \b
    wordpl match my_bot.py                  the file against its last commit
    wordpl match my_bot.py my_bot.py@HEAD~3
    wordpl match my_bot.py "NGuess(epsilon=14.5)" --goal won --budget 43.5
    wordpl match "MyBot(epsilon=8)" "MyBot(epsilon=9)" --margin 0.5

    You may look at the result and stop at any time: if both entries are equally good, at most 5 % of all matches call
    one of them better, however long they last. The games are kept as a run in results/.

    Exit code 1: NEW is worse.
    """
    from wordpl.workbench.match import Match, MatchTerms

    if resume:
        match = Match.resume(resume, jobs=jobs, level=config.level, trusted=config.is_trusted)
    elif new is None:
        raise click.UsageError("name an entry, for example: wordpl match my_bot.py")
    else:
        terms = MatchTerms(goal=goal or "", budget=budget, margin=margin, max_games=max_games, exact=exact)
        match = Match.new(new, old or last_commit(new), config, terms, jobs=jobs)
    result = play(match)
    show(match, result, as_json)
    click.get_current_context().exit(1 if result.verdict == "worse" else 0)


def last_commit(text: str) -> str:
    """Return the name of the last committed version of an entry."""
    file, colon, make = text.partition(":")
    if "(" in file or "@" in file:
        raise click.UsageError(f"name the other entry too, for example: wordpl match {text!r} OTHER")
    return f"{file}@HEAD{colon}{make}"


def play(match: "Match") -> "MatchResult":
    """Play the match with a status line; Ctrl-C shows how to resume it and exits with code 130."""
    from wordpl.cli._status_line import resumable
    from wordpl.core import paths
    from wordpl.workbench.match import MatchObserver
    from wordpl.workbench.match.result import live_line

    class Watch(MatchObserver):
        def progress(self, result: "MatchResult") -> None:
            line.show(live_line(result))

        def enumerating(self, n_clues: int) -> Callable[[], object]:
            n_tried = [0]

            def step() -> None:
                n_tried[0] += 1
                line.show(f"trying all clues: {n_tried[0]} of {2 * n_clues} first clues", now=n_tried[0] == 1)

            return step

    folder = paths.relative_to_cwd(match.folder)
    say(f"{folder}: seed {match.run.info.seed}", err=True)
    with resumable(f"wordpl match --resume {folder}") as line:
        return match.play(Watch())


def show(match: "Match", result: "MatchResult", as_json: bool) -> None:
    """Print the result as a table with sentences, or as JSON."""
    from wordpl.core import paths

    if as_json:
        facts = {"folder": paths.relative_to_cwd(match.folder), "seed": match.run.info.seed}
        print_json("match", result.to_json() | facts)
        return
    from rich.console import Console

    from wordpl.reports.terminal import show_table
    from wordpl.workbench.match.result import sentences, table

    show_table(table(result), Console())
    for sentence in sentences(result):
        say(sentence)
    say(f"To see where the new entry loses: wordpl analyse {paths.relative_to_cwd(match.folder)} new")
