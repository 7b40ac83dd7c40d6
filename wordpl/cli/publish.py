"""`wordpl publish`: write one archive with a finished run, which anybody can verify."""

from pathlib import Path

import click

from wordpl.cli._options import A_FOLDER, max_games_option
from wordpl.cli._output import say
from wordpl.cli._status_line import working
from wordpl.core.messages import amount


@click.command(name="publish")
@click.argument("folder", metavar="RUN", type=A_FOLDER)
@click.option(
    "-o",
    "--output",
    metavar="FILE.zip",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="Archive to write.",
)
@click.option(
    "--with-entries/--without-entries",
    default=None,
    help="Whether to include the files of the entries, which anybody can then read, and play again.",
)
@click.option("--title", default="", help="Title of the archive's README. [default: A contest of wordpl]")
@max_games_option
def command(folder: Path, output: Path, with_entries: bool | None, title: str, max_games: int) -> None:
    """Write an archive of a finished run that anybody can verify on their own machine.

    The archive is one ZIP file: the run's folder with its page, its word lists, and a README for a reader who knows
    nothing of wordpl, which contains the commitment and the versions. The same run gives the same bytes. Deposit it
    where it gets a DOI, or attach it to a release.

    Say whether the files of the entries are published, too. With them, games can be replayed; their authors should
    have agreed.

    \b
    wordpl publish results/RUN -o may-2026.zip --with-entries
    wordpl verify may-2026.zip --replay 200
    """
    from wordpl.reports.publication import publish_run

    if not output.suffix == ".zip":
        raise click.BadParameter(f"{output} should end with .zip.", param_hint="-o")
    if with_entries is None:
        raise click.UsageError("say --with-entries or --without-entries: may everybody read the entries' files?")
    with working("writing the page and the archive"):
        n_files = publish_run(folder, output, with_entries=with_entries, title=title, max_games=max_games)
    say(f"{output}: {amount(n_files, 'file')}, {output.stat().st_size / 1e6:.2f} MB. Check it: wordpl verify {output}")
