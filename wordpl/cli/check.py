"""`wordpl check`: test a strategy before a contest, on a contestant's machine or in a build of a pull request."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
import msgspec

from wordpl.cli import _run_options
from wordpl.cli._options import json_option, log_option, quiet_option
from wordpl.cli._output import print_json, say, say_wrapped
from wordpl.cli._status_line import working
from wordpl.core.errors import UserError
from wordpl.core.run_config import RunConfig

if TYPE_CHECKING:
    from wordpl.contest.check import CheckResult

MAX_REPEATS = 20
N_GAMES = 50


@click.command(context_settings={"show_default": True})
@click.argument("files", nargs=-1, required=True)
@_run_options.options("n_games", "seed", *_run_options.LIMIT_FIELDS, n_games=N_GAMES)
@_run_options.jobs_option
@click.option("--isolated", is_flag=True, help="Refuse to run if this machine cannot isolate untrusted code.")
@click.option("--summary", type=click.Path(path_type=Path), help="Append the findings to this file, as Markdown.")
@json_option
@quiet_option
@log_option
def command(
    files: tuple[str, ...],
    config: RunConfig,
    jobs: int | None,
    isolated: bool,
    summary: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check that a strategy is ready for a contest.

    FILES are strategies such as strategies/my_bot.py, .toml files that name a program, or files that one of these
    mentions. Each entry plays some games in a sandbox, as in a contest. Some games are repeated in fresh processes, and
    all of them in reverse order. The entry's moves must follow the rules, stay within its time and memory limits, and
    be the same each time.

    Exit code 1: something needs to be fixed.

    Example: wordpl check strategies/my_bot.py
    """
    from wordpl.cli._progress import ProgressBars
    from wordpl.contest.check import check
    from wordpl.players.sandbox import probe
    from wordpl.players.sandbox.levels import Level

    level = Level(config.level or probe.probe().level)
    if isolated and not level.is_official:
        raise UserError(f"level {level} is not isolated enough. {probe.probe()}")
    with TemporaryDirectory(prefix="wordpl-check-", ignore_cleanup_errors=True) as folder:
        config = msgspec.structs.replace(
            config, repeats=min(MAX_REPEATS, config.n_games), level=level, results=Path(folder)
        )
        with working("checking"):
            result = check(files, config, None if quiet else ProgressBars(resumable=False), jobs=jobs)
        if result is None:
            say(f"No entry in strategies/ uses {', '.join(files)}.")
            return
        show(result, level, summary, as_json)
    click.get_current_context().exit(1 if result.n_failed else 0)


def show(found: "CheckResult", level: str, summary: Path | None, as_json: bool) -> None:
    """Print the findings and the facts for a reviewer, and append them to the summary file if there is one."""
    from wordpl import reports
    from wordpl.cli._output import new_console
    from wordpl.core import run_guards
    from wordpl.reports import as_json as json_values
    from wordpl.reports import check_report

    boards = reports.RunReport(found.records).boards if found.records else []
    terms = check_report.terms(found, level)
    if summary:
        with run_guards.explain(summary), summary.open("a") as file:
            file.write(check_report.page(found.checks, found.files, boards, terms))
    if as_json:
        print_json("check", json_values.checks(found, terms))
        return
    for line in check_report.lines(found.checks):
        say_wrapped(line)
    say("\nWhat a reviewer sees:")
    for facts in [*map(check_report.facts, found.files), terms]:
        for name, value in facts.items():
            say(f"    {name}: {value}")
    say("")
    reports.show(boards, new_console())
    n_checks = len(found.checks)
    say(
        f"{found.n_failed} of {n_checks} checks failed: fix the lines marked FAIL."
        if found.n_failed
        else "All checks passed."
    )
