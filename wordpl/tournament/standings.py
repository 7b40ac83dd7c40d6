"""The standings of a tournament."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from wordpl.core.errors import UserError
from wordpl.tournament.scoring import ScoredPuzzle


@dataclass(frozen=True)
class TournamentResult:
    """The result of one player.

    Attributes:
        player: The player.
        rounds: The puzzles with their points.
    """

    player: str
    rounds: Sequence[ScoredPuzzle]

    @property
    def total(self) -> float:
        """The points of all puzzles, including micro points."""
        # Rounding makes sums tie that differ only by floating-point errors.
        return round(sum(one.points + one.micro for one in self.rounds), 6)


def standings(results: Sequence[TournamentResult]) -> pd.DataFrame:
    """Return the standings; players with equal totals share a place.

    Returns:
        One row per player, best first, with columns place, player, total, points, micro, n_solved, mean_guesses (of
        solved puzzles), used_s and ending (of the last puzzle).

    Raises:
        UserError: A player has several results.
    """
    names = [result.player for result in results]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"{twice!r} has two results; a tournament allows one per player.")
    table = pd.DataFrame(
        [_row(result) for result in results],
        columns=["player", "total", "points", "micro", "n_solved", "mean_guesses", "used_s", "ending"],
    )
    table.insert(0, "place", table["total"].rank(method="min", ascending=False).astype(int))
    return table.sort_values(["place", "player"], ignore_index=True)


def _row(result: TournamentResult) -> tuple[Any, ...]:
    solved = [one.n_guesses for one in result.rounds if one.ending == "solved"]
    mean = sum(solved) / len(solved) if solved else float("nan")
    points, micro, used_s = (sum(getattr(one, name) for one in result.rounds) for name in ("points", "micro", "used_s"))
    ending = result.rounds[-1].ending if result.rounds else "not begun"
    return result.player, result.total, points, micro, len(solved), mean, used_s, ending
