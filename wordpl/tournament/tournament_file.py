"""The file of a tournament: its rules, the seed of its puzzles, and the commitment published in advance.

Anyone who has the file can compute the puzzles, as every player must. The commitment, a SHA-256 of the seed and the
terms (see `wordpl.run.seal`), proves that they were fixed when it was published, but not that nobody has looked
at the puzzles.
"""

from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from wordpl import games
from wordpl.contest.match import secret_of
from wordpl.core import bounded, seeds, words
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.games import Game
from wordpl.run import seal
from wordpl.tournament.rules import TournamentRules, check_game

FORMAT = 1
T = TypeVar("T", bound=msgspec.Struct)


class TournamentFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A tournament.

    Attributes:
        format: The version of the file format.
        rules: The rules.
        opens: When the tournament opens, UTC; None for any time.
        closes: When it closes, UTC; None for never.
        lists: The SHA-256 of each word list.
        seed: The seed of the puzzles.
        commitment: The commitment to all of the above.
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
        """Return a new tournament with the contest's word lists.

        Args:
            rules: The rules.
            seed: The seed of the puzzles.
            opens: When the tournament opens, UTC; None for any time.
            closes: When it closes, UTC; None for never.

        Raises:
            UserError: The tournament would close before it opens.
        """
        if opens and closes and closes <= opens:
            raise UserError(f"the window must close after it opens; it opens {opens} and closes {closes}.")
        cup = cls(rules=rules, opens=opens, closes=closes, lists=dict(words.load().sha256), seed=seed, commitment="")
        return msgspec.structs.replace(cup, commitment=cup.expected_commitment())

    def expected_commitment(self) -> str:
        """Return the correct commitment to the current content."""
        return seal.commitment(self.seed, seal.terms_digest(msgspec.to_builtins(self)))

    def game(self) -> Game:
        """Return the game that is played."""
        return games.make_game(self.rules.game, words.load())

    def secrets(self) -> list[str]:
        """Return the secrets of the puzzles in order."""
        key, game = seeds.run_key(self.seed), self.game()
        return [secret_of(game, number, key) for number in range(self.rules.rounds)]

    def write(self, file: Path) -> None:
        """Write the tournament to a file, which must not exist yet."""
        if file.exists():
            raise UserError(f"{file} already exists; choose another name.")
        write_json(file, self)


def read_tournament(file: Path) -> TournamentFile:
    """Return the tournament in this file.

    Raises:
        UserError: The file cannot be read, or does not match its commitment.
    """
    cup = read_json(file, TournamentFile, "wordpl tournament new")
    check_tournament(cup, str(file))
    return cup


def check_tournament(cup: TournamentFile, name: str) -> None:
    """Raise UserError unless the tournament matches its commitment and uses the current word lists."""
    check_game(cup.rules)
    if cup.expected_commitment() != cup.commitment:
        raise UserError(f"{name} does not match its commitment {cup.commitment}: its seed or its terms were changed.")
    if cup.lists != words.load().sha256:
        raise UserError(f"{name} uses other word lists than the answers.txt and valid.txt here.")


def write_json(file: Path, page: msgspec.Struct) -> None:
    """Write the file atomically: after a crash, it has either the old or the new content."""
    try:
        write_atomically(file, msgspec.json.format(msgspec.json.encode(page), indent=2) + b"\n")
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}.") from None


def read_json(file: Path, kind: type[T], made_by: str) -> T:
    """Return the content of the file.

    Args:
        file: The file.
        kind: The type of its content.
        made_by: The command that makes such files, for error messages.

    Raises:
        UserError: The file cannot be read or has another format.
    """
    try:
        content: Any = bounded.parse_json(bounded.read(bounded.TOURNAMENT, file), str(file))
        if isinstance(content, dict) and content.get("format", FORMAT) != FORMAT:
            raise UserError(f"{file} has format {content['format']}; this version of wordpl reads format {FORMAT}.")
        return msgspec.convert(content, kind)
    except OSError as error:
        raise UserError(f"cannot read {file}: {error.strerror}.") from None
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise UserError(f"{file} was not made by `{made_by}`: {error}.") from None
