"""The player pool of a worker: creates players, with their working directories and fork servers."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from msgspec import structs

from wordpl.core import entry_files, paths
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import RunConfig
from wordpl.core.words import WordLists
from wordpl.players import bundled, cache_folder, program_build
from wordpl.players.base import Player, PlayerError
from wordpl.players.fork_client import ForkClient, Request
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.process import ProcessPlayer
from wordpl.players.sandbox import bubblewrap, capabilities, fs_policy, probe
from wordpl.players.sandbox.build_sandbox import CONFINED_LEVELS
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy
from wordpl.players.workdir import working_folder
from wordpl.strategy import EntryError

UNCONFINED_MESSAGE = (
    "its cache cannot be filled: at sandbox level {level}, it could also write to other files. Caches are filled at "
    "levels A and B; with --trust, an entry writes to its own folder."
)


class PlayerPool:
    """Creates the players of one worker. As a context manager, it stops all players at the end."""

    def __init__(
        self,
        lists: WordLists,
        parent: Path,
        hidden: Iterable[Path] = (),
        shown: Iterable[Path] = (),
        rivals: Iterable[Path] = (),
        caches: Path | None = None,
    ):
        """Create a pool.

        Args:
            parent: The folder for the players' working directories.
            hidden: Files and folders that players must not read, such as that of the run.
            shown: Folders with entries' files. Entries elsewhere need another fork server, which takes a second.
            rivals: The files of all entries. A player may read its own files and bundled ones, but not the others.
            caches: The folder with the entries' caches by their digests.
        """
        self.folder = working_folder(lists, parent)
        self._shown = [fs_policy.strategies(), self.folder.parent, *shown]
        self._hidden = fs_policy.aliases([*_result_folders(), *hidden])
        self._rivals = {
            path.resolve(): _EntryFiles.of(path.resolve()) for path in rivals if not bundled.is_bundled(path)
        }
        self._lists, self._caches = lists, caches
        self._fork_clients: dict[tuple[Level, tuple[Path, ...], tuple[Path, ...]], ForkClient] = {}

    def player(self, entry: EntryInfo, config: RunConfig) -> Player:
        """Return a player for the entry: in its own process, or in this process if entries are trusted."""
        if config.is_trusted and not entry.file.endswith(entry_files.PROGRAM):
            return TrustedPlayer(entry, self.folder)
        return self.isolated(entry, config)

    def isolated(self, entry: EntryInfo, config: RunConfig, *, output: int | None = None) -> ProcessPlayer:
        """Return a player in its own process, even if entries are trusted.

        Args:
            config: The configuration of the run.
            output: The file descriptor that receives what the player prints; None: discard it.
        """
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        if entry.cache:
            place = self._cache_view(entry, file, policy)
            request = _request_in(place, entry, file, policy)
        else:
            request = self._request(entry, file, policy, trusted=config.is_trusted)
        return ProcessPlayer(self._fork_client(file, config, policy.level), request, config, output)

    def new_cache(self, entry: EntryInfo, config: RunConfig) -> Path:
        """Create a working directory for players that fill the cache of the entry's file; see `cache_folder`.

        Raises:
            UserError: At this sandbox level, such a player could also write to other files.
        """
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        if policy.level not in CONFINED_LEVELS:
            raise UserError(UNCONFINED_MESSAGE.format(level=policy.level))
        place = cache_folder.new_writable_folder(file, self._lists, self.folder.parent, map(Path, policy.hidden))
        filling = structs.replace(policy, working=str(place), fills=True)
        if program_build.changes_user(filling, file):
            os.chown(place / fs_policy.STRATEGIES, policy.user, policy.user)
        return place

    def filling(self, entry: EntryInfo, config: RunConfig, place: Path) -> ProcessPlayer:
        """Return a player that may write to the cache in a working directory created by `new_cache`."""
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        request = _request_in(place, entry, file, structs.replace(policy, fills=True))
        written = (place / fs_policy.STRATEGIES,)
        return ProcessPlayer(self._fork_client(file, config, policy.level, written), request, config)

    def freeze(self, entry: EntryInfo, config: RunConfig, place: Path, store: Path) -> str:
        """Copy a filled cache to `store`, and return its digest; see `cache_folder.freeze`."""
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        return cache_folder.freeze(file, place, store, map(Path, policy.hidden))

    def opened(self, entry: EntryInfo, config: RunConfig, files: Sequence[Path]) -> list[str]:
        """Start a player that tries to open these files, and return those that it could open.

        Raises:
            UserError: The player could not be started.
        """
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        request = Request(policy, str(file), attempts=[str(path) for path in fs_policy.aliases(files)])
        try:
            return ProcessPlayer(self._fork_client(file, config, policy.level), request, config).opened()
        except PlayerError as fault:
            raise UserError(f"no player of {entry.file} can be started: {fault.message}") from None

    def build(self, entry: EntryInfo, config: RunConfig) -> None:
        """Build the entry's program now, for all players below the same folder."""
        file = paths.find_file(entry.file)
        if file.suffix == entry_files.PROGRAM:
            self._request(entry, file, self._policy(entry, config), trusted=config.is_trusted)

    def _cache_view(self, entry: EntryInfo, file: Path, policy: SandboxPolicy) -> Path:
        if self._caches is None:
            raise UserError(f"{entry.name} uses a cache, which only runs and `wordpl check` support.")
        cache = self._caches / str(entry.cache)
        return cache_folder.shared_folder(file, self._lists, self.folder.parent, map(Path, policy.hidden), cache)

    def _policy(self, entry: EntryInfo, config: RunConfig) -> SandboxPolicy:
        level = Level(config.level) if config.level else probe.probe().level
        file = paths.find_file(entry.file)
        hidden = [*self._hidden, *_files_of_others(file, self._rivals)]
        if level.is_official:
            _require_readable(file, self.folder, hidden)
        return SandboxPolicy(
            level,
            config.memory_mb,
            config.limits.open_files,
            folder=str(file.parent),
            working=str(self.folder),
            hidden=tuple(map(str, hidden)),
            user=capabilities.new_user(),
        )

    def _fork_client(self, file: Path, config: RunConfig, level: Level, written: tuple[Path, ...] = ()) -> ForkClient:
        is_shown = level != Level.A or any(file.is_relative_to(folder.resolve()) for folder in self._shown)
        extra_folders = () if is_shown else (file.parent,)
        if (level, extra_folders, written) not in self._fork_clients:
            view = bubblewrap.View(self.folder, [*self._shown, *extra_folders], written, self._hidden)
            self._fork_clients[level, extra_folders, written] = ForkClient(view, level, config.memory_mb)
        return self._fork_clients[level, extra_folders, written]

    def _request(self, entry: EntryInfo, file: Path, policy: SandboxPolicy, *, trusted: bool) -> Request:
        if file.suffix != entry_files.PROGRAM:
            return Request(policy, str(file), entry.make, entry.game_id)
        try:
            built = program_build.build(file, self.folder.parent, policy, trusted=trusted)
        except (EntryError, UserError) as fault:
            return Request(policy, str(file), broken=str(fault))
        program = entry_files.read_program(file)
        game_id, name = entry.game_id or program.game, entry.name or program.name or file.stem
        policy = structs.replace(policy, program=True, built=str(built))
        command = program_build.command(file, built)
        return Request(policy, str(file), game_id=game_id, command=command, ready=[("", name, game_id)])

    def close(self) -> None:
        """Stop all players."""
        for fork_client in self._fork_clients.values():
            fork_client.close()

    def __enter__(self) -> "PlayerPool":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()


def _request_in(place: Path, entry: EntryInfo, file: Path, policy: SandboxPolicy) -> Request:
    """Return the request for a player in a working directory that has a copy of its file."""
    policy = structs.replace(policy, working=str(place))
    return Request(policy, str(place / fs_policy.STRATEGIES / file.name), entry.make, entry.game_id)


def _result_folders() -> list[Path]:
    return [paths.bundled() / "results", Path.cwd() / "results"]


@dataclass(frozen=True)
class _EntryFiles:
    """The files of an entry: its own, and its companions, which other entries may share."""

    own: list[Path]
    shared: list[Path]

    @classmethod
    def of(cls, file: Path, without: Collection[Path] = ()) -> "_EntryFiles":
        try:
            own, beside = entry_files.source_files(file), entry_files.companions(file, without)
        except (UserError, OSError):
            return cls([file], [])
        return cls(
            [path.resolve() for path in own], [path.resolve() for path in beside if not bundled.is_bundled(path)]
        )


def _files_of_others(file: Path, rivals: Mapping[Path, _EntryFiles]) -> list[Path]:
    """Return the files of other entries that this entry must not read.

    It may read a companion of another entry that it uses as well, but never another entry's own file.

    Args:
        file: The entry's file.
        rivals: The files of all entries by the entry's file.
    """
    every_own = {path for files in rivals.values() for path in files.own}
    own_files = _EntryFiles.of(file, every_own)
    own, shared = set(own_files.own), {*own_files.own, *own_files.shared}
    named = {path for files in rivals.values() for path in files.shared} - every_own
    return sorted((every_own - own) | (named - shared))


def _require_readable(file: Path, working: Path, hidden: Sequence[Path]) -> None:
    """Check that nothing that players need is in a hidden folder.

    Raises:
        UserError: Something is.
    """
    paths = fs_policy.HiddenPaths(hidden)
    for path in [*fs_policy.interpreter(), *fs_policy.project(), working, file]:
        if paths.covers(path.resolve()):
            raise UserError(
                f"players need {path}, but it is in a folder that they must not read: choose another folder with "
                "--results, or move the entry."
            )
