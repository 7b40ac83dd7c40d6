"""`wordpl new`, `dev`, `profile` and `analyse`: what an author does with one strategy."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from wordpl.apps.workbench.new_strategy import Language, new_strategy
from wordpl.apps.workbench.terms import MatchTerms
from wordpl.cli import _arguments, _command
from wordpl.cli._arguments import ENTRY, RUN
from wordpl.cli._options import options
from wordpl.cli._output import print_json, say, show_tables, stoppable
from wordpl.core.messages import amount
from wordpl.run.config import RunConfig


@click.command(context_settings={"show_default": True})
@click.argument("name")
@click.option(
    "--game",
    "game_id",
    metavar="GAME",
    default="wordpl/1",
    callback=_command.bind_game,
    help="Game that the strategy plays; your own as FILE:CLASS.",
)
@click.option(
    "--language",
    default=str(Language.PYTHON),
    type=click.Choice([str(language) for language in Language]),
    help="Programming language.",
)
@_arguments.kind_options
def new_command(name: str, game_id: str, language: str, kind: str) -> None:
    """Write a template strategy, NAME.py, to the current folder; a program in a folder NAME.

    The strategy plays as it is. Comments mark the parts that you may want to change.

    \b
    wordpl new my_bot
    wordpl new my_bot --game wordle/1
    wordpl new my_bot --language js
    """
    first, *files = new_strategy(name, game_id, Language(language), kind=kind)
    say(f"Wrote {', '.join(f'{first.name}/{path.name}' for path in files) or first.name}. Next:")
    say(f"    wordpl check {first.name}")
    say(f"    wordpl evaluate {first.name} --games 200")


N_DEV_GAMES = 200


@click.command(cls=_command.WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entry", type=ENTRY)
@_arguments.run_options("n_games", "game_id", "seed", "answers", "guesses", "loss_cost", "player",
                      *_arguments.LIMIT_FIELDS, n_games=N_DEV_GAMES)  # fmt: skip
@options(MatchTerms, "goal")
@click.option("--once", is_flag=True, help="Play the file once and exit, with code 1 if it cannot play.")
@click.option("--json", "as_json", is_flag=True, help="Print one line of JSON for each version, for editors.")
@_command.log_option
def dev_command(entry: str, config: RunConfig, once: bool, as_json: bool, goal: str = "") -> None:
    """Watch the file of ENTRY and play it each time it is saved.

    \b
    wordpl dev my_bot.py
    wordpl dev my_bot.py --games 500 --goal won
    wordpl dev "my_bot.py:MyBot(epsilon=8)"

    Each version plays the same games and is compared with the version before. The output lists the games that got worse
    and the command that replays one of them. Errors are shown immediately. Changes of other files in the same folder
    count too. Ctrl-C ends the command.
    """
    from wordpl.apps.workbench.dev import DevSession, watch
    from wordpl.reports.as_json import FORMAT

    def print_line(**event: Any) -> None:
        if as_json:
            click.echo(json.dumps({"format": FORMAT, "kind": "dev", **event}))
            sys.stdout.flush()

    is_wrong = False
    with DevSession(entry, config, n_games=config.n_games, goal=goal or None) as session, stoppable():
        for event in watch(session, lambda n_played: print_line(event="progress", n_games=n_played)):
            values = event.to_json()
            is_wrong = values["event"] == "error"
            print_line(**values)
            if not as_json:
                say("\n".join(event.lines()))
                sys.stdout.flush()
            if once:
                break
            if not as_json:
                say(f"Watching {session.file.name}. Press Ctrl-C to stop.", err=True)
    click.get_current_context().exit(1 if is_wrong else 0)


N_PROFILE_GAMES = 100


@click.command(cls=_command.WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("entry", type=ENTRY)
@_arguments.run_options("n_games", "game_id", "seed", "answers", "guesses", "player", *_arguments.LIMIT_FIELDS,
                      n_games=N_PROFILE_GAMES)  # fmt: skip
@click.option(
    "--time",
    "seconds",
    default=10.0,
    metavar="SECONDS",
    type=click.FloatRange(0.1),
    help="Start no further game after this time.",
)
@_command.json_option
@_command.log_option
def profile_command(entry: str, config: RunConfig, seconds: float, as_json: bool) -> None:
    """Show where ENTRY spends its time, by line and by function.

    \b
    wordpl profile my_bot.py
    wordpl profile max_clue_entropy --games 50
    wordpl profile "MyBot(epsilon=8)" --trust

    A sampling profiler records the stack every millisecond. It runs inside the player, in the same sandbox as in a
    contest, and does not need root; with --trust it runs in this process. The time of a call into compiled code counts
    for the line of the call. Start and warm-up, which do not count against an entry's time limit, are shown separately.
    """
    from dataclasses import asdict

    from wordpl.apps.workbench.profile import profile, sentences, tables
    from wordpl.cli._output import LINE

    with LINE:
        measured = profile(
            entry, config, n_games=config.n_games, seconds=seconds,
            progress=lambda n_played: LINE.update(f"{n_played} of {amount(config.n_games, 'game')}"),
        )  # fmt: skip
    if as_json:
        print_json("profile", asdict(measured) | {"entry": measured.entry.name})
        return
    show_tables(tables(measured), spaced=True)
    for sentence in sentences(measured):
        say(sentence)


N_VALUED = 60


@click.command(cls=_command.WordplCommand, context_settings={"show_default": True, "max_content_width": 110})
@click.argument("folder", metavar="RUN", type=RUN)
@click.argument("entry", type=ENTRY)
@click.option("--against", default="", type=ENTRY, metavar="ENTRY", show_default="the best other entry of the run",
              help="Entry to compare with. An entry that is not in the run plays the same games first.")  # fmt: skip
@click.option("--valued", default=N_VALUED, type=click.IntRange(0), metavar="GAMES", help="Number of games whose "
              "guesses are compared with the best guesses; each takes some tenths of a second.")  # fmt: skip
@click.option("--plot", "picture", type=click.Path(path_type=Path), metavar="FILE", help="Also draw the result into "
              "this .png, .svg or .pdf file.")  # fmt: skip
@click.option("--markdown", is_flag=True, help="Print the tables as Markdown.")
@_command.json_option
@_command.max_games_option
@_command.own_game_option
@_command.log_option
def analyse_command(
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
    from wordpl.apps.workbench import loss_analysis
    from wordpl.reports.as_json import parts
    from wordpl.reports.renderers import markdown_table

    analysis = loss_analysis.analyse(folder, entry, against=against, n_valued=valued, max_games=max_games)
    tables = loss_analysis.analysis_tables(analysis)
    if as_json:
        facts = {"entry": analysis.entry.name, "n_games": analysis.n_games, "n_lost": analysis.n_lost}
        print_json("analyse", facts | {"tables": parts(tables), "changed": analysis.changed})
    elif markdown:
        say("\n".join(map(markdown_table, tables)))
    else:
        show_tables(tables, spaced=True)
    for sentence in analysis.changed:
        say(sentence, err=True)
    if picture is not None:
        loss_analysis.plot_analysis(analysis, picture)
        say(f"Plot: {picture}", err=True)
