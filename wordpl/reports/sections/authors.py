"""Who wrote the entries, and what they do, as their authors say."""

from collections.abc import Iterator

from wordpl.reports.elements import Column, Detail, Part, RunSection, Table, Text
from wordpl.reports.results import RunResults


def parts(results: RunResults) -> Iterator[Part]:
    """Yield a table for each game of which an entry names its author or a link."""
    columns = [Column("strategy", "name"), *(Column(head, "text") for head in ("author", "description", "link"))]
    for board in results.boards:
        entries = results.entries(board)
        found = {name: about for name, about in results.about.items() if name in entries}
        if any(about.author or about.link for about in found.values()):
            rows = [
                (entries[name], *map(Text, (about.author, about.description, about.link)))
                for name, about in sorted(found.items(), key=lambda item: entries[item[0]].number)
            ]
            yield Table(f"{board.rules}: authors", columns, rows, legend="As the authors say; nobody has checked it.")


SECTION = RunSection(title="Authors", parts=parts, place=36, level=Detail.FULL)
