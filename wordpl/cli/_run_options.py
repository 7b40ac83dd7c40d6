"""The options from which a `RunConfig` is made; the fields of `RunConfig` say what they are called and accept."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from wordpl import games
from wordpl.cli._options import bind_game
from wordpl.cli._values import WORD_LIST, complete_games, complete_scores
from wordpl.core.errors import ConfigError, UserError
from wordpl.run.config import MAX_S, MIN_S, Limits, PlayerKind, RunConfig, Setting, settings

Command = TypeVar("Command", bound=Callable[..., Any])
SECONDS = click.FloatRange(MIN_S, MAX_S)
MAX_SHOWN = 10**6
"""Greater upper bounds are not shown in the help, as no user comes near them."""
LIMIT_FIELDS = ("timeout_s", "warmup_s", "memory_mb", "limits", "level")


class NumberOrAll(click.ParamType):  # type: ignore[type-arg]  # it takes none in older versions of click
    """A number of games, or "all"."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """Return the number, or "all"."""
        if value == "all":
            return "all"
        try:
            number = int(value)
        except ValueError:
            number = 0
        if number < 1:
            self.fail(f"{value!r} must be a whole number of at least 1, or all.", param, ctx)
        return number


jobs_option = click.option(
    "--jobs", type=click.IntRange(1), help="Number of games played in parallel. [default: one per processor]"
)


def read_limits(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> Limits:
    """Return the limits given as NAME=NUMBER, such as wall_s=3, with defaults for the others."""
    try:
        return Limits.of(given)
    except ConfigError as error:
        raise click.BadParameter(error.message) from None


def read_score(ctx: click.Context, param: click.Parameter, given: str | None) -> str | None:
    """Return the name of the score by which boards are to be ordered."""
    if not given:
        return given
    from wordpl.stats.scores import require_score  # slow to import

    try:
        return require_score(given)
    except UserError as error:
        raise click.BadParameter(error.message, ctx, param) from None


CALLBACKS = {"game_id": bind_game, "score": read_score}
"""What checks the value of an option beyond its type, by field."""
COMPLETIONS = {"game_id": complete_games, "score": complete_scores}
"""What offers values of an option to the shell, by field, where its type does not."""


def options(*names: str, **defaults: Any) -> Callable[[Command], Command]:
    """Add options for fields of `RunConfig` to a command, which gets a `RunConfig` as its parameter `config`.

    Args:
        names: The fields that get an option.
        defaults: Other defaults of fields than those of `RunConfig`; the fields need not have an option.
    """
    default_config = msgspec.structs.replace(RunConfig(), **defaults)

    def add(command: Command) -> Command:
        @wraps(command)
        def with_config(**arguments: Any) -> Any:
            given = {name: arguments.pop(name) for name in names if name in arguments}
            fields = {name: value for name, value in given.items() if value is not None}
            if fields.get("n_games") == "all":
                fields = {**fields, "n_games": default_config.n_games, "every_answer": True}
            return command(config=msgspec.structs.replace(default_config, **fields), **arguments)

        decorated: Any = with_config
        for name in reversed(names):
            if name != "every_answer":  # a value of the option for `n_games`
                decorated = _option(name, default_config, takes_all="every_answer" in names)(decorated)
        return decorated  # type: ignore[no-any-return]  # click decorates what wraps() made

    return add


def _option(name: str, config: RunConfig, *, takes_all: bool) -> Callable[[Any], Any]:
    """Return the option for a field of `RunConfig`.

    Args:
        name: The field.
        config: The configuration with the default of the field.
        takes_all: Whether the number of games may be "all".
    """
    setting, default = settings()[name], getattr(config, name)
    text = setting.help.replace("{games}", ", ".join(games.names()))
    if name == "n_games" and takes_all:
        text, setting_type = f"{text.removesuffix('.')}, {settings()['every_answer'].help}.", NumberOrAll()
        return click.option(setting.option, name, type=setting_type, default=default, metavar="N", help=text)
    if isinstance(default, Limits):
        text = f"{text} [default: {', '.join(default.texts())}]"
        attributes: dict[str, Any] = {"multiple": True, "callback": read_limits, "show_default": False}
    elif isinstance(default, PlayerKind):
        attributes = {"flag_value": PlayerKind.TRUSTED, "show_default": False}
    elif isinstance(default, bool):
        attributes = {"is_flag": True, "show_default": False}
    else:
        attributes = {"type": _type(setting, default), "default": default or None}
        if setting.low is not None and default is not None:
            attributes["default"] = default
    if name in CALLBACKS:
        attributes |= {"callback": CALLBACKS[name], "shell_complete": COMPLETIONS[name]}
    return click.option(setting.option, name, metavar=setting.metavar, help=text, **attributes)


def _type(setting: Setting, default: Any) -> Any:
    """Return the type of the values of an option, by the setting and the default of its field."""
    if isinstance(default, Path):
        return Path
    if setting.is_word_list:
        return WORD_LIST
    if setting.choices:
        return click.Choice([choice for choice in setting.choices if choice])
    if setting.low is None:
        return str
    high = setting.high if setting.high is not None and setting.high < MAX_SHOWN else None
    if setting.is_whole:
        return click.IntRange(int(setting.low), None if high is None else int(high))
    return click.FloatRange(setting.low, high)


answers_option, guesses_option = (_option(name, RunConfig(), takes_all=False) for name in ("answers", "guesses"))
"""Options for word lists, for commands that take no other field of a `RunConfig`."""
