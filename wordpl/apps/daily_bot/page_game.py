"""Plays one game on a page in a Chromium browser; its result as share text, record, league line and picture."""

import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path

from playwright.sync_api import BrowserContext, Error, Playwright, ViewportSize, sync_playwright

from wordpl.apps.daily_bot import PageError, TransientPageError
from wordpl.apps.daily_bot.adapters import Adapter
from wordpl.apps.daily_bot.guessers import Guesser
from wordpl.contest.session import emoji_rows
from wordpl.core.clues import CLUE_RULES
from wordpl.core.messages import UserError
from wordpl.core.moves import Move, NoisyMove, Verdict, budget_text, total_epsilon
from wordpl.core.puzzles import number_on
from wordpl.games import game_class
from wordpl.run.records import Record

BROWSER = "WORDPL_BROWSER"
"""The environment variable with the path of the browser's executable."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
VIEWPORT: ViewportSize = {"width": 1000, "height": 1100}
NAVIGATION_MS = 30_000


def find_browser() -> str | None:
    """Return the executable of the system's Chromium, or None."""
    named = os.environ.get(BROWSER)
    return named or next((program for name in NAMES if (program := shutil.which(name))), None)


@contextmanager
def browser_context(
    program: str | None = None, profile: Path | None = None, shows: bool = False
) -> Iterator[BrowserContext]:
    """Yield a browser context, and close the browser afterwards.

    Args:
        program: The browser's executable; None for Playwright's if it is installed, otherwise the system's.
        profile: A folder that keeps cookies and storage between runs; None keeps nothing.
        shows: Whether the browser's window is shown.

    Raises:
        UserError: There is no browser, or it does not start.
    """
    with sync_playwright() as playwright:
        chosen_program = program or _program(playwright)
        try:
            context = _context(playwright, chosen_program, profile, not shows)
        except Error as error:
            reason = error.message.partition("\n")[0]
            raise UserError(f"the browser {chosen_program or 'of Playwright'} does not start: {reason}") from None
        context.set_default_timeout(NAVIGATION_MS)
        try:
            yield context
        finally:
            browser = context.browser
            context.close()
            if browser is not None:
                browser.close()


def _program(playwright: Playwright) -> str | None:
    if os.environ.get(BROWSER) or not Path(playwright.chromium.executable_path).exists():
        program = find_browser()
        if program is None:
            raise UserError(
                "no browser was found: run `playwright install chromium`, install Chromium "
                f"(Debian: apt-get install chromium), or set {BROWSER} to its path."
            )
        return program
    return None


def _context(playwright: Playwright, program: str | None, profile: Path | None, headless: bool) -> BrowserContext:
    permissions = ["clipboard-read", "clipboard-write"]
    if profile is not None:
        return playwright.chromium.launch_persistent_context(
            profile,
            executable_path=program,
            headless=headless,
            viewport=VIEWPORT,
            permissions=permissions,
        )
    browser = playwright.chromium.launch(executable_path=program, headless=headless)
    return browser.new_context(viewport=VIEWPORT, permissions=permissions)


MAX_REFUSED = 60
"""The maximum number of refused words in one game."""
N_TRIES = 3
Progress = Callable[[str], None]


@dataclass(frozen=True)
class PageGame:
    """A game that was played on a page.

    Attributes:
        moves: The rows of the page.
        n_found: The number of rows that were there before the bot started.
        refused: The words that the page refused.
        share_text: The page's own share text; "" if it has none.
        day: The day of the puzzle; None if the page has a new puzzle for each player.
        day_shared: The day of the puzzle that the share text names; None if it names none.
    """

    adapter: str
    game_id: str
    moves: tuple[Move, ...]
    verdict: Verdict
    n_found: int
    refused: tuple[str, ...]
    share_text: str
    day: date | None = None
    day_shared: date | None = None


def play_with_tries(
    adapter: Adapter, url: str, guesser: Guesser, progress: Progress, day: date | None = None
) -> PageGame:
    """Play the page, and reload it up to twice if it does not answer.

    Moves of earlier attempts stay on the page and are read from it.

    Args:
        day: The day of the puzzle, for a page that does not say it.

    Raises:
        PageError: The page is not as the adapter expects, or did not answer in three attempts.
    """
    for n_tried in range(1, N_TRIES):
        try:
            return play(adapter, url, guesser, progress, day)
        except TransientPageError as error:
            progress(f"attempt {n_tried} of {N_TRIES}: {error.message}")
            adapter.page.wait_for_timeout(1000 * adapter.patience.pause_s)
    return play(adapter, url, guesser, progress, day)


def play(adapter: Adapter, url: str, guesser: Guesser, progress: Progress, given: date | None = None) -> PageGame:
    """Open the page and play until the game has ended.

    Raises:
        PageError: The page cannot be played, or its day is unknown or not the given one.
    """
    adapter.open(url)
    moves, day = adapter.moves(), _day(adapter, given)
    n_found, refused = len(moves), list[str]()
    for _ in range(MAX_REFUSED + game_class(adapter.game_id).max_guesses):
        verdict = adapter.verdict(moves)
        if verdict is not None or adapter.is_over():
            share = _share_text(adapter, progress)
            day_shared = adapter.day_shared(share)
            day = day or day_shared
            _require_day(adapter, day)
            ended = verdict or Verdict.UNSOLVED
            game_id = guesser.game_id(adapter.game_id)
            return PageGame(adapter.name, game_id, tuple(moves), ended, n_found, tuple(refused), share, day, day_shared)
        _require_day(adapter, day)
        proposal = guesser.proposal(adapter.game_id, moves, refused)
        adapter.enter(proposal, len(moves))
        why = adapter.reply(proposal[0], len(moves))
        if why:
            progress(f"{proposal[0]} was refused: {why[:80]}")
            refused.append(proposal[0])
            guesser.refused(why)
            continue
        moves = _with_new_row(adapter, moves, proposal[0])
        progress(f"{moves[-1].guess} {moves[-1].clues}")
    last_refused = ", ".join(refused[-3:])
    raise PageError(f"the page has refused {len(refused)} words, most recently {last_refused}: check --guesses.")


def _day(adapter: Adapter, given: date | None) -> date | None:
    shown = adapter.day()
    if shown and given and shown != given:
        raise PageError(f"the page has the puzzle of {shown}, not that of {given}.")
    return shown or given


def _require_day(adapter: Adapter, day: date | None) -> None:
    if adapter.is_daily and day is None:
        raise PageError(
            "neither the page nor its address says of which day the puzzle is, so that its result would count for the "
            "wrong day: give it with --day 2026-01-31."
        )


def _share_text(adapter: Adapter, progress: Progress) -> str:
    """Return the page's own share text; "" if it cannot be read."""
    try:
        return adapter.share_text()
    except PageError as error:
        progress(f"could not read the page's share text: {error.message}")
        return ""


def _with_new_row(adapter: Adapter, moves: list[Move], word: str) -> list[Move]:
    """Return the page's rows. Raises PageError unless they are the known rows and a new one with the typed word."""
    page_moves = adapter.moves()
    if not page_moves or [*page_moves[:-1]] != moves or page_moves[-1].guess != word:
        page_words = ", ".join(move.guess for move in page_moves)
        raise PageError(f"after typing {word} as guess {len(moves) + 1}, the rows on the page are: {page_words}.")
    return page_moves


GAMES_APART = 1_000_000
"""The distance of the records of several games of a day; no puzzle has such a number."""
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
        nth: The number of the game among those of the day, from 1, on a page with a new puzzle for each game.
    """

    game: PageGame
    strategy: str
    day: date
    nth: int = 1

    @property
    def key(self) -> str:
        """The key of the game."""
        nth = f"-{self.nth}" if self.nth > 1 else ""
        return f"{self.game.adapter}-{self.game.game_id.replace('/', '-')}-{self.day.isoformat()}{nth}"

    @property
    def number(self) -> int:
        """The number of the puzzle, counted from the first day of Wordle."""
        return number_on(self.day)

    @property
    def record_number(self) -> int:
        """The number of the record: that of the puzzle, plus GAMES_APART for each earlier game of the day."""
        return self.number + GAMES_APART * (self.nth - 1)

    def is_of_day(self, record_number: int) -> bool:
        """Return whether the record with this number is of the same day."""
        return record_number % GAMES_APART == self.number

    def nth_of(self, record_number: int) -> int:
        """Return the number of a record's game among those of its day."""
        return 1 + record_number // GAMES_APART

    @property
    def words(self) -> tuple[str, ...]:
        """The guesses with clues."""
        return tuple(move.guess for move in self._clued)

    @property
    def _clued(self) -> list[Move]:
        return [move for move in self.game.moves if move.clues]

    @property
    def head(self) -> str:
        """The first line of the share text."""
        game_class_ = game_class(self.game.game_id)
        won = self.game.verdict == Verdict.WON
        if game_class_.facts.has_epsilon:
            n_guesses = sum(bool(move.clues) for move in self.game.moves)
            cost = f"budget {budget_text(total_epsilon(self.game.moves))}" if won else "X"
            return f"{self._title} {cost}, {n_guesses} guess{'' if n_guesses == 1 else 'es'}"
        n_guesses_text = str(len(self.game.moves)) if won else "X"
        limit = f"/{game_class_.facts.limit}" if game_class_.facts.limit else ""
        return f"{self._title} {n_guesses_text}{limit}{game_class_.share_mark}"

    @property
    def _title(self) -> str:
        return (
            f"Wordle {self.number:,}"
            if self.game.adapter == "nyt"
            else f"{self.game.adapter} {self.day.isoformat()}{f' ({self.nth})' if self.nth > 1 else ''}"
        )

    def text(self) -> str:
        """Return the share text: the heading and a row of squares for each guess."""
        return "\n".join([self.head, "", *emoji_rows(self._clued)])

    def difference(self) -> str:
        """Return how the page's share text differs from its tiles; "" if it agrees or does not exist."""
        if not self.game.share_text:
            return ""
        shared = [line.split(" ")[0] for line in self.game.share_text.replace("\ufe0f", "").splitlines()]
        page_rows = [line.translate(_CANONICAL) for line in shared if _SQUARES.match(line)]
        own_rows = [row.split(" ")[0].translate(_CANONICAL) for row in emoji_rows(self._clued)]
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
        return Record(self.record_number, secret, list(self.game.moves), self.game.verdict, message)

    def league_line(self) -> str:
        """Return the result in the format of `wordpl league import`: a name, and Wordle's share text."""
        n_guesses = str(len(self.game.moves)) if self.game.verdict == Verdict.WON else "X"
        mark = game_class(self.game.game_id).share_mark
        rows = emoji_rows(self._clued)
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
