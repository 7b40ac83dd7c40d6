"""Finding entries: resolving names to files and expressions, and asking players what the files declare.

In the process of the harness, a contestant's file is parsed but never imported.
"""

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain, count
from pathlib import Path
from textwrap import indent

import msgspec

from wordpl import games
from wordpl.core import entry_files, paths
from wordpl.core.entry_files import PROGRAM, PYTHON
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import Measure
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.records import EntryInfo, Verdict
from wordpl.core.run_config import RunConfig
from wordpl.players import entry_names
from wordpl.players.base import PlayerError
from wordpl.players.pool import PlayerPool
from wordpl.players.process import ProcessPlayer
from wordpl.strategy import MAX_NAME_CHARACTERS


@dataclass(frozen=True)
class Source:
    """A contestant's file.

    Attributes:
        file: The path of the file.
        make: The expression that creates the entry; "": all entries that the file declares.
    """

    file: Path
    make: str = ""


@dataclass(frozen=True)
class Fault:
    """A source that could not be loaded, and the reason."""

    source: Source
    message: str

    @property
    def in_words(self) -> str:
        """The name of the file, and below it the reason."""
        return f"{self.source.file.name} could not be loaded:\n{indent(self.message, '    ')}"


def strategy_files() -> list[Path]:
    """Return the files of strategies/ sorted by path; a file replaces the bundled one of the same name."""
    files: dict[str, Path] = {}
    for folder in paths.strategy_folders():
        for path in folder.glob("*"):
            if path.suffix in (PYTHON, PROGRAM) and not path.name.startswith(("_", ".")):
                files.setdefault(path.name, path)
    return sorted(files.values())


def find_sources(wanted: Iterable[str]) -> list[Source]:
    """Return the sources with these names, or all files of strategies/ if there are no names.

    A name is the path of a file or its stem, optionally followed by `:` and an expression, or a class with arguments.

    Raises:
        UserError: A name is unknown or ambiguous.
    """
    return [_find_source(text) for text in wanted] or [Source(path) for path in strategy_files()]


def _find_source(text: str) -> Source:
    file, _, make = text.partition(":")
    file_names = (file, f"{file}{PYTHON}", f"{file}{PROGRAM}")
    inside = [folder / name for folder in paths.strategy_folders() for name in file_names]
    for path in (Path(file), *inside, paths.bundled() / file):
        if path.suffix in (PYTHON, PROGRAM) and _is_file(path):
            return Source(path.resolve(), make)
    _require_closed(text)
    class_name = _class_name(text)
    matches = [path for path in strategy_files() if class_name in _classes(path)]
    if len(matches) == 1:
        return Source(matches[0], text if "(" in text else f"{text}()")
    if matches:
        names = [paths.relative_to_cwd(path) for path in matches]
        example = f"{names[0]}:{text if '(' in text else f'{text}()'}"
        raise UserError(f"{class_name} is in {' and '.join(names)}: give the file too, as in {example!r}.")
    files = strategy_files()
    known_names = [path.stem for path in files] + [name for path in files for name in _classes(path)]
    similar = get_close_matches(class_name or text, known_names, n=1)
    hint = f" Did you mean {similar[0]!r}?" if similar else ""
    raise UserError(
        f"no strategy {text[:60]!r}.{hint} Give a file of strategies/ (my_bot), a path (bots/my_bot.py), or a class "
        "with its arguments ('MyBot(epsilon=5)')."
    )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # for example, the name is too long
        return False


def _require_closed(text: str) -> None:
    """Check that a class with arguments has its closing parenthesis.

    Raises:
        UserError: It has not.
    """
    if re.match(r"[A-Za-z_]\w*\(", text) and text.count("(") > text.count(")"):
        closed = text + ")" * (text.count("(") - text.count(")"))
        raise UserError(f"{text[:60]!r} is missing a closing parenthesis. Did you mean {closed[:60]!r}?")


def _class_name(text: str) -> str:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return ""
    name = tree.func if isinstance(tree, ast.Call) else tree
    return name.id if isinstance(name, ast.Name) else ""


def _classes(path: Path) -> list[str]:
    if path.suffix != PYTHON:
        return []
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return []
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef)]


def ask(
    sources: Sequence[Source],
    pool: PlayerPool,
    config: RunConfig,
    fill: Callable[[Source], list[EntryInfo]] | None = None,
) -> list[EntryInfo | Fault]:
    """Return the entries of each source, or a fault if it cannot be loaded; each is loaded by its own player.

    Args:
        pool: Starts the players.
        config: The configuration of the run.
        fill: Loads a source that uses a cache; None: report such sources as faults.
    """
    entries_and_faults: list[EntryInfo | Fault] = []
    for source in sources:
        try:
            if not entry_files.fills_cache(source.file):
                entries_and_faults += declared_entries(source, pool.isolated(unnamed(source), config))
            elif fill is None:
                raise UserError(
                    f"{source.file.name} uses a cache, which only `wordpl evaluate` and `wordpl check` support."
                )
            else:
                entries_and_faults += fill(source)
        except PlayerError as fault:
            entries_and_faults.append(Fault(source, _start_failure(fault, config)))
        except UserError as fault:
            entries_and_faults.append(Fault(source, fault.message))
    return entries_and_faults


def _start_failure(fault: PlayerError, config: RunConfig) -> str:
    """Return why a player failed before it declared its entries, with advice for the user."""
    if fault.verdict == Verdict.LATE:
        return f"it took more than {config.warmup_s:g} s to start: compute less on import, or raise --warmup SECONDS."
    return fault.message or f"its process ended: {fault.verdict}."


def entries_of(found: Iterable[EntryInfo | Fault]) -> list[EntryInfo]:
    """Return the entries, without the faults."""
    return [entry for entry in found if isinstance(entry, EntryInfo)]


def resolve_entries(entries: Iterable[EntryInfo], game_id: str | None) -> list[EntryInfo]:
    """Return the entries with unique names and slugs, and with the game that each plays.

    Args:
        entries: The declared entries.
        game_id: The game for all entries; entries for another kind of game are left out. None: each plays its own game.
    """
    resolved: list[EntryInfo] = []
    kind = None if game_id is None else games.game_class(game_id).kind
    entries_of_kind = [entry for entry in entries if kind is None or kind == games.game_class(entry.game_id).kind]
    for entry, name in zip(entries_of_kind, entry_names.distinct_names(entries_of_kind), strict=True):
        resolved.append(_with_unique_names(entry, name, game_id or entry.game_id, resolved))
    return resolved


def unnamed(source: Source) -> EntryInfo:
    """Return the facts about a source's entries that are known before a player loads the file.

    Raises:
        UserError: The file is a symbolic link.
    """
    if source.file.is_symlink():
        raise UserError(f"{source.file.name} is a link to {source.file.resolve()}: replace it by the file itself.")
    digest = entry_files.digest(source.file)
    beside = entry_files.companion_digests(source.file)
    file = paths.portable_name(source.file)
    return EntryInfo("", "", "", Measure.BUDGET, file, source.make, digest, companions=beside)


def declared_entries(source: Source, player: ProcessPlayer) -> list[EntryInfo]:
    """Return the entries that a source declares, as reported by its player, which is then stopped."""
    unnamed_entry = unnamed(source)
    try:
        return [
            msgspec.structs.replace(
                unnamed_entry,
                name=sanitize_untrusted_text(name, MAX_NAME_CHARACTERS) or "?",
                game_id=game_id,
                measure=games.game_class(game_id).measure,
                make=make,
            )
            for make, name, game_id in player.declared_entries()
        ]
    finally:
        player.close()


def _with_unique_names(entry: EntryInfo, name: str, game_id: str, others: Sequence[EntryInfo]) -> EntryInfo:
    """Return the entry with its game, and with a name and a slug that differ from those of the others."""
    name = _make_unique(name, {other.name for other in others}, " #")
    slugs = (re.sub(r"[^A-Za-z0-9.=-]+", "_", text).strip("_.") for text in (name, Path(entry.file).stem))
    slug = _make_unique(next(filter(None, slugs), "entry").lower(), {other.slug for other in others}, "-")
    measure = games.game_class(game_id).measure
    return msgspec.structs.replace(entry, name=name, slug=slug, game_id=game_id, measure=measure)


def _make_unique(text: str, taken: set[str], sign: str) -> str:
    numbered = (f"{text}{sign}{number}" for number in count(2))
    return next(candidate for candidate in chain([text], numbered) if candidate not in taken)
