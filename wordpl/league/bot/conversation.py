"""The bot's slash commands, from Discord's interaction to the reply: their options, handlers, buttons and pages."""

import asyncio
import json
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode

import hikari
from hikari.api import SlashCommandBuilder

from wordpl.core.messages import UserError, amount
from wordpl.league import alias_log, schedules
from wordpl.league.bot import replies
from wordpl.league.bot.follower import ChannelReader, Follower, ReadCount
from wordpl.league.bot.replies import MAX_TEXT, BotReply
from wordpl.league.player_names import Alias
from wordpl.league.posts import Person
from wordpl.league.privacy import HIDE, REMIND
from wordpl.league.puzzles import LAST_NUMBER, parse_puzzle
from wordpl.league.resolve import ResolvedLeague
from wordpl.league.sources import PictureReader
from wordpl.league.statistics import DEFAULT_CUTOFF, MAX_CUTOFF, MAX_K, MIN_CUTOFF, MIN_K
from wordpl.league.store import League, LeagueStore
from wordpl.reports import league as tables
from wordpl.stats.rankings import RANKINGS

MIN_MESSAGES, MAX_MESSAGES, DEFAULT_MESSAGES = 100, 50_000, 1000
HELP, PERSONAL, COMPARE, FORGET, SYNC = "help", "personal_stats", "compare", "forget", "sync"
IN_DIRECT_MESSAGES = (HELP, PERSONAL)
ASK_IN_SERVER = "Ask me in a server's channel: results belong to a server."


@dataclass(frozen=True)
class BotRequest:
    """A command as a user sent it.

    Attributes:
        command: The name of the command.
        options: The values of its options by name.
        guild: The id of the server; None in a direct message.
        channel: The id of the channel.
        user: The id of the user.
        is_admin: Whether the user may manage the server.
        page: Which page of the reply is wanted, from 0.
        now: When the command was sent, which determines today's puzzle.
        names: The names of the user.
    """

    command: str
    options: Mapping[str, Any]
    guild: str | None
    channel: str
    user: str
    is_admin: bool = False
    page: int = 0
    now: datetime = field(default_factory=lambda: datetime.now(UTC))
    names: tuple[str, ...] = ()


Answer = Callable[[League, BotRequest], BotReply]


def _refuse(league: League, request: BotRequest) -> BotReply:
    raise UserError(f"I have no command called {request.command[:40]!r}: /help lists all of them.")


@dataclass(frozen=True)
class BotCommand:
    """A slash command.

    Attributes:
        description: What it does, for Discord and the help.
        options: Its options.
        is_admin: Whether only people who may manage the server can use it.
        is_private: Whether its replies cannot be published.
        answer: Returns the reply from the store; /help and /sync do without.
    """

    description: str
    options: tuple[hikari.CommandOption, ...] = ()
    is_admin: bool = False
    is_private: bool = False
    answer: Answer = _refuse


COMMANDS = {HELP: BotCommand("Show what I can do", is_private=True)}
"""The commands by name, in the order of the help; those that answer from the store follow below."""
_TYPES = {bool: hikari.OptionType.BOOLEAN, int: hikari.OptionType.INTEGER, float: hikari.OptionType.FLOAT}
_TYPES |= {str: hikari.OptionType.STRING, hikari.User: hikari.OptionType.USER}


def _option(name: str, type_: type, description: str, **limits: Any) -> hikari.CommandOption:
    return hikari.CommandOption(type=_TYPES[type_], name=name, description=description, is_required=False, **limits)


def _choices(values: Iterable[str]) -> list[hikari.CommandChoice]:
    return [hikari.CommandChoice(name=value, value=value) for value in values]


def _command(
    name: str, description: str, *options: hikari.CommandOption, is_admin: bool = False, is_private: bool = False
) -> Callable[[Answer], Answer]:
    """Return a decorator which makes a function the answer to a command."""

    def register(answer: Answer) -> Answer:
        COMMANDS[name] = BotCommand(description, options, is_admin, is_private or is_admin, answer)
        return answer

    return register


_PLAYER = _option("player", hikari.User, "The player")
_NAME = _option("name", str, "The player's name, for players known only by name")
_SEASON = _option("season", str, "2026-W47, 2026-11, 2026-Q4, 2026, last week or last month")


@_command(
    "leaderboard",
    "Rank the players of this server",
    _option("channel_only", bool, "Count only results posted in this channel"),
    _option(
        "game_cutoff",
        int,
        f"Show only players with at least this many games (default: {DEFAULT_CUTOFF})",
        min_value=MIN_CUTOFF,
        max_value=MAX_CUTOFF,
    ),
    _option("method", str, "The ranking method (default: mean)", choices=_choices(RANKINGS)),
    _option("elo_k", float, "Points at stake in a match (elo)", min_value=MIN_K, max_value=MAX_K),
    _option("day_adjustment", bool, "Correct for the difficulty of the days each player played (mean)"),
    _option("bayes_adjustment", bool, "Shrink players with few games towards the overall mean (mean)"),
    _SEASON,
)
def _leaderboard(league: League, request: BotRequest) -> BotReply:
    settings = {name: value for name, value in request.options.items() if name != "channel_only"}
    channel = request.channel if request.options.get("channel_only") else None
    return replies.leaderboard(_results(league, channel), settings, request.page)


@_command(PERSONAL, "Show one player's results (default: yours)", _PLAYER, _NAME)
def _personal(league: League, request: BotRequest) -> BotReply:
    results = _results(league)
    player = request.options.get("name") or request.options.get("player") or request.user
    return replies.one_player(results, _find(results, league, request, player))


def _find(results: ResolvedLeague, league: League, request: BotRequest, text: str) -> str:
    """Return the player with this name or id; explain in words why a member has no results."""
    if text.isdigit() and text not in {person.key for person in results.ids.values()}:
        who = "You have" if text == request.user else f"{league.names().shown_name(text)} has"
        raise UserError(f"{who} no results here yet. If they are counted for a name, an admin can use /alias.")
    return results.find(text, league.names())


@_command(
    COMPARE,
    "Compare two players on the days that both played",
    _option("player", hikari.User, "The first player (default: you)"),
    _option("other", hikari.User, "The second player"),
    _option("name", str, "The first player, by name"),
    _option("other_name", str, "The second player, by name"),
)
def _compare(league: League, request: BotRequest) -> BotReply:
    results = _results(league)
    players = [request.options[key] for key in ("player", "name", "other", "other_name") if request.options.get(key)]
    if not 1 <= len(players) <= 2:
        raise UserError("Name one player to compare yourself with, or name two players.")
    first, second = players if len(players) == 2 else (request.user, players[0])
    found = (_find(results, league, request, player) for player in (first, second))
    return replies.two_players(results, *found)


@_command(
    "day",
    "Show the results of one puzzle (default: the newest)",
    _option("puzzle", str, "A puzzle number, a date like 2026-11-22, today or yesterday"),
)
def _day(league: League, request: BotRequest) -> BotReply:
    number = parse_puzzle(request.options.get("puzzle"), request.now, league.options().zone)
    return replies.one_day(_results(league), number, request.page)


@_command("crowns", "Count the days on which each player had the best result", _SEASON)
def _crowns(league: League, request: BotRequest) -> BotReply:
    return replies.crowns(_results(league), request.options.get("season"), request.page)


@_command(
    "season",
    "Show the leaderboard of a week, a month, a quarter or a year (default: this month)",
    _SEASON,
    _option("method", str, "The ranking method (default: mean)"),
)
def _season(league: League, request: BotRequest) -> BotReply:
    settings = {"season": f"{request.now:%Y-%m}", "game_cutoff": 1, **request.options}
    return replies.leaderboard(_results(league), settings, request.page)


@_command(
    "remind_me",
    "Be reminded of today's puzzle if you have not played it, or not any more",
    _option("stop", bool, "Stop the reminders"),
    is_private=True,
)
def _remind_me(league: League, request: BotRequest) -> BotReply:
    is_on = not request.options.get("stop")
    league.set_choice(Person(request.user, True), REMIND, is_on)
    if not is_on:
        return BotReply("I will not remind you any more.")
    reminders = [schedule for schedule in schedules.read_schedules(league) if schedule.kind == schedules.REMINDER]
    when = f"at {reminders[0].time}, {reminders[0].zone}" if reminders else "once an admin schedules the reminder"
    return BotReply(f"I will mention you {when}, on days on which you have not played.")


@_command(
    "my_data",
    "Show what I store about you, and choose whether the league's site shows you",
    _option("site", bool, "Whether the league's site shows you"),
    is_private=True,
)
def _my_data(league: League, request: BotRequest) -> BotReply:
    if "site" in request.options:
        league.set_choice(Person(request.user, True), HIDE, not request.options["site"])
    data = league.stored_data(request.user)
    hidden = "does not show you" if HIDE in str(data["choices"]) else "may show you"
    text = f"Attached is everything that I store about you in this server. The league's site {hidden}."
    return BotReply(text, document=json.dumps(data, ensure_ascii=False, indent=2).encode())


@_command(
    FORGET,
    "Delete everything that I store about you",
    _option("confirm", bool, "True deletes everything at once, for good"),
    _option("undo", bool, "Let me read your results again after you were forgotten"),
    is_private=True,
)
def _forget(league: League, request: BotRequest) -> BotReply:
    if request.options.get("undo"):
        n = league.remember([Person(request.user, True), *(Person(name, False) for name in request.names)])
        return BotReply("I will read your results again." if n else "You were not forgotten.")
    if not request.options.get("confirm"):
        raise UserError(
            "This deletes your results, names, ids, grids and settings for good, and I will not read them again. "
            "To do so, use `/forget confirm:True`. `/my_data` shows what I store."
        )
    n_removed = league.forget(request.user, request.now)
    return BotReply(f"Deleted {amount(n_removed, 'report')} and all names and ids of yours.")


COMMANDS[SYNC] = BotCommand(
    "Read this channel's history, and follow the channel from then on",
    (
        _option(
            "message_limit",
            int,
            f"Maximum number of messages to read (default: {DEFAULT_MESSAGES})",
            min_value=MIN_MESSAGES,
            max_value=MAX_MESSAGES,
        ),
    ),
    is_admin=True,
    is_private=True,
)


@_command(
    "settings",
    "Show or change the time zone, how X counts, and the deadline for shares",
    _option("zone", str, "The server's time zone, like Europe/Berlin: whose days count"),
    _option("x_is_seven", bool, "Count an unsolved puzzle as 7 guesses, or leave it out"),
    _option("deadline_days", int, "How many days after a puzzle's day a share may be posted", min_value=0),
    is_admin=True,
)
def _settings(league: League, request: BotRequest) -> BotReply:
    given = [request.options.get(name) for name in ("zone", "x_is_seven", "deadline_days")]
    if any(value is not None for value in given):
        league.choose(league.options().updated(*given))
    return BotReply("\n".join(tables.settings_lines(league.options(), league.resolved()))[:MAX_TEXT])


@_command("conflicts", "List reports that do not count: late ones, and those that contradict the app", is_admin=True)
def _conflicts(league: League, request: BotRequest) -> BotReply:
    return replies.conflicts(_results(league), league.names(), request.page)


@_command(
    "accept",
    "Count a late share of a player, or not any more",
    _option("puzzle", str, "The puzzle's number or date"),
    _PLAYER,
    _NAME,
    _option("undo", bool, "Do not count it after all"),
    is_admin=True,
)
def _accept(league: League, request: BotRequest) -> BotReply:
    player = request.options.get("name") or request.options.get("player")
    number = parse_puzzle(request.options.get("puzzle"), request.now, league.options().zone)
    if not player or number is None:
        raise UserError("Give the puzzle, and the player or the name.")
    is_accepted = not request.options.get("undo")
    league.accept(player, number, request.user, is_accepted)
    return BotReply(f"This share of puzzle {number:,} {'counts' if is_accepted else 'does not count'}.")


@_command(
    "alias",
    "Set which player a name stands for, list the aliases, or remove one",
    _option("name", str, "The name, as the app wrote it"),
    _option("player", hikari.User, "The player that the name stands for"),
    _option("remove", bool, "Remove the aliases of the name"),
    is_admin=True,
)
def _alias(league: League, request: BotRequest) -> BotReply:
    name, player = request.options.get("name"), request.options.get("player")
    outcome = ""
    if name and request.options.get("remove"):
        n = alias_log.remove_aliases(league, name, request.user)
        outcome = f"Removed {amount(n, 'alias', 'aliases')} of {name!r}."
    elif name and player:
        number = alias_log.add_alias(league, Alias(name, player, 0, LAST_NUMBER), request.user)
        outcome = f"{name!r} now stands for that player (change {number})."
    elif name or player:
        raise UserError("Give both the name and the player, or the name and remove.")
    results = league.resolved()
    table = tables.unconfirmed_table(results.unconfirmed, league.names())
    aliases = (
        ", ".join(f"{alias.name} is {league.names().shown_name(alias.player)}" for alias in league.aliases()) or "none"
    )
    return BotReply("\n".join(filter(None, [outcome, f"Aliases: {aliases}.", replies.as_text([table])]))[:MAX_TEXT])


@_command(
    "schedule",
    "Set up, list or stop my scheduled posts",
    _option("post", str, "Which post", choices=_choices(schedules.KINDS)),
    _option("time", str, "The time of day, like 09:30"),
    _option("zone", str, "The time zone, like Europe/Berlin (default: the server's)"),
    _option("stop", bool, "Stop this post"),
    is_admin=True,
)
def _schedule(league: League, request: BotRequest) -> BotReply:
    kind, time = request.options.get("post"), request.options.get("time")
    outcome = ""
    if kind and request.options.get("stop"):
        was_scheduled = schedules.stop_schedule(league, kind)
        outcome = f"The {kind} post is stopped." if was_scheduled else f"The {kind} post was not scheduled."
    elif kind and time:
        zone = request.options.get("zone") or league.options().zone or "UTC"
        schedule = schedules.make_schedule(kind, request.channel, time, zone, request.now)
        schedules.set_schedule(league, schedule)
        outcome = f"I will send the {kind} post here at {schedule.time}, {schedule.zone}."
    elif kind or time:
        raise UserError("Give both the post and the time, or the post and stop.")
    announcements, missed_posts = schedules.read_announcements(league), schedules.missed_posts(league, request.now)
    schedule_table = tables.schedule_table(schedules.read_schedules(league), announcements, missed_posts)
    return BotReply("\n".join(filter(None, [outcome, replies.as_text([schedule_table])]))[:MAX_TEXT])


def _results(league: League, channel: str | None = None) -> ResolvedLeague:
    results = league.resolved(channel)
    if results.results.empty:
        scope = "of this channel" if channel else "of this server"
        raise UserError(f"There are no results {scope} yet. Run `/sync` in the channel with the summaries.")
    return results


def _command_of(request: BotRequest) -> BotCommand:
    return COMMANDS.get(request.command, BotCommand(""))


def builders(rest: hikari.api.RESTClient) -> Sequence[SlashCommandBuilder]:
    """Return the commands to register with Discord."""
    command_builders = []
    for name, command in COMMANDS.items():
        builder = rest.slash_command_builder(name, command.description)
        for option in command.options:
            builder.add_option(option)
        contexts = [hikari.ApplicationContextType.GUILD]
        if name in IN_DIRECT_MESSAGES:
            contexts.append(hikari.ApplicationContextType.BOT_DM)
        builder.set_context_types(contexts)
        if command.is_admin:
            builder.set_default_member_permissions(hikari.Permissions.MANAGE_GUILD)
        command_builders.append(builder)
    return command_builders


def help_text(is_admin: bool) -> str:
    """Return the bot's help: all commands that the user may use."""
    shown = {name: command for name, command in COMMANDS.items() if is_admin or not command.is_admin}
    lines = [f"**/{name}**: {command.description}." for name, command in shown.items()]
    notes = (
        "Only you see my answers until you press *Publish*. The app's summary is authoritative: a share that "
        "contradicts it does not count, nor does one after the deadline. In a direct message, /personal_stats works "
        "too. I store your ids, names, results and grids, no messages: /my_data shows them, /forget deletes them."
    )
    return "\n".join([*lines, notes])


PAGE, PUBLISH = "page", "publish"
MAX_CUSTOM_ID = 100
_OPTION_TYPES = {"b": bool, "i": int, "f": float, "s": str}
_TYPE_LETTERS = {kind: letter for letter, kind in _OPTION_TYPES.items()}


def custom_id(verb: str, request: BotRequest) -> str:
    """Return the custom id of a button, which encodes its verb and its request.

    >>> custom_id(PAGE, BotRequest("leaderboard", {"x_is_seven": True}, "1", "2", "3", page=4))
    'page|leaderboard|4|x_is_seven=b1'
    """
    options = {name: f"{_TYPE_LETTERS[type(value)]}{_option_text(value)}" for name, value in request.options.items()}
    return f"{verb}|{request.command}|{request.page}|{urlencode(options)}"


def _option_text(value: object) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def read_custom_id(text: str) -> tuple[str, str, int, Mapping[str, Any]] | None:
    """Return the verb, command, page and options encoded in a custom id, or None if it has another format.

    >>> read_custom_id("page|leaderboard|4|x_is_seven=b1")
    ('page', 'leaderboard', 4, {'x_is_seven': True})
    """
    parts = text.split("|", 3)
    if len(parts) != 4 or parts[0] not in (PAGE, PUBLISH) or not parts[2].isdigit():
        return None
    try:
        pairs = ((name, value[:1], value[1:]) for name, value in parse_qsl(parts[3]))
        options = {name: value == "1" if kind == "b" else _OPTION_TYPES[kind](value) for name, kind, value in pairs}
    except (KeyError, ValueError):
        return None
    return parts[0], parts[1], int(parts[2]), options


def buttons(rest: hikari.api.RESTClient, request: BotRequest, reply: BotReply) -> list[hikari.api.ComponentBuilder]:
    """Return the row of buttons below a reply: previous and next page if there are any, and Publish."""
    candidates = [
        ("‹ Before", PAGE, reply.page - 1),
        ("More ›", PAGE, reply.page + 1),
        ("Publish", PUBLISH, reply.page),
    ]
    row = rest.build_message_action_row()
    n_buttons = 0
    for label, verb, page in candidates:
        is_possible = 0 <= page < reply.n_pages and (verb == PAGE or request.guild is not None)
        id = custom_id(verb, replace(request, page=max(0, page)))
        if is_possible and len(id) <= MAX_CUSTOM_ID:
            row.add_interactive_button(hikari.ButtonStyle.SECONDARY, id, label=label)
            n_buttons += 1
    return [row] if n_buttons else []


PROGRESS_EVERY_S = 5.0
MAX_KEPT = 200
"""How many replies are kept."""
WORKING_AFTER_S = 2.5
"""How long a user waits for a reply or for a message that it is still being worked on, in seconds."""
ANSWER_S = 13 * 60
"""The time limit for a reply; Discord accepts it for 15 minutes."""
Builder = hikari.api.InteractionMessageBuilder | hikari.api.InteractionDeferredBuilder
Interaction = hikari.CommandInteraction | hikari.ComponentInteraction
_LOGGER = logging.getLogger(__name__)
NEEDED_PERMISSIONS = {
    hikari.Permissions.VIEW_CHANNEL: "View Channel",
    hikari.Permissions.READ_MESSAGE_HISTORY: "Read Message History",
}
_GRANT_HINT = "Grant my role these permissions under Edit Channel > Permissions, then run /sync again."
_RESUME_HINT = "What I have read so far is saved: run /sync again to continue."


class InteractionHandler:
    """Replies to commands and buttons, to one at a time for each server, and keeps replies until the league changes."""

    def __init__(self, store: LeagueStore, read_picture: PictureReader, follower: Follower):
        self._store, self._read_picture, self._follower = store, read_picture, follower
        self._locks: dict[str | None, asyncio.Lock] = {}
        self._kept: OrderedDict[tuple[object, ...], BotReply] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._reading: set[hikari.Snowflake] = set()

    async def on_command(self, interaction: hikari.CommandInteraction) -> Builder:
        """Return a deferred response, as Discord waits only three seconds, and work on the reply in the background."""
        if interaction.guild_id is None and interaction.command_name not in (HELP, PERSONAL):
            return interaction.build_response().set_content(ASK_IN_SERVER).set_flags(hikari.MessageFlag.EPHEMERAL)
        self._start(self._command(interaction))
        return interaction.build_deferred_response().set_flags(hikari.MessageFlag.EPHEMERAL)

    async def on_button(self, interaction: hikari.ComponentInteraction) -> Builder:
        """Show another page of a reply, or publish the reply."""
        button_press = read_custom_id(interaction.custom_id)
        if button_press is None:
            text = "This button belongs to another version of the bot: please run the command again."
            response = interaction.build_response(hikari.ResponseType.MESSAGE_CREATE).set_content(text)
            return response.set_flags(hikari.MessageFlag.EPHEMERAL)
        verb, command, page, options = button_press
        request = _bot_request(interaction, command, options, page)
        self._start(self._reply(interaction, request, is_public=verb == PUBLISH))
        if verb == PUBLISH:
            return interaction.build_deferred_response(hikari.ResponseType.DEFERRED_MESSAGE_CREATE)
        return interaction.build_deferred_response(hikari.ResponseType.DEFERRED_MESSAGE_UPDATE)

    async def close(self) -> None:
        """Cancel the replies in progress; what `/sync` has read so far is saved."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _command(self, interaction: hikari.CommandInteraction) -> None:
        values = {option.name: option.value for option in interaction.options or ()}
        options = {name: str(value) if isinstance(value, hikari.Snowflake) else value for name, value in values.items()}
        request = _bot_request(interaction, interaction.command_name, options)
        if request.command == SYNC:
            await _say(interaction, await self._reply_or_error(interaction, self._sync(interaction, request)))
        else:
            if request.command == PERSONAL and not request.options:
                request = replace(request, options={"player": request.user})
            await self._reply(interaction, request)

    async def _reply(self, interaction: Interaction, request: BotRequest, is_public: bool = False) -> None:
        work = asyncio.create_task(self._reply_or_error(interaction, self._answer(request)))
        began = time.monotonic()
        while not (await asyncio.wait([work], timeout=WORKING_AFTER_S))[0]:
            took = time.monotonic() - began
            await _say(interaction, BotReply(f"Still working on /{request.command}, for {took:.0f} s so far …"))
        reply = work.result()
        button_rows = [] if is_public else buttons(interaction.app.rest, request, reply)
        keeps_buttons = reply.is_answer and not _command_of(request).is_private
        await _say(interaction, reply, button_rows if keeps_buttons or reply.n_pages > 1 else [])

    async def _answer(self, request: BotRequest) -> BotReply:
        """Return the reply to a request. Raises UserError if the request cannot be answered."""
        if request.command == HELP:
            return BotReply(help_text(request.is_admin))
        note = "" if request.command == FORGET or request.page else await self._refresh(request)
        if _command_of(request).is_admin and not request.is_admin:
            raise UserError("You need the permission Manage Server for this command.")
        async with self._locks.setdefault(request.guild, asyncio.Lock()):
            answer = self._in_direct_message if request.guild is None else self._from_store
            reply = await asyncio.to_thread(answer, request)
        return replace(reply, text=f"{reply.text}\n{note}"[:MAX_TEXT]) if note else reply

    def _from_store(self, request: BotRequest) -> BotReply:
        league, command = self._store.league(request.guild or ""), _command_of(request)
        if command.is_private:
            return command.answer(league, request)
        options = tuple(sorted(request.options.items()))
        user = request.user if request.command == COMPARE else ""
        asked = (request.command, options, request.page, request.channel, user, request.now.date())
        place = (league.id, league.changes(), *asked)
        reply = self._kept.get(place)
        if reply is None:
            reply = self._kept[place] = command.answer(league, request)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        return reply

    def _in_direct_message(self, request: BotRequest) -> BotReply:
        """Return the user's own results, one page per server in which they play."""
        if request.command != PERSONAL:
            raise UserError(ASK_IN_SERVER)
        if request.options.keys() & {"player", "name"} and request.options.get("player") != request.user:
            raise UserError("In a direct message I show only your own results.")
        titled_replies = []
        for key, name in self._store.leagues().items():
            league = self._store.find(key)
            results = league.resolved()
            player = next((label for label, person in results.ids.items() if person.key == request.user), "")
            if player in set(results.results["player"]):
                titled_replies.append((name, replies.one_player(results, player)))
        if not titled_replies:
            raise UserError("I have no results of yours yet. They come from the servers in which you play.")
        page = min(request.page, len(titled_replies) - 1)
        name, reply = titled_replies[page]
        text = f"{reply.text}\n{name}"[:MAX_TEXT]
        return BotReply(text, reply.picture, page, len(titled_replies))

    async def _refresh(self, request: BotRequest) -> str:
        """Read new messages of the server, or of all the user's servers in a direct message; return any warnings."""
        if request.guild is None:
            keys = await asyncio.to_thread(self._store.servers_of, request.user)
        else:
            keys = [request.guild]
        leagues = [await asyncio.to_thread(self._store.league, key) for key in keys]
        return " ".join({note for note in await asyncio.gather(*map(self._follower.refresh, leagues)) if note})

    async def _reply_or_error(self, interaction: Interaction, work: Coroutine[Any, Any, BotReply]) -> BotReply:
        try:
            return await work
        except UserError as error:
            return BotReply(error.message, is_answer=False)
        except hikari.HikariError as error:
            return BotReply(describe_error(error), is_answer=False)
        except Exception:
            _LOGGER.exception("answering interaction %s failed", interaction.id)
            return BotReply("Something went wrong; the bot's log has the details.", is_answer=False)

    async def _sync(self, interaction: hikari.CommandInteraction, request: BotRequest) -> BotReply:
        if not request.is_admin:
            raise UserError("You need the permission Manage Server for this command.")
        if lacking := missing_permissions(interaction):
            return BotReply(lacking)
        if interaction.channel_id in self._reading:
            return BotReply("I am already reading this channel.")
        league = await asyncio.to_thread(self._store.league, str(interaction.guild_id))
        self._reading.add(interaction.channel_id)
        try:
            await self._follower.read_members(league)
            progress = _SyncProgress(interaction)
            reader = ChannelReader(
                interaction.app.rest, league, interaction.channel_id, self._read_picture, progress.report
            )
            count = await reader.read(request.options.get("message_limit", DEFAULT_MESSAGES))
        finally:
            self._reading.discard(interaction.channel_id)
        results = await asyncio.to_thread(league.resolved)
        zone = results.options.zone
        unset = (
            f"Choose the server's time zone: `/settings zone:{results.zone or 'Europe/Berlin'}`." if not zone else ""
        )
        sentences = [
            _summary(count),
            progress.ended,
            explain_blank_messages(count),
            f"The league has {amount(len(results.results), 'result')}.",
            results.warning or unset,
        ]
        return BotReply(" ".join(filter(None, sentences)) + _unread(count))


class _SyncProgress:
    """Shows the progress of `/sync`, and ends it while Discord still accepts a reply.

    Attributes:
        ended: Why reading was ended, "" if it was not.
    """

    def __init__(self, interaction: hikari.CommandInteraction):
        self._interaction = interaction
        self._started = self._reported = time.monotonic()
        self.ended = ""

    async def report(self, count: ReadCount) -> bool:
        """Show the counts every PROGRESS_EVERY_S; return whether there is time left."""
        now = time.monotonic()
        if now > self._reported + PROGRESS_EVERY_S:
            self._reported = now
            await _say(self._interaction, BotReply(f"{_summary(count)} Still reading …"))
        if now > self._started + ANSWER_S:
            self.ended = "Discord's time limit for a reply is reached: run /sync again to continue."
        return not self.ended


def _bot_request(interaction: Interaction, command: str, options: Mapping[str, Any], page: int = 0) -> BotRequest:
    guild = None if interaction.guild_id is None else str(interaction.guild_id)
    member = interaction.member
    allowed = hikari.Permissions.MANAGE_GUILD | hikari.Permissions.ADMINISTRATOR
    is_admin = member is not None and bool(member.permissions & allowed)
    user = interaction.user
    names = (user.username, user.global_name, member.nickname if member is not None else None)
    known_names = tuple(name for name in names if name)
    channel, user_id = str(interaction.channel_id), str(user.id)
    return BotRequest(command, options, guild, channel, user_id, is_admin, page, names=known_names)


def _summary(count: ReadCount) -> str:
    advice = "" if count.complete else " There may be older messages: run /sync again, or with a higher message_limit."
    unread = f" {count.n_unread:,} parts could not be read." if count.n_unread else ""
    gone = f" {amount(count.n_withdrawn, 'message')} had been deleted." if count.n_withdrawn else ""
    return f"Read {amount(count.n_messages, 'message')} with {amount(count.n_results, 'result')}.{unread}{gone}{advice}"


def _unread(count: ReadCount) -> str:
    return "".join(f"\nNot read: {part.text[:80]!r}: {part.why}." for part in count.unread)


async def _say(
    interaction: Interaction, reply: BotReply, components: list[hikari.api.ComponentBuilder] | None = None
) -> None:
    files = [hikari.Bytes(reply.picture, "picture.png", mimetype="image/png")] if reply.picture else []
    files += [hikari.Bytes(reply.document, "my-data.json", mimetype="application/json")] if reply.document else []
    try:
        await interaction.edit_initial_response(
            reply.text[:MAX_TEXT],
            attachments=files,
            components=components or [],
            mentions_everyone=False,
            user_mentions=False,
            role_mentions=False,
        )
    except hikari.HikariError as error:
        # The error's text would contain the interaction's token.
        _LOGGER.warning("Discord did not accept a reply: %s", type(error).__name__)


def missing_permissions(interaction: hikari.CommandInteraction) -> str:
    """Return a message about the permissions that the bot needs and lacks in this channel, "" if it has them all."""
    names = [name for permission, name in NEEDED_PERMISSIONS.items() if permission not in interaction.app_permissions]
    return f"I cannot read this channel: I lack {' and '.join(map(repr, names))}. {_GRANT_HINT}" if names else ""


def describe_error(error: hikari.HikariError) -> str:
    """Return a message that explains an error to a user. The error's own text is left out: it may contain a token."""
    if isinstance(error, hikari.ForbiddenError):
        names = " and ".join(map(repr, NEEDED_PERMISSIONS.values()))
        return f"Discord does not let me read this channel. I need {names}. {_GRANT_HINT}"
    if isinstance(error, hikari.UnauthorizedError):
        return "Discord no longer accepts the bot's token: whoever runs the bot must set a new one."
    if isinstance(error, hikari.RateLimitTooLongError):
        return f"Discord's rate limit makes me wait for {error.retry_after:.0f} s. {_RESUME_HINT}"
    if isinstance(error, hikari.NotFoundError):
        return "Discord says that this channel does not exist (any more)."
    status = f" ({error.status})" if isinstance(error, hikari.HTTPResponseError) else ""
    return f"Discord cannot be reached{status}. {_RESUME_HINT}"


def explain_blank_messages(count: ReadCount) -> str:
    """Return a message about the intent that is missing if most messages came without content, else ""."""
    if not count.n_blank or count.n_results or 2 * count.n_blank < count.n_messages:
        return ""
    return (
        f"{count.n_blank:,} of {count.n_messages:,} messages came without their text: Discord sends it only to apps "
        "with the Message Content intent. The app's owner can turn it on in Discord's developer portal, under Bot > "
        "Privileged Gateway Intents."
    )
