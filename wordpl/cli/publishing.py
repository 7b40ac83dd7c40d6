"""`wordpl report`, `verify`, `publish`, `site` and `export`: pages, checks, archives and tables of runs."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli import _arguments
from wordpl.cli._arguments import RUN, WORD_LIST, complete_scores
from wordpl.cli._command import A_FOLDER, NEW_FILE, NEW_FOLDER, json_option, max_games_option, own_game_option
from wordpl.cli._output import print_json, progress_bar, say, say_wrapped, working
from wordpl.core import return_large_arrays, words
from wordpl.core.messages import UserError, amount
from wordpl.core.words import WordLists
from wordpl.run.config import ReaderLimits
from wordpl.run.folder import Run, RunRecords

if TYPE_CHECKING:
    from wordpl.contest.isolation import ReaderTerms
    from wordpl.verify import Findings

transcripts_option = click.option(
    "--with-transcripts", is_flag=True, help="Also publish what models were asked and replied, which anybody can read."
)


@click.command(name="report")
@click.argument("folders", metavar="RUN [RUN...]", nargs=-1, required=True, type=RUN)
@click.option("-o", "--output", metavar="FILE", type=NEW_FILE, help="HTML file to write.")
@max_games_option
@own_game_option
@click.option(
    "--verify/--no-verify",
    "is_verified",
    default=True,
    help="Show the result of wordpl verify on the page; it is left out of a run of more than 1,000,000 games.",
)
@click.option(
    "--score",
    callback=_arguments.read_score,
    shell_complete=complete_scores,
    metavar="NAME",
    help="With --boards: order them by this score.",
)
@click.option("--boards", "only_boards", is_flag=True, help="Rewrite LEADERBOARD.md and scores.csv of each RUN.")
@click.option("--damaged", is_flag=True, help="Also show a run that differs from its seal; the page says so.")
@transcripts_option
def report_command(
    folders: tuple[Path, ...],
    output: Path | None,
    is_verified: bool,
    score: str | None,
    only_boards: bool,
    damaged: bool,
    with_transcripts: bool,
    max_games: int,
) -> None:
    """Write an HTML page about one or more runs.

    The page shows boards, curves, comparisons of entries, and games to replay.

    \b
    wordpl report results/RUN -o report.html
    wordpl report results/MAY results/JUNE -o summer.html
    wordpl report results/bundled results/official --boards

    The page is a single file that works offline, so you can send or host it as it is. It contains the moves of as many
    games as fit into 2 MB, and lists which. A page about several runs also shows how the scores of each entry changed.
    """
    if output is None and not only_boards:
        raise click.UsageError("name the file to write, for example -o report.html.")
    if score and not only_boards:
        raise click.UsageError("--score needs --boards.")
    return_large_arrays()  # before libraries fill the gaps between them
    if damaged and only_boards:
        raise click.UsageError("--boards rewrites no boards of a damaged run: restore it from a copy.")
    from wordpl.kernels import compiled

    with compiled.quick_imports():
        from wordpl.reports import publication
    if only_boards:
        runs = [Run(folder, max_games).require_as_sealed() for folder in folders]
        for folder, run in zip(folders, runs, strict=True):
            with working(f"computing the tables of {folder}"):
                from wordpl.reports.run_report import RunReport

                RunReport(RunRecords(run), score=score).write()
            say(f"Rewrote LEADERBOARD.md and scores.csv of {folder}.")
    if output is not None:
        with working("writing the page"):
            publication.write_page(
                folders, output, is_verified, max_games, damaged=damaged, with_replies=with_transcripts
            )
        say(f"The page is {output} ({output.stat().st_size / 1e6:.2f} MB).")


@click.command(name="publish")
@click.argument("folder", metavar="RUN", type=A_FOLDER)
@click.option("-o", "--output", metavar="FILE.zip", required=True, type=NEW_FILE, help="Archive to write.")
@click.option(
    "--with-entries/--without-entries",
    default=None,
    help="Whether to include the files of the entries, which anybody can then read, and play again.",
)
@transcripts_option
@click.option("--title", default="", help="Title of the archive's README. [default: A contest of wordpl]")
@max_games_option
def publish_command(
    folder: Path, output: Path, with_entries: bool | None, with_transcripts: bool, title: str, max_games: int
) -> None:
    """Write an archive of a finished run that anybody can verify on their own machine.

    The archive is one ZIP file: the run's folder with its page, its word lists, and a README for a reader who knows
    nothing of wordpl, which contains the commitment and the versions. The same run gives the same bytes with
    the same release. Deposit it where it gets a DOI, or attach it to a release.

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
        n_files = publish_run(
            folder, output, with_entries=with_entries, with_transcripts=with_transcripts, title=title,
            max_games=max_games,
        )  # fmt: skip
    say(f"{output}: {amount(n_files, 'file')}, {output.stat().st_size / 1e6:.2f} MB. Check it: wordpl verify {output}")


@click.command(name="site")
@click.argument("results", type=A_FOLDER)
@click.option("-o", "--output", "out", metavar="DIR", required=True, type=NEW_FOLDER, help="Folder to write.")
@click.option(
    "--verify/--no-verify", "is_verified", default=True, help="Show the results of wordpl verify on the pages."
)
@max_games_option
def site_command(results: Path, out: Path, is_verified: bool, max_games: int) -> None:
    """Write a static site about all runs in the folder RESULTS.

    The site has an index with the records over time, and a page for each run and each entry. You can publish the folder
    as it is: the pages load nothing from other servers.

    Example: wordpl site results -o public
    """
    with working("loading pandas and scipy"):
        from wordpl.reports import site

    pages = site.write_site(results, out, is_verified, lambda what: say(f"writing {what}", err=True), max_games)
    say(f"Wrote {amount(len(pages), 'page')} to {out}. Start with {pages[0]}.")


@click.command()
@click.argument("run", type=RUN)
@click.option("--parquet", metavar="FILE", required=True, type=NEW_FILE, help="Parquet file to write.")
@max_games_option
def export_command(run: Path, parquet: Path, max_games: int) -> None:
    """Export the games of RUN to one Parquet file.

    The file has a row for each game, with its moves and times.

    \b
    wordpl export results/RUN --parquet run.parquet
    duckdb -c "select entry, verdict, count(*) from 'run.parquet' group by all"
    """
    from wordpl.reports.parquet import export

    stored_run = Run(run, max_games)
    with progress_bar(stored_run.info.config.n_games * len(stored_run.info.entries), "game", delay=2) as bar:
        n_games = export(stored_run, parquet, bar.update)
    say(f"{parquet}: {amount(n_games, 'game')} of {amount(len(stored_run.info.entries), 'entry', 'entries')}")


MAX_DIFFERENCES = 20


@click.command(name="verify")
@click.argument("path", metavar="RUN", type=click.Path(exists=True, path_type=Path), shell_complete=RUN.shell_complete)
@click.option("--answers", type=WORD_LIST, metavar="LIST", help="The run's list of answers, if the file has moved.")
@click.option("--guesses", type=WORD_LIST, metavar="LIST", help="The run's list of guesses, if the file has moved.")
@click.option(
    "--full", "show_all", is_flag=True, help=f"Show all differences instead of {MAX_DIFFERENCES} per entry and file."
)
@click.option(
    "--commitment", "against", metavar="TEXT", help="Require this commitment, which was published before the run."
)
@click.option("--replay", "n_replayed", metavar="N", type=click.IntRange(1), help="Also replay N games, and compare.")
@click.option(
    "--cap",
    "caps",
    metavar="NAME=NUMBER",
    multiple=True,
    callback=_arguments.limits_reader(ReaderLimits),
    help="With --replay: the most that a game may use here, such as cpu_s=120, whatever the run allows. "
    f"[default: {', '.join(ReaderLimits().texts())}]",
)
@click.option(
    "--replay-without-isolation",
    "unconfined",
    is_flag=True,
    help="Replay even if this machine cannot isolate players: the entries' code may then read your files or worse.",
)
@max_games_option
@own_game_option
@json_option
def verify_command(
    path: Path,
    answers: Path | None,
    guesses: Path | None,
    show_all: bool,
    against: str | None,
    n_replayed: int | None,
    caps: ReaderLimits,
    unconfined: bool,
    max_games: int,
    as_json: bool,
) -> None:
    """Check a run by recomputing it from its seed.

    Secrets, noise, clues, verdicts, scores and tables are recomputed, without any of the code that played the run. Each
    difference is shown with its game and the expected value. For an official run, compare the commitment with the one
    that was published before the run. `wordpl docs fairness` lists what can be checked and what cannot.

    With --replay, this machine draws games at random and plays them again with the files that the run stores, in its
    own strongest sandbox and within its own limits, whatever the run says. This reveals moves, or verdicts such as
    `late`, that a host has invented.

    A game of the host's own has no independent second reading. With your copy of its file (--game), its clues are
    recomputed with that.

    RUN is the folder of a run, or an archive that `wordpl publish` wrote.

    \b
    wordpl verify results/bundled
    wordpl verify may-2026.zip --replay 200

    Exit code 1: there are differences, or results that clues do not allow.
    """
    from wordpl.kernels import compiled
    from wordpl.run import archive

    if not path.is_dir() and not archive.is_archive(path):
        raise click.BadParameter(f"{path} is neither the folder of a run nor a .zip archive of one.", param_hint="RUN")
    with archive.opened(path) as folder:
        run = Run(folder, max_games)
        terms = None
        if n_replayed:  # first, as it may refuse
            from wordpl.contest.isolation import ReaderTerms

            terms = ReaderTerms.of(run.info, caps, unconfined=unconfined)
        lists = _lists(run, answers, guesses)
        if not n_replayed:  # to import what checks a run takes as long as the check of thousands of games
            with compiled.quick_imports():
                from wordpl.reports import verification  # noqa: F401
        records = RunRecords(run)
        findings = _findings(records, lists, against)
        if n_replayed and terms:
            _replay(run, lists, n_replayed, terms, findings)
        _show(records, findings, max_shown=None if show_all else MAX_DIFFERENCES, as_json=as_json)
    if not findings.holds:
        raise click.exceptions.Exit(1)


def _findings(records: RunRecords, lists: WordLists, against: str | None) -> "Findings":
    """Check the games, the tables and the commitment of the run, with a progress bar."""
    from wordpl.reports import verification

    run = records.run
    total = run.info.config.n_games * len(run.info.entries)
    with progress_bar(total, "game", leave=False) as bar:
        findings, report = verification.check_games(records, lists, bar.update)
    with working("recomputing the tables"):
        verification.add_tables(findings, report)
    verification.add_commitment(findings, run.info, against)
    return findings


def _show(records: RunRecords, findings: "Findings", max_shown: int | None, *, as_json: bool) -> None:
    from wordpl.reports import as_json as json_values
    from wordpl.reports import verification
    from wordpl.reports.run_report import irregularities

    if as_json:
        print_json("verify", json_values.verification(records.run, findings, list(irregularities(records))))
        return
    for line in verification.sentences(
        records, findings, len(findings.differences) if max_shown is None else max_shown
    ):
        say_wrapped(line)


def _replay(run: Run, lists: WordLists, n_games: int, terms: "ReaderTerms", findings: "Findings") -> None:
    """Replay games of the run in the sandbox of this machine, with a progress bar, and add what differs."""
    from wordpl.contest.spot_check import spot_check
    from wordpl.reports import verification

    with progress_bar(n_games, "game", "replayed", leave=False) as bar:
        replayed = spot_check(run, n_games, bar.update, terms=terms, lists=lists)
    verification.add_replayed(findings, replayed)
    click.echo(
        f"Replayed in the sandbox at level {replayed.level}: {amount(replayed.n_played, 'game')}, "
        f"{len(replayed.differences)} differ.",
        err=True,
    )


def _lists(run: Run, answers: Path | None, guesses: Path | None) -> WordLists:
    """Return the run's word lists: from the given files, its archive, or the paths that the run has recorded."""
    from wordpl.run.archive import list_beside

    given = {"answers": answers, "guesses": guesses}
    files = [file or list_beside(run.folder, name) or run.info.config.list_path(name) for name, file in given.items()]
    try:
        return words.load(*files)
    except UserError as error:
        raise UserError(f"{error.message} Give the word lists of the run with --answers and --guesses.") from None
