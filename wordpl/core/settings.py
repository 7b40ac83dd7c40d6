"""Settings: what is known of a field of a configuration is said once, where the field is declared.

The option of a command, its help, the checks of its values and the documentation of the field follow from it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from textwrap import fill
from typing import Any, TypeVar, get_type_hints

from wordpl.core.messages import ConfigError

WIDTH = 120
Kind = TypeVar("Kind", bound=type)


@dataclass(frozen=True)
class Setting:
    """How a field of a configuration is set.

    Attributes:
        option: The option on the command line; "" if there is none.
        help: The help of the option.
        metavar: What stands for the value in the help.
        low, high: The range of the value, None for no bound; integers if it is a whole number.
        is_open: Whether the lower bound itself is no valid value.
        choices: All valid values, if they are few; "" is the value that is chosen later.
        is_word_list: Whether the value names a word list.
        is_of_game: Whether the value affects a single game, so that a replay of the game needs it.
    """

    option: str = ""
    help: str = ""
    metavar: str | None = None
    low: float | None = None
    high: float | None = None
    is_open: bool = False
    choices: tuple[str, ...] = ()
    is_word_list: bool = False
    is_of_game: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether the value is a whole number."""
        return isinstance(self.low, int)

    def check(self, name: str, value: Any) -> None:
        """Check a value of the field with this name.

        Raises:
            ConfigError: The value is not valid.
        """
        if self.choices and value not in self.choices:
            expected = ", ".join(map(repr, self.choices))
            raise ConfigError(f"{name} should be one of {expected}, got {value!r}.")
        if self.low is None or self.high is None or value is None:
            return
        kind = int if self.is_whole else (int, float)
        if isinstance(value, bool) or not isinstance(value, kind) or not self.low <= value <= self.high:
            expected = "a whole number" if self.is_whole else "a number"
            raise ConfigError(f"{name} should be {expected} from {self.low:,} to {self.high:,}, got {value!r}.")


@cache
def settings(kind: type) -> Mapping[str, Setting]:
    """Return the settings of the fields of a class that have one.

    A field without a range of its own has that of its `msgspec.Meta`, if any.
    """
    found = {}
    for name, hint in get_type_hints(kind, include_extras=True).items():
        parts = getattr(hint, "__metadata__", ())
        for setting in (part for part in parts if isinstance(part, Setting)):
            if len(parts) > 1 and setting.low is None:
                from msgspec import Meta  # here for the start-up time of commands that need none of it

                for bounds in (part for part in parts if isinstance(part, Meta)):
                    setting = replace(setting, low=bounds.ge, high=bounds.le)
            found[name] = setting
    return found


def documented(kind: Kind) -> Kind:
    """Append the help of its settings to the docstring of a class; a decorator."""
    indent = " " * 8
    attributes = "\n".join(
        fill(
            f"{name}: {setting.help.replace('{games}', '`games.names()`')}",
            WIDTH,
            initial_indent=indent,
            subsequent_indent=f"{indent}    ",
        )
        for name, setting in settings(kind).items()
    )
    kind.__doc__ = f"{(kind.__doc__ or '').rstrip()}\n\n    Attributes:\n{attributes}\n    "
    return kind
