"""`wordpl analyse`: where an entry loses."""

from pathlib import Path

import click

from wordpl.cli import _run_options
from wordpl.cli._errors import WordplCommand
from wordpl.cli._log_option import log_option

N_VALUED = 60


@click.command(cls=WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("folder", metavar="RUN", type=_run_options.A_FOLDER)
@click.argument("entry")
@click.option("--against", default="", metavar="ENTRY", show_default="the best other one of the run",
              help="Compare with this one: of the run, or any other, which plays the same games now.")  # fmt: skip
@click.option("--valued", default=N_VALUED, type=click.IntRange(0), metavar="GAMES", help="Games whose guesses are "
              "compared with the best ones; each takes some tenths of a second.")  # fmt: skip
@click.option("--plot", "picture", type=click.Path(path_type=Path), metavar="FILE", help="Draw it, too: .png, .svg or "
              ".pdf.")  # fmt: skip
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@log_option
def command(folder: Path, entry: str, against: str, valued: int, picture: Path | None, markdown: bool) -> None:
    """Show where ENTRY of RUN loses: which secrets, which rounds, and which answers.

    \b
    wordpl analyse results/RUN my_bot
    wordpl analyse results/RUN "MyBot(epsilon=8)" --against "Schedule('p50', 36.7)" --plot where.png
    wordpl analyse results/MATCH-match new

    A round's guesses are compared with the guess that says most at the same epsilon. The last answers are
    compared with the posterior that the clues of their games give.
    """
    from rich.console import Console

    from wordpl.cli._echo import say
    from wordpl.reports import plain_table
    from wordpl.workbench.analyse import analyse, text

    found = analyse(folder, entry, against=against, n_valued=valued)
    console = Console()
    for table in text.tables(found):
        if markdown:
            say(plain_table.markdown(table))
        else:
            plain_table.show(table, console)
            say("")
    if picture is not None:
        from wordpl.workbench.analyse.plot import plot

        plot(found, picture)
        say(f"drawn: {picture}", err=True)
