"""The player pool of a worker: creates players, with their working directories and their fork server."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import TracebackType

from msgspec import UNSET, structs

from wordpl.core import paths
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.games import own_game
from wordpl.players import program_build, shared_kernels, source_facts, working_folder
from wordpl.players.base import Player, PlayerError
from wordpl.players.fork_client import ForkClient, ForkServerError, Request
from wordpl.players.process import LoadingPlayer, ProcessPlayer, TrustedPlayer
from wordpl.players.program_build import CONFINED_LEVELS
from wordpl.players.sandbox import levels, namespaces, probe
from wordpl.players.sandbox.levels import Level, SandboxPolicy
from wordpl.players.working_folder import STRATEGIES, WritableFolder
from wordpl.run.bundle import PROGRAM, STORE, Bundle, BundleStore, FileTree, find_place, main_of
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.strategy import EntryError


class PlayerPool:
    """Creates the players of one worker. As a context manager, it stops all players at the end.

    Attributes:
        store: The files of entries.
    """

    def __init__(
        self, lists: WordLists, parent: Path, hidden: Iterable[Path] = (), store: BundleStore | None = None
    ) -> None:
        """Create a pool.

        Args:
            parent: The folder for the players' working directories.
            hidden: Files and folders that players must not read, such as that of the run.
            store: The files of all entries. None: they are copied from the authors' files when they are needed.
        """
        self.store = store or BundleStore(parent / STORE)
        self._copies = store is None
        self._parent, self._lists, self._to_hide = parent, lists, hidden
        self._fork_clients: dict[Level, ForkClient] = {}

    @cached_property
    def folder(self) -> Path:
        """The working directory of trusted players that have no file."""
        return working_folder.linked_folder(self._lists, self._parent, paths.strategy_folders()[0])

    @cached_property
    def _shipped(self) -> Path:
        return working_folder.shipped_folder(self._parent)

    @cached_property
    def _hidden(self) -> list[Path]:
        return levels.aliases([paths.bundled() / "results", paths.user_folder() / "results", *self._to_hide])

    def player(self, entry: EntryInfo, config: RunConfig) -> Player:
        """Return a player for the entry: in its own process, or in this process if entries are trusted.

        Raises:
            UserError: The entry is trusted, and its author's file has changed.
        """
        return self.in_process(entry, config) or self.isolated(entry, config)

    def in_process(self, entry: EntryInfo, config: RunConfig) -> TrustedPlayer | None:
        """Return a player in this process if entries are trusted; None if they are not, or if this one is a program.

        Raises:
            UserError: The author's file has changed.
        """
        place = find_place(entry.file) if config.is_trusted else None
        if place is None or main_of(place.parent, place.name).endswith(PROGRAM):
            return None
        if entry.sha256:
            stored = self.store.tree(entry.sha256).files if not self._copies else Bundle.of(place).files
            if FileTree({name: place.parent / name for name in stored}).digest != entry.sha256:
                raise UserError(
                    f"{entry.file} is not the version that the run stores, and a trusted entry plays from its author's "
                    "file: restore it, or play without --trust."
                )
        return TrustedPlayer(entry, working_folder.linked_folder(self._lists, self._parent, place.parent))

    def isolated(self, entry: EntryInfo, config: RunConfig, *, output: int | None = None) -> ProcessPlayer:
        """Return a player in its own process, even if entries are trusted.

        Args:
            config: The configuration of the run.
            output: The file descriptor that receives what the player prints; None: discard it.

        Raises:
            UserError: The entry's files are missing or have changed.
        """
        request = self._request(entry, self._policy(config, self._place(entry)), trusted=config.is_trusted)
        return ProcessPlayer(self._fork_client(request.policy.level, config), request, config, output)

    @contextmanager
    def loading(self, entry: EntryInfo, config: RunConfig) -> Iterator[tuple[LoadingPlayer, WritableFolder]]:
        """Yield a player that reports the entries of a file, and may write to its working directory meanwhile.

        Args:
            entry: The facts that are known before the file is loaded.
            config: The configuration of the run, at a level at which players can write nowhere else.
        """
        folder = WritableFolder(self._lists, self._parent, self.store, entry.sha256)
        try:
            policy = structs.replace(self._policy(config, folder.path), writes=True)
            if program_build.changes_user(policy):
                folder.give_to(policy.user)
            request = self._request(entry, policy, trusted=config.is_trusted)
            player = LoadingPlayer(self._fork_client(policy.level, config), request, config)
            try:
                yield player, folder
            finally:
                player.close()
        finally:
            folder.remove()

    def opened(self, entry: EntryInfo, config: RunConfig, files: Sequence[Path]) -> list[str]:
        """Start a player that tries to open these files, and return those that it could open.

        Raises:
            UserError: The player could not be started.
        """
        policy = self._policy(config, self._place(entry))
        request = Request(policy, "", attempts=[str(path) for path in levels.aliases(files)])
        try:
            return ProcessPlayer(self._fork_client(policy.level, config), request, config).opened()
        except PlayerError as fault:
            raise UserError(f"no player of {entry.file} can be started: {fault.message}") from None

    def is_spared(self, config: RunConfig) -> bool:
        """Return whether a player that runs no contestant's code ends without being killed from outside."""
        policy = self._policy(config, self.folder)
        request = Request(policy, "", attempts=[os.devnull])
        try:
            ProcessPlayer(self._fork_client(policy.level, config), request, config).opened()
        except (PlayerError, ForkServerError):
            return False
        return True

    def build(self, entry: EntryInfo, config: RunConfig) -> None:
        """Build the entry's program now, for all players below the same folder."""
        if main_of(self._place(entry) / STRATEGIES, Path(entry.file).name).endswith(PROGRAM):
            self._request(entry, self._policy(config, self._place(entry)), trusted=config.is_trusted)

    def can_write(self, config: RunConfig) -> bool:
        """Return whether entries can write files while they are loaded, as they can write nowhere else."""
        return _level(config) in CONFINED_LEVELS

    def _place(self, entry: EntryInfo) -> Path:
        digest = entry.sha256
        if self._copies and not (digest and self.store.path(digest).is_dir()):
            digest = self.store.add(Bundle.of(find_place(entry.file)))
            if entry.sha256 not in ("", digest):
                raise UserError(f"{entry.file} has changed since it was loaded: start again.")
        return working_folder.frozen_folder(self._lists, self._parent, self.store, (digest, entry.written))

    def _policy(self, config: RunConfig, working: Path) -> SandboxPolicy:
        level = _level(config)
        if level.is_official:
            _require_readable(working, self._hidden)
        return SandboxPolicy(
            level,
            config.memory_mb,
            config.limits.open_files,
            working=str(working),
            shipped=str(self._shipped),
            hidden=tuple(map(str, self._hidden)),
            user=levels.new_user(),
        )

    def _fork_client(self, level: Level, config: RunConfig) -> ForkClient:
        if level not in self._fork_clients:
            written = [working_folder.writable_parent(self._parent)]
            view = namespaces.View(self.folder, [self._parent], written, self._hidden)
            self._fork_clients[level] = ForkClient(view, level, config.memory_mb)
        return self._fork_clients[level]

    def _request(self, entry: EntryInfo, policy: SandboxPolicy, *, trusted: bool) -> Request:
        folder, name = Path(policy.working, STRATEGIES), Path(entry.file).name
        try:
            main = folder / main_of(folder, name)
            if main.suffix != PROGRAM:
                uses = shared_kernels.USES_IF_UNKNOWN if entry.uses is UNSET else entry.uses
                shared_kernels.ensure_compiled([group for group in shared_kernels.GROUPS if group in uses])
                return Request(
                    policy, str(folder / name), entry.make, entry.game.id, own_game(entry.game.id), uses=uses
                )
            digest = entry.sha256 or FileTree.below(folder).digest
            program = source_facts.read_program(main, digest)
            if program.tables:
                raise UserError(f"{name} has no code: the harness plays [{program.kind}] itself, and only in a run.")
            built = program_build.build(program, main, self._parent, policy, digest, trusted=trusted)
        except (EntryError, UserError) as fault:
            return Request(policy, str(folder / name), broken=str(fault))
        game_id, label = entry.game.id or program.game, entry.name or program.name or Path(name).stem
        policy = structs.replace(policy, program=True, built=str(built))
        command = program_build.command(program, main, built)
        return Request(policy, str(folder / name), game_id=game_id, command=command, ready=[("", label, game_id)])

    def close(self) -> None:
        """Stop all players."""
        for fork_client in self._fork_clients.values():
            fork_client.close()

    def __enter__(self) -> "PlayerPool":
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()


def _level(config: RunConfig) -> Level:
    return Level(config.level) if config.level else probe.probe().level


def _require_readable(working: Path, hidden: Sequence[Path]) -> None:
    """Check that nothing that players need is in a hidden folder.

    Raises:
        UserError: Something is.
    """
    paths = levels.HiddenPaths(hidden)
    for path in [*levels.interpreter(), *levels.project(), working]:
        if paths.covers(path.resolve()):
            raise UserError(
                f"players need {path}, but it is in a folder that they must not read: choose another folder with "
                "--results."
            )
