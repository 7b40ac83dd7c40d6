"""`wordpl grade`: count the baselines that a strategy is shown to beat, for courses."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli import _run_options, match
from wordpl.cli._errors import WordplCommand
from wordpl.cli._options import json_option, log_option
from wordpl.cli._output import new_console, print_json, say
from wordpl.cli._values import ENTRY
from wordpl.core.errors import UserError
from wordpl.core.messages import amount
from wordpl.run.config import RunConfig

if TYPE_CHECKING:
    from wordpl.workbench.grade import Grade

MAX_GAMES = 5_000
N_VALUED = 20


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entries", nargs=-1, required=True, type=ENTRY)
@click.option("--baseline", "baselines", multiple=True, required=True, type=ENTRY, metavar="ENTRY",
              help="Entry to beat. Repeatable, the weakest first.")  # fmt: skip
@click.option("--need", default=1, type=click.IntRange(0), help="Number of baselines to beat for exit code 0.")
@click.option("--goal", type=click.Choice(match.GOALS), help="Measure to compare: games won, mean cost, or mean number "
              "of guesses. [default: cost; guesses for classic games]")  # fmt: skip
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="With --goal won: count only games won within "
              "this budget, or within this number of guesses.")  # fmt: skip
@click.option("--games", "max_games", default=MAX_GAMES, type=click.IntRange(1),
              help="Largest number of games against each baseline.")  # fmt: skip
@_run_options.options("game_id", "seed", "answers", "guesses", "loss_cost", "results", *_run_options.LIMIT_FIELDS)
@_run_options.jobs_option
@click.option("--isolated", is_flag=True, help="Refuse to run if this machine cannot isolate untrusted code.")
@click.option("--summary", type=click.Path(path_type=Path), help="Append the grade and the feedback to this file, as "
              "Markdown.")  # fmt: skip
@json_option
@log_option
def command(
    entries: tuple[str, ...],
    config: RunConfig,
    baselines: tuple[str, ...],
    need: int,
    goal: str | None,
    budget: float | None,
    max_games: int,
    jobs: int | None,
    isolated: bool,
    summary: Path | None,
    as_json: bool,
) -> None:
    """Count the baselines that each of ENTRIES is shown to beat.

    Each entry plays a match against one baseline after another, until it is not shown to be better. A match ends as
    soon as it is decided (see `wordpl match`); an entry that is as good as the baseline is called better in at most 5 %
    of all matches. The feedback shows where the entry loses games of its last match, as `wordpl analyse` does.

    \b
    wordpl grade strategies/my_bot.py --baseline n_guess --baseline max_clue_entropy

    Exit code 1: an entry beats fewer baselines than --need.
    """
    from wordpl.players.sandbox import probe
    from wordpl.players.sandbox.levels import Level
    from wordpl.workbench.grade import grade
    from wordpl.workbench.match import MatchTerms

    if need > len(baselines):
        given = f"only {amount(len(baselines), 'baseline')} given, of which {need} cannot be beaten."
        raise click.BadParameter(given, param_hint="--need")
    if isolated and not Level(config.level or probe.probe().level).is_official:
        raise UserError(f"this machine cannot isolate untrusted code. {probe.probe()}")
    terms = MatchTerms(goal=goal or "", budget=budget, max_games=max_games)
    grades = [grade(entry, baselines, config, terms, jobs=jobs, play=match.play) for entry in entries]
    for found in grades:
        if not as_json:
            show(found)
        if summary:
            append_summary(summary, found)
    if as_json:
        print_json("grade", {"grades": [found.to_json() for found in grades], "need": need})
    click.get_current_context().exit(0 if all(found.points >= need for found in grades) else 1)


def show(found: "Grade") -> None:
    """Print the grade."""
    from wordpl.core import paths
    from wordpl.reports.terminal import show_table

    show_table(found.table(), new_console())
    if found.problem:
        say(found.problem)
    if found.matches:
        say(f"To see where it loses: wordpl analyse {paths.relative_to_cwd(found.matches[-1][0].folder)} new")


def append_summary(summary: Path, found: "Grade") -> None:
    """Append the grade and the analysis of the last match to a file, as Markdown."""
    from wordpl.reports.markdown import table as as_markdown
    from wordpl.reports.names import in_markdown
    from wordpl.run.folder import explain
    from wordpl.workbench import analysis_output
    from wordpl.workbench.analyse import analyse

    parts = [as_markdown(found.table())]
    if found.problem:
        parts.append(in_markdown(found.problem))
    if found.matches:
        analysis = analyse(found.matches[-1][0].folder, "new", n_valued=N_VALUED)
        parts.append(f"### Where games of the match against {in_markdown(found.matches[-1][1].old)} are lost")
        parts += [as_markdown(part) for part in analysis_output.tables(analysis)]
    with explain(summary), summary.open("a", encoding="utf-8") as file:
        file.write("\n\n".join(parts) + "\n\n")
