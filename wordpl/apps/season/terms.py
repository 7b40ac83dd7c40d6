"""The files that a season's host writes: its terms in season.toml, and the repository's README and workflow."""

from datetime import date
from hashlib import sha256
from pathlib import Path

import msgspec

from wordpl.core import bounded, paths, words
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.players.base import allowance
from wordpl.run.config import SHARE_OF_TIME, RunConfig
from wordpl.run.records import WALL_SHARE

FILE = "season.toml"
TEMPLATES = "apps/season/templates"
ROUNDS, CONFIRMATIONS = "rounds", "confirmations"
"""The folders of runs."""
PROMISED = (
    "game", "scores", "games", "every_answer", "improvement", "confirmation_games", "prize_improvement",
    "first_prize", "tie_games", "records",
)  # fmt: skip
"""The terms that stay as they are from the opening of a season to its end."""
N_STARTS, N_IN_FLIGHT = 5, 8
"""How often an entry starts, and how many games it has begun, before its time can be seen to be used up: it is loaded,
started and warmed up; a worker has a chunk of games, another one waits, and a repetition plays up to three games."""
PLACEHOLDER = "OWNER/wordpl@COMMIT"
"""Stands for the action in a workflow, until the host replaces it by a commit that he trusts."""


class SeasonTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The terms of a season, validated on creation.

    Attributes:
        title: The name of the season.
        game: The game that all versions play.
        scores: The names of the scores; the first one sorts the table.
        deadline: The day after which no round is played except the closing one; None: there is none.
        games: The number of games of each version in a round.
        every_answer: Whether a round plays each answer once instead (classic games), so that the scores of a version
            that always makes the same moves are known.
        players: The maximum number of versions in a round.
        leaders: The number of leaders of each score that play every round.
        timeout_s, memory_mb: The limits of a game.
        warmup_s: The CPU time in which a process has to start, in seconds.
        fresh: Whether each game is played in a fresh process, so that nothing passes from one to the next.
        answers, guesses: Word lists in the season's folder; "": those of the contest.
        improvement: The share by which a record must be lower than the one before.
        confirmations: The maximum number of confirmations in the season.
        confirmation_games: The number of games of a confirmation.
        prize: The rule of the prize for records, in words.
        first_prize: The prize of the first place at the end, in words; versions that share the place share it.
        tie_games: The number of games of a further round between the versions that share the first place at the end; 0:
            they share it. Then, too, all ranks hold together, with the error rate of the season.
        prize_improvement: The share by which a record must improve the one before to win the prize; 0: none does.
        records: The values to improve at the start, by score.
        authors: The names of the entries of each author, from the next version on.
        owners: The names with which each author sends pull requests to the forge.
        versions_per_round: The most versions that an author may send between two rounds.
        entry_s: The processor time that an author's version has for all games of a round, in seconds, and twice that in
            wall time; later games count as lost. A run with more games allows more. 0: the limit of each game alone.

    Raises:
        UserError: A value is out of range, or two authors own a name.
    """

    title: str
    game: str
    scores: list[str]
    deadline: date | None = None
    games: int = 1000
    every_answer: bool = False
    players: int = 20
    leaders: int = 5
    timeout_s: float = 5.0
    warmup_s: float = 60.0
    memory_mb: int = 1024
    fresh: bool = False
    answers: str = ""
    guesses: str = ""
    improvement: float = 0.01
    confirmations: int = 20
    confirmation_games: int = 26_000
    prize: str = ""
    first_prize: str = ""
    tie_games: int = 0
    prize_improvement: float = 0.0
    records: dict[str, float] = {}
    authors: dict[str, list[str]] = {}
    owners: dict[str, list[str]] = {}
    versions_per_round: int = 3
    entry_s: float = 0.0

    def __post_init__(self) -> None:
        """Validate the values that the configuration of a run does not check."""
        ranges = {"games": (1, 10**9), "players": (2, 1000), "leaders": (1, 1000), "improvement": (0, 0.999),
                  "prize_improvement": (0, 0.999), "confirmations": (1, 10**6),
                  "confirmation_games": (100, 10**9), "versions_per_round": (1, 1000),
                  "entry_s": (0, 10**9), "tie_games": (0, 10**9)}  # fmt: skip
        for name, (low, high) in ranges.items():
            if not low <= getattr(self, name) <= high:
                raise UserError(f"{name} should be from {low:,} to {high:,}, got {getattr(self, name)!r}.")
        if not self.scores or len(set(self.scores)) < len(self.scores):
            raise UserError(f"scores should name at least one score, each once, got {self.scores!r}.")
        if unknown := sorted(set(self.records) - set(self.scores)):
            raise UserError(f"records has {unknown[0]!r}, which is none of the scores {', '.join(self.scores)}.")
        owned = [name for names in self.authors.values() for name in names]
        if twice := sorted({name for name in owned if owned.count(name) > 1}):
            raise UserError(f"{twice[0]!r} belongs to two authors: a name has one owner.")
        taken = sorted(set(self.authors) & set(owned) - {a for a, names in self.authors.items() if a in names})
        if taken:
            raise UserError(f"{taken[0]!r} is an author and a name of another author: rename one of them.")

    @classmethod
    def read(cls, folder: Path) -> "SeasonTerms":
        """Return the terms of the season in this folder.

        Raises:
            UserError: There is no valid season.toml.
        """
        text = cls.text(folder)
        try:
            return cls.parse(text)
        except UserError as error:
            raise UserError(f"{folder / FILE}: {error.message}") from None

    @classmethod
    def parse(cls, text: str) -> "SeasonTerms":
        """Return the terms in the text of a season.toml.

        Raises:
            UserError: It has no valid terms.
        """
        try:
            return msgspec.convert(bounded.parse_toml(text.encode(), FILE), cls)
        except msgspec.ValidationError as error:
            raise UserError(f"{error}.") from None

    @staticmethod
    def text(folder: Path) -> str:
        """Return the season.toml in this folder.

        Raises:
            UserError: It cannot be read.
        """
        try:
            return bounded.read(bounded.SEASON_TERMS, folder / FILE).decode()
        except FileNotFoundError:
            raise UserError(f"{folder} is not a season: it has no {FILE}. `wordpl season new` creates one.") from None
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{folder / FILE} cannot be read: {error}.") from None

    @staticmethod
    def digest(folder: Path) -> str:
        """Return the SHA-256 of the season.toml in this folder."""
        return sha256(bounded.read(bounded.SEASON_TERMS, folder / FILE)).hexdigest()

    def broken_promises(self, before: "SeasonTerms") -> list[str]:
        """Return a sentence for each thing that earlier terms have promised for the whole season and these change."""
        found = [
            f"{name} was promised when the season opened: it stays {getattr(before, name)!r}"
            for name in PROMISED if getattr(self, name) != getattr(before, name)
        ]  # fmt: skip
        if self.confirmations > before.confirmations:
            found.append(f"confirmations can only become fewer than {before.confirmations}, got {self.confirmations}")
        return found

    def author_of(self, name: str) -> str:
        """Return the author who owns a name; a name without an owner is an author of its own."""
        return next((author for author, names in self.authors.items() if name in names), name)

    def lists(self, folder: Path) -> WordLists:
        """Return the word lists of the season in this folder."""
        answers, guesses = (folder / name if name else None for name in (self.answers, self.guesses))
        return words.load(answers, guesses)

    def config(self, folder: Path, results: str, n_games: int, beacon_from: str | None = None) -> RunConfig:
        """Return the configuration of an official run.

        Args:
            folder: The season's folder.
            results: The folder of the run, in the season's folder.
            n_games: The number of games.
            beacon_from: The source of the beacon, if there is one.
        """
        return RunConfig(
            n_games=n_games,
            every_answer=self.every_answer and results == ROUNDS,
            fresh=self.fresh,
            game_id=self.game,
            timeout_s=self.timeout_s,
            total_s=self.entry_s * max(1.0, n_games / self.games) or None,
            warmup_s=self.warmup_s,
            memory_mb=self.memory_mb,
            answers=str(folder / self.answers) if self.answers else None,
            guesses=str(folder / self.guesses) if self.guesses else None,
            official=True,
            beacon_from=beacon_from,
            results=folder / results,
        )

    def longest_s(self, n_players: int, n_games: int, jobs: int) -> float | None:
        """Return the wall time in seconds that a run can take at most; None if the entries' time is not limited.

        Args:
            n_players: The number of entries.
            n_games: The number of games.
            jobs: The number of games that are played at a time.
        """
        config = self.config(Path(), "", n_games)
        if config.total_s is None:
            return None
        starts_s = N_STARTS * self.warmup_s
        in_flight_s = N_IN_FLIGHT * allowance(config).wall_s
        return n_players * (starts_s + in_flight_s + (1 + SHARE_OF_TIME) * config.total_s / WALL_SHARE / jobs)


def text(
    title: str, game: str, scores: list[str], deadline: date | None, n_games: int, every_answer: bool = False
) -> str:
    """Return a new season.toml."""
    values = {"title": title, "game": game, "scores": scores}
    shown = {name: msgspec.json.encode(value).decode() for name, value in values.items()}
    written = paths.asset_texts(TEMPLATES)[FILE].format(
        **shown, deadline=deadline, games=n_games, every=str(every_answer).lower()
    )
    return written if deadline else written.replace("deadline = None", "# deadline = 2027-06-30")


def hosting_files(title: str, begin: str, end: str, action: str = PLACEHOLDER) -> dict[str, str]:
    """Return the files of a season's repository by their names, besides season.toml.

    Args:
        title: The name of the season.
        begin, end: The lines of the README between which the table is written.
        action: The action of wordpl with its commit.
    """
    texts = paths.asset_texts(TEMPLATES)
    return {
        "README.md": texts["README.md"].format(title=title, begin=begin, end=end),
        "strategies/.gitkeep": "",
        ".gitignore": texts["gitignore"],
        ".gitattributes": texts["gitattributes"],
        ".github/workflows/season.yml": texts["season.yml"].replace("{action}", action),
    }
