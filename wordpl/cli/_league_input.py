"""`wordpl league import` and `alias`: results in, and who is who."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._echo import say
from wordpl.cli._league_store import league_option, open_store, store_option
from wordpl.core.errors import UserError

if TYPE_CHECKING:
    from wordpl.league.importing import ImportReport, Readings
    from wordpl.league.names import Alias
    from wordpl.league.store import League

MOST_SHOWN = 20
DAY = click.DateTime(["%Y-%m-%d"])


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--league", "key", default="friends", show_default=True, help="Where results go whose file names no group."
)
@click.option("--player", help="Whose share texts are that have no name before them.")
@click.option("--ocr/--no-ocr", default=None, help="Read puzzle numbers in exported pictures.  [default: if installed]")
@click.option("--all", "is_all", is_flag=True, help=f"List everything that was not read, not the first {MOST_SHOWN}.")
@store_option
def import_files(
    files: tuple[Path, ...], key: str, player: str | None, ocr: bool | None, is_all: bool, url: str
) -> None:
    """Take results into the store, from files of any of these kinds.

    \b
    - JSON of DiscordChatExporter, with mentions as names or as ids (--markdown false)
    - pasted share texts, each after a line with "Name:", or all of one --player
    - CSV with the columns player, puzzle (a number or a date) and guesses

    Importing a file twice changes nothing, and the order does not matter. What cannot be read is listed, never guessed.

    \b
    wordpl league import general.json
    wordpl league import --player "Player One" shares.txt
    """
    store = open_store(url)
    from wordpl.league.importing import ImportOptions, import_file
    from wordpl.league.ocr import picture_reader

    reader = picture_reader(ocr)
    for path in files:
        with _bar(path.name) as watch:
            report = import_file(store, path, ImportOptions(key, player, reader, watch))
        for line in _told(report, is_all):
            say(line)
    _warn_of_names(store.find(report.league))


@contextmanager
def _bar(name: str) -> Iterator:
    from tqdm import tqdm

    with tqdm(desc=name, unit=" messages", delay=2, dynamic_ncols=True) as bar:

        def watch(readings: "Readings", total: int | None) -> "Readings":
            bar.total = total
            for one in readings:
                yield one
                bar.update()

        yield watch


def _told(report: "ImportReport", is_all: bool) -> Iterator[str]:
    yield f"{report.path}: {report.n_results:,} results, {report.n_new:,} new, for the league {report.league_name}."
    for why, n in sorted(report.ignored.items()):
        yield f"  {n:,} ignored: {why}"
    if report.unread:
        yield f"  {len(report.unread):,} not read:"
    shown = report.unread if is_all else report.unread[:MOST_SHOWN]
    for one in shown:
        yield f"    {one.where}: {one.why}: {one.text[:100]!r}"
    if len(shown) < len(report.unread):
        yield f"    and {len(report.unread) - len(shown):,} more: --all lists them"


def _warn_of_names(league: "League") -> None:
    n_open = len(league.resolved().unresolved)
    if n_open:
        say(f"{n_open} names could be several people: `wordpl league alias` shows them.", err=True)


@click.command()
@click.argument("name", required=False)
@click.argument("player", required=False)
@click.option("--from", "first", type=DAY, help="The first day on which the name stands for the player.")
@click.option("--until", "last", type=DAY, help="The last such day.")
@click.option("--remove", is_flag=True, help="Take away what NAME stands for.")
@league_option
@store_option
def alias(
    name: str | None,
    player: str | None,
    first: datetime | None,
    last: datetime | None,
    remove: bool,
    key: str,
    url: str,
) -> None:
    """Have NAME stand for PLAYER (a name or a Discord id), or show who is who and which names are open.

    People are known by their Discord ids; a name alone is the one person who was ever seen with it. Where several were,
    it stays unresolved until you say who it is.

    \b
    wordpl league alias
    wordpl league alias "old name" "Player One" --until 2025-06-30
    """
    league = open_store(url).find(key)
    from wordpl.league.names import Alias

    if name and remove:
        say(f"{league.remove_alias(name)} entries of {name!r} taken away.")
    elif name and player:
        league.add_alias(Alias(name, player, *_numbers(first, last)))
    elif name:
        raise UserError(f"who is {name!r}? Give the player too, or --remove.")
    for line in _aliases(league):
        say(line)


def _numbers(first: datetime | None, last: datetime | None) -> tuple[int, int]:
    from wordpl.league.puzzles import LAST_NUMBER, number_on

    numbers = number_on(first.date()) if first else 0, number_on(last.date()) if last else LAST_NUMBER
    if not 0 <= numbers[0] <= numbers[1]:
        raise UserError("--from should not lie after --until, nor before 2021-06-19, the first puzzle's day.")
    return numbers


def _aliases(league: "League") -> Iterator[str]:
    entries, counted = league.aliases(), league.resolved()
    yield "Aliases:" if entries else "No aliases."
    for one in entries:
        yield f"  {one.name!r} is {one.player!r}{_span(one)}"
    yield "Unresolved names:" if len(counted.unresolved) else "No unresolved names."
    for row in counted.unresolved.itertuples():
        who = f"could be {', '.join(row.candidates)}" if row.candidates else "could be anybody"
        yield f"  {row.name!r} {who}; results: {row.n_results}, puzzles {row.first} to {row.last}"


def _span(one: "Alias") -> str:
    from wordpl.league.puzzles import LAST_NUMBER, day_of

    since: date | str = day_of(one.first_number) if one.first_number else "the first day"
    until: date | str = day_of(one.last_number) if one.last_number < LAST_NUMBER else "now on"
    return "" if one.first_number == 0 and one.last_number == LAST_NUMBER else f", from {since} to {until}"
