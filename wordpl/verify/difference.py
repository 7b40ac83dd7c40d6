"""What a verification finds."""

from dataclasses import dataclass, field

MAX_CHARACTERS = 160
NOT_COVERED = (
    "durations/, and with them the CPU times of tables: no digest covers how long games took, and no replay shows it",
    "report.html: no digest covers it; `wordpl report` makes it again",
    "verdicts that hang on time, memory or a crash: a host could invent them; --replay N plays games again",
    "games that a host played twice and did not list: a folder shows only those that it lists",
    "a folder made up from beginning to end by somebody who holds the seed: compare the commitment with the one that "
    "was published, or give that with --against",
)
"""What no check of the folder alone can show."""


@dataclass(frozen=True)
class Difference:
    """Something that is not as the seed and the rules make it.

    Attributes:
        source: the entry whose records it is in, or the file
        place: where in there, such as "game 17"; empty for what is not in one place
    """

    source: str
    place: str
    what: str
    found: str
    expected: str

    def __str__(self) -> str:
        """Return the difference as a sentence. It may quote untrusted text: escape it where it is shown."""
        where = f"{self.source}, {self.place}" if self.place else self.source
        return f"{where}: {self.what} is {self.found[:MAX_CHARACTERS]}, expected {self.expected[:MAX_CHARACTERS]}"


@dataclass
class Findings:
    """All that a verification found.

    Attributes:
        notes: what could not be checked, and why
    """

    n_games: int = 0
    differences: list[Difference] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
