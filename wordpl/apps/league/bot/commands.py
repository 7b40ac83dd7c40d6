"""The bot's slash commands: the options of each, its answer from the store, and how tables become a message."""

import json
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from io import StringIO
from threading import Lock
from typing import Any

import hikari
import pandas as pd
from hikari.api import SlashCommandBuilder
from rich.console import Console

from wordpl.apps.league import alias_log, pictures, schedules, statistics
from wordpl.apps.league import report as tables
from wordpl.apps.league.imports import LeagueChanges
from wordpl.apps.league.player_names import Alias
from wordpl.apps.league.posts import Person, link
from wordpl.apps.league.privacy import HIDE, REMIND
from wordpl.apps.league.resolve import ResolvedLeague
from wordpl.apps.league.settings import LeaderboardSettings
from wordpl.apps.league.store import League
from wordpl.core.messages import UserError, amount
from wordpl.core.puzzles import LAST_NUMBER, parse_puzzle, today_in
from wordpl.core.settings import settings
from wordpl.reports.elements import Table
from wordpl.reports.renderers import show_table
from wordpl.stats import rankings

MIN_MESSAGES, MAX_MESSAGES, DEFAULT_MESSAGES = 100, 50_000, 1000
HELP, PERSONAL, COMPARE, FORGET, SYNC, REREAD = "help", "personal_stats", "compare", "forget", "sync", "reread"
IN_DIRECT_MESSAGES = (HELP, PERSONAL)
ASK_IN_SERVER = "Ask me in a server's channel: results belong to a server."
MAX_TEXT = 2000
"""The maximum length of a Discord message, in characters."""
WIDTH = 72
PAGE_ROWS = 10
FENCE = "```"
_DRAWING = Lock()
"""Held while a picture is drawn: matplotlib is not thread-safe."""


@dataclass(frozen=True)
class BotReply:
    """A reply of the bot.

    Attributes:
        text: The text, at most MAX_TEXT characters.
        draw: Returns the bytes of a PNG, if there is one: the text does not wait for it.
        page: Which page this is, from 0.
        n_pages: The number of pages.
        is_answer: False for an error message, which cannot be published.
        document: The bytes of a JSON file, if any.
    """

    text: str
    draw: Callable[[], bytes] | None = None
    page: int = 0
    n_pages: int = 1
    is_answer: bool = True
    document: bytes | None = None


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


def warm_up() -> None:
    """Load what the first answers would have to wait for: compiled kernels, fonts and libraries."""
    results = pd.DataFrame(
        [(name, day, 3 + day % 3) for name in "ab" for day in range(9)], columns=["player", "day", "guesses"]
    )
    for name in ("mean", "elo", "map-elo"):
        ranking = rankings.find(name).with_settings(draws=2)
        table = ranking(results)
    with _DRAWING:
        pictures.rating_curves(rankings.curves(results, ranking), table, ranking)
    as_text([tables.ranking_table(table, ranking)])


def _drawn(draw: Callable[[], bytes]) -> Callable[[], bytes]:
    """Return a function that draws a picture once."""

    @cache
    def picture() -> bytes:
        with _DRAWING:
            return draw()

    return picture


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


def _setting(name: str, type_: type) -> hikari.CommandOption:
    """Return the option for a setting of the leaderboard."""
    setting = settings(LeaderboardSettings)[name]
    limits = {} if setting.low is None else {"min_value": setting.low, "max_value": setting.high}
    return _option(name, type_, " ".join(setting.help.split()), **limits)


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
    _setting("game_cutoff", int),
    _option("method", str, "The ranking method (default: mean)", choices=_choices(rankings.RANKINGS)),
    _setting("elo_k", float),
    _setting("day_adjustment", bool),
    _setting("bayes_adjustment", bool),
    _SEASON,
)
def _leaderboard(league: League, request: BotRequest) -> BotReply:
    chosen = {name: value for name, value in request.options.items() if name != "channel_only"}
    channel = request.channel if request.options.get("channel_only") else None
    return _board(_results(league, channel), chosen, request.page)


def _board(league: ResolvedLeague, options: Mapping[str, Any], page: int) -> BotReply:
    """Return a page of the leaderboard, with a picture of its players' ratings over time."""
    chosen = LeaderboardSettings(**options, **league.board_options)
    ranking = chosen.ranking()
    results = statistics.parse_season(chosen.season).results(league.results) if chosen.season else league.results
    table = ranking(results)
    if table.empty:
        raise UserError(f"Nobody has {amount(ranking.game_cutoff, 'game')} yet: choose a smaller game_cutoff.")
    row_slice, page, n_pages = _page(len(table), page)
    board = tables.ranking_table(table, ranking)
    title = f"{chosen.season} · {board.title}" if chosen.season else board.title
    board = tables.with_remarks(replace(board, rows=board.rows[row_slice], title=title), tables.remarks(league))
    draw = _drawn(lambda: pictures.rating_curves(rankings.curves(results, ranking), table.iloc[row_slice], ranking))
    return BotReply(as_text([board], page, n_pages), draw, page, n_pages)


@_command(PERSONAL, "Show one player's results (default: yours)", _PLAYER, _NAME)
def _personal(league: League, request: BotRequest) -> BotReply:
    results = _results(league)
    player = request.options.get("name") or request.options.get("player") or request.user
    return one_player(results, _find(results, league, request, player))


def one_player(league: ResolvedLeague, player: str) -> BotReply:
    """Return a player's statistics, with a picture of the distribution of guesses."""
    x_is_seven = league.options.x_is_seven
    stats = statistics.player_stats(league.results, player, unfinished=league.unfinished, x_is_seven=x_is_seven)
    draw = _drawn(lambda: pictures.distribution(league.results, player))
    return BotReply(as_text(tables.personal_tables(stats)), draw)


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
    found = [_find(results, league, request, player) for player in (first, second)]
    compared = statistics.compare_players(results.counted, *found)
    draw = _drawn(lambda: pictures.running_means(results.results, found))
    return BotReply(as_text([tables.comparison_of_players(compared, results.options.x_is_seven)]), draw)


@_command(
    "day",
    "Show the results of one puzzle (default: the newest)",
    _option("puzzle", str, "A puzzle number, a date like 2026-11-22, today or yesterday"),
)
def _day(league: League, request: BotRequest) -> BotReply:
    number = parse_puzzle(request.options.get("puzzle"), request.now, league.options().zone)
    results = _results(league)
    day = int(results.results["day"].max()) if number is None else number
    day_results = statistics.day_results(results.results, day)
    return _paged(tables.day_table(day, day_results, results.options.x_is_seven), request.page)


@_command("crowns", "Count the days on which each player had the best result", _SEASON)
def _crowns(league: League, request: BotRequest) -> BotReply:
    results, season = _results(league).results, request.options.get("season")
    results = statistics.parse_season(season).results(results) if season else results
    return _paged(tables.crowns_table(statistics.crowns(results)), request.page)


@_command("missing", "Show who has not played today's puzzle yet")
def _missing(league: League, request: BotRequest) -> BotReply:
    number = today_in(league.options().zone, request.now)
    return _paged(tables.missing_table(statistics.missing(_results(league).results, number), number), request.page)


@_command("why", "Show which of your shares do not count, and why", is_private=True)
def _why(league: League, request: BotRequest) -> BotReply:
    results = league.resolved()
    own = {label for label, person in results.ids.items() if person.key == request.user}
    refused = results.conflicts[results.conflicts["player"].isin(own) & ~results.conflicts["counts"]]
    lines = [
        f"Puzzle {row.day:,}, {tables.guesses_text(row.guesses)}/6: {row.why}."
        for row in tables.rows_of(refused.sort_values("day", ascending=False).head(PAGE_ROWS))
    ]
    unread = [part for part in league.not_read() if part.author == request.user][:PAGE_ROWS]
    lines += [f"<{link(league.key, part)}>: {part.why or 'not read'}." for part in unread]
    return BotReply("\n".join(lines)[:MAX_TEXT] or "All of your shares that I have read count.")


@_command(
    "season",
    "Show the leaderboard of a week, a month, a quarter or a year (default: this month)",
    _SEASON,
    _option("method", str, "The ranking method (default: mean)"),
)
def _season(league: League, request: BotRequest) -> BotReply:
    chosen = {"season": f"{request.now:%Y-%m}", "game_cutoff": 1, **request.options}
    return _board(_results(league), chosen, request.page)


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


COMMANDS[REREAD] = BotCommand(
    "Read this channel again from its beginning, and show which results would change",
    (_option("confirm", bool, "True changes them"),),
    is_admin=True,
    is_private=True,
)


def reread_reply(changes: LeagueChanges, is_sure: bool) -> BotReply:
    """Return the reply about what a second reading of a channel changes."""
    if changes.is_nothing:
        return BotReply("I have read this channel again: no result changes.")
    verdict = "" if is_sure else "Nothing has changed yet. To change it, use `/reread confirm:True`."
    return BotReply("\n".join(filter(None, [as_text([tables.changes_table(changes)])[: MAX_TEXT - 80], verdict])))


@_command(
    "settings",
    "Show or change the time zone, how X and missed days count, and the deadline for shares",
    _option("zone", str, "The server's time zone, like Europe/Berlin: whose days count"),
    _option("x_is_seven", bool, "Count an unsolved puzzle as 7 guesses, or leave it out"),
    _option("deadline_days", int, "How many days after a puzzle's day a share may be posted", min_value=0),
    _option("missed_is_8", bool, "Count a missed day as 8 guesses in totals, or leave it out"),
    is_admin=True,
)
def _settings(league: League, request: BotRequest) -> BotReply:
    given = [request.options.get(name) for name in ("zone", "x_is_seven", "deadline_days", "missed_is_8")]
    if any(value is not None for value in given):
        league.choose(league.options().updated(*given))
    return BotReply("\n".join(tables.settings_lines(league.options(), league.resolved()))[:MAX_TEXT])


@_command("conflicts", "List what does not count: late, contradicted and unreadable reports", is_admin=True)
def _conflicts(league: League, request: BotRequest) -> BotReply:
    results, not_read = league.resolved(), league.not_read()
    if results.conflicts.empty and results.unconfirmed.empty and not not_read:
        return BotReply(" ".join(["All reports count.", results.warning]).strip())
    rows = results.conflicts.sort_values("day", ascending=False, kind="stable")
    reply = _paged(tables.conflicts_table(rows), request.page)
    if request.page:
        return reply
    names = league.names()
    shown = [tables.conflicts_table(rows.head(PAGE_ROWS))] if len(rows) else []
    shown += [tables.not_read_table(not_read, names)] if not_read else []
    shown += [tables.unconfirmed_table(results.unconfirmed, names)] if len(results.unconfirmed) else []
    return replace(reply, text=as_text(shown, 0, reply.n_pages))


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
    return BotReply("\n".join(filter(None, [outcome, f"Aliases: {aliases}.", as_text([table])]))[:MAX_TEXT])


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
    return BotReply("\n".join(filter(None, [outcome, as_text([schedule_table])]))[:MAX_TEXT])


def _results(league: League, channel: str | None = None) -> ResolvedLeague:
    results = league.resolved(channel)
    if results.results.empty:
        scope = "of this channel" if channel else "of this server"
        raise UserError(f"There are no results {scope} yet. Run `/sync` in the channel with the summaries.")
    return results


def command_of(request: BotRequest) -> BotCommand:
    """Return the command of a request, or one that refuses it if there is none with this name."""
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
        "Only you see my answers until you press *Publish*. I mark a share with ✅ if it counts and with ❓ if not: "
        "/why tells you the reason. The app's summary comes first, and shares have a deadline. In a direct message, "
        "/personal_stats works too. I store your ids, names, results and grids, no messages: /my_data shows them, "
        "/forget deletes them."
    )
    return "\n".join([*lines, notes])


def _paged(table: Table, page: int) -> BotReply:
    row_slice, page, n_pages = _page(len(table.rows), page)
    return BotReply(as_text([replace(table, rows=table.rows[row_slice])], page, n_pages), None, page, n_pages)


def _page(n_rows: int, page: int) -> tuple[slice, int, int]:
    """Return the rows of a page, the number of the page, at most that of the last one, and the number of pages."""
    n_pages = max(1, -(-n_rows // PAGE_ROWS))
    page = max(0, min(page, n_pages - 1))
    return slice(page * PAGE_ROWS, (page + 1) * PAGE_ROWS), page, n_pages


def as_text(shown: Sequence[Table], page: int = 0, n_pages: int = 1) -> str:
    """Return the tables as a message, shortening the longest ones if necessary."""
    n_rows = 3 * PAGE_ROWS
    end = f"Page {page + 1} of {n_pages}" if n_pages > 1 else ""

    @cache
    def lines(index: int, n: int) -> str:
        table, file = shown[index], StringIO()
        console = Console(file=file, width=WIDTH, color_system=None)
        show_table(replace(table, rows=table.rows[:n]), console)
        if len(table.rows) > n:
            console.print(f"… and {len(table.rows) - n:,} more rows")
        drawn = (line.rstrip() for line in file.getvalue().replace("`", "'").splitlines())
        return "\n".join(filter(None, drawn))

    def text(n: int) -> str:
        parts = [lines(index, min(n, len(table.rows))) for index, table in enumerate(shown)]
        return "\n".join(filter(None, [FENCE, *parts, FENCE, end]))

    whole = text(n_rows)
    if len(whole) <= MAX_TEXT:
        return whole
    n_fitting = bisect_left(range(1, n_rows), True, key=lambda n: len(text(n)) > MAX_TEXT)
    return text(max(1, n_fitting))
