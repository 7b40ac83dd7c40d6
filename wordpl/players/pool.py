"""A pool for players: their working directory, and the processes that fork them."""

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from msgspec import structs

from wordpl.core import companions, entry_files, paths
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import RunConfig
from wordpl.core.words import WordLists
from wordpl.players import bundled, cache_folder, program_build
from wordpl.players.base import Player, PlayerError
from wordpl.players.fork_client import ForkClient, Request
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.process import ProcessPlayer
from wordpl.players.sandbox import bubblewrap, capabilities, fs_policy, mounts, probe
from wordpl.players.sandbox.build_sandbox import CONFINED
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.policy import SandboxPolicy
from wordpl.players.workdir import working_folder
from wordpl.strategy import EntryError

NOT_CONFINED = (
    "its cache is not filled: at level {level} nothing keeps it from writing other files. Caches are filled at levels "
    "A and B; with --trust it writes into its own folder."
)


class PlayerPool:
    """Makes players for one contest in one worker. Used as a context, it ends them all when it is left.

    hidden: folders and files that players must not read, such as that of the run
    shown: folders in which entries' files lie; those of strategies/ are, and others can be at the cost of a second
    rivals: the files of all entries; a player reads its own with what belongs to it, and what comes with the project
    caches: the folder that has the entries' caches by their digests
    """

    def __init__(
        self,
        lists: WordLists,
        parent: Path,
        hidden: Iterable[Path] = (),
        shown: Iterable[Path] = (),
        rivals: Iterable[Path] = (),
        caches: Path | None = None,
    ):
        self.folder = working_folder(lists, parent)
        self._shown = [fs_policy.strategies(), self.folder.parent, *shown]
        self._hidden = mounts.aliases([*_result_folders(), *hidden])
        self._rivals = {path.resolve(): _Files.of(path.resolve()) for path in rivals if not bundled.is_bundled(path)}
        self._lists, self._caches = lists, caches
        self._fork_clients: dict[tuple[Level, tuple[Path, ...], tuple[Path, ...]], ForkClient] = {}

    def player(self, entry: EntryInfo, config: RunConfig) -> Player:
        """Return a player for the entry: a process of its own, or this process when the config trusts it."""
        if config.is_trusted and not entry.file.endswith(entry_files.PROGRAM):
            return TrustedPlayer(entry, self.folder)
        return self.isolated(entry, config)

    def isolated(self, entry: EntryInfo, config: RunConfig, *, output: int | None = None) -> ProcessPlayer:
        """Return a player in a process of its own, whatever the config trusts; output: an open file for its prints."""
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        if entry.cache:
            place = self._place(entry, file, policy)
            request = _request_at(place, entry, file, policy)
        else:
            request = self._request(entry, file, policy, trusted=config.is_trusted)
        return ProcessPlayer(self._fork_client(file, config, policy.level), request, config, output)

    def new_cache(self, entry: EntryInfo, config: RunConfig) -> Path:
        """Return a working directory for players of the entry's file that fill its cache, see `cache_folder`.

        Raises UserError where nothing would keep such a player from writing elsewhere.
        """
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        if policy.level not in CONFINED:
            raise UserError(NOT_CONFINED.format(level=policy.level))
        place = cache_folder.new(file, self._lists, self.folder.parent, map(Path, policy.hidden))
        filling = structs.replace(policy, working=str(place), fills=True)
        if program_build.changes_user(filling, file):
            os.chown(place / fs_policy.STRATEGIES, policy.user, policy.user)
        return place

    def filling(self, entry: EntryInfo, config: RunConfig, place: Path) -> ProcessPlayer:
        """Return a player that keeps files in the folder of its file, where `new_cache` has made a place for it."""
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        request = _request_at(place, entry, file, structs.replace(policy, fills=True))
        written = (place / fs_policy.STRATEGIES,)
        return ProcessPlayer(self._fork_client(file, config, policy.level, written), request, config)

    def freeze(self, entry: EntryInfo, config: RunConfig, place: Path, store: Path) -> str:
        """Keep what was filled in `store`, and return its digest; see `cache_folder.freeze`."""
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        return cache_folder.freeze(file, place, store, map(Path, policy.hidden))

    def opened(self, entry: EntryInfo, config: RunConfig, files: Sequence[Path]) -> list[str]:
        """Return which of these files a player of the entry could open, found out by one that tries.

        Raises UserError where such a player cannot even start.
        """
        file, policy = paths.find_file(entry.file), self._policy(entry, config)
        request = Request(policy, str(file), attempts=[str(path) for path in mounts.aliases(files)])
        try:
            return ProcessPlayer(self._fork_client(file, config, policy.level), request, config).opened()
        except PlayerError as fault:
            raise UserError(f"no player of {entry.file} can be started: {fault.message}") from None

    def build(self, entry: EntryInfo, config: RunConfig) -> None:
        """Have what the entry's program needs built now, for all players below the same folder."""
        file = paths.find_file(entry.file)
        if file.suffix == entry_files.PROGRAM:
            self._request(entry, file, self._policy(entry, config), trusted=config.is_trusted)

    def _place(self, entry: EntryInfo, file: Path, policy: SandboxPolicy) -> Path:
        if self._caches is None:
            raise UserError(f"{entry.name} plays with a cache, which runs have, and `wordpl check`.")
        cache = self._caches / str(entry.cache)
        return cache_folder.laid_out(file, self._lists, self.folder.parent, map(Path, policy.hidden), cache)

    def _policy(self, entry: EntryInfo, config: RunConfig) -> SandboxPolicy:
        level = Level(config.level) if config.level else probe.probe().level
        file = paths.find_file(entry.file)
        hidden = [*self._hidden, *_others(file, self._rivals)]
        if level.is_official:
            _require_room(file, self.folder, hidden)
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
        more = () if is_shown else (file.parent,)
        if (level, more, written) not in self._fork_clients:
            view = bubblewrap.View(self.folder, [*self._shown, *more], written, self._hidden)
            self._fork_clients[level, more, written] = ForkClient(view, level, config.memory_mb)
        return self._fork_clients[level, more, written]

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
        """End all players."""
        for fork_client in self._fork_clients.values():
            fork_client.close()

    def __enter__(self) -> "PlayerPool":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()


def _request_at(place: Path, entry: EntryInfo, file: Path, policy: SandboxPolicy) -> Request:
    """Return the request for a player that works at the place where its file was laid out."""
    policy = structs.replace(policy, working=str(place))
    return Request(policy, str(place / fs_policy.STRATEGIES / file.name), entry.make, entry.game_id)


def _result_folders() -> list[Path]:
    return [paths.bundled() / "results", Path.cwd() / "results"]


@dataclass(frozen=True)
class _Files:
    """The files of an entry: its own, and those beside it that belong to it but may belong to others too."""

    own: list[Path]
    shared: list[Path]

    @classmethod
    def of(cls, file: Path, without: Collection[Path] = ()) -> "_Files":
        try:
            own, beside = entry_files.source_files(file), companions.companions(file, without)
        except (UserError, OSError):
            return cls([file], [])
        return cls(
            [path.resolve() for path in own], [path.resolve() for path in beside if not bundled.is_bundled(path)]
        )


def _others(file: Path, rivals: Mapping[Path, _Files]) -> list[Path]:
    """Return the files of other entries, by theirs, that are none of this one's.

    What another entry only names may be shared, so that an entry which names it too may read it, but not its own file.
    """
    every_own = {path for files in rivals.values() for path in files.own}
    known = _Files.of(file, every_own)
    own, shared = set(known.own), {*known.own, *known.shared}
    named = {path for files in rivals.values() for path in files.shared} - every_own
    return sorted((every_own - own) | (named - shared))


def _require_room(file: Path, working: Path, hidden: Sequence[Path]) -> None:
    """Raise UserError where something that players need lies in a folder that they must not read."""
    paths = fs_policy.HiddenPaths(hidden)
    for path in [*fs_policy.interpreter(), *fs_policy.project(), working, file]:
        if paths.covers(path.resolve()):
            raise UserError(
                f"players need {path}, but it lies in a folder that they must not read: choose another folder with "
                "--results, or put the entry elsewhere."
            )
