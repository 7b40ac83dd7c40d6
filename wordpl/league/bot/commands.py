"""Definitions of the bot's slash commands and their options, and the help text."""

from collections.abc import Mapping, Sequence
from typing import Any

import hikari
from hikari.api import SlashCommandBuilder

from wordpl.league.schedules import KINDS
from wordpl.league.settings import DEFAULT_CUTOFF, MAX_CUTOFF, MAX_K, MIN_CUTOFF, MIN_K
from wordpl.stats.rankings import RANKINGS

MIN_MESSAGES, MAX_MESSAGES, DEFAULT_MESSAGES = 100, 50_000, 1000
SYNC, LEADERBOARD, PERSONAL, HELP = "sync", "leaderboard", "personal_stats", "help"
COMPARE, DAY, CROWNS, SEASON = "compare", "day", "crowns", "season"
CONFLICTS, ALIAS, SCHEDULE, SETTINGS, ACCEPT = "conflicts", "alias", "schedule", "settings", "accept"
FORGET, MY_DATA, REMIND_ME = "forget", "my_data", "remind_me"
PLAYERS_COMMANDS = (HELP, LEADERBOARD, PERSONAL, COMPARE, DAY, CROWNS, SEASON, REMIND_ME, MY_DATA, FORGET)
ADMIN_COMMANDS = (SYNC, SETTINGS, CONFLICTS, ACCEPT, ALIAS, SCHEDULE)
IN_DIRECT_MESSAGES = (HELP, PERSONAL)
PRIVATE = (*ADMIN_COMMANDS, HELP, REMIND_ME, MY_DATA, FORGET)
"""The commands whose answers cannot be published."""
ASK_IN_SERVER = "Ask me in a server's channel: results belong to a server."
DESCRIPTIONS = {
    HELP: "Show what I can do",
    LEADERBOARD: "Rank the players of this server",
    PERSONAL: "Show one player's results (default: yours)",
    COMPARE: "Compare two players on the days that both played",
    DAY: "Show the results of one puzzle (default: the newest)",
    CROWNS: "Count the days on which each player had the best result",
    SEASON: "Show the leaderboard of a week, a month, a quarter or a year (default: this month)",
    REMIND_ME: "Be reminded of today's puzzle if you have not played it, or not any more",
    MY_DATA: "Show what I store about you, and choose whether the league's site shows you",
    FORGET: "Delete everything that I store about you",
    SYNC: "Read this channel's history, and follow the channel from then on",
    SETTINGS: "Show or change the time zone, how X counts, and the deadline for shares",
    CONFLICTS: "List reports that do not count: late ones, and those that contradict the app",
    ACCEPT: "Count a late share of a player, or not any more",
    ALIAS: "Set which player a name stands for, list the aliases, or remove one",
    SCHEDULE: "Set up, list or stop my scheduled posts",
}
_TYPES = {bool: hikari.OptionType.BOOLEAN, int: hikari.OptionType.INTEGER, float: hikari.OptionType.FLOAT}
_TYPES |= {str: hikari.OptionType.STRING, hikari.User: hikari.OptionType.USER}


def builders(rest: hikari.api.RESTClient) -> Sequence[SlashCommandBuilder]:
    """Return the commands to register with Discord."""
    command_builders = []
    for name in (*PLAYERS_COMMANDS, *ADMIN_COMMANDS):
        command = rest.slash_command_builder(name, DESCRIPTIONS[name])
        for option in _options(name):
            command.add_option(option)
        contexts = [hikari.ApplicationContextType.GUILD]
        if name in IN_DIRECT_MESSAGES:
            contexts.append(hikari.ApplicationContextType.BOT_DM)
        command.set_context_types(contexts)
        if name in ADMIN_COMMANDS:
            command.set_default_member_permissions(hikari.Permissions.MANAGE_GUILD)
        command_builders.append(command)
    return command_builders


def _options(command: str) -> Sequence[hikari.CommandOption]:
    season = _option("season", str, "2026-W47, 2026-11, 2026-Q4, 2026, last week or last month")
    messages = _option("message_limit", int, f"Maximum number of messages to read (default: {DEFAULT_MESSAGES})")
    messages.min_value, messages.max_value = MIN_MESSAGES, MAX_MESSAGES
    options_of: dict[str, Sequence[hikari.CommandOption]] = {
        SYNC: [messages],
        LEADERBOARD: [*_leaderboard_options(), season],
        PERSONAL: [
            _option("player", hikari.User, "The player"),
            _option("name", str, "The player's name, for players known only by name"),
        ],
        COMPARE: [
            _option("player", hikari.User, "The first player (default: you)"),
            _option("other", hikari.User, "The second player"),
            _option("name", str, "The first player, by name"),
            _option("other_name", str, "The second player, by name"),
        ],
        DAY: [_option("puzzle", str, "A puzzle number, a date like 2026-11-22, today or yesterday")],
        CROWNS: [season],
        SEASON: [season, _option("method", str, "The ranking method (default: mean)")],
        ALIAS: [
            _option("name", str, "The name, as the app wrote it"),
            _option("player", hikari.User, "The player that the name stands for"),
            _option("remove", bool, "Remove the aliases of the name"),
        ],
        SCHEDULE: [
            _option("post", str, "Which post", choices=[hikari.CommandChoice(name=kind, value=kind) for kind in KINDS]),
            _option("time", str, "The time of day, like 09:30"),
            _option("zone", str, "The time zone, like Europe/Berlin (default: the server's)"),
            _option("stop", bool, "Stop this post"),
        ],
        SETTINGS: [
            _option("zone", str, "The server's time zone, like Europe/Berlin: whose days count"),
            _option("x_is_seven", bool, "Count an unsolved puzzle as 7 guesses, or leave it out"),
            _option("deadline_days", int, "How many days after a puzzle's day a share may be posted", min_value=0),
        ],
        ACCEPT: [
            _option("puzzle", str, "The puzzle's number or date"),
            _option("player", hikari.User, "The player"),
            _option("name", str, "The player's name, for players known only by name"),
            _option("undo", bool, "Do not count it after all"),
        ],
        REMIND_ME: [_option("stop", bool, "Stop the reminders")],
        MY_DATA: [_option("site", bool, "Whether the league's site shows you")],
        FORGET: [
            _option("confirm", bool, "True deletes everything at once, for good"),
            _option("undo", bool, "Let me read your results again after you were forgotten"),
        ],
    }
    return options_of.get(command, ())


def _leaderboard_options() -> Sequence[hikari.CommandOption]:
    methods = [hikari.CommandChoice(name=name, value=name) for name in RANKINGS]
    cutoff = {"min_value": MIN_CUTOFF, "max_value": MAX_CUTOFF}
    return (
        _option("channel_only", bool, "Count only results posted in this channel"),
        _option(
            "game_cutoff", int, f"Show only players with at least this many games (default: {DEFAULT_CUTOFF})", **cutoff
        ),
        _option("method", str, "The ranking method (default: mean)", choices=methods),
        _option("elo_k", float, "Points at stake in a match (elo)", min_value=MIN_K, max_value=MAX_K),
        _option("day_adjustment", bool, "Correct for the difficulty of the days each player played (mean)"),
        _option("bayes_adjustment", bool, "Shrink players with few games towards the overall mean (mean)"),
    )


def _option(name: str, type_: type, description: str, **limits: Any) -> hikari.CommandOption:
    return hikari.CommandOption(type=_TYPES[type_], name=name, description=description, is_required=False, **limits)


def chosen(interaction: hikari.CommandInteraction) -> Mapping[str, Any]:
    """Return the values of the given options by name, with people as their ids."""
    option_values = {option.name: option.value for option in interaction.options or ()}
    return {name: str(value) if isinstance(value, hikari.Snowflake) else value for name, value in option_values.items()}


def help_text(is_admin: bool) -> str:
    """Return the bot's help: all commands that the user may use."""
    names = (*PLAYERS_COMMANDS, *(ADMIN_COMMANDS if is_admin else ()))
    lines = [f"**/{name}**: {DESCRIPTIONS[name]}." for name in names]
    notes = (
        "Only you see my answers until you press *Publish*. The app's summary is authoritative: a share that "
        "contradicts it does not count, nor does one after the deadline. In a direct message, /personal_stats works "
        "too. I store your ids, names, results and grids, no messages: /my_data shows them, /forget deletes them."
    )
    return "\n".join([*lines, notes])
