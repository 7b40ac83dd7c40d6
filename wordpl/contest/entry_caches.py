"""Filling the caches of entries before the seed is drawn, and storing them with a run."""

import weakref
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import mkdtemp

import msgspec

from wordpl import games
from wordpl.contest.match import failure_in_warm_up
from wordpl.core import entry_caches, words
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import RunConfig
from wordpl.games import IllegalMoveError
from wordpl.players import cache_folder, discovery
from wordpl.players.discovery import Source
from wordpl.players.pool import PlayerPool


class CacheStore:
    """A temporary folder for caches that do not belong to a run yet; it is removed with this object."""

    def __init__(self) -> None:
        """Create the folder."""
        self.folder = Path(mkdtemp(prefix="wordpl-caches-"))
        weakref.finalize(self, rmtree, self.folder, ignore_errors=True)

    def keep(self, entries: Iterable[EntryInfo], run: Path) -> None:
        """Copy the caches of these entries into the folder of a run, before its run.json is written."""
        try:
            for digest in sorted({entry.cache for entry in entries if entry.cache}):
                copytree(self.folder / digest, entry_caches.folder_of(run, digest))
        except OSError as error:
            raise UserError(
                f"cannot write a cache to {run}: {error}. Choose another one with --results, or free some disk space."
            ) from None


def fill(source: Source, pool: PlayerPool, config: RunConfig, store: Path) -> list[EntryInfo]:
    """Load the entries of a file that uses a cache, let them fill it, and return them.

    A player with write access to the cache declares the entries of the file. Then each entry plays the warm-up game,
    one after the other, under the limits of the run. The finished cache is copied to `store` and becomes read-only.

    Args:
        source: The file.
        pool: Starts the players.
        config: The configuration of the run.
        store: The folder for finished caches.

    Raises:
        UserError: The cache cannot be filled, because its player failed or the cache is too large.
        PlayerError: The file does not declare an entry.
    """
    known = discovery.unnamed(source)
    if config.is_trusted:  # it plays in its own folder, which is writable
        return discovery.declared_entries(source, pool.isolated(known, config))
    folder = pool.new_cache(known, config)
    try:
        player = pool.filling(known, config, folder)
        with cache_folder.enforce_size(folder, lambda: player.pid):
            entries = discovery.declared_entries(source, player)
        for entry in entries:
            _warm_up(entry, pool, config, folder)
        digest = pool.freeze(known, config, folder, store)
    finally:
        cache_folder.remove(folder)
    return [msgspec.structs.replace(entry, cache=digest) for entry in entries]


def filling(pool: PlayerPool, config: RunConfig, store: Path) -> Callable[[Source], list[EntryInfo]]:
    """Return `fill` as a function of the source alone, as `discovery.ask` calls it."""
    return partial(fill, pool=pool, config=config, store=store)


def _warm_up(entry: EntryInfo, pool: PlayerPool, config: RunConfig, folder: Path) -> None:
    game = games.make_game(entry.game_id, words.load(config.answers, config.guesses))
    player = pool.filling(entry, config, folder)
    try:
        with cache_folder.enforce_size(folder, lambda: player.pid):
            player.prepare()
            failure = failure_in_warm_up(game, player, config.warmup_s)
    finally:
        player.close()
    if failure is not None:
        why = str(failure) if isinstance(failure, IllegalMoveError) else f"{failure.verdict}. {failure.message}"
        raise UserError(
            f"its cache could not be filled: the warm-up game, for which it has {config.warmup_s:g} s "
            f"(--warmup SECONDS), ended: {why}"
        )
