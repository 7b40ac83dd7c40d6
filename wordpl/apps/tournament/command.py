"""`wordpl tournament`: tournaments of people or strategies on the same puzzles, with time banks for each player."""

import shlex
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any

import click
import msgspec

from wordpl import games
from wordpl.apps.tournament import scoring
from wordpl.cli import _arguments
from wordpl.cli._arguments import ENTRY, SECONDS, answers_option, guesses_option
from wordpl.cli._command import (
    A_FILE,
    DATABASE,
    SuggestingGroup,
    bind_game,
    database_option,
    json_option,
    log_option,
    own_game_option,
)
from wordpl.cli._options import options
from wordpl.cli._output import print_json, say, show_tables
from wordpl.core import words
from wordpl.core.messages import UserError, amount
from wordpl.core.words import WordLists
from wordpl.run.config import RunConfig

A_NEW_FILE = click.Path(dir_okay=False, path_type=Path)
A_TIME = click.DateTime(["%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M", "%Y-%m-%d"])

rules_option = click.option("--rules", type=A_FILE, help="TOML file of rules. [default: Competitive Wordle 1.0]")


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Play tournaments of people or strategies.

    All players get the same puzzles and time banks, and score points for few guesses.

    \b
    wordpl tournament new                     the host creates a tournament and
                                              publishes the commitment
    wordpl serve                              people play it in their browsers
    wordpl tournament run --cup tournament.json
                                              strategies play the same puzzles
    wordpl tournament rank tournament.json results/RUN
                                              ranks people and strategies

    `wordpl docs tournament` describes the rules and what the commitment proves.
    """


@command.command()
@rules_option
@click.option(
    "--game", metavar="GAME", callback=bind_game, help="Game to play; your own: FILE:CLASS. [default: as in the rules]"
)
@answers_option
@guesses_option
@options(scoring.TournamentRules, "rounds", "puzzles", "bank_minutes", "break_minutes")
@click.option("--until-failure", is_flag=True, help="As many puzzles as the bank allows, in place of --puzzles.")
@click.option("--no-break-limit", is_flag=True, help="Breaks as long as one likes, in place of --break.")
@click.option(
    "--invite",
    "invited",
    multiple=True,
    metavar="NAME",
    help="Invite this player, by a personal link; nobody else can join. Repeatable. [default: open until play starts]",
)
@click.option("--opens", type=A_TIME, metavar="TIME", help="Start of play in UTC, such as 2026-11-21T18:00.")
@click.option("--closes", type=A_TIME, metavar="TIME", help="End of play in UTC.")
@database_option
@click.option("--url", default="http://127.0.0.1:8000/", show_default=True, help="Address of wordpl serve.")
def new(
    rules: Path | None,
    game: str | None,
    answers: Path | None,
    guesses: Path | None,
    until_failure: bool,
    no_break_limit: bool,
    invited: tuple[str, ...],
    opens: datetime | None,
    closes: datetime | None,
    database: Path,
    url: str,
    **changed: Any,
) -> None:
    """Create a tournament for people, and print its commitment and its links.

    The words stay on the server: `wordpl serve` with the same database shows them when the tournament has ended. With
    your link, you open, start and end the tournament. With --opens, players can join at once, and play starts at that
    time. Publish the commitment before play starts.

    \b
    wordpl tournament new --rounds 3 --puzzles 5 --bank 10
    """
    from wordpl.apps.tournament import RoomStore, Terms, load_rules

    starts, ends = (moment and moment.replace(tzinfo=UTC) for moment in (opens, closes))
    chosen = msgspec.structs.replace(load_rules(rules, game), **changed)
    if until_failure:
        chosen = msgspec.structs.replace(chosen, puzzles=scoring.MAX_PUZZLES // chosen.rounds)
    if no_break_limit:
        chosen = msgspec.structs.replace(chosen, break_minutes=scoring.NO_LIMIT)
    terms = Terms.new(chosen, starts, ends, words.load(answers, guesses))
    store = RoomStore(database)
    room, token = store.create(terms, time())
    links = store.invite(room, invited, time()) if invited else {}
    store.close()
    say(f"commitment  {terms.commitment(room.seed)}")
    say(
        f"{amount(chosen.rounds, 'round')} of {amount(chosen.puzzles, 'puzzle')} of {chosen.game}, "
        f"{chosen.bank_minutes:g} minutes for each player and round."
    )
    page = f"{url.rstrip('/')}/#/room/{room.id}"
    if links:
        say("Each player has a personal link, which nobody else may have")
        for name, own in links.items():
            say(f"    {name}: {page}/{own}")
    else:
        say(f"Players join at\n    {page}")
    say(f"You open, start and end it with this link, which you keep secret\n    {page}/{token}")
    given: dict[str, object] = {
        "--database": database if database != Path(DATABASE) else None,
        "--game": games.option_of(chosen.game) if terms.game_sha256 else None,
        "--answers": answers,
        "--guesses": guesses,
    }
    served = [f"{name} {shlex.quote(str(value))}" for name, value in given.items() if value]
    say(" ".join(["To serve these pages: wordpl serve", *served]))


@command.command()
@click.argument("room")
@click.option("--player", default="", metavar="NAME", help="Player to strike, or whose result is corrected.")
@click.option("--puzzle", default="", metavar="ROUND.PUZZLE", help="Puzzle to strike, or whose result is corrected.")
@click.option("--points", type=click.FloatRange(0, 1e6), help="Correct the player's puzzle to these points.")
@click.option("--micro", type=click.FloatRange(0, 1e6), default=0.0, help="The micro points with --points.")
@click.option("--reason", required=True, help="Reason, which everybody sees.")
@database_option
def rule(room: str, player: str, puzzle: str, points: float | None, micro: float, reason: str, database: Path) -> None:
    """Strike a player or a puzzle of the tournament ROOM, or correct a result.

    The decision is recorded in the tournament's file, and shown with its reason on its page and by `rank`. Guesses stay
    as they were made, and are still checked. ROOM is the id in the links, after #/room/.

    \b
    wordpl tournament rule ROOM --player Ada --reason "knew the words"
    wordpl tournament rule ROOM --puzzle 1.3 --reason "a word of the news"
    wordpl tournament rule ROOM --player Bob --puzzle 2.1 --points 200 --reason "my server was down"
    """
    from wordpl.apps.tournament import RoomStore, Ruling

    if (points is not None) != bool(player and puzzle) or not (player or puzzle):
        raise UserError("give --player or --puzzle to strike it, or both with --points to correct a result.")
    first, _, second = puzzle.partition(".")
    if puzzle and not (first.isdecimal() and second.isdecimal()):
        raise UserError(f"a puzzle is written ROUND.PUZZLE, such as 1.3, not {puzzle[:20]!r}.")
    kind: scoring.RulingKind = "correct" if points is not None else "strike player" if player else "strike puzzle"
    place = {"round_number": int(first), "number": int(second)} if puzzle else {}
    if not database.exists():
        raise UserError(f"there is no database {database}: name that of wordpl serve with --database.")
    store = RoomStore(database)
    try:
        if (found := store.room(room)) is None:
            raise UserError(f"{database} has no tournament {room[:40]!r}: its id is in its links, after #/room/.")
        ruling = Ruling(
            kind=kind, reason=reason, time_s=time(), player=player, points=points or 0.0, micro=micro, **place
        )
        store.rule(found, ruling)
    finally:
        store.close()
    say(f"Recorded: {ruling.in_words}.")


@command.command()
@click.argument("entries", nargs=-1, type=ENTRY)
@rules_option
@click.option("--cup", type=A_FILE, help="Use the rules and puzzles of this finished tournament.")
@click.option(
    "--total", "bank_s", type=SECONDS, metavar="SECONDS", help="CPU time of each entry. [default: set by the rules]"
)
@_arguments.run_options("seed", "memory_mb", "level", "results", "player")
@_arguments.jobs_option
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
    from wordpl.apps.tournament.tournament_file import run_terms, save_rules
    from wordpl.cli._report import show_report, write_report
    from wordpl.cli._run_progress import ProgressBars, play_run
    from wordpl.contest import Contest

    rules_of_run, config = run_terms(config, rules, cup, bank_s)
    contest = Contest(config, entries, jobs=None if config.is_trusted else jobs)
    save_rules(rules_of_run, contest.open(ProgressBars()).folder)
    played_run = play_run(contest)
    show_report(write_report(played_run))
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
@own_game_option
@answers_option
@guesses_option
@json_option
def rank(
    files: tuple[Path, ...],
    rules: Path | None,
    report: Path | None,
    answers: Path | None,
    guesses: Path | None,
    as_json: bool,
) -> None:
    """Rank the results in FILES.

    FILES are folders of runs, and the file of a finished tournament, which its page offers. The file is checked: its
    commitment, each guess and its time, and whether it has the same puzzles as the runs.

    \b
    wordpl tournament rank tournament.json results/RUN -o cup.html
    """
    lists = words.load(answers, guesses) if answers or guesses else None
    show_standings(files, rules, report, lists, as_json=as_json)


def show_standings(
    paths: Sequence[Path],
    rules: Path | None,
    report: Path | None,
    lists: WordLists | None = None,
    *,
    as_json: bool = False,
) -> None:
    """Print the standings and the rounds of these results, and write a report to `report` if given."""
    from wordpl.apps import tournament
    from wordpl.apps.tournament import report as reports
    from wordpl.reports.as_json import parts
    from wordpl.reports.html.document import write_page

    ranked = tournament.rank(paths, rules, lists)
    tables = reports.tables_of(ranked)
    if as_json:
        print_json("tournament-rank", {"tables": parts(tables)})
    else:
        show_tables(tables, spaced=True)
    if report:
        make = reports.html_page if report.suffix == ".html" else reports.page
        write_page(report, make(ranked))
        click.echo(f"Report: {report}", err=as_json)
