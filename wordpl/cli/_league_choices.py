"""`wordpl league settings`, `answers`, `accept`, `forget`, `export`, `hide`: what a league and its members decide."""

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from wordpl.cli._league_options import league_option, open_store, store_option
from wordpl.cli._output import say
from wordpl.core import words
from wordpl.core.errors import UserError
from wordpl.core.messages import amount

ACTOR = "command line"


@click.command()
@click.option("--zone", help="Time zone of the group, such as Europe/Berlin: whose days count.")
@click.option(
    "--x-is-seven/--x-left-out",
    default=None,
    help="Count an unsolved puzzle as seven guesses everywhere, or leave it out, which rewards giving up.",
)
@click.option(
    "--grace",
    "deadline_days",
    type=click.IntRange(0, 3650),
    metavar="DAYS",
    help="A share counts until the end of this many DAYS after the puzzle's own day.",
)
@league_option
@store_option
def settings(zone: str | None, x_is_seven: bool | None, deadline_days: int | None, key: str, url: str) -> None:
    """Show or change what the league has chosen.

    Everything uses these choices: the leaderboard, statistics, posts and pages. Changing one recomputes all results.

    \b
    wordpl league settings
    wordpl league settings --zone Pacific/Auckland --grace 1
    """
    league = open_store(url).find(key)
    from wordpl.reports.league import settings_lines

    given = (zone, x_is_seven, deadline_days)
    if any(value is not None for value in given):
        league.choose(league.options().updated(*given))
    for line in settings_lines(league.options(), league.resolved()):
        say(line)


@click.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@league_option
@store_option
def answers(file: Path | None, key: str, url: str) -> None:
    """Record the answers of puzzles from FILE, or print those that are recorded.

    Shares do not contain the answer. FILE is a table with the header `date,word` or `number,word`, as one is printed.
    `wordpl words update --from-league` makes word lists of them.

    \b
    wordpl league answers july.csv
    wordpl league answers > all.csv
    """
    from wordpl.lexicon import known_answers

    league = open_store(url).find(key)
    from wordpl.league.puzzles import day_of, number_on

    if file is None:
        days = {day_of(number): word for number, word in league.answers().items()}
        click.echo(known_answers.as_csv(days, "").decode(), nl=False)
        return
    days = dict(known_answers.read(file))
    known_answers.check(days, words.bundled("modern"), datetime.now(UTC).date(), str(file))
    league.record_answers({number_on(day): word for day, word in days.items()})
    say(f"{file}: {amount(len(days), 'answer')} recorded, {len(league.answers()):,} in all.")


@click.command()
@click.argument("player")
@click.argument("puzzle")
@click.option("--undo", is_flag=True, help="Do not count it after all.")
@league_option
@store_option
def accept(player: str, puzzle: str, undo: bool, key: str, url: str) -> None:
    """Count a late share of PLAYER for PUZZLE.

    A share that was posted or edited after the deadline is listed by `wordpl league conflicts` and does not count.
    PUZZLE is a puzzle number or a date.

    \b
    wordpl league accept "Player One" 1567
    """
    league = open_store(url).find(key)
    from wordpl.league.puzzles import parse_puzzle

    number = parse_puzzle(puzzle, datetime.now(UTC), league.options().zone) or 0
    league.accept(player, number, ACTOR, is_accepted=not undo)
    say(f"Puzzle {number:,} of {player!r} {'does not count' if undo else 'counts'}.")


@click.command()
@click.argument("player")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--undo", is_flag=True, help="Let imports and the bot read this name or id again.")
@league_option
@store_option
def forget(player: str, yes: bool, undo: bool, key: str, url: str) -> None:
    """Delete everything that is stored about PLAYER.

    PLAYER is a name or an id. Their results, names, ids, grids, aliases and log entries are deleted, and later imports
    skip them: only a digest remains, by which they are recognized. Backups made earlier still contain them.
    `wordpl league export` shows what is stored.

    \b
    wordpl league forget "Player One"
    """
    league = open_store(url).find(key)
    from wordpl.league.posts import Person

    if undo:
        n = league.remember([Person(player, True), Person(player, False)])
        say(f"{player!r} is read again." if n else f"{player!r} was not forgotten.")
        return
    data = league.stored_data(player)
    names = ", ".join(map(str, [*_listed(data["names"]), *_listed(data["accounts"])]))
    question = f"Delete {amount(len(_listed(data['results'])), 'report')} and the names and ids {names}, for good?"
    if not yes and not click.confirm(question):
        raise UserError("nothing was deleted.")
    n_removed = league.forget(player, datetime.now(UTC))
    say(f"Deleted {amount(n_removed, 'report')} and all names and ids. Later imports skip this person.")


@click.command()
@click.argument("player")
@league_option
@store_option
def export(player: str, key: str, url: str) -> None:
    """Print everything that is stored about PLAYER, as JSON."""
    say(json.dumps(open_store(url).find(key).stored_data(player), ensure_ascii=False, indent=2))


@click.command()
@click.argument("player")
@click.option("--undo", is_flag=True, help="Show the player again.")
@league_option
@store_option
def hide(player: str, undo: bool, key: str, url: str) -> None:
    """Leave PLAYER out of the league's site."""
    league = open_store(url).find(key)
    from wordpl.league.privacy import HIDE

    resolved = league.resolved()
    person = resolved.ids[resolved.find(player, league.names())]
    league.set_choice(person, HIDE, is_on=not undo)
    say(f"{player!r} is {'shown on' if undo else 'left out of'} the site.")


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
