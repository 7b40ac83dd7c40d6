"""The rules of a tournament and what follows from them: points, time banks, a player's progress, and standings."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from wordpl import games
from wordpl.core import bounded, paths
from wordpl.core.clues import anywhere, counted
from wordpl.core.messages import UserError
from wordpl.core.settings import Setting

Amount = Annotated[float, Meta(ge=0, le=1e6)]
Amounts = Annotated[tuple[Amount, ...], Meta(min_length=1, max_length=1000)]
"""One amount for each guess of the game."""
NO_LIMIT = 100_000
"""The minutes of a break that has no limit: more than two months."""
MAX_PUZZLES = 1000
"""The most puzzles of a tournament, so that a file made by others cannot take long to check."""


class MicroPoints(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How guesses score micro points; wordpl/data/tournament.toml explains each setting."""

    count: bool
    unsolved: bool
    divide_by: Annotated[float, Meta(gt=0, le=1e6)]
    grey: Amount
    yellow: Amount
    green: Amount
    duplicates: Literal["classic", "naive"]
    grey_for: Literal["absent_only", "any"]
    grey_repeat: Literal["each", "once"]


class TournamentRules(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The rules of a tournament; wordpl/data/tournament.toml explains each setting."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    game: str
    rounds: Annotated[
        int, Meta(ge=1, le=100), Setting("--rounds", "Rounds, each with a new time bank. [default: as in the rules]")
    ]
    puzzles: Annotated[
        int, Meta(ge=1, le=MAX_PUZZLES), Setting("--puzzles", "Puzzles in each round. [default: as in the rules]")
    ]
    bank_minutes: Annotated[
        float,
        Meta(gt=0, le=100_000),
        Setting("--bank", "Time bank. [default: as in the rules]", "MINUTES", 0.01, 100_000),
    ]
    break_minutes: Annotated[
        float,
        Meta(ge=0, le=NO_LIMIT),
        Setting("--break", "Longest break. [default: as in the rules]", "MINUTES", 0, NO_LIMIT),
    ]
    base_points: Amount
    times_base: Amounts
    bonus_seconds: Amounts
    micro_points: MicroPoints

    @property
    def bank_s(self) -> float:
        """The time bank of each player at the start of a round, in seconds."""
        return 60 * self.bank_minutes

    @property
    def n_games(self) -> int:
        """The number of puzzles in all rounds."""
        return self.rounds * self.puzzles

    @property
    def break_s(self) -> float | None:
        """The longest break in seconds; None for no limit."""
        return None if self.break_minutes == NO_LIMIT else 60 * self.break_minutes

    def points(self, n_guesses: int) -> float:
        """Return the points for a puzzle solved in this many guesses."""
        return self.base_points * self.times_base[n_guesses - 1]


def load_rules(file: Path | None = None, game: str | None = None) -> TournamentRules:
    """Return the rules in this file, by default the published rules, for another game than theirs if one is given.

    Raises:
        UserError: The file cannot be read, or a setting is missing or invalid.
    """
    try:
        settings = bounded.read_toml(bounded.RULES, file or paths.DATA / "tournament.toml")
        rules = msgspec.convert(settings | ({"game": game} if game else {}), TournamentRules)
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}.") from None
    except msgspec.ValidationError as error:
        raise UserError(f"{file}: {_in_words(error)}. wordpl/data/tournament.toml is an example.") from None
    check_rules(rules)
    return rules


def check_rules(rules: TournamentRules) -> None:
    """Raise UserError if there are too many puzzles, or unless a tournament supports the game of these rules."""
    if rules.n_games > MAX_PUZZLES:
        raise UserError(
            f"a tournament has at most {MAX_PUZZLES:,} puzzles; "
            f"these rules have {rules.rounds} rounds of {rules.puzzles}."
        )
    game = games.game_class(rules.game).facts
    if game.has_epsilon or not game.limit or not game.has_secret:
        raise UserError(f"the game of a tournament must have a secret and a limit of guesses; {game.id} has not.")
    for name in ("times_base", "bonus_seconds"):
        if len(amounts := getattr(rules, name)) != game.limit:
            raise UserError(f"{name} needs {game.limit} amounts, one per guess of {game.id}; got {len(amounts)}.")


def _in_words(error: msgspec.ValidationError) -> str:
    text = str(error).replace("Object contains unknown field", "there is no setting called")
    text = text.replace("Object missing required field", "there must be a setting called").replace("`", "'")
    return text.replace(" - at '$.", " - at '").replace("Expected `array`", "Expected a list")


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
        is_struck: Whether the host has struck the puzzle, so that it counts for nobody.
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
    is_struck: bool = False

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

    >>> from wordpl.apps.tournament.scoring import load_rules
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

    @property
    def counted(self) -> list[ScoredPuzzle]:
        """The puzzles that count: all that the host has not struck."""
        return [puzzle for puzzle in self.puzzles if not puzzle.is_struck]


@dataclass(frozen=True)
class PlayerStanding:
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


def standings(results: Sequence[TournamentResult]) -> list[PlayerStanding]:
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


def _standing(result: TournamentResult, place: int) -> PlayerStanding:
    solved = [puzzle.n_guesses for puzzle in result.counted if puzzle.ending == "solved"]
    return PlayerStanding(
        place=place,
        player=result.player,
        total=result.total,
        points=sum(puzzle.points for puzzle in result.puzzles),
        micro=sum(puzzle.micro for puzzle in result.puzzles),
        n_solved=len(solved),
        mean_guesses=sum(solved) / len(solved) if solved else None,
        used_s=sum(puzzle.used_s for puzzle in result.counted),
        ending=result.puzzles[-1].ending if result.puzzles else "not begun",
    )


RulingKind = Literal["strike player", "strike puzzle", "correct"]


class Ruling(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """A decision of the host, which is shown with its reason.

    Attributes:
        kind: What is decided: a player or a puzzle counts no more, or a player's puzzle has other points.
        reason: Why.
        time_s: When, in seconds since 1970 (UTC).
        player: The player; "" for a puzzle that is struck for all.
        round_number: The number of the round, from 1; 0 for a struck player.
        number: The number of the puzzle in its round, from 1; 0 for a struck player.
        points: The points for solving that the player gets instead.
        micro: The micro points that the player gets instead.
    """

    kind: RulingKind
    reason: Annotated[str, Meta(min_length=1, max_length=300)]
    time_s: float
    player: Annotated[str, Meta(max_length=100)] = ""
    round_number: Annotated[int, Meta(ge=0, le=MAX_PUZZLES)] = 0
    number: Annotated[int, Meta(ge=0, le=MAX_PUZZLES)] = 0
    points: Amount = 0.0
    micro: Amount = 0.0

    @property
    def in_words(self) -> str:
        """What was decided, as the beginning of a sentence."""
        puzzle = f"puzzle {self.round_number}.{self.number}"
        if self.kind == "strike player":
            return f"{self.player} is struck"
        if self.kind == "strike puzzle":
            return f"{puzzle} counts for nobody"
        return f"{self.player} gets {self.points:g} points and {self.micro:g} micro points for {puzzle}"

    def applies_to(self, puzzle: ScoredPuzzle) -> bool:
        """Return whether the ruling is on this puzzle."""
        return (self.round_number, self.number) == (puzzle.round_number, puzzle.number)

    def check(self, rules: TournamentRules, players: Collection[str]) -> None:
        """Raise UserError if the tournament has no such player or puzzle."""
        if self.kind != "strike puzzle" and self.player not in players:
            raise UserError(f"there is no player called {self.player!r}. Players: {', '.join(players) or 'none'}.")
        if self.kind != "strike player" and not (
            1 <= self.round_number <= rules.rounds and 1 <= self.number <= rules.puzzles
        ):
            raise UserError(
                f"there is no puzzle {self.round_number}.{self.number}: write ROUND.PUZZLE, from 1.1 to "
                f"{rules.rounds}.{rules.puzzles}."
            )


def ruled(results: Sequence[TournamentResult], rulings: Sequence[Ruling]) -> list[TournamentResult]:
    """Return the results after these rulings, in the order in which they were made; struck players are left out."""
    struck = {ruling.player for ruling in rulings if ruling.kind == "strike player"}
    return [
        TournamentResult(result.player, [_ruled(puzzle, result.player, rulings) for puzzle in result.puzzles])
        for result in results
        if result.player not in struck
    ]


def _ruled(puzzle: ScoredPuzzle, player: str, rulings: Sequence[Ruling]) -> ScoredPuzzle:
    for ruling in rulings:
        if ruling.applies_to(puzzle) and ruling.kind == "correct" and ruling.player == player:
            puzzle = replace(puzzle, points=ruling.points, micro=ruling.micro)
    if any(ruling.applies_to(puzzle) and ruling.kind == "strike puzzle" for ruling in rulings):
        return replace(puzzle, points=0.0, micro=0.0, is_struck=True)
    return puzzle


class PlayedGuess(Struct, frozen=True, forbid_unknown_fields=True):
    """A guess and when it was made, in seconds since 1970 (UTC)."""

    word: str
    time_s: float


@dataclass(frozen=True)
class CurrentPuzzle:
    """The puzzle that a player plays, or may start.

    Attributes:
        round_number: The number of the round, from 1.
        number: The number of the puzzle in its round, from 1.
        starts_s: When its clock started or will start without a guess, in seconds since 1970 (UTC).
        bank_s: The time in the bank when its clock starts, in seconds.
        words: The guesses so far.
    """

    round_number: int
    number: int
    starts_s: float
    bank_s: float
    words: tuple[str, ...]


@dataclass(frozen=True)
class PlayerProgress:
    """A player's tournament up to a moment.

    Attributes:
        scored: The puzzles of the player with their points, including one that is not finished.
        words: The guesses in each puzzle, by its number in the tournament, from 0.
        current: The puzzle that the player plays or may start; None after the last one.
        n_unused: The number of guesses after the last puzzle, which the server does not accept.
    """

    scored: tuple[ScoredPuzzle, ...]
    words: dict[int, tuple[str, ...]]
    current: CurrentPuzzle | None
    n_unused: int = 0

    @property
    def finished(self) -> tuple[ScoredPuzzle, ...]:
        """The puzzles that have ended for this player."""
        return self.scored[:-1] if self.scored and self.scored[-1].ending == "not finished" else self.scored


def follow(
    rules: TournamentRules, secrets: Sequence[str], begin_s: float, guesses: Sequence[PlayedGuess], until_s: float
) -> PlayerProgress:
    """Return the progress of a player.

    Args:
        rules: The tournament's rules.
        secrets: The secrets of the puzzles of all rounds.
        begin_s: When the player could begin, in seconds since 1970 (UTC).
        guesses: The guesses with their times.
        until_s: The moment, not before the last guess: the present, or the end of the tournament.
    """
    scored: list[ScoredPuzzle] = []
    words: dict[int, tuple[str, ...]] = {}
    n_used, free_s, limit = 0, begin_s, len(rules.times_base)
    for round_number in range(1, rules.rounds + 1):
        bank_s = rules.bank_s
        for number in range(1, rules.puzzles + 1):
            index = (round_number - 1) * rules.puzzles + number - 1
            first_s = guesses[n_used].time_s if n_used < len(guesses) else inf
            start_s = min(first_s, free_s + 60 * rules.break_minutes)
            made = _take(guesses[n_used : n_used + limit], secrets[index], start_s, bank_s)
            n_used += len(made)
            words[index] = tuple(guess.word for guess in made)
            is_solved = bool(made) and made[-1].word == secrets[index]
            is_late = not is_solved and len(made) < limit
            if is_late and start_s + bank_s > until_s and n_used == len(guesses):
                if made or start_s <= until_s:
                    scored.append(
                        score_puzzle(PlayedPuzzle(secrets[index], made), (round_number, number), bank_s, rules)
                    )
                current = CurrentPuzzle(round_number, number, start_s, bank_s, words[index])
                return PlayerProgress(tuple(scored), words, current)
            late = [Guess("", inf)] if is_late else []
            puzzle = PlayedPuzzle(secrets[index], [*made, *late])
            scored.append(score_puzzle(puzzle, (round_number, number), bank_s, rules))
            free_s = start_s + bank_s if is_late else start_s + made[-1].at_s
            if not scored[-1].goes_on:
                break
            bank_s = scored[-1].bank_s
    return PlayerProgress(tuple(scored), words, None, len(guesses) - n_used)


def _take(guesses: Sequence[PlayedGuess], secret: str, start_s: float, bank_s: float) -> list[Guess]:
    """Return the guesses in a puzzle: those in time, up to the secret."""
    made: list[Guess] = []
    for guess in guesses:
        if guess.time_s - start_s >= bank_s:
            break
        made.append(Guess(guess.word, guess.time_s - start_s))
        if guess.word == secret:
            break
    return made
