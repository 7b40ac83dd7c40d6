"""Randomly drawn games that check whether an entry plays as its enumeration assumes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wordpl.contest import match
from wordpl.contest.enumeration import TOLERANCE, Enumeration, EnumerationResult
from wordpl.contest.evidence_log import EvidenceLog
from wordpl.contest.win_rate import posterior
from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.core.moves import Verdict, noisy, total_epsilon
from wordpl.kernels.clue_matrix import guess_rows
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record


@dataclass(frozen=True)
class Progress:
    """Callbacks for the progress of collecting evidence.

    Attributes:
        clue: Called after each first clue of the enumeration.
        history: Called after each drawn game.
    """

    clue: Callable[[], object] = lambda: None
    history: Callable[[], object] = lambda: None


class DrawnGames:
    """Plays games drawn by their probability, and checks in each that the entry plays as its enumeration assumes."""

    def __init__(self, enumeration: Enumeration, found: EnumerationResult, config: RunConfig):
        self.enumeration, self.found, self.config = enumeration, found, config
        self.lists = enumeration.lists
        self.rows = guess_rows(self.lists)

    def play(self, key: bytes, n_games: int, watched: tuple[EvidenceLog, Progress]) -> Iterator[Record]:
        """Play the games 0 to n_games - 1 of this key that the log does not have yet, and yield their records.

        Args:
            key: The key of all draws.
            n_games: The total number of games.
            watched: The log of finished games, and the callbacks for progress.

        Raises:
            UserError: The entry deviated from the enumeration in a game.
        """
        log, progress = watched
        for _ in range(min(log.n_played, n_games)):
            progress.history()
        for number in range(log.n_played, n_games):
            record = match.play(self.enumeration.game, self.enumeration.player, number, key, self.config)
            if deviation := self.deviation(record):
                moves = " ".join(f"{move.guess}:{move.clues}" for move in record.moves)
                raise UserError(f"in drawn game {number}, {moves}, {deviation}: this entry cannot be enumerated.")
            log.add_game()
            progress.history()
            yield record

    def deviation(self, record: Record) -> str:
        """Return how a game deviates from the enumeration, as a clause; "" if it does not."""
        if record.verdict not in (Verdict.WON, Verdict.WRONG):
            return f"it ended as {record.verdict} {record.message}".strip()
        *guesses, answer = noisy(record.moves)
        if total_epsilon(guesses) > self.found.budget:
            return f"it spent {total_epsilon(guesses)!r}, more than {self.found.budget!r}"
        expected = self.found.last_guesses
        if expected is not None and expected.get(tuple(move.clues for move in guesses[:-1])) != guesses[-1].proposal:
            return "its last guess differed from the enumerated one"
        chances = posterior(self.enumeration.words, self.rows, guesses)
        if chances[self.lists.answers.index(answer.guess)] < chances.max() * (1 - TOLERANCE):
            return f"it proposed {answer.guess}, which is not the likeliest word"
        return ""


def key_of(seed: str, entry: EntryInfo) -> bytes:
    """Return the key of the drawn games, which depends on the seed and on the entry's file."""
    return seeds.run_key(f"wordpl/evidence/1 {seed} {entry.sha256} {entry.make}")
