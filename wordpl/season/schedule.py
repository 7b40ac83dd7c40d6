"""Who plays in the next round of a season: what is new, the leaders, and rivals whose order with them is open.

The choice depends on earlier results. The bounds of the standings allow that, see `wordpl.stats.anytime_order`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class ScoreOrder:
    """What one score says about the order of versions.

    Attributes:
        worth: The estimate of each version, higher is better, float[k]; NaN for a version that has not played.
        least: The lower bound of the worth of each version, float[k]. Leaders are chosen by it: by the estimate, the
            luckiest of many versions with few games would lead.
        better: Whether version i is shown to be better than version j, bool[k, k].
    """

    worth: NDArray[np.float64]
    least: NDArray[np.float64]
    better: NDArray[np.bool_]


def players(
    n_games: NDArray[np.int64], ranked: Sequence[int], orders: Sequence[ScoreOrder], n_leaders: int, max_players: int
) -> list[int]:
    """Return the versions that play the next round, in ascending order.

    Ranked versions that have not played come first, then the leaders of each score by turns, then the rivals whose
    order with a leader is open, the closest first.

    Args:
        n_games: The number of games that each version has played, int[k].
        ranked: The versions that are ranked: the current one of each author.
        orders: What each score says.
        n_leaders: The number of leaders of each score that play every round.
        max_players: The maximum number of players.
    """
    new = [player for player in ranked if n_games[player] == 0]
    played = [player for player in ranked if n_games[player] > 0]
    leaders = _by_turns([_leaders(order, played, n_leaders) for order in orders])
    rivals = _by_turns([_rivals(order, played, n_leaders) for order in orders])
    chosen = dict.fromkeys(chain(new, leaders, rivals))
    return sorted(islice(chosen, max_players))


def _leaders(order: ScoreOrder, played: Sequence[int], n_leaders: int) -> list[int]:
    return sorted(played, key=lambda player: (-order.least[player], -order.worth[player], player))[:n_leaders]


def _rivals(order: ScoreOrder, played: Sequence[int], n_leaders: int) -> list[int]:
    """Return the versions behind the leaders that are not shown to be worse than all of them, the best first."""
    leaders = _leaders(order, played, n_leaders)
    by_worth = sorted(set(played) - set(leaders), key=lambda player: (-order.worth[player], player))
    return [player for player in by_worth if not order.better[leaders, player].all()]


def _by_turns(lists: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield the first of each list, then the second of each, and so on."""
    for place in range(max(map(len, lists), default=0)):
        yield from (players[place] for players in lists if place < len(players))
