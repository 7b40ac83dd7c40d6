"""Plays games of an entry with a profiler inside its player."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from linecache import getline
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from wordpl import games
from wordpl.contest import match
from wordpl.core import seeds, words
from wordpl.core.entry_files import PROGRAM
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import GameKind
from wordpl.core.moves import ClassicMove, Move, NoisyMove
from wordpl.core.records import EntryInfo, Verdict
from wordpl.core.run_config import RunConfig
from wordpl.players.base import PlayerError
from wordpl.players.pool import PlayerPool
from wordpl.workbench import sampler
from wordpl.workbench.naming import one_for_each

N_GAMES = 100
SECONDS = 10.0
REPLY_BYTES = 1 << 20
FAILED = (Verdict.CRASHED, Verdict.LATE, Verdict.MEMORY, Verdict.ILLEGAL, Verdict.FAULT)


@dataclass(frozen=True)
class Part:
    """A line or a function, and the share of the time of all moves that goes there.

    Attributes:
        file: Its file.
        name: The function.
        line: The line, or the first one of the function.
        share: The share of the moves' CPU time: of a line, with all that it calls; of a function, by itself.
        total: Of a function: with all that it calls. Of a line the same as `share`.
        text: Of a line: its source.
    """

    file: str
    name: str
    line: int
    share: float
    total: float
    text: str = ""


@dataclass(frozen=True)
class Profile:
    """Where an entry's time goes.

    Attributes:
        entry: The entry.
        is_trusted: Whether it ran in this process, rather than in a player's sandbox.
        cpu_s: The CPU time of the moves of each game.
        n_moves: All moves.
        n_samples: How often the stack was looked at.
        lines: The author's own lines, the costliest first.
        functions: All functions, the costliest first.
        start_s: The CPU time of imports and of making the strategy.
        warm_up_s: The CPU time of the game that does not count.
        compiled: What numba compiled in counted games, with seconds.
        compiled_in_warm_up: The same for the warm-up.
        memory_mib: The most memory before the strategy was made, after the warm-up, and in the end.
        timeout_s: The CPU time that a game may take.
        memory_limit_mib: The memory that an entry may use.
        failed: How games failed that did, the first message of each kind.
    """

    entry: EntryInfo
    is_trusted: bool
    cpu_s: list[float]
    n_moves: int
    n_samples: int
    lines: list[Part]
    functions: list[Part]
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
    """Return where the time of an entry's moves goes.

    Args:
        text: A Python entry, as on the command line.
        config: The terms of its games.
        n_games: The games it plays.
        seconds: No game begins after so many.
        progress: Called with the games played so far.
    """
    config = config or RunConfig()
    config = msgspec.structs.replace(config, seed=config.seed or seeds.new_seed())
    entry: EntryInfo = one_for_each([text], config).entries[0]
    if entry.file.endswith(PROGRAM):
        raise UserError(f"{entry.name} is a program: the profiler looks at Python. `perf record` looks at others.")
    limits = msgspec.structs.replace(config.limits, reply_bytes=REPLY_BYTES)
    inside = msgspec.structs.replace(entry, make=sampler.wrapped(entry.make))
    lists = words.load(config.answers, config.guesses)
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as parent,
        PlayerPool(lists, Path(parent), [config.results]) as pool,
    ):
        player = pool.player(inside, msgspec.structs.replace(config, limits=limits))
        game, failed = games.make_game(entry.game_id, lists), dict[str, str]()
        until = 0.0
        try:
            for number in range(n_games):
                record = match.play(game, player, number, seeds.run_key(config.seed or ""), config)
                if record.verdict in FAILED:
                    failed.setdefault(str(record.verdict), record.message)
                progress(number + 1)
                until = until or time.monotonic() + seconds  # the first game waits for the player to start
                if time.monotonic() > until:
                    break
            player.prepare()
            told = player.next_move(_last_move(game.kind))
        except PlayerError as fault:
            raise UserError(f"{entry.name} could not be looked at to the end: {fault.message}") from None
        finally:
            player.close()
    return _profile(entry, config, told, failed)


def _last_move(kind: GameKind) -> Move:
    return NoisyMove("", 0, sampler.REPORT) if kind == GameKind.NOISY else ClassicMove("", sampler.REPORT)


def _profile(entry: EntryInfo, config: RunConfig, told: Any, failed: dict[str, str]) -> Profile:
    counted, warm_up = told["games"], told["warm_up"]
    if not counted["cpu_s"]:
        raise UserError(f"{entry.name} played no game to be looked at. {' '.join(failed.values())}".strip())
    seen_s = sum(row[-1] for row in counted["own"]) or 1.0
    totals = {tuple(row[:3]): row[3] / seen_s for row in counted["total"]}
    own = {tuple(row[:3]): row[3] / seen_s for row in counted["own"]}
    functions = [
        Part(file, name, line, own.get((file, name, line), 0.0), total) for (file, name, line), total in totals.items()
    ]
    lines = [
        Part(file, name, line, weight / seen_s, weight / seen_s, getline(file, line).strip())
        for (file, line), (name, weight) in _by_line(counted["lines"]).items()
    ]
    return Profile(
        entry=entry,
        is_trusted=config.is_trusted,
        cpu_s=counted["cpu_s"],
        n_moves=counted["n_moves"],
        n_samples=counted["n_samples"],
        lines=sorted(lines, key=_cost),
        functions=sorted(functions, key=_cost),
        start_s=told["start_cpu_s"],
        warm_up_s=sum(warm_up["cpu_s"]),
        compiled=_summed(counted["compiled"]),
        compiled_in_warm_up=_summed(warm_up["compiled"]),
        memory_mib=[kib / 1024 for kib in told["memory_kib"]],
        timeout_s=config.timeout_s,
        memory_limit_mib=config.memory_mb,
        failed=failed,
    )


def _cost(part: Part) -> tuple[float, float, str, int]:
    return -part.share, -part.total, part.file, part.line


def _by_line(rows: Sequence[Sequence[Any]]) -> dict[tuple[str, int], tuple[str, float]]:
    """Return the function and the weight of each line; a comprehension's counts for the function that it is part of."""
    found: dict[tuple[str, int], tuple[str, float]] = {}
    for file, name, line, weight in rows:
        other, so_far = found.get((file, line), (name, 0.0))
        found[file, line] = min(name, other, key=len), so_far + weight
    return found


def _summed(compiled: Sequence[Sequence[Any]]) -> list[tuple[str, float]]:
    """Return what was compiled, each once, with the time of all its forms."""
    found: dict[str, float] = {}
    for name, seconds in compiled:
        found[name] = found.get(name, 0.0) + seconds
    return sorted(found.items(), key=lambda item: -item[1])
