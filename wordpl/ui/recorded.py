"""How a person's budget compares with the recorded entries'."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from wordpl.errors import UserError
from wordpl.records import Run
from wordpl.ui.session import Session
from wordpl.words import HOME

RECORDED = HOME / "results" / "bundled"
PLACES = ("within its cheapest 5%", "below its median", "above its median", "above 95% of them")


@dataclass(frozen=True)
class Recorded:
    """An entry's budgets: 5%, 50% and 95% of its games were won within these; infinite where fewer were won."""

    name: str
    budgets: tuple[float, float, float]
    n_games: str

    def place(self, budget: float) -> str:
        """Return in words where `budget` lies among the entry's."""
        return PLACES[sum(budget > bound for bound in self.budgets)]


def recorded_entries(session: Session, folder: Path = RECORDED) -> Iterator[Recorded]:
    """Yield the entries that were recorded at this game with these words; none where there is no such run."""
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
            yield Recorded(row["strategy"], budgets, row["n_games"])


def comparison(session: Session) -> Iterator[str]:
    """Yield lines that say how the budget spent compares; nothing where nothing comparable was recorded."""
    entries = list(recorded_entries(session))
    if not entries:
        return
    yield f"{session.spent:g} beside the budgets within which recorded entries won 5%, 50% and 95% of their games:"
    for entry in sorted(entries, key=lambda entry: entry.budgets[1]):
        shown = "".join(f"{budget:8.1f}" for budget in entry.budgets)
        yield f"  {entry.place(session.spent):<23}{shown}  {entry.name}, {entry.n_games} games"
