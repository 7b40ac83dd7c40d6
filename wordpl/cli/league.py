"""`wordpl league`: friends' daily results, ranked."""

import click

from wordpl.cli._league_input import alias, import_files
from wordpl.cli._league_output import compare, leaderboard, stats
from wordpl.cli._league_serve import bot


@click.group()
def command() -> None:
    """Rank friends by their daily Wordle results, from Discord, share texts or a table.

    \b
    wordpl league import channel.json shares.txt results.csv
    wordpl league leaderboard
    wordpl league stats "Player One"
    """


for one in (import_files, alias, leaderboard, stats, compare, bot):
    command.add_command(one)
