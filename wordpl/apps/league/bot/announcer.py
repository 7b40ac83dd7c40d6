"""Scheduled posts: their texts, and how each is sent exactly once.

The bot claims a post in the store first, and searches the channel when in doubt.
"""

import asyncio
import logging
from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import hikari
import pandas as pd

from wordpl.apps.league import report as tables
from wordpl.apps.league import schedules, statistics
from wordpl.apps.league.bot.commands import MAX_TEXT, as_text
from wordpl.apps.league.bot.follower import Follower
from wordpl.apps.league.privacy import REMIND
from wordpl.apps.league.resolve import ResolvedLeague
from wordpl.apps.league.settings import LeaderboardSettings
from wordpl.apps.league.statistics import streaks
from wordpl.apps.league.store import League, LeagueStore
from wordpl.core.messages import UserError, amount
from wordpl.core.puzzles import number_on

TICK_S = 20.0
RETRY_AFTER = timedelta(seconds=90)
"""Age at which an open claim is checked; by then the post is in the channel or was never sent."""
MAX_MESSAGES_SEARCHED = 100
MAX_MENTIONS = 60
_REFUSALS = (hikari.BadRequestError, hikari.ForbiddenError, hikari.NotFoundError, hikari.UnauthorizedError)
_LOGGER = logging.getLogger(__name__)


def now_utc() -> datetime:
    """Return the current time in UTC."""
    return datetime.now(UTC)


class Announcer:
    """Sends the posts that are due.

    Args:
        rest: A REST client that does not retry.
        store: The store.
        follower: Reads new messages before a post is written.
        clock: Returns the current time.
        tick_s: Pause between two checks of the schedules, in seconds.
    """

    def __init__(
        self,
        rest: hikari.api.RESTClient,
        store: LeagueStore,
        follower: Follower,
        clock: Callable[[], datetime] = now_utc,
        tick_s: float = TICK_S,
    ):
        self._rest, self._store, self._follower = rest, store, follower
        self._clock, self._tick_s = clock, tick_s

    async def run(self) -> None:
        """Send posts when they are due, until cancelled."""
        while True:
            for key in await asyncio.to_thread(self._store.leagues):
                try:
                    await self.post_due(await asyncio.to_thread(self._store.find, key))
                except hikari.HikariError as error:
                    _LOGGER.warning("posting to the league %s failed: %s", key, type(error).__name__)
                except Exception:
                    _LOGGER.exception("posting to the league %s failed; retrying", key)
            await asyncio.sleep(self._tick_s)

    async def post_due(self, league: League) -> None:
        """Send the posts of a league that are due now and not yet claimed, and settle old open claims."""
        due = {}
        for schedule in await asyncio.to_thread(schedules.read_schedules, league):
            period = schedules.due_period(schedule, self._clock())
            if period is not None:
                due[schedule.kind, period] = schedule
        since = min((period for _, period in due), default=f"{self._clock():%Y-%m-%d}")
        announcements = await asyncio.to_thread(schedules.read_announcements, league, since)
        claimed_posts = {(announcement.kind, announcement.period): announcement for announcement in announcements}
        for (kind, period), schedule in due.items():
            is_new = (kind, period) not in claimed_posts
            if is_new and await asyncio.to_thread(schedules.claim_period, league, schedule, period, self._clock()):
                await self._send(league, schedule, period)
        for key, announcement in claimed_posts.items():
            if announcement.state == schedules.CLAIMED and self._clock() - announcement.claimed > RETRY_AFTER:
                await self._settle(league, announcement, due.get(key))

    async def _settle(
        self, league: League, claim: schedules.Announcement, schedule: schedules.PostSchedule | None
    ) -> None:
        """Find out whether a claimed post was sent; send it if it was not and is still due."""
        text = await self._find_post(claim)
        if text:
            await asyncio.to_thread(schedules.record_outcome, league, claim._replace(state=schedules.SENT, text=text))
        elif schedule is None:
            await asyncio.to_thread(schedules.record_outcome, league, claim._replace(state=schedules.LOST))
        else:
            await asyncio.to_thread(schedules.record_outcome, league, claim._replace(claimed=self._clock()))
            await self._send(league, schedule, claim.period)

    async def _find_post(self, claim: schedules.Announcement) -> str:
        """Return the text of a claimed post from its channel, or "" if it is not there."""
        me = await self._rest.fetch_my_user()
        since = hikari.Snowflake.from_datetime(claim.claimed - RETRY_AFTER)
        first_line = heading(claim.kind, claim.period)
        channel = hikari.Snowflake(int(claim.channel))
        try:
            async for message in self._rest.fetch_messages(channel, after=since).limit(MAX_MESSAGES_SEARCHED):
                if message.author.id == me.id and (message.content or "").startswith(first_line):
                    return message.content or ""
        except _REFUSALS:
            _LOGGER.warning("cannot read the channel of the %s post of %s", claim.kind, claim.period)
        return ""

    async def _send(self, league: League, schedule: schedules.PostSchedule, period: str) -> None:
        await self._follower.catch_up(league)
        text = await asyncio.to_thread(_text, league, schedule, period)
        announcement = schedules.Announcement(
            schedule.kind, period, schedules.SENT, schedule.channel, self._clock(), text
        )
        if (
            schedules.due_period(schedule, announcement.claimed) != period
        ):  # the day ended while messages were being read
            await asyncio.to_thread(
                schedules.record_outcome, league, announcement._replace(state=schedules.LOST, text="")
            )
            return
        if not text:
            await asyncio.to_thread(schedules.record_outcome, league, announcement._replace(state=schedules.SKIPPED))
            return
        try:
            await self._rest.create_message(
                hikari.Snowflake(int(schedule.channel)),
                text,
                mentions_everyone=False,
                user_mentions=schedule.kind == schedules.REMINDER,
                role_mentions=False,
            )
        except _REFUSALS as error:
            _LOGGER.error("Discord refused the %s post of %s: %s", schedule.kind, period, type(error).__name__)
            announcement = announcement._replace(state=schedules.REFUSED, text="")
        except hikari.HikariError as error:
            _LOGGER.warning("cannot tell whether the %s post of %s was sent: %s", schedule.kind, period, error)
            return
        await asyncio.to_thread(schedules.record_outcome, league, announcement)


def _text(league: League, schedule: schedules.PostSchedule, period: str) -> str:
    today = date.fromisoformat(period)
    if schedule.kind == schedules.REMINDER:
        return reminder_post(league.resolved(), today, {person.key for person in league.who_chose(REMIND)})
    return POSTS[schedule.kind](league.resolved(), today)


def daily_post(league: ResolvedLeague, today: date) -> str:
    """Return the daily post: yesterday's results, crowns, streaks and movement on the board."""
    day = number_on(today) - 1
    parts = [heading("daily", str(today))]
    results = league.results[league.results["day"] <= day].reset_index(drop=True)
    if not (results["day"] == day).any():
        return "\n".join([*parts, f"Nobody has reported puzzle {day:,} yet."])
    results_of_day = statistics.day_results(results, day)
    parts.append(as_text([tables.day_table(day, results_of_day, league.options.x_is_seven)]))
    solved_streaks = {name: streaks(results, name).solved_now for name in results_of_day["player"]}
    best = sorted((n, name) for name, n in solved_streaks.items() if n > 1)[-3:]
    if best:
        parts.append("Streaks: " + ", ".join(f"{_plain(name)} {amount(n, 'day')}" for n, name in reversed(best)) + ".")
    parts.append(movement_text(league, results, day))
    return "\n".join(filter(None, parts))[:MAX_TEXT]


def weekly_post(league: ResolvedLeague, today: date) -> str:
    """Return the weekly post: the board and its movement in the last seven days."""
    newest = number_on(today) - 1
    results = league.results[league.results["day"] <= newest].reset_index(drop=True)
    parts = [heading("weekly", str(today)), _board(league, results), movement_text(league, results, newest - 6)]
    return "\n".join(filter(None, parts))[:MAX_TEXT]


def monthly_post(league: ResolvedLeague, today: date) -> str:
    """Return the monthly post: the board and the crowns of the previous month."""
    month = statistics.season_of(today.replace(day=1) - timedelta(1))
    try:
        results = month.results(league.results)
    except UserError as error:
        return f"{heading('monthly', str(today))}\n{error.message}"
    crowned = replace(tables.crowns_table(statistics.crowns(results).head(3)), legend="")
    parts = [heading("monthly", str(today)), f"Season {month.name}.", _board(league, results), as_text([crowned])]
    return "\n".join(filter(None, parts))[:MAX_TEXT]


def reminder_post(league: ResolvedLeague, today: date, people: Collection[str] = ()) -> str:
    """Return a post that reminds people to play today's puzzle.

    Args:
        league: The league.
        today: The day in the schedule's time zone.
        people: The ids of those who want to be reminded; those with a result of today's puzzle are left out.

    Returns:
        The post, which mentions them; "" if nobody is to be reminded.
    """
    number = number_on(today)
    played = league.results[league.results["day"] == number]["player"]
    done = {league.ids[player].key for player in played}
    mentions = [f"<@{id}>" for id in sorted(set(people) - done)]
    if not mentions:
        return ""
    text = f"{heading('reminder', str(today))}\nPuzzle {number:,} is still to be played: "
    return (text + " ".join(mentions[:MAX_MENTIONS]))[:MAX_TEXT]


POSTS = {"daily": daily_post, "weekly": weekly_post, "monthly": monthly_post}
TITLES = {"daily": "Day", "weekly": "Week", "monthly": "Month", "reminder": "Reminder"}


def heading(kind: str, period: str) -> str:
    """Return the first line of a period's post, by which the bot recognizes it in a channel."""
    return f"**{TITLES[kind]} · {period}**"


def movement_text(league: ResolvedLeague, results: pd.DataFrame, since: int) -> str:
    """Return a sentence on the players who moved on the board since a puzzle, significant moves first."""
    ranking = LeaderboardSettings(**league.board_options).ranking()
    before = results[results["day"] < since]
    if before.empty or before["player"].value_counts().max() < ranking.game_cutoff:
        return ""
    movements = statistics.movement(results, ranking, since)
    other_tier, within_chance = (
        ", ".join(f"{_plain(str(row.player))} {row.before} to {row.place}" for row in part.itertuples())
        for part in (movements[movements["is_significant"]], movements[~movements["is_significant"]])
    )
    parts = [
        f"Moved into another tier: {other_tier}." if other_tier else "",
        f"Moved, within chance: {within_chance}." if within_chance else "",
    ]
    return " ".join(filter(None, parts)) or "Nobody moved on the board."


def _board(league: ResolvedLeague, results: pd.DataFrame) -> str:
    ranking = LeaderboardSettings(**league.board_options).ranking()
    table = ranking(results)
    if table.empty:
        return f"Nobody has {amount(ranking.game_cutoff, 'game')} yet."
    return as_text([tables.ranking_table(table, ranking)])


def _plain(name: str) -> str:
    """Return a name with Markdown escaped, so that Discord shows it unchanged and mentions nobody."""
    return "".join(f"\\{character}" if character in "\\*_~`|>#[]()@<:" else character for character in name)
