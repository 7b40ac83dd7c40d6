"""`wordpl new`: write a strategy to start from."""

import click

from wordpl.cli._options import bind_game
from wordpl.cli._output import say
from wordpl.workbench.new_strategy import Language, new_strategy


@click.command(context_settings={"show_default": True})
@click.argument("name")
@click.option(
    "--game",
    "game_id",
    metavar="GAME",
    default="wordpl/1",
    callback=bind_game,
    help="Game that the strategy plays; your own as FILE:CLASS.",
)
@click.option(
    "--language",
    default=str(Language.PYTHON),
    type=click.Choice([str(language) for language in Language]),
    help="Programming language.",
)
def command(name: str, game_id: str, language: str) -> None:
    """Write a template strategy, NAME.py, to the current folder.

    The strategy plays as it is. Comments mark the parts that you may want to change.

    \b
    wordpl new my_bot
    wordpl new my_bot --game wordle/1
    wordpl new my_bot --language js
    """
    first, *further_files = new_strategy(name, game_id, Language(language))
    say(f"Wrote {', '.join(path.name for path in (first, *further_files))}. Next:")
    say(f"    wordpl check {first.name}")
    say(f"    wordpl evaluate {first.name} --games 200")
