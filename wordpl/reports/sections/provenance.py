"""Facts about the run: its seed, limits, word lists, versions and machine."""

from collections.abc import Iterator

from wordpl.reports.elements import Detail, Facts, Note, Part, RunSection
from wordpl.reports.results import RunResults


def parts(results: RunResults) -> Iterator[Part]:
    """Yield the facts, what `wordpl verify` found, and the commands that reproduce the run."""
    if results.facts:
        yield Facts(results.facts)
    if results.verified:
        yield Note(results.verified, title="Result of wordpl verify")
    elif results.commands:
        yield Note(["Anybody can recompute this run from its seed: `wordpl verify` does it, with the command below."])
    if results.commands:
        yield Note(results.commands, "commands", title="Commands to reproduce")


SECTION = RunSection(title="Provenance", parts=parts, place=90, level=Detail.FULL, is_of_games=False)
