"""`wordpl estimate`: how often an entry wins at its budget, with less luck than a count."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli import _run_options
from wordpl.cli._echo import say
from wordpl.cli._log_option import log_option
from wordpl.cli._output import json_option, print_json, quiet_option
from wordpl.cli._status_line import working
from wordpl.core import paths
from wordpl.core.run_config import RunConfig

if TYPE_CHECKING:
    from wordpl.contest import Contest

N_GAMES = 2000
MIN_GAMES = 2  # a standard error takes two


@click.command(context_settings={"show_default": True})
@click.argument("entries", nargs=-1)
@_run_options.options("n_games", "seed", "player", "results", *_run_options.LIMITED, n_games=N_GAMES, repeats=0)
@_run_options.jobs_option
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="What a won game may cost. [default: any]")
@click.option(
    "--run",
    "folder",
    metavar="RUN",
    type=_run_options.A_FOLDER,
    help="Estimate from a run, played to its end if needed.",
)
@click.option("--exact", is_flag=True, help="Try every clue instead: for entries of at most three guesses.")
@click.option("--save", metavar="FILE", type=click.Path(path_type=Path), help="With --exact: keep it as evidence.")
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
    """Estimate how often ENTRIES win at the budget they spend, each ± its standard error.

    \b
        wordpl estimate "Schedule('p95')" --games 2000
        wordpl estimate "Schedule('p95', 66)" "Schedule('p95', 68)" --plot frontier.svg
        wordpl estimate "Schedule('p05')" --exact
        wordpl estimate "Schedule('p50', 36.25)" --exact --save results/evidence/p50.json

    Three estimates of the same thing: `counted`, the share of games won; `by answer`, the mean probability of the
    word proposed, given all clues; `RB`, the mean chance to win just before the last clue, for entries that always
    spend the same and propose the likeliest word. The games stay in results/ as a run; Ctrl-C loses none.
    """
    from wordpl.cli._play_run import play_run
    from wordpl.contest import Contest

    if config.n_games < MIN_GAMES:
        raise click.BadParameter(f"{config.n_games} is not in the range x>={MIN_GAMES}.", param_hint="'--games'")
    if folder:
        contest = Contest.resume(folder, jobs=jobs)
    else:
        contest = Contest(config, entries, jobs=None if config.is_trusted else jobs)
    with working("asking the files for their entries"):
        contest.entries  # noqa: B018 - found when they are first asked for
    if exact:
        return show_exact(contest, as_json) if save is None else save_evidence(contest, save)
    if save:
        raise click.UsageError("--save keeps what --exact finds: give both.")
    run = play_run(contest, quiet=quiet)
    from wordpl.contest.win_rate import estimate_run
    from wordpl.reports import win_curve

    with working("estimating"):
        found = estimate_run(run, budget)
    table = win_curve.table(found)
    if as_json:
        print_json(
            "estimate", {"run": str(paths.relative_to_cwd(run.folder)), "entries": win_curve.for_programs(table)}
        )
    else:
        say(win_curve.as_text(table))
    if plot:
        win_curve.plot(win_curve.families(found), plot)
    return None


def show_exact(contest: "Contest", as_json: bool) -> None:
    """Show the exact chance of each entry, from games with every clue that can be shown."""
    from tqdm import tqdm

    from wordpl.cli._progress import short_name
    from wordpl.contest.enumeration import enumerate_entry
    from wordpl.core import words

    config = contest.config
    n_clues = 3 ** words.load(config.answers, config.guesses).length
    found = []
    for entry in contest.entries:
        with tqdm(total=n_clues, desc=short_name(entry.name), unit="clue", mininterval=1) as bar:
            chance, spent = enumerate_entry(entry, config, bar.update)
        found.append({"entry": entry.name, "budget": spent, "exact": chance})
        if not as_json:
            say(f"{entry.name}  budget {spent:.6g}  wins {chance:.6f} of all games, exact")
    if as_json:
        print_json("estimate", {"entries": found})


def save_evidence(contest: "Contest", path: Path) -> None:
    """Collect evidence of the one entry, and keep it in a file that `wordpl record` reads."""
    from tqdm import tqdm

    from wordpl.cli._progress import short_name
    from wordpl.contest import evidence

    if len(contest.entries) != 1:
        raise click.UsageError(f"--save is for one entry, and there are {len(contest.entries)}.")
    (entry,) = contest.entries
    total = evidence.N_CLUES + evidence.N_HISTORIES
    log = path.with_name(f".{path.name}.part")
    try:
        with tqdm(total=total, desc=short_name(entry.name), unit="step", mininterval=1) as bar:
            found = evidence.collect(entry, contest.config, progress=evidence.Progress(bar.update, bar.update), log=log)
    except KeyboardInterrupt:
        say(f"What is done is kept in {log}: the same command goes on.", err=True)
        raise click.exceptions.Exit(130) from None
    evidence.save(path, found)
    say(f"{entry.name}  budget {found.budget:.6g}  wins at least {found.chance:.6f} of all games, {found.certainty}")
    say(f"The evidence is in {path}. `wordpl record --check {path}` asks again.")
