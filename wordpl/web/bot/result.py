"""The result of a game on a page: its share text, its record, its line for the league, and its picture."""

import re
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path

from playwright.sync_api import BrowserContext

from wordpl.contest.session import emoji_rows
from wordpl.core.clues import CLUE_RULES
from wordpl.core.moves import NoisyMove, Verdict, total_epsilon
from wordpl.games import game_class
from wordpl.league.puzzles import number_on
from wordpl.run.records import Record
from wordpl.web.bot.game import PageGame

_SQUARES = re.compile(r"^[⬛⬜🟨🟦🟩🟧]+$")
_CANONICAL = str.maketrans("⬜🟦🟧", "⬛🟨🟩")
SIDE, GAP, MARGIN = 62, 6, 16
SCALE = 3
"""Pixels of a picture for each unit of the drawing, so that it is sharp on phones and dense screens."""
COLOURS = {"c": "#538d4e", "i": "#b59f3b", ".": "#787c7e"}


@dataclass(frozen=True)
class Result:
    """The result of a game.

    Attributes:
        strategy: The name of the strategy that chose the guesses.
        day: The day of the puzzle, or of the game if the page has a new puzzle for each player.
    """

    game: PageGame
    strategy: str
    day: date

    @property
    def key(self) -> str:
        """The key of the puzzle; each page has one puzzle per day."""
        return f"{self.game.adapter}-{self.game.game_id.replace('/', '-')}-{self.day.isoformat()}"

    @property
    def number(self) -> int:
        """The number of the puzzle, counted from the first day of Wordle."""
        return number_on(self.day)

    @property
    def head(self) -> str:
        """The first line of the share text."""
        game_class_ = game_class(self.game.game_id)
        won = self.game.verdict == Verdict.WON
        if game_class_.facts.has_epsilon:
            n_guesses = sum(bool(move.clues) for move in self.game.moves)
            cost = f"budget {total_epsilon(self.game.moves):g}" if won else "X"
            return f"{self._title} {cost}, {n_guesses} guess{'' if n_guesses == 1 else 'es'}"
        n_guesses_text = str(len(self.game.moves)) if won else "X"
        limit = f"/{game_class_.facts.limit}" if game_class_.facts.limit else ""
        return f"{self._title} {n_guesses_text}{limit}{game_class_.share_mark}"

    @property
    def _title(self) -> str:
        return (
            f"Wordle {self.number:,}" if self.game.adapter == "nyt" else f"{self.game.adapter} {self.day.isoformat()}"
        )

    def text(self, spoilers: bool = False) -> str:
        """Return the share text: the heading and a row of squares for each guess; `spoilers` adds the words."""
        rows = []
        clued = [move for move in self.game.moves if move.clues]
        for move, squares in zip(clued, emoji_rows(clued), strict=True):
            rows.append(f"{squares} {move.guess}" if spoilers else squares)
        return "\n".join([self.head, "", *rows])

    def difference(self) -> str:
        """Return how the page's share text differs from its tiles; "" if it agrees or does not exist."""
        if not self.game.share_text:
            return ""
        shared = [line.split(" ")[0] for line in self.game.share_text.replace("\ufe0f", "").splitlines()]
        page_rows = [line.translate(_CANONICAL) for line in shared if _SQUARES.match(line)]
        own_rows = [
            row.split(" ")[0].translate(_CANONICAL)
            for row in emoji_rows([move for move in self.game.moves if move.clues])
        ]
        if page_rows == own_rows:
            return ""
        return f"the page shares {len(page_rows)} rows {page_rows}, but its tiles show {len(own_rows)} rows {own_rows}"

    def other_day(self) -> str:
        """Return that the page's share text names the puzzle of another day; "" if it does not."""
        shared = self.game.day_shared
        if shared in (None, self.day):
            return ""
        return f"the page shares the puzzle of {shared}, but its puzzle is that of {self.day}"

    def false_marks(self) -> list[str]:
        """Return messages about rows with wrong marks, for a game with true clues and a known secret."""
        game = game_class(self.game.game_id)
        secret = self.record().secret
        if not secret or not game.facts.is_exact:
            return []
        rule = CLUE_RULES[game.clue_rule]
        return [
            f"the page marks {move.guess} {move.clues}, but the rules require {rule(move.guess, secret)}"
            for move in self.game.moves
            if move.clues != rule(move.guess, secret)
        ]

    def record(self) -> Record:
        """Return the game as a record; its secret is empty if the game was not won."""
        last_move = self.game.moves[-1] if self.game.moves else None
        won = last_move is not None and self.game.verdict == Verdict.WON
        is_answer = not isinstance(last_move, NoisyMove) or last_move.is_answer
        secret = (
            last_move.guess
            if won and last_move and is_answer and game_class(self.game.game_id).facts.has_secret
            else ""
        )
        message = f"refused: {', '.join(self.game.refused)}" if self.game.refused else ""
        return Record(self.number, secret, list(self.game.moves), self.game.verdict, message)

    def league_line(self) -> str:
        """Return the result in the format of `wordpl league import`: a name, and Wordle's share text."""
        n_guesses = str(len(self.game.moves)) if self.game.verdict == Verdict.WON else "X"
        mark = game_class(self.game.game_id).share_mark
        rows = emoji_rows([move for move in self.game.moves if move.clues])
        return "\n".join([f"{self.strategy}:", f"Wordle {self.number:,} {n_guesses}/6{mark}", "", *rows, ""])


def draw_tiles(context: BrowserContext, result: Result, path: Path, spoilers: bool) -> None:
    """Write the tiles to a PNG file, with letters only if `spoilers` is set."""
    page = context.new_page()
    try:
        page.set_content(f"<!doctype html><body style='margin:0'>{as_svg(result, spoilers)}</body>")
        page.locator("svg").screenshot(path=path)
    finally:
        page.close()


def as_svg(result: Result, spoilers: bool) -> str:
    """Return the tiles as SVG, with letters only if `spoilers` is set."""
    moves = [move for move in result.game.moves if move.clues]
    length = max((len(move.guess) for move in moves), default=5)
    width = 2 * MARGIN + length * (SIDE + GAP) - GAP
    height = 2 * MARGIN + max(1, len(moves)) * (SIDE + GAP) - GAP + 30
    parts = [f"<text x='{MARGIN}' y='{MARGIN + 12}' font-size='17'>{escape(result.head)}</text>"]
    for i, move in enumerate(moves):
        for j, (letter, mark) in enumerate(zip(move.guess, move.clues, strict=True)):
            x, y = MARGIN + j * (SIDE + GAP), MARGIN + 30 + i * (SIDE + GAP)
            parts.append(f"<rect x='{x}' y='{y}' width='{SIDE}' height='{SIDE}' rx='3' fill='{COLOURS[mark]}'/>")
            if spoilers:
                position = f"x='{x + SIDE / 2}' y='{y + SIDE * 0.7}' text-anchor='middle'"
                parts.append(f"<text {position} font-size='36' font-weight='700' fill='#fff'>{letter.upper()}</text>")
    size = f"width='{SCALE * width}' height='{SCALE * height}' viewBox='0 0 {width} {height}'"
    head = f"xmlns='http://www.w3.org/2000/svg' {size} font-family='sans-serif'"
    return f"<svg {head}><rect width='100%' height='100%' fill='#fff'/>{''.join(parts)}</svg>"
