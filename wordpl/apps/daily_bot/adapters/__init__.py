"""The adapters of the sites that the bot can play, each a file that is loaded automatically, and their base class."""

import re
import sys
import time
from abc import ABC
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import date
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, NamedTuple, TypeVar

from playwright.sync_api import Error, Page, TimeoutError

from wordpl.apps.daily_bot import PageError, TransientPageError, plugins
from wordpl.core.messages import UserError, did_you_mean
from wordpl.core.moves import ClassicMove, GameFacts, Move, NoisyMove, Verdict
from wordpl.games import game_class
from wordpl.games.base import read_own_game

__all__ = ["Adapter", "PageShape", "adapter_class", "names"]

PAGE_JS = Path(__file__).parent.parent / "page.js"
POLL_S = 0.05
MAX_DIALOGS = 10
TYPED_S = 0.2
"""How long to wait for a typed word to appear, in seconds; doubled with each attempt."""
T = TypeVar("T")
_ISO_DATE = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


@dataclass(frozen=True)
class PageShape:
    """The CSS selectors of a page's game.

    Attributes:
        tile: The selector of a tile in a row.
        marks: Pairs of a selector for a tile and the mark that it means.
        letter: The attribute of a tile with its letter; "" for the text of the tile.
        refused: The selector of the message that a word was refused.
        refused_text: A regular expression for the text of that message.
        failed: The selector of the message that the page has failed, after which the bot tries again.
        dialogs: The selectors of buttons to click before the game, in order, if they exist.
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
    """Time limits of the bot, in seconds.

    Attributes:
        open_s: For opening the page.
        row_s: For the marks of a row to appear.
        refusal_s: For the first mark of a row to appear; after that, the word counts as refused.
        typed_s: For a typed word to appear; the word is typed again with increasing waits up to this one.
        share_s: For the button that copies the result to appear.
        pause_s: The pause before a page that did not answer is opened again.
    """

    open_s: float = 30.0
    row_s: float = 15.0
    refusal_s: float = 3.0
    typed_s: float = 4.0
    share_s: float = 3.0
    pause_s: float = 5.0


CAPTCHA = re.compile(
    r"captcha|verify (?:that )?you(?:'re| are) (?:a )?human|not a robot|unusual traffic|just a moment\.\.\.|"
    r"challenge-platform|press & hold|pardon our interruption",
    re.IGNORECASE,
)
MAINTENANCE = re.compile(
    r"maintenance|be (?:right )?back (?:soon|shortly)|temporarily (?:unavailable|down)|service unavailable",
    re.IGNORECASE,
)
NOT_FOUND = re.compile(r"\b404\b|(?:page|nothing) (?:was )?(?:not )?found|does(?:n't| not) exist", re.IGNORECASE)
SHORT, MAX_NOTICE = 300, 2_000
"""The length of a text that shows hardly anything, and of one that only says why there is no game."""


def no_game(status: int, text: str, html: str, row: str, name: str) -> PageError:
    """Return the error of a page without a game: a captcha, maintenance, a wrong address, or a changed page.

    Args:
        status: The status of the response.
        text: The page's title and text.
        html: Its source, in which a captcha may be hidden.
        row: The selector that matches nothing.
        name: The name of the adapter.

    >>> no_game(503, "Back soon", "", ".row", "nyt").message
    'the site is down for maintenance, or overloaded (status 503): try again later.'
    """
    notice = text[:MAX_NOTICE] if len(text) <= MAX_NOTICE else ""
    if CAPTCHA.search(notice) or (CAPTCHA.search(html) and (status in (401, 403, 429) or len(text) < SHORT)):
        return PageError(
            "the page shows a captcha, which only a person may solve: solve it once with --show and --profile, or play "
            "less often."
        )
    if status in (404, 410) or (status < 500 and NOT_FOUND.search(notice)):
        return PageError(f"there is no page at this address (status {status}): check the URL.")
    if status >= 500 or MAINTENANCE.search(notice):
        return TransientPageError(
            f"the site is down for maintenance, or overloaded (status {status}): try again later."
        )
    if status >= 400:
        return PageError(f"the site refuses the page (status {status}): open it in your own browser, and see why.")
    return PageError(
        f"nothing on the page matches {row!r}: the page of {name} may have changed. Update wordpl, or adapt a copy of "
        "the adapter."
    )


class Adapter(ABC):
    """The adapter of a site. Subclasses set the class attributes; few need to override methods."""

    name: ClassVar[str]
    about: ClassVar[str]
    """A description of the site, and how the adapter was tested."""
    shape: ClassVar[PageShape]
    is_daily: bool = False
    """Whether the page has one puzzle for everybody each day, so that a result without its day would be worthless; an
    adapter may set it when it opens the page."""
    game_id: str = "wordle/1"
    """The game of the page; an adapter may set it when it opens the page."""
    share_text_selector: ClassVar[str] = ""
    """The selector of the page's own share text."""
    share_button: ClassVar[str] = ""
    """The selector of the button that copies the page's own share text."""

    def __init__(self, page: Page, patience: Patience | None = None):
        self.page, self.patience = page, patience or Patience()

    def open(self, url: str) -> None:
        """Open the page and close its dialogs. Raises PageError if no game appears."""
        self._leave()
        timeout_ms = 1000 * self.patience.open_s
        response = self._guarded(lambda: self.page.goto(url, timeout=timeout_ms, wait_until="domcontentloaded"))
        if not self._wait_for(lambda: self.is_ready() or self.dismiss_dialogs(), self.patience.open_s):
            html = self._guarded(self.page.content)
            text = self._guarded(lambda: f"{self.page.title()}\n{self.page.locator('body').inner_text()}")
            raise no_game(response.status if response is not None else 200, text, html, self.shape.row, self.name)
        self.dismiss_dialogs()

    def _leave(self) -> None:
        """Open an empty page, since a new address that only differs in its fragment would not reload the page."""
        with suppress(Error):  # fails if an error page is still loading
            self.page.goto("about:blank")
            return
        self.page.wait_for_timeout(500)
        self._guarded(lambda: self.page.goto("about:blank"))

    def day(self) -> date | None:
        """Return the day of the puzzle as the page's address says it; None if it does not, or is no date.

        An adapter whose page shows the day or the number of the puzzle reads it there.
        """
        return day_in(self.page.url)

    def day_shared(self, text: str) -> date | None:
        """Return the day of the puzzle in the page's own share text; None if it does not say it."""
        return None

    def is_ready(self) -> bool:
        """Return whether the rows of the game have appeared."""
        return self.page.locator(f"{self.shape.row} {self.shape.tile}").count() > 0

    def dismiss_dialogs(self) -> bool:
        """Close dialogs over the game; always return False, since the game may not have appeared yet."""
        for _ in range(MAX_DIALOGS):
            if not any(self._clicked(selector) for selector in self.shape.dialogs):
                break
        return False

    def _clicked(self, selector: str) -> bool:
        """Click the element if it exists; return False if it does not, or if another dialog covers it."""
        element = self._visible(selector)
        if element is None:
            return False
        try:
            element.click(timeout=1000)
        except Error:
            return False
        return True

    def moves(self) -> list[Move]:
        """Return the rows with complete marks, from the first on."""
        judged: list[Move] = []
        for word, marks, epsilon in self._read():
            has_epsilon, clues = self._facts.has_epsilon, "".join(marks)
            if not all(marks) and not (has_epsilon and epsilon == "0"):
                break
            if len(word) != len(marks) or not (word.isascii() and word.isalpha()):
                raise PageError(f"a row of the page has {word[:20]!r} in {len(marks)} tiles{self._changed}")
            try:
                judged.append(NoisyMove(word, float(epsilon), clues) if has_epsilon else ClassicMove(word, clues))
            except ValueError:
                raise PageError(
                    f"the row {word!r} of the page has the epsilon {epsilon[:20]!r}{self._changed}"
                ) from None
        if len({len(move.guess) for move in judged}) > 1:
            raise PageError(f"the rows of the page have words of different lengths{self._changed}")
        return judged

    @property
    def _changed(self) -> str:
        return f": the page of {self.name} may have changed. Update wordpl, or adapt a copy of the adapter."

    def enter(self, proposal: Sequence[Any], n_before: int) -> None:
        """Type a word and submit it.

        Args:
            proposal: The move without its clues.
            n_before: The number of rows with marks.
        """
        self.type_word(proposal[0], n_before)
        self._script("watch")
        self.submit(proposal)

    def submit(self, proposal: Sequence[Any]) -> None:
        """Submit the typed word."""
        self._guarded(lambda: self.page.keyboard.press("Enter"))

    def type_word(self, word: str, n_before: int) -> None:
        """Type a word until the page shows it, since pages ignore keys while they load or animate tiles."""
        wait_s = TYPED_S
        while wait_s < 2 * self.patience.typed_s:
            self._guarded(lambda: self.page.keyboard.type(word, delay=5))
            if self._wait_for(lambda: self._typed(n_before) == word, wait_s):
                return
            self.delete(len(word))
            self.dismiss_dialogs()
            wait_s *= 2
        raise TransientPageError(f"{word} was typed, but does not appear in row {n_before + 1} ({self.shape.row}).")

    def delete(self, n_letters: int) -> None:
        """Delete letters from the current row."""
        for _ in range(n_letters):
            self._guarded(lambda: self.page.keyboard.press("Backspace"))

    def reply(self, word: str, n_before: int) -> str:
        """Wait until the submitted word has marks or is refused.

        If the page shows neither, the bot deletes the word. If it then disappears, the page has refused it; a page that
        is only slow shows the marks first.

        Args:
            n_before: The number of rows before that of the word.

        Returns:
            The reason why the word was refused, or "" if it was not.

        Raises:
            TransientPageError: The word was neither marked nor refused.
        """
        where = f"row {n_before + 1} ({self.shape.row})"
        self._wait_for(lambda: self._is_judged(n_before) or bool(self._refusal()), self.patience.refusal_s)
        refused = self._refusal()
        if not refused and not any(any(marks) for _, marks, _ in self._read()[n_before : n_before + 1]):
            refused = "the page shows no clue for it"
        if refused and not self._is_judged(n_before):
            self.delete(len(word))
        is_settled = self._wait_for(
            lambda: self._is_judged(n_before) or bool(refused and not self._typed(n_before)), self.patience.row_s
        )
        if self._is_judged(n_before):
            return ""
        if not is_settled:
            raise TransientPageError(f"{where} did not get marks within {self.patience.row_s:g} s.")
        self._wait_for(lambda: not self._script("refusal"), self.patience.row_s)
        return refused

    def verdict(self, moves: Sequence[Move]) -> Verdict | None:
        """Return the verdict of the game, or None if it has not ended."""
        if moves and set(moves[-1].clues) == {"c"} and not self._facts.has_epsilon:
            return Verdict.WON
        return Verdict.UNSOLVED if len(moves) == game_class(self.game_id).max_guesses else None

    def is_over(self) -> bool:
        """Return whether the page says that the game has ended."""
        return False

    def share_text(self) -> str:
        """Return the page's own share text, or "" if there is none."""
        if self.share_text_selector and (element := self._visible(self.share_text_selector)):
            return str(self._guarded(element.inner_text))
        button = self.page.locator(self.share_button).first if self.share_button else None
        if button is None or not self._wait_for(lambda: bool(self._guarded(button.is_visible)), self.patience.share_s):
            return ""
        self._guarded(lambda: self.page.evaluate("() => navigator.clipboard.writeText('')"))
        self._guarded(lambda: button.click(timeout=2000))
        self._wait_for(lambda: bool(self._clipboard()), self.patience.share_s)  # pages copy asynchronously
        return self._clipboard()

    def _clipboard(self) -> str:
        return str(self._guarded(lambda: self.page.evaluate("() => navigator.clipboard.readText()")))

    def _typed(self, n_before: int) -> str:
        """Return the letters of the current row."""
        rows = self._read()
        return rows[n_before][0] if len(rows) > n_before else ""

    @property
    def _facts(self) -> GameFacts:
        return game_class(self.game_id).facts

    def _read(self) -> list[tuple[str, list[str], str]]:
        """Return the word, the marks and the epsilon of each row."""
        return list(map(tuple, self._script("rows")))

    def _script(self, function: str) -> Any:
        source = f"(shape) => {page_script()}.{function}(shape)"
        return self._guarded(lambda: self.page.evaluate(source, asdict(self.shape)))

    def _wait_for(self, is_done: Callable[[], bool], seconds: float) -> bool:
        """Wait until `is_done` returns True; return whether it did within the given time."""
        deadline = time.monotonic() + seconds
        while not is_done():
            if time.monotonic() > deadline:
                return False
            self.page.wait_for_timeout(1000 * POLL_S)
        return True

    def _refusal(self) -> str:
        """Return why the page has refused the word, or "". Raises TransientPageError if the page has failed."""
        if self.shape.failed and (element := self._visible(self.shape.failed)):
            raise TransientPageError(f"the page failed: {self._guarded(element.inner_text)[:200]}")
        return str(self._script("watched"))

    def _is_judged(self, n_before: int) -> bool:
        return len(self.moves()) > n_before or self.is_over()

    def _visible(self, selector: str) -> Any:
        element = self.page.locator(selector).first
        return element if self._guarded(element.is_visible) else None

    def _guarded(self, action: Callable[[], T]) -> T:
        """Return the result of the action; errors of the browser become TransientPageError with a short message."""
        try:
            return action()
        except TimeoutError as error:
            raise TransientPageError(f"the page did not answer in time: {_first_line(error)}") from None
        except Error as error:
            raise TransientPageError(f"the browser failed: {_first_line(error)}") from None


def day_in(text: str) -> date | None:
    """Return the only date in a text, written like 2026-11-15; None if it has none, or different ones.

    >>> day_in("https://example.org/#/daily/wordle/1/2026-11-15")
    datetime.date(2026, 11, 15)
    """
    days = set()
    for found in _ISO_DATE.findall(text):
        with suppress(ValueError):
            days.add(date.fromisoformat(found))
    return days.pop() if len(days) == 1 else None


@cache
def page_script() -> str:
    """Return the JavaScript object whose functions read a page."""
    lines = PAGE_JS.read_text(encoding="utf-8").splitlines()
    return "\n".join(line for line in lines if not line.lstrip().startswith("//")).strip()


def _first_line(error: Error) -> str:
    return error.message.partition("\n")[0][:300]


@cache
def _adapters() -> dict[str, type[Adapter]]:
    return plugins(__name__, Adapter)


def names() -> list[str]:
    """Return the names of all adapters."""
    return list(_adapters())


def adapter_class(name: str) -> type[Adapter]:
    """Return the adapter with this name or, as FILE:CLASS, a host's own. Raises UserError if there is none."""
    if ":" in name or name.endswith(".py"):
        return _own_adapter(name)
    try:
        return _adapters()[name]
    except KeyError:
        hint = did_you_mean(name, names())
        raise UserError(f"there is no adapter called {name!r}.{hint} Adapters: {', '.join(names())}.") from None


_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")


@cache
def _own_adapter(text: str) -> type[Adapter]:
    """Return the adapter that a host names as FILE:CLASS; its code runs here."""
    file, _, name = text.rpartition(":")
    file, name = (file, name) if file else (text, "")
    own = read_own_game(f"{file}:{name}", "adapter")
    module = ModuleType(f"own_adapter_{own.sha256[:16]}")
    module.__file__ = file
    sys.modules[module.__name__] = module  # where a dataclass looks for its module
    try:
        exec(compile(own.source, file, "exec"), vars(module))
    except Exception as error:
        raise UserError(f"the adapter {file} fails with {type(error).__name__}: {error}.") from error
    classes = {key: value for key, value in vars(module).items() if _is_adapter(value)}
    if name not in classes:
        found = ", ".join(f"{file}:{key}" for key in classes) or "none"
        raise UserError(
            f"{file} has no adapter called {name!r}: that is a subclass of wordpl.apps.daily_bot.adapters.Adapter with "
            f"its own `name` (small letters and digits) and `shape`. Its adapters: {found}."
        )
    found_class: type[Adapter] = classes[name]
    return found_class


def _is_adapter(value: Any) -> bool:
    is_class = isinstance(value, type) and issubclass(value, Adapter) and "name" in vars(value)
    return is_class and bool(_NAME.fullmatch(str(value.name))) and isinstance(getattr(value, "shape", None), PageShape)
