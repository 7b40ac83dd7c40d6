"""A person who is forgotten is in no table, no file and no later import."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.apps.league.test_resolve import ALICE, NUMBER, START, post, rows
from wordpl.apps.league import alias_log, schedules
from wordpl.apps.league.database import METADATA, backup, forgotten, posts
from wordpl.apps.league.player_names import Alias
from wordpl.apps.league.posts import DayFrom, DiscordUser, NotRead, Person, ReportedResult, ResultPost, Sighting
from wordpl.apps.league.privacy import HIDE, read_forgotten
from wordpl.apps.league.store import LeagueStore
from wordpl.core.messages import UserError
from wordpl.core.puzzles import LAST_NUMBER

BOB = Person("100000000000000002", True)
NOW = START + timedelta(days=30)
SUMMARY = ResultPost(
    "discord", "1", (ReportedResult(ALICE, -1, 3), ReportedResult(BOB, -1, 4)), DayFrom.DATE, "5", START
)
GRID = ".i... aliceword\nccccc"
SHARE = ResultPost("discord", "2", (ReportedResult(ALICE, NUMBER, 3, False, GRID),), DayFrom.TEXT, "5", START)
TABLE = ResultPost("table", "table", (ReportedResult(Person("Alice", False), NUMBER + 1, 5),))
MEMBERS = [DiscordUser(ALICE.key, "Alice", "Alice W.", "alice_w"), DiscordUser(BOB.key, "Bob", "", "bob")]


@pytest.fixture
def store(url):
    """A store with files of its own, from which the deleted rows are removed."""
    with closing(LeagueStore(url)) as store:
        yield store


@pytest.fixture
def league(store):
    """A league in which everything that can name Alice does."""
    league = store.league("91", "A Group")
    fill(league)
    alias_log.add_alias(league, Alias("Ally old", ALICE.key, 0, 99_999), BOB.key)
    alias_log.add_alias(league, Alias("Bobby", BOB.key, 0, 99_999), ALICE.key)
    league.set_choice(ALICE, HIDE, is_on=True)
    daily = schedules.make_schedule(schedules.DAILY, "5", "09:30", "UTC", START)
    for period, text in (("2025-10-05", "Streaks: ALICE 3 days."), ("2025-10-06", "Crowns: mad\\_cat 3.")):
        schedules.claim_period(league, daily, period, START)
        (claimed,) = (one for one in schedules.read_announcements(league) if one.period == period)
        schedules.record_outcome(league, claimed._replace(state=schedules.SENT, text=text))
    return league


@pytest.fixture
def with_more(league):
    """The same league, in which Alice's shares were late or not read, and she has accepted one of Bob's."""
    league.save_unread("5", [], [NotRead(77, ALICE.key, "no share")])
    late = [post(key, person, 5, DayFrom.TEXT, NOW, NUMBER + 2) for key, person in (("7", ALICE), ("8", BOB))]
    league.add(late, (), 1)
    league.add([replace(SHARE, edited=NOW)], (), 1)  # an undo brings back what it was
    league.add([], [Sighting(ALICE.key, name, START, True) for name in ("D`Arcy", "Mad_Cat")])
    league.log_import(1, "Chat with d`arcy.txt", "host")
    league.accept("Alice", NUMBER + 2, BOB.key)
    league.accept("Bob", NUMBER + 2, ALICE.key)
    return league


def fill(league):
    league.save_members(MEMBERS, START)
    league.add([SUMMARY, SHARE, TABLE], [Sighting(ALICE.key, "Alice then", START, True)])


def stored(league, table):
    with league.reading() as connection:
        return connection.execute(table.select()).all()


def contents(league, *, of_league=False):
    """Return all stored values as text, or those of the rows that name the league."""
    rows = (row for table in METADATA.sorted_tables for row in stored(league, table))
    return "\n".join(repr(tuple(row)) for row in rows if not of_league or getattr(row, "league_id", 0) == league.id)


def test_a_forgotten_person_is_nowhere_and_the_others_stay(with_more):
    league = with_more
    assert league.forget("Alice", NOW) == 4
    text = contents(league)
    for trace in (ALICE.key, "Alice", "ALICE", "alice", "Ally", "aliceword", "arcy", "cat 3"):
        assert trace not in text
    assert rows(league, "player", "guesses") == [("Bob", 4), ("Bob", 5)]
    assert league.who_chose(HIDE) == frozenset()
    assert {row.key for row in stored(league, posts)} == {"1", "8", "table"}, "a message of hers alone is gone"
    league.save_unread("5", [], [NotRead(78, ALICE.key, "no share")])
    league.undo_import(1)
    assert ALICE.key not in contents(league) and "aliceword" not in contents(league)


def test_another_league_of_the_store_forgets_nobody(league, store):
    other = store.league("92", "Another Group")
    fill(other)
    other.set_choice(ALICE, HIDE, is_on=True)
    alias_log.add_alias(other, Alias("Ally old", ALICE.key, 0, 99_999), BOB.key)
    before = contents(other, of_league=True)
    league.forget("Alice", NOW)
    assert contents(other, of_league=True) == before
    other.forget("Alice", NOW)
    league.remember([ALICE])
    fill(other)
    assert ALICE not in other.resolved().ids.values(), "each league remembers for itself"


def test_a_digest_tells_neither_whose_it_is_nor_a_name_from_an_id(league, store):
    other = store.league("92", "Another Group")
    for each in (league, other):
        each.add([replace(TABLE, results=(ReportedResult(Person("17", False), NUMBER, 3),))])
        each.forget("17", NOW)
    digests = [row[1] for row in stored(league, forgotten)]
    assert len(set(digests)) == 2, "salted by the league"
    league.add([post("9", Person("17", True), 6)])
    assert ("17", 6) in rows(league, "player", "guesses"), "the account 17 is somebody else"


@pytest.mark.parametrize("text", [ALICE.key, "Ally old", "alice_w"])
def test_a_person_is_forgotten_by_any_name_or_id(league, text):
    league.forget(text, NOW)
    assert ALICE.key not in contents(league)


def test_later_imports_and_syncs_do_not_bring_a_forgotten_person_back(league):
    league.forget("Alice", NOW)
    fill(league)
    league.add([post(f"3{n}", Person("★ ALICE", False), 2, number=NUMBER + n) for n in (5, 60)])
    assert rows(league, "player") == [("Bob",)]
    assert "lice" not in contents(league)


def test_a_forgotten_person_is_not_read_under_a_new_name_either(league):
    league.forget("Alice", NOW)
    renamed = [DiscordUser(ALICE.key, "Alicia", "Bob", "alice_w"), *MEMBERS[1:]]
    league.save_members(renamed, NOW)
    summary = replace(SUMMARY, key="3", posted=NOW, results=(by_name("Alicia", 2), by_name("Bob", 5)))
    league.add([summary])
    assert "Alicia" not in contents(league)
    counted = league.resolved().results
    assert set(counted["player"]) == {"Bob"}  # whose name the other one took, too
    assert sorted(counted["guesses"]) == [4, 5]
    league.remember([ALICE, Person("alicia", False)])
    league.add([replace(summary, key="4", posted=NOW + timedelta(days=1))])
    assert "Alicia" in set(league.resolved().results["player"])


def test_a_new_member_keeps_the_name_that_a_forgotten_one_takes_at_the_same_time(league):
    league.forget("Alice", NOW)
    league.save_members([DiscordUser(ALICE.key, "Carl", "", "alice_w"), DiscordUser("3", "Carl", "", "carl")], NOW)
    league.add([replace(SUMMARY, key="3", posted=NOW, results=(by_name("Carl", 2),))])
    assert ("Carl", 2) in rows(league, "player", "guesses")


def by_name(name, guesses):
    return ReportedResult(Person(name, False), -1, guesses)


def test_a_name_that_stood_for_a_person_for_some_days_is_forgotten_for_these(store):
    league, temp = store.league("a"), Person("Temp", False)
    typed = [post(f"1{n}", temp, 3, DayFrom.TEXT, number=NUMBER + n) for n in (0, 1, 5)]
    pictured = [post(f"3{n}", temp, 3, DayFrom.PICTURE, NOW, NUMBER + n) for n in (0, 4)]
    summaries = [post(f"{n}", temp, 3, number=NUMBER + n) for n in (0, 1, 5)]
    league.add([*typed, *pictured, *summaries], [Sighting(ALICE.key, "Al", START, True)])
    alias_log.add_alias(league, Alias("Temp", ALICE.key, NUMBER, NUMBER + 1), "host")
    assert league.forget("Al", NOW) == 5
    league.add([post(f"{n}", temp, 4, number=NUMBER + n) for n in (10, 11)])
    league.add([post(f"2{n}", temp, 5, number=NUMBER + n) for n in (-1, 0, 1, 2)])
    assert rows(league, "day") == [(NUMBER + n,) for n in (-1, 2, 4, 5, 10, 11)]


def test_a_name_of_two_people_is_covered_until_the_day_on_which_one_is_forgotten(store):
    league = store.league("a")
    league.add([post("1", ALICE, 3)], [Sighting(person.key, "Twin", START, True) for person in (ALICE, BOB)])
    league.forget(ALICE.key, NOW)
    with league.reading() as connection:
        known = read_forgotten(connection, league.id)
    today, twin = NUMBER + 31, Person("Twin", False)
    assert [known.covers(twin, number) for number in (None, 0, today, today + 1)] == [False, True, True, False]
    assert [known.covers(ALICE, number) for number in (None, 0, LAST_NUMBER)] == [True] * 3
    assert not known.covers(BOB)


def test_a_person_who_comes_back_is_read_again(league):
    league.forget("Alice", NOW)
    assert league.remember([ALICE, Person("Alice", False)]) == 2
    fill(league)
    assert ("Alice", NUMBER) in rows(league, "player", "day")


def test_a_name_that_two_share_does_not_pass_to_the_other(store):
    league = store.league("a")
    seen = [Sighting(person.key, "Twin", START, True) for person in (ALICE, BOB)]
    twin = Person("Twin", False)
    league.add([post("1", ALICE, 3), post("2", BOB, 4, number=NUMBER + 1), post("3", twin, 1)], seen)
    league.forget(ALICE.key, NOW)
    league.add([post("3", twin, 1)])
    assert rows(league, "player", "guesses") == [("Twin", 4)]
    later = post("4", twin, 5, number=NUMBER + 60)
    league.add([later])
    assert rows(league, "guesses") == [(4,), (5,)], "a name in new results stands for the one who is left"


def test_nothing_remains_in_the_files_of_the_store_and_of_a_later_backup(tmp_path):
    path = tmp_path / "league.sqlite"
    store = LeagueStore(str(path))
    league = store.league("91")
    fill(league)
    assert any(b"aliceword" in file.read_bytes() for file in tmp_path.iterdir())
    league.forget("Alice", NOW)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA freelist_count").fetchone() == (0,), "no page keeps what it had"
    backup(str(path), tmp_path / "backup.sqlite")
    for file in tmp_path.iterdir():
        for trace in (b"aliceword", b"Alice", b"alice_w", ALICE.key.encode()):
            assert trace not in file.read_bytes(), (Path(file).name, trace)
    store.close()


def test_all_that_is_stored_of_a_person_can_be_shown(league):
    league.add([post("9", Person(ALICE.key, False), 6)])  # somebody who calls himself like that
    data = league.stored_data("Alice")
    assert data["accounts"] == [ALICE.key]
    assert {"Alice", "Alice W.", "alice_w", "Alice then", "Ally old"} <= set(data["names"])
    assert sorted(result["guesses"] for result in data["results"]) == [3, 3, 5]
    assert data["choices"] == [HIDE]
    assert data["changes_by_or_about"] == [f"alias Ally old {ALICE.key}", f"alias Bobby {BOB.key}"]
    assert GRID in [result["grid"] for result in data["results"]]


def test_nobody_is_forgotten_by_a_mistyped_or_ambiguous_name(league):
    for name, right in (("Alicd", "Alice"), ("Alice thn", "Alice then")):
        with pytest.raises(UserError, match=f"Did you mean '{right}'"):
            league.forget(name, NOW)
    league.save_members([DiscordUser(BOB.key, "Alice", "", "bob")], NOW)
    with pytest.raises(UserError, match="give the id"):
        league.forget("Alice", NOW)
