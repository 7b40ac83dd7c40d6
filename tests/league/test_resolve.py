"""Who played what: precedence of sources, and who is who."""

from datetime import UTC, datetime, timedelta

import pytest

from wordpl.core.errors import UserError
from wordpl.league import alias_log
from wordpl.league.names import bare_name
from wordpl.league.posts import DayFrom, GuildMember, Person, ReportedResult, ResultPost, Sighting
from wordpl.league.resolve import CONTRADICTS_SUMMARY, REPORTED_TWICE
from wordpl.league.store import ReadRange

START = datetime(2025, 10, 4, 7, tzinfo=UTC)
NUMBER = 1567
ALICE = Person("100000000000000001", True)


def post(key, person, guesses, day_from=DayFrom.DATE, posted=START, number=NUMBER):
    return ResultPost("discord", key, (ReportedResult(person, number, guesses),), day_from, "5", posted)


def rows(league, *columns):
    return [tuple(row) for row in league.resolved().results[list(columns)].to_numpy()]


@pytest.mark.parametrize("day_from", [DayFrom.DATE, DayFrom.PICTURE])
@pytest.mark.parametrize("is_share_first", [True, False])
def test_the_app_s_summary_is_the_fact_and_a_share_that_contradicts_it_is_a_conflict(store, day_from, is_share_first):
    league = store.league("a")
    both = [post("1", ALICE, 7, day_from), post("2", ALICE, 1, DayFrom.TEXT)]
    league.add(both[::-1] if is_share_first else both)
    assert rows(league, "guesses") == [(7,)]
    found = league.resolved().conflicts
    assert list(found.loc[~found["counts"], "guesses"]) == [1]
    assert set(found.loc[~found["counts"], "why"]) == {CONTRADICTS_SUMMARY}


def test_two_shares_that_differ_do_not_count(store):
    league = store.league("a")
    league.add([post("1", ALICE, 3, DayFrom.TEXT), post("2", ALICE, 4, DayFrom.TEXT)])
    found = league.resolved()
    assert found.results.empty
    assert set(found.conflicts["why"]) == {REPORTED_TWICE}


def test_a_stored_share_of_a_later_puzzle_does_not_count(store):
    league = store.league("a")
    league.add([post("1", ALICE, 1, DayFrom.TEXT, number=99_999)])
    found = league.resolved()
    assert found.results.empty
    assert "later" in found.conflicts["why"][0]


def test_a_deleted_message_withdraws_its_results_and_comes_back_if_it_is_seen(store):
    league, said = store.league("a"), post("10", ALICE, 3)
    league.add([said])
    assert league.withdraw_missing(ReadRange("5", 1, 20, frozenset(["11"]))) == 1
    league.add([said])
    assert rows(league, "guesses") == [], "an older copy, as in an export, does not bring it back"
    assert league.withdraw_missing(ReadRange("5", 1, 20, frozenset(["10"]))) == 0
    league.add([said])
    assert rows(league, "guesses") == [(3,)]


def test_deletions_touch_their_range_and_channel_alone(store):
    league = store.league("a")
    league.add([post("10", ALICE, 3)])
    assert league.withdraw_missing(ReadRange("5", 11, 20, frozenset())) == 0
    assert league.withdraw_missing(ReadRange("6", 1, 20, frozenset())) == 0


def test_a_game_that_was_begun_belongs_to_the_channel_s_next_summary(store):
    league, bob = store.league("a"), Person("100000000000000002", True)
    begun = [post(f"{at}", who, 0, posted=START - timedelta(hours=9)) for at, who in enumerate((ALICE, bob), 20)]
    league.add([*begun, post("10", ALICE, 3)])
    assert league.resolved().unfinished["player"].tolist() == [bob.key]
    assert league.resolved().unfinished["day"].tolist() == [NUMBER]


def test_the_app_s_nickname_is_the_member(store):
    league = store.league("a")
    league.save_members([GuildMember(ALICE.key, "Ally", "Alice", "alice_1")], START)
    league.add([post("1", ALICE, 3), post("2", Person("Ally", False), 4, number=NUMBER + 1)])
    assert rows(league, "player", "day") == [("Ally", NUMBER), ("Ally", NUMBER + 1)]


@pytest.mark.parametrize("written", ["flame91", "ＦＬＡＭＥ91", "★ Flame91 🔥", "Flame_91"])
def test_names_match_without_case_compatibility_forms_and_decoration(store, written):
    league = store.league("a")
    league.add([post("1", Person(written, False), 4)], [Sighting(ALICE.key, "Flame91", START, True)])
    assert league.resolved().ids == {"Flame91": ALICE}


def test_two_spellings_of_a_name_that_nobody_has_are_one_player(store):
    league = store.league("a")
    league.add([post("1", Person("Flame91", False), 4), post("2", Person("flame91", False), 5, number=NUMBER + 1)])
    assert rows(league, "player") == [("Flame91",), ("Flame91",)]


def test_a_name_that_nobody_has_is_unconfirmed_with_suggestions_and_is_not_merged(store):
    league = store.league("a")
    league.add(
        [post("1", ALICE, 3), post("2", Person("Alicia", False), 4)], [Sighting(ALICE.key, "Alice", START, True)]
    )
    found = league.resolved()
    assert set(found.results["player"]) == {"Alice", "Alicia"}
    assert found.unconfirmed.to_dict("records") == [{"name": "Alicia", "suggestions": (ALICE.key,), "n_results": 1}]


def test_a_spelling_that_two_members_share_stays_open(store):
    league = store.league("a")
    league.save_members([GuildMember("1", "Ally", "", "a"), GuildMember("2", "ally!", "", "b")], START)
    league.add([post("1", Person("ALLY!!", False), 4)])
    assert list(league.resolved().unresolved["candidates"]) == [("1", "2")]


def test_a_merge_and_a_split_are_logged_and_undone(store):
    league = store.league("a")
    league.add([post("1", ALICE, 3), post("2", Person("Other", False), 4, number=NUMBER + 1)])
    alias_log.merge(league, "Other", ALICE.key, "admin")
    assert {name for (name,) in rows(league, "player")} == {ALICE.key}
    change = alias_log.undo(league, 1, "admin")
    assert (change.action, change.actor) == ("merge", "admin")
    assert len({name for (name,) in rows(league, "player")}) == 2
    assert [(one.action, one.undone) for one in alias_log.changes(league)] == [("merge", True), ("undo", False)]
    with pytest.raises(UserError, match="already been undone"):
        alias_log.undo(league, 1, "admin")
    alias_log.undo(league, 2, "admin")
    assert {name for (name,) in rows(league, "player")} == {ALICE.key}


def test_a_split_name_is_nobody_else(store):
    league = store.league("a")
    league.add([post("1", Person("Alice", False), 4)], [Sighting(ALICE.key, "Alice", START, True)])
    alias_log.split(league, "Alice", (0, NUMBER), "admin")
    assert [person.is_id for person in league.resolved().ids.values()] == [False]


def test_a_name_without_letters_keeps_its_signs():
    assert bare_name("🔥🔥") == "🔥🔥"
