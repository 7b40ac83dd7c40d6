"""`wordpl play`: play a Wordle-family game in the terminal."""

from pathlib import Path

import click

from wordpl import games
from wordpl.cli._errors import WordplCommand
from wordpl.cli._options import bind_game, contrast_option, version_option
from wordpl.cli._run_options import answers_option, guesses_option
from wordpl.cli._status_line import leave_screen_to_command


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
def command(
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
    from wordpl import terminal
    from wordpl.core import seeds, words

    game = games.make_game(game_id, words.load(answers, guesses))
    sessions = terminal.sessions(game, seed or seeds.new_seed(), number, secret and secret.lower())
    leave_screen_to_command()
    terminal.play(sessions, terminal.Screen(contrast))
