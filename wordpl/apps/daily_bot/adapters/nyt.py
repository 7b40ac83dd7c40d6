"""The New York Times' Wordle."""

import re
from datetime import date, datetime

from wordpl.apps.daily_bot import PageError
from wordpl.apps.daily_bot.adapters import Adapter, PageShape, day_in
from wordpl.core.puzzles import day_of, parse_number

_DATE = re.compile(r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December)"
                   r" \d{1,2}, \d{4}\b")  # fmt: skip
_SHARED = re.compile(r"\bWordle ([\d,.]*\d) [1-6X]/6")
_NUMBER = re.compile(r"\bNo\. ?([\d,.]*\d)")


class NewYorkTimes(Adapter):
    """Reads the page by the attributes of its tiles and keys, since the names of its classes change too often."""

    name = "nyt"
    about = "The New York Times' Wordle. Tested on an imitation with the same attributes, not on the real page."
    shape = PageShape(
        row="[role='group'][aria-label^='Row']",
        tile="[data-testid='tile']",
        marks=(("[data-state='correct']", "c"), ("[data-state='present']", "i"), ("[data-state='absent']", ".")),
        refused="[id*='toaster' i], [class*='ToastContainer']",
        refused_text="not in word list|must (be|contain)|already",
        dialogs=(
            "button:has-text('Reject all')",
            "button:has-text('Continue')",
            "[data-testid='Play']",
            "dialog [aria-label='Close'], [role='dialog'] [aria-label='Close'], [data-testid='icon-close']",
        ),
    )
    share_button = "button:has-text('Share')"
    is_daily = True
    _days: set[date]

    def open(self, url: str) -> None:
        """Open the page; what its dialogs say of the puzzle's day is kept."""
        self._days = set()
        super().open(url)

    def _clicked(self, selector: str) -> bool:
        self._days |= days_of(self._guarded(lambda: self.page.locator("body").inner_text()))
        return super()._clicked(selector)

    def day(self) -> date | None:
        """Return the day of the puzzle from its date and its number on the first screen, or from the address.

        Raises:
            PageError: They contradict each other.
        """
        days = self._days | ({address} if (address := day_in(self.page.url)) else set())
        if len(days) > 1:
            raise PageError(f"the page names several days: {', '.join(map(str, sorted(days)))}.")
        return days.pop() if days else None

    def day_shared(self, text: str) -> date | None:
        """Return the day of the puzzle whose number the share text has, such as Wordle 1,982 3/6."""
        found = _SHARED.search(text)
        number = parse_number(found[1]) if found else None
        return None if number is None else day_of(number)


def days_of(text: str) -> set[date]:
    """Return the days of the puzzles in a text, which may have dates and numbers.

    >>> sorted(map(str, days_of("Wordle\\nNovember 15, 2026\\nNo. 1975")))
    ['2026-11-15']
    """
    days = {datetime.strptime(found, "%B %d, %Y").date() for found in _DATE.findall(text)}
    numbers = (parse_number(found) for found in _NUMBER.findall(text))
    return days | {day_of(number) for number in numbers if number is not None}
