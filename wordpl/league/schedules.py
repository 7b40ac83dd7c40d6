"""What the bot posts by itself, when, and that it posts it once.

A post belongs to a period: a day, a week, a month. Before it is sent its period is claimed in the store, so that two
processes, or one that was killed and started again, do not both send it. A claim that stays open is settled by looking
into the channel; a period that passed without a post is lost, and listed.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from wordpl.core.errors import UserError
from wordpl.league.database import insert
from wordpl.league.store import League
from wordpl.league.tables import announcements, as_moment, as_stored, schedules

DAILY, WEEKLY, MONTHLY, REMINDER = "daily", "weekly", "monthly", "reminder"
KINDS = (DAILY, WEEKLY, MONTHLY, REMINDER)
CLAIMED, SENT, REFUSED, LOST = "claimed", "sent", "refused", "lost"
MAX_LISTED_DAYS = 366
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


class Schedule(NamedTuple):
    """A kind of post at a minute of the day in a time zone; since: when it was set up."""

    kind: str
    channel: str
    minute: int
    zone: str
    since: datetime

    @property
    def time(self) -> str:
        """The time of day."""
        return f"{self.minute // 60:02}:{self.minute % 60:02}"


class Announcement(NamedTuple):
    """What became of a period's post; text: what was posted, the archive."""

    kind: str
    period: str
    state: str
    channel: str
    claimed: datetime
    text: str


def make_schedule(kind: str, channel: str, time: str, zone: str, since: datetime) -> Schedule:
    """Return a schedule. Raises UserError for what is no kind, channel, time or zone."""
    if kind not in KINDS:
        raise UserError(f"there is no post called {kind!r}; there are {', '.join(KINDS)}.")
    if not (channel.isascii() and channel.isdigit()):
        raise UserError(f"a channel is given by its id, a number of Discord's; got {channel[:40]!r}.")
    found = _TIME.fullmatch(time.strip())
    if found is None:
        raise UserError(f"a time of day is written like 09:30; got {time[:40]!r}.")
    try:
        ZoneInfo(zone)
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        raise UserError(f"there is no time zone {zone[:40]!r}: use a name like Europe/Berlin or UTC.") from None
    return Schedule(kind, channel, int(found[1]) * 60 + int(found[2]), zone, since)


def read_schedules(league: League) -> list[Schedule]:
    """Return what the league's bot posts by itself."""
    columns = (schedules.c.kind, schedules.c.channel, schedules.c.minute, schedules.c.zone, schedules.c.since)
    found = sa.select(*columns).where(schedules.c.league_id == league.id).order_by(schedules.c.kind)
    with league.reading() as connection:
        return [Schedule(*row[:4], as_moment(row.since)) for row in connection.execute(found)]


def set_schedule(league: League, schedule: Schedule) -> None:
    """Post this from now on; a kind is posted at one time and to one channel."""
    row = {**schedule._asdict(), "since": as_stored(schedule.since)}
    with league.transaction() as connection:
        statement = insert(connection, schedules).values(row | {"league_id": league.id})
        connection.execute(statement.on_conflict_do_update(index_elements=["league_id", "kind"], set_=row))


def stop_schedule(league: League, kind: str) -> bool:
    """Post this no more; return whether it was posted before."""
    with league.transaction() as connection:
        where = (schedules.c.league_id == league.id) & (schedules.c.kind == kind)
        return connection.execute(sa.delete(schedules).where(where)).rowcount > 0


def periods(schedule: Schedule, first: date, last: date) -> Iterator[tuple[str, datetime]]:
    """Yield each period whose post is due on one of these days, local to the zone, and when it is due."""
    zone = ZoneInfo(schedule.zone)
    for at in range((last - first).days + 1):
        day = first + timedelta(at)
        is_day = {WEEKLY: day.weekday() == 0, MONTHLY: day.day == 1}.get(schedule.kind, True)
        due = datetime(day.year, day.month, day.day, schedule.minute // 60, schedule.minute % 60, tzinfo=zone)
        if is_day and due.astimezone(UTC) >= schedule.since:
            yield day.isoformat(), due.astimezone(UTC)


def due_period(schedule: Schedule, now: datetime) -> str | None:
    """Return the period whose post is due now: from its time until the day ends, local to the zone."""
    today = now.astimezone(ZoneInfo(schedule.zone)).date()
    return next((period for period, due in periods(schedule, today, today) if due <= now), None)


def read_announcements(league: League, since: str = "") -> list[Announcement]:
    """Return what was posted in the periods from `since` on, and all open claims, by period."""
    where = announcements.c.league_id == league.id
    where &= (announcements.c.period >= since) | (announcements.c.state == CLAIMED)
    found = sa.select(announcements).where(where).order_by(announcements.c.period, announcements.c.kind)
    with league.reading() as connection:
        return [
            Announcement(row.kind, row.period, row.state, row.channel, as_moment(row.claimed), row.message)
            for row in connection.execute(found)
        ]


def claim(league: League, schedule: Schedule, period: str, now: datetime) -> bool:
    """Claim the period's post; return whether it is ours, that is, was not claimed before."""
    row = {"league_id": league.id, "kind": schedule.kind, "period": period, "state": CLAIMED}
    row |= {"channel": schedule.channel, "claimed": as_stored(now), "message": ""}
    with league.transaction() as connection:
        statement = insert(connection, announcements).values(row).on_conflict_do_nothing()
        return connection.execute(statement.returning(announcements.c.period)).first() is not None


def settle(league: League, found: Announcement) -> None:
    """Note what became of a claimed post: its state, when it was tried, and its text."""
    where = (announcements.c.league_id == league.id) & (announcements.c.kind == found.kind)
    changed = {"state": found.state, "claimed": as_stored(found.claimed), "message": found.text}
    with league.transaction() as connection:
        statement = sa.update(announcements).where(where & (announcements.c.period == found.period))
        connection.execute(statement.values(changed))


def lost(league: League, now: datetime) -> list[tuple[str, str]]:
    """Return kind and period of posts that should have been sent since their schedule was set up, and were not."""
    done = {(one.kind, one.period) for one in read_announcements(league) if one.state == SENT}
    missing = []
    for one in read_schedules(league):
        today = now.astimezone(ZoneInfo(one.zone)).date()
        first = max(one.since.astimezone(ZoneInfo(one.zone)).date(), today - timedelta(MAX_LISTED_DAYS))
        missing += [
            (one.kind, period)
            for period, _ in periods(one, first, today - timedelta(1))
            if (one.kind, period) not in done
        ]
    return missing
