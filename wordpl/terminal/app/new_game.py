"""The dialog for a new game: a game of the contest with a seed, or the daily puzzle of a date."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from wordpl import games
from wordpl.core import seeds, words
from wordpl.core.errors import UserError
from wordpl.lexicon.known_answers import FIRST_PUZZLE, LAST_DATED

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
    number = (day - FIRST_PUZZLE).days
    if not 0 <= number < len(order):
        raise UserError(f"{day} has no puzzle: the original order covers 2,315 days from {FIRST_PUZZLE} on.")
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
