"""The options that say what an entry may use, and how far it is walled off."""

from collections.abc import Callable
from typing import Any

import click
import msgspec

from wordpl.core.records import Limits
from wordpl.players.sandbox.levels import Level

SECONDS = click.FloatRange(0.001, 86_400)
LIMITS = {field.name: field.default for field in msgspec.structs.fields(Limits)}
SHOWN = ", ".join(f"{name}={value:g}" for name, value in LIMITS.items())


def options(command: Callable) -> Callable:
    """Add the options to a command, which gets timeout_s, warmup_s, memory_mb, isolation and limits."""
    for option in reversed((
        click.option("--timeout", "timeout_s", default=5.0, type=SECONDS, help="CPU SECONDS an entry has for a game."),
        click.option("--warmup", "warmup_s", default=60.0, type=SECONDS, help="SECONDS a fresh process has to start."),
        click.option("--memory", "memory_mb", default=1024, type=click.IntRange(64), help="MiB an entry may use."),
        click.option("--limit", "limits", metavar="NAME=NUMBER", multiple=True, callback=read, show_default=False,
                     help=f"Another limit; a game may take wall_factor x its CPU time + wall_s seconds. [{SHOWN}]"),
        click.option("--isolation", type=click.Choice(list(Level)), help="How far entries are held. [default: best]"),
    )):  # fmt: skip
        command = option(command)
    return command


def read(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> Limits:
    """Return the limits as given, such as wall_s=3, the others as they are by default."""
    chosen: dict[str, Any] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if name not in LIMITS or not 0 < number < 1e9:
            raise click.BadParameter(f"{text!r} should be NAME=NUMBER, above 0, with a name of {', '.join(LIMITS)}.")
        chosen[name] = type(LIMITS[name])(number)
    return Limits(**chosen)
