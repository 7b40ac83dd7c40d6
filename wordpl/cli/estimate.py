"""`wordpl estimate`: estimate how often an entry wins at its budget, more precisely than by counting wins."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from wordpl.cli import _arguments
from wordpl.cli._arguments import ENTRY, RUN
from wordpl.cli._command import json_option, log_option, quiet_option
from wordpl.cli._output import print_json, progress_bar, say, show_result, stoppable, working
from wordpl.core import paths
from wordpl.core.messages import UserError
from wordpl.run.config import RunConfig
from wordpl.strategy import DEFAULT_RULES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wordpl.contest import Contest
    from wordpl.run.folder import Run
    from wordpl.run.info import EntryInfo

N_GAMES = 2000
MIN_GAMES = 2  # a standard error needs two


@click.command(context_settings={"show_default": True})
@click.argument("entries", nargs=-1, type=ENTRY)
@_arguments.run_options(
    "n_games", "game_id", "seed", "player", "results", *_arguments.LIMIT_FIELDS, n_games=N_GAMES, repeats=0
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
def command(
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
        check_budgets(earlier.info.entries, in_run=True)
        return show_estimates(earlier, budget, plot, as_json)
    contest = contest_of(folder, entries, config, jobs)
    with working("loading the entries"):
        check_budgets(contest.entries, in_run=bool(folder))
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


def check_budgets(entries: "Sequence[EntryInfo]", *, in_run: bool) -> None:
    """Refuse entries of games without a budget before they are played; those of an existing run are only left out."""
    from wordpl.contest.enumeration import FOR_NOISY_GAMES, entries_with_budget

    with_budget = entries_with_budget(entries)
    others = ", ".join(f"{entry.name} plays {entry.game.id}" for entry in entries if entry not in with_budget)
    if others and not in_run:
        raise UserError(f"{others}, which has no budget: {FOR_NOISY_GAMES}")
    if others:
        say(f"Not estimated: {others}, which has no budget.", err=True)


def show_estimates(run: "Run", budget: float | None, plot: Path | None, as_json: bool) -> None:
    """Print the estimates of each entry of a run, and draw them into the file `plot` if given."""
    from wordpl.reports import win_curve
    from wordpl.stats.estimates import win_rates

    with working("estimating"):
        estimates = win_rates(run, run.info.config.load_lists(), budget)
    table = win_curve.table(estimates)
    values = {"run": str(paths.relative_to_cwd(run.folder)), "entries": win_curve.for_programs(table)}
    show_result("estimate", values, [win_curve.as_table(table)], as_json=as_json)
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
            chance, budget = enumerate_entry(entry, config, bar.update)
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
