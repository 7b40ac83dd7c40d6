"""`wordpl tournament`: tournaments of people or strategies on the same puzzles, with a time bank for each player."""

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import click

from wordpl.cli import _run_options
from wordpl.cli._errors import SuggestingGroup
from wordpl.cli._options import A_FILE, contrast_option, json_option, log_option
from wordpl.cli._run_options import SECONDS
from wordpl.cli._status_line import leave_screen_to_command
from wordpl.cli._values import ENTRY
from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.core.messages import amount
from wordpl.run.config import RunConfig

A_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
A_TIME = click.DateTime(["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"])

rules_option = click.option("--rules", type=A_FILE, help="TOML file of rules. [default: Competitive Wordle 1.0]")


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Play tournaments of people or strategies.

    All players get the same puzzles and a time bank, and score points for few guesses.

    \b
    wordpl tournament new cup.json            the host draws the puzzles and
                                              publishes the commitment
    wordpl tournament play cup.json ada.json  a player plays with the host's file
    wordpl tournament rank ada.json bob.json  the host ranks the players
    wordpl tournament run --cup cup.json      strategies play the same puzzles

    `wordpl docs tournament` describes the rules and what the commitment and the signatures prove.
    """


@command.command()
@click.argument("file", type=A_NEW_FILE)
@rules_option
@click.option("--opens", type=A_TIME, metavar="TIME", help="Start of play in UTC, such as 2026-11-21T18:00.")
@click.option("--closes", type=A_TIME, metavar="TIME", help="End of play in UTC.")
@click.option("--seed", help="Seed of the puzzles; any text. [default: 256 random bits]")
def new(file: Path, rules: Path | None, opens: datetime | None, closes: datetime | None, seed: str | None) -> None:
    """Create a tournament in FILE and print its commitment.

    Publish the commitment before the tournament starts. Keep FILE secret until then: anybody who has it can compute the
    words.

    \b
    wordpl tournament new cup.json --opens 2026-12-01T18:00
    """
    from wordpl.tournament import TournamentFile, load_rules

    starts, ends = (moment and moment.replace(tzinfo=UTC) for moment in (opens, closes))
    cup = TournamentFile.new(load_rules(rules), seed or seeds.new_official_seed(), starts, ends)
    cup.write(file)
    click.echo(f"commitment  {cup.commitment}")
    click.echo(
        f"{amount(cup.rules.rounds, 'puzzle')} of {cup.rules.game}, {cup.rules.bank_minutes:g} minutes for each player."
    )
    click.echo("Publish the commitment now. Send the file to the players when the tournament starts.")
    click.echo(f"They play with\n    wordpl tournament play {shlex.quote(str(file))} NAME.json")


@command.command()
@click.argument("cup", type=A_FILE)
@click.argument("file", type=A_NEW_FILE)
@click.option("--player", metavar="NAME", help="Your name in the standings. [default: the name of FILE]")
@contrast_option
def play(cup: Path, file: Path, player: str | None, contrast: bool) -> None:
    """Play the tournament CUP and save each guess to FILE.

    The clock runs from the first guess of a puzzle until it is solved, and stops between puzzles. You can leave and
    continue with the same command; if you leave during a puzzle, the clock keeps running.

    \b
    wordpl tournament play cup.json ada.json
    """
    from wordpl.terminal.screen import Screen
    from wordpl.terminal.tournament import TournamentGame
    from wordpl.tournament import Scorecard
    from wordpl.tournament.scorecard import read_scorecard
    from wordpl.tournament.tournament_file import read_tournament

    drawn = read_tournament(cup)
    card = read_scorecard(file) if file.exists() else Scorecard(player=player or file.stem, cup=drawn)
    if card.cup.commitment != drawn.commitment:
        raise UserError(f"{file} belongs to another tournament than {cup}; choose another file.")
    if player and player != card.player:
        raise UserError(f"{file} is the result of {card.player!r}, not of {player!r}; choose another file.")
    leave_screen_to_command()
    TournamentGame(card, file, Screen(contrast)).play()


@command.command()
@click.argument("entries", nargs=-1, type=ENTRY)
@rules_option
@click.option("--cup", type=A_FILE, help="Use the rules and puzzles of this tournament.")
@click.option(
    "--total", "bank_s", type=SECONDS, metavar="SECONDS", help="CPU time of each entry. [default: set by the rules]"
)
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
    """Play a tournament with ENTRIES.

    ENTRIES are named as for wordpl evaluate; by default, all strategies in strategies/ play. The time bank is CPU time.
    Entries play all puzzles, but puzzles after the end of an entry's bank do not count.

    \b
    wordpl tournament run --total 5 --seed 42
    """
    from wordpl.cli._progress import ProgressBars, play_run
    from wordpl.cli._report import show_report
    from wordpl.contest import Contest
    from wordpl.tournament.tournament_run import run_terms, save_rules

    rules_of_run, config = run_terms(config, rules, cup, bank_s)
    contest = Contest(config, entries, jobs=None if config.is_trusted else jobs)
    save_rules(rules_of_run, contest.open(ProgressBars()).folder)
    played_run = play_run(contest)
    show_report(played_run)
    show_standings([played_run.folder], None, played_run.folder / "TOURNAMENT.md")


@command.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@rules_option
@click.option(
    "-o",
    "--output",
    "report",
    metavar="FILE",
    type=A_NEW_FILE,
    help="Also write a report to this file, as HTML (.html) or Markdown.",
)
@json_option
def rank(files: tuple[Path, ...], rules: Path | None, report: Path | None, as_json: bool) -> None:
    """Rank the results in FILES.

    FILES are the files of players, and folders of runs. Each file is checked: its signature, its guesses, and whether
    it is for the same puzzles as the others.

    \b
    wordpl tournament rank ada.json bob.json results/RUN -o cup.html
    """
    show_standings(files, rules, report, as_json=as_json)


def show_standings(paths: Sequence[Path], rules: Path | None, report: Path | None, *, as_json: bool = False) -> None:
    """Print the standings and the rounds of these results, and write a report to `report` if given."""
    from wordpl import tournament
    from wordpl.cli._output import new_console, print_json
    from wordpl.reports import tournament as reports
    from wordpl.reports.as_json import parts
    from wordpl.reports.html.document import write_page
    from wordpl.reports.terminal import show_table

    ranked = tournament.rank(paths, rules)
    console = new_console()
    tables = (reports.standings_table(ranked.table, ranked.rules), reports.rounds_table(ranked.results))
    if as_json:
        print_json("tournament-rank", {"tables": parts(tables)})
    for table in () if as_json else tables:
        show_table(table, console)
        console.print()
    if report:
        make = reports.html_page if report.suffix == ".html" else reports.page
        page = make(ranked.results, ranked.table, ranked.rules, ranked.facts)
        write_page(report, page)
        click.echo(f"Report: {report}", err=as_json)
