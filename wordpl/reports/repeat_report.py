"""What games that were played again say of the entries, in sentences."""

from collections.abc import Iterator, Sequence

from wordpl.contest.determinism import RepeatFinding
from wordpl.reports.names import shown

MAX_GAMES = 10


def sentences(findings: Sequence[RepeatFinding]) -> Iterator[str]:
    """Yield how many games were played again, then a sentence for each entry that went otherwise in some of them."""
    if not findings:
        return
    numbers = [len(finding.repeated) for finding in findings]
    sample = f"{min(numbers)}" if min(numbers) == max(numbers) else f"{min(numbers)} to {max(numbers)}"
    told = [_told(finding) for finding in findings if finding.changed]
    told += [_not_compared(finding) for finding in findings if finding.not_compared]
    end = "." if told else ": all had the same moves."
    yield f"Played again, each in a fresh process: {sample} games of each entry{end}"
    yield from told


def _not_compared(finding: RepeatFinding) -> str:
    games = f"{len(finding.not_compared)} of {len(finding.repeated)} games"
    said = f"{shown(finding.entry.name)}: {games} could not be compared, as their repeats were cut short twice"
    if not finding.is_evasive:
        return f"{said}: {_listed(finding.not_compared)}."
    why = "so that the repeats do not show whether it plays each game by itself"
    return f"{said}, {why}: {_listed(finding.not_compared)}."


def _told(finding: RepeatFinding) -> str:
    changed, listed = f"{len(finding.changed)} of {len(finding.repeated)} games", _listed(finding.changed)
    if finding.unsteady:
        return (
            f"{shown(finding.entry.name)} is not reproducible: with the same seed, {changed} went otherwise in a "
            f"fresh process, and {len(finding.unsteady)} of these otherwise again in a second: {listed}."
        )
    return (
        f"{shown(finding.entry.name)} depends on earlier games: {changed} went otherwise in a process that had played "
        f"none before, and twice the same there: {listed}."
    )


def _listed(games: Sequence[int]) -> str:
    rest = len(games) - MAX_GAMES
    listed = ", ".join(map(str, games[:MAX_GAMES])) + (f" and {rest} more" if rest > 0 else "")
    return f"game {listed}" if len(games) == 1 else f"games {listed}"
