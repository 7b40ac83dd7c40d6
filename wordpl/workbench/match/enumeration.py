"""Computes the exact result of a match by enumerating all clues, if that takes fewer games than sampling."""

from collections.abc import Callable, Sequence

from wordpl.contest.enumeration import MAX_ENUMERATED_GUESSES, enumerate_entry
from wordpl.core.errors import UserError
from wordpl.players.base import PlayerError
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.workbench.goals import Goal, GoalKind
from wordpl.workbench.match.result import MatchResult
from wordpl.workbench.values import GameValues

MIN_GAMES = 200
"""Games to play before enumeration is considered."""
MAX_CPU_S = 300.0
HOST_SHARE = 1.5
"""CPU time of an enumeration, as a multiple of the CPU time of the entry."""
MIN_GAME_S = 2e-4
"""Minimum time of a game, for the communication between two processes."""
SAME_BUDGET = 1e-6


def n_enumerated(n_guesses: int, n_clues: int) -> int:
    """Return how many games enumerate an entry with this many guesses, each with `n_clues` possible clues."""
    return int(n_clues ** min(n_guesses, MAX_ENUMERATED_GUESSES))


def is_faster(result: MatchResult, sides: Sequence[GameValues], n_clues: int) -> bool:
    """Return whether enumerating both entries takes fewer games than the match is expected to need."""
    if result.is_decided or len(sides[0]) < MIN_GAMES or not all(side.has_one_shape for side in sides):
        return False
    guesses = [int(side.n_moves[0]) - 1 for side in sides]
    if max(guesses) > MAX_ENUMERATED_GUESSES + 1:
        return False
    needed = [n_enumerated(n, n_clues) for n in guesses]
    cost_s = sum(n * HOST_SHARE * max(cpu, MIN_GAME_S) for n, cpu in zip(needed, result.cpu_s, strict=True))
    return result.n_more > max(needed) and cost_s <= MAX_CPU_S


def exact_means(
    entries: Sequence[EntryInfo], config: RunConfig, goal: Goal, step: Callable[[], object] = lambda: None
) -> tuple[float, float] | None:
    """Return the exact means of the goal's values of two entries, or None if one cannot be enumerated.

    Args:
        entries: The entries, with at most three guesses each.
        step: Called after each first clue of each entry.
    """
    try:
        first, second = (_mean(entry, config, goal, step) for entry in entries)
    except (UserError, PlayerError):  # for example because the entry is random
        return None
    return first, second


def _mean(entry: EntryInfo, config: RunConfig, goal: Goal, step: Callable[[], object]) -> float:
    # Both goals need an entry that always spends the same; the games played so far have shown this.
    chance, budget = enumerate_entry(entry, config, step)
    if goal.kind == GoalKind.WON:
        return chance if goal.budget is None or budget <= goal.budget * (1 + SAME_BUDGET) else 0.0
    return chance * (1 - min(budget, goal.loss_cost) / goal.loss_cost)
