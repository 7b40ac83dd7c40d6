"""`wordpl new`, `check`, `dev`, `profile` and `analyse`: what an author does with one strategy."""

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click
import msgspec

from wordpl.apps.workbench.new_strategy import Language, new_strategy
from wordpl.cli import _arguments, _command
from wordpl.cli._arguments import ENTRY, RUN
from wordpl.cli._output import new_console, print_json, say, say_wrapped, show_tables, stoppable, working
from wordpl.core.messages import UserError, amount
from wordpl.run.config import RunConfig

if TYPE_CHECKING:
    from wordpl.contest.preflight import CheckResult
    from wordpl.players.sandbox.levels import Level
    from wordpl.reports.elements import Section


@click.command(context_settings={"show_default": True})
@click.argument("name")
@click.option(
    "--game",
    "game_id",
    metavar="GAME",
    default="wordpl/1",
    callback=_command.bind_game,
    help="Game that the strategy plays; your own as FILE:CLASS.",
)
@click.option(
    "--language",
    default=str(Language.PYTHON),
    type=click.Choice([str(language) for language in Language]),
    help="Programming language.",
)
def new_command(name: str, game_id: str, language: str) -> None:
    """Write a template strategy, NAME.py, to the current folder; a program in a folder NAME.

    The strategy plays as it is. Comments mark the parts that you may want to change.

    \b
    wordpl new my_bot
    wordpl new my_bot --game wordle/1
    wordpl new my_bot --language js
    """
    first, *files = new_strategy(name, game_id, Language(language))
    say(f"Wrote {', '.join(f'{first.name}/{path.name}' for path in files) or first.name}. Next:")
    say(f"    wordpl check {first.name}")
    say(f"    wordpl evaluate {first.name} --games 200")


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
@click.option("--full", is_flag=True, help="Also show what passed, the facts for a reviewer, and the tables.")
@_arguments.isolated_option
@_command.summary_option("the findings")
@_command.json_option
@_command.quiet_option
@_command.log_option
def check_command(
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


N_DEV_GAMES = 200


@click.command(cls=_command.WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entry", type=ENTRY)
@_arguments.run_options("n_games", "game_id", "seed", "answers", "guesses", "loss_cost", "player",
                      *_arguments.LIMIT_FIELDS, n_games=N_DEV_GAMES)  # fmt: skip
@_arguments.goal_option
@click.option("--once", is_flag=True, help="Play the file once and exit, with code 1 if it cannot play.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each version, for editors.")
@_command.log_option
def dev_command(entry: str, config: RunConfig, goal: str, once: bool, as_json: bool) -> None:
    """Watch the file of ENTRY and play it each time it is saved.

    \b
    wordpl dev my_bot.py
    wordpl dev my_bot.py --games 500 --goal won
    wordpl dev "my_bot.py:MyBot(epsilon=8)"

    Each version plays the same games and is compared with the version before. The output lists the games that got worse
    and the command that replays one of them. Errors are shown immediately. Changes of other files in the same folder
    count too. Ctrl-C ends the command.
    """
    from wordpl.apps.workbench.dev import DevSession, watch
    from wordpl.reports.as_json import FORMAT

    def print_line(**event: Any) -> None:
        if as_json:
            click.echo(json.dumps({"format": FORMAT, "kind": "dev", **event}))
            sys.stdout.flush()

    is_wrong = False
    with DevSession(entry, config, n_games=config.n_games, goal=goal or None) as session, stoppable():
        for event in watch(session, lambda n_played: print_line(event="progress", n_games=n_played)):
            values = event.to_json()
            is_wrong = values["event"] == "error"
            print_line(**values)
            if not as_json:
                say("\n".join(event.lines()))
                sys.stdout.flush()
            if once:
                break
            if not as_json:
                say(f"Watching {session.file.name}. Press Ctrl-C to stop.", err=True)
    click.get_current_context().exit(1 if is_wrong else 0)


N_PROFILE_GAMES = 100


@click.command(cls=_command.WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entry", type=ENTRY)
@_arguments.run_options("n_games", "game_id", "seed", "answers", "guesses", "player", *_arguments.LIMIT_FIELDS,
                      n_games=N_PROFILE_GAMES)  # fmt: skip
@click.option(
    "--time",
    "seconds",
    default=10.0,
    metavar="SECONDS",
    type=click.FloatRange(0.1),
    help="Start no further game after this time.",
)
@_command.json_option
@_command.log_option
def profile_command(entry: str, config: RunConfig, seconds: float, as_json: bool) -> None:
    """Show where ENTRY spends its time, by line and by function.

    \b
    wordpl profile my_bot.py
    wordpl profile max_clue_entropy --games 50
    wordpl profile "MyBot(epsilon=8)" --trust

    A sampling profiler records the stack every millisecond. It runs inside the player, in the same sandbox as in a
    contest, and does not need root; with --trust it runs in this process. The time of a call into compiled code counts
    for the line of the call. Start and warm-up, which do not count against an entry's time limit, are shown separately.
    """
    from dataclasses import asdict

    from wordpl.apps.workbench.profile import profile, sentences, tables
    from wordpl.cli._output import LINE

    with LINE:
        measured = profile(
            entry, config, n_games=config.n_games, seconds=seconds,
            progress=lambda n_played: LINE.update(f"{n_played} of {amount(config.n_games, 'game')}"),
        )  # fmt: skip
    if as_json:
        print_json("profile", asdict(measured) | {"entry": measured.entry.name})
        return
    show_tables(tables(measured), spaced=True)
    for sentence in sentences(measured):
        say(sentence)


N_VALUED = 60


@click.command(cls=_command.WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("folder", metavar="RUN", type=RUN)
@click.argument("entry", type=ENTRY)
@click.option("--against", default="", type=ENTRY, metavar="ENTRY", show_default="the best other entry of the run",
              help="Entry to compare with. An entry that is not in the run plays the same games first.")  # fmt: skip
@click.option("--valued", default=N_VALUED, type=click.IntRange(0), metavar="GAMES", help="Number of games whose "
              "guesses are compared with the best guesses; each takes some tenths of a second.")  # fmt: skip
@click.option("--plot", "picture", type=click.Path(path_type=Path), metavar="FILE", help="Also draw the result into "
              "this .png, .svg or .pdf file.")  # fmt: skip
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
@_command.json_option
@_command.max_games_option
@_command.own_game_option
@_command.log_option
def analyse_command(
    folder: Path, entry: str, against: str, valued: int, picture: Path | None, markdown: bool, max_games: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Show where ENTRY loses its games in RUN.

    \b
    wordpl analyse results/RUN my_bot
    wordpl analyse results/RUN "MyBot(epsilon=8)" --against n_guess
    wordpl analyse results/RUN my_bot --plot losses.png
    wordpl analyse results/MATCH-match new

    The tables show losses by secret, by round and by final answer. Each guess is compared with the most informative
    guess at the same epsilon. Each final answer is compared with the posterior given all clues of its game.
    """
    from wordpl.apps.workbench import loss_analysis
    from wordpl.reports.as_json import parts
    from wordpl.reports.renderers import markdown_table

    analysis = loss_analysis.analyse(folder, entry, against=against, n_valued=valued, max_games=max_games)
    tables = loss_analysis.analysis_tables(analysis)
    if as_json:
        facts = {"entry": analysis.entry.name, "n_games": analysis.n_games, "n_lost": analysis.n_lost}
        print_json("analyse", facts | {"tables": parts(tables), "changed": analysis.changed})
    elif markdown:
        say("\n".join(map(markdown_table, tables)))
    else:
        show_tables(tables, spaced=True)
    for sentence in analysis.changed:
        say(sentence, err=True)
    if picture is not None:
        loss_analysis.plot_analysis(analysis, picture)
        say(f"Plot: {picture}", err=True)
