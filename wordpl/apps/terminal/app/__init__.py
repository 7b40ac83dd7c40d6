"""The full-screen app with the screens Solve and Play. It needs the extra `tui`."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wordpl.apps.terminal.app import setups
from wordpl.apps.terminal.app.puzzle import read_typed
from wordpl.apps.terminal.app.setups import CONTEST, DEFAULT_GAME, SCREENS, AppOptions, Setup, changed, lists_of, named
from wordpl.core.messages import UserError
from wordpl.games import game_class

__all__ = ["SCREENS", "AppOptions", "is_installed", "options_for", "run"]

MISSING = 'the full-screen app needs textual, which is not installed: pip install "wordpl[tui]".'


def options_for(
    hints: Sequence[str],
    is_terminal: bool,
    name: str | None = None,
    game_id: str | None = None,
    screen: str = "solve",
    **chosen: Any,
) -> AppOptions:
    """Return the options of the app from those of a command line.

    Args:
        hints: Guesses with their clues, such as tares:....i.
        is_terminal: Whether standard input and output are a terminal.
        name: The name of a setup; None for the last one.
        game_id: The game of Play if that is the first screen, otherwise of Solve.
        screen: One of SCREENS.
        chosen: Fields of `Setup` and `AppOptions`; of a setup's, None and an empty tuple keep its own.

    Raises:
        UserError: The setup or a clue is invalid, or there is no terminal.
    """
    if not is_terminal:
        raise UserError("the app needs a terminal; without one, use wordpl suggest and wordpl play.")
    fields = {key: chosen.pop(key) for key in Setup.__struct_fields__ if key in chosen}
    fields = {key: value for key, value in fields.items() if value not in (None, ())}
    if game_id and screen != "play":
        fields = {"limit": game_class(game_id).facts.limit or 0, **fields, "game": game_id}
    if name is None and setups.LAST in setups.names():
        name = setups.LAST
    setup = changed(Setup() if name is None else setups.load(name), **fields)
    answers, guesses = (_kept_name(fields.get(key, CONTEST)) for key in ("answers", "guesses"))
    if screen == "play":
        game_class(game_id or DEFAULT_GAME)(
            lists_of(answers, guesses)
        )  # whatever is wrong is said before the app starts
    allowed = frozenset(named(setup.guesses, "guesses")) if hints else frozenset()
    return AppOptions(
        screen=screen,
        setup=setup,
        hints=tuple(read_typed(text, allowed, has_epsilon=setup.has_epsilon) for text in hints),
        game_id=game_id or "" if screen == "play" else "",
        answers=answers,
        guesses=guesses,
        **chosen,
    )


def _kept_name(name: str) -> str:
    """Return the name of a word list that a saved game can keep: a file's does not depend on the current folder."""
    return str(Path(name).resolve()) if Path(name).is_file() else name


def is_installed() -> bool:
    """Return whether the extra is installed."""
    return find_spec("textual") is not None


def run(options: AppOptions) -> int:
    """Run the app until the user leaves, and return the exit code: 0, or 130 after Ctrl-C.

    Raises:
        UserError: The extra is not installed.
    """
    if not is_installed():
        raise UserError(MISSING)
    from wordpl.apps.terminal.app.worker import WorkerClient

    client = WorkerClient()  # starts before the app takes over the terminal, and loads while the app is imported
    try:
        from wordpl.apps.terminal.app.app import WordplApp

        app = WordplApp(client, options)
        app.run()
        return app.return_code or 0
    finally:
        client.stop()
