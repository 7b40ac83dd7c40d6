"""Filling the caches of entries, before there is a seed, and keeping them with a run."""

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
    """A folder for caches that belong to no run yet; it is removed with this object."""

    def __init__(self) -> None:
        """Make the folder."""
        self.folder = Path(mkdtemp(prefix="wordpl-caches-"))
        weakref.finalize(self, rmtree, self.folder, ignore_errors=True)

    def keep(self, entries: Iterable[EntryInfo], run: Path) -> None:
        """Keep the caches of these entries in the folder of a run, before it has its run.json."""
        try:
            for digest in sorted({entry.cache for entry in entries if entry.cache}):
                copytree(self.folder / digest, entry_caches.folder_of(run, digest))
        except OSError as error:
            raise UserError(f"cannot keep a cache in {run}: {error}. Make room, or choose --results.") from None


def fill(source: Source, pool: PlayerPool, config: RunConfig, store: Path) -> list[EntryInfo]:
    """Return the entries of a file that fills a cache, which is frozen in `store`.

    Players that may write to the folder of their file are asked what it declares, then play the game that does not
    count with each of its entries, one after the other, under the limits of the run.

    Raises:
        UserError: The cache cannot be filled: its player failed, or kept too much.
        PlayerError: The file does not even declare an entry.
    """
    known = discovery.unnamed(source)
    if config.is_trusted:  # it plays from its own folder, into which it may write
        return discovery.declared(source, pool.isolated(known, config))
    place = pool.new_cache(known, config)
    try:
        player = pool.filling(known, config, place)
        with cache_folder.bounded(place, lambda: player.pid):
            entries = discovery.declared(source, player)
        for entry in entries:
            _warm_up(entry, pool, config, place)
        digest = pool.freeze(known, config, place, store)
    finally:
        cache_folder.remove(place)
    return [msgspec.structs.replace(entry, cache=digest) for entry in entries]


def filling(pool: PlayerPool, config: RunConfig, store: Path) -> Callable[[Source], list[EntryInfo]]:
    """Return `fill` as `discovery.ask` calls it."""
    return partial(fill, pool=pool, config=config, store=store)


def _warm_up(entry: EntryInfo, pool: PlayerPool, config: RunConfig, place: Path) -> None:
    game = games.make_game(entry.game_id, words.load(config.answers, config.guesses))
    player = pool.filling(entry, config, place)
    try:
        with cache_folder.bounded(place, lambda: player.pid):
            player.prepare()
            failure = failure_in_warm_up(game, player, config.warmup_s)
    finally:
        player.close()
    if failure is not None:
        why = str(failure) if isinstance(failure, IllegalMoveError) else f"{failure.verdict}. {failure.message}"
        raise UserError(
            f"its cache could not be filled: the game that does not count, for which it has {config.warmup_s:g} s "
            f"(--warmup SECONDS), ended: {why}"
        )
