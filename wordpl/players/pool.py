"""A pool for players: their working directory, and the processes that fork them."""

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from msgspec import structs

from wordpl.core import entry_files
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import RunConfig
from wordpl.core.words import HOME, WordLists
from wordpl.players import program_build
from wordpl.players.base import Player
from wordpl.players.fork_client import ForkClient, Request
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.process import ProcessPlayer
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy
from wordpl.players.workdir import working_folder
from wordpl.strategy import EntryError


class PlayerPool:
    """Makes players for one contest in one worker. Used as a context, it ends them all when it is left.

    hidden: folders that players must not read, such as that of the run
    shown: folders in which entries' files lie; those of strategies/ are, and others can be at the cost of a second
    """

    def __init__(self, lists: WordLists, parent: Path, hidden: Iterable[Path] = (), shown: Iterable[Path] = ()):
        self.folder = working_folder(lists, parent)
        self._shown = [HOME / "strategies", self.folder.parent, *shown]
        self._hidden = tuple(str(path.resolve()) for path in [HOME / "results", *hidden])
        self._fork_clients: dict[tuple[Level, tuple[Path, ...]], ForkClient] = {}

    def player(self, entry: EntryInfo, config: RunConfig) -> Player:
        """Return a player for the entry: a process of its own, or this process when the config trusts it."""
        if config.is_trusted and not entry.file.endswith(entry_files.PROGRAM):
            return TrustedPlayer(entry, self.folder)
        return self.isolated(entry, config)

    def isolated(self, entry: EntryInfo, config: RunConfig, *, output: int | None = None) -> ProcessPlayer:
        """Return a player in a process of its own, whatever the config trusts; output: an open file for its prints."""
        level = Level(config.level) if config.level else probe.probe().level
        file = (HOME / entry.file).resolve()
        is_shown = level != Level.A or any(file.is_relative_to(folder) for folder in self._shown)
        more = () if is_shown else (file.parent,)
        if (level, more) not in self._fork_clients:
            self._fork_clients[level, more] = ForkClient(self.folder, level, config.memory_mb, [*self._shown, *more])
        held = level, config.memory_mb, config.limits.open_files
        policy = SandboxPolicy(*held, folder=str(file.parent), working=str(self.folder), hidden=self._hidden)
        return ProcessPlayer(self._fork_clients[level, more], self._request(entry, file, policy), config, output)

    def _request(self, entry: EntryInfo, file: Path, policy: SandboxPolicy) -> Request:
        if file.suffix != entry_files.PROGRAM:
            return Request(policy, str(file), entry.make, entry.game_id)
        try:
            built = program_build.build(file, self.folder.parent, policy)
        except (EntryError, UserError) as fault:
            return Request(policy, str(file), broken=str(fault))
        program = entry_files.read_program(file)
        game_id, name = entry.game_id or program.game, entry.name or program.name or file.stem
        policy = structs.replace(policy, program=True, built=str(built))
        command = program_build.command(file, built)
        return Request(policy, str(file), game_id=game_id, command=command, ready=[("", name, game_id)])

    def close(self) -> None:
        """End all players."""
        for fork_client in self._fork_clients.values():
            fork_client.close()

    def __enter__(self) -> "PlayerPool":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()
