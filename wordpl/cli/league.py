"""`wordpl league`: rank friends by their daily results."""

import click

from wordpl.cli._command import SuggestingGroup
from wordpl.cli._league_hosting import (
    accept,
    answers,
    backup,
    bot,
    copy,
    doctor,
    export,
    forget,
    hide,
    restore,
    schedule,
    settings,
    site,
)
from wordpl.cli._league_input import alias, import_files, merge, show_log, split, undo
from wordpl.cli._league_output import compare, conflicts, crowns, day, leaderboard, stats


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
