"""What each game of a round is worth: the budget spent and the credit, computed from the records and cached.

A noisy game is credited with the posterior of its answer given its clues (Rao and Blackwell), which is between 0 and 1
and has the same mean as winning. Where the answer is no move of its own, as in Wordle, a won game has the credit 1.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path

import numpy as np

from wordpl import games
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.core.moves import Verdict, total_epsilon
from wordpl.core.words import WordLists
from wordpl.run import records
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.stats.estimates import luck_of_records
from wordpl.stats.scores.score import Floats

METHOD = "season credits 1"
"""The name of the method in the keys of the cache: a new method has a new name."""
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
        found = compute(run, entry, lists)
        _store(path, found)
        return found
    return Credits(spent, credit)


def compute(run: Run, entry: EntryInfo, lists: WordLists) -> Credits:
    """Return the credits of an entry's games, computed from its records.

    Raises:
        UserError: A game has no record.
    """
    facts, played = entry.game, run.entry(entry).read()
    if len(played) < run.info.config.n_games:
        raise UserError(
            f"{run.entry(entry).records_path} has {len(played):,} games instead of {run.info.config.n_games:,}."
        )
    won = np.array([record.verdict is Verdict.WON for record in played], float)
    if not facts.has_epsilon:
        return Credits(np.array([len(record.moves) for record in played], float), won)
    if facts.has_answer_move and not facts.sha256:
        found = luck_of_records([played], lists, games.game_class(facts.id).clue_rule).luck
        return Credits(_rounded(found.spent), np.clip(found.answer, 0, 1))
    return Credits(_rounded(np.array([total_epsilon(record.moves) for record in played])), won)


def _rounded(budgets: Floats) -> Floats:
    return np.array([float(f"{budget:.{DIGITS}g}") for budget in budgets])


def digest_of(run: Run, entry: EntryInfo) -> str:
    """Return the digest of an entry's records, as they are stored."""
    found = sha256()
    for part in records.parts(run.entry(entry).records_path, run.info.config.n_games):
        found.update(part)
    return found.hexdigest()


def cache_folder() -> Path:
    """Return the folder of the reader's cache: wordpl/credits in XDG_CACHE_HOME, by default in ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "wordpl" / "credits"


def _store(path: Path, found: Credits) -> None:
    content = BytesIO()
    np.save(content, np.stack([found.spent, found.credit]))
    with suppress(OSError):  # a cache that cannot be written is only slow
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, content.getvalue())
