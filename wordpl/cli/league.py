"""`wordpl league`: rank friends by their daily results."""

import click

from wordpl.cli._errors import SuggestingGroup
from wordpl.cli._league_choices import accept, answers, export, forget, hide, settings
from wordpl.cli._league_input import alias, import_files, merge, show_log, split, undo
from wordpl.cli._league_operation import backup, bot, copy, restore, schedule
from wordpl.cli._league_output import compare, conflicts, crowns, day, leaderboard, stats
from wordpl.cli._league_site import doctor, site


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Rank friends by their daily Wordle results.

    Results are imported from Discord, WhatsApp, Telegram, share texts or tables.

    \b
    wordpl league import channel.json shares.txt results.csv
    wordpl league leaderboard
    wordpl league stats "Player One"
    """


for subcommand in (import_files, leaderboard, stats, compare, day, crowns, conflicts):
    command.add_command(subcommand)
for subcommand in (settings, answers, accept, forget, export, hide, site, doctor):
    command.add_command(subcommand)
for subcommand in (alias, merge, split, show_log, undo, backup, restore, copy, schedule, bot):
    command.add_command(subcommand)
