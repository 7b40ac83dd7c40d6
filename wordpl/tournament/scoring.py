"""Points, micro points and time bank of a player, computed puzzle by puzzle, and the standings of all players.

A puzzle's clock runs from its first guess, or from the end of the break before it, to its last guess. A guess counts
only if it is made before the bank is empty; a guess at the very moment is too late.

Micro points reward each guess for the information it reveals. The total in the published rules' own example (secret
YEAST) follows from no consistent interpretation of the rules. The default interpretation here counts repeated letters
as Wordle does, and counts a grey tile only if the letter does not occur in the secret at all.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from wordpl.core.clues import anywhere, counted
from wordpl.core.errors import UserError
from wordpl.tournament.rules import MicroPoints, TournamentRules

Ending = Literal["solved", "not solved", "out of time", "not finished", "lost by a fault"]
GREY, YELLOW, GREEN = ".ic"
Tile = tuple[str, int | str] | tuple[str, int, str]
"""The information in a tile: (green, place), (yellow, place, letter) or (grey, letter)."""
CLUES = {"classic": counted, "naive": anywhere}


@dataclass(frozen=True)
class Guess:
    """A guess.

    Attributes:
        word: The word.
        at_s: The time since the puzzle's clock started, in seconds.
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
        round_number: The number of the round, from 1.
        number: The number of the puzzle in its round, from 1.
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
    number: int
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
        """Whether the player may play another puzzle of the round."""
        return self.ending == "solved" and self.bank_s > 0


def score(puzzles: Sequence[PlayedPuzzle], rules: TournamentRules) -> Iterator[ScoredPuzzle]:
    """Yield a player's puzzles with their points; each round goes up to the puzzle that ends it for the player.

    Args:
        puzzles: The puzzles of all rounds in order.
        rules: The tournament's rules.
    """
    for round_number in range(1, rules.rounds + 1):
        bank_s = rules.bank_s
        in_round = puzzles[(round_number - 1) * rules.puzzles : round_number * rules.puzzles]
        for number, puzzle in enumerate(in_round, 1):
            scored = score_puzzle(puzzle, (round_number, number), bank_s, rules)
            yield scored
            if not scored.goes_on:
                break
            bank_s = scored.bank_s


def score_puzzle(puzzle: PlayedPuzzle, place: tuple[int, int], bank_s: float, rules: TournamentRules) -> ScoredPuzzle:
    """Return a puzzle with its points.

    Args:
        puzzle: The puzzle.
        place: The numbers of the round, and of the puzzle in its round.
        bank_s: The time in the player's bank when the puzzle's clock starts, in seconds.
        rules: The tournament's rules.
    """
    in_time = [guess for guess in puzzle.guesses if guess.at_s < bank_s]
    words = [guess.word for guess in in_time]
    ending = _ending(puzzle, words, len(rules.times_base), is_late=len(in_time) < len(puzzle.guesses))
    solved = ending == "solved"
    used_s = in_time[-1].at_s if in_time else 0.0
    bonus_s = rules.bonus_seconds[len(words) - 1] if solved else 0.0
    micro = rules.micro_points
    micro_sum = sum(micro_points(words, puzzle.secret, micro)) if micro.count and (solved or micro.unsolved) else 0.0
    return ScoredPuzzle(
        round_number=place[0],
        number=place[1],
        secret=puzzle.secret,
        ending=ending,
        n_guesses=len(words),
        used_s=bank_s if ending == "out of time" else used_s,
        points=rules.points(len(words)) if solved else 0.0,
        micro=micro_sum / micro.divide_by,
        bonus_s=bonus_s,
        bank_s=bank_s - used_s + bonus_s if solved else 0.0,
    )


def _ending(puzzle: PlayedPuzzle, words: Sequence[str], n_guesses: int, *, is_late: bool) -> Ending:
    if words and words[-1] == puzzle.secret:
        return "solved"
    if is_late:
        return "out of time"
    if puzzle.fault:
        return "lost by a fault"
    return "not solved" if len(words) == n_guesses else "not finished"


def micro_points(guesses: Sequence[str], secret: str, rules: MicroPoints) -> list[float]:
    """Return the micro points of each guess of a puzzle, in order.

    >>> from wordpl.tournament.rules import load_rules
    >>> micro_points(["state", "steak", "meats", "beast", "feast", "least"], "yeast", load_rules().micro_points)
    [11.0, 5.0, 10.0, 11.0, 1.0, 1.0]
    """
    seen_tiles: set[Tile] = set()
    points_of_guesses = []
    for guess in guesses:
        points = 0.0
        for tile in _tiles(guess, secret, rules):
            points += _tile_points(tile, tile not in seen_tiles, rules)
            seen_tiles.add(tile)
        points_of_guesses.append(points)
    return points_of_guesses


def _tiles(guess: str, secret: str, rules: MicroPoints) -> list[Tile]:
    """Return the tiles of a guess that may score points."""
    tiles: list[Tile] = []
    for place, (letter, mark) in enumerate(zip(guess, CLUES[rules.duplicates](guess, secret), strict=True)):
        if mark == GREEN:
            tiles.append((GREEN, place))
        elif mark == YELLOW:
            tiles.append((YELLOW, place, letter))
        elif rules.grey_for != "absent_only" or letter not in secret:
            tiles.append((GREY, letter))
    return tiles


def _tile_points(tile: Tile, is_new: bool, rules: MicroPoints) -> float:
    if tile[0] == GREY:
        return rules.grey if is_new or rules.grey_repeat == "each" else 0.0
    return (rules.yellow if tile[0] == YELLOW else rules.green) if is_new else 0.0


@dataclass(frozen=True)
class TournamentResult:
    """The result of one player.

    Attributes:
        player: The player.
        puzzles: The puzzles with their points.
    """

    player: str
    puzzles: Sequence[ScoredPuzzle]

    @property
    def total(self) -> float:
        """The points of all puzzles, including micro points."""
        # Rounding makes sums tie that differ only by floating-point errors.
        return round(sum(puzzle.points + puzzle.micro for puzzle in self.puzzles), 6)


@dataclass(frozen=True)
class Standing:
    """A line of the standings.

    Attributes:
        place: The place; players with equal totals share it.
        player: The player.
        total: All points.
        points: The points for solving.
        micro: The micro points.
        n_solved: The number of solved puzzles.
        mean_guesses: The mean number of guesses in solved puzzles; None without any.
        used_s: The time used, in seconds.
        ending: How the last puzzle ended.
    """

    place: int
    player: str
    total: float
    points: float
    micro: float
    n_solved: int
    mean_guesses: float | None
    used_s: float
    ending: Ending | Literal["not begun"]


def standings(results: Sequence[TournamentResult]) -> list[Standing]:
    """Return the standings, best first.

    Raises:
        UserError: A player has several results.
    """
    names = [result.player for result in results]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise UserError(f"{twice!r} has two results; a tournament allows one per player.")
    totals = sorted((result.total for result in results), reverse=True)
    lines = [_standing(result, 1 + totals.index(result.total)) for result in results]
    return sorted(lines, key=lambda line: (line.place, line.player))


def _standing(result: TournamentResult, place: int) -> Standing:
    solved = [puzzle.n_guesses for puzzle in result.puzzles if puzzle.ending == "solved"]
    return Standing(
        place=place,
        player=result.player,
        total=result.total,
        points=sum(puzzle.points for puzzle in result.puzzles),
        micro=sum(puzzle.micro for puzzle in result.puzzles),
        n_solved=len(solved),
        mean_guesses=sum(solved) / len(solved) if solved else None,
        used_s=sum(puzzle.used_s for puzzle in result.puzzles),
        ending=result.puzzles[-1].ending if result.puzzles else "not begun",
    )
