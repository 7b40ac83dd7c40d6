"""What the app is started with."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from wordpl.core.errors import UserError
from wordpl.terminal.app import setups
from wordpl.terminal.app.setups import Setup, changed
from wordpl.terminal.app.share_grid import read_typed
from wordpl.terminal.app.word_choice import named

SCREENS = ("solve", "play", "watch", "replay")


@dataclass(frozen=True)
class AppOptions:
    """The first screen and what it shows.

    Attributes:
        screen: one of SCREENS.
        setup: how Solve solves.
        hints: clues that Solve begins with.
        game_id: the game that Play begins with, "" for the one that was left or the daily puzzle's.
        seed: of the games of Play, "" for a fresh one.
        number: the first game of that seed.
        results: the folder that has the runs.
        run: the run that Watch and Replay show, None for the newest.
        theme: one of `themes.THEMES`.
    """

    screen: str = "solve"
    setup: Setup = field(default_factory=Setup)
    hints: tuple[tuple[str, str], ...] = ()
    game_id: str = ""
    seed: str = ""
    number: int = 0
    results: Path = Path("results")
    run: Path | None = None
    theme: str = "dark"


def options_for(
    hints: Sequence[str],
    is_terminal: bool,
    name: str | None = None,
    game_id: str | None = None,
    filters: Sequence[str] = (),
    run_folder: Path | None = None,
    screen: str | None = None,
    **chosen: Any,
) -> AppOptions:
    """Return what the app begins with, from what was chosen on a command line.

    Args:
        hints: guesses with their clues, as tares:....i.
        is_terminal: whether there is a terminal to show the app on.
        name: of a setup, None for the last one.
        game_id: of Play where that is the first screen, else of Solve.
        filters: replace those of the setup where there are any.
        run_folder: the run of Watch and Replay.
        screen: one of SCREENS; None is Watch for a run, else Solve.
        chosen: fields of `Setup` and of `AppOptions`; None leaves what is.

    Raises:
        UserError: for a setup or clues that are none, or where there is no terminal.
    """
    if not is_terminal:
        raise UserError("the app needs a terminal: use wordpl suggest and python interactive.py in a pipe.")
    screen = screen or ("watch" if run_folder else "solve")
    fields = {key: chosen.pop(key) for key in Setup.__struct_fields__ if key in chosen}
    fields = {key: value for key, value in fields.items() if value is not None}
    if filters:
        fields["filters"] = tuple(filters)
    if game_id and screen != "play":
        fields["game"] = game_id
    setup = changed(_first_setup(name), **fields)
    return AppOptions(
        screen=screen,
        setup=setup,
        hints=tuple(read_typed(text, frozenset(named(setup.guesses, "guesses"))) for text in hints),
        game_id=game_id or "" if screen == "play" else "",
        run=run_folder,
        **chosen,
    )


def _first_setup(name: str | None) -> Setup:
    if name is not None:
        return setups.load(name)
    return setups.load(setups.LAST) if setups.LAST in setups.names() else Setup()
