"""The boards of records from several runs and from evidence, and the pages that contain them.

Each official run is sized for one quantile. The board of a quantile comes from the first run that shows it, in the
order in which the host lists the runs: choosing the luckier of two runs would be multiple testing. Evidence by
enumeration comes before the games of runs, since it does not depend on a sample.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.contest import command_lines
from wordpl.contest.evidence import Evidence
from wordpl.core import paths
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.reports import record_board
from wordpl.reports.plain_table import PlainTable
from wordpl.reports.record_report import RecordReport, unfit
from wordpl.stats.compare import RecordRow


@dataclass(frozen=True)
class RecordBoard:
    """The board of a quantile.

    Attributes:
        q: The quantile.
        rows: The rows of the games of one run, the holder of the record first.
        proven: The evidence by enumeration, the smallest budget first.
        report: The run of the rows.
    """

    q: float
    rows: Sequence[RecordRow]
    proven: Sequence[Evidence]
    report: RecordReport


def boards(reports: Sequence[RecordReport], evidence: Sequence[Evidence] = ()) -> list[RecordBoard]:
    """Return the board of each quantile.

    Args:
        reports: The reports of runs of the same game; a quantile uses the first run that shows it.
        evidence: The evidence by enumeration.

    Raises:
        UserError: The runs or the evidence use different games or word lists.
    """
    _require_one_game(reports, evidence)
    found = []
    for q in reports[0].champions:
        report = next((one for one in reports if _shows(one.champions[q])), reports[0])
        proven = sorted(
            (one for one in evidence if _quantile_shown(one, reports[0].champions) == q),
            key=lambda one: (one.budget, one.entry.name),
        )
        found.append(RecordBoard(q, report.champions[q], proven, report))
    return found


def tables(found: Sequence[RecordBoard]) -> list[PlainTable]:
    """Return a table for each board; the last one has the legend."""
    last = found[-1]
    return [record_board.table(board.q, board.rows, board.proven, is_last=board is last) for board in found]


def section(reports: Sequence[RecordReport], evidence: Sequence[Evidence]) -> str:
    """Return the boards as Markdown, with their sources.

    Raises:
        UserError: A run cannot hold records.
    """
    for report in reports:
        if reasons := list(unfit(report.info)):
            raise UserError(f"{report.folder} cannot hold records: {'; '.join(reasons)}.")
    sources = [_source(report) for report in reports]
    if evidence:
        sources.append(
            "Proved results were enumerated instead of played. To check them, use `wordpl record --check FILE` with "
            "the files in `results/evidence`; docs/records.md describes what exactly is proved."
        )
    remarks = [remark for report in reports for remark in report.remarks]
    return record_board.section(tables(boards(reports, evidence)), " ".join(sources), list(dict.fromkeys(remarks)))


def write(pages: Sequence[Path], reports: Sequence[RecordReport], evidence: Sequence[Evidence]) -> None:
    """Write the boards between the markers of each page; if a page has no markers, none is written."""
    text = section(reports, evidence)
    made = {}
    for page in pages:
        try:
            made[page] = record_board.rewritten(page.read_text(encoding="utf-8"), text)
        except UserError as error:
            raise UserError(f"{page}: {error.message}") from None
    for page, whole in made.items():
        write_atomically(page, whole.encode())


def _source(report: RecordReport) -> str:
    info, folder = report.info, paths.relative_to_cwd(report.folder)
    return (
        f"From the official run `{folder}` of {info.started[:10]}, {info.n_games:,} games for each entry on the same "
        f"secrets and noise; to check it: `{command_lines.verify_command(report.folder)}`."
    )


def _quantile_shown(one: Evidence, quantiles: Iterable[float]) -> float | None:
    """Return the largest quantile that the entry reaches, or None; it competes only there."""
    return max((q for q in quantiles if one.chance > q), default=None)


def _shows(rows: Sequence[RecordRow]) -> bool:
    """Return whether the rows contain a record."""
    return bool(rows) and rows[0].claim.is_record


def _require_one_game(reports: Sequence[RecordReport], evidence: Sequence[Evidence]) -> None:
    games = {report.game_id for report in reports} | {one.entry.game_id for one in evidence}
    if len(games) > 1:
        raise UserError(
            f"these are for different games, {' and '.join(sorted(games))}: a board of records is for one game."
        )
    digests = [{name: str(info["sha256"]) for name, info in report.info.lists.items()} for report in reports]
    digests += [one.lists for one in evidence]
    if any(one != digests[0] for one in digests):
        raise UserError("these use different word lists: a board of records is for one pair of lists.")
