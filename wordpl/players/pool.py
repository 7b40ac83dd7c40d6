"""A pool for players: their working directory, and the processes that fork them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

from msgspec import structs

from wordpl.core import entry_files
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo
from wordpl.core.words import HOME, WordLists
from wordpl.players import bundled, program_build
from wordpl.players.base import Player, PlayerFault, Terms
from wordpl.players.fork_client import ForkClient, Request
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.process import ProcessPlayer
from wordpl.players.sandbox import capabilities, fs_policy, mounts, probe
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy
from wordpl.players.workdir import working_folder
from wordpl.strategy import EntryFault

TRUSTED = "trusted"
PROCESS = "process"


class PlayerPool:
    """Makes players for one contest in one worker. Used as a context, it ends them all when it is left.

    hidden: folders and files that players must not read, such as that of the run
    shown: folders in which entries' files lie; those of strategies/ are, and others can be at the cost of a second
    rivals: the files of all entries; a player reads its own and those that come with the project
    """

    def __init__(
        self,
        lists: WordLists,
        parent: Path,
        hidden: Iterable[Path] = (),
        shown: Iterable[Path] = (),
        rivals: Iterable[Path] = (),
    ):
        self.folder = working_folder(lists, parent)
        self._shown = [fs_policy.strategies(), self.folder.parent, *shown]
        self._hidden = mounts.aliases([HOME / "results", *hidden])
        self._rivals = [path.resolve() for path in rivals]
        self._fork_clients: dict[tuple[Level, tuple[Path, ...]], ForkClient] = {}

    def player(self, entry: EntryInfo, terms: Terms) -> Player:
        """Return a player for the entry: a process of its own, or this process when the terms trust it."""
        if terms.player == TRUSTED and not entry.file.endswith(entry_files.PROGRAM):
            return TrustedPlayer(entry, self.folder)
        return self.isolated(entry, terms)

    def isolated(self, entry: EntryInfo, terms: Terms, *, output: int | None = None) -> ProcessPlayer:
        """Return a player in a process of its own, whatever the terms trust; output: an open file for its prints."""
        file, policy = (HOME / entry.file).resolve(), self._policy(entry, terms)
        request = self._request(entry, file, policy, trusted=terms.player == TRUSTED)
        return ProcessPlayer(self._fork_client(file, terms, policy.level), request, terms, output)

    def opened(self, entry: EntryInfo, terms: Terms, paths: Sequence[Path]) -> list[str]:
        """Return which of these files a player of the entry could open, found out by one that tries.

        Raises UserError where such a player cannot even start.
        """
        file, policy = (HOME / entry.file).resolve(), self._policy(entry, terms)
        request = Request(policy, str(file), attempts=[str(path) for path in mounts.aliases(paths)])
        try:
            return ProcessPlayer(self._fork_client(file, terms, policy.level), request, terms).opened()
        except PlayerFault as fault:
            raise UserError(f"no player of {entry.file} can be started: {fault.message}") from None

    def _policy(self, entry: EntryInfo, terms: Terms) -> SandboxPolicy:
        level = Level(terms.level) if terms.level else probe.probe().level
        file = (HOME / entry.file).resolve()
        hidden = [*self._hidden, *_others(file, self._rivals)]
        if level.is_official:
            _require_room(file, self.folder, hidden)
        return SandboxPolicy(
            level,
            terms.memory_mb,
            terms.limits.open_files,
            folder=str(file.parent),
            working=str(self.folder),
            hidden=tuple(map(str, hidden)),
            user=capabilities.new_user(),
        )

    def _fork_client(self, file: Path, terms: Terms, level: Level) -> ForkClient:
        is_shown = level != Level.A or any(file.is_relative_to(folder.resolve()) for folder in self._shown)
        more = () if is_shown else (file.parent,)
        if (level, more) not in self._fork_clients:
            shown = [*self._shown, *more]
            self._fork_clients[level, more] = ForkClient(self.folder, level, terms.memory_mb, shown, self._hidden)
        return self._fork_clients[level, more]

    def _request(self, entry: EntryInfo, file: Path, policy: SandboxPolicy, *, trusted: bool) -> Request:
        if file.suffix != entry_files.PROGRAM:
            return Request(policy, str(file), entry.make, entry.rules)
        try:
            built = program_build.build(file, self.folder.parent, policy, trusted=trusted)
        except (EntryFault, UserError) as fault:
            return Request(policy, str(file), broken=str(fault))
        program = entry_files.read_program(file)
        rules, name = entry.rules or program.game, entry.name or program.name or file.stem
        policy = structs.replace(policy, program=True, built=str(built))
        return Request(
            policy, str(file), rules=rules, command=program_build.command(file, built), ready=[("", name, rules)]
        )

    def close(self) -> None:
        """End all players."""
        for fork_client in self._fork_clients.values():
            fork_client.close()

    def __enter__(self) -> "PlayerPool":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()


def _others(file: Path, rivals: Iterable[Path]) -> list[Path]:
    """Return the files of other entries, but for those that come with the project and that anybody may read."""
    own = set(_parts(file))
    return [part for rival in rivals if not bundled.is_bundled(rival) for part in _parts(rival) if part not in own]


def _parts(file: Path) -> list[Path]:
    try:
        return [path.resolve() for path in entry_files.parts(file)]
    except UserError:
        return [file]


def _require_room(file: Path, working: Path, hidden: Sequence[Path]) -> None:
    """Raise UserError where something that players need lies in a folder that they must not read."""
    for path in [*fs_policy.interpreter(), *fs_policy.project(), working, file]:
        for one in hidden:
            if path.resolve().is_relative_to(one):
                raise UserError(
                    f"players must not read {one}, but need {path}, which lies inside: choose another folder "
                    "with --results, or put the entry elsewhere."
                )
