"""`wordpl publish`: write one archive with a finished run, which anybody can verify."""

from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._options import A_FOLDER, max_games_option
from wordpl.cli._output import say
from wordpl.cli._status_line import working
from wordpl.core.errors import UserError
from wordpl.core.messages import amount

if TYPE_CHECKING:
    from wordpl.run.folder import Run

README = """\
# {title}

The results of a contest between programs that play {games}, a game of the Wordle family, and all that is needed to
check them. Each of {n_entries} played {n_games}, the same for everybody, on {started}.

- `run/report.html`: the results as a page; open it in a browser. It works offline.
- `run/LEADERBOARD.md`, `run/scores.csv`: the same results as text and as a table.
- `run/run.json`: what was played: rules, limits, entries, seed, versions, machine.
- `run/records/`: each game with all its moves, one line of JSON a game.
{bundles}
- `lists/`: the words that could be the secret, and those that could be guessed.

## Check it

wordpl recomputes every secret, clue, verdict, score and table from the seed:

    pip install wordpl=={version}
    wordpl verify {archive}{against}{replay}

Without an installation: `uvx wordpl@{version} verify {archive}`.
{commitment}
## Cite it

{citation}
"""
WITH_BUNDLES = "- `run/bundles/`: the files of the entries, by their digest."
WITHOUT_BUNDLES = (
    "- The files of the entries are not included; `run/run.json` has their digests. No game can be replayed."
)
COMMITMENT = """
## The commitment

The host published this digest before the first game; it fixes the seed and the terms:

    {commitment}

Compare it with the place where the host published it.{beacon}
"""
BEACON = " The games were drawn only when this public text was known, from {source}: {text}"


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
@click.option("--title", default="A contest of wordpl", show_default=True, help="Title of the archive's README.")
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
    from wordpl.run import archive
    from wordpl.run.folder import Run

    if not archive.is_archive(output):
        raise click.BadParameter(f"{output} should end with .zip.", param_hint="-o")
    if not output.absolute().parent.is_dir():
        raise UserError(f"cannot write {output}: there is no folder {output.parent}.")
    if with_entries is None:
        raise click.UsageError("say --with-entries or --without-entries: may everybody read the entries' files?")
    run = Run(folder, max_games)
    lists = run.info.config.load_lists()
    texts = {name: "".join(f"{word}\n" for word in getattr(lists, name)).encode() for name in ("answers", "guesses")}
    with working("writing the page and the archive"):
        readme = readme_of(run, output.name, title, with_entries=with_entries)
        n_files = archive.write(run, output, readme, _page(run, max_games), texts, with_entries=with_entries)
    say(f"{output}: {amount(n_files, 'file')}, {output.stat().st_size / 1e6:.2f} MB. Check it: wordpl verify {output}")


def readme_of(run: "Run", archive: str, title: str, *, with_entries: bool) -> str:
    """Return the README of an archive of this name."""
    info = run.info
    published = f" --commitment {info.commitment}" if info.commitment else ""
    beacon = BEACON.format(source=info.config.beacon_from, text=info.beacon) if info.beacon else ""
    commitment = COMMITMENT.format(commitment=info.commitment, beacon=beacon) if info.commitment else ""
    citation = f"{title}. Run of {info.started[:10]}, seal {info.seal}. wordpl {info.versions['wordpl']}."
    return README.format(
        title=title,
        games=" and ".join(sorted({f"`{entry.game.id}`" for entry in info.entries})),
        n_entries=amount(len(info.entries), "entry", "entries"),
        n_games=amount(info.config.n_games, "game"),
        started=info.started[:10],
        bundles=WITH_BUNDLES if with_entries else WITHOUT_BUNDLES,
        version=version("wordpl"),
        archive=archive,
        against=published,
        replay=" --replay 200" if with_entries else "",
        commitment=commitment,
        citation=citation,
    )


def _page(run: "Run", max_games: int) -> bytes:
    from wordpl.reports.html.run_page import run_page
    from wordpl.reports.run_pages import results_of

    return run_page([results_of(run.folder, True, max_games)]).encode()
