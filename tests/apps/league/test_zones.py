"""A fortnight in every time zone, over both changes of clocks: each day is right, or the right zone is suggested."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest

from tests.helpers import messages
from tests.helpers.cases import one_quick_of
from wordpl.apps.league import discord_message
from wordpl.apps.league.discord_message import APP, DiscordMessage
from wordpl.apps.league.posts import DayFrom, DiscordUser, Person, ReportedResult, ResultPost
from wordpl.apps.league.resolve import (
    AFTER_DEADLINE,
    CONTRADICTS_SUMMARY,
    DAY_UNCERTAIN,
    EDITED_AFTER_DEADLINE,
    LeagueOptions,
    advise,
)
from wordpl.apps.league.share_text import SharedGame
from wordpl.core.messages import UserError
from wordpl.core.puzzles import (
    check_zone,
    local_ms,
    number_on,
    number_summarized_at,
    numbers_summarized_at,
    parse_puzzle,
)

ZONES = [
    *("Pacific/Pago_Pago", "Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/New_York"),
    *("America/St_Johns", "America/Santiago", "America/Sao_Paulo", "Atlantic/Azores", "UTC", "Europe/London"),
    *("Europe/Berlin", "Africa/Cairo", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Tokyo", "Australia/Adelaide"),
    *("Australia/Sydney", "Australia/Lord_Howe", "Pacific/Auckland", "Pacific/Chatham", "Pacific/Tongatapu"),
    *("Pacific/Apia", "Pacific/Kiritimati"),
]
FORTNIGHTS = [date(2025, 3, 24), date(2025, 9, 22), date(2025, 3, 3), date(2025, 10, 27)]
"""The clocks of Auckland, Sydney, Berlin and New York change in them, in one direction and the other."""
QUICK = {
    ("Pacific/Pago_Pago", FORTNIGHTS[0]),
    ("America/New_York", FORTNIGHTS[1]),
    ("Pacific/Auckland", FORTNIGHTS[1]),
    ("Pacific/Chatham", FORTNIGHTS[0]),
}
CASES = [
    pytest.param(zone, first, marks=[] if (zone, first) in QUICK else [pytest.mark.slow])
    for zone in ZONES
    for first in FORTNIGHTS
]
PEOPLE = [str(100 + n) for n in range(5)]


def guesses_of(person, number):
    return 1 + (int(person) * 7 + number * (int(person) % 5 + 2)) % 7


def play(league, zone, first, is_numbered=True):
    """Let five people play for a fortnight: the app posts after midnight of the zone, two players share."""
    info, posts, truth = ZoneInfo(zone), [], {}
    for day in (first + timedelta(n) for n in range(14)):
        number = number_on(day)
        truth |= {(person, number): guesses_of(person, number) for person in PEOPLE}
        by_guesses = {}
        for person in PEOPLE:
            by_guesses.setdefault(guesses_of(person, number), []).append(Person(person, True))
        text = messages.summary([(n, tuple(by_guesses[n])) for n in sorted(by_guesses)])
        midnight = datetime.combine(day + timedelta(1), time(0, 4), info).astimezone(UTC)
        posts += read(f"{number}0", midnight, APP, text)
        for index, person in enumerate(PEOPLE[:2] if is_numbered else ()):
            shared = datetime.combine(day, time(7 + 8 * index, 30), info).astimezone(UTC)
            text = messages.share(SharedGame(number, guesses_of(person, number), False))
            posts += read(f"{number}{index + 1}", shared, person, text)
    league.add(posts)
    return truth


def read(key, posted, author, text):
    message = DiscordMessage(key, "5", posted, None, DiscordUser(author, author, "", author, author == APP), text)
    return [found for found in discord_message.read(message) if isinstance(found, ResultPost)]


def counted(resolved):
    rows = resolved.results.itertuples(index=False)
    return {(resolved.ids[row.player].key, int(row.day)): int(row.guesses) for row in rows}


@pytest.fixture
def league(memory_store):
    return memory_store.league("91")


@pytest.mark.parametrize(("zone", "first"), CASES)
def test_every_day_of_a_fortnight_is_right_in_the_zone_of_the_league(league, zone, first):
    league.choose(LeagueOptions(zone))
    truth = play(league, zone, first)
    resolved = league.resolved()
    assert counted(resolved) == truth
    assert resolved.conflicts.empty
    assert resolved.warning == ""


@pytest.mark.parametrize(("zone", "first"), CASES)
@pytest.mark.parametrize("is_numbered", one_quick_of(2, [False, True]), ids=["without shares", "with shares"])
def test_without_a_zone_every_day_is_right_or_the_league_is_warned(league, zone, first, is_numbered):
    truth = play(league, zone, first, is_numbered)
    resolved = league.resolved()
    if counted(resolved) == truth and not resolved.warning:
        return
    assert "time zone" in resolved.warning
    if is_numbered:
        assert f"--zone {resolved.zone}" in resolved.warning
        league.choose(LeagueOptions(resolved.zone))
        again = league.resolved()
        assert counted(again) == truth, resolved.zone
        assert again.warning == ""


@pytest.mark.parametrize("first", FORTNIGHTS[:2], ids=str)
def test_shares_that_contradict_the_days_are_named_with_the_zone_that_explains_them(league, first):
    truth, number = play(league, "Pacific/Auckland", first), number_on(first) + 3
    possible = {truth[PEOPLE[3], number + n] for n in range(-1, 3)}
    false = next(guesses for guesses in range(1, 7) if guesses not in possible)  # in both zones
    for n in range(2):
        at = datetime.combine(first + timedelta(3 + n), time(8), UTC)
        league.add(read(f"777{n}", at, PEOPLE[3], f"Wordle {number + n} {false}/6"))
    league.choose(LeagueOptions("America/New_York"))
    resolved = league.resolved()
    assert "--zone Pacific/Auckland" in resolved.warning
    assert "100" in resolved.warning
    assert "America/New_York" in resolved.warning
    assert DAY_UNCERTAIN in set(resolved.conflicts["why"])
    unexplained = resolved.conflicts[resolved.conflicts["why"] == CONTRADICTS_SUMMARY]
    assert list(zip(unexplained["day"], unexplained["guesses"], strict=True)) == [(number, false)]


def test_late_shares_do_not_move_a_league_to_another_zone(league):
    league.choose(LeagueOptions("Europe/Berlin"))
    play(league, "Europe/Berlin", FORTNIGHTS[0], is_numbered=False)
    number, late = number_on(FORTNIGHTS[0]), datetime.combine(FORTNIGHTS[0], time(20), UTC) + timedelta(90)
    for n in range(1, 14):
        said = guesses_of(PEOPLE[3], number + n - 1)
        league.add(read(f"77{n}", late, PEOPLE[3], f"Wordle {number + n} {said if said < 7 else 'X'}/6"))
    assert league.resolved().warning == ""


def test_as_many_shares_for_a_zone_as_against_it_say_nothing():
    posted = int(datetime(2025, 10, 4, 12, 4, tzinfo=UTC).timestamp() * 1000)
    zones = "America/New_York", "Pacific/Auckland"
    own, other = (int(numbers_summarized_at(np.array([posted]), zone)[0]) for zone in zones)
    summaries = pd.DataFrame({"player": [0, 1, 2, 3], "guesses": 3, "posted": posted})
    said = [(player, number, 3 if (player < 2) == (number == other) else 5)
            for player in range(4) for number in (own, other)]  # fmt: skip
    shares = pd.DataFrame(said, columns=["player", "number", "guesses"])
    for n, found in ((4, True), (8, False)):
        advice = advise(summaries, shares[:n], zones[0])
        assert advice.is_uncertain is found
        assert advice.contradictions == (((0, own), (1, own)) if found else ())


def test_a_false_share_does_not_move_a_league_to_another_zone(league):
    league.choose(LeagueOptions("Europe/Berlin"))
    truth = play(league, "Europe/Berlin", FORTNIGHTS[0])
    number = number_on(FORTNIGHTS[0]) + 3
    at = datetime.combine(FORTNIGHTS[0] + timedelta(3), time(20), UTC)
    league.add(read("7777", at, PEOPLE[3], f"Wordle {number} 1/6"))
    resolved = league.resolved()
    assert counted(resolved) == truth
    assert resolved.warning == ""
    assert set(resolved.conflicts["why"]) <= {CONTRADICTS_SUMMARY, ""}


@pytest.mark.parametrize(
    ("zone", "days"), [("Pacific/Kiritimati", 0), ("Pacific/Auckland", 1), ("Pacific/Pago_Pago", 1), ("", 1)]
)
def test_a_share_counts_until_the_end_of_the_last_day_in_the_zone(league, zone, days):
    league.choose(LeagueOptions(zone, deadline_days=days))
    day = date(2025, 10, 3)
    end = datetime.combine(day + timedelta(days + 1), time(0), ZoneInfo(zone or "Etc/GMT+12")).astimezone(UTC)
    league.add(read("1", end - timedelta(seconds=1), "100", f"Wordle {number_on(day)} 1/6"))
    league.add(read("2", end, "101", f"Wordle {number_on(day)} 1/6"))
    resolved = league.resolved()
    assert [resolved.ids[player].key for player in resolved.results["player"]] == ["100"]
    assert list(resolved.conflicts["why"]) == [AFTER_DEADLINE]


def test_the_time_of_a_phone_is_that_of_the_zone_already(league):
    league.choose(LeagueOptions("Pacific/Kiritimati"))
    for person, minute in (("Ann", 59), ("Bob", 60)):
        at = datetime(2025, 10, 4, 23) + timedelta(minutes=minute)
        said = ReportedResult(Person(person, False), 1567, 3)
        league.add([ResultPost("whatsapp", "whatsapp", (said,), wall_clock=at)])
    assert list(league.resolved().results["player"]) == ["Ann"]


def share(guesses, posted, edited=None, number=1567):
    results = (ReportedResult(Person("100", True), number, guesses),)
    return ResultPost("discord", "1", results, DayFrom.TEXT, "5", posted, edited)


IN_TIME = datetime(2025, 10, 3, 20, tzinfo=UTC)
LATE = IN_TIME + timedelta(90)


def test_a_late_share_of_an_old_puzzle_takes_no_crown_until_a_host_accepts_it(league):
    bob = replace(share(2, LATE), key="2", results=(ReportedResult(Person("101", True), 1567, 2),))
    later = replace(share(3, LATE + timedelta(9), number=1570), key="3")
    league.add([share(1, LATE), bob, later])
    assert league.resolved().results.empty
    league.accept("100", 1567, "host")
    assert list(league.resolved().results["guesses"]) == [1], "of this player and this puzzle alone"
    league.accept("100", 1567, "host", is_accepted=False)
    assert league.resolved().results.empty
    for number, is_accepted, why in ((1568, True, "no late share of"), (1567, False, "no share of")):
        with pytest.raises(UserError, match=f"{why} puzzle {number:,} by '100'"):
            league.accept("100", number, "host", is_accepted)
    edited = [replace(share(5, IN_TIME, LATE, 1571), key="4"), replace(share(5, IN_TIME, number=1569), key="5"),
              replace(share(6, IN_TIME, number=1569), key="6")]  # fmt: skip
    league.add(edited)
    league.accept("100", 1571, "host")
    assert list(league.resolved().results["day"]) == [1571]
    with pytest.raises(UserError, match="no late share of puzzle 1,569"):
        league.accept("100", 1569, "host")  # it was said twice, otherwise


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_late_edit_is_listed_and_what_was_said_in_time_counts(league, order):
    versions = [share(5, IN_TIME), share(1, IN_TIME, LATE)]
    for index in order:
        league.add([versions[index]])
    resolved = league.resolved()
    assert list(resolved.results["guesses"]) == [5]
    assert list(resolved.conflicts[["guesses", "why"]].itertuples(index=False, name=None)) == [
        (1, EDITED_AFTER_DEADLINE)
    ]


def test_of_a_message_that_was_always_late_the_last_version_is_listed(league):
    league.add([share(5, LATE)])
    league.add([share(1, LATE, LATE + timedelta(1))])
    assert league.resolved().results.empty
    assert list(league.resolved().conflicts["guesses"]) == [1]


def test_an_edit_in_time_replaces_the_share(league):
    league.add([share(5, IN_TIME), share(4, IN_TIME, IN_TIME + timedelta(hours=1))])
    assert list(league.resolved().results["guesses"]) == [4]


def test_a_late_edit_that_changes_nothing_else_does_not_matter(league):
    league.add([share(5, IN_TIME)])
    league.add([share(5, IN_TIME, LATE)])
    assert list(league.resolved().results["guesses"]) == [5]


def test_a_late_edit_of_a_message_that_was_never_seen_before_does_not_count(league):
    league.add([share(1, IN_TIME, LATE)])
    assert league.resolved().results.empty


def test_today_is_that_of_the_zone():
    now = datetime(2025, 10, 3, 12, tzinfo=UTC)
    assert [parse_puzzle("today", now, zone) for zone in ("", "Pacific/Auckland")] == [1567, 1568]


def test_numbers_of_many_summaries_agree_with_one_at_a_time():
    rng = np.random.default_rng(1)
    posted = rng.integers(1_700_000_000_000, 1_800_000_000_000, 500)
    for zone in ZONES:
        at = [datetime.fromtimestamp(ms / 1000, ZoneInfo(zone)).replace(tzinfo=None) for ms in posted]
        expected = [number_on((moment - timedelta(hours=12)).date()) for moment in at]
        assert numbers_summarized_at(posted, zone).tolist() == expected
        naive = [(moment - datetime(1970, 1, 1)) // timedelta(milliseconds=1) for moment in at]
        assert local_ms(posted, zone).tolist() == naive


def test_a_summary_until_noon_utc_is_of_the_day_before():
    noon = datetime(2025, 10, 4, 12, tzinfo=UTC)
    just_before = noon - timedelta(microseconds=1)
    in_auckland = noon.astimezone(ZoneInfo("Pacific/Auckland"))
    assert [number_summarized_at(at) for at in (just_before, noon, in_auckland)] == [1567, 1568, 1568]


@pytest.mark.parametrize(
    ("zone", "hint"), [("auckland", "Pacific/Auckland"), ("New York", "America/New_York"), ("Mars/Base", "unknown")]
)
def test_an_unknown_zone_is_refused_with_a_hint(zone, hint):
    with pytest.raises(UserError, match=hint):
        check_zone(zone)
