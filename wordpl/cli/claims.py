"""`wordpl estimate` and `record`: how often an entry wins within a budget, and who holds the records."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from wordpl.cli import _arguments
from wordpl.cli._arguments import ENTRY, RUN
from wordpl.cli._command import json_option, log_option, max_games_option, quiet_option
from wordpl.cli._output import print_json, progress_bar, say, say_wrapped, show_result, show_tables, stoppable, working
from wordpl.core import paths
from wordpl.core.messages import UserError
from wordpl.run.config import RunConfig
from wordpl.strategy import DEFAULT_RULES

if TYPE_CHECKING:
    from wordpl.contest import Contest
    from wordpl.reports.elements import Table
    from wordpl.reports.record_boards import RecordReport
    from wordpl.run.folder import Run
    from wordpl.run.info import EntryInfo

N_ESTIMATE_GAMES = 2000
MIN_GAMES = 2  # a standard error needs two


@click.command(context_settings={"show_default": True})
@click.argument("entries", nargs=-1, type=ENTRY)
@_arguments.run_options(
    "n_games", "game_id", "seed", "player", "results", *_arguments.LIMIT_FIELDS, n_games=N_ESTIMATE_GAMES, repeats=0
)
@_arguments.jobs_option
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="Largest cost of a won game. [default: any]")
@click.option(
    "--run",
    "folder",
    metavar="RUN",
    type=RUN,
    help="Estimate from the games of RUN, which is resumed if it is not complete.",
)
@click.option(
    "--exact", is_flag=True, help="Compute the exact value by trying every clue; for entries of at most three guesses."
)
@click.option(
    "--save", metavar="FILE", type=click.Path(path_type=Path), help="With --exact: save the evidence for wordpl record."
)
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw P(win) against the budget.")
@json_option
@quiet_option
@log_option
def estimate_command(
    entries: tuple[str, ...],
    config: RunConfig,
    jobs: int | None,
    budget: float | None,
    folder: Path | None,
    exact: bool,
    save: Path | None,
    plot: Path | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Estimate how often ENTRIES win at the budget they spend; without ENTRIES, all that play the noisy game.

    In a game that a right guess ends, such as Wordle, the mean number of guesses and the share solved in four are
    estimated.

    \b
    wordpl estimate "Schedule('p95')" --games 2000
    wordpl estimate "Schedule('p95', 66)" "Schedule('p95', 68)" --plot frontier.svg
    wordpl estimate "Schedule('p05')" --exact
    wordpl estimate "Schedule('p50', 36.25)" --exact --save p50.json

    There are three estimates of the same value, each with its standard error. `counted` is the share of games won. `by
    answer` is the mean posterior probability of the proposed word. `without luck` also subtracts how lucky the clues
    were, so that a tenth of the games or fewer give the same precision as counting. The games are kept in results/ as a
    run, which can be resumed after Ctrl-C.
    """
    from wordpl.cli._run_progress import play_run, show_faults
    from wordpl.run.folder import Run

    if config.n_games < MIN_GAMES:
        raise click.BadParameter(f"{config.n_games} is not in the range x>={MIN_GAMES}.", param_hint="'--games'")
    earlier = Run(folder) if folder and not (exact or save) else None
    if earlier is not None and earlier.info.finished is not None:  # nothing of it has to be played
        earlier.require_as_sealed()
        check_games(earlier.info.entries, in_run=True, exact=False)
        return show_estimates(earlier, budget, plot, as_json)
    contest = contest_of(folder, entries, config, jobs)
    with working("loading the entries"):
        check_games(contest.entries, in_run=bool(folder), exact=exact or bool(save))
    if save and not exact:
        raise click.UsageError("--save needs --exact: it saves the exact result.")
    if exact:
        show_faults(contest)  # otherwise the run shows them
    if save:
        return save_evidence(contest, save)
    if exact:
        return show_exact(contest, as_json)
    return show_estimates(play_run(contest, quiet=quiet), budget, plot, as_json)


def contest_of(folder: Path | None, entries: tuple[str, ...], config: RunConfig, jobs: int | None) -> "Contest":
    """Return the contest of a run that is to be resumed, or a new one, by default of the noisy game."""
    from wordpl.contest import Contest

    if folder:
        return Contest.resume(folder, jobs=jobs, level=config.level, trusted=config.is_trusted)
    if not (entries or config.game_id):
        config = msgspec.structs.replace(config, game_id=DEFAULT_RULES)
    return Contest(config, entries, jobs=None if config.is_trusted else jobs)


def check_games(entries: "Sequence[EntryInfo]", *, in_run: bool, exact: bool) -> None:
    """Refuse entries that cannot be estimated before they are played; those of an existing run are only left out."""
    from wordpl.contest.enumeration import FOR_NOISY_GAMES

    others = ", ".join(
        f"{entry.name} plays {entry.game.id}"
        for entry in entries
        if not (entry.game.has_answer_move or (entry.game.has_secret and entry.game.limit and not exact))
    )
    if others and not in_run:
        raise UserError(f"{others}, which has no {f'budget: {FOR_NOISY_GAMES}' if exact else 'luck to leave out.'}")
    if others:
        say(f"Not estimated: {others}, which has no luck to leave out.", err=True)


def show_estimates(run: "Run", budget: float | None, plot: Path | None, as_json: bool) -> None:
    """Print the estimates of each entry of a run, and draw them into the file `plot` if given."""
    from wordpl.reports import win_curve
    from wordpl.reports.run_report import RunReport
    from wordpl.reports.sections import board as board_section
    from wordpl.stats.estimates import win_rates

    with working("estimating"):
        estimates = win_rates(run, run.info.config.load_lists(), budget)
        is_any_ended_by_a_guess = any(entry.game.has_secret and entry.game.bins for entry in run.info.entries)
        found = RunReport.of(run).boards if is_any_ended_by_a_guess else []
        boards = [board for board in found if board.game.bins and board.game.has_secret]
    table = win_curve.table(estimates)
    entries = win_curve.for_programs(table) + [one for board in boards for one in board_section.as_estimates(board)]
    values = {"run": str(paths.relative_to_cwd(run.folder)), "entries": entries, "seed_remark": run.info.seed_remark}
    tables = [win_curve.as_table(table)] if estimates else []
    tables += map(board_section.estimates, boards)
    show_result("estimate", values, tables, filter(None, [run.info.seed_remark]), as_json=as_json)
    if plot:
        win_curve.plot(win_curve.families(estimates), plot)


def show_exact(contest: "Contest", as_json: bool) -> None:
    """Print the exact probability of winning of each entry, computed from every possible clue."""
    from wordpl.cli._run_progress import short_name
    from wordpl.contest.enumeration import enumerate_entry

    config = contest.config
    n_clues = 3 ** config.load_lists().length
    results = []
    for entry in contest.entries:
        with progress_bar(n_clues, "clue", short_name(entry.name), mininterval=1) as bar:
            chance, budget = enumerate_entry(entry, config, bar.update, contest.found.store)
        results.append({"entry": entry.name, "budget": budget, "exact": chance})
        if not as_json:
            say(f"{entry.name}  budget {budget:.6g}  wins {chance:.6f} of all games (exact)")
    if as_json:
        print_json("estimate", {"entries": results})


def save_evidence(contest: "Contest", path: Path) -> None:
    """Collect the evidence of the only entry, and save it in a file that `wordpl record` reads."""
    from wordpl.cli._run_progress import short_name
    from wordpl.contest import evidence

    if len(contest.entries) != 1:
        raise click.UsageError(f"--save takes exactly one entry, got {len(contest.entries)}.")
    (entry,) = contest.entries
    total = evidence.N_CLUES + evidence.N_HISTORIES
    log = path.with_name(f".{path.name}.part")
    with (
        stoppable(f"Partial results are kept in {log}. To resume, run the same command again."),
        progress_bar(total, "step", short_name(entry.name), mininterval=1) as bar,
    ):
        proof = evidence.collect(entry, contest.config, progress=evidence.Progress(bar.update, bar.update), log=log)
    evidence.save(path, proof)
    say(f"{entry.name}  budget {proof.budget:.6g}  wins at least {proof.chance:.6f} of all games, {proof.certainty}")
    say(f"The evidence is in {path}. To check it: `wordpl record --check {path}`.")


EVIDENCE = click.Path(exists=True, path_type=Path)
A_FILE = click.Path(exists=True, dir_okay=False, writable=True, path_type=Path)


@click.command(name="record")
@click.argument("folders", metavar="[RUN]...", nargs=-1, type=RUN)
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
def record_command(
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
    wordpl record                                              the project's records
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
        _check_evidence(checked, sample)
        return
    from wordpl.run.folder import Run

    if not folders:
        if quantile is not None or budget is not None or pages:
            raise click.UsageError("name the RUN.")
        folders, evidence = _own_runs()
        if not folders:
            _show_page(as_json)
            return
    _require_whole_claim(folders, quantile, budget, against, pages)
    if quantile is not None and budget is not None:
        _judge(Run(folders[0], max_games).require_as_sealed(), (float(quantile), budget), against, as_json)
    else:
        _show_boards([Run(folder, max_games).require_as_sealed() for folder in folders], evidence, pages, as_json)


def _own_runs() -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return the project's official runs of records, and its evidence; none where the installed package has none."""
    results = paths.bundled() / "results"
    return tuple(sorted(results.glob("official-*"))), (results / "evidence",)


def _show_page(as_json: bool) -> None:
    """Show the holders of the records as the documentation lists them."""
    from wordpl.cli import docs
    from wordpl.reports.elements import text_table

    first = docs.pages()["records"].partition("\n## ")[0]
    rows = [line.strip(" |").split(" | ") for line in first.splitlines() if line.startswith("| ")]
    heads, *found = [[re.sub(r"\[(.*?)\]\(.*?\)|[*`]", r"\1", cell) for cell in row] for row in rows]
    table = text_table("The smallest budgets known", heads, found, frozenset(heads))
    show_all([table], ["How to check them: `wordpl docs records`."], as_json)


def _judge(run: "Run", claim: tuple[float, float], against: str | None, as_json: bool) -> None:
    """Print whether the run proves the claim, which is a quantile and a budget."""
    from wordpl.reports.record_boards import RecordReport  # imports pandas and scipy, which --help does not need

    with working("reading the records"):
        report = RecordReport(run)
        tables = report.judge(claim, against)
    show_all(tables, why_unfit(report), as_json)


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
    remarks = [line for report in reports for line in [*report.remarks, *why_unfit(report)]]
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


def _check_evidence(files: tuple[Path, ...], sample: int | None) -> None:
    """Collect evidence again and print the differences; exit with code 1 if there are any."""
    from wordpl.contest import evidence
    from wordpl.run.config import RunConfig

    differs = False
    for file in evidence.files_of(files):
        proof = evidence.load(file)
        total = evidence.N_CLUES + proof.n_histories if sample is None else sample
        with progress_bar(total, "step", proof.entry.name[:40], mininterval=1) as bar:
            progress = evidence.Progress(bar.update, bar.update)
            differences = evidence.check(proof, RunConfig(), progress, sample, file.parent)
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


def why_unfit(report: "RecordReport") -> list[str]:
    """Return a sentence for each reason why a run cannot hold records."""
    from wordpl.reports.record_boards import unfit

    return [f"This run cannot hold records: {reason}." for reason in unfit(report.info)]
