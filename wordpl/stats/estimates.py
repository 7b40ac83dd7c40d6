"""Estimates of P(win), P(win within a budget) and the mean cost.

By counting, by posteriors, and as means of values of noisy games without most luck.
"""

import zipfile
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl import games
from wordpl.core import paths, return_free_memory
from wordpl.core.clues import RandomizedResponse
from wordpl.core.files import write_atomically
from wordpl.core.intervals import ROUNDING, MeanWithError, is_within
from wordpl.core.messages import UserError
from wordpl.core.moves import GameFacts, Verdict
from wordpl.core.words import WordLists
from wordpl.run import frame
from wordpl.run.folder import Run
from wordpl.run.frame import Moves
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record
from wordpl.stats.clue_luck import ClueLuck, LuckMeter, Worth
from wordpl.stats.guess_luck import GuessMeter
from wordpl.stats.hypothesis_tests import Credited

Floats = NDArray[np.float64]

MANY_GAMES = 1001
"""The number of games from which each position of a clue has its own coefficient; below it, all have the same."""
MIN_GAMES = 20
"""The number of games below which no coefficient is estimated."""
MAX_COLUMNS = 8
"""The maximum number of estimated coefficients; the last one is shared by all later clues."""
MIN_GAMES_PER_COLUMN = 200
"""The number of games that need a clue at a position, or a later one, for a coefficient of its own."""
PSEUDO_GAMES = 2.0
"""The weight of the ridge penalty, in games; it keeps the regression stable if luck terms are nearly collinear."""

ANSWERED = (Verdict.WON, Verdict.WRONG)
"""The verdicts of games that ended with an answer."""


@dataclass(frozen=True, eq=False)
class LuckCorrected:
    """The games of an entry, as values without most of the luck.

    Attributes:
        games: The numbers of the games in ascending order, int[n].
        luck: The posteriors of the answers, or whether games were won, and the luck of the clues.
    """

    games: NDArray[np.int64]
    luck: ClueLuck

    @cached_property
    def win(self) -> Floats:
        """Values whose mean estimates P(win), float[n]."""
        return self.values(np.ones_like)

    def win_within(self, budget: float, *, strictly: bool = False) -> Floats:
        """Return values whose mean estimates P(win within `budget`), float[n].

        Args:
            budget: The budget.
            strictly: Whether a game that costs the whole budget is too expensive.
        """
        return self.credited_within(budget, strictly=strictly)[0]

    def credited_within(self, budget: float, *, strictly: bool = False) -> Credited:
        """Return what `win_within` does, and what each game would be worth if it had been lost, float[n] each."""

        def worth(paid: Floats) -> Floats:
            is_paid = paid <= budget * (1 - ROUNDING) if strictly else is_within(paid, budget)
            return np.asarray(is_paid, float)

        if np.isinf(budget) or worth(self.luck.spent).all():
            return self.win, self.lost(self.win)
        if not worth(self.luck.spent).any():
            return np.zeros(len(self.luck.answer)), np.zeros(len(self.luck.answer))
        values = self.values(worth)
        return values, self.lost(values, worth)

    def lost(self, values: Floats, worth: Worth = np.ones_like) -> Floats:
        """Return what each game would be worth if it had been lost, float[n]: the luck of its clues stays subtracted.

        Args:
            values: What `values` returns for the same `worth`.
            worth: What a right answer is worth.
        """
        return np.asarray(values - worth(self.luck.spent) * self.luck.answer)

    def lost_cost(self, loss_cost: float) -> Floats:
        """Return what each game would cost if it had been lost, float[n]; see `cost`."""
        return np.asarray(self.cost(loss_cost) + np.maximum(loss_cost - self.luck.spent, 0.0) * self.luck.answer)

    def cost(self, loss_cost: float) -> Floats:
        """Return values whose mean estimates the mean cost of a game, float[n].

        Args:
            loss_cost: The cost of a lost game, and the maximum cost of a won one.
        """
        return np.asarray(loss_cost - self.values(lambda paid: np.maximum(loss_cost - paid, 0.0)))

    def values(self, worth: Worth) -> Floats:
        """Return values whose mean estimates the mean worth of a game, float[n]; a game that is not won is worth 0."""
        luck = self.luck
        credit = worth(luck.spent) * luck.answer
        if not (luck.has_answer and self._is_fixed) or not len(luck.luck):
            return without_luck(credit, self._columns(luck.terms(worth), self._n_positions))
        always_pays = is_within(luck.spent.max(), luck.spent.min())
        terms = (worth(luck.spent[:1]) if always_pays else worth(luck.paid)) * luck.luck
        credit = credit - terms[luck.starts[1:] - 1]
        return without_luck(credit, self._columns(terms, self._n_positions - 1))

    def always_pays(self, budget: float) -> bool:
        """Return whether every game has spent this budget."""
        return bool(is_within(self.luck.spent, budget).all() and (budget * (1 - ROUNDING) <= self.luck.spent).all())

    def bounded_wins(self, budget: float) -> tuple[Floats, float]:
        """Return values from `low` to 1 whose mean estimates P(win within `budget`), float[n], and `low`.

        Their coefficients are known before the first game, so that they may be tested after each game: 1 for the luck
        of the last clue if every game has the same number of clues, otherwise 0.
        """
        luck = self.luck
        credit = is_within(luck.spent, budget) * luck.answer
        if not self._is_fixed or not len(luck.luck):
            return np.asarray(credit), 0.0
        last = luck.starts[1:] - 1
        return np.asarray(credit - is_within(luck.paid[last], budget) * luck.luck[last]), -1.0

    @cached_property
    def _is_fixed(self) -> bool:
        return bool(len(set(np.diff(self.luck.starts))) == 1)

    @cached_property
    def _n_positions(self) -> int:
        return int(np.diff(self.luck.starts).max(initial=0))

    @cached_property
    def _max_columns(self) -> int:
        """The maximum number of coefficients; a position that few games reach has none of its own."""
        counts = np.diff(self.luck.starts)
        if len(counts) < MANY_GAMES:
            return 1
        n_reached = (counts[:, None] > np.arange(MAX_COLUMNS)).sum(axis=0)
        return max(1, int((n_reached >= MIN_GAMES_PER_COLUMN).sum()))

    def _columns(self, terms: Floats, n_positions: int) -> Floats:
        """Return the sums of the terms at these positions for each coefficient, float[n, number of coefficients]."""
        n = len(self.luck.answer)
        n_columns = min(n_positions, self._max_columns)
        if not n_columns:
            return np.zeros((n, 0))
        counts = np.diff(self.luck.starts)
        game = np.repeat(np.arange(n, dtype=np.int32), counts)
        position = np.arange(len(game), dtype=np.int32) - self.luck.starts.astype(np.int32)[game]
        terms = np.where(position < n_positions, terms, 0.0)
        places = game * n_columns + np.minimum(position, n_columns - 1)
        return np.asarray(np.bincount(places, terms, n * n_columns).reshape(n, n_columns))

    def sharing(self, rows: pd.DataFrame) -> "LuckCorrected":
        """Return the same, with the columns `game`, `posterior` and `spent` of these rows in place of own copies."""
        if not self.luck.has_answer:
            return self
        answer, spent = rows["posterior"].to_numpy(), rows["spent"].to_numpy()
        return LuckCorrected(rows["game"].to_numpy(), replace(self.luck, answer=answer, spent=spent))

    def of_games(self, games: NDArray[np.int64]) -> "LuckCorrected":
        """Return the games with these numbers, in ascending order; their coefficients are fitted to them alone."""
        if np.array_equal(games, self.games):
            return self
        return LuckCorrected(games, self.luck.take(np.searchsorted(self.games, games)))


def without_luck(values: Floats, terms: Floats) -> Floats:
    """Return the values minus the luck terms times the coefficients that fit all other games, float[n].

    The coefficients of game i come from a ridge regression without game i, which has a closed form.

    Args:
        values: The value of each game, float[n].
        terms: The luck terms of each game, which have mean zero, float[n, k].
    """
    n, used = len(values), terms.any(axis=0)
    if n < MIN_GAMES or not used.any() or not np.ptp(values):
        return values
    terms = terms[:, used]
    design = np.column_stack([np.ones(n), terms])
    gram = design.T @ design
    gram[np.arange(1, len(gram)), np.arange(1, len(gram))] *= 1 + PSEUDO_GAMES / n
    inverse = np.linalg.inv(gram)
    effects = design @ inverse
    fitted = inverse @ (design.T @ values)
    leverage = np.einsum("ij,ij->i", effects, design)
    residual = (values - design @ fitted) / (1 - leverage)
    own = np.einsum("ij,ij->i", effects[:, 1:], terms)
    return np.asarray(values - terms @ fitted[1:] + own * residual)


VERSION = "luck/5"
"""The version of the computation and of the cached files; it changes with each of them."""
MIN_CACHED_GAMES = 5_000
"""The number of games from which luck is cached; that of fewer games takes less than a second."""
MAX_CACHE_BYTES = 1 << 29
"""The size of the cache; the files that were written first are removed."""
FIELDS = ("answer", "spent", "starts", "luck", "bet", "paid")


def cache_folder() -> Path:
    """Return the folder of the cache: wordpl/luck in XDG_CACHE_HOME, by default in ~/.cache."""
    return paths.xdg_folder("cache") / "luck"


def has_luck(facts: GameFacts) -> bool:
    """Return whether wins can be credited from clues: the game has randomized response, and the answer is a move."""
    is_credited = facts.has_answer_move and games.is_known(facts)
    return is_credited and games.game_class(facts).channel_type is RandomizedResponse


def luck_of_entry(run: Run, entry: EntryInfo, lists: WordLists) -> LuckCorrected:
    """Return the games of an entry without most of the luck, from the cache if they are there."""
    return luck_of_records(run.entry(entry).record_blocks(), lists, games.game_class(entry.game).clue_rule)


def luck_of_records(blocks: Iterable[Sequence[Record]], lists: WordLists, clue_rule: str) -> LuckCorrected:
    """Return the games of these records without most of the luck; of several records of a game, the first counts.

    Args:
        blocks: The records of an entry in parts.
        lists: The word lists.
        clue_rule: How clues treat repeated letters, a key of `clues.CLUE_RULES`.
    """
    parts, secrets, answered = [], [], []
    for records in blocks:
        parts.append(Moves.of(records))
        secrets += [record.secret for record in records]
        answered += [record.verdict in ANSWERED for record in records]
    moves, meter = Moves.concatenate(parts), LuckMeter(lists, clue_rule)
    _, first = np.unique(moves.games, return_index=True)
    indices, is_answered = meter.indices(secrets)[first], np.array(answered, bool)[first]
    corrected = luck_of_moves(moves.take(first), indices, is_answered, meter)
    return_free_memory()
    return corrected


def luck_of_moves(
    played: Moves, secrets: NDArray[np.int64], answered: NDArray[np.bool_], meter: LuckMeter
) -> LuckCorrected:
    """Return games without most of the luck, from the cache if they are there.

    Args:
        played: The moves of the games, with ascending numbers.
        secrets: The index of each secret among the answers, -1 if it is none, int[n].
        answered: Whether each ended with an answer, bool[n].
        meter: Measures the luck.
    """
    facts = [answered, secrets]
    path = _cache_file(facts, played, meter) if len(played) >= MIN_CACHED_GAMES else None
    if path is not None:
        with suppress(OSError, ValueError, KeyError, zipfile.BadZipFile):  # not cached, or damaged
            with np.load(path, allow_pickle=False) as arrays:
                values = [arrays[name] for name in FIELDS]
            return LuckCorrected(played.games, ClueLuck(*values))
    luck = meter.measure_moves(played, secrets)
    luck.answer[~answered] = 0.0
    if path is not None:
        with suppress(OSError):  # a read-only or full disk
            _store(path, luck)
    return LuckCorrected(played.games, luck)


def luck_of_guesses(played: Moves, won: NDArray[np.bool_], game: games.Game) -> LuckCorrected | None:
    """Return games that a right guess ends without most of the luck; None if their clues contradict the rules.

    Args:
        played: The moves of the games in ascending order.
        won: Whether each was won, bool[n].
        game: The rules, which draw a secret and limit the number of guesses.
    """
    luck = GuessMeter(game).measure_moves(played, won)
    return None if luck is None else LuckCorrected(played.games, luck)


def _cache_file(facts: Iterable[NDArray[Any]], played: Moves, meter: LuckMeter) -> Path | None:
    """Return the file for the luck of these games, which depends on all that it is computed from; None: no cache."""
    texts = ["\n".join(part) for part in ([meter.clue_rule], meter.lists.answers, played.guesses, played.clues)]
    digest = sha256("\n\n".join([VERSION, *texts]).encode())
    codes = (played.guess_codes, played.epsilon_codes, played.clue_codes)
    for array in (*facts, played.games, played.starts, *codes, played.epsilons):
        digest.update(str(array.dtype).encode())
        digest.update(array.tobytes())
    try:
        return cache_folder() / f"{digest.hexdigest()}.npz"
    except RuntimeError:  # there is no home folder
        return None


def _store(path: Path, luck: ClueLuck) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = BytesIO()
    np.savez(content, **{name: getattr(luck, name) for name in FIELDS})
    write_atomically(path, content.getvalue())
    cached = sorted(path.parent.glob("*.npz"), key=lambda file: file.stat().st_mtime)
    size = sum(file.stat().st_size for file in cached)
    for file in cached:
        if size > MAX_CACHE_BYTES and file != path:
            size -= file.stat().st_size
            file.unlink(missing_ok=True)


@dataclass(frozen=True)
class WinRate:
    """Estimates of how often an entry wins within a budget.

    Attributes:
        n_games: The number of games.
        budget: The budget; games that cost more do not count as won.
        counted: The share of games won.
        by_answer: The mean posterior probability of the proposed word.
        without_luck: The mean of the values without most of the luck.
    """

    n_games: int
    budget: float
    counted: MeanWithError
    by_answer: MeanWithError
    without_luck: MeanWithError


def win_rate(costs: np.ndarray, corrected: LuckCorrected, budget: float | None = None) -> WinRate:
    """Estimate how often an entry wins.

    Args:
        costs: The cost of each game, infinite if lost, float[n].
        corrected: The same games without most of the luck.
        budget: Games that cost more do not count as won; None: the maximum spent in any game.

    Raises:
        UserError: There is no game.
    """
    if not len(costs):
        raise UserError("an estimate needs at least one game, but there is none.")
    spent = corrected.luck.spent
    limit = float(spent.max()) if budget is None else budget
    counted, within = np.isfinite(costs) & is_within(costs, limit), is_within(spent, limit)
    return WinRate(
        len(costs),
        limit,
        MeanWithError.of(counted.astype(float)),
        MeanWithError.of(np.where(within, corrected.luck.answer, 0.0)),
        MeanWithError.of(corrected.win_within(limit)),
    )


def win_rates(run: Run, lists: WordLists, budget: float | None = None) -> dict[str, WinRate]:
    """Return the estimate for each entry of a run whose wins can be credited from clues, by its name."""
    rates = {}
    games = frame.load(run.require_as_sealed().entries, ["entry", "cost"])
    for entry in (entry for entry in run.info.entries if entry.game.has_answer_move):
        costs = games.loc[games["entry"] == entry.name, "cost"].to_numpy(float)
        rates[entry.name] = win_rate(costs, luck_of_entry(run, entry, lists), budget)
    return rates
