"""The findings of a verification."""

from dataclasses import dataclass, field

MAX_CHARACTERS = 160
NOT_COVERED = (
    "durations/ and the CPU times in tables: no digest covers them, and a replay cannot reproduce them",
    "report.html: no digest covers it; `wordpl report` writes it again",
    "verdicts that depend on time, memory or a crash: a host could invent them; --replay N replays games",
    "repeated attempts: a host could play a game several times, keep one result, and not list the game as played again",
    "a folder forged completely by somebody who knows the seed: compare the commitment with the published one, "
    "or give that one with --commitment",
)
"""What cannot be verified from the folder of a run alone."""


@dataclass(frozen=True)
class Difference:
    """A deviation from what the seed and the rules imply.

    Attributes:
        source: The name of the entry whose records deviate, or the name of the file.
        place: The place in the source, such as "game 17"; "" if it is not a single place.
        what: What deviates, such as "the verdict".
        found: The value found.
        expected: The value expected.
    """

    source: str
    place: str
    what: str
    found: str
    expected: str

    def __str__(self) -> str:
        """Return the difference as a sentence. It may quote untrusted text, so escape it before you show it."""
        where = f"{self.source}, {self.place}" if self.place else self.source
        return f"{where}: {self.what} is {self.found[:MAX_CHARACTERS]}, expected {self.expected[:MAX_CHARACTERS]}"


@dataclass
class Findings:
    """The result of a verification.

    Attributes:
        n_games: The number of games checked.
        differences: The deviations found.
        notes: What could not be checked, and why.
    """

    n_games: int = 0
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __repr__(self) -> str:
        """Return the number of games and of differences, and the first difference."""
        first = f": {self.differences[0]}" if self.differences else ""
        verdict = "all holds" if self.holds else f"{len(self.differences):,} differences{first}"
        return f"Findings({self.n_games:,} games, {verdict})"

    @property
    def holds(self) -> bool:
        """Whether nothing deviates."""
        return not self.differences
