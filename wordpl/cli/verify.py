"""`wordpl verify`: checks a run from its seed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._output import json_option, print_json
from wordpl.cli._status_line import working
from wordpl.core import paths, words
from wordpl.core.amounts import amount
from wordpl.core.errors import UserError
from wordpl.core.records import Run, RunInfo
from wordpl.core.untrusted_text import sanitize_untrusted_text
from wordpl.core.words import WordLists

if TYPE_CHECKING:
    from wordpl.verify import Difference

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

    from wordpl.contest import official
    from wordpl.core.run_records import RunRecords
    from wordpl.reports.irregular_games import irregularities
    from wordpl.verify import NOT_COVERED, verify

    run = Run(folder)
    lists = _lists(run.info, answers, guesses)
    total = run.info.n_games * len(run.info.entries)
    with tqdm(total=total, unit="game", dynamic_ncols=True, leave=False) as bar:
        findings = verify(run, lists, bar.update)
    if run.info.seed is not None and run.info.finished is not None:
        try:
            with working("computing the tables anew"):
                from wordpl.reports import recomputed_tables  # brings pandas and scipy

                findings.differences += recomputed_tables.differences(RunRecords(run), lists)
        except UserError as error:
            findings.notes.append(f"scores.csv and LEADERBOARD.md: {error.message}")
    findings.differences += _of_commitment(run.info, against)
    if n_replayed:
        findings.differences += _replayed(run, n_replayed, findings.notes)
    if as_json:
        from wordpl.reports import as_json as json_values

        print_json("verify", json_values.verification(run, findings, list(irregularities(RunRecords(run)))))
        raise click.exceptions.Exit(1 if findings.differences else 0)
    for line in _lines(findings.differences, len(findings.differences) if show_all else SHOWN):
        click.echo(sanitize_untrusted_text(line, 1000))
    for note in findings.notes:
        click.echo(f"Not checked: {sanitize_untrusted_text(note, 500)}")
    for what in NOT_COVERED:
        click.echo(f"Not covered: {what}.")
    for sentence in irregularities(RunRecords(run)):
        click.echo(sanitize_untrusted_text(sentence, 500))
    for name, value in official.facts(run.info).items():
        click.echo(f"{name}: {sanitize_untrusted_text(value, 500)}")
    click.echo(f"Replayed from the seed: {amount(findings.n_games, 'game')}, entries: {len(run.info.entries)}.")
    if findings.differences:
        click.echo(f"Differences: {len(findings.differences):,}.")
        raise click.exceptions.Exit(1)
    click.echo("All holds.")


def _of_commitment(info: RunInfo, published: str | None) -> Iterator["Difference"]:
    """Yield that the run's commitment is not the one that was published, if it is not."""
    from wordpl.verify import Difference

    given = "" if published is None else published.strip().lower()
    if published is not None and info.commitment != given:
        yield Difference(
            "run.json", "", "the commitment", str(info.commitment or "none"), f"{given}, as it was published"
        )


def _replayed(run: Run, n_games: int, notes: list[str]) -> Sequence["Difference"]:
    """Play games again and return what differs; what could not be played or compared goes to the notes."""
    from tqdm import tqdm

    from wordpl.contest.spot_check import spot_check

    with tqdm(total=n_games, unit="game", desc="played again", dynamic_ncols=True, leave=False) as bar:
        found = spot_check(run, n_games, bar.update)
    notes += [f"games of {entry.name}: {entry.file} is not here or has changed." for entry in found.missing]
    if found.n_cut_short:
        notes.append(f"{found.n_cut_short} of the games played again: they were cut short before anything differed.")
    click.echo(
        f"Played again in the sandbox: {amount(found.n_played, 'game')}, {len(found.differences)} differ.", err=True
    )
    return found.differences


def _lists(info: RunInfo, answers: Path | None, guesses: Path | None) -> WordLists:
    """Return the run's word lists: from the files given, else from where they lay."""
    given = {"answers": answers, "guesses": guesses}
    files = (path or paths.find_file(str(info.lists.get(name, {}).get("file", ""))) for name, path in given.items())
    try:
        return words.load(*files)
    except UserError as error:
        raise UserError(f"{error.message} Give the run's own lists with --answers and --guesses.") from None


def _lines(differences: Sequence["Difference"], most: int) -> Iterator[str]:
    """Yield the differences, at most so many of each entry and each file, and how many more there are."""
    shown: Counter[str] = Counter()
    for difference in differences:
        shown[difference.source] += 1
        if shown[difference.source] <= most:
            yield str(difference)
    for source, n_found in shown.items():
        if n_found > most:
            yield f"{source}: {n_found - most:,} more differences; --all shows them."
