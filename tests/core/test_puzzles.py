"""Puzzles have numbers and days, and answers that are known: what contradicts them is refused."""

from datetime import UTC, date, datetime, timedelta
from functools import partial
from io import BytesIO

import numpy as np
import pytest

from wordpl.core import known_answers, puzzles, words
from wordpl.core.messages import UserError

NOON = datetime(2025, 10, 3, 12, tzinfo=UTC)  # the day of puzzle 1567


def ms(moment):
    return np.array([int(moment.timestamp() * 1000)])


@pytest.mark.parametrize(
    ("text", "zone", "number"),
    [(None, "", None), (" Today ", "", 1567), ("yesterday", "", 1566), ("1,568", "", 1568), ("0", "", 0),
     ("2025-10-04", "", 1568), ("today", "Pacific/Kiritimati", 1568), ("today", "UTC", 1567)],
)  # fmt: skip
def test_a_day_is_named_by_its_number_its_date_or_its_distance_from_today(text, zone, number):
    assert puzzles.parse_puzzle(text, NOON, zone) == number


@pytest.mark.parametrize("text", ["1569", "2025-10-05", "-1", "2021-06-18", "tomorrow", "1²"])
def test_a_day_without_a_puzzle_up_to_tomorrow_is_refused(text):
    with pytest.raises(UserError, match="a day is a puzzle number"):
        puzzles.parse_puzzle(text, NOON)


def test_a_day_begins_at_midnight_in_each_zone_and_clocks_change_at_quarters():
    for hour, minute, number in ((21, 59, 1566), (22, 0, 1567)):
        moment = datetime(2025, 10, 2, hour, minute, 59, tzinfo=UTC)
        assert puzzles.today_in("Europe/Berlin", moment) == number
        assert puzzles.number_at_ms(puzzles.local_ms(ms(moment), "Europe/Berlin")) == number
    assert puzzles.number_at_ms(np.array([0])) == puzzles.number_on(date(1970, 1, 1))
    change = datetime(2025, 10, 26, 1, tzinfo=UTC)  # summer time ends
    moments = np.concatenate([ms(change - timedelta(seconds=1)), ms(change)])
    assert ((puzzles.local_ms(moments, "Europe/Berlin") - moments) / 3_600_000).tolist() == [2, 1]


def test_a_summary_reports_the_puzzle_of_the_day_that_ends_at_its_midnight():
    for hours, number in ((11, 1566), (12, 1567), (35, 1567), (36, 1568)):
        posted = datetime(2025, 10, 3, tzinfo=UTC) + timedelta(hours=hours)
        assert puzzles.number_summarized_at(posted) == puzzles.numbers_summarized_at(ms(posted), "") == number


def test_tomorrow_s_puzzle_may_be_reported_today_as_it_is_tomorrow_further_east():
    late = datetime.fromisoformat("2025-10-03T23:30-05:00")  # the 4th in UTC
    assert [puzzles.is_too_late(number, NOON) for number in (1567, 1568, 1569)] == [False, False, True]
    assert [puzzles.is_too_late(number, late) for number in (1569, 1570)] == [False, True]


def test_the_only_number_that_fits_the_day_is_found_in_a_text():
    posted = NOON + timedelta(hours=23)
    for text, number in {"1,569 of 5": 1569, "1.565!": 1565, "1,570": None, "1,564": None, "1566 1567": None,
                         "1567 or 1,567": 1567, "11,567": None, "x" * 2000 + "1567": None}.items():  # fmt: skip
        assert puzzles.find_number(text, posted) == number, text
    assert [puzzles.parse_number(text) for text in ("99,999", "100000", "", "1567 ")] == [99_999, None, None, None]


def test_a_zone_is_known_by_its_name_and_suggested_by_its_city():
    assert puzzles.check_zone(" Europe/Berlin ") == "Europe/Berlin"
    for name, city in (("berlin", "Europe/Berlin"), ("new york", "America/New_York"), ("Europe/Berln", "Europe/Berl")):
        with pytest.raises(UserError, match=f"Did you mean '?{city}"):
            puzzles.check_zone(name)


def days_in(tmp_path, text):
    (tmp_path / "days.csv").write_text(text, encoding="utf-8-sig")
    return known_answers.read(tmp_path / "days.csv")


def test_answers_are_read_by_day_or_by_number(tmp_path):
    expected = {date(2026, 1, 31): "crane", date(2026, 2, 1): "slate"}
    assert days_in(tmp_path, "# from\nDate, Word\n2026-01-31, CRANE\n2026-02-01,slate\n2026-02-01,slate\n") == expected
    assert days_in(tmp_path, "number,word\n1687,crane\n1688,slate\n") == expected
    (tmp_path / "again.csv").write_bytes(known_answers.as_csv(expected, "# Source: x\n"))
    assert known_answers.read(tmp_path / "again.csv") == expected


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("2026-01-31,crane\n", "should begin with the line date,word"),
        ("date,word\n2026-01-31,crane\n2026-01-31,slate\n", "line 3: 2026-01-31 has the answers crane and slate"),
        ("date,word\n2021-06-18,crane\n", "line 2: 2021-06-18 is before the first puzzle"),
        ("date,word\n2026-01-31,cr4ne\n", "'cr4ne' is not a word of letters"),
        ("date,word\n2026-01-31,crane,x\n", "should be a day and a word"),
    ],
)
def test_a_file_of_answers_with_a_wrong_line_is_refused_with_the_line(tmp_path, text, complaint):
    with pytest.raises(UserError, match=complaint):
        days_in(tmp_path, text)


def test_answers_that_contradict_what_is_known_are_refused():
    guesses, today = words.bundled("modern"), date(2026, 1, 31)
    late = known_answers.UNDATED_UNTIL + timedelta(1)
    unused = next(word for word in words.load().answers if word not in words.bundled("undated-answers"))
    known_answers.check({late: unused, today + timedelta(1): "crane", date(2021, 6, 19): "cigar"}, guesses, today, "x")
    for days, complaint in (
        ({today: "zzzzz"}, "not among the"),
        ({today + timedelta(2): "crane"}, "2026-02-02, which is in the future"),
        ({known_answers.LAST_DATED: "cigar"}, "is known to be it"),
        ({known_answers.UNDATED_UNTIL: unused}, "was no answer until 2025-09-29"),
    ):
        with pytest.raises(UserError, match=complaint):
            known_answers.check(days, guesses, today, "x")
    with pytest.raises(UserError, match="x has slate as the answer of 2026-01-31, but crane is known"):
        known_answers.merge({today: "crane"}, {today: "slate"}, "x")
    assert list(known_answers.merge({today: "crane"}, {late: unused}, "x")) == [late, today]


def test_the_days_between_without_an_answer_are_named():
    first = known_answers.UNDATED_UNTIL + timedelta(1)
    assert known_answers.missing_days({}) == known_answers.missing_days({first: "crane"}) == []
    missing = known_answers.missing_days({first + timedelta(5): "crane"})
    assert missing == [first + timedelta(n) for n in range(5)]
    assert known_answers.describe_missing(missing).endswith("5 days: 2025-09-30, 2025-10-01, 2025-10-02, ....")
    assert known_answers.describe_missing([]) == ""


def test_known_answers_are_the_original_ones_and_those_of_past_days():
    dated = known_answers.dated({date(2026, 1, 31): "zesty"})
    assert dated[known_answers.LAST_DATED] == words.bundled("puzzle-order")[240]
    assert len(dated) == 242
    assert known_answers.LAST_DATED + timedelta(1) not in dated
    undated = set(words.bundled("undated-answers"))
    assert known_answers.played({date(2026, 1, 31): "zzzzz"}) == undated | {"zzzzz"}
    all_known = known_answers.all_known(words.bundled("modern"), {})
    assert all_known == undated | set(words.bundled("puzzle-order"))
    assert known_answers.all_known(["cigar", "aahed"], {}) == {"cigar"}


def test_a_page_is_asked_for_each_day_that_is_not_known_yet(monkeypatch):
    asked = []

    def reply(url):
        asked.append(url)
        return f'{{"solution": "crane", "print_date": "{url[-10:]}"}}'

    monkeypatch.setattr(known_answers, "_fetched", reply)
    days = known_answers.published("https://x/{day}", date(2026, 1, 30), date(2026, 2, 1))
    assert days == {date(2026, 1, 31): "crane", date(2026, 2, 1): "crane"}
    assert asked == ["https://x/2026-01-31", "https://x/2026-02-01"]
    with pytest.raises(UserError, match="nothing to read"):
        known_answers.published("https://x/{day}", date(2026, 2, 1), date(2026, 2, 1))
    monkeypatch.setattr(known_answers, "_fetched", lambda url: '{"solution": "crane", "print_date": "2026-01-01"}')
    with pytest.raises(UserError, match="does not publish the answer of 2026-01-31"):
        known_answers.published("https://x/{day}", date(2026, 1, 30), date(2026, 2, 1))


def test_a_file_of_answers_needs_words_that_can_be_guessed(tmp_path):
    (tmp_path / "days.csv").write_text("date,word\n2031-01-31,crane\n")
    days = known_answers.with_file(tmp_path / "days.csv", ["crane"])
    assert days[date(2031, 1, 31)] == "crane"
    assert days.keys() > known_answers.with_file(None, []).keys()
    with pytest.raises(UserError, match=r"1 words of .*days.csv are not among the 1 words"):
        known_answers.with_file(tmp_path / "days.csv", ["slate"])


@pytest.mark.parametrize(
    ("url", "reply", "complaint"),
    [
        ("file:///etc/passwd", b"", "is no address of a page: it should start with https"),
        ("https://x", b"x" * ((1 << 20) + 1), "is larger than 1 MiB: that is no table of answers"),
        ("https://x", b"\xff", "cannot read https://x"),
        ("https://x", b"date,word\n2026-01-31,crane\n", ""),
    ],
)
def test_a_page_is_read_within_limits(monkeypatch, url, reply, complaint):
    monkeypatch.setattr("urllib.request.urlopen", lambda request, timeout: BytesIO(reply))
    read = partial(known_answers.published, url, date(2026, 1, 30), date(2026, 1, 31))
    if complaint:
        with pytest.raises(UserError, match=complaint):
            read()
    else:
        assert read() == {date(2026, 1, 31): "crane"}
