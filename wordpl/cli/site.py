"""`wordpl site`: write a folder of static pages about all runs."""

from pathlib import Path

import click

from wordpl.cli._options import A_FOLDER, max_games_option
from wordpl.cli._output import say
from wordpl.cli._status_line import working
from wordpl.core.messages import amount


@click.command(name="site")
@click.argument("results", type=A_FOLDER)
@click.option(
    "-o",
    "--output",
    "out",
    metavar="DIR",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder to write.",
)
@click.option(
    "--verify/--no-verify", "is_verified", default=True, help="Show the results of wordpl verify on the pages."
)
@max_games_option
def command(results: Path, out: Path, is_verified: bool, max_games: int) -> None:
    """Write a static site about all runs in the folder RESULTS.

    The site has an index with the records over time, and a page for each run and each entry. You can publish the folder
    as it is: the pages load nothing from other servers.

    Example: wordpl site results -o public
    """
    with working("loading pandas and scipy"):
        from wordpl.reports import site

    pages = site.write_site(results, out, is_verified, progress, max_games)
    say(f"Wrote {amount(len(pages), 'page')} to {out}. Start with {pages[0]}.")


def progress(what: str) -> None:
    """Show what is being written."""
    say(f"writing {what}", err=True)
