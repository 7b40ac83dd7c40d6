"""Plays two entries on the same games until it is clear which one is better, and saves the match as a run."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from wordpl.apps.workbench.arena import Arena, ArenaGame
from wordpl.apps.workbench.entry_lookup import entries_for
from wordpl.apps.workbench.goals import Floats, GameValues, Goal, GoalKind, ValueReader
from wordpl.apps.workbench.match_result import Judge, MatchResult, MatchVerdict
from wordpl.apps.workbench.terms import MatchTerms
from wordpl.contest import hosted, run_folder
from wordpl.contest.entries import FoundEntries
from wordpl.contest.enumeration import MAX_ENUMERATED_GUESSES, enumerate_entry
from wordpl.contest.hosted import HostedGames
from wordpl.contest.isolation import require_own_choice
from wordpl.core import bounded
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.players.base import PlayerError
from wordpl.run.config import RunConfig
from wordpl.run.entry import RecordWriter
from wordpl.run.folder import Run, RunRecords, exclusive, explain
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, encode

if TYPE_CHECKING:
    from wordpl.reports.run_report import RunReport

__all__ = ["Match", "MatchObserver", "MatchResult", "MatchTerms", "MatchVerdict"]

FIRST_LOOK, STEP_S = 8, 1.0
SERIAL = 1
"""Serial number of the journal of the current games, see `wordpl.run.entry`."""


class Sides:
    """The games of both entries of a match.

    Attributes:
        values: Results of the games that both have played, up to the first missing one.
        early: The luck of the clues of these games, see `ValueReader.early_luck`.
    """

    def __init__(self, run: Run, lists: WordLists, goal: Goal, *, is_over: bool = False):
        """Load the saved games.

        Args:
            run: The run of the match.
            lists: The word lists.
            goal: What games are worth.
            is_over: Whether the match is finished, so that no more games are saved.
        """
        self.run = run
        once = run.info.config.every_answer
        self._readers = [ValueReader(entry, lists, goal, are_different=once) for entry in run.info.entries]
        self._kept: list[dict[int, Record]] = [
            {record.game: record for record in run.entry(entry).read()} for entry in run.info.entries
        ]
        self._cpu = [entry.cpu_used_s() for entry in run.entries]
        self._writers = [] if is_over else [RecordWriter(run.entry(entry)) for entry in run.info.entries]
        self._size = FIRST_LOOK
        n_both = next(number for number in count() if any(number not in records for records in self._kept))
        self.values, self.early = self._read(range(n_both))

    @property
    def n_games(self) -> int:
        """Number of games that both have played, up to the first missing one."""
        return len(self.values[0])

    @property
    def cpu_s(self) -> tuple[float, float]:
        """Mean CPU time of a game of each entry."""
        first, second = (cpu / max(1, len(records)) for cpu, records in zip(self._cpu, self._kept, strict=True))
        return first, second

    def play_step(self, arena: Arena, hosted_games: HostedGames, n_games: int) -> None:
        """Play the next games of both entries for about `STEP_S` seconds, until both have played `n_games`."""
        first = self.n_games
        numbers = range(first, min(first + self._size, n_games))
        assignments = [
            (entry, [number for number in numbers if number not in records])
            for entry, records in zip(self.run.info.entries, self._kept, strict=True)
        ]
        started, places = time.perf_counter(), {entry.slug: place for place, (entry, _) in enumerate(assignments)}
        for entry, missing in assignments:
            if entry.is_hosted:
                hosted_games.begin(entry, missing)
            else:
                self.run.entry(entry).begin_journal(SERIAL, missing)
        played_here = [(entry, missing) for entry, missing in assignments if not entry.is_hosted]
        for (entry, _), played in zip(played_here, arena.play(played_here), strict=True):
            self._keep(places[entry.slug], played)
            self.run.entry(entry).remove_journal(SERIAL)
        for entry, record, duration in hosted_games.ended(wait=True):
            self._keep(places[entry.slug], [(record, duration)])
        pace_s = max(1e-6, (time.perf_counter() - started) / len(numbers))
        self._size = max(1, min(2 * self._size, int(STEP_S / pace_s)))
        values, early = self._read(numbers)
        self.values = self.values[0] + values[0], self.values[1] + values[1]
        self.early = np.concatenate([self.early, early], axis=1)

    def judged(self, judge: Judge, n_games: int) -> MatchResult:
        """Return the result of the first `n_games`."""
        new, old = (side[:n_games] for side in self.values)
        return judge.result(new, old, self.cpu_s, self.early[:, :n_games])

    def _keep(self, index: int, played: Sequence[ArenaGame]) -> None:
        self._writers[index].add([encode(record) for record, _ in played], [duration for _, duration in played])
        for record, duration in played:
            self._kept[index][record.game] = record
            self._cpu[index] += duration.game_s

    def _read(self, numbers: range) -> tuple[tuple[GameValues, GameValues], Floats]:
        """Return the results of these games, and the luck of their early clues, float[2, n]."""
        played = [[records[number] for number in numbers] for records in self._kept]
        first, second = (reader.read(records) for reader, records in zip(self._readers, played, strict=True))
        early = [reader.early_luck(records) for reader, records in zip(self._readers, played, strict=True)]
        return (first, second), np.array(early)

    def close(self) -> None:
        """Close the files."""
        for writer in self._writers:
            writer.close()


MIN_GAMES = 200
"""Games to play before enumeration is considered."""
MAX_ENUMERATED = 3
"""The largest number of games of an enumeration, as a multiple of those that the match may play."""
SAME_BUDGET = 1e-6


def is_faster(result: MatchResult, sides: Sequence[GameValues], n_clues: int, max_games: int) -> bool:
    """Return whether enumerating both entries takes fewer games than the match is expected to need.

    How fast the entries are does not matter, so that a match depends on its seed alone.
    """
    if result.is_decided or result.n_games < MIN_GAMES or not all(side.has_one_shape for side in sides):
        return False
    guesses = [int(side.n_moves[0]) - 1 for side in sides]
    if max(guesses) > MAX_ENUMERATED_GUESSES + 1:
        return False
    needed = int(n_clues ** min(max(guesses), MAX_ENUMERATED_GUESSES))
    return result.n_more > needed and needed <= MAX_ENUMERATED * max_games


def exact_means(
    entries: Sequence[EntryInfo], config: RunConfig, goal: Goal, step: Callable[[], object] = lambda: None
) -> tuple[float, float] | None:
    """Return the exact means of the goal's values of two entries, or None if one cannot be enumerated.

    Args:
        entries: The entries, with at most three guesses each.
        step: Called after each first clue of each entry.
    """
    try:
        first, second = (_mean(entry, config, goal, step) for entry in entries)
    except (UserError, PlayerError):  # for example because the entry is random
        return None
    return first, second


def _mean(entry: EntryInfo, config: RunConfig, goal: Goal, step: Callable[[], object]) -> float:
    # Both goals need an entry that always spends the same; the games played so far have shown this.
    chance, budget = enumerate_entry(entry, config, step)
    if goal.kind == GoalKind.WON:
        return chance if goal.budget is None or budget <= goal.budget * (1 + SAME_BUDGET) else 0.0
    return chance * (1 - min(budget, goal.loss_cost) / goal.loss_cost)


FILE = "match.json"


class MatchObserver:
    """Callbacks for the events of a match. They do nothing by default; override those that you need."""

    def progress(self, result: MatchResult) -> None:
        """Called after each step, with the result so far."""

    def enumerating(self, n_clues: int) -> Callable[[], object]:
        """Called when the match starts to enumerate all clues.

        Args:
            n_clues: Number of first clues that each entry can get.

        Returns:
            A function that is called after each first clue of each entry.
        """
        return lambda: None


class Match:
    """Two entries that play the same games until it is clear which one is better.

    Example:
        result = Match.new("my_bot.py", "my_bot.py@HEAD~1").play()
        print(result.verdict, result.n_games)
    """

    def __init__(self, run: Run, terms: MatchTerms, jobs: int | None = None, found: FoundEntries | None = None):
        """Create a match from its run. Use `new` or `resume` instead."""
        self.run, self.terms, self._jobs = run, terms, jobs
        self._is_new, self._strategies = found is not None, found.strategies if found else {}
        self.goal = Goal.of(terms.goal, run.info.entries[0].game, terms.budget, run.info.config.loss_cost)
        self._lists, self._store = run.info.config.load_lists(), run.store
        self._population = len(self._lists.answers) if run.info.config.every_answer else None
        scale = abs(self.goal.difference(1.0)) * (100 if self.goal.kind == GoalKind.WON else 1)
        names = run.info.entries[0].name, run.info.entries[1].name
        self._judge = Judge(names, self.goal, terms.margin / scale, self._population)

    @classmethod
    def new(
        cls,
        new: Any,
        old: Any,
        config: RunConfig | None = None,
        terms: MatchTerms | None = None,
        *,
        jobs: int | None = None,
    ) -> "Match":
        """Create a match in a new folder.

        Args:
            new: The new entry: a file or a class with arguments, either of them also at a Git revision
                (my_bot.py@HEAD~1), or an object.
            old: The entry to compare it with.
            config: Configuration of the games. In classic games, each answer is played once, unless entries are
                trusted.
            terms: When the match ends. By default decided by the default goal of the game.
            jobs: Number of games played in parallel. By default one per processor.
        """
        config = config or RunConfig()
        if not isinstance(new, str | Path):
            config = msgspec.structs.replace(config, player="trusted")
        declared = entries_for([new, old], config)
        _check_entries(declared.entries)
        first = declared.entries[0]
        chosen_terms = terms or MatchTerms()
        goal = Goal.of(chosen_terms.goal or None, first.game, chosen_terms.budget, config.loss_cost)
        chosen_terms = msgspec.structs.replace(chosen_terms, goal=str(goal.kind))
        is_classic = bool(first.game.bins) and not config.is_trusted
        config = msgspec.structs.replace(config, n_games=chosen_terms.max_games, repeats=0, every_answer=is_classic)
        info = run_folder.describe(config, declared.entries)
        hosted.settle(info, declared.store)
        folder = run_folder.new_folder(config.results.absolute(), info)
        run = Run.create(folder.with_name(f"{folder.name}-match"), info)
        digests = [digest for entry in declared.entries for digest in entry.digests]
        run.store.copy_from(declared.store, digests)
        match = cls(run, chosen_terms, jobs, declared)
        match._write()
        return match

    @classmethod
    def resume(cls, folder: str | Path, *, jobs: int | None = None, level: str = "", trusted: bool = False) -> "Match":
        """Load the match in this folder, to be continued.

        Args:
            folder: Folder of the match.
            jobs: Number of games played in parallel. By default one per processor.
            level: The sandbox level of the match, if that is C or D.
            trusted: Whether to play in this process, if the entries of the match are trusted.

        Raises:
            UserError: The folder does not contain a match, or it plays without isolation, and this was not chosen.
        """
        run, path = Run(Path(folder).absolute()), Path(folder) / FILE
        try:
            terms = msgspec.convert(bounded.read_json(bounded.MATCH_TERMS, path), MatchTerms)
        except OSError:
            raise UserError(
                f"{folder} is not a match, because it has no {FILE}. To resume a run, use wordpl evaluate --resume."
            ) from None
        except msgspec.ValidationError as error:
            raise UserError(f"{path} is invalid: {error}") from None
        if run.info.finished is None:
            require_own_choice(run.info.config, level, trusted=trusted)
        return cls(run.require_as_sealed(), terms, jobs)

    @property
    def folder(self) -> Path:
        """Folder of the match."""
        return self.run.folder

    def play(self, observer: MatchObserver | None = None) -> MatchResult:
        """Play until the match is decided or the maximum number of games is reached, and return the result.

        Every finished game is saved, so the match can be resumed after Ctrl-C.
        """
        with exclusive(self.folder), explain(self.folder):
            if self.run.info.finished is not None:
                return replace(self._judge_finished(), unexplained=tuple(self._report().findings()))
            if not self._is_new:
                run_folder.prepare_resume(self.run)
            result = self._play(observer or MatchObserver())
            return self._finish(result)

    def _play(self, observer: MatchObserver) -> MatchResult:
        config, n_clues = self.run.info.game_config, 3**self._lists.length
        max_games = min(self.terms.max_games, self._population or self.terms.max_games)
        may_enumerate = self.terms.exact and not self._strategies
        sides = Sides(self.run, self._lists, self.goal)
        looks = [n for n in _looks(max_games) if n <= sides.n_games]
        result = sides.judged(self._judge, max(looks, default=0))
        with (
            closing(sides),
            Arena.open(config, jobs=self._jobs, strategies=self._strategies, store=self._store) as arena,
            hosted.playing(self.run, arena.task.draws, self.run.info.entries) as hosted_games,
        ):
            for look in _looks(max_games):
                if result.is_decided:
                    break
                if look <= result.n_games:
                    continue
                while sides.n_games < look:
                    sides.play_step(arena, hosted_games, look)
                    observer.progress(sides.judged(self._judge, sides.n_games))
                result = sides.judged(self._judge, look)
                if may_enumerate and is_faster(result, sides.values, n_clues, max_games):
                    means = exact_means(self.run.info.entries, config, self.goal, observer.enumerating(n_clues))
                    if means is not None:
                        return self._judge.exact(means, result)
                    may_enumerate = False
        return result

    def _judge_finished(self) -> MatchResult:
        sides = Sides(self.run, self._lists, self.goal, is_over=True)
        result = sides.judged(self._judge, sides.n_games)
        saved = self.terms.result or {}
        if saved.get("exact") and not result.is_exact:
            scores = [saved.get(name) for name in ("new_score", "old_score")]
            new, old = (score if isinstance(score, int | float) else math.nan for score in scores)
            if not (math.isfinite(new) and math.isfinite(old)):
                raise UserError(f"{self.folder / FILE} is invalid: its exact result has no scores.")
            return self._judge.exact((self._mean_of(new), self._mean_of(old)), result)
        return result

    def _mean_of(self, score: float) -> float:
        """Return the mean of the goal's values for a score."""
        return (score - self.goal.score(0.0)) / self.goal.difference(1.0)

    def _finish(self, result: MatchResult) -> MatchResult:
        """Turn the folder into a finished run with the games that both entries have played."""
        config = self.run.info.config
        self.run.info.config = msgspec.structs.replace(config, n_games=max(1, result.n_games))
        for entry in self.run.info.entries:
            records = [record for record in self.run.entry(entry).read() if record.game < self.run.info.config.n_games]
            write_atomically(self.run.entry(entry).records_path, b"".join(map(encode, records)))
        hosted.finish(self.run)
        report = self._report()
        result = replace(result, unexplained=tuple(report.findings()))
        self.terms = msgspec.structs.replace(self.terms, result=result.to_json())
        self._write()
        self.run.finish(run_folder.now())
        report.write()
        return result

    def _report(self) -> "RunReport":
        from wordpl.reports.run_report import RunReport  # imports pandas, which playing does not need

        return RunReport(RunRecords(self.run), self._lists)

    def _write(self) -> None:
        text = msgspec.json.format(msgspec.json.encode(self.terms), indent=2)
        write_atomically(self.folder / FILE, text + b"\n")


def _looks(max_games: int) -> Iterator[int]:
    """Yield the numbers of games after which a match is judged, about an eighth more each time.

    They are fixed, and not those that happen to be finished, so that a match depends on its seed alone.
    """
    look = 0
    while look < max_games:
        look = min(look + max(FIRST_LOOK, look // 8), max_games)
        yield look


def _check_entries(entries: Sequence[EntryInfo]) -> None:
    new, old = entries
    if new.game.id != old.game.id:
        raise UserError(
            f"{new.name} plays {new.game.id} and {old.name} plays {old.game.id}. Choose one game with --game."
        )
    if not new.file or new.make != old.make or new.sha256 != old.sha256:
        return
    if new.file == old.file:
        raise UserError(
            f"both entries are {new.name} of {new.file}. Give another file, other arguments, or FILE@REVISION."
        )
    raise UserError(f"the files of {Path(new.file).name} are the same in both revisions.")
