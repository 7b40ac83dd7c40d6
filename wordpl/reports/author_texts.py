"""Texts for the author of an entry: the result of a check, and a replayed game with true and seen clues."""

from collections.abc import Iterator, Sequence
from math import inf

from wordpl import games
from wordpl.contest.contest import ReplayedGame
from wordpl.contest.preflight import Check, CheckResult, FileSummary
from wordpl.core.moves import ClassicMove, budget_text
from wordpl.players.sandbox.levels import Level
from wordpl.reports.elements import Section
from wordpl.reports.names import in_markdown
from wordpl.reports.renderers import markdown_facts, markdown_section
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, cost

MAX_MESSAGE_CHARACTERS = 1000
TO_REPLAY = "To replay: "
"""How a line with a command begins."""
N_FIRST, N_LAST = 4, 8
"""The numbers of lines of a longer error that are shown of its start and of its end."""


def check_lines(checks: Sequence[Check], *, full: bool = True) -> Iterator[str]:
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


def check_facts(file: FileSummary) -> dict[str, str]:
    """Return the facts about a file that a reviewer needs, as text."""
    sizes = ", ".join(f"{name} ({size:,} bytes)" for name, size in file.parts.items())
    kind = "runs" if file.file.suffix == ".toml" else "imports"
    return {"file": sizes, "SHA-256": file.sha256, kind: ", ".join(file.uses) or "nothing"}


def check_terms(found: CheckResult, level: str) -> dict[str, str]:
    """Return the conditions under which the games were played, as text."""
    facts = {"isolation": f"level {level}, {Level(level).meaning}"}
    if found.records is None:
        return facts
    info = found.records.info
    return facts | {"seed": str(info.seed), "games for each entry": str(info.config.n_games)}


def check_page(
    checks: Sequence[Check], files: Sequence[FileSummary], sections: Sequence[Section], facts_of_run: dict[str, str]
) -> str:
    """Return the Markdown page with the results of all checks, the facts for a reviewer, and the tables."""
    n_failed = sum(not check.passed for check in checks)
    head = f"# Check: {f'{n_failed} failed' if n_failed else 'passed'}"
    rows = ["| | what | found |", "|---|---|---|"]
    rows += [f"| {'pass' if check.passed else '**FAIL**'} | {check.name} | {_found(check)} |" for check in checks]
    fact_lists = [markdown_facts(facts) for facts in (*map(check_facts, files), facts_of_run)]
    tables = [markdown_section(section) for section in sections]
    return "\n\n".join([head, "\n".join(rows), *fact_lists, *tables]) + "\n"


def _found(check: Check) -> str:
    last = check.details.strip().splitlines()[-1:]
    replay = [f"{TO_REPLAY}{check.replay}"] if check.replay else []
    return "<br>".join(in_markdown(text, MAX_MESSAGE_CHARACTERS) for text in [f"{check.message}.", *last, *replay])


def replay_lines(played: ReplayedGame) -> Iterator[str]:
    """Yield the lines that show the game."""
    entry, record = played.entry, played.record
    yield f"{entry.name} plays game {record.game} of {entry.game.id}, seed {played.seed}. {secret_of(record)}"
    yield from move_lines(record, played.game)
    yield f"{ending(record, entry)} It took {played.duration.wall_s:.3f} s."


def secret_of(record: Record) -> str:
    """Return a sentence with the secret."""
    return f"The secret is {record.secret}." if record.secret else "There is no fixed secret."


def move_lines(record: Record, game: games.Game) -> Iterator[str]:
    """Yield a line for each move; in a noisy game with the true clue, the clue that was seen, and the differences."""
    for number, move in enumerate(record.moves, 1):
        line = f"{number:3}  {move.guess}"
        if isinstance(move, ClassicMove):
            yield f"{line}  {move.clues}"
        elif move.is_answer:
            yield f"{line}  proposed as the answer"
        else:
            true_clues = game.clue(move.guess, record.secret)
            change_marks = "".join("^" if a != b else " " for a, b in zip(true_clues, move.clues, strict=True)).rstrip()
            yield f"{line}  epsilon {move.epsilon:<8.6g} true {true_clues}  seen {move.clues}  {change_marks}".rstrip()


def ending(record: Record, entry: EntryInfo) -> str:
    """Return a sentence that says how the game ended."""
    if record.message:
        return f"Verdict: {record.verdict}.\n{record.message}\n"
    paid = cost(record, entry.game)
    return f"Verdict: {record.verdict}." + (f" Cost: {budget_text(paid)} ({entry.game.unit})." if paid < inf else "")
