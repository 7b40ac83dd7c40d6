"""Plays a match, and keeps it as a run whose folder `wordpl report` and `wordpl analyse` read like any other."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from wordpl.contest import run_folder
from wordpl.contest.entries import FoundEntries
from wordpl.core import commitments, locks, os_errors, paths
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.core.game_kinds import Measure
from wordpl.core.records import EntryInfo, Run, encode
from wordpl.core.run_config import RunConfig
from wordpl.core.run_records import RunRecords
from wordpl.workbench.arena import Arena
from wordpl.workbench.goals import Goal, GoalKind
from wordpl.workbench.match import enumeration
from wordpl.workbench.match.result import Judge, MatchResult
from wordpl.workbench.match.sides import Sides
from wordpl.workbench.naming import one_for_each

FILE = "match.json"
MAX_GAMES = 20_000


class MatchTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What decides when a match ends; the file match.json in its folder.

    Attributes:
        goal: A key of `GoalKind`.
        budget: For games won: what a game may cost.
        margin: Entries that differ by less are equal: points of a hundred, budget or guesses, as the goal has it.
        max_games: The games after which the match ends undecided.
        exact: Whether to enumerate all that can happen where that decides sooner.
        result: What was found, once the match has ended.
    """

    goal: str
    budget: float | None = None
    margin: float = 0.0
    max_games: int = MAX_GAMES
    exact: bool = True
    result: dict[str, Any] | None = None


class MatchObserver:
    """Is told what happens in a match. Each method does nothing: override those that you need."""

    def progress(self, result: MatchResult) -> None:
        """Take note of what the games so far have shown."""

    def enumerating(self, n_clues: int) -> Callable[[], object]:
        """Take note that all clues are tried from now on; return what is called after each first one.

        n_clues: the first clues that each entry can see
        """
        return lambda: None


class Match:
    """Two entries that play the same games until it is clear which one is better.

    Example:
        result = Match.new("my_bot.py", "my_bot.py@HEAD~1").play()
        print(result.verdict, result.n_games)
    """

    def __init__(self, run: Run, terms: MatchTerms, jobs: int | None = None, found: FoundEntries | None = None):
        """Make a match of a run's folder; use `new` or `resume`."""
        self.run, self.terms, self._jobs = run, terms, jobs
        self._is_new, self._strategies = found is not None, found.strategies if found else {}
        self.goal = Goal.of(terms.goal, run.entries[0].measure, terms.budget, run.info.config.loss_cost)
        self._lists = run_folder.lists_of(run.info)
        self._population = len(self._lists.answers) if run.info.every_answer is True else None
        scale = abs(self.goal.difference(1.0)) * (100 if self.goal.kind == GoalKind.WON else 1)
        names = run.entries[0].name, run.entries[1].name
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
        """Return a match that has not begun, in a new folder of the results.

        Args:
            new: The entry that may be better: a file, a class with its arguments, either at a revision of git
                (my_bot.py@HEAD~1), or an object.
            old: The entry it is compared with.
            config: The terms of each game. Of classic games each answer is played once, if entries are not trusted.
            terms: When the match ends; None: the usual goal of the game.
            jobs: How many games are played at a time; None: one for each processor.
        """
        config = config or RunConfig()
        if not isinstance(new, str | Path):
            config = msgspec.structs.replace(config, player="trusted")
        found = one_for_each([new, old], config)
        _check(found.entries)
        first = found.entries[0]
        wanted = terms or MatchTerms(goal="")
        goal = Goal.of(wanted.goal or None, first.measure, wanted.budget, config.loss_cost)
        wanted = msgspec.structs.replace(wanted, goal=str(goal.kind))
        is_classic = first.measure == Measure.GUESSES and not config.is_trusted
        config = msgspec.structs.replace(config, n_games=wanted.max_games, repeats=0, every_answer=is_classic)
        info = run_folder.describe(config, found.entries)
        folder = run_folder.new_folder(config.results.absolute(), info)
        run = Run.create(folder.with_name(f"{folder.name}-match"), info)
        match = cls(run, wanted, jobs, found)
        match._write()
        return match

    @classmethod
    def resume(cls, folder: str | Path, *, jobs: int | None = None) -> "Match":
        """Return the match in this folder, to be played to its end."""
        run, path = Run(Path(folder).absolute()), Path(folder) / FILE
        try:
            terms = msgspec.json.decode(path.read_bytes(), type=MatchTerms)
        except OSError:
            raise UserError(f"{folder} is no match: it has no {FILE}. For runs: wordpl evaluate --resume") from None
        except msgspec.DecodeError as error:
            raise UserError(f"{path} is not the description of a match: {error}") from None
        return cls(run, terms, jobs)

    @property
    def folder(self) -> Path:
        """The folder that keeps the games."""
        return self.run.folder

    def play(self, observer: MatchObserver | None = None) -> MatchResult:
        """Play until the match is decided or its games are used up, and return what it has shown.

        Every game that was played is kept: after Ctrl-C the match can be resumed.
        """
        with locks.exclusive(self.folder), os_errors.explain(self.folder):
            if self.run.info.finished is not None:
                return self._judge_kept()
            if not self._is_new:
                run_folder.prepare_resume(self.run)
            result = self._play(observer or MatchObserver())
            self._finish(result)
        return result

    def _play(self, observer: MatchObserver) -> MatchResult:
        config, n_clues = self.run.info.config, 3**self._lists.length
        max_games = min(self.terms.max_games, self._population or self.terms.max_games)
        may_enumerate = self.terms.exact and not self._strategies
        sides = Sides(self.run, self._lists)
        result = self._judge.result(*sides.values, sides.cpu_s)
        with closing(sides), Arena(config, jobs=self._jobs, strategies=self._strategies) as arena:
            while not result.is_decided and sides.n_games < max_games:
                sides.play_step(arena, max_games)
                result = self._judge.result(*sides.values, sides.cpu_s)
                observer.progress(result)
                if may_enumerate and enumeration.decides_sooner(result, sides.values, n_clues):
                    means = enumeration.exact_means(self.run.entries, config, self.goal, observer.enumerating(n_clues))
                    if means is not None:
                        return self._judge.exact(means, result)
                    may_enumerate = False
        return result

    def _judge_kept(self) -> MatchResult:
        sides = Sides(self.run, self._lists, is_over=True)
        result = self._judge.result(*sides.values, sides.cpu_s)
        told = self.terms.result or {}
        if told.get("exact") and not result.is_exact:
            means = self._scaled(told["new_score"]), self._scaled(told["old_score"])
            return self._judge.exact(means, result)
        return result

    def _scaled(self, score: float) -> float:
        """Return the mean of the goal's values that a score stands for."""
        return (score - self.goal.score(0.0)) / self.goal.difference(1.0)

    def _finish(self, result: MatchResult) -> None:
        """Make the folder that of a finished run, of the games that both have played."""
        self.run.info.n_games = max(1, result.n_games)
        for entry in self.run.entries:
            records = [record for record in self.run.read(entry) if record.game < self.run.info.n_games]
            write_atomically(self.run.path(entry), b"".join(map(encode, records)))
        self.terms = msgspec.structs.replace(self.terms, result=result.to_json())
        self._write()
        commitments.finish(self.run, run_folder.now())
        from wordpl.reports.run_report import RunReport  # brings pandas, which playing does not need

        RunReport(RunRecords(self.run), self._lists).write()

    def _write(self) -> None:
        text = msgspec.json.format(msgspec.json.encode(self.terms), indent=2)
        write_atomically(self.folder / FILE, text + b"\n")


def _check(entries: Sequence[EntryInfo]) -> None:
    new, old = entries
    if new.game_id != old.game_id:
        raise UserError(f"{new.name} plays {new.game_id} and {old.name} plays {old.game_id}: choose one with --game.")
    if not new.file or new.make != old.make or new.sha256 != old.sha256:
        return
    first, second = (paths.find_file(entry.file) for entry in entries)
    if first == second:
        raise UserError(f"both are {new.name} of {new.file}: give another file, other arguments, or FILE@REVISION.")
    if not _differing(first.parent, second.parent):
        raise UserError(f"{first.name} is the same in both: nothing has changed, and nothing beside it.")


def _differing(first: Path, second: Path) -> list[str]:
    """Return the files that both folders have, with another content."""
    names = {path.name for path in first.iterdir() if path.is_file()} & {path.name for path in second.iterdir()}
    return [name for name in sorted(names) if (first / name).read_bytes() != (second / name).read_bytes()]
