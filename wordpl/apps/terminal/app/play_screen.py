"""The screen Play, for any game of the contest, and its texts."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import events
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.widget import Widget
from textual.widgets import Input, Static

from wordpl.apps.terminal.app import play_game, user_files, widgets
from wordpl.apps.terminal.app.app import BaseScreen
from wordpl.apps.terminal.app.setups import CONTEST, DEFAULT_GAME, WordChoice
from wordpl.apps.terminal.display import CONTRAST_EMOJI, EMOJI
from wordpl.apps.terminal.prompt import comparison, outcome
from wordpl.core.messages import UserError
from wordpl.core.moves import Move, NoisyMove, Verdict, budget_text
from wordpl.games import IllegalMoveError

MIN_ROWS = 6
N_LIKELY = 3
MAX_BAR = 22
MIN_SCALE = 0.05
"""The least probability that has the longest bar."""
BAR_EIGHTHS = " ▏▎▍▌▋▊▉"


@dataclass(frozen=True)
class Panel:
    """The contents of a panel, and its title."""

    title: str
    text: Text


NO_HINTS = Panel("Hints", Text("? shows the answers that are left, and a good next guess.", "dim"))


def title(game: play_game.PlayGame) -> str:
    """Return the title: the kind of game, its seed and number, or the day."""
    chosen = game.chosen
    if chosen.puzzle is not None:
        return f"Daily puzzle {chosen.number}, {chosen.puzzle}"
    number = f", game {chosen.number}" if chosen.number else ""
    words = f", {Path(chosen.answers).name}" if chosen.answers != CONTEST else ""
    return f"{chosen.game_id}{words}, seed {chosen.seed}{number}"


def welcome(game: play_game.PlayGame) -> Panel:
    """Return how to make the first move, and statistics of earlier games."""
    session = game.session
    lines = [f"The secret is one of {len(session.game.lists.answers):,} words of {game.length} letters."]
    if session.has_epsilon:
        lines.append("Type a word, its epsilon, and Enter: slate8. A higher epsilon gives truer clues; ! answers.")
    else:
        lines.append("Type a word and press Enter.")
    return Panel("How to play", Text("\n".join([*lines, "", *_summary(game)])))


def statistics(game: play_game.PlayGame) -> Panel:
    """Return statistics of the games of this kind."""
    return Panel("Your games", Text("\n".join([*_summary(game), "", f"File: {user_files.history_path()}"])))


def side_panel(game: play_game.PlayGame, letters: dict[str, Any] | None) -> Panel:
    """Return what a wide screen shows beside the game: the likeliest words of noisy games, else earlier games."""
    if letters is None:
        return Panel("Your games", Text("\n".join(_summary(game))))
    text = Text(f"{letters['bits']:.2f} bits left\n\n")
    largest = max([MIN_SCALE, *(chance for _, chance in letters["top"])])
    for word, chance in letters["top"]:
        if not chance:
            break
        full, eighths = divmod(round(8 * MAX_BAR * chance / largest), 8)
        text.append(f"{word} {widgets.percent(chance):>6} {'█' * full}{BAR_EIGHTHS[eighths].strip()}\n")
    return Panel("Likeliest words", text)


def _summary(game: play_game.PlayGame) -> list[str]:
    return list(
        user_files.summary(user_files.read_history(), game.session.game.facts.id, game.chosen.puzzle is not None)
    )


def board_rows(game: play_game.PlayGame) -> list[widgets.BoardRow]:
    """Return the rows of the board: the moves so far, the typed move, and empty rows."""
    session, draft = game.session, game.draft
    rows = [_shown(move) for move in session.moves]
    if not game.is_over:
        typed = " answer" if draft.is_answer else f" ε {draft.epsilon}_" if draft.epsilon else ""
        rows.append(widgets.BoardRow(draft.word, "", typed, is_selected=True))
    n_rows = session.game.facts.limit or MIN_ROWS
    return rows + [widgets.BoardRow()] * (n_rows - len(rows))


def _shown(move: Move) -> widgets.BoardRow:
    if isinstance(move, NoisyMove):
        return widgets.BoardRow(move.guess, move.clues, " answer" if move.is_answer else f" ε {move.epsilon:g}")
    return widgets.BoardRow(move.guess, move.clues)


def note(game: play_game.PlayGame, letters: dict[str, Any] | None) -> Text:
    """Return the text below the rows: the outcome, or the budget so far and the most likely words."""
    session = game.session
    if game.is_over:
        return Text(outcome(session), "bold").append(
            "\n\nCtrl+B copies the result, Ctrl+N starts a new game.", "not bold"
        )
    if session.has_epsilon:
        text = Text(f"Spent so far: {budget_text(session.spent)}\n", "bold")
    else:
        limit = session.game.facts.limit
        text = Text(f"Guess {len(session.moves) + 1}{f' of {limit}' if limit else ''}.")
    if session.leaves_a_set:
        return text
    text.append("" if session.has_epsilon else "\n")
    if game.draft.epsilon:
        text.append(f"{_price_of(game)}\n", "not bold")
    if letters:
        text.append(f"{letters['bits']:.1f} bits left\n", "not bold")
        if session.moves:
            likely = "\n".join(f"{word} {widgets.percent(chance)}" for word, chance in letters["top"][:N_LIKELY])
            text.append(likely, "not bold")
    return text


def _price_of(game: play_game.PlayGame) -> str:
    try:
        epsilon = float(game.draft.epsilon)
    except ValueError:
        return ""
    kept = game.session.kept(epsilon=epsilon)
    return f"ε {epsilon:g}: each mark is true with {widgets.percent(kept)}"


def price_table(message: dict[str, Any]) -> Panel:
    """Return a table of epsilons with the probability of true marks and the expected bits."""
    text = Text()
    text.append("epsilon  marks true   bits  bits per 10\n", "dim")
    for epsilon, keep, bits in message["rows"]:
        text.append(f"{epsilon:7g} {widgets.percent(keep):>11} {bits:6.2f} {10 * bits / epsilon:12.2f}\n")
    return Panel(f"Epsilons for {message['guess'].upper()}", text)


def review(game: play_game.PlayGame, theme: str, judged: Sequence[str] = ()) -> Panel:
    """Return the review of a finished game: its moves, seen and true clues, and a comparison with recorded entries.

    Args:
        game: The game.
        theme: The theme of the app.
        judged: The lines that say what each move was worth, once they have been computed.
    """
    session = game.session
    text = Text("".join(f"{line}\n" for line in judged) + ("\n" if judged else ""))
    if not session.is_exact:
        text.append("Seen and true clues\n", "dim")
        for move in session.moves_with_clues:
            true = session.game.clue(move.guess, session.secret)
            n_false = sum(a != b for a, b in zip(move.clues, true, strict=True))
            text.append_text(widgets.word_tiles(move.guess, move.clues, theme)).append("  ")
            text.append_text(widgets.word_tiles(move.guess, true, theme))
            text.append(f"  {n_false} false\n" if n_false else "\n")
    if session.has_epsilon:
        if session.verdict == Verdict.WON:
            text.append("\n" + "\n".join(comparison(session)) + "\n")
    else:
        text.append(share_text(game, theme) + "\n")
    return Panel("Review", text.append("\n" + "\n".join(_summary(game))))


def share_text(game: play_game.PlayGame, theme: str) -> str:
    """Return the share text; for a daily puzzle with the heading that Wordle uses."""
    squares = CONTRAST_EMOJI if theme == widgets.HIGH_CONTRAST else EMOJI
    text = game.session.share_text(squares=squares)
    if game.chosen.puzzle is None:
        return text
    n_guesses = len(game.session.moves_with_clues) if game.session.verdict == Verdict.WON else "X"
    return f"Wordle {game.chosen.number} {n_guesses}/{game.session.game.facts.limit}" + text[text.index("\n") :]


WORDS = "play"
LINES_BELOW = 12
"""The lines of the screen that the tiles leave to everything else."""
WIDE = 115
"""The columns of a screen with a third column of panels."""


class PlayScreen(BaseScreen):
    """The board, the keyboard, and a panel with hints, prices, the review of a game or statistics."""

    name_of_tab = "play"
    help_text = (
        "Play a game of the contest. Type a word and press Enter. In noisy games, type the epsilon after the word; a "
        "higher epsilon gives truer clues. An exclamation mark makes the word your answer. The keyboard shows what is "
        "known about each letter."
    )
    typed_keys = (
        ("a to z", "letters of the guess"),
        ("0 to 9, .", "noisy games: the epsilon of the guess"),
        ("!", "noisy games: answer with the word, which ends the game"),
        ("?", "hints: the remaining answers, and a good next guess"),
        ("Enter", "make the move"),
        ("Backspace", "delete the last character"),
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark", "hints", "Hints", key_display="?"),
        Binding("ctrl+n", "new", "New game"),
        Binding("ctrl+d", "daily", "Daily"),
        Binding("ctrl+b", "share", "Copy"),
        Binding("ctrl+s", "statistics", "Statistics"),
        Binding("ctrl+g", "give_up", "Give up"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self.game: play_game.PlayGame | None = None
        self.letters: dict[str, Any] | None = None
        self.prices: dict[str, Any] | None = None
        self._panel = NO_HINTS
        self._wanted_price: tuple[str, int] | None = None

    def compose_body(self) -> Iterable[Widget]:
        """Yield the board, the keyboard and the panel."""
        with Horizontal(id="play"):
            with Vertical(id="play-left"):
                with widgets.panel(VerticalScroll(id="play-rows", can_focus=False), "Play"):
                    yield widgets.TileBoard(id="play-board")
                yield widgets.panel(Static(id="play-note", markup=False), "Game")
            with Vertical(id="play-right"):
                with widgets.panel(Container(id="play-letters"), "Letters"):
                    yield widgets.Keyboard(id="play-keys")
                with widgets.panel(VerticalScroll(id="play-panel", can_focus=True), "Help"):
                    yield Static(id="play-text", markup=False)
            yield widgets.panel(Static(id="play-side", markup=False), "Your games")

    def on_mount(self) -> None:
        """Continue the saved game, unless the options name another one."""
        options = self.wordpl.options
        self.query_one(widgets.TileBoard).focus()
        asked_game = options.game_id or options.seed or {options.answers, options.guesses} != {CONTEST}
        saved_game = None
        try:
            saved_game = None if asked_game else play_game.resume()
        except UserError as error:
            self.say(error.message, is_error=True)
        if saved_game:
            self._show_game(saved_game)
            self.say("Your last game continues. Ctrl+N starts a new one.")
        elif asked_game:
            self.begin(
                play_game.NewGame(
                    options.game_id or DEFAULT_GAME,
                    options.seed or play_game.today().isoformat(),
                    options.number,
                    answers=options.answers,
                    guesses=options.guesses,
                )
            )
        else:
            self.action_daily()

    def begin(self, chosen: play_game.NewGame | None) -> None:
        """Start a game."""
        if chosen is None:
            return
        try:
            game = play_game.PlayGame.begin(chosen)
        except UserError as error:
            self.say(str(error), is_error=True)
            return
        play_game.forget()
        self._show_game(game)

    def _show_game(self, game: play_game.PlayGame) -> None:
        self.game, self.letters, self.prices, self._wanted_price = game, None, None, None
        for channel in ("play-letters", "play-price", "play-hints", "play-review"):
            self.client.cancel(channel)
        lists = game.session.game.lists
        self.client.define(WORDS, WordChoice(lists.answers, lists.guesses), game.session.game.clue_rule)
        self._request_letters()
        self._panel = welcome(game)
        self._draw()

    # Typing

    def on_key(self, event: events.Key) -> None:
        """Handle keys of the next move."""
        if self.game is None or isinstance(self.focused, Input):
            return
        if event.key in (widgets.ENTER, widgets.ERASE):
            self._press(event.key)
        elif not (event.is_printable and event.character and self.game.type(event.character)):
            return
        event.stop()
        event.prevent_default()
        self._typed()

    def on_keyboard_pressed(self, message: widgets.Keyboard.Pressed) -> None:
        """Handle a clicked key."""
        if self.game is not None:
            if message.key in (widgets.ENTER, widgets.ERASE):
                self._press(message.key)
            else:
                self.game.type(message.key)
            self._typed()

    def _press(self, key: str) -> None:
        assert self.game is not None
        if key == widgets.ERASE:
            self.game.erase()
            return
        if self.game.is_over:
            return
        try:
            self.game.play()
        except IllegalMoveError as error:
            self.say(str(error), is_error=True)
            return
        self.prices = None
        self._panel = NO_HINTS
        self.client.cancel("play-hints")
        self._request_letters()
        if self.game.is_over:
            self._review()

    def _review(self) -> None:
        """Show the review of the finished game, to which the worker adds what each move was worth."""
        assert self.game is not None
        self._panel = review(self.game, self.app.theme)
        self.client.submit("play-review", "review", self._receive_review, name=WORDS, **self.game.request())

    def _receive_review(self, message: dict[str, Any]) -> None:
        if message["kind"] == "review" and self.game is not None and self.game.is_over:
            self._panel = review(self.game, self.app.theme, message["lines"])
            self._draw()

    def _typed(self) -> None:
        self._request_price()
        self._draw()

    # Requests to the worker

    def _request_letters(self) -> None:
        if self.game is not None and not self.game.session.leaves_a_set:
            self.client.submit("play-letters", "letters", self._receive, name=WORDS, **self.game.request())

    def _request_price(self) -> None:
        game = self.game
        if game is None or not game.session.has_epsilon or len(game.draft.word) < game.length:
            return
        price_key = (game.draft.word, len(game.proposals))
        if price_key == self._wanted_price or game.draft.word not in game.session.game.lists.guess_set:
            return
        self._wanted_price, self.prices = price_key, None
        request = game.request()
        self.client.submit("play-price", "price", self._receive, name=WORDS, guess=price_key[0], **request)

    def _receive(self, message: dict[str, Any]) -> None:
        if message["kind"] == "letters":
            self.letters = message
        elif message["kind"] == "price":
            self.prices = message
        self._draw()

    def action_hints(self) -> None:
        """Request hints from the worker."""
        if self.game is not None and not self.game.is_over:
            self._panel = Panel("Hints", Text("Thinking ..."))
            self._draw()
            request = self.game.request()
            self.client.submit("play-hints", "hints", self._receive_hints, name=WORDS, **request)

    def _receive_hints(self, message: dict[str, Any]) -> None:
        if message["kind"] == "hints":
            self._panel = Panel("Hints", Text("\n".join(line.strip() for line in message["lines"])))
        elif message["kind"] == "error":
            self._panel = Panel("Hints", Text(message["message"], "bold red"))
        self._draw()

    # Other actions

    def action_new(self) -> None:
        """Choose another game."""
        options, chosen = self.wordpl.options, self.game and self.game.chosen
        game_id = chosen.game_id if chosen else play_game.DAILY
        self.app.push_screen(play_game.NewGameScreen(game_id, options.answers, options.guesses), self.begin)

    def action_daily(self) -> None:
        """Start today's puzzle."""
        try:
            self.begin(play_game.daily(play_game.today()))
        except UserError:  # the original order does not cover today
            self.begin(play_game.NewGame("wordle/1", play_game.today().isoformat()))

    def action_give_up(self) -> None:
        """Give up: end the game and show the secret."""
        if self.game is not None and not self.game.is_over:
            self.game.give_up()
            self._review()
            self._draw()

    def action_share(self) -> None:
        """Copy the share text of the finished game."""
        if self.game is None or not self.game.is_over:
            self.say("The game is not over yet.")
            return
        text = share_text(self.game, self.app.theme)
        self.app.copy_to_clipboard(text)
        self.say("Result copied.")

    def action_statistics(self) -> None:
        """Show statistics of all games so far."""
        if self.game is not None:
            self._panel = statistics(self.game)
            self._draw()

    # Drawing

    def _draw(self) -> None:
        game = self.game
        if game is None or not self.is_mounted:
            return
        is_wide = self.size.width >= WIDE
        self.query_one("#play").set_class(is_wide, "-wide")
        self.query_one(widgets.TileBoard).show(board_rows(game), game.length, self.size.height - LINES_BELOW)
        self.query_one("#play-rows").border_title = Text(title(game))
        self.query_one("#play-note", Static).update(note(game, None if is_wide else self.letters))
        marks = game.session.best_marks() if game.session.is_exact else {}
        chances = self.letters["chances"] if self.letters else {}
        self.query_one(widgets.Keyboard).show(marks, chances, has_digits=game.session.has_epsilon)
        is_pricing = self.prices is not None and not game.is_over and len(game.draft.word) == game.length
        shown = price_table(self.prices) if is_pricing and self.prices else self._panel
        self.query_one("#play-panel").border_title = Text(shown.title)
        self.query_one("#play-text", Static).update(shown.text)
        if is_wide:
            side, around = side_panel(game, self.letters), self.query_one("#play-side", Static)
            around.border_title = Text(side.title)
            around.update(side.text)

    def on_resize(self) -> None:
        """Adapt to the new size."""
        self._draw()

    def worker_changed(self) -> None:
        """Redraw, since hints may be available now."""
        self._draw()
