"""Profiles the CPU time of an entry, by function and by line, with a sampling profiler inside its player."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np

from wordpl import games
from wordpl.apps.workbench import sampler
from wordpl.apps.workbench.entry_lookup import entries_for
from wordpl.contest import referee
from wordpl.core import seeds
from wordpl.core.files import temporary_folder
from wordpl.core.messages import UserError, amount
from wordpl.core.moves import ClassicMove, NoisyMove, Verdict
from wordpl.core.paths import PACKAGE
from wordpl.games import Game
from wordpl.players.base import Player, PlayerError
from wordpl.players.pool import PlayerPool
from wordpl.players.working_folder import STRATEGIES
from wordpl.reports.elements import Table, duration, text_table
from wordpl.run.bundle import PROGRAM, find_place, main_of
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo

N_GAMES = 100
SECONDS = 10.0
REPLY_BYTES = 1 << 20
FAILED = (Verdict.CRASHED, Verdict.LATE, Verdict.MEMORY, Verdict.ILLEGAL, Verdict.FAULT)
N_ROWS = 12
MIN_SHARE = 0.005
SOURCE_CHARACTERS = 60


@dataclass(frozen=True)
class CodeCost:
    """A line or a function, with its share of the CPU time of all moves.

    Attributes:
        line: Number of the line, or of the first line of the function.
        share: Its share of the CPU time: for a line including the functions that it calls, for a function excluding
            them.
        total: Share of a function including the functions that it calls. For a line the same as `share`.
        text: Source of the line, "" for a function.
    """

    file: str
    name: str
    line: int
    share: float
    total: float
    text: str = ""


@dataclass(frozen=True)
class Profile:
    """The profile of an entry.

    Attributes:
        is_trusted: Whether it ran in this process instead of a sandboxed player.
        cpu_s: CPU time of the moves of each game.
        lines: Lines in the author's folder, the slowest first.
        functions: All functions, the slowest first.
        start_s: CPU time of imports and of creating the strategy.
        warm_up_s: CPU time of the warm-up game.
        compiled: Functions that numba compiled in games, with seconds.
        compiled_in_warm_up: Functions that numba compiled in the warm-up game, with seconds.
        memory_mib: Peak memory before the strategy was created, after the warm-up, and at the end.
        timeout_s: Limit of the CPU time of a game.
        memory_limit_mib: Memory limit of an entry.
        failed: The first message of each kind of fault, by verdict.
    """

    entry: EntryInfo
    is_trusted: bool
    cpu_s: list[float]
    n_moves: int
    n_samples: int
    lines: list[CodeCost]
    functions: list[CodeCost]
    start_s: float
    warm_up_s: float
    compiled: list[tuple[str, float]]
    compiled_in_warm_up: list[tuple[str, float]]
    memory_mib: list[float]
    timeout_s: float
    memory_limit_mib: int
    failed: dict[str, str]


def profile(
    text: str,
    config: RunConfig | None = None,
    *,
    n_games: int = N_GAMES,
    seconds: float = SECONDS,
    progress: Callable[[int], object] = lambda n_played: None,
) -> Profile:
    """Profile an entry.

    Args:
        text: A Python entry, as on the command line.
        seconds: No game starts after this time.
        progress: Called with the number of games played so far.

    Raises:
        UserError: The entry is not a Python entry, or played no game.
    """
    config = config or RunConfig()
    config = msgspec.structs.replace(config, seed=config.seed or seeds.new_seed())
    found = entries_for([text], config)
    entry: EntryInfo = found.entries[0]
    place = find_place(entry.file)
    if main_of(place.parent, place.name).endswith(PROGRAM):
        raise UserError(
            f"{entry.name} is a program, and only Python entries can be profiled. Use a tool such as `perf record`."
        )
    limits = msgspec.structs.replace(config.limits, reply_bytes=REPLY_BYTES)
    inside = msgspec.structs.replace(entry, make=sampler.wrapped(entry.make))
    lists = config.load_lists()
    with (
        temporary_folder() as parent,
        PlayerPool(lists, Path(parent), [config.results], found.store) as pool,
    ):
        player = pool.player(inside, msgspec.structs.replace(config, limits=limits))
        game = games.make_game(entry.game, lists)
        try:
            failed = _play(game, player, config, _Extent(n_games, seconds, progress))
            player.prepare()
            asked = NoisyMove("", 0, sampler.REPORT) if game.facts.has_epsilon else ClassicMove("", sampler.REPORT)
            report = player.next_move(asked)
        except PlayerError as fault:
            raise UserError(f"{entry.name} could not be profiled: {fault.message}") from None
        finally:
            player.close()
    for table in (report["games"], report["warm_up"]):
        for rows in (table["lines"], table["own"], table["total"]):
            rows[:] = [[_author_s(row[0], Path(parent), place.parent), *row[1:]] for row in rows]
    return _profile(entry, config, report, failed)


def _author_s(file: str, players: Path, folder: Path) -> str:
    """Return the path of the author's file of which a player has a copy; other paths stay as they are."""
    path = Path(file)
    if not path.is_relative_to(players):
        return file
    parts = path.relative_to(players).parts
    return str(folder.joinpath(*parts[parts.index(STRATEGIES) + 1 :]))


class _Extent(NamedTuple):
    """How much to play: `n_games`, but no game starts after `seconds`; `progress` gets the number of games played."""

    n_games: int
    seconds: float
    progress: Callable[[int], object]


def _play(game: Game, player: Player, config: RunConfig, extent: _Extent) -> dict[str, str]:
    """Play games, and return the first message of each verdict that is a failure."""
    failed: dict[str, str] = {}
    until = 0.0
    for number in range(extent.n_games):
        record = referee.play(game, player, number, seeds.Draws.of(config.seed or ""), config)
        if record.verdict in FAILED:
            failed.setdefault(str(record.verdict), record.message)
        extent.progress(number + 1)
        until = until or time.monotonic() + extent.seconds  # the first game waits for the player to start
        if time.monotonic() > until:
            break
    return failed


def _profile(entry: EntryInfo, config: RunConfig, report: Any, failed: dict[str, str]) -> Profile:
    measured, warm_up = report["games"], report["warm_up"]
    if not measured["cpu_s"]:
        raise UserError(f"{entry.name} played no game that could be profiled. {' '.join(failed.values())}".strip())
    seen_s = sum(row[-1] for row in measured["own"]) or 1.0
    totals = {tuple(row[:3]): row[3] / seen_s for row in measured["total"]}
    own = {tuple(row[:3]): row[3] / seen_s for row in measured["own"]}
    functions = [
        CodeCost(file, name, line, own.get((file, name, line), 0.0), total)
        for (file, name, line), total in totals.items()
    ]
    lines = [
        CodeCost(file, name, line, weight / seen_s, weight / seen_s, str(text)[: sampler.MAX_TEXT])
        for (file, line), (name, weight, text) in _by_line(measured["lines"]).items()
    ]
    return Profile(
        entry=entry,
        is_trusted=config.is_trusted,
        cpu_s=measured["cpu_s"],
        n_moves=measured["n_moves"],
        n_samples=measured["n_samples"],
        lines=sorted(lines, key=_cost),
        functions=sorted(functions, key=_cost),
        start_s=report["start_cpu_s"],
        warm_up_s=sum(warm_up["cpu_s"]),
        compiled=_summed(measured["compiled"]),
        compiled_in_warm_up=_summed(warm_up["compiled"]),
        memory_mib=[kib / 1024 for kib in report["memory_kib"]],
        timeout_s=config.timeout_s,
        memory_limit_mib=config.memory_mb,
        failed=failed,
    )


def _cost(code: CodeCost) -> tuple[float, float, str, int]:
    return -code.share, -code.total, code.file, code.line


def _by_line(rows: Sequence[Sequence[Any]]) -> dict[tuple[str, int], tuple[str, float, str]]:
    """Return the function, the weight and the text of each line. A comprehension belongs to the function around it."""
    named_weights: dict[tuple[str, int], tuple[str, float, str]] = {}
    for file, name, line, weight, text in rows:
        other_name, so_far, _ = named_weights.get((file, line), (name, 0.0, ""))
        named_weights[file, line] = min(name, other_name, key=len), so_far + weight, text
    return named_weights


def _summed(compiled: Sequence[Sequence[Any]]) -> list[tuple[str, float]]:
    """Return each compiled function once, with the total time of its signatures."""
    seconds_by_name: dict[str, float] = {}
    for name, seconds in compiled:
        seconds_by_name[name] = seconds_by_name.get(name, 0.0) + seconds
    return sorted(seconds_by_name.items(), key=lambda item: -item[1])


def tables(found: Profile) -> list[Table]:
    """Return tables of the slowest lines and functions."""
    per_game = float(np.mean(found.cpu_s))
    lines = [
        [f"{Path(row.file).name}:{row.line}", _percent(row.share), duration(row.share * per_game),
         row.text[:SOURCE_CHARACTERS]]
        for row in found.lines[:N_ROWS]
        if row.share >= MIN_SHARE
    ]  # fmt: skip
    functions = [
        [f"{function.name}  {_module(function)}", _percent(function.share), _percent(function.total)]
        for function in found.functions[:N_ROWS]
        if max(function.share, function.total) >= MIN_SHARE
    ]
    title = f"{found.entry.name}: lines of your files, with the functions that they call"
    return [
        text_table(title, ["line", "time", "per game", "source"], lines, frozenset({"line", "source"})),
        text_table("Functions", ["function", "own", "with calls"], functions, frozenset({"function"})),
    ]


def sentences(found: Profile) -> list[str]:
    """Return sentences on the CPU time and the memory, with their limits."""
    median, maximum = float(np.median(found.cpu_s)), max(found.cpu_s)
    where = "in this process (trusted)" if found.is_trusted else "inside the sandboxed player"
    lines = [
        f"{amount(len(found.cpu_s), 'game')}, {amount(found.n_moves, 'move')}, {amount(found.n_samples, 'sample')}, "
        f"taken {where}.",
        f"CPU time per game: median {duration(median)}, maximum {duration(maximum)} "
        f"({_percent(maximum / found.timeout_s)} of the limit of {found.timeout_s:g} s).",
        f"Not counted: start {duration(found.start_s)}, warm-up game {duration(found.warm_up_s)}.",
    ]
    lines += _compiled("in the warm-up game, which is not counted", found.compiled_in_warm_up)
    lines += _compiled("DURING GAMES, because the warm-up game did not use these signatures", found.compiled)
    start_mib, peak_mib = found.memory_mib[0], found.memory_mib[-1]
    lines.append(
        f"Memory: peak {peak_mib:.0f} MiB, {start_mib:.0f} MiB before the strategy was created "
        f"(limit {found.memory_limit_mib} MiB)."
    )
    lines += [f"Some games ended as {verdict}: {message}".strip() for verdict, message in found.failed.items()]
    return lines


def _compiled(when: str, compiled: list[tuple[str, float]]) -> list[str]:
    if not compiled:
        return []
    signatures = ", ".join(f"{name} {duration(seconds)}" for name, seconds in compiled)
    return [f"numba compiled {when}: {duration(sum(seconds for _, seconds in compiled))}: {signatures}"]


def _module(code: CodeCost) -> str:
    path = Path(code.file)
    place = path.relative_to(PACKAGE.parent) if path.is_relative_to(PACKAGE) else Path(path.name)
    return f"{place}:{code.line}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%" if share < 0.1 else f"{100 * share:.0f}%"
