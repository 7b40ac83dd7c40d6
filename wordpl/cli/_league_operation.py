"""`wordpl league bot`, `schedule`, `backup`, `restore` and `copy`: run the bot, and copy the store."""

import logging
import os
from pathlib import Path

import click

from wordpl.cli._league_options import league_option, open_store, require_libraries, store_option
from wordpl.cli._output import say
from wordpl.core.errors import UserError

TOKEN, PUBLIC_KEY, REST_URL = "WORDPL_BOT_TOKEN", "WORDPL_BOT_PUBLIC_KEY", "WORDPL_BOT_REST_URL"


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
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
    help="Also receive messages from Discord's gateway, which needs the Message Content intent.  [default: --gateway]",
)
@store_option
def bot(host: str, port: int, sweep_s: float, has_gateway: bool, url: str) -> None:
    """Run the Discord bot until Ctrl-C.

    The bot answers commands and imports results from the synced channels. It reads the token and the public key of the
    app from the environment variables WORDPL_BOT_TOKEN and WORDPL_BOT_PUBLIC_KEY. Discord sends its requests over
    HTTPS: run a web server with a certificate in front of the bot, and enter its address in Discord as the Interactions
    Endpoint URL. `wordpl docs bot` explains each step.

    \b
    WORDPL_BOT_TOKEN=... WORDPL_BOT_PUBLIC_KEY=... wordpl league bot --port 8080
    """
    absent = [name for name in (TOKEN, PUBLIC_KEY) if not os.environ.get(name)]
    if absent:
        raise UserError(
            f"set {' and '.join(absent)} in the environment: `wordpl docs bot` explains where to find the values."
        )
    store = open_store(url, create=True)
    try:
        from wordpl.league.bot.server import Credentials, Endpoints, LeagueBotConfig, serve
    except ModuleNotFoundError as error:
        raise UserError(f'the bot needs the library {error.name}: pip install "wordpl[league,bot]"') from None
    import asyncio

    from wordpl.league.ocr import picture_reader

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    service = LeagueBotConfig(store, picture_reader(), sweep_every_s=sweep_s, has_gateway=has_gateway)
    secrets = Credentials(os.environ[TOKEN], os.environ[PUBLIC_KEY])
    address = Endpoints(host, port, os.environ.get(REST_URL))
    asyncio.run(serve(address, secrets, service, lambda where: say(f"Listening on {where} Press Ctrl-C to stop.")))


@click.command()
@click.argument("post", required=False)
@click.argument("time", required=False)
@click.option("--channel", metavar="ID", help="Id of the Discord channel to post to.")
@click.option("--zone", help="Time zone of TIME.  [default: that of the league, or UTC]")
@click.option("--stop", is_flag=True, help="Remove POST from the schedule.")
@click.option("--archive", is_flag=True, help="Also show the texts of all earlier posts.")
@league_option
@store_option
def schedule(
    post: str | None,
    time: str | None,
    channel: str | None,
    zone: str | None,
    stop: bool,
    archive: bool,
    key: str | None,
    url: str,
) -> None:
    """Schedule a POST of the bot, or show the schedule.

    TIME is the time of day, such as 09:30. POST is daily, weekly (on Mondays), monthly (on the 1st) or reminder.
    Nothing is scheduled by default. Posts that were missed because the bot did not run that day are listed.

    \b
    wordpl league schedule daily 09:30 --channel ID --zone Europe/Berlin
    wordpl league schedule daily --stop
    wordpl league schedule
    """
    league = open_store(url).find(key)
    from datetime import UTC, datetime

    from wordpl.cli._league_output import emit
    from wordpl.league import schedules
    from wordpl.reports.league import schedule_table

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


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@store_option
def backup(file: Path, url: str) -> None:
    """Back up the store to FILE.

    FILE is a single SQLite file. The bot may run during the backup. Do not copy an open league.sqlite yourself: the
    copy may lack changes that are still in its write-ahead log.

    \b
    wordpl league backup backups/league-2026-11-22.sqlite
    """
    require_libraries()
    from wordpl.league.maintenance import backup as write_backup

    say(f"{file}: digest {write_backup(url, file)}.")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@store_option
def restore(file: Path, url: str) -> None:
    """Restore the backup FILE into a new, empty store.

    \b
    wordpl league restore backups/league-2026-11-22.sqlite --store league.sqlite
    """
    require_libraries()
    from wordpl.league.maintenance import restore as fill

    say(f"{file}: restored, digest {fill(file, url)}.")


@click.command()
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
    from wordpl.league.maintenance import copy_store

    say(f"Copied, digest {copy_store(source, target)}.")
