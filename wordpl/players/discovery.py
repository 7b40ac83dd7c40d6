"""Finding entries: resolving names to files and expressions, and asking players what the files declare.

In the process of the harness, a contestant's file is neither imported nor parsed.
Names on the board are unambiguous, even if entries choose names that look alike.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from itertools import chain, count
from pathlib import Path, PurePath
from textwrap import indent

import msgspec
from msgspec import UNSET

from wordpl import games
from wordpl.core import paths
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.players import source_facts
from wordpl.players.limited import Unread
from wordpl.players.process import ProcessPlayer, TrustedPlayer
from wordpl.players.source_facts import SourceFacts, Sources
from wordpl.run import bundle
from wordpl.run.info import EntryInfo
from wordpl.strategy import MAX_NAME_CHARACTERS

MAX_UNREAD = 3
"""The number of files that a message names because they cannot be read within the limits."""


@dataclass(frozen=True)
class EntrySource:
    """A contestant's file or folder.

    Attributes:
        file: The path of the file or folder.
        make: The expression that creates the entry; "": all entries that the file declares.
    """

    file: Path
    make: str = ""


@dataclass(frozen=True)
class Fault:
    """A source that could not be loaded, and the reason.

    Attributes:
        source: The file or folder.
        message: The reason.
        from_outside: Whether its process was killed from outside, which says nothing about the file.
    """

    source: EntrySource
    message: str
    from_outside: bool = False

    @property
    def in_words(self) -> str:
        """The name of the file, and below it the reason."""
        return f"{self.source.file.name} could not be loaded:\n{indent(self.message, '    ')}"


def strategy_files() -> list[Path]:
    """Return the entries of strategies/ sorted by path; one replaces the shipped one of the same name and suffix."""
    found: list[Path] = []
    for folder in paths.strategy_folders():
        is_own = folder.parent == paths.user_folder()
        own = [path for path in bundle.entries_in(folder) if is_own or bundle.is_shipped(path)]
        names = {path.name for path in found}
        found += [path for path in own if path.name not in names]
    return sorted(found)


def find_sources(wanted: Iterable[str]) -> list[EntrySource]:
    """Return the sources with these names, or all files of strategies/ if there are no names.

    A name is the path of a file or its stem, in strategies/ or the current folder, optionally followed by `:` and an
    expression, a class with arguments, or a folder of entries. A stem stands for all entries that have it, so that no
    entry takes the name of another.

    Raises:
        UserError: A name is unknown or ambiguous, or a folder has no entry.
    """
    found = chain.from_iterable(_sources_in(text) or _sources_of(text) for text in wanted)
    return list(found) or [EntrySource(path) for path in strategy_files()]


def find_source(name: str) -> EntrySource:
    """Return the only source with this name; see `find_sources`.

    Raises:
        UserError: There is none, or there are several.
    """
    found = find_sources([name])
    if len(found) > 1:
        shown = ", ".join(paths.relative_to_cwd(source.file) for source in found[:MAX_SHOWN_SOURCES])
        raise UserError(f"{name[:60]!r} are {len(found)} entries: give the path of one, such as {shown}.")
    return found[0]


def _sources_in(text: str) -> list[EntrySource]:
    """Return the entries of a folder, whose name is not that of an entry; empty if there is no such folder.

    Raises:
        UserError: The folder has no entry.
    """
    folder = Path(text)
    try:
        if not text or not folder.is_dir() or _places_of(text):
            return []
    except (OSError, ValueError):  # for example, the name is too long
        return []
    if not (places := bundle.entries_in(folder)):
        raise UserError(
            f"the folder {sanitize_untrusted_text(str(folder), 200)} has no entry: no NAME{bundle.PYTHON}, "
            f"no NAME{bundle.PROGRAM} and no folder with a bot{bundle.PYTHON}. `wordpl new NAME` writes one."
        )
    return [EntrySource(place.parent.resolve() / place.name) for place in places]


def _sources_of(text: str) -> list[EntrySource]:
    file, _, make = text.partition(":")
    if places := _places_of(file):
        return [EntrySource(place, make) for place in places]
    _require_closed(text)
    class_name = _class_name(text)
    classes, unread = _classes(strategy_files())
    matches = [path for path, names in classes.items() if class_name in names]
    if len(matches) == 1:
        return [EntrySource(matches[0], text if "(" in text else f"{text}()")]
    if matches:
        names = [paths.relative_to_cwd(path) for path in matches]
        example = f"{names[0]}:{text if '(' in text else f'{text}()'}"
        raise UserError(f"{class_name} is in {' and '.join(names)}: give the file too, as in {example!r}.")
    known_names = (
        [path.stem for path in classes]
        + [path.name for path in bundle.entries_in(Path.cwd())]
        + [name for names in classes.values() for name in names]
    )
    similar = get_close_matches(class_name or text, known_names, n=1)
    hint = f" Did you mean {similar[0]!r}?" if similar else ""
    hint += "".join(f" {paths.relative_to_cwd(path)}: {unread[path]}." for path in list(unread)[:MAX_UNREAD])
    raise UserError(
        f"no strategy {text[:60]!r}.{hint} Give a file of strategies/ (my_bot), a path (bots/my_bot.py), or a class "
        "with its arguments ('MyBot(epsilon=5)')."
    )


def _places_of(file: str) -> list[Path]:
    """Return the entry with this path, or all that have this name in the current folder and in strategies/."""
    folders = [paths.user_folder(), *paths.strategy_folders(), paths.bundled()]
    if file.endswith((bundle.PYTHON, bundle.PROGRAM)) or ("/" in file and _is_entry(Path(file))):
        return [_resolved(folder / file) for folder in folders if _is_entry(folder / file)][:1]
    names = (file, f"{file}{bundle.PYTHON}", f"{file}{bundle.PROGRAM}")
    here, *elsewhere = ([_resolved(folder / name) for name in names if _is_entry(folder / name)] for folder in folders)
    by_name = {place.name: place for place in reversed(list(chain.from_iterable(elsewhere))) if place not in here}
    return [*here, *reversed(by_name.values())]


def _resolved(path: Path) -> Path:
    return path.parent.resolve() / path.name


def _is_entry(path: Path) -> bool:
    try:
        if path.suffix in (bundle.PYTHON, bundle.PROGRAM):
            return path.is_file() or path.is_symlink()
        return bool(path.name) and path.is_dir() and bool(bundle.mains_in(path))
    except (OSError, ValueError):  # for example, the name is too long
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
    """Return the name of the class in "MyBot" or "MyBot(epsilon=5)"; "" if it has another form."""
    name, parenthesis, arguments = text.strip().partition("(")
    return name if name.isidentifier() and (not parenthesis or arguments.endswith(")")) else ""


def _classes(places: Iterable[Path]) -> tuple[dict[Path, Collection[str]], dict[Path, str]]:
    """Return the classes of each entry, and why those of some entries cannot be read within the limits."""
    classes: dict[Path, Collection[str]] = dict.fromkeys(places, ())
    mains: dict[Path, Sources] = {}
    for place in classes:
        with suppress(UserError):  # its player will report it
            main = bundle.main_of(place.parent, place.name)
            if main.endswith(bundle.PYTHON):
                mains[place] = Sources(str(place.parent / main))
    found = dict(zip(mains, source_facts.read(list(mains.values())), strict=True))
    unread = {place: facts.reason for place, facts in found.items() if isinstance(facts, Unread)}
    classes |= {place: facts.classes for place, facts in found.items() if isinstance(facts, SourceFacts)}
    return classes, unread


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
    form = None if game_id is None else games.game_class(game_id).facts.form
    fitting = [entry for entry in entries if form is None or form == entry.game.form]
    for entry, name in zip(fitting, distinct_names(fitting), strict=True):
        resolved.append(_with_unique_names(entry, name, game_id or entry.game.id, resolved))
    return resolved


def make_distinct(kept: Sequence[EntryInfo], added: Iterable[EntryInfo]) -> list[EntryInfo]:
    """Return the kept entries as they are, and the added ones with names and slugs that differ from all others."""
    entries = list(kept)
    for entry in added:
        entries.append(_with_unique_names(entry, entry.name, entry.game.id, entries))
    return entries


def read_facts(
    unnamed_entries: Sequence[EntryInfo], store: bundle.BundleStore
) -> list[tuple[EntryInfo, SourceFacts | Unread]]:
    """Return what the stored files of each source say, and the entry with what is loaded before it."""
    sources = []
    for entry in unnamed_entries:
        tree = store.tree(entry.sha256)
        main = bundle.main_of(store.path(entry.sha256), Path(entry.file).name)
        sources.append(Sources.of_tree(tree, main, entry.sha256))
    facts = source_facts.read(sources)
    uses = source_facts.uses_of(facts)
    entries = [msgspec.structs.replace(entry, uses=own) for entry, own in zip(unnamed_entries, uses, strict=True)]
    return list(zip(entries, facts, strict=True))


def declared_entries(
    unnamed_entry: EntryInfo, facts: SourceFacts | Unread, player: ProcessPlayer | TrustedPlayer
) -> list[EntryInfo]:
    """Return the entries that a source declares, as reported by its player, with what its files say."""
    return [
        msgspec.structs.replace(
            unnamed_entry,
            name=sanitize_untrusted_text(name, MAX_NAME_CHARACTERS) or "?",
            game=games.game_class(game_id).facts,
            make=make,
            about=UNSET if isinstance(facts, Unread) else facts.about(make),
        )
        for make, name, game_id in player.declared_entries()
    ]


def _with_unique_names(entry: EntryInfo, name: str, game_id: str, others: Sequence[EntryInfo]) -> EntryInfo:
    """Return the entry with its game, and with a name and a slug that differ from those of the others."""
    name = _make_unique(name, {other.name for other in others}, " #")
    slugs = (re.sub(r"[^A-Za-z0-9.=-]+", "_", text).strip("_.") for text in (name, Path(entry.file).stem))
    slug = _make_unique(next(filter(None, slugs), "entry").lower(), {other.slug for other in others}, "-")
    return msgspec.structs.replace(entry, name=name, slug=slug, game=games.game_class(game_id).facts)


def _make_unique(text: str, taken: set[str], sign: str) -> str:
    numbered = (f"{text}{sign}{number}" for number in count(2))
    return next(candidate for candidate in chain([text], numbered) if candidate not in taken)


MAX_SHOWN_SOURCES = 5
MAX_MARK_CHARACTERS = 60
"""The maximum length of a file name in a mark; longer paths are truncated at the start."""
_SIGN_LOOKALIKES = str.maketrans('`";:,_[]{}', "''...-()()")
"""Signs that look alike."""


def distinct_names(entries: Sequence[EntryInfo]) -> list[str]:
    """Return a name for each entry.

    To a name that looks like that of an entry from another file, the author is appended if that tells all such entries
    apart, and otherwise the file; to one that has non-ASCII letters, the file. If exactly one of the entries with such
    a name is bundled, it keeps its name.
    """
    names = [entry.name for entry in entries]
    files = {entry.file for entry in entries}
    marked: set[int] = set()
    while clashing := [index for index in _clashing(names, entries) if index not in marked]:
        authors = {} if marked else _telling_authors(names, entries)
        for index in clashing:
            mark = f" [{authors.get(index) or _mark(entries[index].file, files)}]"
            names[index] = names[index][: MAX_NAME_CHARACTERS - len(mark)] + mark
        marked.update(clashing)  # a marked name may look like another entry's name
    return names


def appearance(name: str) -> str:
    """Return a normalized form of a name, equal for names that look alike: without accents, case and spaces.

    >>> appearance("N\u0413u\u0435ss (2)") == appearance("nGuess(2)")
    False
    >>> appearance("NGu\u0435ss (2)") == appearance("nGuess(2)")
    True
    """
    alike = _prototypes()
    plain = _letters(_bare(name).translate(alike)).translate(alike).translate(_SIGN_LOOKALIKES)
    plain = _letters(plain).replace("i", "l")
    plain = re.sub(r"([-.'])\1+", r"\1", plain)  # their number is hard to see
    return plain.replace("rn", "m").replace("vv", "w").replace("cl", "d")


def _letters(name: str) -> str:
    """Return the name in lower case, without accents, spaces and invisible characters."""
    return _bare(unicodedata.normalize("NFKD", name).casefold())


def _bare(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name)
    return "".join(sign for sign in plain if not (sign.isspace() or unicodedata.category(sign) in ("Mn", "Me", "Cf")))


@cache
def _prototypes() -> dict[int, str]:
    """Return the table that replaces each character by the one that it looks like, its prototype of Unicode's UTS 39.

    The library lists for each prototype all that look like it, and for each of these the prototype alone.
    """
    from confusable_homoglyphs.confusables import confusables_data  # reads its tables when it is imported

    alike = {character: [near["c"] for near in found] for character, found in confusables_data.items()}
    return {
        ord(character): near[0]
        for character, near in alike.items()
        if len(character) == len(near) == 1 and (len(alike.get(near[0], ())) > 1 or near[0] < character)
    }


def _clashing(names: Sequence[str], entries: Sequence[EntryInfo]) -> list[int]:
    """Return the indices of names that look like that of an entry from another file, or have non-ASCII letters."""
    files: dict[str, set[str]] = {}
    for name, entry in zip(names, entries, strict=True):
        files.setdefault(appearance(name), set()).add(entry.file)
    keeps = {look: _only_bundled(alike) for look, alike in files.items()}
    looks = [appearance(name) for name in names]
    return [
        index
        for index, look in enumerate(looks)
        if (len(files[look]) > 1 or not _letters(names[index]).isascii()) and entries[index].file != keeps[look]
    ]


def _telling_authors(names: Sequence[str], entries: Sequence[EntryInfo]) -> dict[int, str]:
    """Return the author's name as a mark, by index, for entries whose names look alike but whose authors' do not.

    A name that a bundled entry has too, or that is not in ASCII, is not marked with what its author claims to be.
    """
    alike: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        alike.setdefault(appearance(name), []).append(index)
    found: dict[int, str] = {}
    for indices in alike.values():
        authors = {entries[index].file: appearance(entries[index].author) for index in indices}
        are_plain = all(_letters(names[index] + entries[index].author).isascii() for index in indices)
        differ = all(authors.values()) and len(set(authors.values())) == len(authors)
        if are_plain and differ and _only_bundled(set(authors)) is None:
            found |= {index: f"by {entries[index].author}" for index in indices}
    return found


def _only_bundled(files: Collection[str]) -> str | None:
    """Return the only bundled file among these; None unless there is exactly one."""
    bundled_files = [file for file in files if bundle.is_shipped(bundle.find_place(file))]
    return bundled_files[0] if len(bundled_files) == 1 else None


def _mark(file: str, others: Collection[str]) -> str:
    """Return the end of a path in ASCII, with at least two parts and as many as distinguish it from other paths."""
    parts = PurePath(file).parts
    different = [PurePath(other).parts for other in others if other != file]
    n_parts = next((n for n in range(2, len(parts)) if all(parts[-n:] != path[-n:] for path in different)), len(parts))
    return ascii("/".join(parts[-n_parts:]))[1:-1][-MAX_MARK_CHARACTERS:]
