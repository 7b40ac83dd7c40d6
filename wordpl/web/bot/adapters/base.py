"""What every adapter is: the shape of a page, and how to act on it."""

import time
from abc import ABC
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from playwright.sync_api import Error, Page, TimeoutError

from wordpl.core.game_kinds import GameKind
from wordpl.core.moves import ClassicMove, Move, NoisyMove
from wordpl.core.records import Verdict
from wordpl.games import game_class
from wordpl.web.bot.errors import PageError, TransientPageError

PAGE_JS = Path(__file__).parent.parent / "page.js"
POLL_S = 0.05
MAX_DIALOGS = 10
MAX_TYPED = 4
T = TypeVar("T")


@dataclass(frozen=True)
class PageShape:
    """Where a page shows its game.

    Attributes:
        row: CSS selector of a row; `tile`: of a tile in a row.
        marks: pairs of a selector that a tile matches, and the mark that it then shows.
        letter: the attribute of a tile that holds its letter; "" for the tile's own text.
        refused: selector of what shows that a word was refused; `refused_text`: a regular expression for its text.
        dialogs: what is clicked before the game, as far as it is there, in this order.
    """

    row: str
    tile: str
    marks: tuple[tuple[str, str], ...]
    letter: str = ""
    refused: str = ""
    refused_text: str = ""
    dialogs: tuple[str, ...] = ()


class Patience(NamedTuple):
    """How many seconds the bot waits.

    Attributes:
        open_s: for the page to open.
        row_s: for a row to be judged.
        refusal_s: for a row to begin to be judged, where the page does not say that it refuses the word.
        typed_s: for a word to appear that was typed.
        share_s: for the button that copies the result.
    """

    open_s: float = 30.0
    row_s: float = 15.0
    refusal_s: float = 3.0
    typed_s: float = 2.0
    share_s: float = 3.0


class Adapter(ABC):
    """One site's page. Subclasses set the class attributes; few need to override a method."""

    name: ClassVar[str]
    about: ClassVar[str]
    """What the page is, and how far the adapter has been tested."""
    shape: ClassVar[PageShape]
    game_id: str = "wordle/1"
    """The game that the page plays; an adapter may find out when it opens the page."""
    share_text_selector: ClassVar[str] = ""
    """What shows the page's own text for sharing."""
    share_button: ClassVar[str] = ""
    """What copies the page's own text for sharing."""

    def __init__(self, page: Page, patience: Patience | None = None):
        self.page, self.patience = page, patience or Patience()

    def open(self, url: str) -> None:
        """Open the page and get past its dialogs. Raises PageError where no game appears."""
        self._guarded(lambda: self.page.goto("about:blank"))  # else a new fragment alone would not load the page anew
        self._guarded(lambda: self.page.goto(url, timeout=1000 * self.patience.open_s, wait_until="domcontentloaded"))
        self.wait(lambda: self.is_ready() or self.dismiss_dialogs(), self.patience.open_s, self.shape.row)
        self.dismiss_dialogs()

    def is_ready(self) -> bool:
        """Return whether the game's rows are there."""
        return self.page.locator(f"{self.shape.row} {self.shape.tile}").count() > 0

    def dismiss_dialogs(self) -> bool:
        """Click away what lies over the game; returns False, because the game itself may still be missing."""
        for _ in range(MAX_DIALOGS):
            if not any(self._clicked(selector) for selector in self.shape.dialogs):
                break
        return False

    def _clicked(self, selector: str) -> bool:
        """Return whether there was something to click; what another dialog covers is left for later."""
        found = self._visible(selector)
        if found is None:
            return False
        try:
            found.click(timeout=1000)
        except Error:
            return False
        return True

    def moves(self) -> list[Move]:
        """Return the rows that have been judged, from the first on."""
        judged: list[Move] = []
        for word, marks, epsilon in self._read():
            if not all(marks) and not self._is_answer(epsilon):
                break
            judged.append(self._move(word, "".join(marks), epsilon))
        return judged

    def enter(self, proposal: Sequence[Any], n_before: int) -> None:
        """Type a word and submit it.

        Args:
            proposal: the move without its clues.
            n_before: how many rows have been judged.
        """
        self.type_word(proposal[0], n_before)
        self._guarded(lambda: self.page.keyboard.press("Enter"))

    def type_word(self, word: str, n_before: int) -> None:
        """Type a word until the page shows it: one that is still loading does not hear its first keys."""
        for _ in range(MAX_TYPED):
            self._guarded(lambda: self.page.keyboard.type(word, delay=5))
            deadline = time.monotonic() + self.patience.typed_s
            while time.monotonic() < deadline:
                if self._typed(n_before) == word:
                    return
                self.page.wait_for_timeout(1000 * POLL_S)
            self.delete(len(word))
            self.dismiss_dialogs()
        raise TransientPageError(f"{word} was typed, and does not appear in row {n_before + 1} ({self.shape.row}).")

    def delete(self, n_letters: int) -> None:
        """Delete letters from the row being typed."""
        for _ in range(n_letters):
            self._guarded(lambda: self.page.keyboard.press("Backspace"))

    def reply(self, n_before: int) -> str:
        """Wait until the row after `n_before` others has been judged; returns why it was refused, or an empty text."""
        refused = ""
        deadline = time.monotonic() + self.patience.row_s
        no_sign = time.monotonic() + self.patience.refusal_s
        while time.monotonic() < deadline:
            if len(self.moves()) > n_before or self.is_over():
                return ""
            refused = refused or self._script("refusal")
            if refused or (time.monotonic() > no_sign and self._is_untouched(n_before)):
                return refused or "the page shows no clue for it"
            self.page.wait_for_timeout(1000 * POLL_S)
        raise TransientPageError(f"row {n_before + 1} ({self.shape.row}) was not judged in {self.patience.row_s:g} s.")

    def clear(self, n_letters: int) -> None:
        """Delete the word that was refused, and wait until the page no longer shows the refusal."""
        self.delete(n_letters)
        deadline = time.monotonic() + self.patience.row_s
        while self._script("refusal") and time.monotonic() < deadline:
            self.page.wait_for_timeout(1000 * POLL_S)

    def verdict(self, moves: Sequence[Move]) -> Verdict | None:
        """Return how the game has ended; None while it goes on."""
        if moves and set(moves[-1].clues) == {"c"} and self._kind() == GameKind.CLASSIC:
            return Verdict.WON
        return Verdict.UNSOLVED if len(moves) == game_class(self.game_id).max_guesses else None

    def is_over(self) -> bool:
        """Return whether the page itself says that the game has ended."""
        return False

    def share_text(self) -> str:
        """Return the page's own text for sharing, "" where there is none."""
        if self.share_text_selector and (shown := self._visible(self.share_text_selector)):
            return str(self._guarded(shown.inner_text))
        if self.share_button and (button := self._appears(self.share_button)):
            self._guarded(lambda: button.click(timeout=2000))
            return str(self._guarded(lambda: self.page.evaluate("() => navigator.clipboard.readText()")))
        return ""

    def wait(self, is_done: Callable[[], bool], seconds: float, selector: str) -> None:
        """Wait until something is true. Raises PageError that names the selector after so many seconds."""
        deadline = time.monotonic() + seconds
        while not is_done():
            if time.monotonic() > deadline:
                raise PageError(f"nothing on the page matches {selector!r}: the page of {self.name} may have changed.")
            self.page.wait_for_timeout(1000 * POLL_S)

    def _typed(self, n_before: int) -> str:
        """Return the letters of the row being typed."""
        rows = self._read()
        return rows[n_before][0] if len(rows) > n_before else ""

    def _kind(self) -> GameKind:
        return game_class(self.game_id).kind

    def _read(self) -> list[tuple[str, list[str], str]]:
        return [(word, marks, epsilon) for word, marks, epsilon in self._script("rows")]

    def _script(self, function: str) -> Any:
        source = f"(shape) => {page_script()}.{function}(shape)"
        return self._guarded(lambda: self.page.evaluate(source, asdict(self.shape)))

    def _is_untouched(self, n_before: int) -> bool:
        """Return whether no tile of the row just entered has been judged."""
        rows = self._read()
        return len(rows) <= n_before or not any(rows[n_before][1])

    def _is_answer(self, epsilon: str) -> bool:
        return self._kind() == GameKind.NOISY and epsilon == "0"

    def _move(self, word: str, clues: str, epsilon: str) -> Move:
        return NoisyMove(word, float(epsilon), clues) if self._kind() == GameKind.NOISY else ClassicMove(word, clues)

    def _visible(self, selector: str) -> Any:
        found = self.page.locator(selector).first
        return found if self._guarded(found.is_visible) else None

    def _appears(self, selector: str) -> Any:
        """Return what the selector finds, waiting for it for a while; None where it stays away."""
        deadline = time.monotonic() + self.patience.share_s
        while (found := self._visible(selector)) is None and time.monotonic() < deadline:
            self.page.wait_for_timeout(1000 * POLL_S)
        return found

    def _guarded(self, action: Callable[[], T]) -> T:
        """Return what the action returns; what the browser raises becomes an error with a short message."""
        try:
            return action()
        except TimeoutError as error:
            raise TransientPageError(f"the page did not answer in time: {_first_line(error)}") from None
        except Error as error:
            raise TransientPageError(f"the browser failed: {_first_line(error)}") from None


@cache
def page_script() -> str:
    """Return the JavaScript object whose functions read a page."""
    lines = PAGE_JS.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("//")).strip()


def _first_line(error: Error) -> str:
    return error.message.partition("\n")[0][:300]
