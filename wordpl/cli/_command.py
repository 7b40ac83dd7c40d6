"""What all commands share: classes that turn wordpl's own errors into messages with exit code 1, and options."""

import errno
import os
import signal
import sys
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TypeVar

import click

from wordpl.cli._output import COLLECTED, INTERRUPTED, LINE, compilation_shown, loading_shown
from wordpl.core import current_folder, messages
from wordpl.core.messages import REMEDIES, UserError, WordplError, did_you_mean

ABOUT_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
ABOUT_FILES = (
    *ABOUT_OUTPUT,
    *(errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.EEXIST, errno.EACCES, errno.EPERM, errno.EROFS),
)
"""Errors that the user can fix."""
COMMAND_NAME = "wordpl.command"
"""The key of the name of a subcommand in the metadata of a context."""
Command = TypeVar("Command", bound=Callable[..., Any])
Conversation = TypeVar("Conversation", bound=click.Command)


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turn a `WordplError` into a click error, which has no traceback, and Ctrl-C into exit code 130.

    Also an error of the system about a file, such as a folder in its place.
    """
    try:
        yield
    except WordplError as error:
        raise click.ClickException(error.message) from None
    except OSError as error:
        if error.filename is None or error.errno not in ABOUT_FILES:
            raise
        is_disk = error.errno in ABOUT_OUTPUT
        advice = f" {REMEDIES[error.errno]}, then repeat the command: what was there is kept." if is_disk else ""
        raise click.ClickException(f"{error.filename}: {error.strerror}.{advice}") from None
    except KeyboardInterrupt:
        click.echo("\nStopped.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Make SIGTERM and SIGHUP end the program as Ctrl-C does, so that child processes and files are cleaned up.

    The exit code is then 128 plus the number of the signal, as in a shell: 143 or 129. Further signals are ignored: a
    closed terminal can send several, and they must not interrupt the clean-up. After the clean-up of an interrupted
    command SIGINT is ignored too: a signal would end the program without its exit code.
    """
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    received: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> NoReturn:
        received.append(number)
        _ignore(numbers)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    except (KeyboardInterrupt, click.exceptions.Exit, SystemExit) as end:
        codes = (getattr(end, "exit_code", None), getattr(end, "code", None))
        if isinstance(end, KeyboardInterrupt) or INTERRUPTED in codes:
            _ignore([signal.SIGINT, *numbers])
            raise click.exceptions.Exit(128 + received[0] if received else INTERRUPTED) from None
        raise
    finally:
        if signal.getsignal(signal.SIGTERM) is interrupt:
            for number, handler in before.items():
                signal.signal(number, handler)


def _ignore(numbers: Iterable[int]) -> None:
    for number in numbers:
        signal.signal(number, signal.SIG_IGN)


@contextmanager
def exit_on_closed_output() -> Iterator[None]:
    """Exit with code 0 when the reader of the output has closed it, as `| head` does.

    If the output or a file cannot be written for another reason, such as a full disk, say so.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _discard_output()
        raise click.exceptions.Exit(0) from None
    except OSError as error:
        if error.filename is not None or error.errno not in ABOUT_OUTPUT:
            raise
        _discard_output()
        raise click.ClickException(
            f"cannot write the output or a temporary file: {error.strerror}. {REMEDIES[error.errno]}."
        ) from None


def _discard_output() -> None:
    with suppress(OSError, ValueError):  # otherwise Python reports an error when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def open_standard_streams() -> None:
    """Open the null device for each standard stream that is closed, so that no file gets its number."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


@contextmanager
def running() -> Iterator[None]:
    """Handle errors, signals and a closed output, and show compilation and long imports, while a command runs."""
    open_standard_streams()
    with signals_as_interrupts(), errors_as_messages(), compilation_shown(), loading_shown(), exit_on_closed_output():
        yield


@contextmanager
def library_needed(what: str, how: str) -> Iterator[None]:
    """Turn the import of a library that is missing into a message that says what needs it and how to install it."""
    try:
        yield
    except ModuleNotFoundError as error:
        raise UserError(f"{what} needs the library {error.name}: {how}") from None


class WordplCommand(click.Command):
    """A command that handles errors, signals and a closed output, also on its own as in evaluate.py."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, and print the help if they ask for it."""
        open_standard_streams()
        current_folder.forget()
        LINE.drops_remarks = False
        with exit_on_closed_output():
            return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with running():
            try:
                result = super().invoke(ctx)
            except click.exceptions.Exit:
                _end_collection(ctx)
                raise
            else:
                _end_collection(ctx)
                return result
            finally:
                COLLECTED.stop()  # what a command that failed has printed is dropped


def _end_collection(ctx: click.Context) -> None:
    """Print what a command has collected as JSON, whose kind is the command's name as one word."""
    COLLECTED.end(ctx.meta.get(COMMAND_NAME, ctx.info_name or ""))


class GroupedCommand(WordplCommand):
    """A command with many options, whose help lists them by what they are for."""

    def __init__(self, *args: Any, option_groups: Mapping[str, Collection[str]], **attributes: Any):
        """Create the command.

        Args:
            args: Of `click.Command`.
            option_groups: The names of the options' parameters by the heading of their group. Options in none of them
                come last, under "Options".
            attributes: Of `click.Command`.
        """
        super().__init__(*args, **attributes)
        self.option_groups = option_groups

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in their groups."""
        options = [parameter for parameter in self.get_params(ctx) if isinstance(parameter, click.Option)]
        rows = {option.name: option.get_help_record(ctx) for option in options}
        shown = {name: row for name, row in rows.items() if row is not None}
        grouped = {name for names in self.option_groups.values() for name in names}
        rest = [name for name in shown if name not in grouped]
        for title, names in [*self.option_groups.items(), ("Options", rest)]:
            if found := [shown[name] for name in names if name in shown]:
                with formatter.section(title):
                    formatter.write_dl(found)


class SuggestingGroup(click.Group):
    """A group of commands that suggests a name for a misspelled one, or where a command of another group is."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the subcommand's name, the subcommand and its arguments."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            choices = self.list_commands(ctx)
            inside = " or ".join(f"'{group} {name}'" for group in self._groups_with(ctx, name))
            hint = f" Did you mean {inside}?" if inside else did_you_mean(name, choices)
            ctx.fail(f"there is no command {name!r}.{hint} Commands: {', '.join(choices)}.")
        return super().resolve_command(ctx, args)

    def _groups_with(self, ctx: click.Context, name: str) -> Iterator[str]:
        """Yield the names of the groups among the subcommands that have a subcommand of this name."""
        for group_name in self.list_commands(ctx):
            command = self.get_command(ctx, group_name)
            if isinstance(command, click.Group) and name in command.list_commands(ctx):
                yield group_name


class WordplGroup(WordplCommand, SuggestingGroup):
    """The group of all commands."""


A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
A_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)
NEW_FOLDER = click.Path(file_okay=False, path_type=Path)
A_DAY = click.DateTime(["%Y-%m-%d"])
DATABASE = "wordpl-games.sqlite"
SEPARATORS = {";": ";", ",": ",", "tab": "\t"}


def read_separator(context: click.Context, option: click.Parameter, given: str) -> str:
    """Return the separator character that the user chose."""
    if given not in SEPARATORS:
        raise click.BadParameter(f"{given!r} must be one of {' '.join(SEPARATORS)}")
    return SEPARATORS[given]


def read_quiet(context: click.Context, option: click.Parameter, given: bool) -> bool:
    """Return the value of --quiet, and silence the status line if it is set."""
    LINE.is_quiet = given
    return given


def drop_remarks(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Silence the status line and what goes to standard error beside errors, if --quiet is set."""
    if given:
        LINE.is_quiet = LINE.drops_remarks = True


def collect(context: click.Context, option: click.Parameter, given: bool) -> None:
    """Collect what the command prints, if --json is set."""
    if given:
        path = context.command_path.split()
        context.meta[COMMAND_NAME] = "-".join(path[1:] or path)
        COLLECTED.begin()


def bind_game(context: click.Context, option: click.Parameter, given: str | None) -> str | None:
    """Return the id of the game that the user named, or the user's own as FILE:CLASS, which is bound."""
    from wordpl import games  # on first use: start-up time

    try:
        return games.named(given) if given else given
    except UserError as error:
        raise click.BadParameter(error.message, context, option) from None


def start_log(context: click.Context, option: click.Parameter, level: str | None) -> None:
    """Start logging at the given level, if any."""
    if level:
        messages.start_log(level)


version_option = click.version_option(package_name="wordpl", prog_name="wordpl", message="%(prog)s %(version)s")
own_game_option = click.option(
    "--game",
    metavar="FILE:CLASS",
    callback=bind_game,
    expose_value=False,
    help="Your copy of the host's own game; its digest must be that of the run.",
)
contrast_option = click.option(
    "--high-contrast", "contrast", is_flag=True, help="Use orange and blue tiles instead of green and yellow."
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON; `wordpl docs output` describes its fields."
)
quiet_option = click.option(
    "--quiet", is_flag=True, callback=read_quiet, help="Print only results and errors, no progress."
)
csv_separator_option = click.option(
    "--csv-separator",
    "separator",
    default=";",
    show_default=True,
    metavar="SIGN",
    callback=read_separator,
    help="Separator in scores.csv: ; or , or tab.",
)
log_option = click.option(
    "--log-level",
    type=click.Choice(messages.LOG_LEVELS, case_sensitive=False),
    envvar=messages.LOG_VARIABLE,
    expose_value=False,
    is_eager=True,
    callback=start_log,
    help="Log to standard error: info logs each step of a run, debug also all messages from and to players. "
    f"[env var: {messages.LOG_VARIABLE}]",
)


def is_conversation(command: click.Command) -> bool:
    """Return whether people or browsers talk with a command."""
    return getattr(command, "is_conversation", False)


def conversation(command: Conversation) -> Conversation:
    """Mark a command with which people or browsers talk, so that it has no --json; a decorator."""
    command.is_conversation = True  # type: ignore[attr-defined]
    return command


def add_shared_options(command: click.Command) -> None:
    """Add --json, unless it is a conversation, --quiet and --log-level to a command that does not have its own."""
    own = {name for parameter in command.params for name in parameter.opts}
    flags = {
        "--json": (collect, "Print the tables and sentences as JSON; see `wordpl docs output`."),
        "--quiet": (drop_remarks, "Print only results and errors, no progress."),
    }
    for name, (callback, help_text) in flags.items():
        if name not in own and not (name == "--json" and is_conversation(command)):
            option = click.Option([name], is_flag=True, expose_value=False, callback=callback, help=help_text)
            command.params.append(option)
    if "--log-level" not in own:
        log_option(command)


database_option = click.option(
    "--database",
    default=DATABASE,
    show_default=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="SQLite file that stores all games.",
)
max_games_option = click.option(
    "--max-games",
    default=5_000_000,
    show_default=True,
    type=click.IntRange(1),
    help="Refuse a run of more games, of all entries together.",
)


def summary_option(what: str, also: str = "") -> Callable[[Command], Command]:
    """Return the option for a file to which `what` is appended as Markdown; `also` says what else it can be."""
    text = f"Append {what} to this file, as Markdown{also}."
    return click.option("--summary", type=click.Path(path_type=Path), help=text)


def append_summary(summary: Path, text: str) -> None:
    """Append text to the file of --summary."""
    from wordpl.run.folder import explain

    with explain(summary), summary.open("a", encoding="utf-8") as file:
        file.write(text)
