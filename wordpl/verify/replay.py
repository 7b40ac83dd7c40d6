"""Replays an entry's records: compares each line with what the seed and the rules imply for its moves.

Many noisy records are compared at once, others one by one.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from math import inf
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from wordpl.core import bounded
from wordpl.core.messages import UserError
from wordpl.core.moves import MoveForm, Verdict
from wordpl.core.words import WordLists
from wordpl.run import records, seal
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, Replay, UncheckedRecord, encode
from wordpl.verify.rules import (
    FAILURES,
    GAME_RULES,
    ForbiddenMoveError,
    GameEnd,
    GameRules,
    RedrawnGame,
    RunDraws,
    noise_thresholds,
    outcome,
    read_move,
)

MAX_CHARACTERS = 160
NOT_COVERED = (
    "durations/ and the CPU times in tables: no digest covers them, and a replay cannot reproduce them",
    "report.html: no digest covers it; `wordpl report` writes it again",
    "verdicts that depend on time, memory or a crash: a host could invent them; --replay N replays games",
    "repeated attempts: a host could play a game several times, keep one result, and not list the game as played again",
    "a folder forged completely by somebody who knows the seed: compare the commitment with the published one, "
    "or give that one with --commitment",
)
"""What cannot be verified from the folder of a run alone."""


@dataclass(frozen=True)
class Difference:
    """A deviation from what the seed and the rules imply.

    Attributes:
        source: The name of the entry whose records deviate, or the name of the file.
        place: The place in the source, such as "game 17"; "" if it is not a single place.
        what: What deviates, such as "the verdict".
        found: The value found.
        expected: The value expected.
    """

    source: str
    place: str
    what: str
    found: str
    expected: str

    def __str__(self) -> str:
        """Return the difference as a sentence. It may quote untrusted text, so escape it before you show it."""
        where = f"{self.source}, {self.place}" if self.place else self.source
        return f"{where}: {self.what} is {self.found[:MAX_CHARACTERS]}, expected {self.expected[:MAX_CHARACTERS]}"


@dataclass
class Findings:
    """The result of a verification.

    Attributes:
        n_games: The number of games checked.
        differences: The deviations found.
        unexplained: A sentence for each result that the clues of an entry do not allow.
        notes: What could not be checked, and why.
    """

    n_games: int = 0
    differences: list[Difference] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        """Return the number of games, the verdict, and the first difference."""
        first = f", {self.differences[0]}" if self.differences else ""
        return f"Findings({self.n_games:,} games, {self.verdict[0].lower()}{self.verdict[1:]}{first})"

    @property
    def holds(self) -> bool:
        """Whether nothing deviates, and clues allow all results."""
        return not self.differences and not self.unexplained

    @property
    def verdict(self) -> str:
        """Whether all holds; if not, the number of differences and of results that clues do not allow."""
        counts = {"Differences": len(self.differences), "Results that clues do not allow": len(self.unexplained)}
        return "; ".join(f"{what}: {count:,}" for what, count in counts.items() if count) or "All holds"


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


_decode_noisy_lines = msgspec.json.Decoder(list[_NoisyLine]).decode
_encode_lines = msgspec.json.Encoder().encode_lines


@dataclass(frozen=True, eq=False)
class RecordColumns:
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


@lru_cache(maxsize=4)
def _places(words: tuple[str, ...]) -> dict[str, int]:
    """Return the place of each word in a list."""
    return {word: place for place, word in enumerate(words)}


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
        self._places = _places(self.lists.guesses)
        self._numbers = ClueNumbers(self.lists.length)

    @cached_property
    def _letters(self) -> Bytes:
        """The letters of each guess, uint8[guesses, length]."""
        return np.array(self.lists.guesses, f"S{self.lists.length}").view(np.uint8).reshape(-1, self.lists.length)

    @cached_property
    def _answers(self) -> Integers:
        """The place of each answer in the list of guesses."""
        return np.array(itemgetter(*self.lists.answers)(self._places), np.int64).reshape(-1)

    def records_that_hold(self, lines: Sequence[bytes]) -> Sequence[Record] | None:
        """Return the records on these lines if the rules allow each of them, otherwise None.

        None may also mean that this reader does not know: it knows only games whose moves have epsilons.

        Args:
            lines: The lines without their newlines.
        """
        if self.rules.facts.form != MoveForm.NOISY:
            return None
        try:
            records = _decode_noisy_lines(b"[%b]" % b",".join(lines))
            if _encode_lines(records) != b"\n".join([*lines, b""]):
                return None
            columns = self._columns(records)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, OverflowError):
            return None  # there is something that is no record, no word, no clue or no number of a game
        return records if self._hold(columns) else None

    def _columns(self, records: Sequence[_NoisyLine]) -> RecordColumns:
        """Return the columns of these records.

        Raises:
            KeyError: A word is not in the list of guesses, a clue is none, or a record is that of a replay.
            OverflowError: A number is too large.
        """
        moves = list(chain.from_iterable(map(attrgetter("moves"), records)))
        guesses, epsilons, clues = zip(*moves, strict=True) if moves else ((), (), ())
        verdicts = {(verdict, None): number for verdict, number in _VERDICTS.items()}
        n = len(records)
        return RecordColumns(
            games=_integers(map(attrgetter("game"), records), n),
            secrets=_integers(map(self._places.__getitem__, map(attrgetter("secret"), records)), n),
            verdicts=_integers(map(verdicts.__getitem__, map(attrgetter("verdict", "replay"), records)), n),
            is_silent=np.array([not record.message for record in records], bool),
            lengths=_integers(map(len, map(attrgetter("moves"), records)), n),
            guesses=_integers(map(self._places.__getitem__, guesses), len(moves)),
            epsilons=np.array(epsilons, float),
            is_answer=np.array([type(epsilon) is int for epsilon in epsilons], bool),
            clues=_integers(map(self._numbers.__getitem__, clues), len(moves)),
        )

    def _hold(self, columns: RecordColumns) -> bool:
        """Return whether the rules allow all of these games."""
        games, lengths = columns.games, columns.lengths
        if ((games < 0) | (games >= self.n_games) | (lengths >= self.rules.max_guesses)).any():
            return False
        if (columns.secrets != self._answers[self.draws.secrets(games)]).any():
            return False
        return self._ends_hold(columns) and self._clues_hold(columns)

    def _ends_hold(self, columns: RecordColumns) -> bool:
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

    def _clues_hold(self, columns: RecordColumns) -> bool:
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


SPARE_LINES = 1000
"""The lines that a file of fingerprints may have in excess, to be reported as differences."""
Taker = Callable[[EntryInfo, Sequence[bytes], Sequence[Record] | None], object]
"""Somebody else who needs the records that are read."""
Mismatch = tuple[str, str, str]
"""What is wrong, the value found and the value expected."""

_decode_record = msgspec.json.Decoder(UncheckedRecord).decode
_as_json = msgspec.json.Encoder().encode


def replay(
    run: Run, entry: EntryInfo, draws: RunDraws, reader: ColumnReader, progress: Callable[[int], Any], taker: Taker
) -> list[Difference]:
    """Return what is wrong with the entry's records.

    Args:
        draws: The draws of the run.
        reader: Reads the records of entries that play this game.
        progress: Called with the number of games read since the last call.
        taker: Called with the lines of records, and with the records if all of them hold, otherwise None.
    """
    differences: list[Difference] = []
    numbers: list[int] = []
    rules, fingerprints = GAME_RULES[entry.game.id], _fingerprints(run, entry)
    for first, lines in _blocks(run, entry, run.entry(entry).records_path, differences):
        held = reader.records_that_hold(lines)
        games = [record.game for record in held or ()]
        is_held = held is not None and _have_fingerprints(lines, games, fingerprints)
        taker(entry, lines, held if is_held else None)
        if is_held:
            numbers += games
            progress(len(games))
            continue
        for line, record in _records(entry, "records", first, lines, differences):
            numbers.append(record.game)
            wrong = _check_line(record, line, fingerprints)
            if 0 <= record.game < run.info.config.n_games:
                wrong += check_record(record, rules, draws)
            differences += [Difference(entry.name, f"game {record.game}", *problem) for problem in wrong]
            progress(1)
    return [*differences, *_check_numbers(run, entry, numbers)]


def replay_repeated(run: Run, entry: EntryInfo, draws: RunDraws) -> list[Difference]:
    """Return what is wrong with the entry's repeated games, whose numbers are drawn from the seed."""
    path = run.folder / "repeats" / f"{entry.slug}.jsonl"
    differences: list[Difference] = []
    numbers, unplayed = set(), set()
    for first, lines in _blocks(run, entry, path, differences):
        for _, record in _records(entry, path.parent.name, first, lines, differences):
            numbers.add(record.game)
            unplayed |= {record.game} if record.verdict == Verdict.UNPLAYED else set()
            wrong = check_record(record, GAME_RULES[entry.game.id], draws)
            differences += [Difference(entry.name, f"repeated game {record.game}", *problem) for problem in wrong]
    if numbers and draws.fresh is None and run.info.is_written:
        expected_seed = "one, as games were repeated"
        differences.append(Difference(entry.name, "", "the seed of the repetitions", "missing", expected_seed))
    expected = (
        set(draws.repeated(run.info.config.n_games)[: run.info.games_to_repeat]) if not entry.is_hosted else set()
    )
    if run.info.finished is not None and numbers != expected:
        extra, missing = (f"with {sorted(games)}" for games in (numbers - expected, expected - numbers))
        differences.append(Difference(entry.name, "", "the choice of repeated games", extra, missing))
    left_out: list[int] = []
    if unplayed and run.info.config.repetitions_s == inf:
        with suppress(UserError):  # damaged records are reported elsewhere
            played = run.entry(entry).records(unplayed)
            left_out = sorted(record.game for record in played if record.verdict != Verdict.UNPLAYED)
    if left_out:
        found = f"without {left_out}, which were played", "all of them, as no time limits them"
        differences.append(Difference(entry.name, "", "the repeated games", *found))
    return differences


def _blocks(run: Run, entry: EntryInfo, path: Path, differences: list[Difference]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the lines of a file in blocks, without their newlines, each with the number of its first line.

    A file that cannot be read, or ends with a torn line, is reported in `differences`.
    """
    torn, first = b"", 1
    try:
        for part in records.parts(path, records.MAX_LINES_PER_GAME * run.info.config.n_games):
            *lines, torn = (torn + part).split(b"\n")
            yield first, lines
            first += len(lines)
    except UserError as error:
        differences.append(Difference(entry.name, path.parent.name, "the file", error.message, "one that can be read"))
        return
    if torn:
        place = f"{path.parent.name}, line {first}"
        differences.append(Difference(entry.name, place, "the line", f"torn, {repr(torn[:60])[1:]}", "whole"))


def _records(
    entry: EntryInfo, part: str, first: int, lines: Sequence[bytes], differences: list[Difference]
) -> Iterator[tuple[bytes, Record]]:
    """Yield each line with its newline and its record; report lines without a record in `differences`."""
    for number, line in enumerate(lines, first):
        try:
            yield line + b"\n", _decode_record(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            place, expected = f"{part}, line {number}", f"a record ({error})"
            differences.append(Difference(entry.name, place, "the line", repr(line[:60])[1:], expected))


def _fingerprints(run: Run, entry: EntryInfo) -> list[str]:
    path = run.entry(entry).fingerprints_path
    if not path.exists():
        return []
    parts = bounded.read_parts(bounded.FINGERPRINTS, path, run.info.config.n_games + SPARE_LINES)
    return b"".join(parts).decode(errors="replace").split("\n")[:-1]


def _have_fingerprints(lines: Sequence[bytes], games: Sequence[int], fingerprints: Sequence[str]) -> bool:
    """Return whether these lines have their fingerprints, as far as there are any."""
    return not fingerprints or all(
        game >= len(fingerprints) or seal.fingerprint(line + b"\n") == fingerprints[game]
        for game, line in zip(games, lines, strict=True)
    )


def _check_line(record: Record, line: bytes, fingerprints: Sequence[str]) -> list[Mismatch]:
    wrong: list[Mismatch] = []
    if record.replay is not None:
        wrong.append(("the replay", record.replay, "none, in a game of the run"))
    if encode(record) != line:
        wrong.append(("the line", _shown(line), f"{_shown(encode(record))}, as a run writes it"))
    if 0 <= record.game < len(fingerprints) and seal.fingerprint(line) != fingerprints[record.game]:
        expected = f"{fingerprints[record.game]}: it was edited"
        wrong.append(("the line's fingerprint", seal.fingerprint(line), expected))
    return wrong


def check_record(record: Record, rules: GameRules, draws: RunDraws) -> list[Mismatch]:
    """Return what is wrong with a record."""
    game_draws = draws.of_game(record.game, is_anew=record.replay == Replay.DRAWS)
    secret = "" if rules.evasive else game_draws.secret
    wrong = [] if record.secret == secret else [("the secret", _shown(record.secret), _shown(secret))]
    ended = _check_moves(record.moves, rules, draws.lists, game_draws, wrong)
    if ended is None:
        if record.verdict not in FAILURES:
            expected = f"{', '.join(FAILURES[:-1])} or {FAILURES[-1]}, as no move ended the game"
            wrong.append(("the verdict", record.verdict, expected))
        elif record.verdict == Verdict.UNPLAYED and record.moves:
            wrong.append(("the number of its moves", str(len(record.moves)), "0, as the game was not played"))
    elif (record.verdict, record.message) != ended:
        wrong.append(("the verdict", f"{record.verdict} {record.message}".strip(), " ".join(ended).strip()))
    return wrong


def _check_moves(
    moves: Sequence[Any], rules: GameRules, lists: WordLists, game_draws: RedrawnGame, wrong: list[Mismatch]
) -> GameEnd | None:
    """Return how the moves ended the game, or None if they did not; append to `wrong` what is wrong with them."""
    earlier: list[tuple[str, str]] = []
    ended = None
    for number, value in enumerate(moves, 1):
        if ended is not None:
            wrong.append((f"move {number}", _shown(value), f"none, as the game ended with move {number - 1}"))
            break
        try:
            move = read_move(rules, value)
            clues, ended = outcome(rules, lists, game_draws, earlier, move)
        except ForbiddenMoveError as allowed:
            wrong.append((f"move {number}", _shown(value), str(allowed)))
            break
        if move.clues != clues:
            wrong.append((f"the clue of move {number}", _shown(move.clues), _shown(clues)))
        earlier.append((move.guess, clues))
    return ended


def _check_numbers(run: Run, entry: EntryInfo, numbers: Sequence[int]) -> Iterator[Difference]:
    """Yield the games that are missing, duplicate, out of range or, in a finished run, out of order."""
    n_games = run.info.config.n_games
    if numbers == list(range(n_games)):
        return
    times = Counter(numbers)
    for game in sorted(times):
        if times[game] > 1:
            yield Difference(entry.name, f"game {game}", "the number of its records", str(times[game]), "1")
        if not 0 <= game < n_games:
            yield Difference(entry.name, f"game {game}", "its number", str(game), f"one of 0 to {n_games - 1}")
    if run.info.finished is None:  # the records are not sorted yet
        return
    for game in range(n_games):
        if game not in times:
            yield Difference(entry.name, f"game {game}", "the number of its records", "0", "1")
    for line, (before, game) in enumerate(pairwise(numbers), 2):
        if game < before:
            position = f"line {line}, after game {before}"
            yield Difference(entry.name, f"game {game}", "its place", position, "in the order of games")


def _shown(value: Any) -> str:
    return (value if isinstance(value, bytes) else _as_json(value)).decode(errors="replace").rstrip("\n")
