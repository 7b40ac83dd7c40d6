"""Watches the file of an entry, lets each version play the same games, and reports what changed."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from math import isfinite
from pathlib import Path
from types import TracebackType
from typing import Any

import msgspec
import numpy as np

from wordpl import games
from wordpl.apps.workbench.goals import GameValues, Goal, ValueReader
from wordpl.apps.workbench.match_result import Judge, MatchResult, MatchVerdict
from wordpl.contest import referee, run_folder
from wordpl.contest.entries import load_all
from wordpl.core import seeds
from wordpl.core.files import temporary_folder
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import UserError, amount
from wordpl.core.moves import Verdict, budget_text
from wordpl.players import discovery, source_facts
from wordpl.players.base import Player
from wordpl.players.discovery import EntrySource, Fault
from wordpl.players.limited import Unread
from wordpl.players.pool import PlayerPool
from wordpl.players.source_facts import Sources
from wordpl.reports.elements import duration
from wordpl.run.bundle import PYTHON, main_of
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, cost

N_SHOWN = 5


@dataclass(frozen=True)
class NewLoss:
    """A game that the previous version won, or won at a lower cost.

    Attributes:
        cost: Cost of the new version, infinite for a lost game.
        cost_before: Cost of the previous version.
        replay: Command that replays the game.
    """

    game: int
    secret: str
    cost: float
    cost_before: float
    replay: str


@dataclass(frozen=True)
class DevError:
    """A version that cannot play.

    Attributes:
        kind: "syntax" for a syntax error, "entry" if the entry cannot be created, otherwise the verdict of a game.
        seconds: Seconds from the start of the check to the error.
        replay: Command that replays the game, or "".
    """

    kind: str
    message: str
    seconds: float
    replay: str = ""

    def lines(self) -> list[str]:
        """Return the error as text."""
        head = "SYNTAX ERROR" if self.kind == "syntax" else "NO ENTRY" if self.kind == "entry" else self.kind.upper()
        lines = [f"{head}  (after {self.seconds:.1f} s)", *(f"    {line}" for line in self.message.splitlines())]
        return [*lines, f"    {self.replay}"] if self.replay else lines

    def to_json(self) -> dict[str, Any]:
        """Return the error as JSON."""
        return {"event": "error", **asdict(self), "lines": self.lines()}


@dataclass(frozen=True)
class DevReport:
    """The results of one version.

    Attributes:
        version: Number of the version, from 1 on.
        score: Mean of the goal, as text.
        cpu_s: Mean CPU time of a game.
        seconds: Duration of the check in seconds.
        plays_alike: Whether it made the same moves as the previous version in all games.
        change: Comparison with the previous version; None for the first version.
        losses: Games that are worse than before, the worst first.
        n_faults: Number of games that ended by a fault.
        fault: Message of the first fault.
        note: A note on how the entry was chosen, or "".
    """

    version: int
    name: str
    n_games: int
    n_won: int
    score: str
    cpu_s: float
    seconds: float
    plays_alike: bool = False
    change: MatchResult | None = None
    losses: list[NewLoss] = field(default_factory=list)
    n_faults: int = 0
    fault: str = ""
    note: str = ""

    def lines(self) -> list[str]:
        """Return the report as text."""
        head = f"v{self.version}  {self.name}  {amount(self.n_games, 'game')} in {self.seconds:.1f} s"
        lines = [head, f"    {self._score()}   won {self.n_won}{self._won()}   CPU {duration(self.cpu_s)} per game"]
        if self.note:
            lines.append(f"    {self.note}")
        if self.n_faults:
            lines += [
                f"    {amount(self.n_faults, 'game')} ended by a fault:",
                *(f"      {line}" for line in self.fault.splitlines()),
            ]
        if self.plays_alike:
            lines.append(f"    makes the same moves as v{self.version - 1}")
        elif self.change is not None:
            lines.append(f"    {verdict(self.change)}")
        if self.losses:
            lines.append(f"    worse than v{self.version - 1}:")
            lines += [f"      game {loss.game} {loss.secret}: {_cost(loss.cost)}, was {_cost(loss.cost_before)}"
                      for loss in self.losses[:N_SHOWN]]  # fmt: skip
            lines += [f"      {self.losses[0].replay}"] if self.losses[0].replay else []
        return lines

    def to_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        names = ("version", "name", "n_games", "n_won", "score", "cpu_s", "seconds", "plays_alike", "n_faults", "note")
        facts = {name: getattr(self, name) for name in names}
        change = self.change.to_json() if self.change else None
        losses = [{**asdict(loss), "cost": _plain(loss.cost)} for loss in self.losses]
        return {"event": "version", **facts, "change": change, "losses": losses, "lines": self.lines()}

    def _score(self) -> str:
        if self.change is None:
            return self.score
        goal = self.change.goal
        ends = sorted((goal.shown_difference(end) for end in (self.change.low, self.change.high)), key=float)
        was = goal.shown(self.change.scores[1])
        return f"{self.score} (was {was}: {goal.shown_difference(self.change.difference)}, {ends[0]} to {ends[1]})"

    def _won(self) -> str:
        if self.change is None:
            return ""
        n_won_before = self.n_won - self.change.only_new + self.change.only_old
        return f" (was {n_won_before}: {self.change.only_new} gained, {self.change.only_old} lost)"


def verdict(change: MatchResult) -> str:
    """Return a line on whether the new version is better."""
    if change.verdict == MatchVerdict.OPEN:
        if change.n_more < 1e6:
            return f"not significant yet: needs about {round(change.n_more):,} more games"
        return "no significant difference"
    return f"significantly {change.verdict} than before"


def _cost(cost: float) -> str:
    return budget_text(cost) if isfinite(cost) else "lost"


def _plain(cost: float) -> float | None:
    return cost if isfinite(cost) else None


N_GAMES = 200
POLL_S = 0.15
SUFFIXES = frozenset({".py", ".toml", ".json", ".csv", ".txt", ".js", ".c"})
MAX_FILES = 500
MAX_FAULTS = 3
"""If this many first games all end by a fault, the version plays no more games."""
FAULTS = (Verdict.CRASHED, Verdict.ILLEGAL, Verdict.LATE, Verdict.MEMORY, Verdict.FAULT)

Stamps = dict[Path, tuple[int, int]]


@dataclass(frozen=True)
class _Version:
    """A version that has played."""

    number: int
    entry: EntryInfo
    values: GameValues
    records: list[Record]
    cpu_s: float


class DevSession:
    """Checks the entry of a file after each change. As a context manager, it ends its players on exit.

    Example:
        with DevSession("my_bot.py") as session:
            print(session.check())
    """

    def __init__(self, text: str, config: RunConfig | None = None, *, n_games: int = N_GAMES, goal: str | None = None):
        """Prepare a session, without playing any games.

        Args:
            text: The entry as on the command line. If the file has several entries, the first plays.
            n_games: Number of games that each version plays. All versions play the same games.
            goal: What versions are compared by, see `Goal`.
        """
        config = config or RunConfig()
        self.config = msgspec.structs.replace(config, seed=config.seed or seeds.new_seed(), n_games=n_games)
        self._source: EntrySource = discovery.find_source(text)
        self._goal_name, self._n_games = goal, n_games
        self._stamps: Stamps = {}
        self._last: _Version | None = None
        self._exits = ExitStack()
        self._pool: PlayerPool | None = None

    def __enter__(self) -> "DevSession":
        """Create the folder for the players."""
        parent = self._exits.enter_context(temporary_folder())
        lists = self.config.load_lists()
        self._pool = self._exits.enter_context(PlayerPool(lists, Path(parent), [self.config.results]))
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        """End all players."""
        self._exits.close()

    @property
    def file(self) -> Path:
        """The file of the entry. It is watched together with the other files of its folder."""
        return self._source.file

    @property
    def is_changed(self) -> bool:
        """Whether a file has changed since the start of the last check."""
        return self._file_stamps() != self._stamps

    def check(self, progress: Callable[[int], object] = lambda n_played: None) -> DevReport | DevError | None:
        """Play the current version of the file and compare it with the last version that played.

        Args:
            progress: Called with the number of games played so far.

        Returns:
            The results or the error of the version, or None if the file changed during the check.
        """
        self._stamps, began = self._file_stamps(), time.perf_counter()
        if message := self._syntax_error():
            return DevError("syntax", message, time.perf_counter() - began)
        outcome = self._entries()
        if isinstance(outcome, str):
            return DevError("entry", outcome, time.perf_counter() - began)
        entry, note = outcome
        player = self._require_pool().player(entry, self.config)
        try:
            return self._play(entry, player, began, note, progress)
        finally:
            player.close()

    def _require_pool(self) -> PlayerPool:
        if self._pool is None:
            raise RuntimeError("use the session as a context manager: with DevSession(...) as session")
        return self._pool

    def _file_stamps(self) -> Stamps:
        stamps: Stamps = {}
        inside = sorted(self.file.rglob("*")) if self.file.is_dir() else []
        for path in [*inside, *sorted(self.file.parent.iterdir())][:MAX_FILES]:
            if path == self.file or (path.suffix in SUFFIXES and not path.name.startswith(".")):
                try:
                    facts = path.stat()
                except OSError:  # an editor is replacing it
                    continue
                stamps[path] = facts.st_mtime_ns, facts.st_size
        return stamps

    def _syntax_error(self) -> str:
        try:
            main = self.file.parent / main_of(self.file.parent, self.file.name)
        except UserError as error:
            return f"{self.file.name}: {error}"
        if main.suffix != PYTHON:
            return ""
        (facts,) = source_facts.read([Sources(str(main))])
        return f"{main.name}: {facts.reason}" if isinstance(facts, Unread) else facts.fault or facts.syntax

    def _entries(self) -> tuple[EntryInfo, str] | str:
        """Return the entry that plays and a note, or an error message."""
        replies = load_all([self._source], self._require_pool(), self.config)
        for reply in replies:
            if isinstance(reply, Fault):
                return reply.message
        entries = discovery.resolve_entries(discovery.entries_of(replies), self.config.game_id)
        if not entries:
            return f"the file has no entry for {self.config.game_id}."
        note = f"first of {len(entries)} entries; choose another with {self.file.name}:ENTRIES[1]"
        return entries[0], note if len(entries) > 1 else ""

    def _play(
        self, entry: EntryInfo, player: Player, began: float, note: str, progress: Callable[[int], object]
    ) -> DevReport | DevError | None:
        lists = self.config.load_lists()
        game, draws = games.make_game(entry.game, lists), seeds.Draws.of(self.config.seed or "")
        records: list[Record] = []
        cpu_s = 0.0
        for number in range(self._n_games):
            records.append(referee.play(game, player, number, draws, self.config))
            cpu_s += player.duration(number).game_s
            if len(records) >= MAX_FAULTS and all(record.verdict in FAULTS for record in records):
                break
            if number and number % 10 == 0:
                progress(len(records))
                if self.is_changed:
                    return None
        faults = [record for record in records if record.verdict in FAULTS]
        if len(faults) == len(records):
            seconds = time.perf_counter() - began
            return DevError(str(faults[0].verdict), faults[0].message, seconds, self._replay(entry, faults[0].game))
        values = ValueReader(entry, lists).read(records)
        version = _Version((self._last.number if self._last else 0) + 1, entry, values, records, cpu_s / len(records))
        report = self._report(version, began, note, faults)
        self._last = version
        return report

    def _report(self, now: _Version, began: float, note: str, faults: Sequence[Record]) -> DevReport:
        goal = Goal.of(self._goal_name, now.entry.game, loss_cost=self.config.loss_cost)
        last, change, losses, alike = self._last, None, list[NewLoss](), False
        if last is not None and last.entry.game.id == now.entry.game.id:
            judge = Judge((now.entry.name, last.entry.name), goal)
            change = judge.result(now.values, last.values, (now.cpu_s, last.cpu_s))
            losses = self._losses(now, last, goal)
            alike = [record.moves for record in now.records] == [record.moves for record in last.records]
        return DevReport(
            version=now.number, name=now.entry.name, n_games=len(now.records), n_won=int(now.values.won.sum()),
            score=f"{goal.in_words()} {goal.shown(float(goal.values(now.values).mean()))}", cpu_s=now.cpu_s,
            seconds=time.perf_counter() - began, plays_alike=alike, change=change, losses=losses,
            n_faults=len(faults), fault=faults[0].message or str(faults[0].verdict) if faults else "", note=note,
        )  # fmt: skip

    def _losses(self, now: _Version, last: _Version, goal: Goal) -> list[NewLoss]:
        """Return the games that are worse than before: first new losses, then by the increase in cost."""
        costs = [np.array([float(cost(record, now.entry.game)) for record in side.records]) for side in (now, last)]
        gap = goal.values(last.values) - goal.values(now.values)
        worse = np.flatnonzero(costs[0] * (1 - ROUNDING) > costs[1])
        is_lost = np.isinf(costs[0])
        order = sorted(worse, key=lambda index: (not is_lost[index], -gap[index], index))
        return [
            NewLoss(now.records[index].game, now.records[index].secret, float(costs[0][index]), float(costs[1][index]),
                    self._replay(now.entry, now.records[index].game))
            for index in order
        ]  # fmt: skip

    def _replay(self, entry: EntryInfo, number: int) -> str:
        return run_folder.replay_command(entry, number, run_folder.describe(self.config, [entry]))


def watch(
    session: DevSession,
    progress: Callable[[int], object] = lambda n_played: None,
    is_over: Callable[[], bool] = lambda: False,
) -> Iterator[DevReport | DevError]:
    """Yield the results or the error of the current version of the file, then of each saved version.

    Args:
        progress: Called with the number of games played so far.
    """
    while not is_over():
        try:
            outcome = session.check(progress)
        except UserError as error:
            outcome = DevError("entry", error.message, 0.0)
        if outcome is not None:
            yield outcome
        while not session.is_changed and not is_over():
            time.sleep(POLL_S)
