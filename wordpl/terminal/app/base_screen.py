"""The base class of the screens, with the tab bar at the top and the key bindings at the bottom."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.screen import Screen
from textual.widget import Widget
from textual.widgets import Footer, Static

if TYPE_CHECKING:
    from wordpl.terminal.app.app import WordplApp

TABS = (("solve", "F2", "Solve"), ("play", "F3", "Play"), ("watch", "F4", "Watch"), ("replay", "F5", "Replay"))


class BaseScreen(Screen[None]):
    """One of the app's four screens."""

    name_of_tab: ClassVar[str]
    help_text: ClassVar[str] = ""
    """The description of the screen in the help."""
    typed_keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Keys without a binding, with a description for the help."""

    @property
    def wordpl(self) -> "WordplApp":
        """The app."""
        from wordpl.terminal.app.app import WordplApp

        assert isinstance(self.app, WordplApp)
        return self.app

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
