"""`wordpl tournament`: the same puzzles for all against a time bank, for people and for strategies."""

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from wordpl.cli import _run_options
from wordpl.cli._log_option import log_option
from wordpl.cli._run_options import A_FILE, SECONDS
from wordpl.core import seeds
from wordpl.core.amounts import amount
from wordpl.core.errors import UserError
from wordpl.core.run_config import RunConfig

A_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
A_TIME = click.DateTime(["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"])

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
def new(file: Path, rules: Path | None, opens: datetime | None, closes: datetime | None, seed: str | None) -> None:
    """Draw a tournament into FILE, and show the commitment to publish before it begins.

    Keep FILE to yourself until then: whoever has it can find out the words.

    \b
    wordpl tournament new cup.json --opens 2026-12-01T18:00 --closes 2026-12-01T20:00
    """
    from wordpl.tournament import TournamentFile, load_rules

    starts, ends = (moment and moment.replace(tzinfo=UTC) for moment in (opens, closes))
    cup = TournamentFile.new(load_rules(rules), seed or seeds.new_official_seed(), starts, ends)
    cup.write(file)
    click.echo(f"commitment  {cup.commitment}")
    click.echo(
        f"{amount(cup.rules.rounds, 'puzzle')} of {cup.rules.game}, {cup.rules.bank_minutes:g} minutes for each player."
    )
    click.echo("Publish the commitment now, and send the file to the players when it begins. They play with\n"
               f"    wordpl tournament play {shlex.quote(str(file))} NAME.json")  # fmt: skip


@command.command()
@click.argument("cup", type=A_FILE)
@click.argument("file", type=A_NEW_FILE)
@click.option("--player", metavar="NAME", help="Your name in the standings. [default: the name of FILE]")
@click.option("--high-contrast", "contrast", is_flag=True, help="Orange and blue tiles in place of green and yellow.")
def play(cup: Path, file: Path, player: str | None, contrast: bool) -> None:
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
@_run_options.options("seed", "memory_mb", "level", "results", "player")
@_run_options.jobs_option
@log_option
def run(
    entries: tuple[str, ...],
    rules: Path | None,
    cup: Path | None,
    bank_s: float | None,
    config: RunConfig,
    jobs: int | None,
) -> None:
    """Play a tournament with ENTRIES, named as for wordpl evaluate; without any, all of strategies/ play.

    The bank is CPU time. All puzzles are played, and what comes after an entry's end does not count.

    \b
    wordpl tournament run --bank 5 --seed 42
    """
    from wordpl.cli._play_run import play_run
    from wordpl.cli._progress import ProgressBars
    from wordpl.cli._report import show_report
    from wordpl.contest import Contest
    from wordpl.tournament.tournament_run import run_terms, save_rules

    rules_of_run, config = run_terms(config, rules, cup, bank_s)
    contest = Contest(config, entries, jobs=None if config.is_trusted else jobs)
    save_rules(rules_of_run, contest.open(ProgressBars()).folder)
    played = play_run(contest)
    show_report(played)
    show_standings([played.folder], None, played.folder / "TOURNAMENT.md")


@command.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@rules_option
@click.option("--report", type=A_NEW_FILE, help="Write all as a page (.html) or as Markdown.")
def rank(files: tuple[Path, ...], rules: Path | None, report: Path | None) -> None:
    """Rank the results in FILES: what players have sent, and folders of runs.

    Each file is checked: its signature, its guesses under the rules, and that all have played the same puzzles.

    \b
    wordpl tournament rank ada.json bob.json results/RUN --report cup.html
    """
    show_standings(files, rules, report)


def show_standings(paths: Sequence[Path], rules: Path | None, report: Path | None) -> None:
    """Show the standings of these results and what happened in each round; write them to a file, too."""
    from wordpl import tournament
    from wordpl.cli._console import console as new_console
    from wordpl.reports import plain_table
    from wordpl.reports import tournament as reports
    from wordpl.reports.files import write_page

    ranked = tournament.rank(paths, rules)
    console = new_console()
    for shown in (reports.standings_table(ranked.table, ranked.rules), reports.rounds_table(ranked.results)):
        plain_table.show(shown, console)
        console.print()
    if report:
        make = reports.html_page if report.suffix == ".html" else reports.page
        page = make(ranked.results, ranked.table, ranked.rules, ranked.facts)
        write_page(report, page)
        click.echo(f"The report: {report}")
