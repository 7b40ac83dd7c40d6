"""Evidence that an entry wins a share of all games, by enumeration: stronger than any sample of games.

An entry of two guesses is asked after every clue that can be shown, so its chance to win is known. One of three guesses
is asked for its last guess in every state; that it then proposes the likeliest word, in time and within its budget,
is not asked for all 14 million clues but for 100,000 games drawn by their probability. The seed of these is drawn
once the entry's digest is known, so no entry can be made for it. If an entry failed in more than a share s of all
games, none of n would fail with a probability of at most (1 - s)^n: with s = 3/n that is below 5 %. So 3/n is
subtracted, and what is left is 95 % sure (the rule of three; Hanley and Lippman-Hand, JAMA 249, 1983).
"""

from collections.abc import Sequence
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from wordpl.contest import run_folder
from wordpl.contest.drawn_games import DrawnGames, Progress, key_of
from wordpl.contest.enumeration import Branch, Enumerated, Enumeration, playing
from wordpl.contest.evidence_log import EvidenceLog
from wordpl.contest.win_rate import estimate
from wordpl.core import entry_files, paths, seeds, words
from wordpl.core.commitments import canonical
from wordpl.core.errors import UserError
from wordpl.core.files import write_safely
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import RunConfig
from wordpl.players.clock import allowance

__all__ = ["Evidence", "EvidenceKind", "Progress", "check", "collect", "load", "load_all", "save"]

FORMAT = 1
N_HISTORIES = 100_000
RULE_OF_THREE = 3
N_CLUES = 3**5
"""The first clues of an enumeration, with words of five letters."""
SAME_CHANCE = 1e-12
MAX_ERRORS = 4.5
"""Standard errors by which a sample may differ from what was enumerated: in one check of 150,000 it does by chance."""


class EvidenceKind(StrEnum):
    """What was asked of an entry."""

    EVERY_CLUE = "every clue"  # at most two guesses: nothing is left to chance
    EVERY_LAST_GUESS = "every last guess"  # three guesses: what follows the last clue was sampled


class Evidence(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What was found of an entry, as a file of evidence holds it.

    Attributes:
        entry: The entry, with the digest of its file.
        lists: The SHA-256 of the answers and of the guesses.
        kind: What was asked.
        n_guesses: The most guesses that the entry makes.
        budget: The most that any of its games costs.
        enumerated: Its chance to win, if it proposes the likeliest word after each last clue.
        n_histories: The games drawn to see that it does; 0 where every clue was asked.
        seed: What decided these games, drawn when the entry's digest was known.
        timeout_s: The CPU time for a game that it was told.
        enforced_s: The CPU time at which a game was ended.
        versions: Of what decides how games go.
        made: When.
        digest: SHA-256 of all the rest.
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
        """What is taken off the chance for the games that were not asked."""
        return RULE_OF_THREE / self.n_histories if self.n_histories else 0.0

    @property
    def chance(self) -> float:
        """The share of all games that is won at least."""
        return self.enumerated - self.subtracted

    @property
    def certainty(self) -> str:
        """How sure the chance is, as a board says it."""
        return "proved" if self.kind == EvidenceKind.EVERY_CLUE else "proved, 95 % sure"

    def sealed(self) -> "Evidence":
        """Return the same evidence with its digest."""
        facts = {name: value for name, value in msgspec.to_builtins(self).items() if name != "digest"}
        return msgspec.structs.replace(self, digest=sha256(canonical(facts)).hexdigest())


def collect(
    entry: EntryInfo,
    config: RunConfig,
    n_histories: int = N_HISTORIES,
    progress: Progress | None = None,
    log: Path | None = None,
) -> Evidence:
    """Ask an entry, and return what that shows.

    Args:
        entry: An entry of a noisy game, of at most three guesses; it runs as in a run with this config.
        config: Where it runs and how long it may take.
        n_histories: The games drawn for an entry of three guesses.
        progress: Called as the work goes on.
        log: Where what is done is kept, so that the same call goes on after an interruption; removed at the end.

    Raises:
        UserError: The entry makes more guesses, does not propose the likeliest word, or plays differently each time.
        PlayerError: It failed.
    """
    kept = EvidenceLog(log, _question(entry, config, n_histories), seeds.new_official_seed())
    found = _collect(entry, config, kept, progress or Progress())
    kept.remove()
    return found


def _question(entry: EntryInfo, config: RunConfig, n_histories: int) -> dict[str, Any]:
    """Return all that decides what is asked but for the seed."""
    return {
        "format": FORMAT,
        "entry": msgspec.to_builtins(entry),
        "lists": words.load(config.answers, config.guesses).sha256,
        "n_histories": n_histories,
        "timeout_s": config.timeout_s,
        "enforced_s": config.cpu_limit_s,
        "versions": run_folder.versions(),
    }


def _collect(entry: EntryInfo, config: RunConfig, log: EvidenceLog, progress: Progress) -> Evidence:
    lists, n_histories = words.load(config.answers, config.guesses), log.n_histories
    with playing(entry, config) as player:
        enumeration = Enumeration(player, lists, entry.game_id, allowance(config))

        def note(clues: str, branch: Branch) -> None:
            log.add_branch(clues, branch)
            progress.clue()

        found = enumeration.run(log.branches, note)
        if found.n_guesses <= 2:
            n_histories = 0
        for _ in DrawnGames(enumeration, found, config).play(key_of(log.seed, entry), n_histories, (log, progress)):
            pass  # it raises UserError where one goes otherwise
    return Evidence(
        entry=entry,
        lists=lists.sha256,
        kind=EvidenceKind.EVERY_LAST_GUESS if n_histories else EvidenceKind.EVERY_CLUE,
        n_guesses=found.n_guesses,
        budget=found.budget,
        enumerated=found.chance,
        n_histories=n_histories,
        seed=log.seed,
        timeout_s=config.timeout_s,
        enforced_s=config.cpu_limit_s,
        versions=run_folder.versions(),
        made=run_folder.now(),
    ).sealed()


def check(
    evidence: Evidence, config: RunConfig, progress: Progress | None = None, sample: int | None = None
) -> list[str]:
    """Ask the entry again, with the same seed, and return what differs, each in a sentence; none if it holds.

    Args:
        evidence: What is checked.
        config: Where the entry runs.
        progress: Called as the work goes on.
        sample: Play only so many of the drawn games: the entry has to play as counted on in all of them, and their mean
            chance to win may not be further from the evidence than chance explains. That finds an entry that plays
            otherwise, not a figure that is off by little. None enumerates all anew.
    """
    found = []
    if evidence.sealed().digest != evidence.digest:
        found.append("the digest is not that of the file: it was edited.")
    file = paths.find_file(evidence.entry.file)
    if not file.is_file():
        return [*found, f"{evidence.entry.file} is not here, so nothing can be asked."]
    if entry_files.digest(file) != evidence.entry.sha256:
        return [*found, f"{evidence.entry.file} has changed since: its SHA-256 is not {evidence.entry.sha256}."]
    if words.load(config.answers, config.guesses).sha256 != evidence.lists:
        return [*found, "it was made for other word lists."]
    same = msgspec.structs.replace(config, timeout_s=evidence.timeout_s, enforced_s=evidence.enforced_s)
    if sample is not None:
        return found + _differences_in_sample(evidence, same, sample, progress or Progress())
    log = EvidenceLog(None, _question(evidence.entry, same, evidence.n_histories), evidence.seed)
    return found + _differences(evidence, _collect(evidence.entry, same, log, progress or Progress()))


def _differences(evidence: Evidence, again: Evidence) -> list[str]:
    found = []
    for name in ("kind", "n_guesses", "budget", "n_histories"):
        if getattr(again, name) != getattr(evidence, name):
            found.append(f"{name}: {getattr(evidence, name)} in the file, {getattr(again, name)} found.")
    if abs(again.enumerated - evidence.enumerated) > SAME_CHANCE:
        found.append(f"the chance to win: {evidence.enumerated:.12f} in the file, {again.enumerated:.12f} found.")
    return found


def _differences_in_sample(evidence: Evidence, config: RunConfig, n_games: int, progress: Progress) -> list[str]:
    lists = words.load(config.answers, config.guesses)
    with playing(evidence.entry, config) as player:
        enumeration = Enumeration(player, lists, evidence.entry.game_id, allowance(config))
        stated = Enumerated(evidence.enumerated, evidence.budget, evidence.n_guesses, None)
        log = EvidenceLog(None, _question(evidence.entry, config, n_games), evidence.seed)
        games = DrawnGames(enumeration, stated, config)
        try:
            played = list(games.play(key_of(evidence.seed, evidence.entry), n_games, (log, progress)))
        except UserError as error:
            return [f"{error.message}"]
    mean = estimate(played, lists, evidence.entry.game_id).best
    if abs(mean.value - evidence.enumerated) > MAX_ERRORS * mean.error:
        return [
            f"the chance to win: {evidence.enumerated:.6f} in the file, {mean.value:.6f} ± {mean.error:.6f} in "
            f"{n_games:,} games."
        ]
    return []


def load(path: Path) -> Evidence:
    """Return the evidence in a file.

    Raises:
        UserError: It is none, or its digest is not that of its content.
    """
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Evidence)
    except (OSError, msgspec.DecodeError) as error:
        raise UserError(f"{path} is no evidence: {error}") from None
    if found.format != FORMAT:
        raise UserError(f"{path} has format {found.format}; this version of wordpl reads format {FORMAT}.")
    if found.sealed().digest != found.digest:
        raise UserError(f"{path} was edited: its digest is not that of what it says.")
    return found


def load_all(paths: Sequence[Path]) -> list[Evidence]:
    """Return the evidence in these files, and in all .json files of these folders."""
    files = [file for path in paths for file in (sorted(path.glob("*.json")) if path.is_dir() else [path])]
    return [load(file) for file in files]


def save(path: Path, evidence: Evidence) -> None:
    """Write the evidence into a file."""
    try:
        write_safely(path, msgspec.json.format(msgspec.json.encode(evidence), indent=2) + b"\n")
    except OSError as error:
        raise UserError(f"cannot write the evidence {path}: {error.strerror}.") from None
