"""The options from which a `RunConfig` is made."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from wordpl import games
from wordpl.cli._options import A_FILE, ANSWERS_HELP, GUESSES_HELP
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.run_config import Limits, RunConfig
from wordpl.players.sandbox.levels import Level

Command = TypeVar("Command", bound=Callable[..., Any])
SECONDS = click.FloatRange(0.001, 86_400)
DEFAULTS = RunConfig()
LIMITS = {field.name: field.default for field in msgspec.structs.fields(Limits)}
LIMITS_TEXT = ", ".join(f"{name}={value:g}" for name, value in LIMITS.items())
GAMES = ", ".join(games.names())
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
    numbers: dict[str, Any] = {}
    for text in given:
        name, _, value = text.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if name not in LIMITS or not 0 < number < 1e9:
            raise click.BadParameter(
                f"{text!r} must be NAME=NUMBER with a NUMBER above 0 and one of the names {', '.join(LIMITS)}."
            )
        numbers[name] = type(LIMITS[name])(number)
    return Limits(**numbers)


_OPTIONS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "n_games": (("--games",), {"type": click.IntRange(1), "help": "Number of games that each entry plays."}),
    "games": (
        ("--games",),
        {"type": NumberOrAll(), "default": DEFAULTS.n_games, "metavar": "N",
         "help": "Number of games that each entry plays, or `all`: each answer once (classic games)."},
    ),
    "game_id": (("--game",), {"metavar": "NAME", "help": f"One of {GAMES}. [default: each entry's own]"}),
    "repeats": (
        ("--repeats",),
        {"type": click.IntRange(0), "help": "Number of games that are repeated, each in a fresh process."},
    ),
    "seed": (("--seed",), {"help": "Seed of all secrets and noise; any text. [default: random, and shown]"}),
    "answers": (("--answers",), {"type": A_FILE, "help": ANSWERS_HELP}),
    "guesses": (("--guesses",), {"type": A_FILE, "help": GUESSES_HELP}),
    "results": (("--results",), {"metavar": "FOLDER", "type": Path, "help": "Folder in which runs are kept."}),
    "player": (
        ("--trust",),
        {"flag_value": PlayerKind.TRUSTED, "show_default": False,
         "help": "Run entries in this process without a sandbox: pdb works, and time limits are not enforced."},
    ),
    "loss_cost": (
        ("--loss-cost",),
        {"metavar": "L", "type": click.FloatRange(0.001),
         "help": "Cost of a lost game in the mean cost of noisy games, and the maximum cost of any game."},
    ),
    "timeout_s": (
        ("--timeout",),
        {"metavar": "SECONDS", "type": SECONDS, "help": "CPU time that an entry has for each game."},
    ),
    "total_s": (
        ("--total",),
        {"metavar": "SECONDS", "type": click.FloatRange(min=0.001),
         "help": "CPU time that an entry has for all its games; games after that count as lost. "
         "[default: --timeout for each game]"},
    ),
    "warmup_s": (
        ("--warmup",),
        {"metavar": "SECONDS", "type": SECONDS, "help": "Time that a fresh process has to start."},
    ),
    "memory_mb": (
        ("--memory",),
        {"metavar": "MIB", "type": click.IntRange(64), "help": "Memory that an entry may use."},
    ),
    "limits": (
        ("--limit",),
        {"metavar": "NAME=NUMBER", "multiple": True, "callback": read_limits, "show_default": False,
         "help": "Change another limit. A game may last wall_factor x its CPU time + wall_s seconds. "
         f"[default: {LIMITS_TEXT}]"},
    ),
    "level": (
        ("--isolation",),
        {"type": click.Choice([str(level) for level in Level]),
         "help": "Sandbox level of the entries. [default: the best that this machine supports]"},
    ),
    "official": (("--official",), {"is_flag": True, "show_default": False,
                 "help": "Play an official run, which commits to a secret seed first; see docs/fairness.md."}),
    "beacon_from": (
        ("--beacon-from",),
        {"metavar": "WHERE",
         "help": "With --official: source of a future public text, the beacon. No game is played before it is known."},
    ),
}  # fmt: skip


def options(*names: str, **defaults: Any) -> Callable[[Command], Command]:
    """Add options for fields of `RunConfig` to a command, which gets a `RunConfig` as its parameter `config`.

    Args:
        names: The fields that get an option.
        defaults: Other defaults of fields than those of `RunConfig`; the fields need not have an option.
    """
    default_config = msgspec.structs.replace(DEFAULTS, **defaults)

    def add(command: Command) -> Command:
        @wraps(command)
        def with_config(**arguments: Any) -> Any:
            fields = {name: arguments.pop(name) for name in names}
            fields = {name: value for name, value in fields.items() if value is not None}
            if "games" in fields:
                number = fields.pop("games")
                fields |= {"every_answer": True} if number == "all" else {"n_games": number}
            return command(config=msgspec.structs.replace(default_config, **fields), **arguments)

        decorated: Any = with_config
        for name in reversed(names):
            words, settings = _OPTIONS[name]
            default = getattr(default_config, name, None)
            if name not in ("limits", "player", "level", "official") and default is not None:
                settings = {"default": default, **settings}
            decorated = click.option(*words, name, **settings)(decorated)
        return decorated  # type: ignore[no-any-return]  # click decorates what wraps() made

    return add
