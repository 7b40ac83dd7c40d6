"""The result of `wordpl verify`: checks of the tables and the commitment, and sentences about all findings."""

from collections import Counter
from collections.abc import Iterator, Sequence

from wordpl.contest import official
from wordpl.contest.spot_check import SpotCheck
from wordpl.core.errors import UserError
from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.core.records import Run, RunInfo
from wordpl.core.run_records import RunRecords
from wordpl.core.words import WordLists
from wordpl.reports import recomputed_tables
from wordpl.reports.irregular_games import irregularities
from wordpl.verify import NOT_COVERED, Difference, Findings

LINE_CHARACTERS = 1000


def add_tables(findings: Findings, run: Run, lists: WordLists) -> None:
    """Add the differences in the tables of a finished run, or a note if the tables cannot be recomputed."""
    if run.info.seed is None or run.info.finished is None:
        return
    try:
        findings.differences += recomputed_tables.differences(RunRecords(run), lists)
    except UserError as error:
        findings.notes.append(f"scores.csv and LEADERBOARD.md: {error.message}")


def add_commitment(findings: Findings, info: RunInfo, published: str | None) -> None:
    """Add a difference if the run's commitment is not the published one."""
    given = "" if published is None else published.strip().lower()
    if published is not None and info.commitment != given:
        own = str(info.commitment or "none")
        findings.differences.append(Difference("run.json", "", "the commitment", own, f"{given}, as published"))


def add_replayed(findings: Findings, found: SpotCheck) -> None:
    """Add the differences of replayed games, and notes about games that could not be replayed or compared."""
    findings.differences += found.differences
    findings.notes += [f"games of {entry.name}: {entry.file} is missing or has changed." for entry in found.missing]
    if found.n_cut_short:
        many = f"{found.n_cut_short} of the replayed games"
        findings.notes.append(f"{many}: they were cut short before anything differed.")


def sentences(run: Run, findings: Findings, most: int) -> Iterator[str]:
    """Yield the findings, and what was not checked, with at most `most` differences per entry and file."""
    found = [
        *_differences(findings.differences, most),
        *(f"Not checked: {note}" for note in findings.notes),
        *(f"Not covered: {what}." for what in NOT_COVERED),
        *irregularities(RunRecords(run)),
        *(f"{name}: {value}" for name, value in official.facts(run.info).items()),
        f"Replayed from the seed: {amount(findings.n_games, 'game')}, entries: {len(run.info.entries)}.",
        f"Differences: {len(findings.differences):,}." if findings.differences else "All holds.",
    ]
    yield from (sanitize_untrusted_text(line, LINE_CHARACTERS) for line in found)


def _differences(differences: Sequence[Difference], most: int) -> Iterator[str]:
    """Yield at most `most` differences per entry and file, and the number of the others."""
    shown: Counter[str] = Counter()
    for difference in differences:
        shown[difference.source] += 1
        if shown[difference.source] <= most:
            yield str(difference)
    for source, n_found in shown.items():
        if n_found > most:
            yield f"{source}: {n_found - most:,} more differences; --all shows them."
