"""Schedules of the bot's posts, and the claims which ensure that each post is sent only once.

A post belongs to a period: a day, a week or a month. The bot claims the period in the store before it sends the post,
so that two processes, or one that was killed and restarted, never both send it. If a claim stays open, the bot searches
the channel for the post. A post whose period has passed is lost and listed as such.
"""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from wordpl.apps.league.database import announcements, from_ms, insert, schedules, to_ms, upsert
from wordpl.apps.league.store import League
from wordpl.core.messages import UserError
from wordpl.core.puzzles import check_zone

DAILY, WEEKLY, MONTHLY, REMINDER = "daily", "weekly", "monthly", "reminder"
KINDS = (DAILY, WEEKLY, MONTHLY, REMINDER)
CLAIMED, SENT, REFUSED, LOST, SKIPPED = "claimed", "sent", "refused", "lost", "skipped"
MAX_LISTED_DAYS = 366
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)")


class PostSchedule(NamedTuple):
    """When and where the bot sends one kind of post.

    Attributes:
        kind: DAILY, WEEKLY, MONTHLY or REMINDER.
        channel: The id of the channel.
        minute: The minute of the day, 0 to 1439, in `zone`.
        zone: The name of the time zone.
        since: When the schedule was set up.
    """

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
    """The state of a period's post.

    Attributes:
        kind: The kind of post.
        period: The first day of the period, YYYY-MM-DD.
        state: CLAIMED, SENT, REFUSED, LOST, or SKIPPED if there was nothing to post.
        channel: The id of the channel.
        claimed: When it was claimed or last tried.
        text: What was posted, "" until it is sent.
    """

    kind: str
    period: str
    state: str
    channel: str
    claimed: datetime
    text: str


def make_schedule(kind: str, channel: str, time: str, zone: str, since: datetime) -> PostSchedule:
    """Return a schedule.

    Args:
        kind: One of KINDS.
        channel: The id of a Discord channel.
        time: A time of day like 09:30.
        zone: A time zone like Europe/Berlin.
        since: When the schedule was set up.

    Raises:
        UserError: The kind, the channel, the time or the zone is invalid.
    """
    if kind not in KINDS:
        raise UserError(f"unknown post {kind!r}; choose one of {', '.join(KINDS)}.")
    if not (channel.isascii() and channel.isdigit()):
        raise UserError(f"a channel is given by its Discord id, a number; got {channel[:40]!r}.")
    time_parts = _TIME.fullmatch(time.strip())
    if time_parts is None:
        raise UserError(f"a time of day is written like 09:30; got {time[:40]!r}.")
    zone = check_zone(zone)
    return PostSchedule(kind, channel, int(time_parts[1]) * 60 + int(time_parts[2]), zone, since)


def read_schedules(league: League) -> list[PostSchedule]:
    """Return the league's schedules, sorted by kind."""
    statement = sa.select(schedules).filter_by(league_id=league.id).order_by(schedules.c.kind)
    with league.reading() as connection:
        rows = connection.execute(statement)
        return [PostSchedule(kind, channel, minute, zone, from_ms(at)) for _, kind, channel, minute, zone, at in rows]


def set_schedule(league: League, schedule: PostSchedule) -> None:
    """Save a schedule, replacing the one for the same kind of post."""
    row = {**schedule._asdict(), "since": to_ms(schedule.since)}
    with league.transaction() as connection:
        upsert(connection, schedules, [row | {"league_id": league.id}])


def stop_schedule(league: League, kind: str) -> bool:
    """Delete the schedule of a kind of post and return whether there was one."""
    with league.transaction() as connection:
        return connection.execute(sa.delete(schedules).filter_by(league_id=league.id, kind=kind)).rowcount > 0


def periods(schedule: PostSchedule, first: date, last: date) -> Iterator[tuple[str, datetime]]:
    """Yield the periods whose posts are due from the first to the last day, and when each is due, in UTC.

    Args:
        schedule: The schedule.
        first: The first day, in the schedule's time zone.
        last: The last day, included.
    """
    zone = ZoneInfo(schedule.zone)
    for offset in range((last - first).days + 1):
        day = first + timedelta(offset)
        is_day = {WEEKLY: day.weekday() == 0, MONTHLY: day.day == 1}.get(schedule.kind, True)
        due = datetime(day.year, day.month, day.day, schedule.minute // 60, schedule.minute % 60, tzinfo=zone)
        if is_day and due.astimezone(UTC) >= schedule.since:
            yield day.isoformat(), due.astimezone(UTC)


def due_period(schedule: PostSchedule, now: datetime) -> str | None:
    """Return the period whose post is due now, or None.

    A post is due from its time until the end of the day, in the schedule's time zone.
    """
    today = now.astimezone(ZoneInfo(schedule.zone)).date()
    return next((period for period, due in periods(schedule, today, today) if due <= now), None)


def read_announcements(league: League, since: str = "") -> list[Announcement]:
    """Return the announcements of the periods from `since` on and all open claims, sorted by period."""
    where = announcements.c.league_id == league.id
    where &= (announcements.c.period >= since) | (announcements.c.state == CLAIMED)
    statement = sa.select(announcements).where(where).order_by(announcements.c.period, announcements.c.kind)
    with league.reading() as connection:
        rows = connection.execute(statement)
        return [
            Announcement(kind, period, state, channel, from_ms(claimed), text)
            for _, kind, period, state, channel, claimed, text in rows
        ]


def claim_period(league: League, schedule: PostSchedule, period: str, now: datetime) -> bool:
    """Claim a period's post and return whether this succeeded: False if it was already claimed."""
    row = {"league_id": league.id, "kind": schedule.kind, "period": period, "state": CLAIMED}
    row |= {"channel": schedule.channel, "claimed": to_ms(now), "message": ""}
    with league.transaction() as connection:
        statement = insert(connection, announcements).values(row).on_conflict_do_nothing()
        return connection.execute(statement.returning(announcements.c.period)).first() is not None


def record_outcome(league: League, found: Announcement) -> None:
    """Save the state, the time of the last attempt and the text of a claimed post."""
    statement = sa.update(announcements).filter_by(league_id=league.id, kind=found.kind, period=found.period)
    with league.transaction() as connection:
        connection.execute(statement.values(state=found.state, claimed=to_ms(found.claimed), message=found.text))


def missed_posts(league: League, now: datetime) -> list[tuple[str, str]]:
    """Return kind and period of each post that was due since its schedule was set up and was not sent.

    Periods more than MAX_LISTED_DAYS ago are left out.
    """
    sent_posts = {(post.kind, post.period) for post in read_announcements(league) if post.state in (SENT, SKIPPED)}
    missed_periods = []
    for schedule in read_schedules(league):
        zone = ZoneInfo(schedule.zone)
        today = now.astimezone(zone).date()
        first = max(schedule.since.astimezone(zone).date(), today - timedelta(MAX_LISTED_DAYS))
        due = ((schedule.kind, period) for period, _ in periods(schedule, first, today - timedelta(1)))
        missed_periods += [post for post in due if post not in sent_posts]
    return missed_periods
