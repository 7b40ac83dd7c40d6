"""What one person did in a tournament, on disk after every guess.

The file is signed: HMAC-SHA256 (RFC 2104) of its facts with a key made of the seed, and it tells the commitment to that
seed. This shows that the file belongs to that tournament and that no accident, and nobody without the seed, changed it.
It does not show that the player was honest: to play is to have the seed, and with it one can sign anything. Nor does
it show the time: that is what the player's own clock said.
"""

import hmac
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from wordpl.core import commitments
from wordpl.core.errors import UserError
from wordpl.core.moves import Move
from wordpl.core.records import Verdict
from wordpl.games import IllegalMoveError
from wordpl.tournament import json_files
from wordpl.tournament.json_files import FORMAT
from wordpl.tournament.scoring import Guess, PlayedPuzzle, Scored, score
from wordpl.tournament.tournament_file import TournamentFile, check_tournament


class TimedGuess(Struct, frozen=True, forbid_unknown_fields=True):
    """A guess, and when it was made: seconds since 1970, UTC."""

    word: str
    time_s: float


class Scorecard(Struct, forbid_unknown_fields=True, kw_only=True):
    """A player's file.

    Attributes:
        puzzles: the guesses of each puzzle that was begun
    """

    format: int = FORMAT
    player: str
    cup: TournamentFile
    puzzles: list[list[TimedGuess]] = []
    signature: str = ""

    def played(self) -> Iterator[PlayedPuzzle]:
        """Yield the puzzles as they are scored; guesses after the window closed count as never made."""
        closes = self.cup.closes.timestamp() if self.cup.closes else float("inf")
        for secret, made in zip(self.cup.secrets(), self.puzzles, strict=False):
            yield PlayedPuzzle(secret, [Guess(m.word, m.time_s - made[0].time_s) for m in made if m.time_s < closes])

    def scored(self) -> list[Scored]:
        """Return the puzzles with their points."""
        return list(score(self.played(), self.cup.rules))

    def signed(self) -> str:
        """Return what the signature should be."""
        facts = {name: value for name, value in msgspec.to_builtins(self).items() if name != "signature"}
        key = sha256(f"wordpl/scorecard/1\n{self.cup.seed}\n".encode()).digest()
        return hmac.new(key, commitments.canonical_json(facts), sha256).hexdigest()

    def write(self, file: Path) -> None:
        """Sign and write the file."""
        self.signature = self.signed()
        json_files.write(file, self)


def read_scorecard(file: Path) -> Scorecard:
    """Return the player's file.

    Raises:
        UserError: unless it is whole, signed, and possible under its rules.
    """
    card = json_files.read(file, Scorecard, "wordpl tournament play")
    check_tournament(card.cup, str(file))
    if not hmac.compare_digest(card.signature, card.signed()):
        raise UserError(f"{file} was changed after it was written: its signature does not fit.")
    _check(card, file)
    return card


def _check(card: Scorecard, file: Path) -> None:
    """Raise UserError for guesses that the rules do not allow, or times that do not grow."""
    game, opens = card.cup.game(), card.cup.opens.timestamp() if card.cup.opens else 0.0
    before = opens
    if len(card.puzzles) > card.cup.rules.rounds:
        raise UserError(f"{file} has {len(card.puzzles)} puzzles; the tournament has {card.cup.rules.rounds}.")
    for number, (secret, made) in enumerate(zip(card.cup.secrets(), card.puzzles, strict=False), 1):
        moves: list[Move] = []
        verdict = None
        for guess in made:
            try:
                move = game.check(guess.word)
                reply = game.reply(secret, moves, move, tuple)
            except IllegalMoveError as error:
                raise UserError(f"{file}, puzzle {number}: {error}") from None
            if verdict is not None or not guess.time_s >= before:
                what = "a guess after its end" if verdict is not None else "a time before the one before it"
                raise UserError(f"{file}, puzzle {number} has {what}.")
            moves.append(move.with_clues(reply.clues))
            before, verdict = guess.time_s, reply.verdict
        if not made or (verdict != Verdict.WON and number < len(card.puzzles)):
            raise UserError(f"{file}, puzzle {number} is not solved, and others follow; that ends the tournament.")
