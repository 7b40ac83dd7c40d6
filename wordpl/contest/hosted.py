"""Entries without code, such as language models, which the harness plays itself; apps know their kinds.

An app of which the folder has a module `hosted` plays the entries whose TOML file has the table that this module names.
Their games run in a thread of the host, beside the workers, as they wait for others most of the time. No game of such
an entry can be repeated: its moves come from outside. What came from there is a fact of the run, as moves are.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, cast

from msgspec import structs

from wordpl import games
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.core.seeds import Draws
from wordpl.core.words import WordLists
from wordpl.games import Game
from wordpl.players import source_facts
from wordpl.players.source_facts import SourceFacts
from wordpl.run.bundle import BundleStore, Settings, main_of
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, Price, RunInfo
from wordpl.run.records import Duration, Record
from wordpl.strategy import MAX_NAME_CHARACTERS
from wordpl.verify import Difference, Findings

APPS = "wordpl.apps"
"""The package of apps. One with a module `hosted` plays a kind of entries without code."""
NOT_REPEATED = "cannot be repeated"
"""What every place says that speaks of repeats."""


class HostedGames(Protocol):
    """Games that are played in the background."""

    def begin(self, entry: EntryInfo, numbers: Iterable[int]) -> None:
        """Play games of an entry, whose numbers are taken one by one, in a thread, when the next game can begin."""

    def ended(self, *, wait: bool) -> Iterator[tuple[EntryInfo, Record, Duration]]:
        """Yield the games that have ended since the last call.

        Args:
            wait: Wait until all games that were begun have ended.

        Raises:
            UserError: No more games of an entry can be played now, and there is nothing else to wait for.
        """


class HostedKind(Protocol):
    """A module `hosted` of an app."""

    KIND: str
    """The name of the table that makes an entry one of this kind."""

    def template(self, game: Game) -> dict[str, str]:
        """Return the texts of the files of an example of an entry, by their names in its folder."""

    def check(self, settings: Settings, files: Path, name: str) -> None:
        """Check the settings of an entry, whose files lie in a folder, under its own name.

        Raises:
            UserError: They are not valid.
        """

    def terms(self, entries: Sequence[tuple[EntryInfo, Settings]]) -> tuple[dict[str, Any], dict[str, Price]]:
        """Return the terms on which the host plays such entries in a new run, and the price of each, by slug.

        Raises:
            UserError: The host has not said how to play one of them.
        """

    def play(self, run: Run, entries: Sequence[EntryInfo], draws: Draws) -> AbstractContextManager[HostedGames]:
        """Return a context in which games of these entries can be played; all has ended when it ends."""

    def finish(self, run: Run, entries: Sequence[EntryInfo]) -> None:
        """Bring the files of such entries in a run's folder into their final form, once all games have been played."""

    def problems(self, run: Run, entry: EntryInfo, game: Game, findings: Findings) -> Iterator[Difference]:
        """Yield what is wrong with the games of an entry, as far as what came from outside tells."""

    def replies(self, run: Run, entry: EntryInfo, games: Container[int]) -> dict[int, dict[int, str]]:
        """Return what an entry replied in these games, by the number of the game and that of the move."""

    def options(self, run: Run) -> list[str]:
        """Return the options with which the run can be resumed, for its command line."""

    def preview(self, run: Run, entry: EntryInfo) -> str:
        """Return what games of an entry took, and what a whole run would take, as a sentence."""


@cache
def kinds() -> dict[str, HostedKind]:
    """Return the kinds of entries without code that can be played, by their names; they are found, not listed."""
    apps = find_spec(APPS)
    places = [Path(place) for place in (apps.submodule_search_locations or ())] if apps else []
    names = sorted(file.parent.name for place in places for file in place.glob("*/hosted.py"))
    modules = [cast(HostedKind, import_module(f"{APPS}.{name}.hosted")) for name in names]
    return {module.KIND: module for module in modules}


def kind(name: str) -> HostedKind:
    """Return the kind of this name.

    Raises:
        UserError: No app plays it.
    """
    if name not in kinds():
        known = ", ".join(f"[{one}]" for one in kinds()) or "none"
        raise UserError(
            f"the table [{sanitize_untrusted_text(name, 40)}] names a kind of entry that nothing installed plays; "
            f"known are: {known}."
        )
    return kinds()[name]


def declared(unnamed: EntryInfo, facts: SourceFacts, files: Path) -> EntryInfo:
    """Return the entry that a TOML file with a table declares.

    Args:
        unnamed: The facts that are known before the file is read.
        facts: What the file says.
        files: The folder with the files of the entry.

    Raises:
        UserError: The file is not valid.
    """
    program = facts.program
    assert program is not None and program.tables
    game, file = games.game_class(program.game), Path(unnamed.file)
    kind(program.kind).check(program.tables[program.kind], files, file.name)
    name = sanitize_untrusted_text(program.name or file.stem, MAX_NAME_CHARACTERS) or "?"
    return structs.replace(
        unnamed, name=name, game=game.facts, make="", about=facts.about(""), uses=[], kind=program.kind
    )


def of(entries: Iterable[EntryInfo]) -> list[EntryInfo]:
    """Return those of these entries that have no code."""
    return [entry for entry in entries if entry.is_hosted]


def slugs(info: RunInfo) -> set[str]:
    """Return the slugs of the entries of a run that have no code."""
    return {entry.slug for entry in of(info.entries)}


def refuse(entries: Iterable[EntryInfo], what: str) -> None:
    """Raise UserError if an entry has no code, of which something is asked that needs it.

    Args:
        entries: The entries.
        what: What is asked, as the end of a sentence that begins with a name.
    """
    for entry in of(entries):
        name = sanitize_untrusted_text(entry.name, MAX_NAME_CHARACTERS)
        raise UserError(f"{name} has no code, since the harness plays it itself: {what}.")


def settings_of(entry: EntryInfo, store: BundleStore) -> Settings:
    """Return the settings of an entry without code, whose files a store has.

    Raises:
        UserError: They are missing, or have another kind of entry.
    """
    files = store.tree(entry.sha256)
    if files.digest != entry.sha256:
        raise UserError(f"{store.path(entry.sha256)} has changed: restore it, or start a new run.")
    main = files.files[main_of(store.path(entry.sha256), Path(entry.file).name)]
    program = source_facts.read_program(main.absolute(), entry.sha256)
    if program.kind != entry.kind:
        raise UserError(f"{entry.file} is not an entry of the kind {entry.kind!r}.")
    return program.tables[program.kind]


def settle(info: RunInfo, store: BundleStore, base: RunInfo | None = None) -> None:
    """Set the terms and prices of the entries without code in the description of a new run.

    Args:
        info: The description.
        store: The files of the entries.
        base: The run of which the new one has the first entries; their terms hold.

    Raises:
        UserError: The host has not said how to play one of them.
    """
    new = of(info.entries[len(base.entries) if base else 0 :])
    for name in sorted({str(entry.kind) for entry in new}):
        own = [(entry, settings_of(entry, store)) for entry in new if entry.kind == name]
        info.hosted[name], prices = kind(name).terms(own)
        info.prices |= prices
    if base is not None:
        info.hosted |= base.hosted
        info.prices |= base.prices


def playing(run: Run, draws: Draws, entries: Iterable[EntryInfo]) -> AbstractContextManager[HostedGames]:
    """Return a context in which games of those of these entries can be played that have no code.

    Raises:
        UserError: The host has not said how to play one of them.
    """
    own = of(entries)
    if not own:
        return nullcontext(_NoGames())
    names = {str(entry.kind) for entry in own}
    if len(names) > 1:
        raise UserError(f"one run has entries of one kind without code, and this one has {', '.join(sorted(names))}.")
    return kind(names.pop()).play(run, own, draws)


class _NoGames:
    def begin(self, entry: EntryInfo, numbers: Iterable[int]) -> None:
        raise AssertionError("there is no entry without code")

    def ended(self, *, wait: bool) -> Iterator[tuple[EntryInfo, Record, Duration]]:
        return iter(())


def finish(run: Run) -> None:
    """Bring the files of entries without code into their final form, once all games of the run have been played."""
    for name in sorted({str(entry.kind) for entry in of(run.info.entries)}):
        kind(name).finish(run, [entry for entry in of(run.info.entries) if entry.kind == name])


def options(run: Run) -> list[str]:
    """Return the options with which a run with entries without code can be resumed, for its command line."""
    names = sorted({str(entry.kind) for entry in of(run.info.entries)} & {*kinds()})
    return [option for name in names for option in kind(name).options(run)]


def check_games(run: Run, lists: WordLists, findings: Findings) -> None:
    """Add what is wrong with the games of entries without code, as far as what came from outside tells."""
    for entry in of(run.info.entries):
        if str(entry.kind) not in kinds():
            findings.notes.append(f"the games of {entry.name}: nothing installed plays [{entry.kind}].")
        elif games.is_known(entry.game) or not entry.game.sha256:
            game = games.make_game(entry.game, lists)
            findings.differences += kind(str(entry.kind)).problems(run, entry, game, findings)


MAX_REPLIED = 2000
"""The number of games of an entry whose replies a page shows."""


def replies(run: Run, entry: EntryInfo, numbers: Container[int]) -> dict[int, dict[int, str]]:
    """Return what an entry without code replied in these games, by the number of the game and that of the move.

    The texts come from outside and are not trusted. It is empty for other entries, and without transcripts.
    """
    if not entry.is_hosted or str(entry.kind) not in kinds():
        return {}
    return kind(str(entry.kind)).replies(run, entry, numbers)


def replies_of(run: Run) -> dict[str, dict[int, dict[int, str]]]:
    """Return the replies of all entries of a run in its first games, by the names of the entries."""
    return {entry.name: replies(run, entry, range(MAX_REPLIED)) for entry in of(run.info.entries)}
