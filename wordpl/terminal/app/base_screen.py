"""The base class of the screens, with the tab bar at the top and the key bindings at the bottom."""

from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar, Protocol, TypeVar, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Static

from wordpl.terminal.app.client import WorkerClient
from wordpl.terminal.app.options import AppOptions
from wordpl.terminal.app.puzzle import Puzzle
from wordpl.terminal.app.setups import Setup

TABS = (("solve", "F2", "Solve"), ("play", "F3", "Play"), ("watch", "F4", "Watch"), ("replay", "F5", "Replay"))


class SharedState(Protocol):
    """What the screens share: the app.

    Attributes:
        client: The client of the worker process.
        options: The options with which the app was started.
        wanted_game: The run, the entry and the number of the game that Replay is to show next, if any.
    """

    client: WorkerClient
    options: AppOptions
    wanted_game: tuple[Path, str, int] | None

    def first_puzzle(self, length: int, setup: Setup) -> Puzzle:
        """Return the first puzzle of Solve: the clues from the command line, the saved puzzle, or an empty one."""

    def open_game(self, folder: Path, entry: str, number: int) -> None:
        """Show a game of a run in Replay."""


W = TypeVar("W", bound=Widget)


def panel(widget: W, title: str) -> W:
    """Return the widget with a border and a title."""
    widget.add_class("panel")
    widget.border_title = Text(title)
    return widget


class BaseScreen(Screen[None]):
    """One of the app's four screens."""

    name_of_tab: ClassVar[str]
    help_text: ClassVar[str] = ""
    """The description of the screen in the help."""
    typed_keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Keys without a binding, with a description for the help."""

    @property
    def wordpl(self) -> SharedState:
        """The app."""
        return cast(SharedState, self.app)

    @property
    def client(self) -> WorkerClient:
        """The client of the worker process."""
        return self.wordpl.client

    def compose(self) -> ComposeResult:
        """Yield the tab bar, the screen's own widgets and the key bindings."""
        yield Static(self._tabs(), id="tabs")
        yield from self.compose_body()
        yield Footer(show_command_palette=False)

    def compose_body(self) -> Iterable[Widget]:
        """Yield the screen's own widgets."""
        raise NotImplementedError

    def _tabs(self) -> str:
        parts = []
        for mode, key, label in TABS:
            style = "bold reverse" if mode == self.name_of_tab else "underline"
            parts.append(f"[@click=app.show('{mode}')][{style}] {key} {label} [/][/]")
        return "[bold]wordpl[/]  " + " ".join(parts) + "  [@click=app.help]F1 Help[/]"

    def worker_changed(self) -> None:
        """Handle a change of the worker process: it is ready, or has ended."""

    def say(self, message: str, is_error: bool = False) -> None:
        """Show a short notification over the screen for some seconds."""
        self.notify(
            message, severity="error" if is_error else "information", markup=False, timeout=8 if is_error else 4
        )
