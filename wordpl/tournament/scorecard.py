"""A player's scorecard in a tournament, saved after every guess.

The file is signed with HMAC-SHA256 (RFC 2104), whose key is derived from the tournament's seed, and contains the
commitment to that seed. The signature shows that the file belongs to the tournament and was changed neither by accident
nor by anyone without the seed. It does not prove that the player was honest: whoever plays has the seed and can sign
anything. Nor does it prove the times, which come from the player's clock.
"""

import hmac
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec
from msgspec import Struct

from wordpl.core.errors import UserError
from wordpl.core.moves import Move, Verdict
from wordpl.games import IllegalMoveError
from wordpl.run import seal
from wordpl.tournament.scoring import Guess, PlayedPuzzle, ScoredPuzzle, score
from wordpl.tournament.tournament_file import FORMAT, TournamentFile, check_tournament, read_json, write_json


class TimedGuess(Struct, frozen=True, forbid_unknown_fields=True):
    """A guess and when it was made, in seconds since 1970 (UTC)."""

    word: str
    time_s: float


class Scorecard(Struct, forbid_unknown_fields=True, kw_only=True):
    """The file of one player.

    Attributes:
        format: The version of the file format.
        player: The player.
        cup: The tournament.
        puzzles: The guesses in each puzzle that was started.
        signature: The HMAC of everything else, as a hexadecimal string.
    """

    format: int = FORMAT
    player: str
    cup: TournamentFile
    puzzles: list[list[TimedGuess]] = []
    signature: str = ""

    def played(self) -> Iterator[PlayedPuzzle]:
        """Yield the puzzles to be scored, without guesses made after the tournament closed."""
        closing_s = self.cup.closes.timestamp() if self.cup.closes else float("inf")
        for secret, guesses in zip(self.cup.secrets(), self.puzzles, strict=False):
            yield PlayedPuzzle(
                secret, [Guess(m.word, m.time_s - guesses[0].time_s) for m in guesses if m.time_s < closing_s]
            )

    def scored(self) -> list[ScoredPuzzle]:
        """Return the puzzles with their points."""
        return list(score(self.played(), self.cup.rules))

    def expected_signature(self) -> str:
        """Return the correct signature of the current content."""
        facts = {name: value for name, value in msgspec.to_builtins(self).items() if name != "signature"}
        key = sha256(f"wordpl/scorecard/1\n{self.cup.seed}\n".encode()).digest()
        return hmac.new(key, seal.canonical_json(facts), sha256).hexdigest()

    def write(self, file: Path) -> None:
        """Sign the scorecard and write it to the file."""
        self.signature = self.expected_signature()
        write_json(file, self)


def read_scorecard(file: Path) -> Scorecard:
    """Return the scorecard in a file.

    Raises:
        UserError: The file is damaged or its signature is wrong, or its guesses break the rules.
    """
    card = read_json(file, Scorecard, "wordpl tournament play")
    check_tournament(card.cup, str(file))
    if card.signature != card.expected_signature():  # no secret: whoever has the file can compute it
        raise UserError(f"{file} was changed after it was written: its signature does not match.")
    _check(card, file)
    return card


def _check(card: Scorecard, file: Path) -> None:
    """Raise UserError for illegal guesses, or for times that are not in order."""
    game, opening_s = card.cup.game(), card.cup.opens.timestamp() if card.cup.opens else 0.0
    before = opening_s
    if len(card.puzzles) > card.cup.rules.rounds:
        raise UserError(f"{file} has {len(card.puzzles)} puzzles; the tournament has {card.cup.rules.rounds}.")
    for number, (secret, guesses) in enumerate(zip(card.cup.secrets(), card.puzzles, strict=False), 1):
        moves: list[Move] = []
        verdict = None
        for guess in guesses:
            try:
                move = game.check(guess.word)
                reply = game.reply(secret, moves, move, tuple)
            except IllegalMoveError as error:
                raise UserError(f"{file}, puzzle {number}: {error}") from None
            if verdict is not None or not guess.time_s >= before:
                fault = (
                    "a guess after its end" if verdict is not None else "a guess that is earlier than the one before"
                )
                raise UserError(f"{file}, puzzle {number} has {fault}.")
            moves.append(move.with_clues(reply.clues))
            before, verdict = guess.time_s, reply.verdict
        if not guesses or (verdict != Verdict.WON and number < len(card.puzzles)):
            raise UserError(
                f"{file}, puzzle {number} is not solved, which ends the tournament, but more puzzles follow."
            )
