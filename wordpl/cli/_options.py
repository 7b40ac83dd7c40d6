"""Options of commands that follow from the settings of fields; see `wordpl.core.settings`."""

import dataclasses
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import click

from wordpl.core.settings import Setting, settings

Command = TypeVar("Command", bound=Callable[..., Any])
MAX_SHOWN = 10**6
"""Greater upper bounds are not shown in the help, as no user comes near them."""


def options(kind: type, *names: str) -> Callable[[Command], Command]:
    """Add options for fields of a class of settings to a command, which gets their values by the fields' names.

    The command does not get what has no default and is not given: then the field's own default holds.
    """

    def add(command: Command) -> Command:
        @wraps(command)
        def without_open(**arguments: Any) -> Any:
            return command(
                **{name: value for name, value in arguments.items() if value is not None or name not in names}
            )

        decorated: Any = without_open
        for name in reversed(names):
            decorated = option(kind, name)(decorated)
        return decorated  # type: ignore[no-any-return]  # click decorates what wraps() made

    return add


def option(kind: type, name: str, **changed: Any) -> Callable[[Any], Any]:
    """Return the option for a field of a class of settings.

    Args:
        kind: The class, a dataclass or a struct.
        name: The field.
        changed: Arguments of `click.option` that differ from what the field says.
    """
    setting, default = settings(kind)[name], changed.pop("default", None)
    default = _default(kind, name) if default is None else default
    hint = get_type_hints(kind)[name]
    attributes: dict[str, Any] = {"metavar": setting.metavar, "help": setting.help}
    attributes["show_default"] = default not in (None, "")
    if isinstance(default, tuple) or get_origin(hint) in (tuple, Sequence):
        attributes |= {"multiple": True, "default": default, "show_default": False}
    elif isinstance(default, bool):
        is_pair = "/" in setting.option
        attributes |= (
            {"default": default, "show_default": True} if is_pair else {"is_flag": True, "show_default": False}
        )
    else:
        attributes |= {"type": _type(setting, hint), "default": (default or None) if setting.choices else default}
    return click.option(setting.option, name, **attributes | changed)


def _default(kind: Any, name: str) -> Any:
    """Return the default of a field; None if it has none."""
    if dataclasses.is_dataclass(kind):
        default = next(field.default for field in dataclasses.fields(kind) if field.name == name)
        return None if default is dataclasses.MISSING else default
    import msgspec  # here for the start-up time of commands whose settings are dataclasses

    default = next(field.default for field in msgspec.structs.fields(kind) if field.name == name)
    return None if default in (msgspec.NODEFAULT, msgspec.UNSET) else default


def _type(setting: Setting, hint: Any) -> Any:
    """Return the type of the values of an option, by the setting and the type of its field."""
    if hint is Path or Path in get_args(hint):
        return click.Path(path_type=Path, dir_okay=setting.metavar != "FILE")
    if setting.choices:
        return click.Choice([choice for choice in setting.choices if choice])
    if setting.low is None:
        return str
    high = setting.high if setting.high is not None and setting.high < MAX_SHOWN else None
    if setting.is_whole:
        return click.IntRange(int(setting.low), None if high is None else int(high))
    low, high = (int(end) if end is not None and end == int(end) else end for end in (setting.low, high))
    return click.FloatRange(low, high, min_open=setting.is_open)  # whole numbers are shown without a fraction
