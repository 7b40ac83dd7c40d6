"""Scheduled posts, sent once: claimed in the store first, and looked up in the channel where it is not known."""

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import hikari

from wordpl.league.bot import views
from wordpl.league.bot.following import Follower
from wordpl.league.schedules import (
    CLAIMED,
    LOST,
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
                except hikari.HikariError as error:
                    _LOGGER.warning("posting to the league %s failed: %s", key, type(error).__name__)
                except Exception:
                    _LOGGER.exception("posting to the league %s failed; it is tried again", key)
            await asyncio.sleep(self._tick_s)

    async def post_due(self, league: League) -> None:
        """Post what is due in a league now, and has not been posted; settle what became of earlier claims."""
        due = {}
        for schedule in await asyncio.to_thread(read_schedules, league):
            period = due_period(schedule, self._clock())
            if period is not None:
                due[schedule.kind, period] = schedule
        since = min((period for _, period in due), default=f"{self._clock():%Y-%m-%d}")
        known = await asyncio.to_thread(read_announcements, league, since)
        done = {(one.kind, one.period): one for one in known}
        for (kind, period), schedule in due.items():
            is_new = (kind, period) not in done
            if is_new and await asyncio.to_thread(claim, league, schedule, period, self._clock()):
                await self._send(league, schedule, period)
        for key, found in done.items():
            if found.state == CLAIMED and self._clock() - found.claimed > RETRY_AFTER:
                await self._settle(league, found, due.get(key))

    async def _settle(self, league: League, found: Announcement, schedule: Schedule | None) -> None:
        """Find out what became of a post that was claimed; send it if it is still due and never reached the channel."""
        text = await self._posted(found)
        if text:
            await asyncio.to_thread(settle, league, found._replace(state=SENT, text=text))
        elif schedule is None:
            await asyncio.to_thread(settle, league, found._replace(state=LOST))
        else:
            await asyncio.to_thread(settle, league, found._replace(claimed=self._clock()))
            await self._send(league, schedule, found.period)

    async def _posted(self, found: Announcement) -> str:
        """Return the text of a claimed post that is in its channel, "" where it is not."""
        me = await self._rest.fetch_my_user()
        since = hikari.Snowflake.from_datetime(found.claimed - RETRY_AFTER)
        heading = views.heading(found.kind, found.period)
        channel = hikari.Snowflake(int(found.channel))
        try:
            async for message in self._rest.fetch_messages(channel, after=since).limit(LOOKED_AT):
                if message.author.id == me.id and (message.content or "").startswith(heading):
                    return message.content or ""
        except _DEFINITE:
            _LOGGER.warning("the channel of the %s post of %s cannot be read", found.kind, found.period)
        return ""

    async def _send(self, league: League, schedule: Schedule, period: str) -> None:
        await self._follower.catch_up(league)
        text = await asyncio.to_thread(_text, league, schedule, period)
        done = Announcement(schedule.kind, period, SENT, schedule.channel, self._clock(), text)
        if due_period(schedule, done.claimed) != period:  # its day ended while messages were read
            await asyncio.to_thread(settle, league, done._replace(state=LOST, text=""))
            return
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


def _text(league: League, schedule: Schedule, period: str) -> str:
    return views.POSTS[schedule.kind](league.resolved(), date.fromisoformat(period))
