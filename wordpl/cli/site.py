"""`wordpl site`: a folder of static pages of all runs."""

from pathlib import Path

import click

from wordpl.cli._echo import say
from wordpl.cli._status_line import working

A_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(name="site")
@click.argument("results", type=A_FOLDER)
@click.option("-o", "--output", "out", metavar="DIR", required=True, type=click.Path(file_okay=False, path_type=Path))
@click.option("--verify/--no-verify", "is_verified", default=True, help="Let the pages say what wordpl verify says.")
def command(results: Path, out: Path, is_verified: bool) -> None:
    """Write the pages of all runs in RESULTS to the folder DIR, with an index, the records, and the entries over runs.

    The folder may be published as it is: the pages load nothing from elsewhere.

    Example: wordpl site results -o public
    """
    with working("writing the pages"):
        from wordpl.reports import site

        pages = site.write_site(results, out, is_verified)
    say(f"{len(pages)} pages in {out}; begin with {pages[0]}.")
