"""A game that a person plays in the app, and the dialog that starts one.

It is saved after each move, and added to the history at its end.
"""

from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, OptionList, Static
from textual.widgets.option_list import Option

from wordpl import games
from wordpl.apps.terminal.app import user_files
from wordpl.apps.terminal.app.setups import CONTEST, lists_of
from wordpl.apps.terminal.prompt import sessions
from wordpl.contest.session import Session
from wordpl.core import seeds, words
from wordpl.core.known_answers import LAST_DATED
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.core.words import FIRST_PUZZLE_DAY, WordLists
from wordpl.games import IllegalMoveError

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
        answers, guesses: The word lists, see `setups.lists_of`.
    """

    game_id: str
    seed: str
    number: int = 0
    secret: str = ""
    puzzle: date | None = None
    answers: str = CONTEST
    guesses: str = CONTEST

    @property
    def lists(self) -> WordLists:
        """The words of the game. Raises UserError if they cannot be read."""
        return lists_of(self.answers, self.guesses)


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

    def __init__(self, game_id: str, answers: str = CONTEST, guesses: str = CONTEST) -> None:
        super().__init__()
        self._game_id = game_id
        self._answers, self._guesses = answers, guesses

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
        chosen = NewGame(str(option.id), seed or seeds.new_seed(), int(number or 0))
        return replace(chosen, answers=self._answers, guesses=self._guesses)

    def action_leave(self) -> None:
        """Go back to the game."""
        self.dismiss(None)


def _about(name: str) -> str:
    if name in ABOUT:
        return ABOUT[name]
    first_line = (games.game_class(name).__doc__ or "").strip().partition("\n")[0]
    return first_line.partition(":")[2].strip() or first_line


class _SavedGame(msgspec.Struct):
    chosen: NewGame
    proposals: list[Any]
    sha256: dict[str, str] = {}  # of the word lists; missing in files of release 1, whose words are the contest's


@dataclass
class Draft:
    """The next move as typed so far."""

    word: str = ""
    epsilon: str = ""
    is_answer: bool = False


@dataclass
class PlayGame:
    """A session with the move that is being typed.

    Attributes:
        chosen: The options with which the game was started.
        proposals: The moves as they were proposed to the game.
        draft: The next move as typed so far.
    """

    session: Session
    chosen: NewGame
    proposals: list[Any] = field(default_factory=list)
    draft: Draft = field(default_factory=Draft)
    has_given_up: bool = False

    @classmethod
    def begin(cls, chosen: NewGame) -> "PlayGame":
        """Start a game. Raises UserError for a game that can't be played."""
        game = games.make_game(chosen.game_id, chosen.lists)
        return cls(next(sessions(game, chosen.seed, chosen.number, chosen.secret or None)), chosen)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended or was given up."""
        return self.session.verdict is not None or self.has_given_up

    @property
    def length(self) -> int:
        """The number of letters of a word."""
        return self.session.game.lists.length

    def type(self, key: str) -> bool:
        """Add a letter, a digit or "!" to the next move; return whether it was accepted."""
        draft, has_epsilon = self.draft, self.session.has_epsilon
        if self.is_over or len(key) != 1:
            return False
        if key.isascii() and key.isalpha() and len(draft.word) < self.length:
            draft.word += key.lower()
        elif has_epsilon and key == "!":
            draft.is_answer = not draft.is_answer
        elif has_epsilon and key in "0123456789." and not draft.is_answer and len(draft.epsilon) < 6:
            draft.epsilon += key
        else:
            return False
        return True

    def erase(self) -> None:
        """Delete the last typed character."""
        draft = self.draft
        if draft.is_answer:
            draft.is_answer = False
        elif draft.epsilon:
            draft.epsilon = draft.epsilon[:-1]
        else:
            draft.word = draft.word[:-1]

    def play(self) -> None:
        """Make the typed move. Raises IllegalMoveError, which leaves the game unchanged."""
        self.make(self._proposal())
        self.draft = Draft()

    def make(self, proposal: Any) -> None:
        """Make a move and save the game."""
        self.session.play(proposal)
        self.proposals.append(proposal)
        self.keep()

    def _proposal(self) -> Any:
        draft = self.draft
        if len(draft.word) < self.length:
            raise IllegalMoveError(f"a word must have {self.length} letters")
        if not self.session.has_epsilon:
            return draft.word
        if draft.is_answer:
            return draft.word, 0
        if not draft.epsilon:
            raise IllegalMoveError("type the epsilon after the word, or ! to answer with it")
        try:
            epsilon = float(draft.epsilon)
        except ValueError:
            raise IllegalMoveError(f"the epsilon must be a number, not {draft.epsilon!r}") from None
        if epsilon == 0:
            raise IllegalMoveError("the epsilon must be above 0; type ! to answer with the word")
        return draft.word, epsilon

    def give_up(self) -> None:
        """End the game without a verdict; it counts as unsolved."""
        self.has_given_up = True
        self.keep()

    def keep(self) -> None:
        """Save an unfinished game for the next start; add a finished one to the history."""
        if not self.is_over:
            saved_game = _SavedGame(self.chosen, self.proposals, self.session.game.lists.sha256)
            user_files.write_json(_path(), saved_game)
            return
        forget()
        user_files.add_to_history(
            user_files.HistoryGame(
                user_files.now(),
                self.session.game.facts.id,
                self.session.verdict or Verdict.UNSOLVED,
                len(self.session.moves_with_clues),
                self.session.spent,
                self.chosen.seed,
                self.chosen.number,
                self.chosen.puzzle,
            )
        )

    def request(self) -> dict[str, Any]:
        """Return the game as arguments of the worker's tasks."""
        return {
            "game": self.session.game.facts.id,
            "seed": self.session.seed,
            "number": self.session.number,
            "secret": self.session.secret,
            "proposals": self.proposals,
        }


def _path() -> Path:
    return user_files.folder() / "playing.json"


def forget() -> None:
    """Delete the saved game."""
    _path().unlink(missing_ok=True)


def resume() -> PlayGame | None:
    """Return the saved game, or None if there is none that can be continued.

    Raises:
        UserError: Its word lists have changed.
    """
    try:
        saved_game = msgspec.convert(user_files.read_json(_path()), _SavedGame)
        game = PlayGame.begin(saved_game.chosen)
    except (msgspec.ValidationError, UserError):
        return None
    if saved_game.sha256 and saved_game.sha256 != game.session.game.lists.sha256:
        raise UserError("the word lists of your last game have changed since, so that it cannot continue.")
    try:
        game.proposals = [tuple(move) if isinstance(move, list) else move for move in saved_game.proposals]
        for proposal in game.proposals:
            game.session.play(proposal)
    except IllegalMoveError:
        return None
    return None if game.is_over else game
