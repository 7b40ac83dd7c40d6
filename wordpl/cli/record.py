"""`wordpl record`: show who holds the records, and judge claims of records by runs."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._arguments import ENTRY, RUN
from wordpl.cli._command import json_option, max_games_option
from wordpl.cli._output import print_json, progress_bar, say, say_wrapped, show_tables, working

if TYPE_CHECKING:
    from wordpl.reports.record_boards import RecordReport
    from wordpl.reports.section import Table
    from wordpl.run.folder import Run

EVIDENCE = click.Path(exists=True, path_type=Path)
A_FILE = click.Path(exists=True, dir_okay=False, writable=True, path_type=Path)


@click.command(name="record")
@click.argument("folders", metavar="RUN...", nargs=-1, type=RUN)
@click.option(
    "--evidence",
    multiple=True,
    metavar="FILE",
    type=EVIDENCE,
    help="Files, or folders of files, with evidence from `wordpl estimate --exact --save`. Repeatable.",
)
@click.option(
    "--check",
    "checked",
    multiple=True,
    metavar="FILE",
    type=EVIDENCE,
    help="Collect the evidence in FILE again, and compare.",
)
@click.option(
    "--sample", metavar="GAMES", type=click.IntRange(2), help="With --check: only play a sample of this many games."
)
@click.option("--quantile", type=click.Choice(["0.05", "0.5", "0.95"]), help="Judge a claim: this share of games ...")
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="... is won within this budget.")
@click.option(
    "--against", type=ENTRY, metavar="ENTRY", help="With a claim: compare this entry with every other, game by game."
)
@click.option(
    "--write", "pages", metavar="FILE", multiple=True, type=A_FILE, help="Write the boards into this page. Repeatable."
)
@max_games_option
@json_option
def command(
    folders: tuple[Path, ...],
    evidence: tuple[Path, ...],
    checked: tuple[Path, ...],
    sample: int | None,
    quantile: str | None,
    budget: float | None,
    against: str | None,
    pages: tuple[Path, ...],
    max_games: int,
    as_json: bool,
) -> None:
    """Show who holds the records, or judge a claim by a run.

    \b
    wordpl record results/RUN
    wordpl record results/RUN1 results/RUN2 --evidence results/evidence
    wordpl record --check results/evidence/p05.json
    wordpl record --check results/evidence/p50.json --sample 2000
    wordpl record results/RUN --quantile 0.05 --budget 14.35
    wordpl record results/RUN --quantile 0.5 --budget 36.9 --against my_bot
    wordpl record results/RUN --write results/LEADERBOARD.md

    There are records at 5, 50 and 95 %. The score at a quantile is the smallest budget within which that share of all
    games is won. A run proves a score if the exact 95 % lower bound of the share is above the quantile. A record needs
    an official run of at least 20,000 games, a number that is fixed in advance. If there are several runs, the board of
    a quantile comes from the first run that proves it. You may judge a claim while its run is still going on, as often
    as you like; `wordpl docs deciding` explains why.

    Evidence is stronger than a run, because it covers every clue (create it with `wordpl estimate ENTRY --exact --save
    FILE`). --check collects it again, which takes minutes. With --sample, it only plays some of the games drawn for the
    evidence and compares the average of their wins.

    --write replaces the text between the lines "<!-- records -->" and "<!-- end of records -->" of a page; between
    "<!-- front table of records -->" and "<!-- end of front table -->", it writes a short table of the holders.

    Exit code 1: --check found a difference.
    """
    if checked:
        _check(checked, sample)
        return
    from wordpl.run.folder import Run  # imports msgspec, which --help does not need

    if not folders:
        raise click.UsageError("name a RUN, or give --check FILE.")
    _require_whole_claim(folders, quantile, budget, against, pages)
    if quantile is not None and budget is not None:
        _judge(Run(folders[0], max_games), (float(quantile), budget), against, as_json)
    else:
        _show_boards([Run(folder, max_games) for folder in folders], evidence, pages, as_json)


def _judge(run: "Run", claim: tuple[float, float], against: str | None, as_json: bool) -> None:
    """Print whether the run proves the claim, which is a quantile and a budget."""
    from wordpl.reports.record_boards import RecordReport  # imports pandas and scipy, which --help does not need

    with working("reading the records"):
        report = RecordReport(run)
        tables = report.judge(claim, against)
    show_all(tables, why_unfit([report]), as_json)


def _show_boards(runs: Sequence["Run"], evidence: Sequence[Path], pages: Sequence[Path], as_json: bool) -> None:
    """Print the boards of the three quantiles, or write them into the pages if there are any."""
    from wordpl.contest.evidence import load_all
    from wordpl.reports import record_boards
    from wordpl.reports.record_boards import RecordReport

    with working("reading the records"):
        reports, proofs = [RecordReport(run) for run in runs], load_all(evidence)
    if pages:
        record_boards.write_boards(pages, reports, proofs)
        say(f"Wrote the boards of {', '.join(str(run.folder) for run in runs)} into {', '.join(map(str, pages))}.")
        return
    remarks = [line for report in reports for line in [*report.remarks, *why_unfit([report])]]
    show_all(record_boards.board_tables(record_boards.boards(reports, proofs)), remarks, as_json)


def _require_whole_claim(
    folders: tuple[Path, ...], quantile: str | None, budget: float | None, against: str | None, pages: tuple[Path, ...]
) -> None:
    if (quantile is None) != (budget is None):
        raise click.UsageError("a claim needs both options, such as --quantile 0.05 --budget 14.35.")
    if against and quantile is None:
        raise click.UsageError("--against needs a claim, such as --quantile 0.05 --budget 14.35.")
    if pages and quantile is not None:
        raise click.UsageError("--write cannot be combined with a claim: it writes the boards of all three quantiles.")
    if quantile is not None and len(folders) > 1:
        raise click.UsageError(f"a claim is judged by one run, got {len(folders)}.")


def _check(files: tuple[Path, ...], sample: int | None) -> None:
    """Collect evidence again and print the differences; exit with code 1 if there are any."""
    from wordpl.contest import evidence
    from wordpl.run.config import RunConfig

    differs = False
    for proof in evidence.load_all(files):
        total = evidence.N_CLUES + proof.n_histories if sample is None else sample
        with progress_bar(total, "step", proof.entry.name[:40], mininterval=1) as bar:
            differences = evidence.check(proof, RunConfig(), evidence.Progress(bar.update, bar.update), sample)
        for line in differences:
            say(f"{proof.entry.name}: {line}")
        if not differences:
            sample_note = "" if sample is None else f" {sample:,} sampled games agree."
            say(
                f"{proof.entry.name} wins at least {proof.chance:.6f} of all games within {proof.budget:g}: "
                f"{proof.certainty}.{sample_note}"
            )
        differs = differs or bool(differences)
    if differs:
        raise click.exceptions.Exit(1)


def show_all(tables: Sequence["Table"], notes: Sequence[str], as_json: bool) -> None:
    """Print the tables with the notes below them, or all as JSON."""
    from wordpl.reports import as_json as json_values

    if as_json:
        print_json("record", json_values.tables(tables, notes))
        return
    show_tables(tables)
    for line in notes:
        say_wrapped(line)


def why_unfit(reports: Sequence["RecordReport"]) -> list[str]:
    """Return a sentence for each reason why a run cannot hold records."""
    from wordpl.reports.record_boards import unfit

    return [f"This run cannot hold records: {reason}." for report in reports for reason in unfit(report.info)]
