"""`wordpl estimate`: how often an entry wins at its budget, with less luck than a count."""

from pathlib import Path

import click

from wordpl.cli import _evaluation, _limit_options, _resume
from wordpl.cli._echo import say
from wordpl.core.words import HOME

A_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(context_settings={"show_default": True})
@click.argument("entries", nargs=-1)
@click.option("--games", "n_games", default=2000, type=click.IntRange(2), help="How many games each entry plays.")
@click.option("--seed", help="Any text; decides all secrets and noise. [default: drawn, and shown]")
@click.option("--budget", type=click.FloatRange(0, min_open=True), help="What a won game may cost. [default: any]")
@click.option("--jobs", type=click.IntRange(1), help="How many games at a time. [default: one for each processor]")
@click.option("--run", "folder", metavar="RUN", type=A_FOLDER, help="Estimate from a run, played to its end if needed.")
@click.option("--exact", is_flag=True, help="Try every clue instead: for entries of at most three guesses.")
@click.option("--plot", metavar="FILE", type=click.Path(path_type=Path), help="Draw P(win) against the budget.")
@click.option("--trust", is_flag=True, help="Run entries in this process.")
@click.option("--results", default=HOME / "results", show_default="results", type=Path, help="Where runs are kept.")
@_limit_options.options
def command(entries, jobs, folder, budget, exact, plot, **chosen):
    """Estimate how often ENTRIES win at the budget they spend, each ± its standard error.

    \b
        wordpl estimate "Schedule('p95')" --games 2000
        wordpl estimate "Schedule('p95', 66)" "Schedule('p95', 68)" --plot frontier.svg
        wordpl estimate "Schedule('p05')" --exact

    Three estimates of the same thing: `counted`, the share of games won; `by answer`, the mean probability of the
    word proposed, given all clues; `RB`, the mean chance to win just before the last clue, for entries that always
    spend the same and propose the likeliest word. The games stay in results/ as a run; Ctrl-C loses none.
    """
    settings = settings_of(chosen)
    if exact:
        return enumerate_all(_evaluation.find_entries(entries, settings), settings)
    run = _resume.resumed(folder) if folder else _evaluation.new_run(
        _evaluation.find_entries(entries, settings), settings
    )  # fmt: skip
    _evaluation.play(run, 1 if settings.trust else jobs or _evaluation.processors())
    return show(run, budget, plot)


def settings_of(chosen):
    """Return the settings of an evaluation that plays what these options say."""
    return _evaluation.Settings(rules=None, answers=None, guesses=None, repeats=0, **chosen)


def show(run, budget, plot):
    """Show the estimates from a run's games, and draw them where a file is given."""
    from wordpl.contest.runner import lists_of
    from wordpl.contest.win_rate import estimate
    from wordpl.reports import win_curve

    lists = lists_of(run.info)
    found = {entry.name: estimate(run.read(entry), lists, entry.game_id, budget) for entry in run.info.entries}
    say(win_curve.as_text(win_curve.table(found)))
    if plot:
        families = {}
        for name, one in found.items():
            points = families.setdefault(name.partition(", budget")[0].rstrip(")") + ")", [])
            points.append((one.budget, one.best.value, one.best.error))
        win_curve.plot(families, plot)


def enumerate_all(entries, settings):
    """Show the exact chance of each entry, from games with every clue that can be shown."""
    from tempfile import TemporaryDirectory

    from tqdm import tqdm

    from wordpl.contest.win_rate import exact
    from wordpl.core import words
    from wordpl.players.clock import allowance
    from wordpl.players.pool import PlayerPool

    lists = words.load()
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as parent,
        PlayerPool(lists, Path(parent), [settings.results]) as pool,
    ):
        for entry in entries:
            info = _evaluation.describe([entry], settings)
            player = pool.player(entry, info)
            with tqdm(total=3**lists.length, desc=entry.name, unit="clue", mininterval=1) as bar:
                chance, spent = exact(player, lists, entry.game_id, allowance(info), bar.update)
            player.close()
            say(f"{entry.name}  budget {spent:.6g}  wins {chance:.6f} of all games, exact")
