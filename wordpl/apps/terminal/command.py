"""`wordpl play` and `tui`: play and solve puzzles in the terminal."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from wordpl import games
from wordpl.apps.terminal.app import SCREENS
from wordpl.cli._arguments import answers_option, guesses_option, prior_option
from wordpl.cli._command import WordplCommand, bind_game, contrast_option, conversation, version_option
from wordpl.cli._output import leave_screen_to_command


@conversation
@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.option(
    "--game",
    "game_id",
    metavar="GAME",
    default="wordpl/1",
    callback=bind_game,
    help=f"Game to play: {', '.join(games.names())}, or your own as FILE:CLASS.",
)
@click.option("--seed", help="Seed of all secrets and noise, as in a run; any text. [default: random, and shown]")
@click.option("--number", metavar="N", default=0, type=click.IntRange(0), help="Number of the first game of the seed.")
@click.option("--secret", metavar="WORD", help="Use this secret, to practise or to set a puzzle for somebody else.")
@answers_option
@guesses_option
@contrast_option
@version_option
def play_command(
    game_id: str,
    seed: str | None,
    number: int,
    secret: str | None,
    answers: Path | None,
    guesses: Path | None,
    contrast: bool,
) -> None:
    """Play in the terminal.

    The games are the same as those that entries play in a run with the same seed. During a game, type `?` for hints and
    `help` for the rules. NO_COLOR=1 shows the marks c, i and . instead of coloured tiles.
    """
    from wordpl.apps import terminal
    from wordpl.core import seeds, words

    game = games.make_game(game_id, words.load(answers, guesses))
    sessions = terminal.sessions(game, seed or seeds.new_seed(), number, secret and secret.lower())
    leave_screen_to_command()
    terminal.play(sessions, terminal.Screen(contrast))


THEMES = ("dark", "light", "high-contrast")


@conversation
@click.command(name="tui")
@click.argument("hints", nargs=-1, metavar="GUESS:CLUE...")
@click.option("--screen", type=click.Choice(SCREENS), default="solve", show_default=True, help="Screen to open.")
@click.option("--setup", "name", metavar="NAME", help="Setup of the Solve screen. [default: the last one used]")
@click.option("--answers", metavar="LIST", help="Words that can be the secret: contest, a list's name, or a file.")
@click.option("--guesses", metavar="LIST", help="Words that can be guessed.")
@click.option(
    "--filter", "filters", multiple=True, metavar="FILTER", help="Filter as in wordpl words build. Repeatable."
)
@prior_option
@click.option(
    "--past", type=click.Choice(["keep", "strike", "weigh"]), help="Keep, remove or down-weight past answers."
)
@click.option("--game", "game_id", metavar="GAME", callback=bind_game,
              help="Game of the Solve screen; with --screen play, game to play (your own: FILE:CLASS).")  # fmt: skip
@click.option("--max-guesses", "limit", type=click.IntRange(0, 63), help="Maximum number of guesses; 0: no limit.")
@click.option("--width", type=click.IntRange(1), help="Number of guesses tried at each step of the search.")
@click.option("--exact/--no-exact", default=None, help="Try all guesses at each step.")
@click.option("--top", type=click.IntRange(1, 200), help="Number of guesses to rate.")
@click.option("--tree", metavar="FILE", help="Decision tree to follow, such as one from wordpl solve.")
@click.option("--seed", default="", metavar="TEXT", help="Play: seed of secrets and noise, as in a run.")
@click.option("--number", default=0, metavar="N", type=click.IntRange(0), help="Play: number of the game of the seed.")
@click.option(
    "--theme", default="dark", type=click.Choice(THEMES), show_default=True, help="Colours; Ctrl+T switches themes."
)
def tui_command(hints: Sequence[str], **chosen: Any) -> None:
    """Open the full-screen app.

    The app has two screens. Solve suggests guesses for a puzzle on another site. Play plays the games of a contest. The
    bottom line shows the most important keys, F1 shows all. `wordpl replay` steps through the games of a run.

    \b
    wordpl tui tares:....i crony:..c..
    wordpl tui --answers modern --guesses modern --filter zipf=2.5 --past strike
    wordpl tui --screen play --game wordpl/1 --seed 7

    The app needs further libraries: pip install "wordpl[tui]". With a screen reader, use wordpl play and wordpl suggest
    instead, which print line by line.
    """
    import sys

    from wordpl.apps.terminal import app

    leave_screen_to_command()
    raise SystemExit(app.run(app.options_for(hints, is_terminal=sys.stdout.isatty() and sys.stdin.isatty(), **chosen)))
