"""Lines that say who solved which puzzle in how many guesses."""

import re

from wordpl.apps.league.posts import Person, ReportedResult, ResultPost
from wordpl.apps.league.sources import OpenedSource, SourceKind

LINE = re.compile(r"(.+) solved (\d+) in ([1-6])")


def open_lines(file):
    """Open a text of such lines."""
    found = [LINE.fullmatch(line) for line in file.text.splitlines()]
    if not found or not all(found):
        return None
    results = [ReportedResult(Person(line[1], False), int(line[2]), int(line[3])) for line in found]
    return OpenedSource([[ResultPost("lines", "lines", tuple(results))]])


SOURCES = [SourceKind("lines such as 'Doris Day solved 1234 in 4'", 60, open_lines)]
