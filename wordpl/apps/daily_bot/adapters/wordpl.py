"""The page of `wordpl serve`."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from wordpl.apps.daily_bot.adapters import Adapter, PageShape, day_in
from wordpl.core.moves import Move, Verdict

PLAYER = "wordpl bot"
"""The name under which the bot enters a ranked day."""
VERDICTS = {"won": Verdict.WON, "wrong": Verdict.WRONG, "unsolved": Verdict.UNSOLVED}


class WordplServe(Adapter):
    """The only page with noisy games. An address such as #/daily/wordle/1/2026-11-22 starts a game."""

    name = "wordpl"
    about = "The page of `wordpl serve`, including noisy games. Tested on the real page."
    shape = PageShape(
        row="#board .row",
        tile=".tile",
        marks=(("[data-mark='c']", "c"), ("[data-mark='i']", "i"), ("[data-mark='.']", ".")),
        letter="data-letter",
        refused="#message[data-status='422']",
        failed="#message[data-kind='error']:not([data-status='422'])",
    )
    share_text_selector = "#share"

    def open(self, url: str) -> None:
        """Open the page, and read which game it plays, and whether that is a daily puzzle."""
        super().open(url)
        self.game_id = self._said("game") or self.game_id
        self.is_daily = self._said("mode") == "daily"

    def dismiss_dialogs(self) -> bool:
        """Enter the day of a noisy game, whose page comes before the board; always return False."""
        if self._visible("#enter-day") is not None:
            if (name := self._visible("#name")) is not None:
                self._guarded(lambda: name.fill(PLAYER))
            self._clicked("#enter-day")
        return super().dismiss_dialogs()

    def day(self) -> date | None:
        """Return the day of a daily puzzle, as the page says it."""
        return day_in(self._said("day")) if self.is_daily else None

    def _said(self, name: str) -> str:
        return self._guarded(lambda: self.page.locator("body").get_attribute(f"data-{name}")) or ""

    def enter(self, proposal: Sequence[Any], n_before: int) -> None:
        """Enter the epsilon in a noisy game, and type the word."""
        if self._facts.has_epsilon and proposal[1]:
            exact = self.page.locator("#exact")
            self._guarded(lambda: exact.fill(repr(float(proposal[1]))))
            self._guarded(exact.blur)
        super().enter(proposal, n_before)

    def submit(self, proposal: Sequence[Any]) -> None:
        """Submit the guess, or with epsilon 0 the answer."""
        if not self._facts.has_epsilon:
            super().submit(proposal)
        else:
            self._guarded(self.page.locator("#guess" if proposal[1] else "#answer").click)

    def is_over(self) -> bool:
        """Return whether the page shows that the game has ended."""
        return bool(self._guarded(lambda: self.page.locator("body").get_attribute("data-verdict")))

    def verdict(self, moves: Sequence[Move]) -> Verdict | None:
        """Return the verdict that the page shows."""
        verdict_name = self._guarded(lambda: self.page.locator("body").get_attribute("data-verdict")) or ""
        return VERDICTS.get(verdict_name)
