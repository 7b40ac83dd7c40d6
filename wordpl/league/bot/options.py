"""The bot's commands as Discord shows them, and what was chosen."""

from collections.abc import Mapping, Sequence
from typing import Any

import hikari
from hikari.api import SlashCommandBuilder

from wordpl.league.settings import FEWEST_GAMES, LARGEST_K, SMALLEST_K, LeaderboardSettings
from wordpl.stats.rankings import RANKINGS

FEWEST_MESSAGES, MOST_MESSAGES, MESSAGES = 100, 50_000, 1000
SYNC, LEADERBOARD, PERSONAL = "sync", "leaderboard", "personal_stats"
_TYPES = {bool: hikari.OptionType.BOOLEAN, int: hikari.OptionType.INTEGER, float: hikari.OptionType.FLOAT}
_TYPES |= {str: hikari.OptionType.STRING, hikari.User: hikari.OptionType.USER}


def builders(rest: hikari.api.RESTClient) -> Sequence[SlashCommandBuilder]:
    """Return the three commands, to be made known to Discord."""
    messages = _option(
        "message_limit",
        int,
        f"How many messages to read, {MESSAGES} unless said",
        min_value=FEWEST_MESSAGES,
        max_value=MOST_MESSAGES,
    )
    sync = rest.slash_command_builder(SYNC, "Read this channel's results, new ones first").add_option(messages)
    sync.set_default_member_permissions(hikari.Permissions.MANAGE_GUILD)
    board = rest.slash_command_builder(LEADERBOARD, "Rank the players of this server")
    for option in _leaderboard_options():
        board.add_option(option)
    personal = rest.slash_command_builder(PERSONAL, "One player's results: yours, unless you name somebody")
    personal.add_option(_option("player", hikari.User, "Whose results"))
    personal.add_option(_option("name", str, "Whose results, for players who are only known by name"))
    commands = (sync, board, personal)
    for command in commands:
        command.set_context_types([hikari.ApplicationContextType.GUILD])
    return commands


def _leaderboard_options() -> Sequence[hikari.CommandOption]:
    methods = [hikari.CommandChoice(name=name, value=name) for name in RANKINGS]
    return (
        _option("channel_only", bool, "Count only what was posted in this channel"),
        _option("game_cutoff", int, f"Fewest games to be shown, {FEWEST_GAMES} unless said", min_value=1),
        _option("x_is_seven", bool, "Count an unsolved puzzle as 7 guesses; left out unless said"),
        _option("method", str, "How to rank; mean unless said", choices=methods),
        _option("elo_k", float, "Points that a match of elo is about", min_value=SMALLEST_K, max_value=LARGEST_K),
        _option("day_adjustment", bool, "Do not hold hard days against those who played them (mean)"),
        _option("bayes_adjustment", bool, "Draw players with few games towards the mean of all (mean)"),
    )


def _option(name: str, type_: type, description: str, **limits: Any) -> hikari.CommandOption:
    return hikari.CommandOption(type=_TYPES[type_], name=name, description=description, is_required=False, **limits)


def chosen(interaction: hikari.CommandInteraction) -> Mapping[str, Any]:
    """Return the options that were given, by name."""
    return {option.name: option.value for option in interaction.options or ()}


def settings_of(options: Mapping[str, Any]) -> LeaderboardSettings:
    """Return the settings of a leaderboard."""
    return LeaderboardSettings(**{name: value for name, value in options.items() if name != "channel_only"})
