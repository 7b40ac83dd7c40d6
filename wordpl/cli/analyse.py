"""`wordpl analyse`: show where an entry loses its games."""

from pathlib import Path

import click

from wordpl.cli._errors import WordplCommand
from wordpl.cli._options import A_FOLDER, log_option

N_VALUED = 60


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("folder", metavar="RUN", type=A_FOLDER)
@click.argument("entry")
@click.option("--against", default="", metavar="ENTRY", show_default="the best other entry of the run",
              help="Entry to compare with. An entry that is not in the run plays the same games first.")  # fmt: skip
@click.option("--valued", default=N_VALUED, type=click.IntRange(0), metavar="GAMES", help="Number of games whose "
              "guesses are compared with the best guesses; each takes some tenths of a second.")  # fmt: skip
@click.option("--plot", "picture", type=click.Path(path_type=Path), metavar="FILE", help="Also draw the result into "
              "this .png, .svg or .pdf file.")  # fmt: skip
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
@log_option
def command(folder: Path, entry: str, against: str, valued: int, picture: Path | None, markdown: bool) -> None:
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

    from wordpl.cli._output import say
    from wordpl.reports import plain_table
    from wordpl.workbench import analysis_output
    from wordpl.workbench.analyse import analyse

    analysis = analyse(folder, entry, against=against, n_valued=valued)
    console = Console()
    for table in analysis_output.tables(analysis):
        if markdown:
            say(plain_table.markdown(table))
        else:
            plain_table.show(table, console)
            say("")
    if picture is not None:
        analysis_output.plot(analysis, picture)
        say(f"Plot: {picture}", err=True)
