"""The record of one game, and how it stands in a line of a file."""

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
    ILLEGAL = "illegal"  # a move the rules don't allow
    CRASHED = "crashed"  # raised, or its process ended
    LATE = "late"  # over the time for one game
    MEMORY = "out of memory"
    FAULT = "fault"  # its process was ended from outside, after the entry had seen a clue
    UNPLAYED = "unplayed"  # the entry had used up its time for the whole run


class FirstTry(msgspec.Struct, frozen=True):
    """A game that ended just after its time, before it was played once more. Only older runs have it."""

    moves: Sequence[Move]
    cpu_s: float
    wall_s: float


class Record(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened in one game.

    Attributes:
        secret: empty where the rules draw none
        moves: each with the clues it got, see `wordpl.core.moves`; in a noisy game the answer is the last one
        message: what was wrong, for a game that ended by a fault
        first_try: of a game of an older run that was played twice; the rest is then what happened the second time
    """

    game: int
    secret: str
    moves: Sequence[Move]
    verdict: Verdict
    message: str = ""
    first_try: FirstTry | None = None


class UncheckedRecord(Record, frozen=True, omit_defaults=True):
    """A line of a record file as anybody may have written it: the moves are what JSON gives."""

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
    """The number of a game and how it ended: what is read of its record where nothing else is needed."""

    game: int
    verdict: Verdict


class Duration(msgspec.Struct, frozen=True):
    """How long an entry took over one game.

    Attributes:
        game: its number
        cpu_s: CPU time; None where the system does not tell
        wall_s: time on the wall
        machine: the name of the worker that played it, as run.json has it; "" for the host's own machine
        start_s: CPU time besides the game's own where a process was started for it because the one before had failed:
            that of its start and of its warm-up
    """

    game: int
    cpu_s: float | None
    wall_s: float
    machine: str = ""
    start_s: float = 0.0

    @property
    def charged_s(self) -> float:
        """What counts towards the entry's time for all games."""
        return self.start_s + (self.wall_s if self.cpu_s is None else self.cpu_s)


_encoder = msgspec.json.Encoder()
_decode_line = {
    GameKind.NOISY: msgspec.json.Decoder(_NoisyLine).decode,
    GameKind.CLASSIC: msgspec.json.Decoder(_ClassicLine).decode,
}


def encode(record: Record) -> bytes:
    """Return the record as its line in the file."""
    return _encoder.encode(record) + b"\n"


def decode(line: bytes, kind: GameKind) -> Record:
    """Return the record of a line.

    Args:
        line: as a file has it
        kind: of the game that it is a record of

    Raises:
        msgspec.DecodeError, UnicodeDecodeError: for a line that is no record of such a game
    """
    found = _decode_line[kind](line)
    return Record(found.game, found.secret, found.moves, found.verdict, found.message, found.first_try)


summarize = msgspec.json.Decoder(Summary).decode
"""Return the summary of a line; raises msgspec.DecodeError for one that is no record."""


def cost(record: Record, measure: Measure) -> float:
    """Return what a won game cost, the sum of its epsilons or its number of guesses; infinity for any other."""
    if record.verdict != Verdict.WON:
        return inf
    return total_epsilon(record.moves) if measure == Measure.BUDGET else len(record.moves)


def is_torn(line: bytes) -> bool:
    """Return whether the line is no JSON: begun by a process that was killed, and perhaps gone on with by another."""
    try:
        msgspec.json.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return True
    return False
