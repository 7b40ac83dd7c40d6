"""`wordpl analyse`: show where an entry loses its games."""

from pathlib import Path

import click

from wordpl.cli._errors import WordplCommand
from wordpl.cli._options import json_option, log_option, max_games_option, own_game_option
from wordpl.cli._values import ENTRY, RUN

N_VALUED = 60


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("folder", metavar="RUN", type=RUN)
@click.argument("entry", type=ENTRY)
@click.option("--against", default="", type=ENTRY, metavar="ENTRY", show_default="the best other entry of the run",
              help="Entry to compare with. An entry that is not in the run plays the same games first.")  # fmt: skip
@click.option("--valued", default=N_VALUED, type=click.IntRange(0), metavar="GAMES", help="Number of games whose "
              "guesses are compared with the best guesses; each takes some tenths of a second.")  # fmt: skip
@click.option("--plot", "picture", type=click.Path(path_type=Path), metavar="FILE", help="Also draw the result into "
              "this .png, .svg or .pdf file.")  # fmt: skip
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
@json_option
@max_games_option
@own_game_option
@log_option
def command(
    folder: Path, entry: str, against: str, valued: int, picture: Path | None, markdown: bool, max_games: int,
    as_json: bool,
) -> None:  # fmt: skip
    """Show where ENTRY loses its games in RUN.

    \b
    wordpl analyse results/RUN my_bot
    wordpl analyse results/RUN "MyBot(epsilon=8)" --against n_guess
    wordpl analyse results/RUN my_bot --plot losses.png
    wordpl analyse results/MATCH-match new

    The tables show losses by secret, by round and by final answer. Each guess is compared with the most informative
    guess at the same epsilon. Each final answer is compared with the posterior given all clues of its game.
    """
    from rich.console import Console

    from wordpl.cli._output import print_json, say
    from wordpl.reports.as_json import parts
    from wordpl.reports.markdown import table as as_markdown
    from wordpl.reports.terminal import show_table
    from wordpl.workbench import analysis_output
    from wordpl.workbench.analyse import analyse

    analysis = analyse(folder, entry, against=against, n_valued=valued, max_games=max_games)
    console, tables = Console(), analysis_output.tables(analysis)
    if as_json:
        facts = {"entry": analysis.entry.name, "n_games": analysis.n_games, "n_lost": analysis.n_lost}
        print_json("analyse", facts | {"tables": parts(tables), "changed": analysis.changed})
    for table in [] if as_json else tables:
        if markdown:
            say(as_markdown(table))
        else:
            show_table(table, console)
            say("")
    for sentence in analysis.changed:
        say(sentence, err=True)
    if picture is not None:
        analysis_output.plot(analysis, picture)
        say(f"Plot: {picture}", err=True)
