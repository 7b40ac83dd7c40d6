"""Games drawn by their probability, in which an entry has to play as its enumeration counts on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wordpl.contest import match
from wordpl.contest.enumeration import ALIKE, Enumerated, Enumeration
from wordpl.contest.evidence_log import EvidenceLog
from wordpl.contest.win_rate import posterior
from wordpl.core import seeds
from wordpl.core.clue_matrix import guess_rows
from wordpl.core.errors import UserError
from wordpl.core.moves import noisy, total_epsilon
from wordpl.core.records import EntryInfo, Record, Verdict
from wordpl.core.run_config import RunConfig

ROUNDING = 1e-9


@dataclass(frozen=True)
class Progress:
    """Called as the work goes on.

    Attributes:
        clue: After each first clue of the enumeration.
        history: After each game that was drawn.
    """

    clue: Callable[[], object] = lambda: None
    history: Callable[[], object] = lambda: None


class DrawnGames:
    """Games drawn by their probability, in each of which the entry has to play as the enumeration counts on."""

    def __init__(self, enumeration: Enumeration, found: Enumerated, config: RunConfig):
        self.enumeration, self.found, self.config = enumeration, found, config
        self.lists = enumeration.lists
        self.rows = guess_rows(self.lists)

    def play(self, key: bytes, n_games: int, watched: tuple[EvidenceLog, Progress]) -> Iterator[Record]:
        """Play games 0 to n_games - 1 of this key, but for those that were played before, and yield their records.

        Raises:
            UserError: A game went otherwise; it is the first.
        """
        log, progress = watched
        for _ in range(min(log.n_played, n_games)):
            progress.history()
        for number in range(log.n_played, n_games):
            record = match.play(self.enumeration.game, self.enumeration.player, number, key, self.config)
            if wrong := self.fault_of(record):
                said = " ".join(f"{move.guess}:{move.clues}" for move in record.moves)
                raise UserError(f"in drawn game {number}, {said}, {wrong}: this entry cannot be enumerated.")
            log.add_game()
            progress.history()
            yield record

    def fault_of(self, record: Record) -> str:
        """Return what of a game is not as the enumeration counts on, "" if nothing."""
        if record.verdict not in (Verdict.WON, Verdict.WRONG):
            return f"it ended as {record.verdict} {record.message}".strip()
        *guesses, answer = noisy(record.moves)
        if total_epsilon(guesses) > self.found.budget * (1 + ROUNDING):
            return f"it spent {total_epsilon(guesses):g}, more than {self.found.budget:g}"
        known = self.found.last_guesses
        if known is not None and known.get(tuple(move.clues for move in guesses[:-1])) != guesses[-1].proposal:
            return "its last guess was another one than before"
        chances = posterior(self.enumeration.words, self.rows, guesses)
        if chances[self.lists.answers.index(answer.guess)] < chances.max() * (1 - ALIKE):
            return f"it proposed {answer.guess}, which is not the likeliest word"
        return ""


def key_of(seed: str, entry: EntryInfo) -> bytes:
    """Return the key of the drawn games: it depends on the entry's file too."""
    return seeds.run_key(f"wordpl/evidence/1 {seed} {entry.sha256} {entry.make}")
