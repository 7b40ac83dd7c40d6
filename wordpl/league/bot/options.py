"""The bot's commands as Discord shows them, and what was chosen."""

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
CONFLICTS, ALIAS, SCHEDULE = "conflicts", "alias", "schedule"
PLAYERS_COMMANDS = (HELP, LEADERBOARD, PERSONAL, COMPARE, DAY, CROWNS, SEASON)
ADMIN_COMMANDS = (SYNC, CONFLICTS, ALIAS, SCHEDULE)
IN_DIRECT_MESSAGES = (HELP, PERSONAL)
DESCRIPTIONS = {
    HELP: "What I can do",
    LEADERBOARD: "Rank the players of this server",
    PERSONAL: "One player's results: yours, unless you name somebody",
    COMPARE: "Two players on the days that both played",
    DAY: "The results of one puzzle, the newest unless said",
    CROWNS: "Who was how often the best of a day",
    SEASON: "The board of a month, a quarter or a year, this month's unless said",
    SYNC: "Read this channel's whole past, and follow it from then on",
    CONFLICTS: "Reports that contradict the app, and names that nobody has confirmed",
    ALIAS: "Say who a name is, see the aliases, or take one away",
    SCHEDULE: "What I post by myself: set it up, see it, or stop it",
}
_TYPES = {bool: hikari.OptionType.BOOLEAN, int: hikari.OptionType.INTEGER, float: hikari.OptionType.FLOAT}
_TYPES |= {str: hikari.OptionType.STRING, hikari.User: hikari.OptionType.USER}


def builders(rest: hikari.api.RESTClient) -> Sequence[SlashCommandBuilder]:
    """Return the commands, to be made known to Discord."""
    built = []
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
        built.append(command)
    return built


def _options(command: str) -> Sequence[hikari.CommandOption]:
    season = _option("season", str, "Only this part of the calendar: 2026-11, 2026-Q4 or 2026")
    messages = _option("message_limit", int, f"How many messages to read, {DEFAULT_MESSAGES} unless said")
    messages.min_value, messages.max_value = MIN_MESSAGES, MAX_MESSAGES
    found: dict[str, Sequence[hikari.CommandOption]] = {
        SYNC: [messages],
        LEADERBOARD: [*_leaderboard_options(), season],
        PERSONAL: [
            _option("player", hikari.User, "Whose results"),
            _option("name", str, "Whose results, for players who are only known by name"),
        ],
        COMPARE: [
            _option("player", hikari.User, "One of the two, you unless said"),
            _option("other", hikari.User, "The other"),
            _option("name", str, "One of the two, by name"),
            _option("other_name", str, "The other, by name"),
        ],
        DAY: [_option("puzzle", str, "A puzzle's number, a date like 2026-11-22, today or yesterday")],
        CROWNS: [season],
        SEASON: [season, _option("method", str, "How to rank; mean unless said")],
        ALIAS: [
            _option("name", str, "The name, as the app wrote it"),
            _option("player", hikari.User, "Who that is"),
            _option("remove", bool, "Take away what the name stands for"),
        ],
        SCHEDULE: [
            _option("post", str, "Which post", choices=[hikari.CommandChoice(name=one, value=one) for one in KINDS]),
            _option("time", str, "The time of day, like 09:30"),
            _option("zone", str, "The time zone, like Europe/Berlin; UTC unless said"),
            _option("stop", bool, "Post it no more"),
        ],
    }
    return found.get(command, ())


def _leaderboard_options() -> Sequence[hikari.CommandOption]:
    methods = [hikari.CommandChoice(name=name, value=name) for name in RANKINGS]
    cutoff = {"min_value": MIN_CUTOFF, "max_value": MAX_CUTOFF}
    return (
        _option("channel_only", bool, "Count only what was posted in this channel"),
        _option("game_cutoff", int, f"Fewest games to be shown, {DEFAULT_CUTOFF} unless said", **cutoff),
        _option("x_is_seven", bool, "Count an unsolved puzzle as 7 guesses; left out unless said"),
        _option("method", str, "How to rank; mean unless said", choices=methods),
        _option("elo_k", float, "Points that a match of elo is about", min_value=MIN_K, max_value=MAX_K),
        _option("day_adjustment", bool, "Do not hold hard days against those who played them (mean)"),
        _option("bayes_adjustment", bool, "Draw players with few games towards the mean of all (mean)"),
    )


def _option(name: str, type_: type, description: str, **limits: Any) -> hikari.CommandOption:
    return hikari.CommandOption(type=_TYPES[type_], name=name, description=description, is_required=False, **limits)


def chosen(interaction: hikari.CommandInteraction) -> Mapping[str, Any]:
    """Return the options that were given, by name; people as their ids."""
    found = {option.name: option.value for option in interaction.options or ()}
    return {name: str(value) if isinstance(value, hikari.Snowflake) else value for name, value in found.items()}


def help_text(is_admin: bool) -> str:
    """Return what the bot can do."""
    names = (*PLAYERS_COMMANDS, *(ADMIN_COMMANDS if is_admin else ()))
    lines = [f"**/{name}**: {DESCRIPTIONS[name]}." for name in names]
    answer = "My answers are for you alone until you press *Publish*. The app's summary is the fact: a share that"
    return "\n".join(
        [*lines, f"{answer} contradicts it does not count. In a direct message, /personal_stats works too."]
    )
