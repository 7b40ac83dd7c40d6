"""Compares the budget of a person's game with those of recorded entries."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wordpl.contest.session import Session
from wordpl.core import paths
from wordpl.core.errors import UserError
from wordpl.core.records import Run

PLACES = ("cheaper than 95%", "cheaper than 50%", "costlier than 50%", "costlier than 95%")


@dataclass(frozen=True)
class RecordedEntry:
    """An entry of a recorded run.

    Attributes:
        name: The entry's name.
        budgets: The budgets within which 5%, 50% and 95% of its games were won; infinite if fewer were won.
        n_games: The number of its games.
    """

    name: str
    budgets: tuple[float, float, float]
    n_games: str

    def place(self, budget: float) -> str:
        """Return how `budget` compares with the budgets of the entry's games; lost games count as infinite."""
        return PLACES[sum(budget > bound for bound in self.budgets)]


def recorded_entries(session: Session, folder: Path | None = None) -> Iterator[RecordedEntry]:
    """Yield the recorded entries that played this game with the same word lists."""
    folder = folder or paths.bundled() / "results" / "bundled"
    try:
        lists = Run(folder).info.lists
        rows = list(csv.DictReader((folder / "scores.csv").read_text(encoding="utf-8").splitlines(), delimiter=";"))
    except (OSError, UserError):
        return
    if any(lists[name]["sha256"] != digest for name, digest in session.game.lists.sha256.items()):
        return
    for row in rows:
        if row["rules"] == session.game.name:
            budgets = (float(row["p05"]), float(row["p50"]), float(row["p95"]))
            yield RecordedEntry(row["strategy"], budgets, row["n_games"])


def comparison(session: Session) -> Iterator[str]:
    """Yield lines that compare the budget of a session with recorded entries; no lines if there are none."""
    entries = sorted(recorded_entries(session), key=lambda entry: entry.budgets[1])
    if not entries:
        return
    n_games = "/".join(sorted({entry.n_games for entry in entries}))
    yield f"Your budget {session.spent:g}, compared with those at which entries won 5, 50 and 95% of {n_games} games:"
    for entry in entries:
        bounds = "".join(f"{bound:7.1f}" for bound in entry.budgets).replace("inf", "  ∞")
        yield f"  {entry.place(session.spent):<17}{bounds}  {entry.name}"
