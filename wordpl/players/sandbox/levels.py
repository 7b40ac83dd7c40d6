"""How far a player is walled off: four levels, best first, and what to tell a reader of each."""

from enum import StrEnum


class Level(StrEnum):
    """A level of isolation; a letter further on holds less."""

    A = "A"
    B = "B"
    C = "C"
    D = "D"

    @property
    def mechanisms(self) -> str:
        """What makes this level."""
        return _MECHANISMS[self]

    @property
    def meaning(self) -> str:
        """What it comes to, in a sentence."""
        return _MEANINGS[self]

    @property
    def is_official(self) -> bool:
        """Whether an official result may be played at this level."""
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
