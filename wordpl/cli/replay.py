"""`wordpl replay`: find games of a run, and show them move by move."""

from pathlib import Path

import click

from wordpl.cli._arguments import RUN
from wordpl.cli._command import json_option, log_option, max_games_option, own_game_option
from wordpl.cli._output import say, show_result, working
from wordpl.core.messages import UserError, amount


@click.command(name="replay")
@click.argument("folder", metavar="RUN", type=RUN)
@click.argument("number", required=False, type=click.IntRange(0))
@click.option(
    "--entry",
    "names",
    multiple=True,
    metavar="ENTRY",
    help="Only games of this entry. Repeatable, for two side by side.",
)
@click.option("--lost", is_flag=True, help="Only games that were not won.")
@click.option("--faulty", is_flag=True, help="Only games that ended by a fault of the player: a crash, or too late.")
@click.option("--secret", default="", metavar="LETTERS", help="Only games whose secret begins like this.")
@click.option("--full", is_flag=True, help="List all games that are found instead of the first ones.")
@max_games_option
@own_game_option
@json_option
@log_option
def command(
    folder: Path,
    number: int | None,
    names: tuple[str, ...],
    lost: bool,
    faulty: bool,
    secret: str,
    full: bool,
    max_games: int,
    as_json: bool,
) -> None:
    """Find games of RUN, or show the game with this NUMBER move by move.

    Each move is shown with the clue that the entry got, the true one where it can differ, how many answers are left
    after it, what it was worth and the luck of its clue. With NUMBER, two entries stand side by side: by default the
    first two that played this game.

    \b
    wordpl replay results/RUN --lost
    wordpl replay results/RUN --faulty --entry my_bot
    wordpl replay results/RUN --secret crane
    wordpl replay results/RUN 17
    wordpl replay results/RUN 17 --entry my_bot --entry n_guess

    `wordpl evaluate --run RUN --number N` plays a game again, with the output of the entry.
    """
    from wordpl.reports import replay  # pandas and the kernels, which --help does not need
    from wordpl.run.folder import Run

    run = Run(folder, max_games).require_as_sealed()
    entries = replay.chosen_entries(run, names)
    if number is None:
        with working("reading the games"):
            found = list(replay.find_games(run, entries, lost=lost, faulty=faulty, secret=secret.lower()))
        listed = found if full else found[: replay.MAX_LISTED]
        more = "; --full lists all" if len(listed) < len(found) else ""
        sentence = f"{amount(len(found), 'game')}{more}. To see one: wordpl replay {folder} NUMBER"
        values = {"n_found": len(found), "games": replay.list_json(listed)}
        show_result("replay", values, [replay.list_table(listed)] if listed else [], [sentence], as_json=as_json)
        return
    if lost or faulty or secret:
        raise click.UsageError("--lost, --faulty and --secret find games: give them without a NUMBER.")
    with working("computing what each move tells"):
        of_game = [info for info in entries if info.game.id == entries[0].game.id]
        played = [game for info in of_game if (game := replay.ReplayedEntry.find(run, info, number))]
    if not played:
        raise UserError(f"there is no game {number} of these entries in this run.")
    values = {"number": number, "secret": played[0].record.secret, "entries": [game.to_json() for game in played]}
    endings = [game.ending for game in played]
    shown = played if names else played[:2]
    endings += [text for game in shown for text in game.said]
    reviews = [replay.review_parts(game) for game in shown]
    tables = [replay.game_table(shown), *(table for found, _ in reviews for table in found)]
    sentences = [*endings, *(sentence for _, found in reviews for sentence in found)]
    show_result("replay", values, tables, sentences, as_json=as_json)
    if len(shown) < len(played) and not as_json:
        say("To see another entry beside one: --entry ONE --entry OTHER")
