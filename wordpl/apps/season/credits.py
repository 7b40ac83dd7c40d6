"""What the games of a season count: the credits of an entry's games, kept in the reader's own cache, and its scores."""

import re
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import msgspec
import numpy as np

from wordpl.contest import determinism
from wordpl.contest.referee import CUT_SHORT
from wordpl.core import bounded, paths
from wordpl.core.files import write_atomically
from wordpl.core.intervals import MAX_FALSE_ALARM
from wordpl.core.messages import UserError
from wordpl.core.moves import LARGEST_BUDGET, GameFacts, Verdict, total_epsilon
from wordpl.core.words import WordLists
from wordpl.games import game_class
from wordpl.run import records
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import EntryInfo
from wordpl.stats import findings
from wordpl.stats.estimates import luck_of_records
from wordpl.stats.findings import Finding
from wordpl.stats.scores.score import Floats

METHOD, FINDINGS_METHOD, EXACT_METHOD = "season credits 1", "season findings 2", "season exact 1"
"""The names of the methods in the keys of the cache: a new method has a new name."""
DIGITS = 9
"""Budgets are rounded to these digits, since sums of the same epsilons differ by rounding errors."""


@dataclass(frozen=True, eq=False)
class Credits:
    """The games of an entry in the order of their numbers.

    Attributes:
        spent: The sum of epsilons, or the number of guesses, float[n].
        credit: The chance that the game is won given its clues, float[n].
    """

    spent: Floats
    credit: Floats


def credits_of(run: Run, entry: EntryInfo, lists: WordLists) -> Credits:
    """Return the credits of an entry's games, from the reader's own cache if they are there.

    The key is the digest of the records and word lists, so that nothing in the run's folder can choose the credits.
    """
    key = sha256(f"{METHOD}\n{digest_of(run, entry)}\n{entry.game.id}\n{sorted(lists.sha256.items())}".encode())
    path = cache_folder() / f"{key.hexdigest()}.npy"
    try:
        spent, credit = np.load(path, allow_pickle=False)
    except (OSError, ValueError):
        found = compute_credits(run, entry, lists)
        _store(path, found)
        return found
    return Credits(spent, credit)


def compute_credits(run: Run, entry: EntryInfo, lists: WordLists) -> Credits:
    """Return the credits of an entry's games, computed from its records.

    Raises:
        UserError: A game has no record.
    """
    facts, played = entry.game, run.require_as_sealed().entry(entry).read()
    if len(played) < run.info.config.n_games:
        raise UserError(
            f"{run.entry(entry).records_path} has {len(played):,} games instead of {run.info.config.n_games:,}."
        )
    won = np.array([record.verdict is Verdict.WON for record in played], float)
    if not facts.has_epsilon:
        return Credits(np.array([len(record.moves) for record in played], float), won)
    if facts.has_answer_move and not facts.sha256:
        found = luck_of_records([played], lists, game_class(facts.id).clue_rule).luck
        return Credits(_rounded(found.spent), np.clip(found.answer, 0, 1))
    return Credits(_rounded(np.array([total_epsilon(record.moves) for record in played])), won)


def findings_of(run: Run, lists: WordLists) -> list[Finding]:
    """Return the findings about a run's entries, from the reader's own cache if they are there; see `credits_of`."""
    digests = [f"{entry.name}\n{entry.game.as_text()}\n{digest_of(run, entry)}" for entry in run.info.entries]
    known = [FINDINGS_METHOD, str(run.info.seed), *digests, str(sorted(lists.sha256.items()))]
    key = sha256("\n".join(known).encode())
    path = cache_folder() / f"{key.hexdigest()}.json"
    try:
        return msgspec.json.decode(bounded.read(bounded.SEASON_FILE, path), type=list[Finding])
    except (OSError, UserError, msgspec.DecodeError):
        found = findings.of_run(run.require_as_sealed(), lists)
        _write(path, msgspec.json.encode(found))
        return found


def exact_entries(run: Run) -> frozenset[str]:
    """Return the slugs of the entries that have played every answer, and always make the same moves.

    They are taken from the reader's own cache if they are there; see `credits_of`.
    """
    if not run.info.config.every_answer:
        return frozenset()
    digests = [f"{entry.slug}\n{digest_of(run, entry)}\n{_digest_of_repeats(run, entry)}" for entry in run.info.entries]
    path = cache_folder() / f"{sha256(chr(10).join([EXACT_METHOD, *digests]).encode()).hexdigest()}.json"
    try:
        return frozenset(msgspec.json.decode(bounded.read(bounded.SEASON_FILE, path), type=list[str]))
    except (OSError, UserError, msgspec.DecodeError):
        found = determinism.findings(RunRecords(run.require_as_sealed()))
        slugs = [one.entry.slug for one in found if one.is_exact(run.info.config) and not _is_cut_short(run, one.entry)]
        _write(path, msgspec.json.encode(sorted(slugs)))
        return frozenset(slugs)


def _is_cut_short(run: Run, entry: EntryInfo) -> bool:
    return any(record.verdict in CUT_SHORT for record in run.entry(entry).read())


def _digest_of_repeats(run: Run, entry: EntryInfo) -> str:
    return bounded.digest(bounded.SEALED, run.entry(entry).repeats_path)


def season_findings(run: Run, number: int, lists: WordLists) -> list[Finding]:
    """Return the findings about the run with this number, from 1, so that all runs share one level without an end."""
    level = MAX_FALSE_ALARM / (number * (number + 1))
    return [found for found in findings_of(run, lists) if found.p_value * found.n_tests < level]


def _rounded(budgets: Floats) -> Floats:
    rounded = np.array([float(f"{budget:.{DIGITS}g}") for budget in budgets])
    return np.where(budgets < LARGEST_BUDGET, rounded, LARGEST_BUDGET)


def digest_of(run: Run, entry: EntryInfo) -> str:
    """Return the digest of an entry's records, as they are stored."""
    found = sha256()
    for part in records.parts(run.entry(entry).records_path, run.info.config.n_games):
        found.update(part)
    return found.hexdigest()


def cache_folder() -> Path:
    """Return the folder of the reader's cache: wordpl/credits in XDG_CACHE_HOME, by default in ~/.cache."""
    return paths.xdg_folder("cache") / "credits"


def _store(path: Path, found: Credits) -> None:
    content = BytesIO()
    np.save(content, np.stack([found.spent, found.credit]))
    _write(path, content.getvalue())


def _write(path: Path, content: bytes) -> None:
    with suppress(OSError):  # a cache that cannot be written is only slow
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content)


DEFAULT_LOSS_COST = 100.0


@dataclass(frozen=True)
class SeasonScore:
    """A score: a quantile, the budget within which a share of all games is won, or the mean of something bounded.

    Attributes:
        name: p05, p50, p95 or another share; p_win; mean.
        q: The share of a quantile; None for a mean.
        highest: For the mean cost: the cost of a lost game, and the maximum cost; for p_win 1.
    """

    name: str
    q: float | None
    highest: float = 1.0

    @classmethod
    def of(cls, name: str, facts: GameFacts) -> "SeasonScore":
        """Return the score with this name for a game.

        Raises:
            UserError: There is no such score.
        """
        if re.fullmatch(r"p\d\d", name) and int(name[1:]):
            return cls(name, int(name[1:]) / 100)
        if name == "p_win":
            return cls(name, None)
        if name == "mean":
            return cls(name, None, facts.loss_cost or DEFAULT_LOSS_COST)
        raise UserError(f"no score called {name!r}: choose p05, p50, p95 or another share, p_win, or mean.")

    @property
    def lower_is_better(self) -> bool:
        """Whether a lower value is better."""
        return self.name != "p_win"

    def values(self, games: Credits) -> Floats:
        """Return the value of each game for a mean, from 0 to 1, higher is better, float[n]."""
        if self.name == "p_win":
            return games.credit
        return games.credit * np.maximum(self.highest - games.spent, 0) / self.highest

    def shown(self, mean: Floats) -> Floats:
        """Return the mean of `values` in the unit of the score."""
        return mean if self.name == "p_win" else self.highest * (1 - mean)
