"""Where a player stands in a tournament: which puzzle each guess belongs to, whose clock runs, and the points so far.

The guesses and their times decide everything, so the server stores nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from msgspec import Struct

from wordpl.tournament.rules import TournamentRules
from wordpl.tournament.scoring import Guess, PlayedPuzzle, ScoredPuzzle, score_puzzle


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
