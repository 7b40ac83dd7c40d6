"""`wordpl league import`, `alias`, `merge`, `split`, `log` and `undo`: import results and identify players."""

import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordpl.apps.league.command_output import command, emit, league_options, open_store, require_libraries, store_option
from wordpl.cli._command import A_DAY, A_FILE
from wordpl.cli._output import progress_bar, say
from wordpl.core.messages import UserError, amount

if TYPE_CHECKING:
    from wordpl.apps.league.sources import ImportReport, Readings, Watch
    from wordpl.apps.league.store import League

MAX_SHOWN = 20
ACTOR = "command line"


@command.command("import")
@click.argument("files", nargs=-1, required=True, type=A_FILE)
@click.option(
    "--league", "key", default="friends", show_default=True, help="League for files that do not name a group."
)
@click.option("--player", help="Player of share texts that do not follow a name, or the owner of an iMessage chat.")
@click.option(
    "--person",
    "people",
    multiple=True,
    metavar="NAME",
    help="Player to whom 'NAME:' before a share refers, although nobody of the chat has this name. Repeatable.",
)
@click.option("--chat", help="Chat to read, if an export of all Telegram chats has several with results.")
@click.option("--zone", help="Time zone of the group, such as Europe/Berlin. It is stored.")
@click.option(
    "--ocr/--no-ocr",
    default=None,
    help="Read puzzle numbers from exported pictures.  [default: if OCR is installed]",
)
@click.option("--yes", "is_sure", is_flag=True, help="Count the results without asking.")
@click.option(
    "--replace",
    "replaces",
    is_flag=True,
    help="Also remove what earlier imports found in the same messages, and these files do not say. Give all parts of a "
    "chat at once.",
)
@click.option("--full", "is_all", is_flag=True, help=f"List all skipped messages instead of the first {MAX_SHOWN}.")
@store_option
def import_files(
    files: tuple[Path, ...],
    key: str,
    player: str | None,
    people: tuple[str, ...],
    chat: str | None,
    zone: str | None,
    ocr: bool | None,
    is_sure: bool,
    replaces: bool,
    is_all: bool,
    url: str,
) -> None:
    """Import results into the store from FILES.

    The format of each file is detected:

    \b
    - JSON from DiscordChatExporter, with or without --markdown false
    - a chat exported from WhatsApp (text), Telegram Desktop (result.json) or iMessage (by imessage-exporter)
    - pasted share texts, each after a line "Name:", or all from one --player
    - text copied from Discord or Telegram Desktop, with its headings
    - CSV in UTF-8 with the columns player, puzzle (number or date) and guesses, or with one column for each player

    An import shows itself before it counts: new players, results of each, days without results, and names about which
    you are asked. Without a terminal, or with --yes, it counts, and doubtful names are left out or stay separate
    players. At the first import, you are asked for the group's time zone: it decides to which day a message belongs.

    Importing a file twice changes nothing, and the order of imports does not matter. Messages that cannot be read are
    listed and skipped. `wordpl league undo --import NUMBER` takes an import back.

    \b
    wordpl league import general.json
    wordpl league import --player "Player One" shares.txt
    wordpl league import --replace general.json
    """
    require_libraries()
    from wordpl.apps.league import imports
    from wordpl.apps.league.database import is_missing_file
    from wordpl.apps.league.ocr import picture_reader
    from wordpl.apps.league.report import changes_table
    from wordpl.apps.league.sources import ImportOptions
    from wordpl.core.puzzles import check_zone

    if is_missing_file(url):
        say(f"Creating the store {url}.", err=True)
    zone = check_zone(zone) if zone else None
    store = open_store(url, create=True)
    with _bar(", ".join(path.name for path in files)) as watch:
        read_picture = lru_cache(10_000)(picture_reader(ocr))  # a file is read once to show it, and once to count it
        options = ImportOptions(key, player, chat, read_picture, watch, people=frozenset(people), actor=ACTOR)
        preview = imports.preview_import(store, files, options, replaces=replaces)
    for report in preview.reports:
        for line in _report_lines(report, is_all):
            say(line)
    for changes in preview.changes.values():
        if not changes.is_nothing:
            emit([changes_table(changes)], "", "terminal")
    doubts = preview.doubts if not is_sure else []
    agreed = [doubt for doubt in doubts if _answer(doubt.question)]
    if not is_sure and not all(changes.is_nothing for changes in preview.changes.values()):
        answer = _answer("Count this?", default=True)
        if answer is False or (answer is None and sys.stdin.isatty()):
            raise UserError("nothing was counted.")
    options = imports.settle(store, agreed, replace(options, watch=ImportOptions.watch))
    for report in imports.import_files(store, files, options, replaces=replaces):
        if report.number:
            say(f"{report.path}: counted. To take it back: `wordpl league undo --import {report.number}`.")
        _settle_zone(store.find(report.league), zone)
    _warn(store.find(report.league))


def _answer(question: str, default: bool = False) -> bool | None:
    """Return the answer to a question, or None if nobody can answer."""
    try:
        if not sys.stdin.isatty() and not select.select([sys.stdin], [], [], 0)[0]:
            say(f"{question} Nobody answers.")
            return None
    except (OSError, ValueError):
        pass  # not a file: a test's input
    try:
        return click.confirm(question, default=default)
    except click.Abort:
        return None


def _settle_zone(league: "League", zone: str | None) -> None:
    """Save the time zone that was given, or ask for it if the league has none and somebody can answer."""
    options = league.options()
    if zone is None and not options.zone and sys.stdin.isatty():
        likely = league.resolved().zone or "UTC"
        zone = click.prompt("Time zone of the group, such as Europe/Berlin", default=likely)
    if zone:
        league.choose(options._replace(zone=zone))


@contextmanager
def _bar(name: str) -> "Iterator[Watch]":
    with progress_bar(None, " message", name, delay=2) as bar:

        def watch(readings: "Readings", total: int | None) -> "Readings":
            bar.total = total
            for reading in readings:
                yield reading
                bar.update()

        yield watch


def _report_lines(report: "ImportReport", is_all: bool) -> Iterator[str]:
    counts = f"{amount(report.n_results, 'result')}, {report.n_new:,} new"
    yield f"{report.path}: {counts}, for the league {report.league_name}."
    if report.n_unfinished:
        yield f"  {amount(report.n_unfinished, 'unfinished game')}, reported by the app"
    for why, n in sorted(report.ignored.items()):
        yield f"  {n:,} ignored: {why}"
    if report.unread:
        yield f"  {len(report.unread):,} not read:"
    shown_parts = report.unread if is_all else report.unread[:MAX_SHOWN]
    for part in shown_parts:
        yield f"    {part.where}: {part.why}: {part.text[:100]!r}"
    if len(shown_parts) < len(report.unread):
        yield f"    and {len(report.unread) - len(shown_parts):,} more; --full lists all of them"


def _warn(league: "League") -> None:
    """Print what the organiser should look at: the time zone, names, and reports that do not count."""
    resolved = league.resolved()
    if resolved.warning:
        say(resolved.warning, err=True)
    elif not league.options().zone:
        likely = resolved.zone or "Europe/Berlin"
        say(f"This league has no time zone yet: `wordpl league settings --zone {likely}`.", err=True)
    if n := len(resolved.unresolved):
        say(f"{amount(n, 'name')} could be several people: see `wordpl league alias`.", err=True)
    if resolved.unconfirmed["suggestions"].map(bool).any():
        names = ", ".join(resolved.unconfirmed.loc[resolved.unconfirmed["suggestions"].map(bool), "name"].head(5))
        say(f"Known only by name, and similar to another name: {names}. See `wordpl league alias`.", err=True)
    if n := int((~resolved.conflicts["counts"]).sum()):
        counts = "does not count" if n == 1 else "do not count"
        say(f"{amount(n, 'report')} {counts}: see `wordpl league conflicts`.", err=True)


@command.command()
@click.argument("name", required=False)
@click.argument("player", required=False)
@click.option("--from", "first", type=A_DAY, help="First day of the alias. [default: the first puzzle]")
@click.option("--until", "last", type=A_DAY, help="Last day of the alias. [default: no end]")
@click.option("--remove", is_flag=True, help="Remove all aliases of NAME.")
@league_options
def alias(
    league: "League", name: str | None, player: str | None, first: datetime | None, last: datetime | None, remove: bool
) -> None:
    """Make NAME an alias of PLAYER, or list all aliases.

    PLAYER is a name or a Discord id. The list also shows names that are unresolved. Players are identified by their
    Discord ids. A name without an id is matched to the only player who has used it, ignoring case and decoration. If
    several players have used it, the name stays unresolved until you add an alias. `wordpl league undo` reverts a
    change.

    \b
    wordpl league alias
    wordpl league alias "old name" "Player One" --until 2025-06-30
    """
    from wordpl.apps.league.alias_log import add_alias, remove_aliases
    from wordpl.apps.league.player_names import Alias

    if name and remove:
        say(f"Removed {amount(remove_aliases(league, name, ACTOR), 'alias', 'aliases')} of {name!r}.")
    elif name and player:
        add_alias(league, Alias(name, player, *_numbers(first, last)), ACTOR)
    elif name:
        raise UserError(f"{name!r} needs a PLAYER, or --remove: wordpl league alias NAME PLAYER")
    for line in _aliases(league):
        say(line)


@command.command()
@click.argument("player")
@click.argument("into")
@league_options
def merge(league: "League", player: str, into: str) -> None:
    """Count the results of PLAYER for INTO.

    INTO is another account or name of the same person. Players are never merged automatically. `wordpl league alias`
    lists similar names, and `wordpl league undo` reverts a merge.

    \b
    wordpl league merge Ally 100000000000000001
    """
    from wordpl.apps.league import alias_log

    league.resolved().find(player, league.names())
    number = alias_log.merge(league, player, into, ACTOR)
    say(f"The results of {player!r} now count for {into!r}. To revert: `wordpl league undo {number}`.")


@command.command()
@click.argument("name")
@click.option("--from", "first", type=A_DAY, help="First day of the split. [default: the first puzzle]")
@click.option("--until", "last", type=A_DAY, help="Last day of the split. [default: no end]")
@league_options
def split(league: "League", name: str, first: datetime | None, last: datetime | None) -> None:
    """Make NAME a separate player.

    Use this if another player has or had the same name.

    \b
    wordpl league split Ally --until 2025-06-30
    """
    from wordpl.apps.league import alias_log

    number = alias_log.split(league, name, _numbers(first, last), ACTOR)
    say(f"{name!r} is now a separate player. To revert: `wordpl league undo {number}`.")


@command.command("log")
@league_options
def show_log(league: "League") -> None:
    """Show all aliases, merges, splits and imports, and who made them."""
    from wordpl.apps.league import alias_log
    from wordpl.apps.league.report import imports_table, log_table

    shown = [log_table(alias_log.changes(league))]
    emit([*shown, imports_table(logged)] if (logged := league.imports()) else shown, "", "terminal")


@command.command()
@click.argument("number", type=click.IntRange(1))
@click.option("--import", "is_import", is_flag=True, help="Take back the import with this NUMBER.")
@league_options
def undo(league: "League", number: int, is_import: bool) -> None:
    """Revert the change, or the import, with this NUMBER in `wordpl league log`."""
    from wordpl.apps.league import alias_log

    if is_import:
        league.undo_import(number)
        say(f"Import {number} is taken back: its results do not count any more, and what it replaced counts again.")
        return
    change = alias_log.undo(league, number, ACTOR)
    say(f"Reverted: {change.action} of {change.alias.name!r} and {change.alias.player!r}.")


def _numbers(first: datetime | None, last: datetime | None) -> tuple[int, int]:
    from wordpl.core.puzzles import LAST_NUMBER, number_on

    numbers = number_on(first.date()) if first else 0, number_on(last.date()) if last else LAST_NUMBER
    if not 0 <= numbers[0] <= numbers[1]:
        raise UserError("--from must not be after --until, nor before 2021-06-19, the day of the first puzzle.")
    return numbers


def _aliases(league: "League") -> Iterator[str]:
    from wordpl.apps.league.report import alias_span

    entries, resolved, names = league.aliases(), league.resolved(), league.names()
    yield "Aliases:" if entries else "No aliases."
    for entry in entries:
        yield f"  {entry.name!r} is {entry.player!r}{alias_span(entry.first_number, entry.last_number)}"
    yield "Unresolved names:" if len(resolved.unresolved) else "No unresolved names."
    row: Any
    for row in resolved.unresolved.itertuples():
        meaning = f"could be {', '.join(row.candidates)}" if row.candidates else "matches no known player"
        yield f"  {row.name!r} {meaning}; results: {row.n_results}, puzzles {row.first} to {row.last}"
    for name, suggestions, n in resolved.unconfirmed.itertuples(index=False):
        similar = ", ".join(f"{names.shown_name(id)} ({id})" for id in suggestions)
        yield f"  {name!r} is known only by name; results: {n}{f'; similar to {similar}' if similar else ''}"
