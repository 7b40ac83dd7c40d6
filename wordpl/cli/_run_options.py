"""The options from which a `RunConfig` is made."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from wordpl import games
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.run_config import Limits, RunConfig
from wordpl.players.sandbox.levels import Level

Command = TypeVar("Command", bound=Callable[..., Any])
A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
A_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
SECONDS = click.FloatRange(0.001, 86_400)
DEFAULTS = RunConfig()
LIMITS = {field.name: field.default for field in msgspec.structs.fields(Limits)}
SHOWN = ", ".join(f"{name}={value:g}" for name, value in LIMITS.items())
GAMES = ", ".join(games.names())
LIMITED = ("timeout_s", "warmup_s", "memory_mb", "limits", "level")


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
            self.fail(f"{value!r} should be a whole number from 1 on, or all.", param, ctx)
        return number


jobs_option = click.option(
    "--jobs", type=click.IntRange(1), help="How many games at a time. [default: one for each processor]"
)


def read_limits(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> Limits:
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


_OPTIONS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "n_games": (("--games",), {"type": click.IntRange(1), "help": "How many games each entry plays."}),
    "games": (
        ("--games",),
        {"type": NumberOrAll(), "default": DEFAULTS.n_games, "metavar": "N",
         "help": "How many games each entry plays; all: every answer once, for classic games."},
    ),
    "game_id": (("--game",), {"metavar": "NAME", "help": f"One of {GAMES}. [default: each entry's own]"}),
    "repeats": (("--repeats",), {"type": click.IntRange(0), "help": "Games played again, each in a fresh process."}),
    "seed": (("--seed",), {"help": "Any text; decides all secrets and noise. [default: drawn, and shown]"}),
    "answers": (("--answers",), {"type": A_FILE, "help": "The words that can be the secret. [default: answers.txt]"}),
    "guesses": (("--guesses",), {"type": A_FILE, "help": "The words that can be guessed. [default: valid.txt]"}),
    "results": (("--results",), {"type": Path, "show_default": "results", "help": "Where runs are kept."}),
    "player": (
        ("--trust",),
        {"flag_value": PlayerKind.TRUSTED, "show_default": False,
         "help": "Run entries in this process, where pdb works and no clock is enforced."},
    ),
    "loss_cost": (
        ("--loss-cost",),
        {"metavar": "L", "type": click.FloatRange(0.001),
         "help": "What a lost game of a noisy game counts as in the mean cost; no game counts as more."},
    ),
    "timeout_s": (("--timeout",), {"type": SECONDS, "help": "CPU SECONDS an entry has for a game."}),
    "total_s": (
        ("--total",),
        {"type": click.FloatRange(min=0.001), "help": "CPU SECONDS an entry has for all its games; the rest are lost "
         "unplayed. [default: --timeout for each game]"},
    ),
    "warmup_s": (("--warmup",), {"type": SECONDS, "help": "SECONDS a fresh process has to start."}),
    "memory_mb": (("--memory",), {"type": click.IntRange(64), "help": "MiB an entry may use."}),
    "limits": (
        ("--limit",),
        {"metavar": "NAME=NUMBER", "multiple": True, "callback": read_limits, "show_default": False,
         "help": f"Another limit; a game may take wall_factor x its CPU time + wall_s seconds. [{SHOWN}]"},
    ),
    "level": (
        ("--isolation",),
        {"type": click.Choice([str(level) for level in Level]),
         "help": "Sandbox level of entries. [default: the best this machine supports]"},
    ),
    "official": (("--official",), {"is_flag": True, "show_default": False,
                 "help": "Commit to a secret seed first; see docs/fairness.md."}),
    "beacon_from": (("--beacon-from",), {"metavar": "WHERE", "help": "With --official: where a public TEXT will come "
                    "from that nobody knows yet. Games wait for it."}),
}  # fmt: skip


def options(*names: str, **defaults: Any) -> Callable[[Command], Command]:
    """Add options for these fields of `RunConfig` to a command, which gets them as its parameter `config`.

    Args:
        names: The fields.
        defaults: Values of fields that differ from the usual ones, with an option or without.
    """
    usual = msgspec.structs.replace(DEFAULTS, **defaults)

    def add(command: Command) -> Command:
        @wraps(command)
        def with_config(**chosen: Any) -> Any:
            fields = {name: chosen.pop(name) for name in names}
            fields = {name: value for name, value in fields.items() if value is not None}
            if "games" in fields:
                number = fields.pop("games")
                fields |= {"every_answer": True} if number == "all" else {"n_games": number}
            return command(config=msgspec.structs.replace(usual, **fields), **chosen)

        decorated: Any = with_config
        for name in reversed(names):
            words, settings = _OPTIONS[name]
            default = getattr(usual, name, None)
            if name not in ("limits", "player", "level", "official") and default is not None:
                settings = {"default": default, **settings}
            decorated = click.option(*words, name, **settings)(decorated)
        return decorated  # type: ignore[no-any-return]  # click decorates what wraps() made

    return add
