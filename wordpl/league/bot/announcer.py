"""Sends scheduled posts exactly once: it claims each in the store first, and searches the channel when in doubt."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import hikari

from wordpl.league.bot import replies
from wordpl.league.bot.follower import Follower
from wordpl.league.privacy import REMIND
from wordpl.league.schedules import (
    CLAIMED,
    LOST,
    REFUSED,
    REMINDER,
    SENT,
    SKIPPED,
    Announcement,
    PostSchedule,
    claim_period,
    due_period,
    read_announcements,
    read_schedules,
    record_outcome,
)
from wordpl.league.store import League, LeagueStore

TICK_S = 20.0
RETRY_AFTER = timedelta(seconds=90)
"""Age at which an open claim is checked; by then the post is in the channel or was never sent."""
MAX_MESSAGES_SEARCHED = 100
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
        for schedule in await asyncio.to_thread(read_schedules, league):
            period = due_period(schedule, self._clock())
            if period is not None:
                due[schedule.kind, period] = schedule
        since = min((period for _, period in due), default=f"{self._clock():%Y-%m-%d}")
        announcements = await asyncio.to_thread(read_announcements, league, since)
        claimed_posts = {(announcement.kind, announcement.period): announcement for announcement in announcements}
        for (kind, period), schedule in due.items():
            is_new = (kind, period) not in claimed_posts
            if is_new and await asyncio.to_thread(claim_period, league, schedule, period, self._clock()):
                await self._send(league, schedule, period)
        for key, announcement in claimed_posts.items():
            if announcement.state == CLAIMED and self._clock() - announcement.claimed > RETRY_AFTER:
                await self._settle(league, announcement, due.get(key))

    async def _settle(self, league: League, claim: Announcement, schedule: PostSchedule | None) -> None:
        """Find out whether a claimed post was sent; send it if it was not and is still due."""
        text = await self._find_post(claim)
        if text:
            await asyncio.to_thread(record_outcome, league, claim._replace(state=SENT, text=text))
        elif schedule is None:
            await asyncio.to_thread(record_outcome, league, claim._replace(state=LOST))
        else:
            await asyncio.to_thread(record_outcome, league, claim._replace(claimed=self._clock()))
            await self._send(league, schedule, claim.period)

    async def _find_post(self, claim: Announcement) -> str:
        """Return the text of a claimed post from its channel, or "" if it is not there."""
        me = await self._rest.fetch_my_user()
        since = hikari.Snowflake.from_datetime(claim.claimed - RETRY_AFTER)
        heading = replies.heading(claim.kind, claim.period)
        channel = hikari.Snowflake(int(claim.channel))
        try:
            async for message in self._rest.fetch_messages(channel, after=since).limit(MAX_MESSAGES_SEARCHED):
                if message.author.id == me.id and (message.content or "").startswith(heading):
                    return message.content or ""
        except _REFUSALS:
            _LOGGER.warning("cannot read the channel of the %s post of %s", claim.kind, claim.period)
        return ""

    async def _send(self, league: League, schedule: PostSchedule, period: str) -> None:
        await self._follower.catch_up(league)
        text = await asyncio.to_thread(_text, league, schedule, period)
        announcement = Announcement(schedule.kind, period, SENT, schedule.channel, self._clock(), text)
        if due_period(schedule, announcement.claimed) != period:  # the day ended while messages were being read
            await asyncio.to_thread(record_outcome, league, announcement._replace(state=LOST, text=""))
            return
        if not text:
            await asyncio.to_thread(record_outcome, league, announcement._replace(state=SKIPPED))
            return
        try:
            await self._rest.create_message(
                hikari.Snowflake(int(schedule.channel)),
                text,
                mentions_everyone=False,
                user_mentions=schedule.kind == REMINDER,
                role_mentions=False,
            )
        except _REFUSALS as error:
            _LOGGER.error("Discord refused the %s post of %s: %s", schedule.kind, period, type(error).__name__)
            announcement = announcement._replace(state=REFUSED, text="")
        except hikari.HikariError as error:
            _LOGGER.warning("cannot tell whether the %s post of %s was sent: %s", schedule.kind, period, error)
            return
        await asyncio.to_thread(record_outcome, league, announcement)


def _text(league: League, schedule: PostSchedule, period: str) -> str:
    today = date.fromisoformat(period)
    if schedule.kind == REMINDER:
        return replies.reminder_post(league.resolved(), today, {person.key for person in league.who_chose(REMIND)})
    return replies.POSTS[schedule.kind](league.resolved(), today)
