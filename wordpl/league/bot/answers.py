"""What the bot answers to each command, from what the store holds."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from wordpl.core.errors import UserError
from wordpl.league import alias_log, schedules
from wordpl.league.bot import options as commands
from wordpl.league.bot import views
from wordpl.league.bot.views import BotReply
from wordpl.league.names import Alias
from wordpl.league.puzzles import LAST_NUMBER, puzzle_of
from wordpl.league.resolve import ResolvedLeague
from wordpl.league.store import League, Store
from wordpl.reports import league as tables


@dataclass(frozen=True)
class Question:
    """A command as somebody used it: options by name, where, by whom, and which page of the answer is wanted.

    guild: None in a direct message. now: when, which decides what is today.
    """

    command: str
    options: Mapping[str, Any]
    guild: str | None
    channel: str
    user: str
    is_admin: bool = False
    page: int = 0
    now: datetime = field(default_factory=lambda: datetime.now(UTC))


class Answers:
    """Answers questions, one drawing at a time."""

    def __init__(self, store: Store):
        self._store = store
        self._drawing = asyncio.Lock()

    async def answer(self, question: Question) -> BotReply:
        """Return the answer. Raises UserError where the question cannot be answered."""
        if question.command in commands.ADMIN_COMMANDS and not question.is_admin:
            raise UserError("That is for those who may manage the server.")
        if question.command == commands.HELP:
            return BotReply(commands.help_text(question.is_admin))
        async with self._drawing:
            return await asyncio.to_thread(self._answer, question)

    def _answer(self, question: Question) -> BotReply:
        if question.guild is None:
            return self._in_direct_message(question)
        league = self._store.league(question.guild)
        answers: dict[str, Callable[[League, Question], BotReply]] = {
            commands.LEADERBOARD: _leaderboard,
            commands.SEASON: _season,
            commands.PERSONAL: _personal,
            commands.COMPARE: _compare,
            commands.DAY: _day,
            commands.CROWNS: _crowns,
            commands.CONFLICTS: _conflicts,
            commands.ALIAS: _alias,
            commands.SCHEDULE: _schedule,
        }
        return answers[question.command](league, question)

    def _in_direct_message(self, question: Question) -> BotReply:
        """Return one's own results in every server in which one plays."""
        if question.command != commands.PERSONAL:
            raise UserError("Ask me in a server's channel: results belong to a server.")
        if question.options.keys() & {"player", "name"} and question.options.get("player") != question.user:
            raise UserError("In a direct message I show your own results only.")
        found = []
        for key, name in self._store.leagues().items():
            league = self._store.find(key)
            results = league.resolved()
            player = next((label for label, person in results.ids.items() if person.key == question.user), "")
            if player in set(results.results["player"]):
                found.append((name, views.one_player(results, player)))
        if not found:
            raise UserError("I know no results of yours yet: they come from the servers in which you play.")
        name, shown = found[min(question.page, len(found) - 1)]
        text = f"{shown.text}\n{name}"[: views.MAX_TEXT]
        return BotReply(text, shown.picture, min(question.page, len(found) - 1), len(found))


def _leaderboard(league: League, question: Question) -> BotReply:
    settings = {name: value for name, value in question.options.items() if name != "channel_only"}
    channel = question.channel if question.options.get("channel_only") else None
    return views.leaderboard(_some(league, channel), settings, question.page)


def _season(league: League, question: Question) -> BotReply:
    settings = {"season": f"{question.now:%Y-%m}", "game_cutoff": 1, **question.options}
    return views.leaderboard(_some(league), settings, question.page)


def _personal(league: League, question: Question) -> BotReply:
    results = _some(league)
    who = question.options.get("name") or question.options.get("player") or question.user
    return views.one_player(results, results.find(who, league.names()))


def _compare(league: League, question: Question) -> BotReply:
    results, names = _some(league), league.names()
    given = [question.options[one] for one in ("player", "name", "other", "other_name") if question.options.get(one)]
    if not 1 <= len(given) <= 2:
        raise UserError("Name one player, to compare yourself with, or two.")
    first, second = given if len(given) == 2 else (question.user, given[0])
    return views.two_players(results, results.find(first, names), results.find(second, names))


def _day(league: League, question: Question) -> BotReply:
    number = puzzle_of(question.options.get("puzzle"), question.now)
    return views.one_day(_some(league), number, question.page)


def _crowns(league: League, question: Question) -> BotReply:
    return views.crowns(_some(league), question.options.get("season"), question.page)


def _conflicts(league: League, question: Question) -> BotReply:
    return views.conflicts(_some(league), league.names(), question.page)


def _alias(league: League, question: Question) -> BotReply:
    name, player = question.options.get("name"), question.options.get("player")
    said = ""
    if name and question.options.get("remove"):
        n = alias_log.remove_aliases(league, name, question.user)
        said = f"{n} entries of {name!r} were taken away."
    elif name and player:
        number = alias_log.add_alias(league, Alias(name, player, 0, LAST_NUMBER), question.user)
        said = f"{name!r} is that player now (change {number})."
    elif name or player:
        raise UserError("Give both the name and the player, or the name and remove.")
    found = league.resolved()
    shown = tables.unconfirmed_table(found.unconfirmed, league.names())
    known = ", ".join(f"{one.name} is {league.names().shown_name(one.player)}" for one in league.aliases()) or "none"
    return BotReply("\n".join(filter(None, [said, f"Aliases: {known}.", views.as_text([shown])]))[: views.MAX_TEXT])


def _schedule(league: League, question: Question) -> BotReply:
    kind, time = question.options.get("post"), question.options.get("time")
    said = ""
    if kind and question.options.get("stop"):
        said = f"I post it no more: {kind}." if schedules.stop_schedule(league, kind) else f"It was not posted: {kind}."
    elif kind and time:
        zone = question.options.get("zone", "UTC")
        made = schedules.make_schedule(kind, question.channel, time, zone, question.now)
        schedules.set_schedule(league, made)
        said = f"I post it here at {made.time}, {made.zone}: {kind}."
    elif kind or time:
        raise UserError("Give both the post and the time, or the post and stop.")
    done, lost = schedules.read_announcements(league), schedules.lost(league, question.now)
    shown = tables.schedule_table(schedules.read_schedules(league), done, lost)
    return BotReply("\n".join(filter(None, [said, views.as_text([shown])]))[: views.MAX_TEXT])


def _some(league: League, channel: str | None = None) -> ResolvedLeague:
    found = league.resolved(channel)
    if found.results.empty:
        where = "of this channel" if channel else "of this server"
        raise UserError(f"There are no results {where} yet. `/sync`, in the channel with the summaries, reads them.")
    return found
