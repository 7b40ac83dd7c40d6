"""What every adapter is: the shape of a page, and how to act on it."""

import time
from abc import ABC
from collections.abc import Callable, Sequence
from contextlib import suppress
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
TYPED_S = 0.2
"""How long a word may take at first to show up; with each try, twice as long."""
T = TypeVar("T")


@dataclass(frozen=True)
class PageShape:
    """Where a page shows its game.

    Attributes:
        row: CSS selector of a row; `tile`: of a tile in a row.
        marks: pairs of a selector that a tile matches, and the mark that it then shows.
        letter: the attribute of a tile that holds its letter; "" for the tile's own text.
        refused: selector of what shows that a word was refused; `refused_text`: a regular expression for its text.
        failed: selector of what shows that the page itself failed, which another try may get past.
        dialogs: what is clicked before the game, as far as it is there, in this order.
    """

    row: str
    tile: str
    marks: tuple[tuple[str, str], ...]
    letter: str = ""
    refused: str = ""
    refused_text: str = ""
    failed: str = ""
    dialogs: tuple[str, ...] = ()


class Patience(NamedTuple):
    """How many seconds the bot waits.

    Attributes:
        open_s: for the page to open.
        row_s: for a row to be judged.
        refusal_s: for a row to begin to be judged, where the page does not say that it refuses the word.
        typed_s: for a word to appear, which is typed again with ever longer waits up to this one.
        share_s: for the button that copies the result.
        pause_s: before a page that did not answer is opened again.
    """

    open_s: float = 30.0
    row_s: float = 15.0
    refusal_s: float = 3.0
    typed_s: float = 4.0
    share_s: float = 3.0
    pause_s: float = 5.0


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
        self._leave()
        self._guarded(lambda: self.page.goto(url, timeout=1000 * self.patience.open_s, wait_until="domcontentloaded"))
        self.wait(lambda: self.is_ready() or self.dismiss_dialogs(), self.patience.open_s, self.shape.row)
        self.dismiss_dialogs()

    def _leave(self) -> None:
        """Open an empty page: from the page itself, a new fragment alone would load nothing."""
        with suppress(Error):  # an error's own page may still be opening, which ends this
            self.page.goto("about:blank")
            return
        self.page.wait_for_timeout(500)
        self._guarded(lambda: self.page.goto("about:blank"))

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
        self._script("watch")
        self.submit(proposal)

    def submit(self, proposal: Sequence[Any]) -> None:
        """Submit the word that has been typed."""
        self._guarded(lambda: self.page.keyboard.press("Enter"))

    def type_word(self, word: str, n_before: int) -> None:
        """Type a word until the page shows it: while it loads, or turns its tiles, it does not hear keys."""
        wait_s = TYPED_S
        while wait_s < 2 * self.patience.typed_s:
            self._guarded(lambda: self.page.keyboard.type(word, delay=5))
            if self._settles(lambda: self._typed(n_before) == word, wait_s):
                return
            self.delete(len(word))
            self.dismiss_dialogs()
            wait_s *= 2
        raise TransientPageError(f"{word} was typed, and does not appear in row {n_before + 1} ({self.shape.row}).")

    def delete(self, n_letters: int) -> None:
        """Delete letters from the row being typed."""
        for _ in range(n_letters):
            self._guarded(lambda: self.page.keyboard.press("Backspace"))

    def reply(self, word: str, n_before: int) -> str:
        """Wait until the word in the row after `n_before` others has been judged, or refused.

        A word on which the page shows neither is deleted again. Only when it disappears, the page has refused it:
        a page that is merely slow judges it first.

        Returns:
            Why the word was refused, "" where it was not.

        Raises:
            TransientPageError: the word was neither judged nor refused.
        """
        where = f"row {n_before + 1} ({self.shape.row})"
        self._settles(lambda: self._is_judged(n_before) or bool(self._refusal()), self.patience.refusal_s)
        refused = self._refusal()
        if not refused and not self._has_begun(n_before):
            refused = "the page shows no clue for it"
        if refused and not self._is_judged(n_before):
            self.delete(len(word))
        is_settled = self._settles(
            lambda: self._is_judged(n_before) or bool(refused and not self._typed(n_before)), self.patience.row_s
        )
        if self._is_judged(n_before):
            return ""
        if not is_settled:
            raise TransientPageError(f"{where} was not judged in {self.patience.row_s:g} s.")
        self._settles(lambda: not self._script("refusal"), self.patience.row_s)
        return refused

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
        button = self.page.locator(self.share_button).first if self.share_button else None
        if button is None or not self._settles(lambda: bool(self._guarded(button.is_visible)), self.patience.share_s):
            return ""
        self._guarded(lambda: self.page.evaluate("() => navigator.clipboard.writeText('')"))
        self._guarded(lambda: button.click(timeout=2000))
        self._settles(lambda: bool(self._clipboard()), self.patience.share_s)  # pages copy after the click has returned
        return self._clipboard()

    def wait(self, is_done: Callable[[], bool], seconds: float, selector: str) -> None:
        """Wait until something is true. Raises PageError that names the selector after so many seconds."""
        if not self._settles(is_done, seconds):
            raise PageError(f"nothing on the page matches {selector!r}: the page of {self.name} may have changed.")

    def _clipboard(self) -> str:
        return str(self._guarded(lambda: self.page.evaluate("() => navigator.clipboard.readText()")))

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

    def _settles(self, is_done: Callable[[], bool], seconds: float) -> bool:
        """Return whether something becomes true within so many seconds."""
        deadline = time.monotonic() + seconds
        while not is_done():
            if time.monotonic() > deadline:
                return False
            self.page.wait_for_timeout(1000 * POLL_S)
        return True

    def _refusal(self) -> str:
        """Return why the page has refused the word, "" where it has not. Raises TransientPageError where it failed."""
        if self.shape.failed and (shown := self._visible(self.shape.failed)):
            raise TransientPageError(f"the page failed: {self._guarded(shown.inner_text)[:200]}")
        return str(self._script("watched"))

    def _is_judged(self, n_before: int) -> bool:
        return len(self.moves()) > n_before or self.is_over()

    def _has_begun(self, n_before: int) -> bool:
        """Return whether a tile of the row just entered has been judged."""
        rows = self._read()
        return len(rows) > n_before and any(rows[n_before][1])

    def _is_answer(self, epsilon: str) -> bool:
        return self._kind() == GameKind.NOISY and epsilon == "0"

    def _move(self, word: str, clues: str, epsilon: str) -> Move:
        return NoisyMove(word, float(epsilon), clues) if self._kind() == GameKind.NOISY else ClassicMove(word, clues)

    def _visible(self, selector: str) -> Any:
        found = self.page.locator(selector).first
        return found if self._guarded(found.is_visible) else None

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
