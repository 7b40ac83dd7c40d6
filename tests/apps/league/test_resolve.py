"""Results resolved from reports: precedence of sources and identity of players."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from wordpl.apps.league import alias_log
from wordpl.apps.league.database import results
from wordpl.apps.league.player_names import Alias, KnownName, NameResolver, bare_name
from wordpl.apps.league.posts import DayFrom, DiscordUser, Person, ReportedResult, ResultPost, Sighting
from wordpl.apps.league.resolve import CONTRADICTS_SUMMARY, REPORTED_TWICE
from wordpl.core.messages import UserError

START = datetime(2025, 10, 4, 7, tzinfo=UTC)
NUMBER = 1567
ALICE = Person("100000000000000001", True)


def post(key, person, guesses, day_from=DayFrom.DATE, posted=None, number=NUMBER):
    """Return a post, by default on the day after the puzzle's."""
    posted = posted or START + timedelta(number - NUMBER)
    return ResultPost("discord", key, (ReportedResult(person, number, guesses),), day_from, "5", posted)


def rows(league, *columns):
    return [tuple(row) for row in league.resolved().results[list(columns)].to_numpy()]


@pytest.mark.parametrize("day_from", [DayFrom.DATE, DayFrom.PICTURE])
@pytest.mark.parametrize("is_share_first", [True, False])
def test_a_summary_overrides_a_contradicting_share_and_the_conflict_is_listed(store, day_from, is_share_first):
    league = store.league("a")
    reports = [post("1", ALICE, 7, day_from), post("2", ALICE, 1, DayFrom.TEXT)]
    league.add(reports[::-1] if is_share_first else reports)
    assert rows(league, "guesses") == [(7,)]
    conflicts = league.resolved().conflicts
    assert list(conflicts.loc[~conflicts["counts"], "guesses"]) == [1]
    assert set(conflicts.loc[~conflicts["counts"], "why"]) == {CONTRADICTS_SUMMARY}


def test_contradicting_shares_do_not_count(store):
    league = store.league("a")
    league.add([post("1", ALICE, 3, DayFrom.TEXT), post("2", ALICE, 4, DayFrom.TEXT)])
    resolved = league.resolved()
    assert resolved.results.empty
    assert set(resolved.conflicts["why"]) == {REPORTED_TWICE}


def test_a_stored_share_of_a_future_puzzle_does_not_count(store):
    league = store.league("a")
    league.add([post("1", ALICE, 1, DayFrom.TEXT, START, number=99_999)])
    resolved = league.resolved()
    assert resolved.results.empty
    assert "later" in resolved.conflicts["why"][0]


def test_results_of_a_deleted_message_return_only_if_it_is_seen_again(store):
    league, reported = store.league("a"), post("10", ALICE, 3)
    league.add([reported])
    assert league.withdraw_missing("5", 1, 20, frozenset(["11"])) == 1
    league.add([reported])
    assert rows(league, "guesses") == [], "an older copy, as in an export, does not bring it back"
    with league.reading() as connection:
        assert connection.execute(results.select()).all() == [], "nothing of it is stored"
    assert league.withdraw_missing("5", 1, 20, frozenset(["10"])) == 0
    league.add([reported])
    assert rows(league, "guesses") == [(3,)]


@pytest.mark.parametrize("is_edit_first", [True, False])
def test_the_number_of_a_picture_stays_that_of_an_edited_summary_without_one(store, is_edit_first):
    league = store.league("a")
    pictured = post("1", ALICE, 3, DayFrom.PICTURE, START, NUMBER + 1)
    edited = replace(post("1", ALICE, 4, DayFrom.DATE, START), edited=START + timedelta(hours=1))
    for reading in (edited, pictured) if is_edit_first else (pictured, edited):
        league.add([reading])
    assert rows(league, "day", "guesses") == [(NUMBER + 1, 4)]


def test_a_dated_summary_is_of_the_puzzle_in_the_picture_of_its_copy(store):
    league, copy = store.league("a"), post("2", ALICE, 3, DayFrom.PICTURE, START, NUMBER + 1)
    league.add([post("1", ALICE, 3, posted=START), replace(copy, channel="6")])
    assert rows(league, "day", "guesses") == [(NUMBER + 1, 3)]


def test_deletions_affect_only_their_range_and_channel(store):
    league = store.league("a")
    league.add([post("10", ALICE, 3)])
    for channel, first, last, n_deleted in (("5", 11, 20, 0), ("5", 1, 9, 0), ("6", 1, 20, 0), ("5", 10, 10, 1)):
        assert league.withdraw_missing(channel, first, last, frozenset()) == n_deleted
    assert league.withdraw_missing("5", 10, 10, frozenset()) == 0, "it is deleted once"


def test_a_started_game_belongs_to_the_next_summary_of_the_channel(store):
    league, bob, cy = store.league("a"), Person("100000000000000002", True), Person("100000000000000003", True)
    started = [
        post(f"{key}", player, 0, posted=START - timedelta(hours=9)) for key, player in enumerate((ALICE, bob), 20)
    ]
    elsewhere = replace(post("30", cy, 0, posted=START - timedelta(hours=9)), channel="6")
    long_ago = post("31", cy, 0, posted=START - timedelta(hours=37))
    league.add([*started, elsewhere, long_ago, post("10", ALICE, 3), post("32", Person("Unknown", False), 0)])
    assert league.resolved().unfinished["player"].tolist() == [bob.key]
    assert league.resolved().unfinished["day"].tolist() == [NUMBER]
    assert league.resolved().unresolved.empty, "a game that was started is no result"
    assert league.n_reports() == 1


def test_a_nickname_in_a_summary_identifies_the_member(store):
    league = store.league("a")
    league.save_members([DiscordUser(ALICE.key, "Ally", "Alice", "alice_1")], START)
    league.add([post("1", ALICE, 3), post("2", Person("Ally", False), 4, number=NUMBER + 1)])
    assert rows(league, "player", "day") == [("Ally", NUMBER), ("Ally", NUMBER + 1)]


@pytest.mark.parametrize("spelling", ["flame91", "ＦＬＡＭＥ91", "★ Flame91 🔥", "Flame_91"])
def test_names_match_regardless_of_case_width_and_decoration(store, spelling):
    league = store.league("a")
    league.add([post("1", Person(spelling, False), 4)], [Sighting(ALICE.key, "Flame91", START, True)])
    assert league.resolved().ids == {"Flame91": ALICE}


def test_spellings_of_an_unknown_name_are_one_player(store):
    league = store.league("a")
    league.add([post("1", Person("Flame91", False), 4), post("2", Person("flame91", False), 5, number=NUMBER + 1)])
    assert rows(league, "player") == [("Flame91",), ("Flame91",)]


def test_an_unknown_name_is_listed_with_suggestions_and_not_merged(store):
    league = store.league("a")
    league.add(
        [post("1", ALICE, 3), post("2", Person("Alicia", False), 4)], [Sighting(ALICE.key, "Alice", START, True)]
    )
    resolved = league.resolved()
    assert set(resolved.results["player"]) == {"Alice", "Alicia"}
    assert resolved.unconfirmed.to_dict("records") == [{"name": "Alicia", "suggestions": (ALICE.key,), "n_results": 1}]


def test_a_name_that_fits_two_members_stays_unresolved(store):
    league = store.league("a")
    league.save_members([DiscordUser("1", "Ally", "", "a"), DiscordUser("2", "ally!", "", "b")], START)
    league.add([post("1", Person("ALLY!!", False), 4)])
    assert list(league.resolved().unresolved["candidates"]) == [("1", "2")]


def test_an_alias_holds_from_its_first_to_its_last_puzzle(store):
    league, twin = store.league("a"), Person("Twin", False)
    league.add([post(f"{n}", twin, 4, number=NUMBER + n) for n in range(4)])
    alias_log.add_alias(league, Alias("Twin", ALICE.key, NUMBER + 1, NUMBER + 2), "host")
    assert [day for name, day in rows(league, "player", "day") if name == ALICE.key] == [NUMBER + 1, NUMBER + 2]
    for first, last in ((NUMBER + 2, NUMBER + 3), (NUMBER, NUMBER + 1), (0, 9999)):
        for player in ("Other", ALICE.key):
            with pytest.raises(UserError, match=f"'Twin' already stands for '{ALICE.key}' from 2025-10-04"):
                alias_log.add_alias(league, Alias("Twin", player, first, last), "host")
    alias_log.add_alias(league, Alias("Twin", "17", NUMBER + 3, NUMBER + 3), "host")  # too short for an id
    assert league.resolved().ids["17"] == Person("17", False)
    resolved = league.names()
    assert resolved.look_up("Twin").player == Person("twin", False), "it stands for several people"
    league.add([], [Sighting("17", "Seventeen", START, True)])
    assert league.resolved().ids["Seventeen"] == Person("17", True)


def test_people_are_shown_by_their_nickname_or_else_by_the_name_that_was_seen_last(store):
    league, bob, cy = store.league("a"), Person("100000000000000002", True), Person("100000000000000003", True)
    league.add([post(f"{n}", person, 3) for n, person in enumerate((ALICE, bob, cy, Person("Unknown", False)))])
    later = START + timedelta(days=9)
    league.add([], [Sighting(ALICE.key, "New", later, True), Sighting(ALICE.key, "Old", START, True),
                    Sighting(ALICE.key, "account", later + timedelta(days=1), False),
                    Sighting(ALICE.key, "New", START, True)])  # fmt: skip
    league.add([], [Sighting(ALICE.key, "New", START, True), Sighting(cy.key, "Bobby", later, True)])
    league.save_members([DiscordUser(bob.key, "", "Bobby", "bob_1")], START)
    resolved = league.resolved()
    assert resolved.ids == {"New": ALICE, f"Bobby ({bob.key})": bob, f"Bobby ({cy.key})": cy}
    assert list(resolved.unresolved["name"]) == ["Unknown"]
    league.save_members([DiscordUser(ALICE.key, "Nick", "Global", "alice_1")], START)
    assert league.resolved().ids["Nick"] == ALICE


def test_similar_names_are_suggested_the_most_similar_first():
    known = [KnownName(id, name, True, 0) for id, name in (("1", "Alexander the Great"), ("2", "Alex"), ("3", "Al"),
                                                           ("4", "Alexa"), ("5", "Zoe"))]  # fmt: skip
    names = NameResolver(known, ())
    assert names.suggestions("alexa!") == ("4", "2", "1")
    assert names.suggestions("xa") == (), "two letters are in many names"


def test_merges_and_splits_are_logged_and_can_be_undone(store):
    league = store.league("a")
    league.add([post("1", ALICE, 3), post("2", Person("Other", False), 4, number=NUMBER + 1)])
    alias_log.merge(league, "Other", ALICE.key, "admin")
    assert {name for (name,) in rows(league, "player")} == {ALICE.key}
    change = alias_log.undo(league, 1, "host")
    assert (change.action, change.actor) == ("merge", "admin")
    assert len({name for (name,) in rows(league, "player")}) == 2
    logged = [(entry.action, entry.actor, entry.undone) for entry in alias_log.changes(league)]
    assert logged == [("merge", "admin", True), ("undo", "host", False)]
    with pytest.raises(UserError, match="already been undone"):
        alias_log.undo(league, 1, "admin")
    alias_log.undo(league, 2, "admin")
    assert {name for (name,) in rows(league, "player")} == {ALICE.key}


def test_an_undo_waits_for_later_changes_and_leaves_other_leagues_alone(store):
    league, other = store.league("a"), store.league("b")
    for each in (other, league):
        assert alias_log.add_alias(each, Alias("Twin", "1", 0, 9), "host") == 1
    alias_log.add_alias(league, Alias("Twin", "3", 20, 29), "host")
    alias_log.undo(league, 1, "host")
    alias_log.add_alias(league, Alias("Twin", "2", 5, 9), "host")
    with pytest.raises(UserError, match="already stands for '2'"):
        alias_log.undo(league, 3, "host")
    assert league.aliases() == [Alias("Twin", "2", 5, 9), Alias("Twin", "3", 20, 29)]
    assert alias_log.remove_aliases(league, "Twin", "host") == 2
    with pytest.raises(UserError, match="a later change has already removed the alias of change 4"):
        alias_log.undo(league, 4, "host")
    assert other.aliases() == [Alias("Twin", "1", 0, 9)]
    assert [entry.undone for entry in alias_log.changes(other)] == [False]
    with pytest.raises(UserError, match="there is no change 2"):
        alias_log.undo(other, 2, "host")


def test_players_are_merged_once_and_in_one_direction(store):
    league = store.league("a")
    league.add([post("1", Person("Ann", False), 3), post("2", Person("Bob", False), 4)])
    for player in ("ann", "Ann"):
        with pytest.raises(UserError, match="are already the same player"):
            alias_log.merge(league, player, player, "host")
    league.add([], [Sighting(ALICE.key, "Alice", START, True)])
    with pytest.raises(UserError, match="are already the same player"):
        alias_log.merge(league, ALICE.key, "Alice", "host")
    alias_log.merge(league, "Ann", "Bob", "host")
    with pytest.raises(UserError, match="'Ann' is already counted as 'Bob': undo that change first"):
        alias_log.merge(league, "Bob", "Ann", "host")


def test_a_split_name_is_a_player_of_its_own(store):
    league = store.league("a")
    league.add([post("1", Person("Alice", False), 4)], [Sighting(ALICE.key, "Alice", START, True)])
    alias_log.split(league, "Alice", (0, NUMBER), "admin")
    assert [person.is_id for person in league.resolved().ids.values()] == [False]


def test_a_name_without_letters_keeps_its_symbols():
    assert bare_name("🔥🔥") == "🔥🔥"
