"""A reading of many noisy records at once, in columns: whether all of them hold under the rules and the seed.

It says yes or no. Lines that it does not accept are read again one by one in `wordpl.verify.replay`, by the plain rules
of `wordpl.verify.rules`, which explain what is wrong; a property test holds the two readings equal. Like the plain one,
it shares with the harness only the format of records and the random draws.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import inf
from operator import attrgetter

import msgspec
import numpy as np
from numpy.typing import NDArray

from wordpl.core.game_facts import MoveForm
from wordpl.core.moves import Verdict
from wordpl.core.words import WordLists
from wordpl.run.records import Record
from wordpl.verify.rules import FAILURES, GameRules, RunDraws, noise_thresholds

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Booleans = NDArray[np.bool_]

MARKS = ".ic"
"""The marks in the order in which noise turns one into the next."""
NO_CLUE = -1
_VERDICTS = {verdict: number for number, verdict in enumerate(Verdict)}
_FAILURES = [_VERDICTS[verdict] for verdict in FAILURES]


class _NoisyLine(Record, frozen=True, omit_defaults=True):
    moves: list[tuple[str, float | int, str]]  # type: ignore[assignment]  # tuples are read faster


_decode = msgspec.json.Decoder(list[_NoisyLine]).decode
_encode_lines = msgspec.json.Encoder().encode_lines


@dataclass(frozen=True, eq=False)
class Columns:
    """The records of n games with m moves; words are places in the list of guesses.

    Attributes:
        games: The number of each game, int[n].
        secrets: Its secret, int[n].
        verdicts: Its verdict, as a place in the list of verdicts, int[n].
        is_silent: Whether it has no message, bool[n].
        lengths: Its number of moves, int[n].
        guesses: The guess of each move, int[m].
        epsilons: Its epsilon, float[m].
        is_answer: Whether it proposes the answer, as its epsilon is an integer, bool[m].
        clues: Its clue as a number, NO_CLUE if it is empty, int[m].
    """

    games: Integers
    secrets: Integers
    verdicts: Integers
    is_silent: Booleans
    lengths: Integers
    guesses: Integers
    epsilons: NDArray[np.float64]
    is_answer: Booleans
    clues: Integers


class ClueNumbers(dict[str, int]):
    """The numbers of clues of one length: their marks are the digits of a number with base 3."""

    def __init__(self, length: int):
        """Know the empty clue only; others are numbered when they are asked for."""
        super().__init__({"": NO_CLUE})
        self._length = length

    def __missing__(self, clue: str) -> int:
        """Return the number of a clue.

        Raises:
            KeyError: It has another length or other marks.
        """
        if len(clue) != self._length or not set(clue) <= set(MARKS):
            raise KeyError(clue)
        number = self[clue] = sum(MARKS.index(mark) * 3**place for place, mark in enumerate(clue))
        return number


class ColumnReader:
    """Reads the records of an entry."""

    def __init__(self, rules: GameRules, draws: RunDraws, n_games: int):
        """Create a reader.

        Args:
            rules: The rules of the game.
            draws: The draws of the run.
            n_games: The number of games of each entry.
        """
        self.rules, self.draws, self.n_games = rules, draws, n_games
        self.lists: WordLists = draws.lists
        self._places = {word: place for place, word in enumerate(self.lists.guesses)}
        self._numbers = ClueNumbers(self.lists.length)

    @cached_property
    def _letters(self) -> Bytes:
        """The letters of each guess, uint8[guesses, length]."""
        return np.array(self.lists.guesses, f"S{self.lists.length}").view(np.uint8).reshape(-1, self.lists.length)

    @cached_property
    def _answers(self) -> Integers:
        """The place of each answer in the list of guesses."""
        return np.array([self._places[word] for word in self.lists.answers], np.int64)

    def games_that_hold(self, lines: Sequence[bytes]) -> list[int] | None:
        """Return the numbers of the games on these lines if the rules allow each of them, otherwise None.

        None may also mean that this reader does not know: it knows only games whose moves have epsilons.

        Args:
            lines: The lines without their newlines.
        """
        if self.rules.facts.form != MoveForm.NOISY:
            return None
        try:
            records = _decode(b"[%b]" % b",".join(lines))
            if _encode_lines(records) != b"".join(b"%b\n" % line for line in lines):
                return None
            columns = self._columns(records)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, OverflowError):
            return None  # there is something that is no record, no word, no clue or no number of a game
        return columns.games.tolist() if self._hold(columns) else None

    def _columns(self, records: Sequence[_NoisyLine]) -> Columns:
        """Return the columns of these records.

        Raises:
            KeyError: A word is not in the list of guesses, a clue is none, or a record is that of a replay.
            OverflowError: A number is too large.
        """
        moves = list(chain.from_iterable(map(attrgetter("moves"), records)))
        guesses, epsilons, clues = zip(*moves, strict=True) if moves else ((), (), ())
        verdicts = {(verdict, None): number for verdict, number in _VERDICTS.items()}
        n = len(records)
        return Columns(
            games=_integers(map(attrgetter("game"), records), n),
            secrets=_integers(map(self._places.__getitem__, map(attrgetter("secret"), records)), n),
            verdicts=_integers(map(verdicts.__getitem__, map(attrgetter("verdict", "replay"), records)), n),
            is_silent=np.fromiter((not record.message for record in records), bool, n),
            lengths=_integers(map(len, map(attrgetter("moves"), records)), n),
            guesses=_integers(map(self._places.__getitem__, guesses), len(moves)),
            epsilons=np.array(epsilons, float),
            is_answer=np.fromiter((type(epsilon) is int for epsilon in epsilons), bool, len(moves)),
            clues=_integers(map(self._numbers.__getitem__, clues), len(moves)),
        )

    def _hold(self, columns: Columns) -> bool:
        """Return whether the rules allow all of these games."""
        games, lengths = columns.games, columns.lengths
        if ((games < 0) | (games >= self.n_games) | (lengths >= self.rules.max_guesses)).any():
            return False
        if (columns.secrets != self._answers[self.draws.secrets(games)]).any():
            return False
        return self._ends_hold(columns) and self._clues_hold(columns)

    def _ends_hold(self, columns: Columns) -> bool:
        """Return whether the answer is the last move, and the verdict follows from it."""
        last = np.cumsum(columns.lengths) - 1
        answered = columns.lengths > 0
        answered[answered] = columns.is_answer[last[answered]]
        answers = columns.guesses[last[answered]]
        won = answers == columns.secrets[answered]
        expected = np.where(won, _VERDICTS[Verdict.WON], _VERDICTS[Verdict.WRONG])
        failed = columns.verdicts[~answered]
        was_played = columns.lengths[~answered] > 0
        return bool(
            columns.is_answer.sum() == len(answers)
            and (columns.epsilons[columns.is_answer] == 0).all()
            and np.isin(answers, self._answers).all()
            and (columns.verdicts[answered] == expected).all()
            and columns.is_silent[answered].all()
            and np.isin(failed, _FAILURES).all()
            and not (was_played & (failed == _VERDICTS[Verdict.UNPLAYED])).any()
        )

    def _clues_hold(self, columns: Columns) -> bool:
        """Return whether guesses have a finite epsilon above 0 and the right clue, and answers no clue."""
        asked = ~columns.is_answer
        epsilons = columns.epsilons[asked]
        if not ((epsilons > 0) & (epsilons < inf)).all():
            return False
        game = np.repeat(np.arange(len(columns.games)), columns.lengths)
        rounds = np.arange(len(game)) - (np.cumsum(columns.lengths) - columns.lengths)[game] + 1
        true = self._true_marks(columns.guesses[asked], columns.secrets[game[asked]])
        turns = self._turns(epsilons, columns.games[game[asked]], rounds[asked])
        expected = np.full(len(asked), NO_CLUE)
        expected[asked] = (true + turns) % 3 @ 3 ** np.arange(self.lists.length)
        return bool((columns.clues == expected).all())

    def _true_marks(self, guesses: Integers, secrets: Integers) -> Bytes:
        """Return the marks of each guess without noise, as places in MARKS, uint8[m, length]."""
        guess, secret = self._letters[guesses], self._letters[secrets]
        is_right = guess == secret
        if not self.rules.counted:
            is_in_secret = (guess[:, :, None] == secret[:, None, :]).any(axis=2)
            return np.asarray(is_right.astype(np.uint8) + is_in_secret)
        marks, is_spare = 2 * is_right.astype(np.uint8), ~is_right
        for place in range(self.lists.length):
            for other in range(self.lists.length):
                found = (marks[:, place] == 0) & is_spare[:, other] & (guess[:, place] == secret[:, other])
                marks[found, place], is_spare[found, other] = 1, False
        return np.asarray(marks)

    def _turns(self, epsilons: NDArray[np.float64], games: Integers, rounds: Integers) -> Bytes:
        """Return by how many places in MARKS noise turns each mark of these guesses, uint8[m, length]."""
        different, which = np.unique(epsilons, return_inverse=True)
        bounds = np.array([noise_thresholds(epsilon, self.lists.length) for epsilon in different.tolist()], np.int64)
        turns = np.empty((len(epsilons), self.lists.length), np.uint8)
        for round_ in np.unique(rounds).tolist():
            moves = np.flatnonzero(rounds == round_)
            noise = self.draws.noise(games[moves], round_)[:, :, None]
            turns[moves] = (noise >= bounds[which[moves], None]).sum(axis=2)
        return turns


def _integers(values: Iterable[int], n: int) -> Integers:
    return np.fromiter(values, np.int64, n)
