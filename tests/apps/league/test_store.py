"""The store has the same contents in each kind of database, in whatever order posts are added."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from wordpl.apps.league.alias_log import add_alias, remove_aliases
from wordpl.apps.league.database import FORMAT, open_database
from wordpl.apps.league.player_names import Alias
from wordpl.apps.league.posts import DayFrom, NotRead, Person, ReportedResult, ResultPost, Sighting
from wordpl.apps.league.resolve import LeagueOptions
from wordpl.apps.league.store import ChannelProgress, LeagueStore
from wordpl.cli import main
from wordpl.core.messages import UserError

START = datetime(2025, 10, 4, 7, tzinfo=UTC)
PEOPLE = [Person("1", True), Person("2", True), Person("Player One", False), Person("Player Two", False)]
times = st.integers(0, 60).map(lambda hours: START + timedelta(hours=hours))


@st.composite
def posts(draw):
    """Posts of a few messages in several versions, and results without a message."""
    players = st.lists(st.sampled_from(PEOPLE), min_size=1, max_size=3, unique=True)
    day_from, number = draw(st.sampled_from(DayFrom)), draw(st.integers(1566, 1568))
    results = tuple(ReportedResult(person, number, draw(st.integers(1, 7))) for person in draw(players))
    if draw(st.booleans()):
        return ResultPost("table", "table", results)
    posted = draw(times)
    edited = draw(st.none() | st.integers(0, 3).map(lambda hours: posted + timedelta(hours=hours)))
    remaining_results = results if draw(st.integers(0, 9)) else ()
    return ResultPost("discord", str(draw(st.integers(1, 4))), remaining_results, day_from, "5", posted, edited)


sightings = st.builds(Sighting, st.sampled_from("12"), st.sampled_from(["Player One", "New"]), times, st.booleans())


def contents(league):
    resolved = league.resolved()
    return resolved.results.to_csv() + resolved.unresolved.to_csv() + resolved.conflicts.to_csv()


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_order_and_repetition_of_additions_do_not_matter(store, data):
    items = data.draw(st.lists(posts() | sightings, max_size=8))
    repeated_items = data.draw(st.permutations(items + items[:3]))
    leagues = [store.league(f"{len(store.leagues())}") for _ in range(2)]
    leagues[0].add(
        [item for item in items if isinstance(item, ResultPost)], [item for item in items if isinstance(item, Sighting)]
    )
    for item in repeated_items:
        leagues[1].add([item] if isinstance(item, ResultPost) else [], [item] if isinstance(item, Sighting) else [])
    assert contents(leagues[0]) == contents(leagues[1])


def test_a_store_keeps_its_contents_when_it_is_opened_again(url):
    store = LeagueStore(url)
    store.league("a").add([ResultPost("table", "table", (ReportedResult(PEOPLE[2], 1567, 4),))])
    store.league("a").save_progress("5", ChannelProgress(newest=9, oldest=2, complete=False))
    store.close()
    reopened_store = LeagueStore(url)
    assert reopened_store.find("a").n_reports() == 1
    assert reopened_store.find("a").progress("5") == ChannelProgress(9, 2, False)
    reopened_store.close()


def test_leagues_are_independent(store):
    for key, guesses in (("a", 3), ("b", 5)):
        store.league(key).add([ResultPost("table", "table", (ReportedResult(PEOPLE[2], 1567, guesses),))])
    assert [list(store.find(key).resolved().results["guesses"]) for key in "ab"] == [[3], [5]]
    store.find("a").add([], [Sighting("1", "Player One", START, True)])
    add_alias(store.find("a"), Alias("Player One", "Player Two", 0, 9999), "me")
    assert list(store.find("b").resolved().results.itertuples(index=False, name=None)) == [
        ("Player One", 1567, 5, "typed")
    ]
    assert store.find("b").aliases() == []
    for key in "ab":
        store.find(key).save_unread("5", [], [NotRead(77, "1", "no share")])
    store.find("b").save_unread("5", [77], [])
    assert [store.find(key).unread_ids("5") for key in "ab"] == [[77], []]
    with pytest.raises(UserError, match="several leagues"):
        store.find()


def test_a_league_is_found_by_its_key_or_else_by_its_name(store):
    start = START - timedelta(days=1)
    store.league("1", "Old", start), store.league("1", "New", START), store.league("1", "Older", start)
    store.league("New"), store.league("2", "Twins"), store.league("3", "Twins")
    assert store.leagues() == {"1": "New", "2": "Twins", "3": "Twins", "New": "New"}
    assert (store.find("New").key, store.find("1").key) == ("New", "1")
    with pytest.raises(UserError, match=r"2 leagues are called 'Twins': use --league with one of 1 \(New\), 2"):
        store.find("Twins")


def test_a_person_s_servers_are_those_with_results_of_the_account(store):
    for key, person in (("9", Person("1", True)), ("8", Person("1", False)), ("friends", Person("1", True))):
        store.league(key).add([ResultPost("table", "table", (ReportedResult(person, 1567, 3),))])
    assert store.servers_of("1") == ["9"]


@pytest.mark.parametrize(
    ("chosen", "complaint"),
    [
        (LeagueOptions(deadline_days=0), ""),
        (LeagueOptions("Asia/Tokyo", deadline_days=3650), ""),
        (LeagueOptions(deadline_days=-1), "a deadline is 0 to 3,650 days"),
        (LeagueOptions(deadline_days=3651), "a deadline is 0 to 3,650 days"),
        (LeagueOptions("Tokyo"), "Did you mean Asia/Tokyo"),
    ],
)
def test_a_league_keeps_what_it_has_chosen_within_the_limits(store, chosen, complaint):
    league = store.league("a")
    if complaint:
        with pytest.raises(UserError, match=complaint):
            league.choose(chosen)
    else:
        league.choose(chosen)
    assert league.options() == (LeagueOptions() if complaint else chosen)


def test_an_import_is_taken_back_alone_and_once(store):
    leagues = [store.league(key) for key in "ab"]
    for league in leagues:
        for number, guesses in ((1, 3), (2, 4)):
            assert league.next_import() == number
            result = ReportedResult(PEOPLE[2], 1566 + number, guesses)
            message = ResultPost("discord", f"{number}", (result,), posted=START)
            sighting = Sighting("1", f"Name {number}", START, True)
            league.add([ResultPost("table", "table", (result,)), message], [sighting], number)
            assert league.log_import(number, f"{number}.csv", "host")
    before, n_before = contents(leagues[1]), leagues[1].n_reports()
    leagues[0].undo_import(1)
    assert list(leagues[0].resolved().results["day"]) == [1568]
    assert set(leagues[0].names().ids_of_names) == {"Name 2"}
    assert [entry.undone for entry in leagues[0].imports()] == [True, False]
    assert (contents(leagues[1]), leagues[1].n_reports()) == (before, n_before)
    assert set(leagues[1].names().ids_of_names) == {"Name 1", "Name 2"}
    for number, complaint in ((1, "import 1 has already been taken back"), (3, "there is no import 3")):
        with pytest.raises(UserError, match=complaint):
            leagues[0].undo_import(number)
    leagues[0].undo_import(2)
    assert leagues[0].next_import() == 3, "a number is not used again"
    assert not leagues[0].log_import(3, "empty.csv", "host"), "it brought nothing"


@pytest.mark.parametrize("is_rewritten", [False, True])
def test_what_an_import_replaced_returns_unless_a_newer_import_has_replaced_it_too(store, is_rewritten):
    league = store.league("a")

    def read(guesses, seconds, number=None):
        result = ReportedResult(PEOPLE[0], 1567, guesses)
        post = ResultPost("discord", "1", (result,), DayFrom.TEXT, "5", START, START + timedelta(seconds=seconds))
        league.rewrite({("discord", "1")}, [post], number) if is_rewritten else league.add([post], (), number)
        return number is None or league.log_import(number, "chat.txt", "host")

    deleted = ResultPost("discord", "9", (ReportedResult(PEOPLE[0], 1568, 5),), DayFrom.TEXT, "5", START)
    league.add([deleted])
    league.withdraw_missing("5", 9, 9, frozenset())
    assert read(4, 0) and read(3, 1, 1)
    league.undo_import(1)
    assert list(league.resolved().results["guesses"]) == [4]
    assert read(3, 1, 2) and read(2, 2, 3)
    league.undo_import(2)
    league.add([deleted])
    assert list(league.resolved().results["guesses"]) == [2]


@pytest.mark.parametrize("how", ["together", "rewritten"])
def test_a_result_was_reported_when_any_reading_of_its_message_first_said_it(store, how):
    league = store.league("a")
    league.choose(LeagueOptions("UTC", deadline_days=0))
    first = ResultPost("discord", "1", (ReportedResult(PEOPLE[0], 1568, 3),), DayFrom.TEXT, "5", START)
    later = replace(first, edited=START + timedelta(days=2))
    league.add([first, later] if how == "together" else [first])
    if how == "rewritten":
        league.rewrite({("discord", "1")}, [later])
    assert list(league.resolved().results["guesses"]) == [3], "it is not late"
    league.withdraw_missing("5", 1, 1, frozenset())
    league.rewrite({("discord", "1")}, [first])
    assert league.resolved().results.empty, "what was deleted stays so in an export"


def test_what_was_just_reported_counts_if_all_of_it_does(store):
    league, said = store.league("a"), [ReportedResult(PEOPLE[0], number, 3) for number in (1567, 1568)]
    league.add([ResultPost("table", "table", tuple(said))], [Sighting("1", "Player One", START, True)])
    other = said[1]._replace(guesses=5)
    assert league.counting([said, said[:1], [said[0], other], [other], []]) == [True, True, False, False, False]


def test_results_are_those_of_the_channel_and_of_the_last_change(store):
    league = store.league("a")
    for channel in "56":
        league.add([ResultPost("discord", channel, (ReportedResult(PEOPLE[0], 1560 + int(channel), 3),), DayFrom.TEXT,
                               channel, START - timedelta(days=2))])  # fmt: skip
        assert [list(league.resolved(one).results["day"]) for one in ("5", None)] == [
            [1565], [1565, 1566][: int(channel) - 4]]  # fmt: skip
    league.choose(LeagueOptions("UTC", deadline_days=0))
    assert list(league.resolved().results["day"]) == [1566], "the share of the day before is late now"


def test_an_alias_resolves_an_ambiguous_name_on_its_days(store):
    league = store.league("a")
    results = tuple(ReportedResult(Person("Twin", False), number, 4) for number in (1567, 1568))
    league.add(
        [ResultPost("table", "table", results)], [Sighting(account_id, "Twin", START, True) for account_id in "12"]
    )
    assert list(league.resolved().unresolved["n_results"]) == [2]
    with pytest.raises(UserError, match="'Twin' could be 1, 2: give the id"):
        league.resolved().find("Twin", league.names())
    add_alias(league, Alias("Twin", "1", 0, 1567), "me")
    resolved = league.resolved()
    assert list(resolved.results["player"]) == ["Twin"]
    assert resolved.ids["Twin"] == Person("1", True)
    assert list(resolved.unresolved["first"]) == [1568]
    with pytest.raises(UserError, match="already stands for '1'"):
        add_alias(league, Alias("Twin", "2", 1567, 1600), "me")
    assert remove_aliases(league, "Twin", "me") == 1


def test_contradictions_of_equal_sources_do_not_count_and_tables_do_not_decide(store):
    league, person = store.league("a"), PEOPLE[0]
    dated_posts = [
        ResultPost("discord", f"{guesses}", (ReportedResult(person, 1567, guesses),), DayFrom.DATE, "5", START)
        for guesses in (3, 5)
    ]
    league.add(dated_posts)
    assert list(league.resolved().conflicts["guesses"]) == [3, 5]
    assert league.resolved().results.empty
    league.add([ResultPost("table", "table", (ReportedResult(person, 1567, 4),))])
    assert league.resolved().results.empty
    pictured_post = ResultPost("discord", "9", (ReportedResult(person, 1567, 5),), DayFrom.PICTURE, "5", START)
    league.add([pictured_post])
    assert list(league.resolved().results["guesses"]) == [5]


def test_an_immediate_edit_replaces_a_message_even_with_fewer_players(store):
    league, result = store.league("a"), ReportedResult(PEOPLE[0], 1567, 3)
    both_results = result, ReportedResult(PEOPLE[1], 1567, 4)
    as_posted = ResultPost("discord", "1", both_results, DayFrom.DATE, "5", START)
    as_edited = ResultPost("discord", "1", (result,), DayFrom.DATE, "5", START, START)
    for post in (as_posted, as_edited, as_posted):
        league.add([post])
    assert len(league.resolved().results) == 1


def test_readings_of_a_message_that_differ_have_an_order_of_their_own():
    result, edited = ReportedResult(PEOPLE[0], 1567, 3), START + timedelta(seconds=1)
    posts = [
        ResultPost("discord", "1", (one,), DayFrom.TEXT, "5", START, edit)
        for edit in (None, START, edited)
        for one in (result, result._replace(hard=True), result._replace(grid="ccccc"), result._replace(guesses=4))
    ]
    versions = [post.version for post in posts]
    assert len(set(versions)) == len(posts)
    assert max(versions[:4]) < min(versions[4:8]) and max(versions[4:8]) < min(versions[8:]), "later edits are greater"
    assert [post.reported for post in posts[::4]] == [START, START, edited]
    by_name = replace(posts[0], results=(result._replace(person=PEOPLE[2]), result._replace(person=PEOPLE[3])))
    assert by_name.version < min(versions), "as it identifies nobody by an id"


def test_an_edited_message_replaces_its_results_and_an_empty_one_removes_them(store):
    league, edited_at = store.league("a"), START + timedelta(minutes=5)
    league.add(
        [
            ResultPost(
                "discord",
                "1",
                (ReportedResult(PEOPLE[0], 1567, 4), ReportedResult(PEOPLE[1], 1567, 5)),
                DayFrom.DATE,
                "5",
                START,
            )
        ]
    )
    league.add([ResultPost("discord", "1", (ReportedResult(PEOPLE[0], 1567, 3),), DayFrom.DATE, "5", START, edited_at)])
    assert list(league.resolved().results["guesses"]) == [3]
    league.add([ResultPost("discord", "1", (), DayFrom.DATE, "5", START, edited_at + timedelta(minutes=5))])
    assert league.n_reports() == 0


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("mysql://me:secret@host/x", "cannot begin with 'mysql'"),
        ("sqlite:////no/such/folder/x", "cannot open the store"),
        ("postgresql://me:secret@127.0.0.1:1/x", "cannot open the store postgresql.*me:\\*\\*\\*@"),
    ],
)
def test_a_store_that_cannot_be_opened_is_explained_without_its_password(url, complaint):
    with pytest.raises(UserError, match=complaint) as raised:
        LeagueStore(url)
    assert "secret" not in raised.value.message


def test_other_files_and_stores_of_other_versions_are_refused(tmp_path):
    (tmp_path / "text").write_text("not a database, though long enough to be looked at as one" * 20)
    with pytest.raises(UserError, match="cannot open"):
        LeagueStore(str(tmp_path / "text"))
    path = str(tmp_path / "other.sqlite")
    engine = open_database(path)
    with engine.begin() as connection:
        connection.execute(sa.text(f"DROP TABLE {FORMAT}"))
    with pytest.raises(UserError, match="another version"):
        LeagueStore(path)
    engine.dispose()


def test_a_store_that_does_not_exist_is_created_only_on_request(tmp_path):
    path = tmp_path / "mistyped.sqlite"
    with pytest.raises(UserError, match=r"there is no store .*mistyped.sqlite"):
        LeagueStore(str(path), create=False)
    assert not path.exists()
    LeagueStore(str(path)).close()
    LeagueStore(str(path), create=False).close()


@pytest.mark.parametrize(
    "commands", [["leaderboard", "day", "backup"], pytest.param(["doctor"], marks=pytest.mark.slow)]
)
def test_a_damaged_store_is_refused_with_the_way_back(tmp_path, commands):
    path, table = tmp_path / "league.sqlite", tmp_path / "table.csv"
    table.write_text("player,puzzle,guesses\n" + "".join(f"P{n % 9},{1000 + n},4\n" for n in range(900)))
    assert CliRunner().invoke(main, ["league", "import", "--yes", str(table), "--store", str(path)]).exit_code == 0
    data = bytearray(path.read_bytes())
    for start in range(8192, len(data), 12_288):
        data[start : start + 4096] = b"\x55" * len(data[start : start + 4096])
    path.write_bytes(data)
    for command in commands:
        words = [command, str(tmp_path / "copy")] if command == "backup" else [command]
        result = CliRunner().invoke(main, ["league", *words, "--store", str(path)])
        assert isinstance(result.exception, SystemExit), result.exception
        output = " ".join(result.output.split())
        assert "wordpl league restore BACKUP" in output and "wordpl league backup" in output, command
