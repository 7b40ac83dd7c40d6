"""Text output of a profile."""

from pathlib import Path

import numpy as np

from wordpl.core.messages import amount
from wordpl.core.paths import PACKAGE
from wordpl.reports.columns import duration
from wordpl.reports.plain_table import PlainTable
from wordpl.workbench.profile.profiling import CodeCost, Profile

N_ROWS = 12
MIN_SHARE = 0.005
SOURCE_CHARACTERS = 60


def tables(found: Profile) -> list[PlainTable]:
    """Return tables of the slowest lines and functions."""
    per_game = float(np.mean(found.cpu_s))
    lines = [
        [f"{Path(one.file).name}:{one.line}", _percent(one.share), duration(one.share * per_game),
         one.text[:SOURCE_CHARACTERS]]
        for one in found.lines[:N_ROWS]
        if one.share >= MIN_SHARE
    ]  # fmt: skip
    functions = [
        [f"{one.name}  {_module(one)}", _percent(one.share), _percent(one.total)]
        for one in found.functions[:N_ROWS]
        if max(one.share, one.total) >= MIN_SHARE
    ]
    title = f"{found.entry.name}: lines of your files, with the functions that they call"
    return [
        PlainTable(title, ["line", "time", "per game", "source"], lines, frozenset({"line", "source"})),
        PlainTable("Functions", ["function", "own", "with calls"], functions, frozenset({"function"})),
    ]


def sentences(found: Profile) -> list[str]:
    """Return sentences on the CPU time and the memory, with their limits."""
    median, maximum = float(np.median(found.cpu_s)), max(found.cpu_s)
    where = "in this process (trusted)" if found.is_trusted else "inside the sandboxed player"
    said = [
        f"{amount(len(found.cpu_s), 'game')}, {amount(found.n_moves, 'move')}, {amount(found.n_samples, 'sample')}, "
        f"taken {where}.",
        f"CPU time per game: median {duration(median)}, maximum {duration(maximum)} "
        f"({_percent(maximum / found.timeout_s)} of the limit of {found.timeout_s:g} s).",
        f"Not counted: start {duration(found.start_s)}, warm-up game {duration(found.warm_up_s)}.",
    ]
    said += _compiled("in the warm-up game, which is not counted", found.compiled_in_warm_up)
    said += _compiled("DURING GAMES, because the warm-up game did not use these signatures", found.compiled)
    before, end = found.memory_mib[0], found.memory_mib[-1]
    said.append(
        f"Memory: peak {end:.0f} MiB, {before:.0f} MiB before the strategy was created "
        f"(limit {found.memory_limit_mib} MiB)."
    )
    said += [f"Some games ended as {verdict}: {message}".strip() for verdict, message in found.failed.items()]
    return said


def _compiled(when: str, compiled: list[tuple[str, float]]) -> list[str]:
    if not compiled:
        return []
    listed = ", ".join(f"{name} {duration(seconds)}" for name, seconds in compiled)
    return [f"numba compiled {when}: {duration(sum(seconds for _, seconds in compiled))}: {listed}"]


def _module(code: CodeCost) -> str:
    path = Path(code.file)
    place = path.relative_to(PACKAGE.parent) if path.is_relative_to(PACKAGE) else Path(path.name)
    return f"{place}:{code.line}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%" if share < 0.1 else f"{100 * share:.0f}%"
