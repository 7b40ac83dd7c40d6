"""The texts of the screen Play."""

from dataclasses import dataclass
from typing import Any

from rich.text import Text

from wordpl.core.clues import keep_probability
from wordpl.core.moves import Move, NoisyMove, Verdict
from wordpl.terminal.app import history
from wordpl.terminal.app.board import BoardRow
from wordpl.terminal.app.play_game import PlayGame
from wordpl.terminal.app.style import HIGH_CONTRAST, percent, word_tiles
from wordpl.terminal.game_over import comparison, outcome
from wordpl.terminal.screen import CONTRAST_EMOJI, EMOJI

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


def title(game: PlayGame) -> str:
    """Return the title: the kind of game, its seed and number, or the day."""
    chosen = game.chosen
    if chosen.puzzle is not None:
        return f"Daily puzzle {chosen.number}, {chosen.puzzle}"
    number = f", game {chosen.number}" if chosen.number else ""
    return f"{chosen.game_id}, seed {chosen.seed}{number}"


def welcome(game: PlayGame) -> Panel:
    """Return how to make the first move, and statistics of earlier games."""
    session = game.session
    lines = [f"The secret is one of {len(session.game.lists.answers):,} words of {game.length} letters."]
    if session.has_epsilon:
        lines.append("Type a word, its epsilon, and Enter: slate8. A higher epsilon gives truer clues; ! answers.")
    else:
        lines.append("Type a word and press Enter.")
    return Panel("How to play", Text("\n".join([*lines, "", *_summary(game)])))


def statistics(game: PlayGame) -> Panel:
    """Return statistics of the games of this kind."""
    return Panel("Your games", Text("\n".join([*_summary(game), "", f"File: {history.path()}"])))


def side(game: PlayGame, letters: dict[str, Any] | None) -> Panel:
    """Return what a wide screen shows beside the game: the likeliest words of noisy games, else earlier games."""
    if letters is None:
        return Panel("Your games", Text("\n".join(_summary(game))))
    text = Text(f"{letters['bits']:.2f} bits left\n\n")
    largest = max([MIN_SCALE, *(chance for _, chance in letters["top"])])
    for word, chance in letters["top"]:
        if not chance:
            break
        full, eighths = divmod(round(8 * MAX_BAR * chance / largest), 8)
        text.append(f"{word} {percent(chance):>6} {'█' * full}{BAR_EIGHTHS[eighths].strip()}\n")
    return Panel("Likeliest words", text)


def _summary(game: PlayGame) -> list[str]:
    return list(history.summary(history.read(), game.session.game.facts.id, game.chosen.puzzle is not None))


def board_rows(game: PlayGame) -> list[BoardRow]:
    """Return the rows of the board: the moves so far, the typed move, and empty rows."""
    session, draft = game.session, game.draft
    rows = [_shown(move) for move in session.moves]
    if not game.is_over:
        typed = " answer" if draft.is_answer else f" ε {draft.epsilon}_" if draft.epsilon else ""
        rows.append(BoardRow(draft.word, "", typed, is_selected=True))
    n_rows = session.game.facts.limit or MIN_ROWS
    return rows + [BoardRow()] * (n_rows - len(rows))


def _shown(move: Move) -> BoardRow:
    if isinstance(move, NoisyMove):
        return BoardRow(move.guess, move.clues, " answer" if move.is_answer else f" ε {move.epsilon:g}")
    return BoardRow(move.guess, move.clues)


def note(game: PlayGame, letters: dict[str, Any] | None) -> Text:
    """Return the text below the rows: the outcome, or the budget so far and the most likely words."""
    session = game.session
    if game.is_over:
        return Text(outcome(session), "bold").append(
            "\n\nCtrl+B copies the result, Ctrl+N starts a new game.", "not bold"
        )
    if session.has_epsilon:
        text = Text(f"Spent so far: {session.spent:g}\n", "bold")
    else:
        limit = session.game.facts.limit
        text = Text(f"Guess {len(session.moves) + 1}{f' of {limit}' if limit else ''}.")
    if session.is_exact:
        return text
    text.append("" if session.has_epsilon else "\n")
    if game.draft.epsilon:
        text.append(f"{_price_of(game)}\n", "not bold")
    if letters:
        text.append(f"{letters['bits']:.1f} bits left\n", "not bold")
        if session.moves:
            likely = "\n".join(f"{word} {percent(chance)}" for word, chance in letters["top"][:N_LIKELY])
            text.append(likely, "not bold")
    return text


def _price_of(game: PlayGame) -> str:
    try:
        epsilon = float(game.draft.epsilon)
    except ValueError:
        return ""
    return f"ε {epsilon:g}: each mark is true with {percent(keep_probability(epsilon, game.length))}"


def marks_known(game: PlayGame) -> dict[str, str]:
    """Return the most informative mark of each guessed letter."""
    return game.session.best_marks()


def price_table(message: dict[str, Any]) -> Panel:
    """Return a table of epsilons with the probability of true marks and the expected bits."""
    text = Text()
    text.append("epsilon  marks true   bits  bits per 10\n", "dim")
    for epsilon, keep, bits in message["rows"]:
        text.append(f"{epsilon:7g} {percent(keep):>11} {bits:6.2f} {10 * bits / epsilon:12.2f}\n")
    return Panel(f"Epsilons for {message['guess'].upper()}", text)


def review(game: PlayGame, theme: str) -> Panel:
    """Return the review of a finished game: seen and true clues, and a comparison with recorded entries."""
    session = game.session
    text = Text()
    if not session.is_exact:
        text.append("Seen and true clues\n", "dim")
        for move in session.moves_with_clues:
            true = session.game.clue(move.guess, session.secret)
            n_false = sum(a != b for a, b in zip(move.clues, true, strict=True))
            text.append_text(word_tiles(move.guess, move.clues, theme)).append("  ")
            text.append_text(word_tiles(move.guess, true, theme))
            text.append(f"  {n_false} false\n" if n_false else "\n")
    if session.has_epsilon:
        if session.verdict == Verdict.WON:
            text.append("\n" + "\n".join(comparison(session)) + "\n")
    else:
        text.append(share_text(game, theme) + "\n")
    return Panel("Review", text.append("\n" + "\n".join(_summary(game))))


def share_text(game: PlayGame, theme: str) -> str:
    """Return the share text; for a daily puzzle with the heading that Wordle uses."""
    squares = CONTRAST_EMOJI if theme == HIGH_CONTRAST else EMOJI
    text = game.session.share_text(squares=squares)
    if game.chosen.puzzle is None:
        return text
    n_guesses = len(game.session.moves_with_clues) if game.session.verdict == Verdict.WON else "X"
    return f"Wordle {game.chosen.number} {n_guesses}/{game.session.game.facts.limit}" + text[text.index("\n") :]
