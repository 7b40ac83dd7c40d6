"""Evidence by enumeration that an entry wins a share of all games, stronger than any sample of games.

A piece of evidence has a file, a log with which an interrupted enumeration resumes, and drawn games that check its
assumption.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from wordpl import games
from wordpl.contest import referee, run_folder
from wordpl.contest.enumeration import TOLERANCE, Branch, Enumeration, EnumerationResult, posterior, started_player
from wordpl.core import bounded, paths
from wordpl.core.files import Appender, complete_lines, truncate_torn_tail, write_atomically
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict, noisy, total_epsilon
from wordpl.core.seeds import Draws, SingleKeyDraws, new_official_seed
from wordpl.kernels.clue_matrix import guess_rows
from wordpl.players.base import allowance
from wordpl.run.bundle import STORE, Bundle, BundleStore, find_place
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record
from wordpl.run.seal import canonical_json
from wordpl.stats.estimates import luck_of_records
from wordpl.stats.hypothesis_tests import mean_bounds

__all__ = ["Evidence", "EvidenceKind", "Progress", "check", "collect", "load", "load_all", "save"]

GAMES_PER_LINE = 500
"""The number of drawn games after which a line is written."""


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    question: dict[str, Any]
    seed: str


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """Either a branch with its first clue, or the number of drawn games that agreed with the enumeration."""

    clues: str = ""
    branch: Branch | None = None
    n_played: int = 0


class EvidenceLog:
    """The state of collecting evidence.

    Attributes:
        seed: The seed of the drawn games: that of the file, if it is resumed.
        n_histories: The number of games to draw.
        branches: The finished branches by their first clue.
        n_played: The number of drawn games that agreed with the enumeration.
    """

    def __init__(self, path: Path | None, question: dict[str, Any], seed: str):
        """Open a log, and resume it if it answers the same question.

        Args:
            path: The file; None: keep the state in memory only.
            question: Everything except the seed that the result depends on.
            seed: The seed of the drawn games, unless the log is resumed.
        """
        self.path, self.seed = path, seed
        self.n_histories: int = question["n_histories"]
        self.branches: dict[str, Branch] = {}
        self.n_played = 0
        if path is not None:
            self._open(path, _Header(question, seed))

    def _open(self, path: Path, header: _Header) -> None:
        lines = complete_lines(path)
        logged = _decoded(lines[0], _Header) if lines else None
        if logged is None or logged.question != header.question:
            write_atomically(path, msgspec.json.encode(header) + b"\n")
            return
        truncate_torn_tail(path)
        self.seed = logged.seed
        for line in lines[1:]:
            entry = msgspec.json.decode(line, type=_Line)
            if entry.branch is not None:
                self.branches[entry.clues] = entry.branch
            self.n_played = max(self.n_played, entry.n_played)

    def add_branch(self, clues: str, branch: Branch) -> None:
        """Log the branch of a first clue, unless it is already known."""
        if clues not in self.branches:
            self.branches[clues] = branch
            self._append(_Line(clues, branch))

    def add_game(self) -> None:
        """Count a drawn game that agreed with the enumeration."""
        self.n_played += 1
        if self.n_played % GAMES_PER_LINE == 0:
            self._append(_Line(n_played=self.n_played))

    def remove(self) -> None:
        """Delete the file."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _append(self, line: _Line) -> None:
        if self.path is not None:
            with Appender(self.path) as file:
                file.add(msgspec.json.encode(line) + b"\n")


def _decoded(line: bytes, type_: type[_Header]) -> _Header | None:
    try:
        return msgspec.json.decode(line, type=type_)
    except msgspec.DecodeError:
        return None


@dataclass(frozen=True)
class Progress:
    """Callbacks for the progress of collecting evidence.

    Attributes:
        clue: Called after each first clue of the enumeration.
        history: Called after each drawn game.
    """

    clue: Callable[[], object] = lambda: None
    history: Callable[[], object] = lambda: None


class DrawnGames:
    """Plays games drawn by their probability, and checks in each that the entry plays as its enumeration assumes."""

    def __init__(self, enumeration: Enumeration, found: EnumerationResult, config: RunConfig):
        self.enumeration, self.found, self.config = enumeration, found, config
        self.lists = enumeration.lists
        self.rows = guess_rows(self.lists)

    def play(self, draws: Draws, n_games: int, watched: tuple[EvidenceLog, Progress]) -> Iterator[Record]:
        """Play the games 0 to n_games - 1 of these draws that the log does not have yet, and yield their records.

        Args:
            draws: The draws of the games.
            n_games: The total number of games.
            watched: The log of finished games, and the callbacks for progress.

        Raises:
            UserError: The entry deviated from the enumeration in a game.
        """
        log, progress = watched
        for _ in range(min(log.n_played, n_games)):
            progress.history()
        for number in range(log.n_played, n_games):
            record = referee.play(self.enumeration.game, self.enumeration.player, number, draws, self.config)
            if deviation := self.deviation(record):
                moves = " ".join(f"{move.guess}:{move.clues}" for move in record.moves)
                raise UserError(f"in drawn game {number}, {moves}, {deviation}: this entry cannot be enumerated.")
            log.add_game()
            progress.history()
            yield record

    def deviation(self, record: Record) -> str:
        """Return how a game deviates from the enumeration, as a clause; "" if it does not."""
        if record.verdict not in (Verdict.WON, Verdict.WRONG):
            return f"it ended as {record.verdict} {record.message}".strip()
        *guesses, answer = noisy(record.moves)
        if total_epsilon(guesses) > self.found.budget:
            return f"it spent {total_epsilon(guesses)!r}, more than {self.found.budget!r}"
        expected = self.found.last_guesses
        if expected is not None and expected.get(tuple(move.clues for move in guesses[:-1])) != guesses[-1].proposal:
            return "its last guess differed from the enumerated one"
        chances = posterior(self.enumeration.words, self.rows, guesses)
        if chances[self.lists.answers.index(answer.guess)] < chances.max() * (1 - TOLERANCE):
            return f"it proposed {answer.guess}, which is not the likeliest word"
        return ""


FORMAT = 2
FORMAT_OF_1 = 1
"""The format of evidence of release 1, which has other draws."""


def draws_of(seed: str, entry: EntryInfo, form: int = FORMAT) -> Draws:
    """Return the draws of the drawn games, which depend on the seed and on the entry's file."""
    scheme = SingleKeyDraws if form == FORMAT_OF_1 else Draws
    return scheme.of(f"wordpl/evidence/1 {seed} {entry.sha256} {entry.make}")


N_HISTORIES = 100_000
RULE_OF_THREE = 3
N_CLUES = 3**5
"""The number of first clues of an enumeration with words of five letters."""
SAME_CHANCE = 1e-12
SAMPLE_LEVEL = 1e-5
"""The probability that a sample contradicts a true probability of winning by chance."""


class EvidenceKind(StrEnum):
    """What was enumerated for an entry."""

    EVERY_CLUE = "every clue"  # at most two guesses: everything
    EVERY_LAST_GUESS = "every last guess"  # three guesses: all but the answers, which were sampled


class Evidence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The evidence for an entry, as stored in a file.

    Attributes:
        format: The version of the file format.
        entry: The entry, with the digest of its file.
        lists: The SHA-256 of the answers and of the guesses.
        kind: What was enumerated.
        n_guesses: The maximum number of guesses in a game.
        budget: The maximum cost of a game.
        enumerated: The probability of winning, provided that the entry always proposes the likeliest word.
        n_histories: The number of games drawn to check that it does; 0 if every clue was enumerated.
        seed: The seed of these games, drawn when the entry's digest was known.
        timeout_s: The CPU time limit for one game that was announced to the entry.
        enforced_s: The CPU time at which a game was stopped.
        versions: The versions of the software that affects games.
        made: The time at which the evidence was collected.
        digest: The SHA-256 of all other fields.
    """

    format: int = FORMAT
    entry: EntryInfo
    lists: dict[str, str]
    kind: EvidenceKind
    n_guesses: int
    budget: float
    enumerated: float
    n_histories: int
    seed: str
    timeout_s: float
    enforced_s: float
    versions: dict[str, str]
    made: str
    digest: str = ""

    @property
    def subtracted(self) -> float:
        """The probability that is subtracted for games that were not checked (the rule of three)."""
        return RULE_OF_THREE / self.n_histories if self.n_histories else 0.0

    @property
    def chance(self) -> float:
        """The lower bound of the share of games won."""
        return self.enumerated - self.subtracted

    @property
    def certainty(self) -> str:
        """The level of certainty as text for a board."""
        return "proved" if self.kind == EvidenceKind.EVERY_CLUE else "proved, 95 % sure"

    def sealed(self) -> "Evidence":
        """Return a copy with its digest."""
        facts = {name: value for name, value in msgspec.to_builtins(self).items() if name != "digest"}
        return msgspec.structs.replace(self, digest=sha256(canonical_json(facts)).hexdigest())


def collect(
    entry: EntryInfo,
    config: RunConfig,
    n_histories: int = N_HISTORIES,
    progress: Progress | None = None,
    log: Path | None = None,
) -> Evidence:
    """Enumerate an entry, and return the evidence.

    Args:
        entry: An entry for a noisy game with at most three guesses.
        config: The configuration of the run under whose conditions it plays.
        n_histories: The number of games to draw for an entry with three guesses.
        progress: Callbacks for the progress.
        log: A file for intermediate results, so that an interrupted call can be resumed; it is removed at the end.

    Raises:
        UserError: The entry makes more guesses, does not propose the likeliest word, or is not deterministic.
        PlayerError: The player failed.
    """
    resumable_log = EvidenceLog(log, _question(entry, config, n_histories), new_official_seed())
    evidence = _collect(entry, config, resumable_log, progress or Progress())
    resumable_log.remove()
    return evidence


def _question(entry: EntryInfo, config: RunConfig, n_histories: int) -> dict[str, Any]:
    """Return everything except the seed that the result depends on; a log is only resumed if it is equal."""
    return {
        "format": FORMAT,
        "entry": msgspec.to_builtins(entry),
        "lists": config.load_lists().sha256,
        "n_histories": n_histories,
        "timeout_s": config.timeout_s,
        "enforced_s": config.cpu_limit_s,
        "versions": run_folder.versions(),
    }


def _collect(entry: EntryInfo, config: RunConfig, log: EvidenceLog, progress: Progress, form: int = FORMAT) -> Evidence:
    lists, n_histories = config.load_lists(), log.n_histories
    with started_player(entry, config) as player:
        enumeration = Enumeration(player, lists, entry.game.id, allowance(config))

        def note(clues: str, branch: Branch) -> None:
            log.add_branch(clues, branch)
            progress.clue()

        result = enumeration.run(log.branches, note)
        if result.n_guesses <= 2:
            n_histories = 0
        draws = draws_of(log.seed, entry, form)
        for _ in DrawnGames(enumeration, result, config).play(draws, n_histories, (log, progress)):
            pass  # `play` raises UserError if the entry deviates
    return Evidence(
        entry=entry,
        lists=lists.sha256,
        kind=EvidenceKind.EVERY_LAST_GUESS if n_histories else EvidenceKind.EVERY_CLUE,
        n_guesses=result.n_guesses,
        budget=result.budget,
        enumerated=result.chance,
        n_histories=n_histories,
        seed=log.seed,
        timeout_s=config.timeout_s,
        enforced_s=config.cpu_limit_s,
        versions=run_folder.versions(),
        made=run_folder.now(),
    ).sealed()


def check(
    evidence: Evidence,
    config: RunConfig,
    progress: Progress | None = None,
    sample: int | None = None,
    store: Path | None = None,
) -> list[str]:
    """Check evidence by enumerating the entry again with the same seed.

    Args:
        evidence: The evidence to check.
        config: The configuration under which the entry plays; its time limits are replaced by those of the evidence.
        progress: Callbacks for the progress.
        sample: Play only this many of the drawn games. The entry must not deviate in any of them, and their interval of
            the probability of winning, which errs with a probability of SAMPLE_LEVEL, must contain that of the
            evidence. This detects an entry that plays differently, but not a slightly wrong figure. None: repeat the
            whole enumeration.
        store: The folder of the file of the evidence, if `save` has stored the entry's files there: what was proved
            stays checkable when its author goes on with them. None: the author's files are taken.

    Returns:
        The differences, each as a sentence; empty if the evidence holds.
    """
    differences = []
    if evidence.sealed().digest != evidence.digest:
        differences.append("the digest does not match the content of the file: it was edited.")
    place = find_place(evidence.entry.file)
    for folder in (store, paths.bundled() / "results" / "evidence"):  # the project's own evidence
        if folder and (stored := folder / STORE / evidence.entry.sha256 / place.name).exists():
            place = stored.absolute()
    if not place.exists():
        return [*differences, f"{evidence.entry.file} was not found, so the evidence cannot be checked."]
    if Bundle.of(place).digest != evidence.entry.sha256:
        return [*differences, f"{evidence.entry.file} has changed: its SHA-256 is no longer {evidence.entry.sha256}."]
    evidence = msgspec.structs.replace(evidence, entry=msgspec.structs.replace(evidence.entry, file=str(place)))
    if config.load_lists().in_order_of(evidence.lists).sha256 != evidence.lists:
        return [*differences, "it was collected with other word lists."]
    files = {
        name: msgspec.structs.replace(file, sha256=evidence.lists[name]) for name, file in config.word_files.items()
    }
    evidence_config = msgspec.structs.replace(
        config, timeout_s=evidence.timeout_s, enforced_s=evidence.enforced_s, **files
    )
    if sample is not None:
        return differences + _differences_in_sample(evidence, evidence_config, sample, progress or Progress())
    log = EvidenceLog(None, _question(evidence.entry, evidence_config, evidence.n_histories), evidence.seed)
    repeated = _collect(evidence.entry, evidence_config, log, progress or Progress(), evidence.format)
    return differences + _differences(evidence, repeated)


def _differences(evidence: Evidence, repeated: Evidence) -> list[str]:
    differences = []
    for name in ("kind", "n_guesses", "budget", "n_histories"):
        if getattr(repeated, name) != getattr(evidence, name):
            differences.append(f"{name}: {getattr(evidence, name)} in the file, {getattr(repeated, name)} found.")
    if abs(repeated.enumerated - evidence.enumerated) > SAME_CHANCE:
        differences.append(
            f"the probability of winning: {evidence.enumerated:.12f} in the file, {repeated.enumerated:.12f} found."
        )
    return differences


def _differences_in_sample(evidence: Evidence, config: RunConfig, n_games: int, progress: Progress) -> list[str]:
    lists = config.load_lists()
    with started_player(evidence.entry, config) as player:
        enumeration = Enumeration(player, lists, evidence.entry.game.id, allowance(config))
        stated = EnumerationResult(evidence.enumerated, evidence.budget, evidence.n_guesses, None)
        log = EvidenceLog(None, _question(evidence.entry, config, n_games), evidence.seed)
        drawn = DrawnGames(enumeration, stated, config)
        try:
            draws = draws_of(evidence.seed, evidence.entry, evidence.format)
            played = list(drawn.play(draws, n_games, (log, progress)))
        except UserError as error:
            return [f"{error.message}"]
    clue_rule = games.game_class(evidence.entry.game).clue_rule
    values, lowest = luck_of_records([played], lists, clue_rule).bounded_wins(evidence.budget)
    low, high = mean_bounds(values, lowest, 1.0, 1 - SAMPLE_LEVEL)
    if low <= evidence.enumerated <= high:
        return []
    return [
        f"the probability of winning: {evidence.enumerated:.6f} in the file, but {low:.6f} to {high:.6f} by "
        f"{n_games:,} games."
    ]


def load(path: Path) -> Evidence:
    """Return the evidence in a file.

    Raises:
        UserError: The file is not evidence, or its digest does not match its content.
    """
    try:
        evidence = msgspec.convert(bounded.read_json(bounded.EVIDENCE, path), Evidence)
    except (OSError, msgspec.ValidationError) as error:
        raise UserError(f"{path} is not a file of evidence: {error}") from None
    if evidence.format not in (FORMAT, FORMAT_OF_1):
        raise UserError(
            f"{path} has format {evidence.format}; this version of wordpl reads {FORMAT_OF_1} and {FORMAT}."
        )
    if evidence.sealed().digest != evidence.digest:
        raise UserError(f"{path} was edited: its digest does not match its content.")
    return evidence


def load_all(places: Sequence[Path]) -> list[Evidence]:
    """Return the evidence in these files, and in all .json files of these folders."""
    return [load(file) for file in files_of(places)]


def files_of(places: Sequence[Path]) -> list[Path]:
    """Return these files, and all .json files of these folders."""
    return [file for path in places for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]


def save(path: Path, evidence: Evidence) -> None:
    """Write the evidence to a file, and the entry's files to a folder beside it."""
    try:
        write_atomically(path, msgspec.json.format(msgspec.json.encode(evidence), indent=2) + b"\n")
    except OSError as error:
        raise UserError(f"cannot write the evidence {path}: {error.strerror}.") from None
    place = find_place(evidence.entry.file)
    if place.exists() and (bundle := Bundle.of(place)).digest == evidence.entry.sha256:
        store = BundleStore(path.absolute().parent / STORE)
        store.add(bundle)
        store.publish()
