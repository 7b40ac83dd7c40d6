"""`wordpl check`: find out whether a strategy is ready for a contest."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click
import msgspec

from wordpl.cli import _arguments, _command
from wordpl.cli._arguments import ENTRY
from wordpl.cli._output import new_console, print_json, say, say_wrapped, working
from wordpl.core.messages import UserError
from wordpl.run.config import RunConfig

if TYPE_CHECKING:
    from wordpl.contest.preflight import CheckResult
    from wordpl.players.sandbox.levels import Level
    from wordpl.reports.elements import Section

MAX_REPEATS = 20
N_CHECK_GAMES = 50
WARMUP_S = 8.0
"""The time that a player has to start; shorter than in a contest, so that an entry that hangs is reported soon."""


@click.command(context_settings={"show_default": True})
@click.argument("files", nargs=-1, required=True, type=ENTRY)
@_arguments.run_options(
    "n_games", "game_id", "seed", *_arguments.LIMIT_FIELDS, n_games=N_CHECK_GAMES, warmup_s=WARMUP_S
)
@_arguments.jobs_option
@_arguments.hosted_options
@click.option("--full", is_flag=True, help="Also show what passed, the facts for a reviewer, and the tables.")
@_arguments.isolated_option
@_command.summary_option("the findings")
@_command.json_option
@_command.quiet_option
@_command.log_option
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

    FILES are strategies such as strategies/my_bot.py, .toml files that name a program, folders, or shared modules. A
    file owns itself alone; whatever needs more is a folder. Each entry plays some games in a sandbox, as in a contest.
    Some games are repeated in fresh processes, and all of them in reverse order. The entry's moves must follow the
    rules, stay within its time and memory limits, and be the same each time.

    Exit code 1: something needs to be fixed. The failures are shown last, each with the command that replays a game.

    Example: wordpl check strategies/my_bot.py
    """
    from wordpl.cli._run_progress import ProgressBars
    from wordpl.contest.preflight import NoEntryError, check
    from wordpl.players.sandbox import probe
    from wordpl.reports import as_json as json_values
    from wordpl.reports import author_texts
    from wordpl.reports.names import in_markdown

    was_chosen, level = bool(config.level), _level(config, isolated)
    with TemporaryDirectory(prefix="wordpl-check-", ignore_cleanup_errors=True) as folder:
        config = msgspec.structs.replace(
            config, repeats=min(MAX_REPEATS, config.n_games), level=level, results=Path(folder)
        )
        try:
            with working("checking"):
                result = check(files, config, None if quiet else ProgressBars(resumable=False), jobs=jobs)
        except NoEntryError as error:
            say(str(error))
            if summary:
                _command.append_summary(summary, f"{in_markdown(str(error))}\n")
            raise click.exceptions.Exit(1) from None
        terms = author_texts.check_terms(result, level)
        if summary:
            _command.append_summary(
                summary, author_texts.check_page(result.checks, result.files, _tables(result), terms)
            )
        if as_json:
            print_json("check", json_values.checks(result, terms))
        else:
            _show_check(result, level, full=full)
            if not level.is_official and not was_chosen:
                say_wrapped(f"Official runs need another machine. {probe.probe()}")
    click.get_current_context().exit(1 if result.n_failed else 0)


def _level(config: RunConfig, isolated: bool) -> "Level":
    """Return the sandbox level of a check.

    Raises:
        UserError: Isolation is required, and this machine or the chosen level has none.
    """
    from wordpl.players.sandbox import probe
    from wordpl.players.sandbox.levels import Level

    level = Level(config.level or (probe.probe().level if isolated else probe.level_since_boot()))
    if isolated and not level.is_official:
        raise UserError(f"level {level} is not isolated enough. {probe.probe()}")
    return level


def _show_check(found: "CheckResult", level: str, *, full: bool = False) -> None:
    """Print the findings, the failures last, each with the command that replays its game.

    Args:
        found: The findings.
        level: The sandbox level.
        full: Also show what passed, the facts for a reviewer and the tables if something failed.
    """
    from wordpl import reports
    from wordpl.reports import author_texts

    failures = [check for check in found.checks if not check.passed]
    if full or not failures:
        _say_lines(author_texts.check_lines([check for check in found.checks if check.passed]))
        say("\nWhat a reviewer sees:")
        for facts in [*map(author_texts.check_facts, found.files), author_texts.check_terms(found, level)]:
            for name, value in facts.items():
                say(f"    {name}: {value}")
        say("")
        reports.show(_tables(found), new_console())
    if not failures:
        return say("All checks passed.")
    rest = "" if full else " (--full shows the others)"
    say(f"{len(failures)} of {len(found.checks)} checks failed{rest}: fix the lines marked FAIL.")
    _say_lines(author_texts.check_lines(failures, full=full))
    return None


def _tables(found: "CheckResult") -> Sequence["Section"]:
    from wordpl import reports
    from wordpl.reports.elements import Detail

    return reports.RunReport(found.records).sections(Detail.BOARD) if found.records else []


def _say_lines(lines: Iterable[str]) -> None:
    """Print the lines; a terminal wraps them, except commands, so that they can be copied."""
    from wordpl.reports.author_texts import TO_REPLAY

    for line in lines:
        if line.lstrip().startswith((TO_REPLAY, "mkdir ", "mv ")):
            say(line)
        else:
            say_wrapped(line)
