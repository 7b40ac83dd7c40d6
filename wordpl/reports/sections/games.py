"""The games of the run, to be listed and replayed."""

from collections.abc import Iterator

from wordpl.core.messages import amount
from wordpl.reports.elements import Detail, GameList, Part, RunSection
from wordpl.reports.results import RunResults


def parts(results: RunResults) -> Iterator[Part]:
    """Yield the games, if their moves are known."""
    if results.has_moves and len(results.games):
        yield GameList(amount(len(results.games), "game"))


SECTION = RunSection(title="Games", parts=parts, place=80, level=Detail.DETAILS)
