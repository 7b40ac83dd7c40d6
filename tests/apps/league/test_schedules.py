"""The times of scheduled posts."""

from datetime import UTC, datetime, timedelta

import pytest

from wordpl.apps.league import schedules
from wordpl.apps.league.schedules import DAILY, MONTHLY, WEEKLY, due_period, make_schedule
from wordpl.core.messages import UserError

LONG_AGO = datetime(2025, 1, 1, tzinfo=UTC)


def utc(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_a_daily_post_is_due_from_its_time_until_the_day_ends_in_its_zone():
    berlin = make_schedule(DAILY, "5", "09:30", "Europe/Berlin", LONG_AGO)
    assert due_period(berlin, utc("2025-07-01T07:29")) is None
    assert due_period(berlin, utc("2025-07-01T07:30")) == "2025-07-01"
    assert due_period(berlin, utc("2025-07-01T21:59")) == "2025-07-01"
    assert due_period(berlin, utc("2025-07-01T22:01")) is None
    today = berlin._replace(since=utc("2025-07-01T07:31"))  # set up when the day's time had passed
    assert [due_period(today, utc(f"2025-07-0{day}T08:00")) for day in (1, 2)] == [None, "2025-07-02"]


def test_a_weekly_post_is_due_on_mondays_and_a_monthly_one_on_the_first():
    weekly, monthly = (make_schedule(kind, "5", "09:30", "UTC", LONG_AGO) for kind in (WEEKLY, MONTHLY))
    days = [utc("2025-09-01T10:00") + timedelta(n) for n in range(30)]
    assert [day.day for day in days if due_period(weekly, day)] == [1, 8, 15, 22, 29]
    assert [day.day for day in days if due_period(monthly, day)] == [1]


def test_a_period_is_claimed_once_and_missed_posts_are_listed(store):
    league = store.league("a")
    daily = make_schedule(DAILY, "5", "09:30", "UTC", utc("2025-09-01T00:00"))
    schedules.set_schedule(league, daily)
    now = utc("2025-09-01T10:00")
    assert schedules.claim_period(league, daily, "2025-09-01", now)
    assert not schedules.claim_period(league, daily, "2025-09-01", now)
    (announcement,) = schedules.read_announcements(league)
    other = store.league("b")
    schedules.set_schedule(other, daily)
    assert schedules.claim_period(other, daily, "2025-09-01", now), "each league has its own"
    schedules.record_outcome(league, announcement._replace(state=schedules.SENT, text="text"))
    assert [post.state for post in schedules.read_announcements(other)] == [schedules.CLAIMED]
    assert schedules.missed_posts(league, utc("2025-09-03T10:00")) == [(DAILY, "2025-09-02")]
    for state, missed in ((schedules.REFUSED, 2), (schedules.SKIPPED, 1), (schedules.LOST, 2)):
        schedules.record_outcome(league, announcement._replace(state=state))
        assert len(schedules.missed_posts(league, utc("2025-09-03T10:00"))) == missed
    assert len(schedules.missed_posts(league, utc("2027-09-03T10:00"))) == schedules.MAX_LISTED_DAYS
    assert schedules.claim_period(league, daily, "2025-09-02", now)
    assert [post.period for post in schedules.read_announcements(league, "2026")] == ["2025-09-02"], "it is open"
    assert schedules.stop_schedule(league, DAILY)
    assert not schedules.stop_schedule(league, DAILY)
    assert len(schedules.read_schedules(other)) == 1


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        (("hourly", "5", "09:30", "UTC"), "choose one of daily"),
        ((DAILY, "general", "09:30", "UTC"), "by its Discord id"),
        ((DAILY, "٣٤", "09:30", "UTC"), "by its Discord id"),
        ((DAILY, "5", "9.30", "UTC"), "like 09:30"),
        ((DAILY, "5", "24:00", "UTC"), "like 09:30"),
        ((DAILY, "5", "09:30", "Mars/Base"), "unknown time zone"),
    ],
)
def test_an_invalid_schedule_is_refused(values, complaint):
    with pytest.raises(UserError, match=complaint):
        make_schedule(*values, LONG_AGO)
