"""The terms of a tournament, which are committed to before it begins, and the file of a finished one.

The commitment is the SHA-256 of the seed and the terms (see `wordpl.run.seal`). The seed decides all puzzles, so only
the host's server has it until the tournament has ended; the file of a finished tournament contains it.
"""

from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from wordpl import games
from wordpl.contest.match import secret_of
from wordpl.contest.session import Session
from wordpl.core import bounded, seeds, words
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.core.words import WordLists
from wordpl.games import Game, IllegalMoveError
from wordpl.run import seal
from wordpl.tournament.progress import PlayedGuess, follow
from wordpl.tournament.rules import TournamentRules, check_rules
from wordpl.tournament.scoring import TournamentResult

FORMAT = 2
T = TypeVar("T", bound=msgspec.Struct)


class Terms(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The terms of a tournament.

    Attributes:
        rules: The rules.
        opens: When play begins, UTC; None for when the host starts it.
        closes: When play ends at the latest, UTC; None for when the host ends it.
        lists: The SHA-256 of each word list.
    """

    rules: TournamentRules
    opens: datetime | None
    closes: datetime | None
    lists: dict[str, str]

    @classmethod
    def new(
        cls,
        rules: TournamentRules,
        opens: datetime | None = None,
        closes: datetime | None = None,
        lists: WordLists | None = None,
    ) -> "Terms":
        """Return terms with these word lists, by default the contest's.

        Raises:
            UserError: The tournament would close before it opens, or has too many puzzles.
        """
        check_rules(rules)
        if opens and closes and closes <= opens:
            raise UserError(f"the window must close after it opens; it opens {opens} and closes {closes}.")
        return cls(rules=rules, opens=opens, closes=closes, lists=dict((lists or words.load()).sha256))

    def commitment(self, seed: str) -> str:
        """Return the commitment to these terms and this seed."""
        return seal.commitment(seed, seal.terms_digest(msgspec.to_builtins(self)))

    def game(self, lists: WordLists | None = None) -> Game:
        """Return the game that is played. Raises UserError if the word lists are not those of the terms."""
        lists = lists or words.load()
        if self.lists != lists.sha256:
            raise UserError("the tournament uses other word lists than the answers.txt and valid.txt here.")
        return games.make_game(self.rules.game, lists)

    def secrets(self, seed: str, game: Game) -> list[str]:
        """Return the secrets of the puzzles of all rounds in order."""
        key = seeds.run_key(seed)
        return [secret_of(game, number, key) for number in range(self.rules.n_games)]


class Played(Struct, frozen=True, forbid_unknown_fields=True):
    """The guesses of one player.

    Attributes:
        player: The player's name.
        joined_s: When the player joined, in seconds since 1970 (UTC).
        guesses: All guesses in order.
    """

    player: str
    joined_s: float
    guesses: list[PlayedGuess]


class TournamentFile(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A finished tournament.

    Attributes:
        format: The version of the file format.
        terms: The terms.
        seed: The seed of the puzzles.
        commitment: The commitment to terms and seed.
        started_s: When play began, in seconds since 1970 (UTC).
        ended_s: When play ended, likewise.
        players: The guesses of each player, as the server received them.
    """

    format: int = FORMAT
    terms: Terms
    seed: str
    commitment: str
    started_s: float
    ended_s: float
    players: list[Played]

    def results(self) -> list[TournamentResult]:
        """Return the result of each player."""
        secrets = self.terms.secrets(self.seed, self.terms.game())
        return [
            TournamentResult(
                played.player,
                follow(
                    self.terms.rules, secrets, max(played.joined_s, self.started_s), played.guesses, self.ended_s
                ).scored,
            )
            for played in self.players
        ]


def read_tournament(file: Path) -> TournamentFile:
    """Return the finished tournament in this file.

    Raises:
        UserError: The file cannot be read, it does not match its commitment, or a guess breaks the rules.
    """
    cup = read_json(file, TournamentFile, "wordpl serve")
    check_rules(cup.terms.rules)
    if cup.terms.commitment(cup.seed) != cup.commitment:
        raise UserError(f"{file} does not match its commitment {cup.commitment}: its seed or its terms were changed.")
    game = cup.terms.game()
    secrets = cup.terms.secrets(cup.seed, game)
    for played in cup.players:
        if fault := next(_faults(cup, played, secrets, game), None):
            raise UserError(f"{file}, {played.player!r}: {fault}.")
    return cup


def _faults(cup: TournamentFile, played: Played, secrets: list[str], game: Game) -> Iterator[str]:
    """Yield what the server cannot have recorded."""
    begin_s = max(played.joined_s, cup.started_s)
    times = [begin_s, *(guess.time_s for guess in played.guesses)]
    if not all(first <= second for first, second in pairwise(times)):
        yield "a guess is earlier than the one before it, or than the start"
    if times[-1] >= cup.ended_s and played.guesses:
        yield "a guess was made after the end"
    progress = follow(cup.terms.rules, secrets, begin_s, played.guesses, cup.ended_s)
    if progress.n_unused:
        yield "guesses follow after the last puzzle"
    for number, made in progress.words.items():
        session = Session(game, cup.seed, number, secrets[number])
        try:
            for word in made:
                session.play(word)
        except IllegalMoveError as error:
            yield f"puzzle {number + 1}: {str(error).rstrip('.')}"


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
