"""`wordpl league`: its commands for the host (settings, decisions, bot, schedule, backups, site).

The other two files have the group and its other commands.
"""

import json
import logging
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.apps.league.command_input import ACTOR
from wordpl.apps.league.command_output import (
    command,
    emit,
    key_option,
    league_options,
    open_store,
    require_libraries,
    store_option,
)
from wordpl.cli._command import A_FILE, NEW_FILE, NEW_FOLDER, conversation, library_needed
from wordpl.cli._output import say, working
from wordpl.core import words
from wordpl.core.messages import UserError, amount

if TYPE_CHECKING:
    from wordpl.apps.league.store import League

TOKEN, PUBLIC_KEY, REST_URL = "WORDPL_BOT_TOKEN", "WORDPL_BOT_PUBLIC_KEY", "WORDPL_BOT_REST_URL"
BOT_EXTRA = 'pip install "wordpl[league,bot]"'


@conversation
@command.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on, for commands over HTTPS.")
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port to listen on; 0 selects a free one.",
)
@click.option(
    "--sweep",
    "sweep_s",
    default=60.0,
    show_default=True,
    type=click.FloatRange(1, 86_400),
    help="SECONDS between HTTP polls for new, edited and deleted messages.",
)
@click.option(
    "--gateway/--no-gateway",
    "has_gateway",
    default=True,
    help="Use Discord's gateway for commands, and for messages with the Message Content intent.  [default: --gateway]",
)
@store_option
def bot(host: str, port: int, sweep_s: float, has_gateway: bool, url: str) -> None:
    """Run the Discord bot until Ctrl-C.

    The bot answers commands and imports results from the synced channels. The environment variable WORDPL_BOT_TOKEN has
    the token of the app. Commands come over Discord's gateway. If WORDPL_BOT_PUBLIC_KEY has the app's public key, the
    bot also listens for commands over HTTPS, from a web server with a certificate in front of it. `wordpl docs bot`
    explains each step.

    \b
    WORDPL_BOT_TOKEN=... wordpl league bot
    """
    if not os.environ.get(TOKEN):
        raise UserError(f"set {TOKEN} in the environment: `wordpl docs bot` explains where to find the token.")
    store = open_store(url, create=True)
    with library_needed("the bot", BOT_EXTRA):
        from wordpl.apps.league.bot.server import Credentials, Endpoints, LeagueBotConfig, serve
    import asyncio

    from wordpl.apps.league.ocr import picture_reader

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    service = LeagueBotConfig(store, picture_reader(), sweep_every_s=sweep_s, has_gateway=has_gateway)
    secrets = Credentials(os.environ[TOKEN], os.environ.get(PUBLIC_KEY, ""))
    address = Endpoints(host, port, os.environ.get(REST_URL))
    began = "Listening on" if secrets.public_key else "Connected. Add the bot to your server at"
    asyncio.run(serve(address, secrets, service, lambda where: say(f"{began} {where} Press Ctrl-C to stop.")))


@command.command()
@click.argument("post", required=False)
@click.argument("time", required=False)
@click.option("--channel", metavar="ID", help="Id of the Discord channel to post to.")
@click.option("--zone", help="Time zone of TIME.  [default: that of the league, or UTC]")
@click.option("--stop", is_flag=True, help="Remove POST from the schedule.")
@click.option("--archive", is_flag=True, help="Also show the texts of all earlier posts.")
@league_options
def schedule(
    league: "League",
    post: str | None,
    time: str | None,
    channel: str | None,
    zone: str | None,
    stop: bool,
    archive: bool,
) -> None:
    """Schedule a POST of the bot, or show the schedule.

    TIME is the time of day, such as 09:30. POST is daily, weekly (on Mondays), monthly (on the 1st) or reminder.
    Nothing is scheduled by default. Posts that were missed because the bot did not run that day are listed.

    \b
    wordpl league schedule daily 09:30 --channel ID --zone Europe/Berlin
    wordpl league schedule daily --stop
    wordpl league schedule
    """
    from wordpl.apps.league import schedules
    from wordpl.apps.league.report import schedule_table

    now = datetime.now(UTC)
    if post and stop:
        was_scheduled = schedules.stop_schedule(league, post)
        say(f"{post}: removed from the schedule." if was_scheduled else f"{post}: was not scheduled.")
    elif post and time and channel:
        zone = zone or league.options().zone or "UTC"
        schedules.set_schedule(league, schedules.make_schedule(post, channel, time, zone, now))
    elif post:
        raise UserError(
            "a post needs a time and a --channel, or --stop: wordpl league schedule daily 09:30 --channel ID"
        )
    announcements = schedules.read_announcements(league)
    for announcement in announcements if archive else []:
        say(f"{announcement.kind} of {announcement.period}, {announcement.state}:\n{announcement.text}\n")
    emit(
        [schedule_table(schedules.read_schedules(league), announcements, schedules.missed_posts(league, now))],
        "",
        "terminal",
    )


@command.command()
@click.argument("file", type=NEW_FILE)
@store_option
def backup(file: Path, url: str) -> None:
    """Back up the store to FILE.

    FILE is a single SQLite file. The bot may run during the backup. Do not copy an open league.sqlite yourself: the
    copy may lack changes that are still in its write-ahead log.

    \b
    wordpl league backup backups/league-2026-11-22.sqlite
    """
    require_libraries()
    from wordpl.apps.league.database import backup as write_backup

    say(f"{file}: digest {write_backup(url, file)}.")


@command.command()
@click.argument("file", type=A_FILE)
@store_option
def restore(file: Path, url: str) -> None:
    """Restore the backup FILE into a new, empty store.

    \b
    wordpl league restore backups/league-2026-11-22.sqlite --store league.sqlite
    """
    require_libraries()
    from wordpl.apps.league.database import restore as fill

    say(f"{file}: restored, digest {fill(file, url)}.")


@command.command()
@click.argument("source")
@click.argument("target")
def copy(source: str, target: str) -> None:
    """Copy the store SOURCE to an empty store TARGET.

    Each is a SQLite file or postgresql://USER@HOST/NAME. After the copy, the digests of results, aliases, log and
    settings are compared.

    \b
    wordpl league copy league.sqlite postgresql://league@localhost/league
    """
    require_libraries()
    from wordpl.apps.league.database import copy_store

    say(f"Copied, digest {copy_store(source, target)}.")


@command.command()
@click.option("--zone", help="Time zone of the group, such as Europe/Berlin: whose days count.")
@click.option(
    "--x-is-seven/--x-left-out",
    default=None,
    help="Count an unsolved puzzle as seven guesses everywhere, or leave it out, which rewards giving up.",
)
@click.option(
    "--missed-is-8/--missed-left-out",
    "missed",
    default=None,
    help="Count a missed day as 8 guesses in totals (`--method total`), or not at all.",
)
@click.option(
    "--grace",
    "deadline_days",
    type=click.IntRange(0, 3650),
    metavar="DAYS",
    help="A share counts until the end of this many DAYS after the puzzle's own day.",
)
@league_options
def settings(
    league: "League", zone: str | None, x_is_seven: bool | None, missed: bool | None, deadline_days: int | None
) -> None:
    """Show or change what the league has chosen.

    Everything uses these choices: the leaderboard, statistics, posts and pages. Changing one recomputes all results.

    \b
    wordpl league settings
    wordpl league settings --zone Pacific/Auckland --grace 1
    """
    from wordpl.apps.league.report import settings_lines

    given = (zone, x_is_seven, deadline_days, missed)
    if any(value is not None for value in given):
        league.choose(league.options().updated(*given))
    for line in settings_lines(league.options(), league.resolved()):
        say(line)


@command.command()
@click.argument("file", required=False, type=A_FILE)
@league_options
def answers(league: "League", file: Path | None) -> None:
    """Record the answers of puzzles from FILE, or print those that are recorded.

    Shares do not contain the answer. FILE is a table with the header `date,word` or `number,word`, as one is printed.
    `wordpl words update --from-league` makes word lists of them.

    \b
    wordpl league answers july.csv
    wordpl league answers > all.csv
    """
    from wordpl.core import known_answers
    from wordpl.core.puzzles import day_of, number_on

    if file is None:
        days = {day_of(number): word for number, word in league.answers().items()}
        say(known_answers.as_csv(days, "").decode().rstrip("\n"))
        return
    days = dict(known_answers.read(file))
    known_answers.check(days, words.bundled("modern"), datetime.now(UTC).date(), str(file))
    league.record_answers({number_on(day): word for day, word in days.items()})
    say(f"{file}: {amount(len(days), 'answer')} recorded, {len(league.answers()):,} in all.")


@command.command()
@click.argument("player")
@click.argument("puzzle")
@click.option("--undo", is_flag=True, help="Do not count it after all.")
@league_options
def accept(league: "League", player: str, puzzle: str, undo: bool) -> None:
    """Count a late share of PLAYER for PUZZLE.

    A share that was posted or edited after the deadline is listed by `wordpl league conflicts` and does not count.
    PUZZLE is a puzzle number or a date.

    \b
    wordpl league accept "Player One" 1567
    """
    from wordpl.core.puzzles import parse_puzzle

    number = parse_puzzle(puzzle, datetime.now(UTC), league.options().zone) or 0
    league.accept(player, number, ACTOR, is_accepted=not undo)
    say(f"Puzzle {number:,} of {player!r} {'does not count' if undo else 'counts'}.")


@command.command()
@click.argument("player")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--undo", is_flag=True, help="Let imports and the bot read this name or id again.")
@league_options
def forget(league: "League", player: str, yes: bool, undo: bool) -> None:
    """Delete everything that is stored about PLAYER.

    PLAYER is a name or an id. Their results, names, ids, grids, aliases and log entries are deleted, and later imports
    skip them: only a digest remains, by which they are recognized. Backups made earlier still contain them.
    `wordpl league export` shows what is stored.

    \b
    wordpl league forget "Player One"
    """
    from wordpl.apps.league.posts import Person

    if undo:
        n = league.remember([Person(player, True), Person(player, False)])
        say(f"{player!r} is read again." if n else f"{player!r} was not forgotten.")
        return
    data = league.stored_data(player)
    names = ", ".join(map(str, [*_listed(data["names"]), *_listed(data["accounts"])]))
    question = f"Delete {amount(len(_listed(data['results'])), 'report')} and the names and ids {names}, for good?"
    if not yes and not click.confirm(question):
        raise UserError("nothing was deleted.")
    n_removed = league.forget(player, datetime.now(UTC))
    say(f"Deleted {amount(n_removed, 'report')} and all names and ids. Later imports skip this person.")


@command.command()
@click.argument("player")
@league_options
def export(league: "League", player: str) -> None:
    """Print everything that is stored about PLAYER, as JSON."""
    say(json.dumps(league.stored_data(player), ensure_ascii=False, indent=2))


@command.command()
@click.argument("player")
@click.option("--undo", is_flag=True, help="Show the player again.")
@league_options
def hide(league: "League", player: str, undo: bool) -> None:
    """Leave PLAYER out of the league's site."""
    from wordpl.apps.league.privacy import HIDE

    resolved = league.resolved()
    person = resolved.ids[resolved.find(player, league.names())]
    league.set_choice(person, HIDE, is_on=not undo)
    say(f"{player!r} is {'shown on' if undo else 'left out of'} the site.")


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []


@command.command()
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=NEW_FOLDER,
    help="Folder to write the pages into.",
)
@key_option
@store_option
def site(folder: Path, key: str | None, url: str) -> None:
    """Write the league's pages into a folder that any web server can publish.

    The pages show standings, players, days, records, head-to-head results, weeks and months, and no texts of messages.
    Who does not want to be shown: `wordpl league hide PLAYER`. Write the site again after somebody was forgotten or
    hidden: pages that are not needed any more are removed.

    \b
    wordpl league site -o public
    """
    store = open_store(url)
    league = store.find(key)
    from wordpl.apps.league.privacy import HIDE
    from wordpl.apps.league.site import LeagueSite, write_site

    with working("drawing the pages"):
        pages = LeagueSite.of(store.leagues()[league.key], league.resolved(), league.who_chose(HIDE))
        n = write_site(pages, folder)
    say(f"{folder}: {amount(n, 'file')}. Open {folder / 'index.html'}.")


@command.command()
@store_option
def doctor(url: str) -> None:
    """Check what the bot needs: token, intents, permissions, clock, store, members, last sync.

    Each line says whether something is right, and otherwise what to do.

    Exit code 1: something is wrong.
    """
    with library_needed("the bot", BOT_EXTRA):
        from wordpl.apps.league.bot.doctor import check
    import asyncio

    secrets = os.environ.get(TOKEN, ""), os.environ.get(PUBLIC_KEY, "")
    findings = asyncio.run(check(url, *secrets, os.environ.get(REST_URL)))
    for finding in findings:
        say(f"{'ok   ' if finding.is_right else 'WRONG'}  {finding.what}: {finding.found}")
        if finding.remedy:
            say(f"       → {finding.remedy}")
    if not all(finding.is_right for finding in findings):
        click.get_current_context().exit(1)
