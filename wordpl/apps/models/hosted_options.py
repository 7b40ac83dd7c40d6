"""The options by which a host plays models; the commands that play entries find this module by its name."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from wordpl.apps.models.endpoints import GAME_S, HOST, IN_FLIGHT

KIND = "model"
NEW = "Write the folder of a language model in place of a strategy: its settings and its prompt."
GROUP = "Models"
"""The heading of the options in a command's help."""


def _set(name: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    def callback(context: click.Context, parameter: click.Parameter, value: Any) -> None:
        setattr(HOST, name, value)

    return callback


def _bind(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> None:
    file = context.meta.get(f"{__name__}.file")
    HOST.bind_all(value, file)


def _note_file(context: click.Context, parameter: click.Parameter, value: Path | None) -> None:
    context.meta[f"{__name__}.file"] = value


OPTIONS: tuple[Callable[[Any], Any], ...] = (
    click.option(
        "--endpoints", "endpoints_file", type=click.Path(exists=True, dir_okay=False, path_type=Path), metavar="FILE",
        expose_value=False, is_eager=True, callback=_note_file, show_default="endpoints.toml of your configuration",
        help="The endpoints of models, their limits and prices.",
    ),
    click.option(
        "--endpoint", "endpoint", multiple=True, metavar="NAME=URL", expose_value=False, callback=_bind,
        help="Bind the endpoint NAME of models; its key is in the variable NAME_API_KEY. Repeatable.",
    ),
    click.option(
        "--in-flight", "in_flight", default=IN_FLIGHT, type=click.IntRange(1, 1000), metavar="N", expose_value=False,
        callback=_set("in_flight"), help="Games of a model at a time.",
    ),
    click.option(
        "--second-asks", "second_asks", default=0, type=click.IntRange(0, 5), metavar="N", expose_value=False,
        callback=_set("second_asks"), help="Ask a model so often again after a reply without a legal move.",
    ),
    click.option(
        "--game-time", "game_time", default=GAME_S, type=click.FloatRange(0.1, 86_400), metavar="SECONDS",
        expose_value=False, callback=_set("game_s"), help="Wall time of all replies of a model in one game.",
    ),
    click.option(
        "--max-tokens", "max_tokens", type=click.IntRange(1), metavar="N", expose_value=False,
        callback=_set("max_tokens"), help="Stop, to be resumed, once models have used N tokens.",
    ),
    click.option(
        "--max-cost", "max_cost", type=click.FloatRange(0, min_open=True), metavar="COST", expose_value=False,
        callback=_set("max_cost"), help="Stop, to be resumed, once models have cost so much.",
    ),
)  # fmt: skip
OF_ONE_CALL = ("endpoints_file", "endpoint", "in_flight", "max_tokens", "max_cost")
"""Those that do not change what a run means, so that they can be given with --resume."""
NAMES = (*OF_ONE_CALL, "second_asks", "game_time")
