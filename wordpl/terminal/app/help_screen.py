"""The searchable help of a screen, with its description and all keys."""

from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from wordpl.terminal.app.base_screen import BaseScreen
from wordpl.terminal.app.style import SHAPES

EVERYWHERE = (
    ("F2 F3 F4 F5", "Solve, Play, Watch, Replay"),
    ("Ctrl+T", "change the theme: dark, light, high contrast"),
    ("Ctrl+P", "all commands"),
    ("Ctrl+Z", "suspend; type fg in the shell to return"),
    ("Ctrl+Q, Ctrl+C", "quit; puzzles and games are saved"),
)
MARKS = (
    (f"A{SHAPES['c']}", "the letter is in this place"),
    (f"A{SHAPES['i']}", "the letter is in another place"),
    (f"A{SHAPES['.']}", "the letter is absent"),
)
PLAIN = (
    "With a screen reader, use wordpl play and wordpl suggest instead, which print line by line. "
    "NO_COLOR=1 turns off colours; marks always have different shapes. There are no animations."
)


class HelpScreen(ModalScreen[None]):
    """Shows the help of a screen, in a dialog."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,f1", "dismiss", "Close", priority=True),
    ]

    def __init__(self, about: BaseScreen) -> None:
        super().__init__()
        self._about = about
        self._lines = list(_lines(about))

    def compose(self) -> ComposeResult:
        """Yield the search field and the help text."""
        with Vertical(id="help"):
            yield Static(f"[bold]Help: {self._about.name_of_tab.capitalize()}[/]  Escape closes")
            yield Input(placeholder="search", id="help-search", compact=True)
            with VerticalScroll(id="help-body"):
                yield Static(self._found(""), id="help-text")

    @on(Input.Changed, "#help-search")
    def _search(self, event: Input.Changed) -> None:
        self.query_one("#help-text", Static).update(self._found(event.value))

    @on(Input.Submitted, "#help-search")
    def _scroll(self) -> None:
        self.query_one("#help-body", VerticalScroll).focus()

    def _found(self, query: str) -> Text:
        query = query.lower().strip()
        lines = [(key, meaning) for key, meaning in self._lines if query in f"{key} {meaning}".lower()]
        text = Text() if query else Text(f"{self._about.help_text}\n\n")
        for key, meaning in lines:
            text.append(f"{key:<18}", "bold").append(f"{meaning}\n")
        if not lines:
            text.append(f"No key or description contains {query!r}.\n")
        return text if query else text.append(f"\n{PLAIN}\n")


def _lines(about: BaseScreen) -> list[tuple[str, str]]:
    lines = [*about.typed_keys]
    for binding in about.BINDINGS:
        if isinstance(binding, Binding):
            lines.append((_shown(binding.key), binding.description))
    return [*lines, *MARKS, *EVERYWHERE]


def _shown(keys: str) -> str:
    return ", ".join("+".join(part.capitalize() for part in key.split("+")) for key in keys.split(","))
