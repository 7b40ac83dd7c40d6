"""Finding and loading the entries of a contest: named files, all files of strategies/, or objects."""

import os
import re
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import msgspec

from wordpl import games
from wordpl import strategy as contract
from wordpl.contest import hosted
from wordpl.contest.referee import failure_in_warm_up
from wordpl.core import paths
from wordpl.core.files import PREFIX, hold, temporary_folder
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.core.moves import UNKNOWN_GAME, Verdict
from wordpl.players import discovery, shared_kernels
from wordpl.players.base import PlayerError
from wordpl.players.discovery import EntrySource
from wordpl.players.fork_client import ForkServerError
from wordpl.players.limited import Unread
from wordpl.players.pool import PlayerPool
from wordpl.players.process import UNFLUSHED, LoadingPlayer, ProcessPlayer, TrustedPlayer
from wordpl.players.source_facts import SourceFacts
from wordpl.players.working_folder import WritableFolder
from wordpl.run.bundle import SHARED, Bundle, BundleStore, Program, explain_missing, find_place, is_shipped
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import About, EntryInfo

MAX_LOADS = 2
KILLED_MESSAGE = (
    f"its process was killed from outside {MAX_LOADS} times while it was loaded. If memory ran out, let it use "
    "less, or lower --memory MIB; otherwise find out what killed it, and start again."
)
SEED_KNOWN = " (seed known)"
"""Marks the name of an entry that played the games of a run after its seed was known."""
_SIBLING = re.compile(
    r"No module named '(?:strategies\.)?(\w+)'|cannot import name '(\w+)' from 'strategies(?:\.\w+)?'"
)
_MISSING_STRATEGY = re.compile(r"No module named 'strategies\.(\w+)'")
_MISSING_WORDPL_NAME = re.compile(r"cannot import name '(\w+)' from 'wordpl' ")
_MISSING_PACKAGE = re.compile(r"No module named '(\w+)")
_PLACE = re.compile(r'^ *File "([^"\n]+)", line (\d+)', re.MULTILINE)


class TemporaryStore(BundleStore):
    """A store of files that do not belong to a run yet; it is removed with this object, or by `remove`."""

    def __init__(self) -> None:
        """Create the folder."""
        super().__init__(Path(mkdtemp(prefix=f"{PREFIX}bundles-")))
        self.remove = weakref.finalize(self, _remove, self.folder, hold(self.folder))


def _remove(folder: Path, lock: int) -> None:
    rmtree(folder, ignore_errors=True)
    os.close(lock)


@dataclass(frozen=True)
class FoundEntries:
    """The entries of a contest.

    Attributes:
        entries: The entries, with unique names and slugs.
        faults: The files that could not be loaded.
        strategies: The strategies that were passed as objects, by the slugs of their entries.
        store: The files of the entries, and what these have written.
    """

    entries: list[EntryInfo]
    faults: list[discovery.Fault]
    strategies: dict[str, Any] = field(default_factory=dict)
    store: BundleStore = field(default_factory=TemporaryStore)

    @property
    def killed(self) -> list[discovery.Fault]:
        """The files whose players were killed from outside while they were loaded."""
        return [fault for fault in self.faults if fault.from_outside]


def find_entries(
    wanted: Sequence[Any], config: RunConfig, against: str = "", without: Sequence[str] = ()
) -> FoundEntries:
    """Return the entries with these names, or made of these objects.

    Args:
        wanted: Names as on the command line, paths, classes or objects; empty: all files of strategies/.
        config: The configuration of the run; if it names a game, entries for other kinds of games are left out.
        against: The name of an entry to compare the others with; it is added if it is not among them.
        without: Names of files of strategies/ that are left out.

    Raises:
        UserError: There is no entry to play, or a file to be left out does not exist.
    """
    if config.game_id is not None:
        games.game_class(config.game_id)  # report a wrong name before players are started
    objects = [strategy for strategy in wanted if not isinstance(strategy, str | Path)]
    if objects and len(objects) < len(wanted):
        raise UserError("entries must be either all files or all objects: objects run in this process.")
    store = TemporaryStore()
    try:
        strategies = [strategy() if isinstance(strategy, type) else strategy for strategy in objects]
        entries_and_faults: list[EntryInfo | discovery.Fault] = [describe(strategy) for strategy in strategies]
        if not strategies:
            entries_and_faults = ask([str(name) for name in wanted], config, against, store, without)
        declared = discovery.entries_of(entries_and_faults)
        entries = discovery.resolve_entries(declared, config.game_id)
        faults = [fault for fault in entries_and_faults if isinstance(fault, discovery.Fault)]
        if not entries:
            reasons = "".join(f"\n{fault.in_words}" for fault in faults) or " `wordpl new NAME` writes one."
            kind = f" for {config.game_id}" if config.game_id else ""
            others = ", ".join(f"{entry.name} plays {entry.game.id}" for entry in declared)
            raise UserError(f"there is no entry{kind} to play{f': {others}' if others else ''}.{reasons}")
    except BaseException:
        store.remove()  # at once: the error's traceback may keep the object alive
        raise
    form = None if config.game_id is None else games.game_class(config.game_id).facts.form
    fitting = [one for one, entry in zip(strategies, declared, strict=False) if form in (None, entry.game.form)]
    by_slug = {entry.slug: strategy for entry, strategy in zip(entries, fitting, strict=False)}
    return FoundEntries(entries, faults, by_slug, store)


def find_added(wanted: Sequence[Any], config: RunConfig, base: Run) -> FoundEntries:
    """Return the entries of a run, and those with these names, whose names on the board get a mark.

    Raises:
        UserError: There is no entry to add, an entry is in the run already, or a file of the run is missing.
    """
    found = find_entries(wanted, config)
    old = base.info.entries
    rules = {entry.game.id for entry in old}
    if others := [entry for entry in found.entries if entry.game.id not in rules]:
        raise UserError(
            f"{others[0].name} plays {others[0].game.id}, but the entries of the run play "
            f"{', '.join(sorted(rules))}: they cannot be compared."
        )
    played = {(entry.sha256, entry.make): entry.name for entry in old if entry.sha256}
    for entry in found.entries:
        if (entry.sha256, entry.make) in played:
            raise UserError(f"{entry.name} is in the run already, as {played[entry.sha256, entry.make]}.")
    limit = contract.MAX_NAME_CHARACTERS - len(SEED_KNOWN)
    marked = [msgspec.structs.replace(entry, name=entry.name[:limit] + SEED_KNOWN) for entry in found.entries]
    found.store.copy_from(base.store, chain.from_iterable(entry.digests for entry in old))
    return replace(found, entries=discovery.make_distinct(old, marked))


def ask(
    wanted: Sequence[str], config: RunConfig, against: str, store: BundleStore, without: Sequence[str] = ()
) -> list[EntryInfo | discovery.Fault]:
    """Return the entries that the named files declare; each file is loaded in its own process.

    Args:
        wanted: Names as on the command line; empty: all files of strategies/.
        config: The configuration of the run.
        against: The name of an entry to add if it is not among the others; "": none.
        store: Receives the files of the entries, and what they write.
        without: Names of files that are left out.

    Raises:
        UserError: A file to be left out is not among them.
    """
    sources = discovery.find_sources(wanted)
    names = {name for source in sources for name in (source.file.name, source.file.stem)}
    if unknown := sorted(set(without) - names):
        raise UserError(f"there is no {unknown[0]!r} to leave out among {', '.join(sorted(names))}.")
    sources = [source for source in sources if not {source.file.name, source.file.stem} & set(without)]
    lists = config.load_lists()
    with temporary_folder() as parent, PlayerPool(lists, Path(parent), [config.results], store) as pool:
        entries_and_faults = load_all(sources, pool, config)
        if against and not entries_named(against, discovery.entries_of(entries_and_faults)):
            entries_and_faults += load_all(discovery.find_sources([against]), pool, config)
    return entries_and_faults


def require_all_loaded(faults: Sequence[discovery.Fault], *, named: bool) -> None:
    """Check that no entry of an official run is missing because its file could not be loaded.

    Args:
        faults: The files that could not be loaded.
        named: Whether the host named the entries, and did not scan strategies/.

    Raises:
        UserError: One is missing.
    """
    if not faults:
        return
    advice = "leave it out of the command"
    if not named:
        advice = " ".join(f"--without {fault.source.file.name}" for fault in faults) + " leaves it out"
    reasons = "".join(f"\n{fault.in_words}" for fault in faults)
    raise UserError(
        f"no official run is begun while an entry fails to load: fix it, or {advice}, so that nobody is left out "
        f"unnoticed.{reasons}"
    )


def load_all(sources: Sequence[EntrySource], pool: PlayerPool, config: RunConfig) -> list[EntryInfo | discovery.Fault]:
    """Return the entries of each source, or a fault if it cannot be loaded.

    A source whose player is killed from outside while it is loaded is loaded once more.

    Args:
        pool: Starts the players; its store receives the files of the entries, and what they write.
        config: The configuration of the run.

    Raises:
        UserError: Players that run no contestant's code are killed from outside too.
        ForkServerError: The process that starts players cannot start.
    """
    found: list[Sequence[EntryInfo | discovery.Fault]] = []
    unnamed: list[EntryInfo] = []  # what is known of a source's entries before a player loads it
    for source in sources:
        try:
            digest = pool.store.add(Bundle.of(source.file))
            name = paths.portable_name(source.file)
            unnamed.append(EntryInfo("", "", UNKNOWN_GAME, name, source.make, digest))
            found.append(())
        except UserError as fault:
            found.append([discovery.Fault(source, fault.message)])
    described = iter(discovery.read_facts(unnamed, pool.store))
    return list(
        chain.from_iterable(
            faults or _loaded(source, *next(described), pool, config)
            for source, faults in zip(sources, found, strict=True)
        )
    )


def _loaded(
    source: EntrySource, unnamed: EntryInfo, facts: SourceFacts | Unread, pool: PlayerPool, config: RunConfig
) -> Sequence[EntryInfo | discovery.Fault]:
    program = facts.program if isinstance(facts, SourceFacts) else None
    for _ in range(MAX_LOADS):
        try:
            return _load(unnamed, facts, pool, config)
        except PlayerError as fault:
            if fault.verdict != Verdict.FAULT:
                return [discovery.Fault(source, _start_failure(source, fault, config, program))]
        except ForkServerError as error:
            if error.by_itself:
                raise
        except UserError as fault:
            return [discovery.Fault(source, fault.message)]
    if not pool.is_spared(config):
        raise UserError(
            f"something kills the processes that players run in: that of {source.file.name} {MAX_LOADS} times, and one "
            "that runs no contestant's code. Find out what kills them, for example with `journalctl -k`, then start "
            "again."
        )
    return [discovery.Fault(source, KILLED_MESSAGE, from_outside=True)]


def _load(unnamed: EntryInfo, facts: SourceFacts | Unread, pool: PlayerPool, config: RunConfig) -> list[EntryInfo]:
    """Return the entries of a source, as its player reports them.

    At levels at which a player can be confined to one folder, it may write to its working directory now: while the
    file is imported and the entries are created, and in a warm-up game of each. What it has written becomes a part of
    the entries. The strategies that the package ships write nothing, and a trusted entry, which is loaded in this
    process, writes to its author's folder.

    Raises:
        UserError: It wrote too much, or failed after it had begun to write.
        PlayerError: The file does not declare an entry, or its player was killed from outside.
    """
    if isinstance(facts, SourceFacts) and facts.program is not None and facts.program.tables:
        return [hosted.declared(unnamed, facts, pool.store.path(unnamed.sha256))]
    player: TrustedPlayer | ProcessPlayer | None = pool.in_process(unnamed, config)
    if player is None and is_shipped(find_place(unnamed.file)):
        libraries = [name for name in unnamed.uses or () if name not in shared_kernels.GROUPS]  # it does not play yet
        player = pool.isolated(msgspec.structs.replace(unnamed, uses=libraries), config)
    elif player is None and not pool.can_write(config):
        player = pool.isolated(unnamed, config)
    if player is not None:
        try:
            return discovery.declared_entries(unnamed, facts, player)
        finally:
            player.close()
    with pool.loading(unnamed, config) as (writer, folder):
        with folder.limited(lambda: writer.pid):
            entries = discovery.declared_entries(unnamed, facts, writer)
        if config.is_trusted:
            return entries
        failures = [_warm_up(index, entry, writer, folder, config) for index, entry in enumerate(entries)]
        writer.close()
        program = facts.program if isinstance(facts, SourceFacts) else None
        for failure in filter(None, failures):
            if missing := explain_missing(find_place(unnamed.file), failure, program, named_alike=True):
                raise UserError(f"{failure}\n{missing}")
        written = folder.written()
        if not written.files:
            return entries
        if failed := [failure for failure in failures if failure is not None]:
            raise UserError(
                "it wrote files, but did not finish its warm-up game, for which it has "
                f"{config.warmup_s:g} s (--warmup SECONDS): {failed[0]}"
            )
        digest = pool.store.add(written)
    return [msgspec.structs.replace(entry, written=digest) for entry in entries]


def _warm_up(
    index: int, entry: EntryInfo, player: LoadingPlayer, folder: WritableFolder, config: RunConfig
) -> str | None:
    """Let an entry play a warm-up game while it may write; return why it failed, or None.

    Raises:
        PlayerError: Its player was late, so that it would be late in each game, or was killed from outside, so that
            what it would have written is unknown.
    """
    is_replaced = config.game_id is not None and games.game_class(config.game_id).facts.form == entry.game.form
    game_id = str(config.game_id) if is_replaced else entry.game.id
    with folder.limited(lambda: player.pid):
        try:
            player.prepare()
            player.choose(index, game_id)
            game = games.make_game(game_id, config.load_lists())
            failure: Exception | None = failure_in_warm_up(game, player, config.warmup_s)
        except PlayerError as fault:
            failure = fault
    if isinstance(failure, PlayerError):
        if failure.verdict in (Verdict.FAULT, Verdict.LATE):
            raise failure
        return f"{failure.verdict}. {failure.message}"
    return None if failure is None else str(failure)


def _start_failure(source: EntrySource, fault: PlayerError, config: RunConfig, program: Program | None) -> str:
    """Return why a player failed before it declared its entries, with advice for the user."""
    name = source.file.name
    if fault.verdict == Verdict.LATE:
        taken = f"{name} took more than {config.warmup_s:g} s to start and play a warm-up game."
        if fault.message == UNFLUSHED:
            return f"{taken} {UNFLUSHED}. If it computes that long, raise --warmup SECONDS."
        where = fault.message or "It ran outside of Python"
        return f"{taken} {where}: compute less there, or raise --warmup SECONDS."
    if fault.verdict == Verdict.MEMORY:
        return f"{name} used too much memory while it was imported: {fault.message}. Load less, or raise --memory MIB."
    if not fault.message:
        return f"{name}: its process ended: {fault.verdict}."
    lines, places = fault.message.removesuffix(fault.rule).splitlines(), _PLACE.findall(fault.message)
    if not places:
        missing = explain_missing(source.file, fault.message, program)
        return f"{fault.message}\n{missing}" if missing else fault.message
    file, line = places[-1]
    where = f"{Path(file).name}, line {line}: {lines[-1]}."
    if missing := explain_missing(source.file, fault.message, program):
        return f"{where}\n{fault.message}\n{missing}"
    if fault.rule:
        return f"{where}\n{fault.message}"
    return f"{where} {_advice(source, fault.message)}\n{fault.message}"


def _advice(source: EntrySource, message: str) -> str:
    """Return what to do about an exception that was raised while a file was imported."""
    for match in _SIBLING.finditer(message):
        name = match[1] or match[2]
        if any(os.path.lexists(source.file.parent / sibling) for sibling in (name, f"{name}.py")):
            return (
                f"An entry sees only its own files, and {name} is not one of them. If several entries use it, the "
                f"host declares it in {source.file.parent.name}/{SHARED}; otherwise make a folder "
                f"{source.file.stem}/ that holds {source.file.stem}.py and everything it needs."
            )
    if missing := _MISSING_STRATEGY.search(message):
        return (
            f"An entry sees its own files and the bundled strategies, and there is no strategies/{missing[1]}.py among "
            f"them: put the module into a folder {source.file.stem}/ with {source.file.stem}.py."
        )
    if missing := _MISSING_WORDPL_NAME.search(message):
        return f"wordpl exports no {missing[1]}: `python -c 'import wordpl; print(*wordpl.__all__)'` lists its names."
    if missing := _MISSING_PACKAGE.search(message):
        return (
            f"The package {missing[1]} is not installed here: install it, for example with `pip install {missing[1]}`, "
            "and ask the host whether the contest has it; or do without it."
        )
    if "SyntaxError" in message or "IndentationError" in message or "TabError" in message:
        return "Correct the syntax of this line, or of the one above."
    return "Python raised it while it imported the file: correct this line."


def describe(strategy: Any) -> EntryInfo:
    """Return the entry of a strategy that was passed as an object; it has no file."""
    kind = type(strategy)
    if reason := contract.why_no_strategy(strategy, kind.__name__):
        raise UserError(reason)
    game_id = str(getattr(strategy, "game", contract.DEFAULT_RULES))
    name = sanitize_untrusted_text(contract.name_of(strategy), contract.MAX_NAME_CHARACTERS) or "?"
    facts = games.game_class(game_id).facts
    return EntryInfo(name, "", facts, "", kind.__name__, "", about=About.of_object(strategy))


def entries_named(text: str, entries: Sequence[EntryInfo]) -> list[EntryInfo]:
    """Return the entries with this name on the board, class name, expression or file."""
    return [
        entry
        for entry in entries
        if text in (entry.name, entry.make, Path(entry.file).stem, Path(entry.file).name)
        or entry.name.startswith(f"{text}(")
        or (entry.file and Path(text).resolve() == find_place(entry.file))
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
