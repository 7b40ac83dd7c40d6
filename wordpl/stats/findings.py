"""Results that the clues of an entry do not allow: who is named, by which test, and the sentence that says it.

Each test has a p-value for an entry that knows only its clues, whatever it remembers or draws; an entry is named if the
p-value is below MAX_FALSE_ALARM divided by the number of tests of this kind on the board. `docs/board-statistics.md`
describes the tests, and how often they find a cheat.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from math import exp, log
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl import games
from wordpl.core import collector_paused, return_free_memory, return_large_arrays
from wordpl.core.intervals import MAX_FALSE_ALARM, ROUNDING
from wordpl.core.messages import amount
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws
from wordpl.core.words import WordLists
from wordpl.run.folder import Run
from wordpl.run.frame import MANY_GAMES, EntryColumns, Moves, concatenate, rows_by
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record
from wordpl.solvers.optima import MAX_COUNTED_MEAN, counted_mean, proved_mean
from wordpl.stats import posterior_wins
from wordpl.stats.clue_luck import LuckMeter
from wordpl.stats.estimates import ANSWERED, LuckCorrected, has_luck, luck_of_guesses, luck_of_moves
from wordpl.stats.guess_luck import is_measured
from wordpl.stats.guess_odds import Floats, GuessOdds, Ints, guess_odds
from wordpl.stats.hypothesis_tests import p_value as mean_p_value
from wordpl.stats.posterior_wins import BET_SHARES
from wordpl.stats.scores import facts_of, scores_for
from wordpl.stats.scores.quantiles import QuantileScore

MAX_SCORED = 2_000_000
"""The most games of all entries together that are scored, so that a report needs less than 800 MiB."""
MAX_DEPTH = 6
"""The number of guesses in which a player that begins anew after a lost game can find every answer."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")
"""The rounds in which right guesses have a bet of their own."""
MAX_EVIDENCE = 700.0
"""A larger log of evidence would underflow as a p-value."""
SMALLEST_SHOWN = 1e-12
MEANING = "It seems to know more than its clues."
MEANING_OF_GUESSES = "It seems to choose guesses by more than its clues."


class FindingKind(StrEnum):
    """What was tested."""

    WINS = "wins"  # games won within a budget, against the posteriors of the answers
    LUCK = "luck"  # the total luck of the clues
    GUESSES = "guesses"  # right guesses, against their probabilities
    MEAN = "mean"  # the mean number of guesses, against the least that is possible


@dataclass(frozen=True)
class Finding:
    """A result that the clues of an entry do not allow.

    Attributes:
        entry: The name of the entry.
        kind: What was tested.
        seen: What was seen: a number of games or of guesses, or a mean.
        allowed: What the clues allow on average, or the least mean of all players; None if it is not known.
        p_value: The probability of evidence at least this strong for an entry that knows only its clues; 0 if it is
            impossible.
        n_tests: The number of tests of this kind.
        text: What this means in two sentences, with {entry} for the name as a renderer shows it.
    """

    entry: str
    kind: FindingKind
    seen: float
    allowed: float | None
    p_value: float
    n_tests: int
    text: str

    def sentence(self, shown: str) -> str:
        """Return the text with the name of the entry, as a renderer shows it."""
        return self.text.replace("{entry}", shown)


SCORED_COLUMNS = (
    "entry",
    "rules",
    "measure",
    "facts",
    "game",
    "secret",
    "verdict",
    "cost",
    "n_moves",
    "message",
    "spent",
    "cpu_s",
)


@dataclass(frozen=True, eq=False)
class ScoredGames:
    """The games of a run, with what their clues say; of a very large run, the first ones of each entry.

    Attributes:
        table: The games, one per row, with SCORED_COLUMNS, where texts are categories, and `posterior`, that of the
            answer of each game, NaN in games without an answer of its own.
        moves: The moves of each entry's games, by its name.
        luck: The games without most of the luck of each entry whose clues are known to be drawn, by its name.
        odds: The odds of the guesses of every entry whose games a right guess ends, by its name.
    """

    table: pd.DataFrame
    moves: Mapping[str, Moves]
    luck: dict[str, LuckCorrected]
    odds: Mapping[str, GuessOdds]

    @classmethod
    def of(cls, run: Run, lists: WordLists) -> "ScoredGames":
        """Return the games of a run.

        Args:
            run: The run.
            lists: Its word lists.

        Raises:
            UserError: A record has a guess that is not in the list of guesses.
        """
        builder = ScoredGamesBuilder(run, lists)
        with collector_paused():
            for entry in run.info.entries:
                for records in run.entry(entry).record_blocks():
                    if builder.add(entry, records) and run.info.finished is not None:
                        break  # as the records of a finished run are sorted
            return builder.built()


class ScoredGamesBuilder:
    """Builds `ScoredGames` of blocks of records, entry by entry in the order of run.json."""

    def __init__(self, run: Run, lists: WordLists):
        """Begin without games."""
        self.run, self.lists = run, lists
        self._columns = {entry.info.slug: EntryColumns(entry, SCORED_COLUMNS, with_moves=True) for entry in run.entries}
        self._open: EntryInfo | None = None
        self._tables: dict[str, dict[str, Any]] = {}
        self._moves: dict[str, Moves] = {}
        self._luck: dict[str, LuckCorrected] = {}
        self._odds: dict[str, GuessOdds] = {}
        self._n_since = 0
        return_large_arrays()

    def add(self, entry: EntryInfo, records: Sequence[Record]) -> bool:
        """Add records of an entry; return whether some were left out, as their games are not scored."""
        if self._open is not None and self._open is not entry:
            self._finish(self._open)
        self._open, end = entry, n_scored(self.run)
        is_cut = end < self.run.info.config.n_games and max(map(attrgetter("game"), records), default=0) >= end
        self._columns[entry.slug].add([record for record in records if record.game < end] if is_cut else records)
        return is_cut

    def built(self) -> ScoredGames:
        """Return the games.

        Raises:
            UserError: A record has a guess that is not in the list of guesses.
        """
        for entry in self.run.info.entries:
            if entry.slug not in self._tables:
                self._finish(entry)
        tables = [self._tables.pop(entry.slug) for entry in self.run.info.entries]
        table, luck = concatenate(tables, [*SCORED_COLUMNS, "posterior"]), self._luck
        by_name = rows_by(table, "entry")
        luck = {name: luck[name].sharing(rows) for name, rows in by_name.items() if name in luck}
        moves = {
            name: replace(moves, games=by_name[name]["game"].to_numpy()) if name in by_name else moves
            for name, moves in self._moves.items()
        }  # so that memory holds the numbers of the games once
        return ScoredGames(table, moves, luck, self._odds)

    def _finish(self, entry: EntryInfo) -> None:
        """Compute what the clues of an entry say, whose records have all been added."""
        columns, moves = self._columns.pop(entry.slug).built()
        self.lists.require_guesses(moves.guesses)
        columns["posterior"] = np.full(len(columns["game"]), np.nan)
        if has_luck(entry.game):
            answered = columns["verdict"].isin([str(verdict) for verdict in ANSWERED])
            meter = LuckMeter(self.lists, games.game_class(entry.game).clue_rule)
            secrets = meter.indices(columns["secret"].categories.tolist())[columns["secret"].codes]
            corrected = luck_of_moves(moves, secrets, answered, meter)
            self._luck[entry.name], columns["posterior"] = corrected, corrected.luck.answer
        elif entry.game.has_secret and games.is_known(entry.game):
            rules, times = games.make_game(entry.game, self.lists), _times(self.run, columns["game"])
            secrets, once = list(columns["secret"]), bool(self.run.info.config.every_answer)
            found = guess_odds(rules, moves, secrets, times, are_different=once)
            self._odds |= {entry.name: found} if found else {}
            if found and not once and is_measured(rules):
                credited = luck_of_guesses(moves, columns["verdict"] == str(Verdict.WON), rules)
                self._luck |= {entry.name: credited} if credited else {}
        self._tables[entry.slug], self._moves[entry.name] = columns, moves
        self._n_since += len(columns["game"])
        if self._n_since >= MANY_GAMES:
            return_free_memory()
            self._n_since = 0


def _times(run: Run, numbers: Ints) -> Ints:
    """Return when each of these games was played; as the seed shuffles them, their numbers while it is secret."""
    if run.info.draws is None:
        return numbers
    return _times_of(run.info.draws, run.info.config.n_games)[numbers]


@lru_cache(maxsize=1)
def _times_of(draws: Draws, n_games: int) -> Ints:
    return np.argsort(np.array(draws.order(n_games), np.int64))


def n_scored(run: Run) -> int:
    """Return the number of games of each entry that are scored, which are those with the smallest numbers."""
    return min(run.info.config.n_games, MAX_SCORED // max(1, len(run.info.entries)))


def of_run(run: Run, lists: WordLists) -> list[Finding]:
    """Return the findings about all entries of a run in which secrets are drawn.

    Raises:
        UserError: A record has a guess that is not in the list of guesses.
    """
    scored, found = ScoredGames.of(run, lists), []
    for rows in rows_by(scored.table, "rules").values():
        scores = [score for score in scores_for(facts_of(rows)) if isinstance(score, QuantileScore)]
        found += find(rows, lists, scores, scored.luck, scored.odds)
    return found


def find(
    run: pd.DataFrame,
    lists: WordLists | None,
    scores: Sequence[QuantileScore] = (),
    luck: Mapping[str, LuckCorrected] | None = None,
    odds: Mapping[str, GuessOdds] | None = None,
    exact: Collection[str] = (),
) -> list[Finding]:
    """Return the findings about all entries of one game; at most one of each kind about an entry.

    Args:
        run: Rows of `load_run` of one game; the column `posterior` adds the test of wins.
        lists: The word lists of the run; None: no mean is tested.
        scores: The percentiles whose budgets are tested.
        luck: The games without most of the luck of the entries that have such games, by name.
        odds: The odds of the guesses of the entries whose games a right guess ends, by name.
        exact: The entries that have played every answer once and make the same moves whatever they draw.
    """
    by_name, found = rows_by(run, "entry"), []
    luck = {name: luck[name] for name in by_name if name in luck} if luck else {}
    if "posterior" in run and not run["posterior"].isna().any():
        found += [_wins(one) for one in posterior_wins.clue_excesses(run, scores)]
    found += [_guesses_of_noisy(one) for one in posterior_wins.guess_excesses(luck)]
    odds = {name: odds[name] for name in by_name if name in odds} if odds else {}
    for name, own in odds.items():
        found += guesses(name, own, 2 * len(odds))
        if lists is not None:
            found += mean_of_guesses(name, by_name[name], lists, 2 * len(odds), is_exact=name in exact)
    return [*found, *(_luck(one) for one in posterior_wins.luck_excesses(luck))]


def guesses(name: str, odds: GuessOdds, n_tests: int) -> Iterator[Finding]:
    """Yield the finding that an entry guessed the secret more often than its clues allow, if it did.

    Bettors stake 0.1% to 90% of a capital on each guess of one round, on all guesses, or on those that are unusual for
    the entry, at odds that are fair to an entry that knows only its clues: `GuessOdds.chance`. So the probability that
    the mean of their capitals ever exceeds 1 / alpha is at most alpha (J. Ville 1939).
    """
    bets = _bets(odds)
    capitals = _log_capitals(odds, bets)
    p_value = min(1.0, exp(-min(MAX_EVIDENCE, _mean_capital(capitals))))
    if p_value >= MAX_FALSE_ALARM / n_tests:
        return
    where, staked = list(bets.items())[int(capitals.max(axis=1).argmax())]
    n_right, expected = int(odds.is_right[staked].sum()), float(odds.chance[staked].sum())
    text = (
        f"{{entry}} guessed the secret {amount(n_right, 'time')} {where}, but its clues allow {expected:,.1f} on "
        f"average ({_chance(p_value, n_tests)}). {MEANING}"
    )
    yield Finding(name, FindingKind.GUESSES, n_right, expected, p_value, n_tests, text)


def log_evidence(odds: GuessOdds) -> float:
    """Return the log of the mean capital of the bettors, see `guesses`; its exponential has the mean 1 or less."""
    return _mean_capital(_log_capitals(odds, _bets(odds)))


def _bets(odds: GuessOdds) -> dict[str, NDArray[np.bool_]]:
    """Return on which guesses each bettor stakes, with the words for it."""
    by_round = {f"in its {name} guess": odds.round == number for number, name in enumerate(ORDINALS, 1)}
    every = {"in all": np.ones(len(odds.round), bool)}
    return by_round | every | {"where it departed from its usual guess": odds.is_unusual}


def _log_capitals(odds: GuessOdds, bets: Mapping[str, NDArray[np.bool_]]) -> Floats:
    gains = np.divide(odds.is_right, odds.chance, out=np.ones(len(odds.chance)), where=odds.chance > 0) - 1
    return np.array([np.log1p(np.outer(BET_SHARES, gains[staked])).sum(axis=1) for staked in bets.values()])


def _mean_capital(logs: Floats) -> float:
    top = float(logs.max())
    return top + log(float(np.exp(logs - top).mean()))


def mean_of_guesses(
    name: str, rows: pd.DataFrame, lists: WordLists, n_tests: int, *, is_exact: bool
) -> Iterator[Finding]:
    """Yield the finding that an entry needed fewer guesses than is possible, if it did.

    A lost game counts as many guesses as if the player then began anew, so that nobody gains by giving up. An exact
    entry has no chance in its mean.
    """
    facts = facts_of(rows)
    game = games.game_class(facts)
    if facts.has_answer_move or facts.limit is None or not facts.is_exact:
        return
    costs = rows["cost"].to_numpy(float)
    costs = np.where(np.isfinite(costs), costs, facts.limit + MAX_DEPTH)
    mean = float(costs.mean()) if len(costs) else np.inf
    least = proved_mean(lists, game.clue_rule, is_hard=game.uses_hints)
    if least is None and mean < MAX_COUNTED_MEAN:
        least = counted_mean(lists, game.clue_rule)
    if least is None or mean > least - ROUNDING:
        return
    p_value = 0.0 if is_exact else mean_p_value(-costs, -least, -float(facts.limit + MAX_DEPTH))
    if p_value >= MAX_FALSE_ALARM / n_tests:
        return
    chance = "every answer was played once" if is_exact else _chance(p_value, n_tests)
    meaning = "It knows more than its clues, or depends on chance." if is_exact else MEANING
    least_text = f"{least:.4f} is the least for any player"
    text = f"{{entry}} needed {mean:.4f} guesses on average, but {least_text} ({chance}). {meaning}"
    yield Finding(name, FindingKind.MEAN, mean, least, p_value, n_tests, text)


def _wins(one: posterior_wins.ClueExcess) -> Finding:
    limit = "" if one.score == "won" else f" within {_budget(one.budget)}"
    meaning = MEANING if one.n_won > one.expected else "Its counts contradict P(win)."
    text = (
        f"{{entry}} won {amount(one.n_won, 'game')}{limit}, but its clues allow {one.expected:,.1f} on average "
        f"(exact {_chance(one.p_value, one.n_tests)}). {meaning}"
    )
    return Finding(one.entry, FindingKind.WINS, one.n_won, one.expected, one.p_value, one.n_tests, text)


def _guesses_of_noisy(one: posterior_wins.GuessExcess) -> Finding:
    text = (
        f"{{entry}} guessed the secret {amount(one.n_hits, 'time')}, which its clues do not explain "
        f"(p-value: {one.p_value:.1g}; {one.n_tests} tests). {MEANING_OF_GUESSES}"
    )
    return Finding(one.entry, FindingKind.GUESSES, one.n_hits, None, one.p_value, one.n_tests, text)


def _luck(one: posterior_wins.LuckExcess) -> Finding:
    text = (
        f"The clues of {{entry}} were luckier than chance: by {one.luck:.4f} ± {one.error:.4f}{one.unit} per game "
        f"(p-value: {one.p_value:.1g}; {one.n_tests} tests). {MEANING_OF_GUESSES}"
    )
    return Finding(one.entry, FindingKind.LUCK, one.luck, 0.0, one.p_value, one.n_tests, text)


def _chance(p_value: float, n_tests: int) -> str:
    return f"p-value: {f'{p_value:.1g}' if p_value > SMALLEST_SHOWN else 'below 1e-12'}; {n_tests} tests"


def _budget(budget: float) -> str:
    if budget >= 1e7:
        return f"{budget:.1e}"
    return f"{budget:,.{1 if budget < 1000 else 0}f}"
