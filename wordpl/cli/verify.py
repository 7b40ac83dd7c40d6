"""`wordpl verify`: check a run by recomputing it from its seed."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._arguments import RUN, WORD_LIST
from wordpl.cli._command import json_option, max_games_option, own_game_option
from wordpl.cli._output import print_json, progress_bar, say_wrapped, working
from wordpl.core import words
from wordpl.core.messages import ConfigError, UserError, amount
from wordpl.core.words import WordLists
from wordpl.run.config import ReaderLimits
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import RunInfo

if TYPE_CHECKING:
    from wordpl.contest.isolation import ReaderTerms
    from wordpl.verify import Findings

MAX_DIFFERENCES = 20


def read_caps(ctx: click.Context, param: click.Parameter, given: tuple[str, ...]) -> ReaderLimits:
    """Return the reader's limits given as NAME=NUMBER, with defaults for the others."""
    try:
        return ReaderLimits.of(given)
    except ConfigError as error:
        raise click.BadParameter(error.message) from None


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
    callback=read_caps,
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
def command(
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

    Exit code 1: there are differences.
    """
    from wordpl.run import archive

    if not path.is_dir() and not archive.is_archive(path):
        raise click.BadParameter(f"{path} is neither the folder of a run nor a .zip archive of one.", param_hint="RUN")
    with archive.opened(path) as folder:
        run = Run(folder, max_games)
        terms = _terms(run.info, caps, unconfined=unconfined) if n_replayed else None  # first, as it may refuse
        lists = _lists(run, answers, guesses)
        if not n_replayed:
            _prepare()
        records = RunRecords(run)
        findings = _findings(records, lists, against)
        if n_replayed and terms:
            _replay(run, lists, n_replayed, terms, findings)
        _show(records, findings, max_shown=None if show_all else MAX_DIFFERENCES, as_json=as_json)
    if findings.differences:
        raise click.exceptions.Exit(1)


def _terms(info: RunInfo, caps: ReaderLimits, *, unconfined: bool) -> "ReaderTerms":
    """Return the terms under which this machine replays games of the run."""
    from wordpl.contest.isolation import ReaderTerms

    return ReaderTerms.of(info, caps, unconfined=unconfined)


def _prepare() -> None:
    """Import what checks a run, which takes as long as the check of thousands of games."""
    from wordpl.kernels import compiled

    with compiled.fast_kernel_loading():
        from wordpl.reports import verification  # noqa: F401


def _findings(records: RunRecords, lists: WordLists, against: str | None) -> "Findings":
    """Check the games, the tables and the commitment of the run, with a progress bar."""
    from wordpl.reports import verification
    from wordpl.reports.run_report import RunReport

    run = records.run
    total = run.info.config.n_games * len(run.info.entries)
    with progress_bar(total, "game", leave=False) as bar:
        findings = verification.check_games(run, lists, bar.update)
    with working("recomputing the tables"):
        verification.add_tables(findings, RunReport(records, lists))
    verification.add_commitment(findings, run.info, against)
    return findings


def _show(records: RunRecords, findings: "Findings", max_shown: int | None, *, as_json: bool) -> None:
    """Print the findings."""
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
