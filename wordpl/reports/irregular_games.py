"""Games that were not played once from beginning to end: played twice, begun again, lost to the host, or not played."""

from collections.abc import Iterator

from wordpl.core.records import Verdict
from wordpl.core.run_records import RunRecords
from wordpl.reports.names import shown

MAX_LISTED = 50


def played_twice(records: RunRecords) -> dict[str, list[int]]:
    """Return the games with a first try, by the name of their entry: older versions gave late games a second one."""
    found = {
        entry.name: [record.game for record in records.irregular(entry) if record.first_try is not None]
        for entry in records.info.entries
    }
    return {name: games for name, games in found.items() if games}


def irregularities(records: RunRecords) -> Iterator[str]:
    """Yield a sentence for each kind of such games of each entry."""
    for name, games in played_twice(records).items():
        yield (
            f"{shown(name)} met the same secret and noise twice in {_listed(games)}: this board is not comparable, as "
            "the second try could use what the first one showed."
        )
    again = records.info.played_again or {}
    for entry in records.info.entries:
        name, of_entry = shown(entry.name), records.irregular(entry)
        if entry.slug in again:
            begun = _listed(again[entry.slug])
            yield f"{name} began {begun} again, because the harness had ended before their records."
        faults = [record.game for record in of_entry if record.verdict == Verdict.FAULT]
        if faults:
            yield (
                f"{name} lost {_listed(faults)} because its process was killed from outside, which no player can do "
                "where it is isolated: the host is the cause, and the games count as lost."
            )
        unplayed = [record.game for record in of_entry if record.verdict == Verdict.UNPLAYED]
        if unplayed:
            yield f"{name} had used up its time for all games: {len(unplayed)} were not played and count as lost."


def _listed(games: list[int]) -> str:
    rest = len(games) - MAX_LISTED
    more = f" and {rest} more" if rest > 0 else ""
    return f"game {games[0]}" if len(games) == 1 else f"games {', '.join(map(str, games[:MAX_LISTED]))}{more}"
