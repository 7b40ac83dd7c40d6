"""`wordpl tui`: the full-screen app."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from wordpl.terminal.app.options import SCREENS

THEMES = ("dark", "light", "high-contrast")


@click.command(name="tui")
@click.argument("hints", nargs=-1, metavar="GUESS:CLUE...")
@click.option("--screen", type=click.Choice(SCREENS), help="The first screen. [default: solve]")
@click.option("--setup", "name", metavar="NAME", help="The setup of Solve to begin with. [default: the last one]")
@click.option("--answers", metavar="LIST", help="Words that can be the secret: contest, a list's name, or a file.")
@click.option("--guesses", metavar="LIST", help="Words that can be guessed.")
@click.option("--filter", "filters", multiple=True, metavar="FILTER", help="As in wordpl words build; repeat for more.")
@click.option("--prior", metavar="FILE", help="How probable each answer is: a CSV of word,probability, or: default.")
@click.option("--past", type=click.Choice(["keep", "strike", "weigh"]), help="What to do with answers already played.")
@click.option("--game", "game_id", metavar="NAME", help="The game: of Solve, and of Play with --screen play.")
@click.option("--limit", type=click.IntRange(0, 63), help="Guesses in all; 0 is no limit.")
@click.option("--width", type=click.IntRange(1), help="Guesses tried at every step of the search.")
@click.option("--exact/--no-exact", default=None, help="Try all guesses at every step.")
@click.option("--top", type=click.IntRange(1, 200), help="How many guesses to rate.")
@click.option("--tree", metavar="FILE", help="A decision tree to follow, as wordpl solve writes it.")
@click.option("--seed", default="", metavar="TEXT", help="Play: decides secrets and noise as in a run.")
@click.option("--number", default=0, metavar="N", type=click.IntRange(0), help="Play: the game of that seed.")
@click.option("--run", "run_folder", type=click.Path(exists=True, file_okay=False, path_type=Path), metavar="FOLDER",
              help="Watch and Replay: the run. [default: the newest]")  # fmt: skip
@click.option("--results", default="results", type=click.Path(path_type=Path), metavar="FOLDER", show_default=True,
              help="The folder that has the runs.")  # fmt: skip
@click.option("--theme", default="dark", type=click.Choice(THEMES), show_default=True, help="Colours; Ctrl+T changes.")
def command(hints: Sequence[str], **chosen: Any) -> None:
    """Solve, play, watch and replay in a full-screen app.

    Solve suggests guesses for somebody else's puzzle, Play is the contest's games in the terminal, Watch follows a run
    while it goes on, Replay steps through its games. Keys are shown at the bottom, all of them with F1.

    \b
    wordpl tui tares:....i crony:..c..
    wordpl tui --answers modern --guesses modern --filter zipf=2.5 --past strike
    wordpl tui --screen play --game wordpl/1 --seed 7

    It needs: pip install "wordpl[tui]". For a screen reader use wordpl play and wordpl suggest, which go
    line by line.
    """
    import sys

    from wordpl.terminal import app

    raise SystemExit(app.run(app.options_for(hints, is_terminal=sys.stdout.isatty() and sys.stdin.isatty(), **chosen)))
