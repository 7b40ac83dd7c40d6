"""Scheduled posts, sent once: claimed in the store first, and looked up in the channel where it is not known."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import hikari

from wordpl.league.bot import views
from wordpl.league.bot.following import Follower
from wordpl.league.schedules import (
    CLAIMED,
    REFUSED,
    SENT,
    Announcement,
    Schedule,
    claim,
    due_period,
    read_announcements,
    read_schedules,
    settle,
)
from wordpl.league.store import League, Store

TICK_S = 20.0
RETRY_AFTER = timedelta(seconds=90)
"""After this time a claimed post is either in the channel, or was never sent."""
LOOKED_AT = 100
_DEFINITE = (hikari.BadRequestError, hikari.ForbiddenError, hikari.NotFoundError, hikari.UnauthorizedError)
_LOGGER = logging.getLogger(__name__)


def now_utc() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


class Announcer:
    """Posts what is due. clock: tells the time; tick_s: the pause between two looks at it."""

    def __init__(
        self,
        rest: hikari.api.RESTClient,
        store: Store,
        follower: Follower,
        clock: Callable[[], datetime] = now_utc,
        tick_s: float = TICK_S,
    ):
        self._rest, self._store, self._follower = rest, store, follower
        self._clock, self._tick_s = clock, tick_s

    async def run(self) -> None:
        """Post what is due, until cancelled."""
        while True:
            for key in await asyncio.to_thread(self._store.leagues):
                try:
                    await self.post_due(await asyncio.to_thread(self._store.find, key))
                except Exception:
                    _LOGGER.exception("posting to the league %s failed; it is tried again", key)
            await asyncio.sleep(self._tick_s)

    async def post_due(self, league: League) -> None:
        """Post what is due in a league now, and has not been posted."""
        for schedule in await asyncio.to_thread(read_schedules, league):
            now = self._clock()
            period = due_period(schedule, now)
            if period is None:
                continue
            done = await asyncio.to_thread(read_announcements, league, schedule.kind)
            found = next((one for one in done if one.period == period), None)
            if found is None:
                if await asyncio.to_thread(claim, league, schedule, period, now):
                    await self._send(league, schedule, period)
            elif found.state == CLAIMED and now - found.claimed > RETRY_AFTER:
                await self._settle(league, schedule, found)

    async def _settle(self, league: League, schedule: Schedule, found: Announcement) -> None:
        """Find out what became of a post that was claimed, and send it if it never reached the channel."""
        me = await self._rest.fetch_my_user()
        channel = hikari.Snowflake(int(schedule.channel))
        since = hikari.Snowflake.from_datetime(found.claimed - RETRY_AFTER)
        heading = views.heading(found.kind, found.period)
        async for message in self._rest.fetch_messages(channel, after=since).limit(LOOKED_AT):
            if message.author.id == me.id and (message.content or "").startswith(heading):
                text = message.content or ""
                await asyncio.to_thread(settle, league, found._replace(state=SENT, text=text))
                return
        await asyncio.to_thread(settle, league, found._replace(claimed=self._clock()))
        await self._send(league, schedule, found.period)

    async def _send(self, league: League, schedule: Schedule, period: str) -> None:
        await self._follower.catch_up(league)
        text = await asyncio.to_thread(self._text, league, schedule)
        done = Announcement(schedule.kind, period, SENT, schedule.channel, self._clock(), text)
        try:
            await self._rest.create_message(
                hikari.Snowflake(int(schedule.channel)),
                text,
                mentions_everyone=False,
                user_mentions=False,
                role_mentions=False,
            )
        except _DEFINITE as error:
            _LOGGER.error("the %s post of %s was refused: %s", schedule.kind, period, type(error).__name__)
            done = done._replace(state=REFUSED, text="")
        except hikari.HikariError as error:
            _LOGGER.warning("it is not known whether the %s post of %s arrived: %s", schedule.kind, period, error)
            return
        await asyncio.to_thread(settle, league, done)

    def _text(self, league: League, schedule: Schedule) -> str:
        today = self._clock().astimezone(ZoneInfo(schedule.zone)).date()
        return views.POSTS[schedule.kind](league.resolved(), today)
