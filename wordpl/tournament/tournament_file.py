"""A tournament's file: its rules and the seed of its puzzles, with the commitment that was published before.

Whoever has the file can compute the puzzles, as whoever plays has to. The commitment, SHA-256 over the seed and the
terms as `wordpl.core.commitments` makes it, shows that they were fixed when it was published; not that nobody looked.
"""

from datetime import datetime
from pathlib import Path

import msgspec
from msgspec import Struct

from wordpl import games
from wordpl.contest.match import secret_of
from wordpl.core import commitments, seeds, words
from wordpl.core.errors import UserError
from wordpl.games import Game
from wordpl.tournament import json_files
from wordpl.tournament.json_files import FORMAT
from wordpl.tournament.rules import TournamentRules, check_game


class TournamentFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tournament to be played.

    Attributes:
        opens, closes: the window in which banks can be used, UTC; None: any time
        lists: the SHA-256 of the word lists
        commitment: to the seed and all of this
    """

    format: int = FORMAT
    rules: TournamentRules
    opens: datetime | None
    closes: datetime | None
    lists: dict[str, str]
    seed: str
    commitment: str

    @classmethod
    def new(
        cls, rules: TournamentRules, seed: str, opens: datetime | None = None, closes: datetime | None = None
    ) -> "TournamentFile":
        """Return a tournament with the words of the contest."""
        if opens and closes and closes <= opens:
            raise UserError(f"the window must close after it opens; it opens {opens} and closes {closes}.")
        cup = cls(rules=rules, opens=opens, closes=closes, lists=dict(words.load().sha256), seed=seed, commitment="")
        return msgspec.structs.replace(cup, commitment=cup.computed_commitment())

    def computed_commitment(self) -> str:
        """Return what the commitment should be."""
        return commitments.commitment(self.seed, commitments.terms_digest(msgspec.to_builtins(self)))

    def game(self) -> Game:
        """Return the game that is played."""
        return games.make_game(self.rules.game, words.load())

    def secrets(self) -> list[str]:
        """Return the puzzles' words in order."""
        key, game = seeds.run_key(self.seed), self.game()
        return [secret_of(game, number, key) for number in range(self.rules.rounds)]

    def write(self, file: Path) -> None:
        """Write the tournament's file, which must not exist."""
        if file.exists():
            raise UserError(f"{file} exists already; choose another name.")
        json_files.write(file, self)


def read_tournament(file: Path) -> TournamentFile:
    """Return the tournament in this file.

    Raises:
        UserError: unless it is what its commitment says.
    """
    cup = json_files.read(file, TournamentFile, "wordpl tournament new")
    check_tournament(cup, str(file))
    return cup


def check_tournament(cup: TournamentFile, name: str) -> None:
    """Raise UserError unless the tournament is what its commitment says, and the word lists here are its own."""
    check_game(cup.rules)
    if cup.computed_commitment() != cup.commitment:
        raise UserError(f"{name} is not what {cup.commitment} committed to: its seed or its terms were changed.")
    if cup.lists != words.load().sha256:
        raise UserError(f"{name} is played with other word lists than answers.txt and valid.txt here.")
