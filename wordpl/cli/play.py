"""`wordpl play`: play a game of the Wordle family in the terminal."""

from pathlib import Path

import click

from wordpl import games
from wordpl.cli._errors import WordplCommand
from wordpl.cli._run_options import A_FILE
from wordpl.cli._version import version_option


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.option("--game", "game_id", metavar="NAME", default="wordpl/1", help=f"The game: {', '.join(games.names())}.")
@click.option("--seed", help="Any text; decides secrets and noise as in a run. [default: drawn, and shown]")
@click.option("--number", metavar="N", default=0, type=click.IntRange(0), help="The game of that seed to begin with.")
@click.option("--secret", metavar="WORD", help="The secret, to practise or to set somebody a riddle.")
@click.option("--answers", type=A_FILE, help="The words that can be the secret. [default: answers.txt]")
@click.option("--guesses", type=A_FILE, help="The words that can be guessed. [default: valid.txt]")
@click.option("--high-contrast", "contrast", is_flag=True, help="Orange and blue tiles in place of green and yellow.")
@version_option
def command(
    game_id: str,
    seed: str | None,
    number: int,
    secret: str | None,
    answers: Path | None,
    guesses: Path | None,
    contrast: bool,
) -> None:
    """Play in the terminal, the same games that a run with the same seed gives its entries.

    Type ? in a game for hints, help for the rules. NO_COLOR=1 shows the marks c i . in place of coloured tiles.
    """
    from wordpl import terminal
    from wordpl.core import seeds, words

    game = games.make_game(game_id, words.load(answers, guesses))
    sessions = terminal.sessions(game, seed or seeds.new_seed(), number, secret and secret.lower())
    terminal.play(sessions, terminal.Screen(contrast))
