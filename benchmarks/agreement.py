"""Write docs/agreement.md from docs/data/published.csv, and a table of docs/records.md from docs/data/original.csv.

`python -m benchmarks.agreement` writes both pages.
"""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
DATA = TOP / "docs" / "data"
TABLE, PAGE = DATA / "published.csv", TOP / "docs" / "agreement.md"
BEGIN, END = "<!-- rows -->\n", "<!-- end of rows -->\n"
BOTH, RECORDS = DATA / "original.csv", TOP / "docs" / "records.md"
BEGIN_BOTH, END_BOTH = "<!-- both harnesses -->\n", "<!-- end of both harnesses -->\n"
HEAD_BOTH = (
    "| entry | games | P(win), original | P(win), here | p05, p50, p95, original | here |\n|---|--:|--:|--:|---|---|\n"
)
HEAD = "| | published | here |\n|---|--:|---|\n"


def rows(table: Path = TABLE) -> list[dict[str, str]]:
    """Return the rows: id, by, what, published, here, how, why it differs ("" if it does not), and date."""
    with table.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page() -> str:
    """Return the page with the rows of the table, a section for each source; the newest date is not repeated."""
    sources = list(dict.fromkeys(row["by"] for row in rows()))
    newest = max(row["date"] for row in rows())
    sections = []
    for source in sources:
        lines = [
            f"| {row['what']} | {row['published']} | {row['here']}"
            + (f" ({row['date']})" if row["date"] != newest else "")
            + (f". *Differs:* {row['why']}" if row["why"] else "")
            + " |\n"
            for row in rows()
            if row["by"] == source
        ]
        sections.append(f"\n## {source}\n\n{HEAD}{''.join(lines)}")
    content = f"\nAll of {newest}, unless another day is named.\n{''.join(sections)}\n"
    return _between(PAGE.read_text(encoding="utf-8"), BEGIN, END, content)


def records() -> str:
    """Return docs/records.md with the games of the original contest's entries in both harnesses."""
    played = rows(BOTH)
    lines = [f"| {' | '.join(_cells(*pair))} |\n" for pair in zip(played[::2], played[1::2], strict=True)]
    days = sorted({row["date"] for row in played})
    content = f"\n{HEAD_BOTH}{''.join(lines)}\nPlayed {' to '.join(dict.fromkeys((days[0], days[-1])))}.\n\n"
    return _between(RECORDS.read_text(encoding="utf-8"), BEGIN_BOTH, END_BOTH, content)


def with_error(row: dict[str, str], name: str) -> str:
    """Return a probability of a row with its standard error, as text."""
    return " ± ".join(f"{float(row[column]):.4f}".lstrip("0") for column in (name, f"{name}_error"))


def _cells(there: dict[str, str], here: dict[str, str]) -> Iterator[str]:
    yield f"`{re.sub('(epsilon[12]?|certainty|n_guesses|epsilon_per_guess|monte_carlo)=', '', there['entry'])}`"
    yield f"{int(there['games']):,}"
    yield with_error(there, "without_luck")
    yield with_error(here, "without_luck")
    for row in (there, here):
        yield ", ".join("∞" if row[name] == "inf" else f"{float(row[name]):.4g}" for name in ("p05", "p50", "p95"))


def _between(text: str, begin: str, end: str, content: str) -> str:
    before, _, rest = text.partition(begin)
    return before + begin + content + end + rest.partition(end)[2]


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    RECORDS.write_text(records(), encoding="utf-8")
