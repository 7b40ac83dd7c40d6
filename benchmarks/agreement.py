"""Write docs/agreement.md from docs/data/published.csv: `python -m benchmarks.agreement`."""

import csv
from pathlib import Path

TOP = Path(__file__).resolve().parent.parent
TABLE, PAGE = TOP / "docs" / "data" / "published.csv", TOP / "docs" / "agreement.md"
BEGIN, END = "<!-- rows -->\n", "<!-- end of rows -->\n"
HEAD = "| | published | here | how |\n|---|--:|--:|---|\n"


def rows() -> list[dict[str, str]]:
    """Return the rows: id, by, what, published, here, how, why it differs ("" if it does not), and date."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def page() -> str:
    """Return the page with the rows of the table, a section for each source; the newest date is not repeated."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    sources = list(dict.fromkeys(row["by"] for row in rows()))
    newest = max(row["date"] for row in rows())
    sections = []
    for source in sources:
        lines = [
            f"| {row['what']} | {row['published']} | {row['here']} | {row['how']}"
            + (f", {row['date']}" if row["date"] != newest else "")
            + (f". *Differs:* {row['why']}" if row["why"] else "")
            + " |\n"
            for row in rows()
            if row["by"] == source
        ]
        sections.append(f"\n## {source}\n\n{HEAD}{''.join(lines)}")
    return (
        f"{before}{BEGIN}\nAll of {newest}, unless another day is named.\n"
        + "".join(sections)
        + "\n"
        + END
        + rest.partition(END)[2]
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
