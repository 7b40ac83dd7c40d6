"""The textual application: the base of its two screens, key bindings, themes and the searchable help."""

from collections.abc import Iterable
from functools import partial
from pkgutil import resolve_name
from typing import ClassVar, cast

from rich.text import Text
from textual import on
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Footer, Input, Static

from wordpl.apps.terminal.app.puzzle import Puzzle, load_puzzle
from wordpl.apps.terminal.app.setups import AppOptions, Setup
from wordpl.apps.terminal.app.widgets import CSS, SHAPES, THEMES, themes
from wordpl.apps.terminal.app.worker import WorkerClient

INTERRUPTED = 130
SCREENS = {
    "solve": "wordpl.apps.terminal.app.solve_screen:SolveScreen",
    "play": "wordpl.apps.terminal.app.play_screen:PlayScreen",
}
"""The class of each screen. The app starts with one of them and imports the others in a thread shortly afterwards."""
IMPORT_AFTER_S = 0.5
TABS = (("solve", "F2", "Solve"), ("play", "F3", "Play"))


def new_screen(name: str) -> Screen[None]:
    """Return one of the two screens, with its module imported."""
    screen: Screen[None] = resolve_name(SCREENS[name])()
    return screen


def import_screens() -> None:
    """Import all screens, so that none takes noticeable time to open."""
    for path in SCREENS.values():
        resolve_name(path)


class BaseScreen(Screen[None]):
    """One of the app's two screens."""

    name_of_tab: ClassVar[str]
    help_text: ClassVar[str] = ""
    """The description of the screen in the help."""
    typed_keys: ClassVar[tuple[tuple[str, str], ...]] = ()
    """Keys without a binding, with a description for the help."""

    @property
    def wordpl(self) -> "WordplApp":
        """The app."""
        return cast(WordplApp, self.app)

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


EVERYWHERE = (
    ("F2 F3", "Solve, Play"),
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
        *(Binding(key.lower(), f"show('{name}')", label, show=False, priority=True) for name, key, label in TABS),
        Binding("ctrl+t", "next_theme", "Theme", show=False, priority=True),
        Binding("ctrl+z", "suspend_process", "Suspend", show=False, priority=True),
        Binding("ctrl+c", "interrupt", "Quit", show=False, priority=True),
        Binding("ctrl+q", "quit", "Quit", priority=True),
    ]

    def __init__(self, client: WorkerClient, options: AppOptions | None = None) -> None:
        super().__init__()
        self.client = client
        self.options = options or AppOptions()
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
            return Puzzle.from_rows(length, self.options.hints)
        return load_puzzle(length, setup) or Puzzle(length)

    def action_show(self, name: str) -> None:
        """Show one of the two screens."""
        if not isinstance(self.screen, BaseScreen):
            return  # a dialog is open
        self.switch_mode(name)

    def action_help(self) -> None:
        """Show the help of the current screen."""
        if isinstance(self.screen, BaseScreen):
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
