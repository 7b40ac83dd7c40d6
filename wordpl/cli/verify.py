"""`wordpl verify`: check a run by recomputing it from its seed."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._options import A_FILE, json_option
from wordpl.cli._output import print_json, say_wrapped
from wordpl.cli._progress_bars import progress_bar
from wordpl.cli._status_line import working
from wordpl.core import words
from wordpl.core.errors import UserError
from wordpl.core.messages import amount
from wordpl.core.records import Run, RunInfo
from wordpl.core.run_records import RunRecords
from wordpl.core.words import WordLists

if TYPE_CHECKING:
    from wordpl.contest.spot_check import SpotCheck

MAX_DIFFERENCES = 20


@click.command(name="verify")
@click.argument("folder", metavar="RUN", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--answers", type=A_FILE, help="The run's list of answers, if the file has moved.")
@click.option("--guesses", type=A_FILE, help="The run's list of guesses, if the file has moved.")
@click.option(
    "--all", "show_all", is_flag=True, help=f"Show all differences instead of {MAX_DIFFERENCES} per entry and file."
)
@click.option("--against", metavar="COMMITMENT", help="Require this commitment, which was published before the run.")
@click.option("--replay", "n_replayed", metavar="N", type=click.IntRange(1), help="Also replay N games, and compare.")
@json_option
def command(
    folder: Path,
    answers: Path | None,
    guesses: Path | None,
    show_all: bool,
    against: str | None,
    n_replayed: int | None,
    as_json: bool,
) -> None:
    """Check a run by recomputing it from its seed.

    Secrets, noise, clues, verdicts, scores and tables are recomputed, without any of the code that played the run. Each
    difference is shown with its game and the expected value. For an official run, compare the commitment with the one
    that was published before the run. docs/fairness.md lists what can be checked and what cannot.

    With --replay, this machine draws games at random and plays them again in the sandbox with the entries' files. This
    reveals moves, or verdicts such as `late`, that a host has invented.

    Example: wordpl verify results/bundled

    Exit code 1: there are differences.
    """
    from wordpl.verify import verify

    run = Run(folder)
    lists = _lists(run.info, answers, guesses)
    total = run.info.n_games * len(run.info.entries)
    with progress_bar(total, "game", leave=False) as bar:
        findings = verify(run, lists, bar.update)
    with working("recomputing the tables"):
        from wordpl.reports import verification  # imports pandas and scipy

        verification.add_tables(findings, run, lists)
    verification.add_commitment(findings, run.info, against)
    if n_replayed:
        verification.add_replayed(findings, _replay(run, n_replayed))
    if as_json:
        from wordpl.reports import as_json as json_values
        from wordpl.reports.remarks import irregularities

        print_json("verify", json_values.verification(run, findings, list(irregularities(RunRecords(run)))))
    else:
        max_shown = len(findings.differences) if show_all else MAX_DIFFERENCES
        for line in verification.sentences(run, findings, max_shown):
            say_wrapped(line)
    if findings.differences:
        raise click.exceptions.Exit(1)


def _replay(run: Run, n_games: int) -> "SpotCheck":
    """Replay games of the run in the sandbox, with a progress bar."""
    from wordpl.contest.spot_check import spot_check

    with progress_bar(n_games, "game", "replayed", leave=False) as bar:
        replayed = spot_check(run, n_games, bar.update)
    click.echo(
        f"Replayed in the sandbox: {amount(replayed.n_played, 'game')}, {len(replayed.differences)} differ.", err=True
    )
    return replayed


def _lists(info: RunInfo, answers: Path | None, guesses: Path | None) -> WordLists:
    """Return the run's word lists from the given files, or by default from the paths that the run has recorded."""
    try:
        return words.load(answers or info.list_file("answers"), guesses or info.list_file("guesses"))
    except UserError as error:
        raise UserError(f"{error.message} Give the word lists of the run with --answers and --guesses.") from None
