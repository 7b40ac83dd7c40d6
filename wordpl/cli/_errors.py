"""Commands that show wordpl's own errors as a message, and end with exit code 1."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

import click

from wordpl.cli._status_line import compilation_shown, loading_said
from wordpl.core.errors import WordplError
from wordpl.core.suggestions import did_you_mean

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


@contextmanager
def errors_as_messages() -> Iterator[None]:
    """Turn a wordpl error into the error that click prints without a traceback, and Ctrl-C into exit code 130."""
    try:
        yield
    except WordplError as error:
        raise click.ClickException(error.message) from None
    except KeyboardInterrupt:
        click.echo("\nStopped.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


@contextmanager
def signals_as_interrupts() -> Iterator[None]:
    """Have SIGTERM and SIGHUP end the program as Ctrl-C does, so that nothing is left behind.

    A second one is ignored: a closed terminal can send several, and the clean-up after the first has to end.
    """
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    is_ending = False

    def interrupt(_number: int, _frame: FrameType | None) -> NoReturn:
        nonlocal is_ending
        is_ending = True
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        if not is_ending:  # else the next signal would end the program before it has told its exit code
            for number, handler in before.items():
                signal.signal(number, handler)


@contextmanager
def closed_output_as_end() -> Iterator[None]:
    """End with exit code 0 where nobody reads the output any more, as after `| head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        with suppress(OSError, ValueError):  # else Python would complain when it flushes at its end
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise click.exceptions.Exit(0) from None


@contextmanager
def running() -> Iterator[None]:
    """Run a command as all are run: what is loaded or compiled is said, errors are messages, signals end it."""
    with errors_as_messages(), signals_as_interrupts(), compilation_shown(), loading_said(), closed_output_as_end():
        yield


class WordplCommand(click.Command):
    """A command that can be run by itself, as evaluate.py and interactive.py do."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with running():
            return super().invoke(ctx)


class WordplGroup(click.Group):
    """A group of commands. A name that was misspelled gets a suggestion."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is asked for, and its arguments."""
        name = args[0]
        if self.get_command(ctx, name) is None and not name.startswith("-"):
            choices = self.list_commands(ctx)
            hint = did_you_mean(name, choices)
            ctx.fail(f"there is no command {name!r}.{hint} Commands: {', '.join(choices)}.")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that is asked for."""
        with running():
            return super().invoke(ctx)
