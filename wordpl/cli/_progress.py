"""Progress bars of a run: one for each entry, and one for the games that are played again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from wordpl.contest.runner import Progress
from wordpl.core.records import Run
from wordpl.core.untrusted_text import sanitize_untrusted_text

if TYPE_CHECKING:
    from tqdm import tqdm

NAME_CHARACTERS = 60
AGAIN = "again, in fresh processes"


class Bars:
    """The bars on show, each in the line below the one before."""

    def __init__(self, run: Run):
        self._n_games = run.info.n_games
        names = [sanitize_untrusted_text(entry.name, NAME_CHARACTERS) for entry in run.info.entries]
        self._width = max(map(len, [*names, AGAIN] if run.info.repeats else names))
        self._bars: dict[str, tqdm] = {}

    def show(self, progress: Progress) -> None:
        """Show how far an entry has come."""
        bar = self.move(sanitize_untrusted_text(progress.entry.name, NAME_CHARACTERS), progress.n_played, self._n_games)
        bar.set_postfix_str(f"{progress.n_won} won", refresh=progress.n_played == self._n_games)

    def show_repeats(self, n_done: int, total: int) -> None:
        """Show how many games have been played again."""
        self.move(AGAIN, n_done, total)

    def move(self, name: str, n_done: int, total: int) -> "tqdm":
        """Show how far the thing called `name` has come, and return its bar."""
        from tqdm import tqdm

        if name not in self._bars:
            start = {"total": total, "initial": n_done, "desc": name.ljust(self._width)}
            self._bars[name] = tqdm(**start, unit="game", dynamic_ncols=True)
        bar = self._bars[name]
        bar.update(n_done - bar.n)
        if n_done == total:
            bar.close()
        return bar

    def close(self) -> None:
        """Leave the bars as they are."""
        for bar in self._bars.values():
            bar.close()


@contextmanager
def bars(run: Run) -> Iterator[Bars]:
    """Give bars for the run, which end with the context."""
    shown = Bars(run)
    try:
        yield shown
    finally:
        shown.close()
