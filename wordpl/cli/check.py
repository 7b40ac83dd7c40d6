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
from wordpl.cli._values import ENTRY
from wordpl.core.errors import UserError
from wordpl.run.config import RunConfig

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wordpl.contest.check import CheckResult
    from wordpl.reports.section import Section

MAX_REPEATS = 20
N_GAMES = 50
WARMUP_S = 8.0
"""The time that a player has to start; shorter than in a contest, so that an entry that hangs is reported soon."""


@click.command(context_settings={"show_default": True})
@click.argument("files", nargs=-1, required=True, type=ENTRY)
@_run_options.options("n_games", "game_id", "seed", *_run_options.LIMIT_FIELDS, n_games=N_GAMES, warmup_s=WARMUP_S)
@_run_options.jobs_option
@click.option("--full", is_flag=True, help="Also show what passed, the facts for a reviewer, and the tables.")
@click.option("--isolated", is_flag=True, help="Refuse to run if this machine cannot isolate untrusted code.")
@click.option("--summary", type=click.Path(path_type=Path), help="Append the findings to this file, as Markdown.")
@json_option
@quiet_option
@log_option
def command(
    files: tuple[str, ...],
    config: RunConfig,
    jobs: int | None,
    full: bool,
    isolated: bool,
    summary: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check that a strategy is ready for a contest.

    FILES are strategies such as strategies/my_bot.py, .toml files that name a program, folders, or data files and
    shared modules of these. Each entry plays some games in a sandbox, as in a contest. Some games are repeated in
    fresh processes, and all of them in reverse order. The entry's moves must follow the rules, stay within its time
    and memory limits, and be the same each time.

    Exit code 1: something needs to be fixed. The failures are shown last, each with the command that replays a game.

    Example: wordpl check strategies/my_bot.py
    """
    from wordpl.cli._progress import ProgressBars
    from wordpl.contest.check import check
    from wordpl.players.sandbox import probe
    from wordpl.players.sandbox.levels import Level
    from wordpl.reports.names import in_markdown

    was_chosen = bool(config.level)
    level = Level(config.level or (probe.probe().level if isolated else probe.level_since_boot()))
    if isolated and not level.is_official:
        raise UserError(f"level {level} is not isolated enough. {probe.probe()}")
    with TemporaryDirectory(prefix="wordpl-check-", ignore_cleanup_errors=True) as folder:
        config = msgspec.structs.replace(
            config, repeats=min(MAX_REPEATS, config.n_games), level=level, results=Path(folder)
        )
        with working("checking"):
            result = check(files, config, None if quiet else ProgressBars(resumable=False), jobs=jobs)
        if result is None:
            say(message := f"{', '.join(files)} belongs to no entry.")
            if summary:
                append(summary, f"{in_markdown(message)}\n")
            return
        if summary or as_json:
            write(result, level, summary, as_json)
        if not as_json:
            show(result, level, full=full)
            if not level.is_official and not was_chosen:
                say_wrapped(f"Official runs need another machine. {probe.probe()}")
    click.get_current_context().exit(1 if result.n_failed else 0)


def write(found: "CheckResult", level: str, summary: Path | None, as_json: bool) -> None:
    """Append the findings and the facts for a reviewer to the summary file, or print them as JSON."""
    from wordpl.reports import as_json as json_values
    from wordpl.reports import check_report

    terms = check_report.terms(found, level)
    if summary:
        append(summary, check_report.page(found.checks, found.files, _tables(found), terms))
    if as_json:
        print_json("check", json_values.checks(found, terms))


def append(summary: Path, text: str) -> None:
    """Append text to the summary file."""
    from wordpl.run.folder import explain

    with explain(summary), summary.open("a") as file:
        file.write(text)


def show(found: "CheckResult", level: str, *, full: bool = False) -> None:
    """Print the findings, the failures last, each with the command that replays its game.

    Args:
        found: The findings.
        level: The sandbox level.
        full: Also show what passed, the facts for a reviewer and the tables if something failed.
    """
    from wordpl import reports
    from wordpl.cli._output import new_console
    from wordpl.reports import check_report

    failures = [check for check in found.checks if not check.passed]
    if full or not failures:
        _say_lines(check_report.lines([check for check in found.checks if check.passed]))
        say("\nWhat a reviewer sees:")
        for facts in [*map(check_report.facts, found.files), check_report.terms(found, level)]:
            for name, value in facts.items():
                say(f"    {name}: {value}")
        say("")
        reports.show(_tables(found), new_console())
    if not failures:
        return say("All checks passed.")
    rest = "" if full else " (--full shows the others)"
    say(f"{len(failures)} of {len(found.checks)} checks failed{rest}: fix the lines marked FAIL.")
    _say_lines(check_report.lines(failures, full=full))
    return None


def _tables(found: "CheckResult") -> "Sequence[Section]":
    from wordpl import reports
    from wordpl.reports.section import Level

    return reports.RunReport(found.records).sections(Level.BOARD) if found.records else []


def _say_lines(lines: "Iterable[str]") -> None:
    """Print the lines; a terminal wraps them, except commands, so that they can be copied."""
    from wordpl.reports.check_report import TO_REPLAY

    for line in lines:
        if line.lstrip().startswith(TO_REPLAY):
            say(line)
        else:
            say_wrapped(line)
