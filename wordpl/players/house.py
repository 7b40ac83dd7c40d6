"""A house for players: their working directory, and the process that forks them."""

from pathlib import Path
from types import TracebackType
from typing import Protocol

from wordpl.players.base import Player
from wordpl.players.folder import working_folder
from wordpl.players.nursery import Nursery
from wordpl.players.process import Limits, ProcessPlayer
from wordpl.players.trusted import TrustedPlayer
from wordpl.records import EntryInfo
from wordpl.words import WordLists

TRUSTED = "trusted"
PROCESS = "process"


class Terms(Protocol):
    """What decides how an entry runs; a run's info has it."""

    player: str
    warmup_s: float
    memory_mb: int


class House:
    """Makes players for one contest in one worker. Used as a context, it ends them all when it is left."""

    def __init__(self, lists: WordLists, parent: Path):
        self.folder = working_folder(lists, parent)
        self._nursery = Nursery(self.folder)

    def player(self, entry: EntryInfo, terms: Terms) -> Player:
        """Return a player for the entry: a process of its own, or this process when the terms trust it."""
        return TrustedPlayer(entry, self.folder) if terms.player == TRUSTED else self.isolated(entry, terms)

    def isolated(self, entry: EntryInfo, terms: Terms, *, show_output: bool = False) -> ProcessPlayer:
        """Return a player in a process of its own, whatever the terms trust; its prints go nowhere unless shown."""
        return ProcessPlayer(self._nursery, entry, Limits(terms.warmup_s, terms.memory_mb), show_output=show_output)

    def close(self) -> None:
        """End all players."""
        self._nursery.close()

    def __enter__(self) -> "House":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()
