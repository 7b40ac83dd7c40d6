"""`wordpl site`: write a folder of static pages about all runs."""

from pathlib import Path

import click

from wordpl.cli._options import A_FOLDER
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
def command(results: Path, out: Path, is_verified: bool) -> None:
    """Write a static site about all runs in the folder RESULTS.

    The site has an index, the records, the history of each entry, and a page for each run. You can publish the folder
    as it is: the pages load nothing from other servers.

    Example: wordpl site results -o public
    """
    with working("writing the pages"):
        from wordpl.reports import site

        pages = site.write_site(results, out, is_verified)
    say(f"Wrote {amount(len(pages), 'page')} to {out}. Start with {pages[0]}.")
