"""The record of one game, and its encoding as a line of a file."""

from collections.abc import Sequence
from enum import StrEnum
from math import inf
from typing import Any

import msgspec

from wordpl.core.game_kinds import GameKind, Measure
from wordpl.core.moves import ClassicMove, Move, NoisyMove, total_epsilon


class Verdict(StrEnum):
    """How a game ended."""

    WON = "won"
    WRONG = "wrong"  # answered with another word than the secret
    UNSOLVED = "unsolved"  # ran out of guesses
    ILLEGAL = "illegal"  # made a move that the rules do not allow
    CRASHED = "crashed"  # raised an exception, or its process ended
    LATE = "late"  # exceeded the time for one game
    MEMORY = "out of memory"
    FAULT = "fault"  # its process was killed from outside after the entry had seen a clue
    UNPLAYED = "unplayed"  # the entry had used up its time for the whole run


class FirstTry(msgspec.Struct, frozen=True):
    """The first attempt at a game that slightly exceeded its time and was then replayed; only in older runs."""

    moves: Sequence[Move]
    cpu_s: float
    wall_s: float


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened in one game.

    Attributes:
        game: The number of the game.
        secret: The secret word; empty in games without one.
        moves: The moves with their clues, see `wordpl.core.moves`; in a noisy game the last one is the answer.
        verdict: How the game ended.
        message: What went wrong, if something did.
        first_try: The first attempt, for a game of an older run that was replayed; all other fields then describe the
            second one.
    """

    game: int
    secret: str
    moves: Sequence[Move]
    verdict: Verdict
    message: str = ""
    first_try: FirstTry | None = None


class UncheckedRecord(Record, frozen=True, omit_defaults=True):
    """A record from an untrusted source: its moves may be any JSON values."""

    moves: list[Any]
    first_try: "_UncheckedFirstTry | None" = None


class _UncheckedFirstTry(FirstTry, frozen=True):
    moves: list[Any]


class _NoisyFirstTry(FirstTry, frozen=True):
    moves: list[NoisyMove]


class _NoisyLine(Record, frozen=True, omit_defaults=True):
    moves: list[NoisyMove]
    first_try: _NoisyFirstTry | None = None


class _ClassicFirstTry(FirstTry, frozen=True):
    moves: list[ClassicMove]


class _ClassicLine(Record, frozen=True, omit_defaults=True):
    moves: list[ClassicMove]
    first_try: _ClassicFirstTry | None = None


class Summary(msgspec.Struct, frozen=True):
    """The number of a game and how it ended, which is faster to decode than the whole record."""

    game: int
    verdict: Verdict


class Duration(msgspec.Struct, frozen=True):
    """The time that an entry took for one game.

    Attributes:
        game: The number of the game.
        cpu_s: CPU time; None if the system does not report it.
        wall_s: Wall time.
        machine: The name of the worker that played the game, as in run.json; "" for the host's own machine.
        start_s: CPU time of starting and warming up a process, if the game needed a new one because the previous
            process had failed; 0 otherwise.
    """

    game: int
    cpu_s: float | None
    wall_s: float
    machine: str = ""
    start_s: float = 0.0

    @property
    def charged_s(self) -> float:
        """The time in seconds that counts towards the entry's limit for all games."""
        return self.start_s + (self.wall_s if self.cpu_s is None else self.cpu_s)


_encoder = msgspec.json.Encoder()
_decode_line = {
    GameKind.NOISY: msgspec.json.Decoder(_NoisyLine).decode,
    GameKind.CLASSIC: msgspec.json.Decoder(_ClassicLine).decode,
}


def encode(record: Record) -> bytes:
    """Return the line of the file for a record."""
    return _encoder.encode(record) + b"\n"


def decode(line: bytes, kind: GameKind) -> Record:
    """Return the record on a line of a file.

    Args:
        line: The line.
        kind: The kind of the game.

    Raises:
        msgspec.DecodeError, UnicodeDecodeError: The line is not the record of such a game.
    """
    decoded = _decode_line[kind](line)
    return Record(decoded.game, decoded.secret, decoded.moves, decoded.verdict, decoded.message, decoded.first_try)


summarize = msgspec.json.Decoder(Summary).decode
"""Return the summary of the record on a line; raises msgspec.DecodeError if the line is not a record."""


def cost(record: Record, measure: Measure) -> float:
    """Return the cost of a won game, the sum of its epsilons or its number of guesses; infinity if it was not won."""
    if record.verdict != Verdict.WON:
        return inf
    return total_epsilon(record.moves) if measure == Measure.BUDGET else len(record.moves)


def is_torn(line: bytes) -> bool:
    """Return whether the line is not valid JSON, because the process that wrote it was killed in between."""
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    return False
