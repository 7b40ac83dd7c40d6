"""`wordpl tournament`: the same puzzles for all against a time bank, for people and for strategies."""

import shlex
from datetime import UTC
from pathlib import Path

import click

from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.core.words import HOME
from wordpl.players.sandbox.levels import Level

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
A_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
A_TIME = click.DateTime(["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"])
SECONDS = click.FloatRange(0.001, 86_400)

rules_option = click.option("--rules", type=A_FILE, help="A TOML file of rules. [default: Competitive Wordle 1.0]")


@click.group()
def command() -> None:
    """Play tournaments: the same puzzles for all, a time bank for each, points for few guesses.

    \b
    wordpl tournament new cup.json            the host draws the puzzles and publishes the commitment
    wordpl tournament play cup.json ada.json  each player plays, with the file from the host
    wordpl tournament rank ada.json bob.json  who won
    wordpl tournament run --cup cup.json      strategies play the same puzzles

    docs/tournament.md tells the rules, and what the commitment and the signatures prove.
    """


@command.command()
@click.argument("file", type=A_NEW_FILE)
@rules_option
@click.option("--opens", type=A_TIME, help="When banks can be used from on, UTC, like 2026-11-21T18:00.")
@click.option("--closes", type=A_TIME, help="When they cannot be used any more, UTC.")
@click.option("--seed", help="Any text; decides the puzzles. [default: 256 bits are drawn]")
def new(file, rules, opens, closes, seed):
    """Draw a tournament into FILE, and show the commitment to publish before it begins.

    Keep FILE to yourself until then: whoever has it can find out the words.

    \b
    wordpl tournament new cup.json --opens 2026-12-01T18:00 --closes 2026-12-01T20:00
    """
    from wordpl.tournament import TournamentFile, load_rules

    window = [moment and moment.replace(tzinfo=UTC) for moment in (opens, closes)]
    cup = TournamentFile.new(load_rules(rules), seed or seeds.new_official_seed(), *window)
    cup.write(file)
    click.echo(f"commitment  {cup.commitment}")
    click.echo(f"{cup.rules.rounds} puzzles of {cup.rules.game}, {cup.rules.bank_minutes:g} minutes for each player.")
    click.echo("Publish the commitment now, and send the file to the players when it begins. They play with\n"
               f"    wordpl tournament play {shlex.quote(str(file))} NAME.json")  # fmt: skip


@command.command()
@click.argument("cup", type=A_FILE)
@click.argument("file", type=A_NEW_FILE)
@click.option("--player", metavar="NAME", help="Your name in the standings. [default: the name of FILE]")
@click.option("--high-contrast", "contrast", is_flag=True, help="Orange and blue tiles in place of green and yellow.")
def play(cup, file, player, contrast):
    """Play the tournament CUP; what you do is kept in FILE after every guess.

    The clock runs from the first guess of a puzzle to its solve. Between puzzles it stands still. If you leave, the
    same command goes on; inside a puzzle the clock runs on meanwhile.

    \b
    wordpl tournament play cup.json ada.json
    """
    from wordpl.terminal.screen import Screen
    from wordpl.terminal.tournament import Table
    from wordpl.tournament import Scorecard
    from wordpl.tournament.scorecard import read_scorecard
    from wordpl.tournament.tournament_file import read_tournament

    drawn = read_tournament(cup)
    card = read_scorecard(file) if file.exists() else Scorecard(player=player or file.stem, cup=drawn)
    if card.cup.commitment != drawn.commitment:
        raise UserError(f"{file} is of another tournament than {cup}; choose another name.")
    if player and player != card.player:
        raise UserError(f"{file} is the result of {card.player!r}, not of {player!r}; choose another name.")
    Table(card, file, Screen(contrast)).play()


@command.command()
@click.argument("entries", nargs=-1)
@rules_option
@click.option("--cup", type=A_FILE, help="The tournament of people to play, its rules and its puzzles.")
@click.option("--bank", "bank_s", type=SECONDS, help="SECONDS of CPU time in each bank. [default: as the rules say]")
@click.option("--seed", help="Any text; decides the puzzles. [default: drawn, and shown]")
@click.option("--jobs", type=click.IntRange(1), help="How many games at a time. [default: one for each processor]")
@click.option("--memory", "memory_mb", default=1024, show_default=True, type=click.IntRange(64), help="MiB an entry may use.")  # fmt: skip  # noqa: E501
@click.option("--isolation", type=click.Choice(list(Level)), help="Wall entries off this far. [default: the best]")
@click.option("--results", default=HOME / "results", show_default="results", type=Path, help="Where runs are kept.")
@click.option("--trust", is_flag=True, help="Run entries in this process, where no clock is enforced.")
def run(entries, rules, cup, bank_s, jobs, **chosen):
    """Play a tournament with ENTRIES, named as for evaluate.py; without any, all of strategies/ play.

    The bank is CPU time. All puzzles are played, and what comes after an entry's end does not count.

    \b
    wordpl tournament run --bank 5 --seed 42
    """
    from wordpl.cli import _evaluation, _tournament_runs
    from wordpl.cli._reporting import report

    terms = _tournament_runs.terms(rules, cup, bank_s, chosen.pop("seed"))
    settings = _tournament_runs.settings(terms, **chosen)
    played = _evaluation.new_run(_evaluation.find_entries(entries, settings), settings)
    _tournament_runs.keep(terms.rules, played.folder)
    _evaluation.play(played, 1 if settings.trust else jobs or _evaluation.processors())
    report(played, None)
    _tournament_runs.show([played.folder], None, played.folder / "TOURNAMENT.md")


@command.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@rules_option
@click.option("--report", type=A_NEW_FILE, help="Write the standings and all rounds as Markdown.")
def rank(files, rules, report):
    """Rank the results in FILES: what players have sent, and folders of runs.

    Each file is checked: its signature, its guesses under the rules, and that all have played the same puzzles.

    \b
    wordpl tournament rank ada.json bob.json results/RUN --report cup.md
    """
    from wordpl.cli import _tournament_runs

    _tournament_runs.show(files, rules, report)
