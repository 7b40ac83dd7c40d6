"""Points and time bank of a player, computed puzzle by puzzle.

A puzzle's clock runs from its first guess to its last. A guess counts only if it is made before the bank is empty; a
guess at the very moment is too late.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wordpl.tournament.micro import micro_points
from wordpl.tournament.rules import TournamentRules

Ending = Literal["solved", "not solved", "out of time", "not finished", "lost by a fault"]


@dataclass(frozen=True)
class Guess:
    """A guess.

    Attributes:
        word: The word.
        at_s: The time since the puzzle's first guess, in seconds.
    """

    word: str
    at_s: float


@dataclass(frozen=True)
class PlayedPuzzle:
    """A puzzle as it was played.

    Attributes:
        secret: The secret.
        guesses: The guesses.
        fault: Whether the puzzle ended by a crash or an illegal move of a strategy.
    """

    secret: str
    guesses: Sequence[Guess]
    fault: bool = False


@dataclass(frozen=True)
class ScoredPuzzle:
    """A puzzle with its points.

    Attributes:
        round_number: The number of the puzzle, from 1.
        secret: The secret.
        ending: How the puzzle ended.
        n_guesses: The number of guesses made in time.
        used_s: The time used, in seconds.
        points: The points for solving the puzzle.
        micro: The micro points.
        bonus_s: The time added to the bank, in seconds.
        bank_s: The time left in the bank afterwards, in seconds.
    """

    round_number: int
    secret: str
    ending: Ending
    n_guesses: int
    used_s: float
    points: float
    micro: float
    bonus_s: float
    bank_s: float

    @property
    def goes_on(self) -> bool:
        """Whether the player may play another puzzle."""
        return self.ending == "solved" and self.bank_s > 0


def score(puzzles: Iterable[PlayedPuzzle], rules: TournamentRules) -> Iterator[ScoredPuzzle]:
    """Yield a player's puzzles with their points, up to the puzzle that ends the player's tournament.

    Args:
        puzzles: The puzzles in order.
        rules: The tournament's rules.
    """
    bank_s = rules.bank_s
    for number, puzzle in enumerate(puzzles, 1):
        scored = _score(number, puzzle, bank_s, rules)
        yield scored
        if not scored.goes_on:
            return
        bank_s = scored.bank_s


def _score(number: int, puzzle: PlayedPuzzle, bank_s: float, rules: TournamentRules) -> ScoredPuzzle:
    in_time = [guess for guess in puzzle.guesses if guess.at_s < bank_s]
    words = [guess.word for guess in in_time]
    ending = _ending(puzzle, words, len(in_time) < len(puzzle.guesses))
    solved = ending == "solved"
    used_s = in_time[-1].at_s if in_time else 0.0
    bonus_s = rules.bonus_seconds[len(words) - 1] if solved else 0.0
    micro = rules.micro_points
    found = sum(micro_points(words, puzzle.secret, micro)) if micro.count and (solved or micro.unsolved) else 0.0
    return ScoredPuzzle(
        round_number=number,
        secret=puzzle.secret,
        ending=ending,
        n_guesses=len(words),
        used_s=bank_s if ending == "out of time" else used_s,
        points=rules.points(len(words)) if solved else 0.0,
        micro=found / micro.divide_by,
        bonus_s=bonus_s,
        bank_s=bank_s - used_s + bonus_s if solved else 0.0,
    )


def _ending(puzzle: PlayedPuzzle, words: Sequence[str], is_late: bool) -> Ending:
    if words and words[-1] == puzzle.secret:
        return "solved"
    if is_late:
        return "out of time"
    if puzzle.fault:
        return "lost by a fault"
    return "not solved" if len(words) == 6 else "not finished"
