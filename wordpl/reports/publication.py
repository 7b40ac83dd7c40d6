"""Publishes runs: writes their HTML pages, and one archive of a finished run which anybody can verify."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from wordpl.contest import hosted, run_folder
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError, amount
from wordpl.reports import verification
from wordpl.reports.game_reviews import MAX_REVIEWED
from wordpl.reports.html import document
from wordpl.reports.html.run_page import run_page
from wordpl.reports.results import RunResults
from wordpl.reports.run_report import RunReport
from wordpl.run import archive
from wordpl.run.folder import MAX_READ_GAMES, Run
from wordpl.verify import verify

REPORT = "report.html"
MAX_GAMES = 400_000
"""The maximum number of games for which `wordpl evaluate` writes report.html."""
N_REVIEWED, MIN_REVIEWED = 12, 1000
"""About the most games that this page reviews, so that no evaluation waits for it, of runs with at least so many."""
MAX_VERIFIED = 1_000_000
"""The most games of a run that is verified when its page is written."""
MAX_DIFFERENCES = 20


class NoGameError(UserError):
    """No game of the run has been played yet."""


def report_of(folder: Path, max_games: int = MAX_READ_GAMES, *, damaged: bool = False) -> RunReport:
    """Return the report of the run in this folder, for a page.

    Args:
        folder: The run's folder.
        max_games: See `Run`.
        damaged: See `RunReport.of`.

    Raises:
        NoGameError: No game of the run has been played yet.
        UserError: The folder does not contain a run, or one that differs from its seal.
    """
    report = RunReport.of(Run(folder, max_games), damaged=damaged)
    if report.games.empty:
        raise NoGameError(f"{folder} has no games yet: there is nothing to show.")
    return report


def page_results(report: RunReport, is_verified: bool = True) -> RunResults:
    """Return the results of a run for a page, with commands and, if asked for, the result of `wordpl verify`."""
    verified: list[str] = []
    if is_verified and report.records.run.n_games > MAX_VERIFIED:
        command = run_folder.verify_command(report.records.folder)
        verified = [f"Not verified for this page, as the run has more than {MAX_VERIFIED:,} games: {command}"]
    elif is_verified:
        verified = list(verified_sentences(report))
    return report.results(verified, with_commands=True)


def results_of(
    folder: Path,
    is_verified: bool = True,
    max_games: int = MAX_READ_GAMES,
    *,
    damaged: bool = False,
    with_replies: bool = False,
) -> RunResults:
    """Return the results of the run in this folder for a page; see `report_of` and `page_results`.

    Args:
        with_replies: Show what entries without code replied, if the run's folder has their transcripts.
    """
    report = report_of(folder, max_games, damaged=damaged)
    results = page_results(report, is_verified)
    return replace(results, replies=hosted.replies_of(report.records.run)) if with_replies else results


def verified_sentences(report: RunReport) -> Iterator[str]:
    """Yield the result of `wordpl verify` as sentences."""
    run = report.records.run
    findings = verify(run, report.lists)
    hosted.check_games(run, report.lists, findings)
    verification.add_tables(findings, report)
    replayed = f"{amount(findings.n_games, 'game was', 'games were')} replayed from the seed"
    yield f"{findings.verdict}{': ' if findings.holds else '; '}{replayed}."
    yield from findings.unexplained
    yield from (str(difference) for difference in findings.differences[:MAX_DIFFERENCES])
    yield from (f"Not checked: {note}" for note in findings.notes)


def write_page(
    folders: Sequence[Path],
    path: Path,
    is_verified: bool = True,
    max_games: int = MAX_READ_GAMES,
    *,
    damaged: bool = False,
    with_replies: bool = False,
) -> None:
    """Write the page of these runs to a file; see `results_of`.

    Raises:
        UserError: A folder does not contain a run with games, or the file cannot be written.
    """
    if not path.parent.is_dir():
        raise UserError(f"cannot write {path}: there is no folder {path.parent}.")
    document.write_page(
        path,
        run_page(
            [
                results_of(folder, is_verified, max_games, damaged=damaged, with_replies=with_replies)
                for folder in folders
            ],
            max_reviewed=MAX_REVIEWED,
        ),
    )


def write_own_page(report: RunReport) -> Path | None:
    """Write the page of a run into its folder; return None if the run is too large or the file cannot be written."""
    path = report.records.folder / REPORT
    if not 0 < len(report.games) <= MAX_GAMES:
        return None
    try:
        n_reviewed = N_REVIEWED if len(report.games) >= MIN_REVIEWED else 0
        page = run_page([page_results(report, is_verified=False)], max_reviewed=n_reviewed)
        write_atomically(path, page.encode())
    except OSError:
        return None
    return path


TITLE = "A contest of wordpl"
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
ARCHIVE = "ARCHIVE.zip"
"""Stands for the name of the archive, on which its bytes do not depend."""
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


def publish_run(
    run: Run | str | Path,
    output: str | Path,
    *,
    with_entries: bool,
    with_transcripts: bool = False,
    title: str = "",
    max_games: int = MAX_READ_GAMES,
) -> int:
    """Write an archive of a finished run: its folder with its page, its word lists, and a README.

    The same run gives the same bytes with the same release, whatever the archive is called.

    Args:
        run: The run, or its folder.
        output: The archive, whose name ends with .zip.
        with_entries: Whether to include the files of the entries, which anybody can then read, and play again.
        with_transcripts: Whether to include what entries without code, such as models, were asked and replied.
        title: The title of the README; "" for TITLE.
        max_games: The most games of all entries together that are read.

    Returns:
        The number of files in the archive.

    Raises:
        UserError: The run has not finished, or the archive cannot be written.
    """
    output = Path(output)
    if not archive.is_archive(output):
        raise UserError(f"{output} should end with .zip.")
    if not output.absolute().parent.is_dir():
        raise UserError(f"cannot write {output}: there is no folder {output.parent}.")
    run = run if isinstance(run, Run) else Run(Path(run), max_games)
    lists = run.info.config.load_lists()
    texts = {name: "".join(f"{word}\n" for word in getattr(lists, name)).encode() for name in ("answers", "guesses")}
    results = [results_of(run.folder, True, max_games, with_replies=with_transcripts)]
    page = run_page(results, max_reviewed=MAX_REVIEWED).encode()
    readme = readme_of(run, title or TITLE, with_entries=with_entries)
    return archive.write(run, output, readme, page, texts, with_entries=with_entries, with_transcripts=with_transcripts)


def readme_of(run: Run, title: str, *, with_entries: bool) -> str:
    """Return the README of an archive, which names the release that played the run."""
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
        version=info.versions["wordpl"],
        archive=ARCHIVE,
        against=published,
        replay=" --replay 200" if with_entries else "",
        commitment=commitment,
        citation=citation,
    )
