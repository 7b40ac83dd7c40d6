"""`wordpl league site` and `doctor`: publish a league, and check what the bot needs."""

import os
from pathlib import Path

import click

from wordpl.cli._league_operation import PUBLIC_KEY, REST_URL, TOKEN
from wordpl.cli._league_options import league_option, open_store, store_option
from wordpl.cli._output import say
from wordpl.cli._status_line import working
from wordpl.core.errors import UserError
from wordpl.core.messages import amount


@click.command()
@click.option(
    "-o",
    "--output",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write the pages into.",
)
@league_option
@store_option
def site(folder: Path, key: str, url: str) -> None:
    """Write the league's pages into a folder that any web server can publish.

    The pages show standings, players, days, records, head-to-head results, weeks and months, and no texts of messages.
    Who does not want to be shown: `wordpl league hide PLAYER`. Write the site again after somebody was forgotten or
    hidden: pages that are not needed any more are removed.

    \b
    wordpl league site -o public
    """
    store = open_store(url)
    league = store.find(key)
    from wordpl.league.privacy import HIDE
    from wordpl.reports.league_site import LeagueSite, write_site

    with working("drawing the pages"):
        pages = LeagueSite.of(store.leagues()[league.key], league.resolved(), league.who_chose(HIDE))
        n = write_site(pages, folder)
    say(f"{folder}: {amount(n, 'file')}. Open {folder / 'index.html'}.")


@click.command()
@store_option
def doctor(url: str) -> None:
    """Check what the bot needs: token, intents, permissions, clock, store, members, last sync.

    Each line says whether something is right, and otherwise what to do.

    Exit code 1: something is wrong.
    """
    try:
        from wordpl.league.bot.doctor import check
    except ModuleNotFoundError as error:
        raise UserError(f'the bot needs the library {error.name}: pip install "wordpl[league,bot]"') from None
    import asyncio

    secrets = os.environ.get(TOKEN, ""), os.environ.get(PUBLIC_KEY, "")
    findings = asyncio.run(check(url, *secrets, os.environ.get(REST_URL)))
    for finding in findings:
        say(f"{'ok   ' if finding.is_right else 'WRONG'}  {finding.what}: {finding.found}")
        if finding.remedy:
            say(f"       → {finding.remedy}")
    if not all(finding.is_right for finding in findings):
        click.get_current_context().exit(1)
