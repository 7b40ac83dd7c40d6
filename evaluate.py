"""Play strategies on games that are the same for all of them, and say which is best and how sure that is."""

from pathlib import Path

import click

from wordpl import games
from wordpl.cli import _evaluation, _limit_options, _official, _replay, _resume
from wordpl.core.words import HOME

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
A_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entries", nargs=-1)
@click.option("--games", "n_games", default=1001, type=click.IntRange(1), help="How many games each entry plays.")
@click.option("--game", "rules", metavar="NAME", help=f"One of {', '.join(games.names())}. [default: each entry's own]")
@click.option("--repeats", default=50, type=click.IntRange(0), help="Games played again, each in a fresh process.")
@click.option("--jobs", type=click.IntRange(1), help="How many games at a time. [default: one for each processor]")
@click.option("--seed", help="Any text; decides all secrets and noise. [default: drawn, and shown]")
@click.option("--answers", type=A_FILE, help="The words that can be the secret. [default: answers.txt]")
@click.option("--guesses", type=A_FILE, help="The words that can be guessed. [default: valid.txt]")
@click.option("--against", metavar="ENTRY", help="Compare every other entry with this one, game by game.")
@click.option("--replay", "number", metavar="N", type=click.IntRange(0), help="Show game N, move by move, with prints.")
@click.option("--resume", metavar="RUN", type=A_FOLDER, help="Play what is left of a run, as it was begun.")
@click.option("--results", default=HOME / "results", show_default="results", type=Path, help="Where runs are kept.")
@click.option("--trust", is_flag=True, help="Run entries in this process, where pdb works and no clock is enforced.")
@click.option("--list", "only_list", is_flag=True, help="List the entries and end.")
@_limit_options.options
@_official.options
def evaluate(entries, jobs, against, number, resume, only_list, **chosen):
    """Play ENTRIES and report percentiles with their intervals.

    An entry is a file of strategies/ (my_bot), a path (bots/my_bot.py) or a class with its arguments
    ("NGuess(epsilon=7.8, n_guesses=2)", or bots/my_bot.py:"MyBot(5)"); without any, all of strategies/ play.
    """
    settings = _evaluation.Settings(**chosen)
    if resume:
        run = _resume.resumed(resume)
    else:
        found = _evaluation.find_entries(entries, settings, against)
        if only_list:
            return _evaluation.list_entries(found)
        if number is not None:
            return _replay.replay_all(found, number, settings)
        run = _evaluation.new_run(found, settings)
    _evaluation.play(run, 1 if settings.trust else jobs or _evaluation.processors(), settings.beacon)
    from wordpl.cli._reporting import report  # brings pandas and scipy, which --help should not wait for

    return report(run, against)


if __name__ == "__main__":
    evaluate()
