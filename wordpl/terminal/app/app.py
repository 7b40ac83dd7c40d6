"""The textual application: its four screens, key bindings and themes."""

from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.screen import Screen

from wordpl.terminal.app.puzzle import Puzzle, load_puzzle
from wordpl.terminal.app.setups import AppOptions, Setup
from wordpl.terminal.app.widgets import CSS, THEMES, BaseScreen, themes
from wordpl.terminal.app.worker import WorkerClient

INTERRUPTED = 130
SCREENS = {
    "solve": "solve_screen.SolveScreen",
    "play": "play_screen.PlayScreen",
    "watch": "watch_screen.WatchScreen",
    "replay": "replay_screen.ReplayScreen",
}
"""The class of each screen. The app starts with one of them and imports the others in a thread shortly afterwards."""
IMPORT_AFTER_S = 0.5


def new_screen(name: str) -> BaseScreen:
    """Return one of the four screens, with its module imported."""
    screen = screen_class(name)()
    assert isinstance(screen, BaseScreen)
    return screen


def screen_class(name: str) -> Any:
    """Return the class of one of the four screens, with its module imported."""
    module, _, kind = SCREENS[name].partition(".")
    return getattr(import_module(f"wordpl.terminal.app.{module}"), kind)


def import_screens() -> None:
    """Import all screens, so that none takes noticeable time to open."""
    for name in SCREENS:
        screen_class(name)


class WordplApp(App[int]):
    """The app.

    Args:
        client: The client of the worker process, which must be started before the app runs.
    """

    TITLE = "wordpl"
    CSS = CSS
    ESCAPE_TO_MINIMIZE = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", show=False, priority=True),
        Binding("f2", "show('solve')", "Solve", show=False, priority=True),
        Binding("f3", "show('play')", "Play", show=False, priority=True),
        Binding("f4", "show('watch')", "Watch", show=False, priority=True),
        Binding("f5", "show('replay')", "Replay", show=False, priority=True),
        Binding("ctrl+t", "next_theme", "Theme", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True),
        Binding("ctrl+c", "interrupt", "Quit", show=False, priority=True),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    def __init__(self, client: WorkerClient, options: AppOptions | None = None) -> None:
        super().__init__()
        self.client = client
        self.options = options or AppOptions()
        self.wanted_game: tuple[Path, str, int] | None = None
        self.animation_level = "none"

    def on_mount(self) -> None:
        """Start reading replies of the worker, and show the first screen."""
        for theme in themes():
            self.register_theme(theme)
        self.theme = self.options.theme
        self.client.attach(self._worker_changed)
        self.app_resume_signal.subscribe(self, self._resumed)
        for name in SCREENS:
            self.add_mode(name, partial(new_screen, name))
        self.switch_mode(self.options.screen)
        self.set_timer(IMPORT_AFTER_S, partial(self.run_worker, import_screens, thread=True))

    def on_unmount(self) -> None:
        """Stop reading replies of the worker."""
        self.client.detach()

    def get_default_screen(self) -> Screen[None]:
        """Return the base screen, which the others always cover."""
        return Screen(id="_default")

    def _resumed(self, _: App[object]) -> None:
        """Redraw everything when the app resumes after Ctrl-Z, since the shell has overwritten the terminal."""
        self.screen.refresh(repaint=True, layout=True)

    def _worker_changed(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, BaseScreen):
                screen.worker_changed()

    def first_puzzle(self, length: int, setup: Setup) -> Puzzle:
        """Return the first puzzle of Solve: the clues from the command line, the saved puzzle, or an empty one."""
        if self.options.hints:
            rows: list[tuple[str, str, float | None]] = [(word, marks, None) for word, marks in self.options.hints]
            return Puzzle.from_rows(length, rows)
        return load_puzzle(length, setup) or Puzzle(length)

    def action_show(self, name: str) -> None:
        """Show one of the four screens."""
        if not isinstance(self.screen, BaseScreen):
            return  # a dialog is open
        self.switch_mode(name)

    def open_game(self, folder: Path, entry: str, number: int) -> None:
        """Show a game of a run in Replay."""
        self.wanted_game = folder, entry, number
        self.switch_mode("replay")

    def action_help(self) -> None:
        """Show the help of the current screen."""
        if isinstance(self.screen, BaseScreen):
            from wordpl.terminal.app.dialogs import HelpScreen  # imported only when needed

            self.push_screen(HelpScreen(self.screen))

    def action_next_theme(self) -> None:
        """Switch to the next theme."""
        index = THEMES.index(self.theme) if self.theme in THEMES else -1
        self.theme = THEMES[(index + 1) % len(THEMES)]
        self.screen.refresh(recompose=False, repaint=True)
        for widget in self.screen.query("TileBoard, Keyboard"):
            widget.refresh()

    def action_interrupt(self) -> None:
        """Exit with code 130, as after Ctrl-C in any program."""
        self.exit(INTERRUPTED, return_code=INTERRUPTED)
