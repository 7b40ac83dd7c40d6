"""Tournaments as files: the terms committed to, finished tournaments, and rankings of results of runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from wordpl import games
from wordpl.apps.tournament import scoring
from wordpl.contest.referee import secret_of
from wordpl.contest.session import Session
from wordpl.core import bounded, words
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.core.words import WordLists
from wordpl.games import Game, IllegalMoveError
from wordpl.run import seal
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import FORMAT as RUN_FORMAT
from wordpl.run.info import FORMAT_OF_1, EntryInfo, RunInfo, RunInfoOf1

FORMAT = 2
T = TypeVar("T", bound=msgspec.Struct)


class Terms(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """The terms of a tournament.

    Attributes:
        rules: The rules.
        opens: When play begins, UTC; None for when the host starts it.
        closes: When play ends at the latest, UTC; None for when the host ends it.
        lists: The SHA-256 of each word list.
        draws: The format of runs whose draws choose the secrets; missing in files of release 1.
        game_sha256: The digest of the file of a host's own game; "" for a game of the package.
    """

    rules: scoring.TournamentRules
    opens: datetime | None
    closes: datetime | None
    lists: dict[str, str]
    draws: str = FORMAT_OF_1
    game_sha256: str = ""

    @classmethod
    def new(
        cls,
        rules: scoring.TournamentRules,
        opens: datetime | None = None,
        closes: datetime | None = None,
        lists: WordLists | None = None,
    ) -> "Terms":
        """Return terms with these word lists, by default the contest's.

        Raises:
            UserError: The tournament would close before it opens, or has too many puzzles.
        """
        scoring.check_rules(rules)
        if opens and closes and closes <= opens:
            raise UserError(f"the window must close after it opens; it opens {opens} and closes {closes}.")
        digests = dict((lists or words.load()).sha256)
        own_sha256 = games.game_class(rules.game).facts.sha256
        return cls(rules=rules, opens=opens, closes=closes, lists=digests, draws=RUN_FORMAT, game_sha256=own_sha256)

    def commitment(self, seed: str) -> str:
        """Return the commitment to these terms and this seed."""
        return seal.commitment(seed, seal.terms_digest(msgspec.to_builtins(self)))

    def game(self, lists: WordLists | None = None) -> Game:
        """Return the game that is played. Raises UserError if the word lists or its file are not those of the terms."""
        lists = (lists or words.load()).in_order_of(self.lists)
        if self.lists != lists.sha256:
            raise UserError("the tournament uses other word lists: name them with --answers and --guesses.")
        game = games.make_game(self.rules.game, lists)
        if game.facts.sha256 != self.game_sha256:
            raise UserError(
                f"the tournament uses another file of {self.rules.game} than the one that --game names here."
            )
        return game

    @property
    def scheme(self) -> type[Draws]:
        """How the seed chooses the secrets."""
        schemes = {RUN_FORMAT: RunInfo.scheme, FORMAT_OF_1: RunInfoOf1.scheme}
        if self.draws not in schemes:
            raise UserError(f"the puzzles are drawn as in {self.draws!r}, which a newer version of wordpl can read.")
        return schemes[self.draws]

    def secrets(self, seed: str, game: Game) -> list[str]:
        """Return the secrets of the puzzles of all rounds in order."""
        draws = self.scheme.of(seed)
        return [secret_of(game, number, draws) for number in range(self.rules.n_games)]


class PlayerGuesses(Struct, frozen=True, forbid_unknown_fields=True):
    """The guesses of one player.

    Attributes:
        player: The player's name.
        joined_s: When the player joined, in seconds since 1970 (UTC).
        guesses: All guesses in order.
    """

    player: str
    joined_s: float
    guesses: list[scoring.PlayedGuess]


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
        rulings: The decisions of the host, in the order in which they were made.
    """

    format: int = FORMAT
    terms: Terms
    seed: str
    commitment: str
    started_s: float
    ended_s: float
    players: list[PlayerGuesses]
    rulings: list[scoring.Ruling] = []

    def results(self, lists: WordLists | None = None) -> list[scoring.TournamentResult]:
        """Return the results after the host's rulings; `lists` are the words, by default the contest's."""
        secrets = self.terms.secrets(self.seed, self.terms.game(lists))
        results = [
            scoring.TournamentResult(
                played.player,
                scoring.follow(
                    self.terms.rules, secrets, max(played.joined_s, self.started_s), played.guesses, self.ended_s
                ).scored,
            )
            for played in self.players
        ]
        return scoring.ruled(results, self.rulings)


def read_tournament(file: Path, lists: WordLists | None = None) -> TournamentFile:
    """Return the finished tournament in this file; `lists` are its words, by default the contest's.

    Raises:
        UserError: The file cannot be read, it does not match its commitment, or a guess breaks the rules.
    """
    cup = read_json(file, TournamentFile, "wordpl serve")
    scoring.check_rules(cup.terms.rules)
    if cup.terms.commitment(cup.seed) != cup.commitment:
        raise UserError(f"{file} does not match its commitment {cup.commitment}: its seed or its terms were changed.")
    game = cup.terms.game(lists)
    secrets = cup.terms.secrets(cup.seed, game)
    for ruling in cup.rulings:
        ruling.check(cup.terms.rules, [played.player for played in cup.players])
    for played in cup.players:
        if fault := next(_faults(cup, played, secrets, game), None):
            raise UserError(f"{file}, {played.player!r}: {fault}.")
    return cup


def _faults(cup: TournamentFile, played: PlayerGuesses, secrets: list[str], game: Game) -> Iterator[str]:
    """Yield what the server cannot have recorded."""
    begin_s = max(played.joined_s, cup.started_s)
    times = [begin_s, *(guess.time_s for guess in played.guesses)]
    if not all(first <= second for first, second in pairwise(times)):
        yield "a guess is earlier than the one before it, or than the start"
    if times[-1] >= cup.ended_s and played.guesses:
        yield "a guess was made after the end"
    progress = scoring.follow(cup.terms.rules, secrets, begin_s, played.guesses, cup.ended_s)
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


RULES_FILE = "tournament.json"
SOLVED = (Verdict.WON, Verdict.UNSOLVED)


@dataclass(frozen=True, eq=False)
class RankedResults:
    """The results of a tournament.

    Attributes:
        rules: The tournament's rules.
        results: The results, best first.
        table: The standings, as returned by `standings`.
        facts: The seed of the puzzles and the commitment to it, if there is one.
        rulings: The decisions of the hosts of tournaments of people.
    """

    rules: scoring.TournamentRules
    results: list[scoring.TournamentResult]
    table: list[scoring.PlayerStanding]
    facts: dict[str, str]
    rulings: list[scoring.Ruling] = field(default_factory=list)


def run_terms(
    config: RunConfig, rules_file: Path | None = None, cup_file: Path | None = None, bank_s: float | None = None
) -> tuple[scoring.TournamentRules, RunConfig]:
    """Return the rules and the configuration of a run with one game per puzzle, in which a game may use the whole bank.

    Args:
        config: All other settings of the run.
        rules_file: The rules; None for the published ones.
        cup_file: The file of a finished tournament, which defines the rules and the seed.
        bank_s: The CPU time in each bank, in seconds; None for the bank of the rules.

    Raises:
        UserError: Both a tournament and rules or a seed are given, or the tournament is one of release 1.
    """
    if cup_file and (rules_file or config.seed):
        raise UserError("--cup defines the rules and the seed: leave out --rules and --seed.")
    cup = read_tournament(cup_file) if cup_file else None
    if cup and cup.terms.draws != RUN_FORMAT:
        raise UserError(f"{cup_file} has the puzzles of release 1, which entries can play with wordpl 1.0.0.")
    rules = cup.terms.rules if cup else scoring.load_rules(rules_file)
    if bank_s:
        rules = msgspec.structs.replace(rules, bank_minutes=bank_s / 60)
    seed = cup.seed if cup else config.seed
    return rules, msgspec.structs.replace(
        config, n_games=rules.n_games, game_id=rules.game, timeout_s=rules.bank_s, seed=seed, repeats=0
    )


def save_rules(rules: scoring.TournamentRules, folder: Path) -> None:
    """Save the rules in the run's folder for `rank`."""
    write_json(folder / RULES_FILE, rules)


def rank(paths: Sequence[Path], rules_file: Path | None = None, lists: WordLists | None = None) -> RankedResults:
    """Return the ranked results of people and runs.

    Args:
        paths: Files of finished tournaments and folders of runs.
        rules_file: Rules to apply to runs; None for the rules saved with the run.
        lists: The words of tournaments of people; None for the contest's.

    Raises:
        UserError: The results belong to different tournaments.
    """
    cups = [read_tournament(path, lists) for path in paths if path.is_file()]
    folders = [path for path in paths if path.is_dir()]
    rules = _rules(cups, folders, rules_file)
    facts = _same_puzzles(cups, folders)
    results = [result for cup in cups for result in cup.results(lists)]
    results += [result for folder in folders for result in results_of(folder, rules)]
    table = scoring.standings(results)
    players = [line.player for line in table]
    results.sort(key=lambda result: players.index(result.player))
    return RankedResults(rules, results, table, facts, [ruling for cup in cups for ruling in cup.rulings])


def _rules(cups: Sequence[TournamentFile], folders: Sequence[Path], rules_file: Path | None) -> scoring.TournamentRules:
    """Return the rules of the people's tournament if there is one, else those in the file, else the run's."""
    if cups:
        if rules_file:
            raise UserError("--rules cannot be used with results of people: their tournament defines the rules.")
        return cups[0].terms.rules
    stored_rules = folders[0] / RULES_FILE
    if rules_file or not stored_rules.exists():
        return scoring.load_rules(rules_file)
    return read_json(stored_rules, scoring.TournamentRules, "wordpl tournament run")


def _same_puzzles(cups: Sequence[TournamentFile], folders: Sequence[Path]) -> dict[str, str]:
    """Return the seed and the commitment of the puzzles. Raises UserError if the results have different puzzles."""
    commitments = sorted({cup.commitment for cup in cups})
    runs = [Run(folder).info for folder in folders]
    lists = [cup.terms.lists for cup in cups] + [
        {name: file.sha256 for name, file in info.config.word_files.items()} for info in runs
    ]
    seeds = {cup.seed for cup in cups} | {str(info.seed) for info in runs}
    schemes = {cup.terms.scheme for cup in cups} | {info.scheme for info in runs}
    if len(commitments) > 1 or len(seeds) > 1 or len(schemes) > 1 or any(digests != lists[0] for digests in lists):
        raise UserError(
            "these results have different puzzles: their commitments, their seeds or their word lists differ."
        )
    return {"seed": seeds.pop(), **({"commitment": commitments[0]} if commitments else {})}


def results_of(folder: Path, rules: scoring.TournamentRules) -> list[scoring.TournamentResult]:
    """Return the results of the entries in a run as if its games were a tournament's puzzles.

    The time of a game is the entry's CPU time, or wall time if no CPU time was recorded. As records contain no times of
    single guesses, all guesses count as made at the end of the game.

    Args:
        folder: The run.
        rules: The tournament's rules.

    Raises:
        UserError: An entry plays another game than the tournament's, or its games are not complete.
    """
    run = Run(folder).require_as_sealed()
    for entry in run.info.entries:
        if entry.game.id != rules.game:
            raise UserError(f"{entry.name} of {folder} plays {entry.game.id}; the tournament's game is {rules.game}.")
    puzzles = {entry.name: list(_puzzles(run, entry, rules)) for entry in run.info.entries}
    return [
        scoring.TournamentResult(name, list(scoring.score(puzzles_of_entry, rules)))
        for name, puzzles_of_entry in puzzles.items()
    ]


def _puzzles(run: Run, entry: EntryInfo, rules: scoring.TournamentRules) -> Iterator[scoring.PlayedPuzzle]:
    # If a game was played more than once, its last duration counts.
    times = {duration.game: duration.game_s for duration in run.entry(entry).durations()}
    for number, record in enumerate(run.entry(entry).read()[: rules.n_games]):
        if record.game != number:
            raise UserError(f"{run.folder} has no game {number} of {entry.name} yet: continue the run with --resume.")
        guesses = [scoring.Guess(move.guess, times.get(number, 0.0)) for move in record.moves]
        if record.verdict == Verdict.LATE:  # a timeout empties the bank, whatever CPU time was measured
            guesses.append(scoring.Guess("", float("inf")))
        yield scoring.PlayedPuzzle(record.secret, guesses, fault=record.verdict not in SOLVED)
