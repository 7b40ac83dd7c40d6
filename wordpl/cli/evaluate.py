"""`wordpl evaluate`: play entries on the same games, and rank them with confidence intervals."""

import os
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from threading import Thread
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordpl import games
from wordpl.cli import _arguments, _command
from wordpl.cli._arguments import ENTRY, RUN
from wordpl.cli._output import LINE, print_json, say, working
from wordpl.core import paths
from wordpl.core.messages import UserError, amount, sanitize_untrusted_text
from wordpl.run.config import RunConfig

if TYPE_CHECKING:
    from wordpl.contest import Contest
    from wordpl.run.folder import Run

Command = TypeVar("Command", bound=Callable[..., Any])
ENGINES = "wordpl.apps"
"""The package of apps. One with a module `engine` plays runs elsewhere, and adds its option to this command."""
ALLOWED_WITH_RESUME = {
    *("resume", "jobs", "against", "beacon", "full", "legend", "with_page", "log_level"),
    *("as_json", "quiet", "separator", "level", "player", "max_games"),
}
ALLOWED_WITH_PART = {*("entries", "part", "prepare"), *ALLOWED_WITH_RESUME} - {"resume"}
ALLOWED_WITH_ADD = {
    *("base", "entries", "jobs", "results", "level", "against", "full", "legend", "with_page", "only_list"),
    *("as_json", "quiet", "separator", "log_level", "max_games"),
}
ALLOWED_WITH_RUN = {"replayed", "number", "entries", "level", "only_list", "log_level", "max_games"}
REFUSED_WITH_OFFICIAL = {
    "seed": "--seed: the seed is drawn at random, so that nobody can choose it",
    "resume": "--resume: it always starts a new run",
    "number": "--number: it always starts a new run",
    "player": "--trust: a trusted entry could read the secrets",
}
"""Options that cannot be combined with --official, by parameter name, with the reason."""
OPTION_GROUPS = {
    "Games": ("n_games", "game_id", "seed", "repeats", "fresh", "answers", "guesses"),
    "Entries": ("against", "without", "no_bundled", "only_list"),
    "Earlier runs": ("resume", "number", "replayed", "base", "max_games"),
    "Limits of entries": ("timeout_s", "total_s", "warmup_s", "memory_mb", "limits", "level", "player"),
    "Official runs": ("official", "beacon_from", "beacon"),
    "Boards and files": (
        "score", "loss_cost", "full", "legend", "with_page", "results", "separator", "as_json", "quiet"
    ),
    "Machines": ("jobs", "part", "prepare"),
}  # fmt: skip
LINE_CHARACTERS = 2000
MAX_OUTPUT_BYTES = 200_000
MAX_JOIN_S = 2.0


def check_official(command: Command) -> Command:
    """Return the command with a check of the options of official runs, before these make a `RunConfig`."""

    @wraps(command)
    def with_check(*, official: bool, beacon_from: str | None, beacon: str | None, **chosen: Any) -> Any:
        for option, reason in REFUSED_WITH_OFFICIAL.items():
            if official and chosen[option] not in (None, False):
                raise UserError(f"--official cannot be combined with {reason}.")
        problem = ""
        if beacon_from is not None and not (official and beacon_from.strip()):
            problem = "--beacon-from needs --official, and a description of one future public text."
        if beacon is not None and not ((chosen["resume"] or chosen["part"]) and beacon.strip()):
            problem = "--beacon needs --resume or --part, and the text that the run waits for."
        if problem:
            from wordpl.contest.official import HOW_TO_USE_A_BEACON  # slow to import, and --help does not need it

            raise UserError(f"{problem}\n{HOW_TO_USE_A_BEACON}")
        return command(official=official, beacon_from=beacon_from, beacon=beacon, **chosen)

    return with_check  # type: ignore[return-value]  # the parameters of a command are given by click


@cache
def engines() -> dict[str, ModuleType]:
    """Return the modules that play runs elsewhere, by the names of their options; they are found, not listed."""
    apps = find_spec(ENGINES)
    places = [Path(place) for place in (apps.submodule_search_locations or ())] if apps else []
    names = sorted(file.parent.name for place in places for file in place.glob("*/engine.py"))
    return {name: import_module(f"{ENGINES}.{name}.engine") for name in names}


def engine_options(command: Command) -> Command:
    """Add an option for each engine to a command."""
    for name, engine in engines().items():
        command = click.option(f"--{name}", metavar=engine.METAVAR, help=engine.HELP)(command)
    return command


@click.command(
    cls=_command.GroupedCommand,
    option_groups={**OPTION_GROUPS, "Machines": (*OPTION_GROUPS["Machines"], *engines()), **_arguments.hosted_groups()},
    context_settings={"show_default": True, "max_content_width": 110},
)
@click.argument("entries", nargs=-1, type=ENTRY)
@check_official
@_arguments.run_options(
    "n_games", "every_answer", "game_id", "repeats", "fresh", "seed", "answers", "guesses", "loss_cost", "score",
    "results", "player", *_arguments.LIMIT_FIELDS, "total_s", "official", "beacon_from",
)  # fmt: skip
@click.option("--beacon", metavar="TEXT", help="With --resume: the public text that the official run waits for.")
@_arguments.jobs_option
@click.option(
    "--part", metavar="I/N", help="Play part I of N of a prepared RUN, given in place of ENTRIES; see `wordpl join`."
)
@click.option("--prepare", is_flag=True, help="Create the run, or its part, and play nothing.")
@engine_options
@_arguments.hosted_options
@click.option("--against", metavar="ENTRY", type=ENTRY, help="Compare every other entry with this entry, game by game.")
@click.option(
    "--without", metavar="NAME", multiple=True, help="Leave out this file of strategies/. Repeatable, without ENTRIES."
)
@click.option("--no-bundled", is_flag=True, help="Play your own ./strategies only, without ENTRIES.")
@click.option("--full", is_flag=True, help="Show all numbers: intervals, times, faults, comparisons of entries.")
@click.option("--legend", is_flag=True, help="Explain all columns and marks; otherwise only your first board does.")
@click.option("--report/--no-report", "with_page", default=True, help="Write report.html into the run's folder.")
@click.option(
    "--number",
    metavar="N",
    type=click.IntRange(0),
    help="Only replay the game of this number: show each move, and the output of the entries.",
)
@click.option(
    "--run",
    "replayed",
    metavar="RUN",
    type=RUN,
    help="With --number: a game of RUN, with its settings and the files that it stores.",
)
@click.option(
    "--add",
    "base",
    metavar="RUN",
    type=RUN,
    help="Play the games of RUN, whose seed is known, with ENTRIES, for comparison only.",
)
@click.option("--resume", metavar="RUN", type=RUN, help="Play the remaining games of RUN.")
@_command.max_games_option
@click.option("--list", "only_list", is_flag=True, help="List the entries and exit.")
@_command.json_option
@_command.quiet_option
@_command.csv_separator_option
@_command.log_option
@_command.version_option
def command(
    entries: tuple[str, ...],
    config: RunConfig,
    jobs: int | None,
    prepare: bool,
    against: str | None,
    only_list: bool,
    beacon: str | None,
    full: bool,
    legend: bool,
    with_page: bool,
    as_json: bool,
    quiet: bool,
    separator: str,
    **chosen: Any,
) -> None:
    """Play ENTRIES on the same games and report percentiles.

    All percentiles and comparisons come with confidence intervals.

    \b
    wordpl evaluate                            all strategies in strategies/
    wordpl evaluate my_bot                     a file of strategies/
    wordpl evaluate bots/my_bot.py             a path
    wordpl evaluate bots/                      all entries of a folder
    wordpl evaluate "NGuess(epsilon=7.8)"      a class with its arguments
    wordpl evaluate bots/my_bot.py:"MyBot(5)"  a class of another file
    wordpl evaluate --add results/RUN my_bot   a newcomer on the games of a finished run
    wordpl evaluate results/RUN --part 3/40    a part of a run that --prepare has made
    """
    contest = chosen_contest(entries, config, jobs, against=against or "", beacon=beacon, **chosen)
    if only_list:
        return list_entries(contest)
    if chosen["number"] is not None:
        return show_game(contest, chosen["number"])
    find_entries(contest)
    from wordpl.cli._run_progress import ProgressBars, play_run  # slow to import, as is the report

    if prepare:
        return say_prepared(contest.open(ProgressBars()))
    elsewhere = {name: engine for name, engine in engines().items() if chosen[name]}
    if len(elsewhere) > 1:
        raise UserError(f"choose one of {', '.join(f'--{name}' for name in elsewhere)}.")
    if elsewhere:
        ((name, engine),) = elsewhere.items()
        options = f" --{name} {quote(chosen[name])}"
        run = play_run(contest, beacon, quiet=quiet, parts=lambda run: engine.parts(run, chosen[name]), options=options)
    else:
        run = play_run(contest, beacon, quiet=quiet)
    if run.info.finished is None:  # a new official run waits for its beacon
        return None
    if run.info.part is not None:
        return say(
            f"{paths.relative_to_cwd(run.folder)}: part {run.info.part} is played. With all parts, make the run:\n"
            "    wordpl join RUN PARTS..."
        )
    show_run(run, against, full=full, legend=legend, with_page=with_page, as_json=as_json, separator=separator)
    if contest.found.killed:  # which says nothing about the entries of the file
        names = ", ".join(fault.source.file.name for fault in contest.found.killed)
        raise UserError(f"without {names}, which could not be loaded because something killed its process (see above).")
    return None


def say_prepared(run: "Run") -> None:
    """Say how to play a run, or a part of one, that was prepared."""
    from wordpl.contest.run_folder import resume_command

    place = paths.relative_to_cwd(run.folder)
    if run.info.part is not None:
        return say(f"{place}: part {run.info.part} is prepared. To play it, here or on another machine:\n    "
                   f"{resume_command(run)}")  # fmt: skip
    return say(
        f"{place}: prepared. To play a part, such as the third of 40, and to make the run of all parts:\n    "
        f"wordpl evaluate {quote(place)} --part 3/40\n    wordpl join {quote(place)}"
    )


def show_run(
    run: "Run", against: str | None, *, full: bool, legend: bool, with_page: bool, as_json: bool, separator: str
) -> None:
    """Write the tables and the page of a finished run, and show its board."""
    with working("loading pandas and scipy"):
        from wordpl.cli._report import show_report, write_page, write_report
        from wordpl.reports import as_json as json_values

    report = write_report(run, separator)
    if as_json:
        if with_page:
            write_page(report)
        print_json("evaluate", json_values.run(report))
    else:
        show_report(report, against, full=full, legend=legend, with_page=with_page)


def chosen_contest(entries: tuple[str, ...], config: RunConfig, jobs: int | None, **chosen: Any) -> "Contest":
    """Return the contest that the options name: that of an earlier run, or a new one.

    Raises:
        UserError: The options contradict each other, or would change an earlier run.
    """
    from wordpl.contest import Contest  # slow to import, as are other modules below

    max_games, how = chosen["max_games"], {"level": config.level, "max_games": chosen["max_games"]}
    if chosen["replayed"] and chosen["number"] is None:
        raise UserError("--run needs --number N: it names the run of the game.")
    if run := chosen["replayed"]:
        refuse_other_options(run, max_games, "--run", ALLOWED_WITH_RUN)
        return Contest.of(run, entries, **how)
    if run := chosen["base"]:
        refuse_other_options(run, max_games, "--add", ALLOWED_WITH_ADD)
        return Contest.add(run, entries, config.results, jobs=jobs, **how)
    if run := chosen["resume"]:
        refuse_other_options(
            run, max_games, "--resume", ALLOWED_WITH_RESUME | {*engines(), *_arguments.allowed_with_resume()}
        )
        return Contest.resume(run, jobs=jobs, trusted=config.is_trusted, **how)
    if part := chosen["part"]:
        if len(entries) != 1 or not Path(entries[0]).is_dir():
            raise UserError("--part needs one prepared run in place of entries, such as results/RUN --part 3/40.")
        refuse_other_options(Path(entries[0]), max_games, "--part", ALLOWED_WITH_PART)
        return Contest.part(entries[0], part, jobs=jobs, trusted=config.is_trusted, beacon=chosen["beacon"], **how)
    without, jobs = chosen["without"], None if config.is_trusted else jobs
    entries = chosen_entries(entries, without, chosen["no_bundled"])
    return Contest(config, entries, jobs=jobs, against=chosen["against"], without=without)


def find_entries(contest: "Contest") -> None:
    """Load the entries, which takes a while if kernels have to be compiled first."""
    with working("loading the entries"):
        contest.entries  # noqa: B018 - the first access loads them


def chosen_entries(entries: tuple[str, ...], without: tuple[str, ...], no_bundled: bool) -> tuple[str, ...]:
    """Return the entries to play: those that are named, or with --no-bundled the user's own strategies.

    Raises:
        UserError: The options contradict each other, or there are no own strategies.
    """
    from wordpl.players.discovery import strategy_files
    from wordpl.run.bundle import is_shipped

    if without and entries:
        raise UserError("--without leaves out files of strategies/, but entries are named: leave them out there.")
    if not no_bundled:
        return entries
    if entries:
        raise UserError("--no-bundled plays all of ./strategies, but entries are named: name only your own.")
    own = tuple(str(path) for path in strategy_files() if not is_shipped(path))
    if not own:
        raise UserError(
            "--no-bundled plays your own ./strategies, but there are none. `wordpl new NAME` writes one, and `wordpl "
            "evaluate bots/` plays another folder."
        )
    return own


def list_entries(contest: "Contest") -> None:
    """Print each entry with its game and its file."""
    from wordpl.cli._run_progress import show_faults
    from wordpl.run.bundle import find_place

    find_entries(contest)
    show_faults(contest)
    for entry in contest.entries:
        say(f"{entry.name}  {entry.game.id}  {paths.relative_to_cwd(find_place(entry.file))}")


def show_game(contest: "Contest", number: int) -> None:
    """Print one game of each entry move by move; the entries' own output goes to standard error."""
    from wordpl.cli._run_progress import show_faults
    from wordpl.reports.author_texts import replay_lines

    find_entries(contest)
    show_faults(contest)
    for sentence in contest.changed:
        say(sentence, err=True)
    with forward_output() as output:
        games = contest.replay(number, output)
        while True:
            with working("playing the game"):
                game = next(games, None)
            if game is None:
                break
            for line in replay_lines(game):
                say(line)


@contextmanager
def forward_output() -> Iterator[int]:
    """Yield a file descriptor whose output is shown on standard error.

    Only the first MAX_OUTPUT_BYTES bytes are shown, so that an entry cannot flood the terminal.
    """
    read_end, write_end = os.pipe()
    reader = Thread(target=_show_output, args=(read_end,), daemon=True)
    reader.start()
    try:
        yield write_end
    finally:
        os.close(write_end)
        reader.join(MAX_JOIN_S)  # a process that escaped the sandbox may still hold the write end


def _show_output(file: int) -> None:
    n_left = MAX_OUTPUT_BYTES
    with os.fdopen(file, "rb") as output:
        while line := output.readline(LINE_CHARACTERS):
            LINE.erase()
            if n_left > 0:
                click.echo(sanitize_line(line), err=True)
            elif n_left > -len(line):
                click.echo(f"(Output after the first {MAX_OUTPUT_BYTES:,} bytes is not shown.)", err=True)
            n_left -= len(line)


def sanitize_line(line: bytes) -> str:
    """Return the line as a terminal shows it in the end: the text after its last carriage return, sanitized.

    >>> sanitize_line(b" 10%\\r 20%\\x1b[31m \\n")
    ' 20%?[31m'
    """
    text = line.decode(errors="replace").rstrip()
    return sanitize_untrusted_text(text[text.rfind("\r") + 1 :], LINE_CHARACTERS, keep="\t")


def refuse_other_options(folder: Path, max_games: int, chosen: str, allowed: Container[str]) -> None:
    """Raise UserError if an option that chooses a run is combined with one that would change the run.

    Args:
        folder: The folder of the run.
        max_games: The largest number of games that it may have.
        chosen: The option.
        allowed: The parameters that it can be combined with.
    """
    from wordpl.run.folder import Run

    run, context = Run(folder, max_games, may_be_part=True), click.get_current_context()
    for parameter in context.command.params:
        is_given = context.get_parameter_source(parameter.name or "") == click.core.ParameterSource.COMMANDLINE
        if parameter.name == "game_id" and games.own_game(context.params.get("game_id") or ""):
            continue  # names the file of the run's own game
        is_given = is_given and context.params.get(parameter.name or "") != ()  # click 8.2 calls no entries given
        if is_given and parameter.name not in allowed:
            option = parameter.opts[0] if isinstance(parameter, click.Option) else "naming entries"
            raise UserError(
                f"{option} cannot be combined with {chosen}: a run keeps its settings, "
                f"{amount(run.info.config.n_games, 'game')} of "
                f"{amount(len(run.info.entries), 'entry', 'entries')}. Remove the option, or start a new run."
            )
