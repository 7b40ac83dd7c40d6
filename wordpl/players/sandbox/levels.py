"""The four sandbox levels of players, strongest first, and their descriptions."""

from enum import StrEnum


class Level(StrEnum):
    """A sandbox level; A is the strongest."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"

    @property
    def mechanisms(self) -> str:
        """The mechanisms of this level, as text."""
        return _MECHANISMS[self]

    @property
    def meaning(self) -> str:
        """What this level protects, as text."""
        return _MEANINGS[self]

    @property
    def is_official(self) -> bool:
        """Whether official runs may be played at this level."""
        return self <= Level.B


_MECHANISMS = {
    Level.A: "bubblewrap, Landlock, seccomp",
    Level.B: "Landlock, seccomp",
    Level.C: "seccomp",
    Level.D: "limits of a process",
}
_MEANINGS = {
    Level.A: "isolated, in namespaces of its own",
    Level.B: "isolated; a player can see which processes and files there are",
    Level.C: "files can be read by players: not for secrets on disk",
    Level.D: "NOT isolated: for code you trust",
}
