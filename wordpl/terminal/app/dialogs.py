"""The dialogs that screens open: the searchable help, the choice of a run, and a new game."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from wordpl import games
from wordpl.core import seeds, words
from wordpl.core.messages import UserError
from wordpl.core.words import FIRST_PUZZLE_DAY
from wordpl.lexicon.known_answers import LAST_DATED
from wordpl.terminal.app.widgets import SHAPES, BaseScreen

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


MAX_RUNS = 200


def runs(results: Path) -> list[Path]:
    """Return the folders of runs, the most recently changed first."""
    try:
        folders = [path.parent for path in results.glob("*/run.json")]
        return sorted(folders, key=lambda folder: -_changed(folder))[:MAX_RUNS]
    except OSError:
        return []


def _changed(folder: Path) -> float:
    records = folder / "records"
    try:
        return max(path.stat().st_mtime for path in (folder / "run.json", records, *records.iterdir()))
    except OSError:
        return 0.0


class RunPickerScreen(ModalScreen[Path | None]):
    """A dialog to choose a run, or to type its folder."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Cancel")]

    def __init__(self, results: Path) -> None:
        super().__init__()
        self._results = results

    def compose(self) -> ComposeResult:
        """Yield the list of runs, and a field for a folder."""
        with Vertical(classes="dialog"):
            yield Static("[bold]Runs[/]  Up and Down select, Enter opens, Escape cancels")
            yield OptionList(*(Option(str(path), id=str(path)) for path in runs(self._results)), id="runs")
            yield Input(placeholder="or the folder of a run", id="runs-folder", compact=True)

    @on(OptionList.OptionSelected, "#runs")
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss(Path(event.option_id or ""))

    @on(Input.Submitted, "#runs-folder")
    def _typed(self, event: Input.Submitted) -> None:
        self.dismiss(Path(event.value.strip()).expanduser())

    def action_leave(self) -> None:
        """Close the dialog without a choice."""
        self.dismiss(None)


DAILY = "daily"
DAILY_GAME = "wordle/1"
ABOUT = {DAILY: "the puzzle of a day, in the original order"}


@dataclass(frozen=True)
class NewGame:
    """A game to start.

    Attributes:
        seed: The seed of the secret and the noise.
        number: The number of the game within the seed.
        secret: The secret of a daily puzzle; "" to draw it from the seed.
        puzzle: The day of a daily puzzle.
    """

    game_id: str
    seed: str
    number: int = 0
    secret: str = ""
    puzzle: date | None = None


def daily(day: date) -> NewGame:
    """Return the puzzle of a day. Raises UserError for a day without a known puzzle."""
    order = words.bundled("puzzle-order")
    number = (day - FIRST_PUZZLE_DAY).days
    if not 0 <= number < len(order):
        raise UserError(f"{day} has no puzzle: the original order covers 2,315 days from {FIRST_PUZZLE_DAY} on.")
    return NewGame(DAILY_GAME, f"daily {day}", number, order[number], day)


def today() -> date:
    """Return the current date in UTC."""
    return datetime.now(UTC).date()


class NewGameScreen(ModalScreen[NewGame | None]):
    """A dialog to choose the game, its seed and number, or the day."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "Cancel")]

    def __init__(self, game_id: str) -> None:
        super().__init__()
        self._game_id = game_id

    def compose(self) -> ComposeResult:
        """Yield the games and the fields."""
        names = [DAILY, *games.names()]
        with Vertical(classes="dialog"):
            yield Static("[bold]New game[/]  Up and Down select, Enter starts, Escape cancels")
            yield OptionList(*(Option(f"{name:<18}{_about(name)}", id=name) for name in names), id="new-games")
            for name, hint in (("seed", "any text; random if empty"), ("number", "0"), ("date", today().isoformat())):
                with Horizontal(classes="dialog-field"):
                    yield Static(name.capitalize(), classes="dialog-label")
                    yield Input(placeholder=hint, id=f"new-{name}", compact=True)
            yield Static(
                f"The date selects a daily puzzle. After {LAST_DATED}, the newspaper changed the order.",
                id="new-note",
                markup=False,
            )
            with Horizontal(classes="buttons"):
                yield Button("Start", id="new-begin", compact=True, variant="primary")

    def on_mount(self) -> None:
        """Select the game that was played last."""
        game_list = self.query_one("#new-games", OptionList)
        names = [DAILY, *games.names()]
        game_list.highlighted = names.index(self._game_id) if self._game_id in names else 0
        game_list.focus()

    @on(OptionList.OptionSelected, "#new-games")
    @on(Button.Pressed, "#new-begin")
    @on(Input.Submitted)
    def _begin(self) -> None:
        try:
            self.dismiss(self._read())
        except UserError as error:
            note = self.query_one("#new-note", Static)
            note.update(str(error))
            note.add_class("error")

    def _read(self) -> NewGame:
        seed, number, day = (self.query_one(f"#new-{name}", Input).value.strip() for name in ("seed", "number", "date"))
        game_list = self.query_one("#new-games", OptionList)
        option = game_list.get_option_at_index(game_list.highlighted or 0)
        if option.id == DAILY:
            try:
                return daily(date.fromisoformat(day) if day else today())
            except ValueError:
                raise UserError(f"the date must look like 2022-01-31, not {day[:20]!r}.") from None
        if number and not (number.isdecimal() and len(number) < 10):
            raise UserError(f"the number of a game must be 0 or more, not {number[:20]!r}.")
        return NewGame(str(option.id), seed or seeds.new_seed(), int(number or 0))

    def action_leave(self) -> None:
        """Go back to the game."""
        self.dismiss(None)


def _about(name: str) -> str:
    if name in ABOUT:
        return ABOUT[name]
    first_line = (games.game_class(name).__doc__ or "").strip().partition("\n")[0]
    return first_line.partition(":")[2].strip() or first_line
