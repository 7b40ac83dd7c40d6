"""What has been tried: kept in a file, one line for each trial, and reported by area."""

import json
import tomllib
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from changes import AREAS
from team import append
from trial import TIMED_OUT, TOO_SLOW

EQUIVALENT = Path(__file__).with_name("equivalent.toml")


class Outcomes:
    """What was found of each mutant; of a mutant that was tried again, the last trial counts."""

    def __init__(self, out: Path):
        self.out = out
        self.found: dict[str, dict[str, Any]] = {}
        self.read()

    def read(self) -> None:
        """Read what this process and others have written down."""
        lines = self.out.read_text().splitlines() if self.out.exists() else []
        self.found = {one["key"]: one for one in map(json.loads, lines)}

    def n_tests(self, key: str) -> int:
        """Return how many tests this mutant has met, -1 if it was not tried."""
        return int(self.found[key]["n_tests"]) if key in self.found else -1

    def add(self, found: dict[str, Any]) -> None:
        """Write down a trial at once, so that a run can go on where it was stopped."""
        self.found[found["key"]] = found
        append(self.out, found)


def equivalent() -> dict[str, str]:
    """Return the mutants that are known to change nothing that anyone could see, and why."""
    return {one["key"]: one["reason"] for one in tomllib.loads(EQUIVALENT.read_text()).get("mutant", ())}


def is_killed(found: dict[str, Any]) -> bool:
    """Return whether a test failed, or the tests ran out of time twice; once may be a busy machine's fault."""
    return found["killed_by"] not in ("", TOO_SLOW)


def report(found: Sequence[dict[str, Any]]) -> None:
    """Print, as Markdown, the shares of each area and the survivors."""
    reasons = equivalent()
    survivors = [one for one in found if not is_killed(one)]
    tried = Counter(one["area"] for one in found)
    killed = Counter(one["area"] for one in found if is_killed(one))
    same = Counter(one["area"] for one in survivors if one["key"] in reasons)
    print("| area | killed of tried | share, 95 % interval | equivalent | share of the others |\n|---|---|---|---|---|")
    for area in [name for name in AREAS if tried[name]]:
        print(_row(area, killed[area], tried[area], same[area]))
    print(_row("all", killed.total(), tried.total(), same.total()))
    n_late = sum(one["killed_by"] == TIMED_OUT for one in found)
    print(f"\n{n_late} of the killed timed out twice. ", end="")
    print(f"{sum(one['seconds'] for one in found):.0f} s in all, {_median(found):.1f} s for the median mutant.")
    open_ones = [one for one in survivors if one["key"] not in reasons]
    if open_ones:
        print("\n| survivor | is | becomes |\n|---|---|---|")
    for one in sorted(open_ones, key=lambda one: (one["file"], one["line"])):
        place = f"{one['file']}:{one['line']}" + (", out of time" if one["killed_by"] else "")
        print(f"| {place} | `{_cell(one['was'])}` | `{_cell(one['now'])}` |")


def _row(area: str, killed: int, tried: int, same: int) -> str:
    from wordpl.core.intervals import proportion_interval

    low, high = proportion_interval(killed, max(1, tried))
    others = f"{killed / max(1, tried - same):.1%}"
    return (
        f"| {area} | {killed} of {tried} | {killed / max(1, tried):.1%} ({low:.1%} to {high:.1%}) | {same} | {others} |"
    )


def _median(found: Sequence[dict[str, Any]]) -> float:
    return float(sorted(one["seconds"] for one in found)[len(found) // 2]) if found else 0.0


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
