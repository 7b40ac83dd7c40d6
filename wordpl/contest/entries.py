"""Finding the entries of a contest: named files, all files of strategies/, or objects; and filling their caches."""

import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from shutil import copytree, rmtree
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import msgspec

from wordpl import games
from wordpl import strategy as contract
from wordpl.contest.match import failure_in_warm_up
from wordpl.core import entry_caches, paths, words
from wordpl.core.errors import UserError
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import RunConfig
from wordpl.games import IllegalMoveError
from wordpl.players import cache_folder, discovery
from wordpl.players.discovery import Source
from wordpl.players.pool import PlayerPool


class CacheStore:
    """A temporary folder for caches that do not belong to a run yet; it is removed with this object, or by `remove`."""

    def __init__(self) -> None:
        """Create the folder."""
        self.folder = Path(mkdtemp(prefix="wordpl-caches-"))
        self.remove = weakref.finalize(self, rmtree, self.folder, ignore_errors=True)

    def keep(self, entries: Iterable[EntryInfo], run: Path) -> None:
        """Copy the caches of these entries into the folder of a run, before its run.json is written."""
        try:
            for digest in sorted({entry.cache for entry in entries if entry.cache}):
                copytree(self.folder / digest, entry_caches.folder_of(run, digest))
        except OSError as error:
            raise UserError(
                f"cannot write a cache to {run}: {error}. Choose another one with --results, or free some disk space."
            ) from None


@dataclass(frozen=True)
class FoundEntries:
    """The entries of a contest.

    Attributes:
        entries: The entries, with unique names and slugs.
        faults: The files that could not be loaded.
        strategies: The strategies that were passed as objects, by the slugs of their entries.
        caches: The caches that entries have filled.
    """

    entries: list[EntryInfo]
    faults: list[discovery.Fault]
    strategies: dict[str, Any] = field(default_factory=dict)
    caches: CacheStore = field(default_factory=CacheStore)


def find_entries(wanted: Sequence[Any], config: RunConfig, against: str = "") -> FoundEntries:
    """Return the entries with these names, or made of these objects.

    Args:
        wanted: Names as on the command line, paths, classes or objects; empty: all files of strategies/.
        config: The configuration of the run; if it names a game, entries for other kinds of games are left out.
        against: The name of an entry to compare the others with; it is added if it is not among them.

    Raises:
        UserError: There is no entry to play.
    """
    if config.game_id is not None:
        games.game_class(config.game_id)  # report a wrong name before players are started
    objects = [strategy for strategy in wanted if not isinstance(strategy, str | Path)]
    if objects and len(objects) < len(wanted):
        raise UserError("entries must be either all files or all objects: objects run in this process.")
    caches = CacheStore()
    try:
        return _with_caches(wanted, objects, config, against, caches)
    except BaseException:
        caches.remove()  # at once: the error's traceback may keep the object alive
        raise


def _with_caches(
    requested: Sequence[Any], objects: Sequence[Any], config: RunConfig, against: str, caches: CacheStore
) -> FoundEntries:
    entries_and_faults: list[EntryInfo | discovery.Fault] = []
    strategies = [strategy() if isinstance(strategy, type) else strategy for strategy in objects]
    entries_and_faults += (
        map(describe, strategies) if strategies else ask([str(name) for name in requested], config, against, caches)
    )
    declared = discovery.entries_of(entries_and_faults)
    entries = discovery.resolve_entries(declared, config.game_id)
    faults = [fault for fault in entries_and_faults if isinstance(fault, discovery.Fault)]
    if not entries:
        reasons = "".join(f"\n{fault.in_words}" for fault in faults) or " `wordpl new NAME` writes one."
        raise UserError(f"{_no_entry(declared, config.game_id)}.{reasons}")
    return FoundEntries(entries, faults, _strategies_by_slug(strategies, declared, entries, config.game_id), caches)


def ask(
    wanted: Sequence[str], config: RunConfig, against: str, caches: CacheStore
) -> list[EntryInfo | discovery.Fault]:
    """Return the entries that the named files declare; each file is loaded in its own process.

    Entries that use a cache fill it now.

    Args:
        wanted: Names as on the command line; empty: all files of strategies/.
        config: The configuration of the run.
        against: The name of an entry to add if it is not among the others; "": none.
        caches: Receives the caches.
    """
    sources = discovery.find_sources(wanted)
    lists = words.load(config.answers, config.guesses)
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as parent,
        PlayerPool(lists, Path(parent), [config.results], rivals=[source.file for source in sources]) as pool,
    ):
        fill = filling(pool, config, caches.folder)
        entries_and_faults = discovery.ask(sources, pool, config, fill)
        if against and not entries_named(against, discovery.entries_of(entries_and_faults)):
            entries_and_faults += discovery.ask(discovery.find_sources([against]), pool, config, fill)
    return entries_and_faults


def describe(strategy: Any) -> EntryInfo:
    """Return the entry of a strategy that was passed as an object; it has no file."""
    kind = type(strategy)
    if not all(callable(getattr(strategy, method, None)) for method in ("first_move", "next_move")):
        raise UserError(f"{kind.__name__} is not a strategy: it needs the methods first_move and next_move.")
    game_id = str(getattr(strategy, "game", contract.DEFAULT_RULES))
    name = sanitize_untrusted_text(contract.name_of(strategy), contract.MAX_NAME_CHARACTERS) or "?"
    return EntryInfo(name, "", game_id, games.game_class(game_id).measure, "", kind.__name__, "")


def entries_named(text: str, entries: Sequence[EntryInfo]) -> list[EntryInfo]:
    """Return the entries with this name on the board, class name, expression or file."""
    return [
        entry
        for entry in entries
        if text in (entry.name, entry.make, Path(entry.file).stem, Path(entry.file).name)
        or entry.name.startswith(f"{text}(")
        or Path(text).resolve() == paths.find_file(entry.file)
    ]


def require_named(text: str, entries: Sequence[EntryInfo]) -> list[EntryInfo]:
    """Return the entries that `text` names; see `entries_named`.

    Raises:
        UserError: There is no such entry.
    """
    named = entries_named(text, entries)
    if not named:
        names = ", ".join(entry.name for entry in entries)
        raise UserError(f"this run has no entry {text!r}; its entries are {names}.")
    return named


def _no_entry(declared: Sequence[EntryInfo], game_id: str | None) -> str:
    kind = f" for {game_id}" if game_id else ""
    others = ", ".join(f"{entry.name} plays {entry.game_id}" for entry in declared)
    return f"there is no entry{kind} to play" + (f": {others}" if others else "")


def _strategies_by_slug(
    strategies: Sequence[Any], declared: Sequence[EntryInfo], entries: Sequence[EntryInfo], game_id: str | None
) -> dict[str, Any]:
    """Return the objects by the slugs of their entries, without those for another kind of game."""
    kind = None if game_id is None else games.game_class(game_id).kind
    playing = [
        strategy
        for strategy, entry in zip(strategies, declared, strict=False)
        if kind is None or games.game_class(entry.game_id).kind == kind
    ]
    return {entry.slug: strategy for entry, strategy in zip(entries, playing, strict=False)}


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
    unnamed = discovery.unnamed(source)
    if config.is_trusted:  # it plays in its own folder, which is writable
        return discovery.declared_entries(source, pool.isolated(unnamed, config))
    folder = pool.new_cache(unnamed, config)
    try:
        player = pool.filling(unnamed, config, folder)
        with cache_folder.enforce_size(folder, lambda: player.pid):
            entries = discovery.declared_entries(source, player)
        for entry in entries:
            _warm_up(entry, pool, config, folder)
        digest = pool.freeze(unnamed, config, folder, store)
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
