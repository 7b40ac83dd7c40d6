"""The result of a check, as text for the terminal and as Markdown for the summary of a build."""

from collections.abc import Iterator, Sequence

from wordpl.contest.check import CheckResult
from wordpl.contest.preflight import Check, FileSummary
from wordpl.players.sandbox.levels import Level
from wordpl.reports.markdown import section_text
from wordpl.reports.names import in_markdown
from wordpl.reports.section import Section

MAX_MESSAGE_CHARACTERS = 1000
TO_REPLAY = "To replay: "
"""How a line with a command begins."""
N_FIRST, N_LAST = 1, 5
"""The numbers of lines of a longer error that are shown of its start and of its end."""


def lines(checks: Sequence[Check], *, full: bool = True) -> Iterator[str]:
    """Yield a line for each check with its result, followed by the details of a failure.

    Args:
        checks: The checks.
        full: Whether to yield all details, or only the start and the end of long ones.
    """
    width = max((len(check.name) for check in checks), default=0)
    for check in checks:
        yield f"{'pass' if check.passed else 'FAIL'}  {check.name.ljust(width)}  {check.message}."
        details = check.details.splitlines()
        if not full and len(details) > N_FIRST + N_LAST + 1:
            details[N_FIRST:-N_LAST] = ["..."]
        yield from (f"{'':{width + 8}}{line}" for line in details)
        if check.replay:
            yield f"{'':{width + 8}}{TO_REPLAY}{check.replay}"


def facts(file: FileSummary) -> dict[str, str]:
    """Return the facts about a file that a reviewer needs, as text."""
    sizes = ", ".join(f"{name} ({size:,} bytes)" for name, size in file.parts.items())
    kind = "runs" if file.file.suffix == ".toml" else "imports"
    return {"file": sizes, "SHA-256": file.sha256, kind: ", ".join(file.uses) or "nothing"}


def terms(found: CheckResult, level: str) -> dict[str, str]:
    """Return the conditions under which the games were played, as text."""
    facts = {"isolation": f"level {level}, {Level(level).meaning}"}
    if found.records is None:
        return facts
    info = found.records.info
    return facts | {"seed": str(info.seed), "games for each entry": str(info.config.n_games)}


def page(
    checks: Sequence[Check], files: Sequence[FileSummary], sections: Sequence[Section], facts_of_run: dict[str, str]
) -> str:
    """Return the Markdown page with the results of all checks, the facts for a reviewer, and the tables."""
    n_failed = sum(not check.passed for check in checks)
    head = f"# Check: {f'{n_failed} failed' if n_failed else 'passed'}"
    rows = ["| | what | found |", "|---|---|---|"]
    rows += [f"| {'pass' if check.passed else '**FAIL**'} | {check.name} | {_found(check)} |" for check in checks]
    fact_lists = [_list(facts(file)) for file in files] + [_list(facts_of_run)]
    tables = [section_text(section) for section in sections]
    return "\n\n".join([head, "\n".join(rows), *fact_lists, *tables]) + "\n"


def _found(check: Check) -> str:
    last = check.details.strip().splitlines()[-1:]
    replay = [f"{TO_REPLAY}{check.replay}"] if check.replay else []
    return "<br>".join(in_markdown(text, MAX_MESSAGE_CHARACTERS) for text in [f"{check.message}.", *last, *replay])


def _list(facts: dict[str, str]) -> str:
    return "\n".join(
        f"- {in_markdown(name)}: {in_markdown(value, MAX_MESSAGE_CHARACTERS)}" for name, value in facts.items()
    )
