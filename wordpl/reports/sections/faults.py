"""The games that ended by a fault, with their messages."""

from collections.abc import Iterator

from wordpl.reports.elements import Column, Detail, Part, RunSection, Table, Text
from wordpl.reports.results import RunResults
from wordpl.reports.standings import FAULTS

MAX_FAULTS = 50
MESSAGE_CHARACTERS = 400


def parts(results: RunResults) -> Iterator[Part]:
    """Yield a table for each game with faults, grouped by entry and message."""
    for board in results.boards:
        rows = results.rows_of(board)
        faults = rows[rows["verdict"].isin([str(verdict) for verdict in FAULTS])]
        if faults.empty:
            continue
        entries = results.entries(board)
        kinds = faults.groupby(["entry", "verdict", "message"], sort=False, observed=True)["game"].agg(["size", "min"])
        cells = [
            (entries[entry], int(n_games), int(first), str(verdict), _message(message))
            for (entry, verdict, message), n_games, first in kinds.head(MAX_FAULTS).itertuples()
        ]
        limit_note = f" (first {MAX_FAULTS} kinds shown)" if len(kinds) > MAX_FAULTS else ""
        texts = [Column("verdict", "text"), Column("message", "text")]
        columns = [Column("strategy", "name"), Column("games"), Column("first game"), *texts]
        yield Table(f"{board.rules}: games lost by a fault: {len(faults):,}{limit_note}", columns, cells)


def _message(message: str) -> Text:
    """Return a message on one line, without the underlining of a traceback."""
    line = " ⏎ ".join(line.strip() for line in message.splitlines() if line.strip(" ^~"))
    return Text(line, "code", max_length=MESSAGE_CHARACTERS)


SECTION = RunSection(title="Faults", parts=parts, place=35, level=Detail.FULL)
