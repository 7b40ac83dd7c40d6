"""`wordpl verify`: checks a run from its seed."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._output import json_option, print_json
from wordpl.cli._status_line import working
from wordpl.core import words
from wordpl.core.amounts import amount
from wordpl.core.errors import UserError
from wordpl.core.records import Run, RunInfo
from wordpl.core.run_records import RunRecords
from wordpl.core.words import WordLists

if TYPE_CHECKING:
    from wordpl.contest.spot_check import SpotCheck

SHOWN = 20
A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command(name="verify")
@click.argument("folder", metavar="RUN", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--answers", type=A_FILE, help="The run's list of answers, where it does not lie where it lay.")
@click.option("--guesses", type=A_FILE, help="The run's list of guesses, likewise.")
@click.option("--all", "show_all", is_flag=True, help=f"Show all differences, not {SHOWN} of each entry and file.")
@click.option("--against", metavar="COMMITMENT", help="The commitment that was published: the run must have this one.")
@click.option("--replay", "n_replayed", metavar="N", type=click.IntRange(1), help="Play N games again, and compare.")
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
    """Check a run from its seed: secrets, noise, clues, verdicts, scores and tables.

    Nothing that played the run is used to check it. Every difference is shown with the game and what was expected; the
    exit code is then 1. An official run's commitment is to be compared with the one that was published before it.
    docs/fairness.md tells what can be checked and what not.

    With --replay, games are drawn by this machine's own randomness and played again in the sandbox with the entries'
    files: so a host is found out who invented moves, or verdicts such as `late`.

    Example: wordpl verify results/bundled
    """
    from tqdm import tqdm

    from wordpl.verify import verify

    run = Run(folder)
    lists = _lists(run.info, answers, guesses)
    total = run.info.n_games * len(run.info.entries)
    with tqdm(total=total, unit="game", dynamic_ncols=True, leave=False) as bar:
        findings = verify(run, lists, bar.update)
    with working("computing the tables anew"):
        from wordpl.reports import verification  # brings pandas and scipy

        verification.add_tables(findings, run, lists)
    verification.add_commitment(findings, run.info, against)
    if n_replayed:
        verification.add_replayed(findings, _played_again(run, n_replayed))
    if as_json:
        from wordpl.reports import as_json as json_values
        from wordpl.reports.irregular_games import irregularities

        print_json("verify", json_values.verification(run, findings, list(irregularities(RunRecords(run)))))
    else:
        most = len(findings.differences) if show_all else SHOWN
        for line in verification.sentences(run, findings, most):
            click.echo(line)
    if findings.differences:
        raise click.exceptions.Exit(1)


def _played_again(run: Run, n_games: int) -> "SpotCheck":
    """Play games again under a progress bar."""
    from tqdm import tqdm

    from wordpl.contest.spot_check import spot_check

    with tqdm(total=n_games, unit="game", desc="played again", dynamic_ncols=True, leave=False) as bar:
        found = spot_check(run, n_games, bar.update)
    click.echo(
        f"Played again in the sandbox: {amount(found.n_played, 'game')}, {len(found.differences)} differ.", err=True
    )
    return found


def _lists(info: RunInfo, answers: Path | None, guesses: Path | None) -> WordLists:
    """Return the run's word lists: from the files given, else from where they lay."""
    try:
        return words.load(answers or info.list_file("answers"), guesses or info.list_file("guesses"))
    except UserError as error:
        raise UserError(f"{error.message} Give the run's own lists with --answers and --guesses.") from None
