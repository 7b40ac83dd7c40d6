"""Imports of golden exports with every format of message, and of files with arbitrary contents."""

import json
from contextlib import closing, suppress
from datetime import UTC, datetime
from itertools import permutations
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import messages
from tests.helpers.cases import one_quick_of
from tests.helpers.league_files import read_file
from wordpl.apps.league.discord_message import APP
from wordpl.apps.league.imports import changes_between, import_files, preview_import, settle
from wordpl.apps.league.player_names import Alias
from wordpl.apps.league.posts import DayFrom, Person, ReportedResult, ResultPost, Sighting
from wordpl.apps.league.share_text import SharedGame
from wordpl.apps.league.sources import ImportOptions, import_file
from wordpl.apps.league.store import LeagueStore
from wordpl.cli import main
from wordpl.core.bounded import TooLargeError
from wordpl.core.messages import UserError
from wordpl.core.puzzles import LAST_NUMBER

DATA = Path(__file__).parent / "data"
START = datetime(2025, 6, 1, tzinfo=UTC)
EXPORTS = ["before_the_edit", "names_local_time", "ids_utc", "second_channel"]

NAMES_LOCAL_TIME = """
1567 X 1/6: hasty, date
1567 4 Dr. Dot. Three, date
1567 3 Player One, date
1567 3 player.two, date
1568 6 Player One, date
1568 3 by name, date
1569 4 bones?, date
1569 4 new here, date
1569 4 player.two, date
1570 6 Player One, picture
1570 6 odd @Player One, picture
1571 3 Dr. Dot. Three, typed
1571 2 Player One, date
1571 2 bones?, typed
1572 5 Player One, date
"""
RESULTS_OF_ALL_EXPORTS = NAMES_LOCAL_TIME.replace("date", "picture", 4).replace(
    "\n1570", "\n1570 X 100000000000000099, picture\n1570", 1
)


def as_text(resolved):
    rows = resolved.results.itertuples(index=False)
    return "\n" + "".join(
        f"{row.day} {str(row.guesses).replace('7', 'X')} {row.player}, {row.source}\n" for row in rows
    )


def test_an_export_gives_exactly_the_expected_results_and_lists_the_rest(store, exports):
    report = import_file(store, exports / "names_local_time.json", ImportOptions())
    resolved = store.find("A Group").resolved()
    assert as_text(resolved) == NAMES_LOCAL_TIME
    assert resolved.conflicts.empty
    assert resolved.unresolved.to_dict("records") == [
        {"name": "Twin", "candidates": ("100000000000000006", "100000000000000007")}
        | {"n_results": 1, "first": 1568, "last": 1568},
        {"name": "Unknown", "candidates": (), "n_results": 1, "first": 1570, "last": 1570},
    ]
    assert (report.n_results, report.n_new) == (21, 21)
    assert report.n_unfinished + report.ignored.pop("chatter", 0) >= 3
    assert report.ignored == {
        "not by the Wordle app, and no share text": 3,
        "a share text by a bot, which played no game": 1,
        "without text": 1,
    }
    assert [(part.where[-2:], part.text.split("\n")[0], part.why.split(":")[0]) for part in report.unread] == [
        ("09", "3/6:", "not a line of a summary"),
        ("09", "and 3 more", "not a line of a summary"),
        ("12", "Wordle 1571 3/6", "its grid has 2 rows instead of 3"),
        ("15", "Something new that the app says", "neither a summary nor chatter"),
        ("17", "{", "not a message"),
    ]


@pytest.fixture
def store(memory_store):
    return memory_store


@pytest.mark.parametrize("order", one_quick_of(3, list(permutations(EXPORTS))[::9]), ids=" ".join)
def test_order_and_repetition_of_imports_do_not_matter(order, store, exports):
    for name in [*order, order[0]]:
        report = import_file(store, exports / f"{name}.json", ImportOptions())
    assert report.n_new == 0
    resolved = store.find().resolved()
    assert as_text(resolved) == RESULTS_OF_ALL_EXPORTS
    assert list(resolved.unresolved["name"]) == ["Twin"]
    assert len(store.find().resolved(channel="800000000000000002").results) == 4


def test_shares_belong_to_the_name_before_them_or_to_the_given_player(tmp_path, store):
    share = messages.share(SharedGame(1567, 2, True, (("..i..", "crane"), ("ccccc", ""))))
    path = tmp_path / "shares.txt"
    path.write_text(f"{share}\n\nPlayer Two:\n{share.replace('1,567', '1.568')}\n\nPlayer Three: {share}")
    report = import_file(store, path, ImportOptions())
    assert [(part.where, part.why[:9]) for part in report.unread] == [("Wordle 1567", "no player")]
    import_file(store, path, ImportOptions(player="Player One"))
    assert as_text(store.find().resolved()) == (
        "\n1567 2 Player One, typed\n1567 2 Player Three, typed\n1568 2 Player Two, typed\n"
    )


def test_a_table_is_read_by_number_or_date_and_invalid_rows_are_listed(tmp_path, store):
    path = tmp_path / "results.csv"
    path.write_text('Guesses;Name;Date\n4;"Player; One";2025-10-03\nX;Player Two;1,567\n8;Player Two;1568\n;;\n')
    report = import_file(store, path, ImportOptions())
    assert [part.where for part in report.unread] == ["row 4", "row 5"]
    assert as_text(store.find().resolved()) == "\n1567 X Player Two, typed\n1567 4 Player; One, typed\n"


def test_a_table_is_read_in_blocks_and_its_days_are_days_of_puzzles(monkeypatch):
    monkeypatch.setattr("wordpl.apps.league.sources.table.BLOCK_ROWS", 2)
    days = ["13.10.25", "13/10/2025", "2025-10-13", "Wordle 1,577", "#1577.0", "2021-06-18", "100000", "2021-06-19"]
    found = read_file("Player\tDay\tScore\n" + "".join(f"Ann\t{day}\t4\n" for day in days))
    assert [len(post.results) for post in found.posts] == [2, 2, 2]
    assert [result.number for post in found.posts for result in post.results] == [1577] * 5 + [0]
    assert [part.where for part in found.unread] == ["row 7", "row 8"]


def test_messages_of_an_export_as_csv_are_known_by_author_and_time():
    rows = [("11", "Ann", "Wordle 1,567 3/6"), ("12", "Dee | 4/6: @y", "Wordle 1,567 4/6"),
            (APP, "Wordle", "Here are yesterday's results:\n5/6: @Dee | 4/6: @y")]  # fmt: skip
    table = "".join(f'{id},{name},2025-10-03T09:00:00.1230000+00:00,"{text}",,\n' for id, name, text in rows)
    found = read_file("AuthorID,Author,Date,Content,Attachments,Reactions\n" + table)
    assert len({post.key for post in found.posts}) == len(found.posts) == 3
    assert [result.person.key for post in found.posts for result in post.results] == ["11", "12", "Dee | 4/6: @y"]


def test_a_table_may_be_longer_than_a_chat(tmp_path, store, monkeypatch):
    monkeypatch.setattr("wordpl.apps.league.sources.MAX_TEXT_BYTES", 60)
    path = tmp_path / "results.csv"
    path.write_text("player,puzzle,guesses\n" + "".join(f"Player One,{1500 + n},4\n" for n in range(50)))
    assert import_file(store, path, ImportOptions()).n_new == 50
    path.write_text("Player One: Wordle 1,567 3/6\n" * 50)
    with pytest.raises(TooLargeError, match="the limit for a text"):
        import_file(store, path, ImportOptions())


def test_a_table_of_nothing_but_unreadable_rows_is_refused(tmp_path, store, monkeypatch):
    monkeypatch.setattr("wordpl.apps.league.sources.table.MAX_UNREAD", 10)
    path = tmp_path / "results.csv"
    path.write_text("player,puzzle,guesses\n" + "x\n" * 11)
    with pytest.raises(UserError, match="more than 10 rows cannot be read; row 12: not a player"):
        import_file(store, path, ImportOptions())


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def exports(draw):
    """Exports in which any value may be replaced by another one."""
    export = json.loads((DATA / "ids_utc.json").read_text())
    export["messages"] = draw(st.lists(st.sampled_from(export["messages"]), max_size=3))
    objects = st.sampled_from([export, *export["messages"]])
    for target in draw(st.lists(objects, max_size=4)):
        target[draw(st.sampled_from(sorted(target)))] = draw(json_values | st.text("0123456789-T:+Z", max_size=30))
    return json.dumps(export).encode()


@given(
    data=exports() | json_values.map(json.dumps).map(str.encode) | st.binary(max_size=200) | st.text().map(str.encode)
)
@pytest.mark.long  # hundreds of made-up files
def test_no_file_makes_the_importer_raise(data, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "strange"
    path.write_bytes(data)
    with closing(LeagueStore("sqlite://")) as store:
        with suppress(UserError):  # files that are not UTF-8 are refused
            import_file(store, path, ImportOptions())
        for key in store.leagues():
            store.find(key).resolved()


def test_a_file_that_would_fill_the_memory_is_refused_with_what_to_do(store, tmp_path):
    sparse, long, many = (tmp_path / name for name in ("sparse.json", "long.txt", "many.json"))
    with sparse.open("wb") as file:
        file.truncate(1 << 30)
    long.write_bytes(b"Wordle 1,567 3/6\n" * 1_000_000)
    many.write_bytes(b"[" + b"0," * 5_000_000 + b"0]")
    for path, limit in ((sparse, "64 MiB"), (long, "16 MiB"), (many, "4,000,000 values")):
        with pytest.raises(UserError, match=limit) as refused:
            import_file(store, path, ImportOptions(player="ada"))
        assert "--partition" in refused.value.message
        assert path.name in refused.value.message


def test_a_summary_in_an_embed_is_read_and_a_linked_share_is_not(store, tmp_path):
    def message(id, author, **embed):
        embeds = [{"title": None, **embed}]
        return {"id": id, "timestamp": "2025-10-04T07:00:00+00:00", "content": "", "author": author, "embeds": embeds}

    app, person = {"id": APP, "name": "Wordle", "isBot": True}, {"id": "13", "name": "three"}
    summary = "Here are yesterday's results:\n3/6: <@11>"
    parts = [
        message("1", app, description=summary),
        message("2", app, fields=[{"name": "Here are yesterday's results:", "value": "4/6: <@12>"}]),
        message("3", person, description="Wordle 1,567 1/6"),
    ]
    (tmp_path / "export.json").write_text(json.dumps({"guild": {"id": "9"}, "channel": {"id": "5"}, "messages": parts}))
    report = import_file(store, tmp_path / "export.json", ImportOptions())
    results = store.find("9").resolved().results
    assert sorted(zip(results["player"], results["guesses"], strict=True)) == [("11", 3), ("12", 4)]
    assert (report.n_results, len(report.unread)) == (2, 0)


ANN = {"id": "11", "name": "ann_1", "nickname": "Ann"}


def export(*messages, exported=None, guild="A Group"):
    """Return an export of messages, each of which is what differs from a text by Ann on 2025-10-03."""
    default = {"id": "1", "timestamp": "2025-10-03T09:00:00+00:00", "content": "", "author": ANN}
    said = [default | {"id": f"{n}"} | message for n, message in enumerate(messages, 1)]
    place = {"guild": {"id": "9", "name": guild}, "channel": {"id": "5"}, "exportedAt": exported}
    return json.dumps(place | {"messages": said})


def test_a_message_of_discord_is_of_its_own_time_and_of_whom_it_names():
    twin = {"id": "12", "name": "bob_1", "nickname": "Twin"}
    found = read_file(
        export(
            {"content": "Wordle 1,566 3/6", "timestamp": "2025-10-02T23:30:00-01:00"},
            {"content": "Wordle 1,567 3/6", "timestamp": "2025-10-03T09:00:00", "timestampEdited": "2025-10-03T11:00"},
            {"content": "@Twin: Wordle 1,567 4/6", "mentions": [twin, twin | {"id": "13"}]},
            {"content": "bob_1: Wordle 1,567 4/6", "mentions": [twin]},
            {"content": "Wordle 1,569 3/6", "timestamp": "2025-10-03T09:00:00", "timestampEdited": "2025-10-04T09:00"},
            {"content": "Wordle 1,569 3/6"},
            {"content": "Wordle 1,567 3/6", "timestamp": "1990-10-03T09:00:00"},
            {"content": "Wordle 1,567 3/6", "id": "9" * 21},
            {"content": "Wordle 1,567 3/6", "author": ANN | {"isBot": True}},
        )
    )
    said = [(post.key, post.posted.isoformat(), post.edited and post.edited.hour) for post in found.posts]
    assert said == [
        ("1", "2025-10-03T00:30:00+00:00", None), ("2", "2025-10-03T09:00:00+00:00", 11),
        ("3", "2025-10-03T09:00:00+00:00", None), ("4", "2025-10-03T09:00:00+00:00", None),
        ("5", "2025-10-03T09:00:00+00:00", 9)]  # fmt: skip
    people = [post.results[0].person for post in found.posts[2:4]]
    assert people == [Person("Twin", False), Person("12", True)], "two are called Twin"
    assert [part.why[:9] for part in found.unread] == ["the puzzl", "not a mes", "not a mes"]
    assert [one.why for one in found.ignored] == ["a share text by a bot, which played no game"]


def test_names_of_an_export_are_those_of_the_day_on_which_it_was_made(store, tmp_path):
    renamed = {"id": "11", "name": "ann_1", "nickname": "Abe"}
    files = {  # the older export is imported last
        "new": export(
            {"content": "Wordle 1,567 3/6", "author": renamed}, exported="2025-12-01T00:00:00+00:00", guild="New"
        ),
        "old": export({"content": "Wordle 1,567 3/6"}, exported="2025-11-01T00:00:00+00:00", guild="Old"),
        "no date": export({"content": "Wordle 1,567 3/6"}, guild="Older"),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        report = import_file(store, tmp_path / name, ImportOptions())
        assert (report.n_results, report.n_new) == (1, name == "new")
    assert store.leagues() == {"9": "New"}
    assert list(store.find().resolved().ids) == ["Abe"]
    assert [entry.files for entry in store.find().imports()] == ["new", "old"], "not where they lay"


def test_without_a_day_of_its_own_an_export_is_of_that_of_its_newest_message(store, tmp_path):
    def message(day, nickname):
        time = f"2025-10-{day:02}T09:00:00+00:00"
        return {"content": "Wordle 1,567 3/6", "timestamp": time, "author": ANN | {"nickname": nickname}}

    for number, text in enumerate((export(message(9, "Abe"), message(3, "Abe")), export(message(4, "Zed")))):
        (tmp_path / f"{number}").write_text(text)
        import_file(store, tmp_path / f"{number}", ImportOptions())
    assert store.find().names().shown_name("11") == "Abe"


def test_an_export_knows_the_names_of_its_server(store, tmp_path):
    share = export({"content": "Cleo: Wordle 1,567 3/6"})
    for key, rows in (("9", [("Cleo", 1567, 3)]), ("friends", [])):
        found = read_file(share, names_in=lambda league, key=key: ["Cleo"] if league == key else [])
        assert found.rows() == rows


def test_pictures_beside_an_export_are_read_if_they_are_small(store, tmp_path):
    app = {"id": APP, "name": "Wordle", "isBot": True}
    summary = {"content": "3/6: <@11>", "timestamp": "2025-10-04T22:00:00+00:00", "author": app}
    summary |= {"attachments": [{"url": "a.png"}, {"url": "https://x/b.png"}], "embeds": [{"title": "hello"}]}
    texts = {b"small": "Wordle 1,566", b"x" * 8_000_001: "Wordle 1,567"}
    for picture, number in ((b"small", 1566), (b"x" * 8_000_001, -1)):
        (tmp_path / "a.png").write_bytes(picture)
        options = ImportOptions(read_picture=lambda data: [texts[data]])
        found = read_file(export(summary), options, tmp_path / "e.json")
        assert [result.number for post in found.posts for result in post.results] == [number]
        assert {post.day_from for post in found.posts} == {DayFrom.PICTURE if number > 0 else DayFrom.DATE}
    titled = summary | {"embeds": [{"title": "Wordle No. 1,567"}]}
    found = read_file(export(titled), ImportOptions(read_picture=lambda data: ["Wordle 1,566"]), tmp_path / "e.json")
    assert found.posts[0].results[0].number == 1567, "the title comes first"


def test_parts_of_a_chat_that_are_imported_together_replace_what_earlier_ones_said(store, tmp_path):
    lines = CHAT.splitlines(keepends=True)
    paths = [tmp_path / name for name in ("one.txt", "two.txt")]
    for path, part in zip(paths, ("".join(lines[:2]), lines[2]), strict=True):
        path.write_text(part)
    options = ImportOptions()
    import_files(store, paths, options, replaces=True)
    assert len(board(store.find().resolved())) == 3
    for _ in range(2):
        import_files(store, paths, options, replaces=True)
        assert len(board(store.find().resolved())) == 3
    import_files(store, paths[1:], options, replaces=True)
    assert board(store.find().resolved()) == [("Ann", 1457, 5)]


def test_what_an_import_changes_is_counted_by_player_and_its_gaps_are_named(store):
    states = []
    for key, text in (
        ("a", "Ann,1454,3\nBob,1454,4\nBob,1455,4\n"),
        ("b", "Ann,1454,3\nBob,1454,5\nCleo,1458,2\nAnn,1456,4\n"),
    ):
        results = [line.split(",") for line in text.split()]
        reported = [ReportedResult(Person(name, False), int(day), int(guesses)) for name, day, guesses in results]
        store.league(key).add([ResultPost("table", "table", tuple(reported))])
        states.append(store.find(key).resolved())
    found = changes_between(*states)
    assert [tuple(row) for row in found.players.to_numpy()] == [
        ("Ann", 1, 1, 0, 0, False), ("Bob", 2, 0, 1, 1, False), ("Cleo", 0, 1, 0, 0, True)]  # fmt: skip
    assert found.gaps == [(1457, 1457)]
    assert changes_between(states[0], states[0]).is_nothing
    assert not changes_between(None, states[0]).is_nothing


def test_names_that_nobody_has_asked_about_before_are_doubts_which_are_settled_by_aliases(tmp_path):
    alexander, known = "100000000000000001", ReportedResult(Person("Alexandra", False), 1454, 3)
    chat = "12.06.25, 09:00 - {}: Wordle 1,454 3/6\n"
    (tmp_path / "chat.txt").write_text("".join(map(chat.format, ("Alexandra", "Alexandre", "Zoe", "Twin", "Old twin"))))
    with closing(LeagueStore(str(tmp_path / "league.sqlite"))) as store:
        league = store.league("friends")
        old = known._replace(person=Person("Old twin", False))
        names = {"Alexander": [alexander], "Twin": ["1", "2"], "Old twin": ["1", "2"]}
        seen = [Sighting(id, name, START, True) for name, ids in names.items() for id in ids]
        league.add([ResultPost("table", "table", (known, old))], seen)
        doubts = preview_import(store, [tmp_path / "chat.txt"], ImportOptions()).doubts
        asked = [(doubt.name, doubt.player) for doubt in doubts]
        assert asked == [("Alexandre", alexander), ("Twin", "1"), ("Twin", "2")]
        assert league.n_reports() == 2, "nothing was imported"
        (tmp_path / "named.txt").write_text("12.06.25, 09:00 - Bob: Cleo: Wordle 1,454 3/6\n")
        (tmp_path / "export").write_text(export({"content": "Wordle 1,567 3/6"}))
        paths = [tmp_path / name for name in ("named.txt", "export")]
        other = preview_import(store, paths, ImportOptions("others")).doubts
        assert [(doubt.league, doubt.name, doubt.player) for doubt in other] == [("others", "Cleo", "")]
        options = settle(store, [doubts[0], other[0]], ImportOptions(people=frozenset(["Dee"])))
        assert options.people == {"Cleo", "Dee"}
        assert league.aliases() == [Alias("Alexandre", alexander, 0, LAST_NUMBER)]


def run(*arguments, answers=""):
    result = CliRunner().invoke(main, ["league", *map(str, arguments)], input=answers, env={"COLUMNS": "120"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, " ".join(result.output.split())


def board(resolved):
    rows = resolved.results
    return sorted(zip(rows["player"], rows["day"].tolist(), rows["guesses"].tolist(), strict=True))


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("WORDPL_LEAGUE", str(tmp_path / "league.sqlite"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def resolved(home, key=None):
    with closing(LeagueStore(str(home / "league.sqlite"))) as store:
        return store.find(key).resolved() if store.leagues() else None


CHAT = """12.06.25, 09:00 - Ann: Wordle 1,454 3/6
12.06.25, 09:05 - Bob: Wordle 1,454 4/6
15.06.25, 09:00 - Ann: Wordle 1,457 5/6
15.06.25, 09:10 - Bob: Cleo: Wordle 1,457 2/6
"""


def test_an_import_shows_itself_and_counts_only_if_it_is_wanted(home):
    (home / "chat.txt").write_text(CHAT)
    code, output = run("import", "chat.txt", answers="n\nn\n")
    assert code == 1 and "nothing was counted" in output
    assert resolved(home) is None
    assert "What changes · 2 players, 2 new" in output
    assert "Ann 0 +2" in output and "Bob 0 +1" in output
    assert "No results of 2025-06-13 to 2025-06-14." in output
    assert "1 shares are said to be by 'Cleo'" in output
    code, output = run("import", "chat.txt", answers="y\ny\n")
    assert code == 0
    assert {(name, guesses) for name, _, guesses in board(resolved(home))} >= {("Cleo", 2), ("Bob", 4)}


@pytest.mark.slow
def test_a_whole_import_is_taken_back_and_what_it_replaced_counts_again(home, exports):
    before, after = exports / "before_the_edit.json", exports / "names_local_time.json"
    assert run("import", "--yes", before)[0] == 0
    first = board(resolved(home))
    assert run("import", "--yes", after)[0] == 0
    assert board(resolved(home)) != first
    output = run("log")[1]
    assert "before_the_edit.json" in output and "names_local_time.json" in output
    assert run("undo", "2", "--import")[0] == 0
    assert board(resolved(home)) == first
    code, output = run("undo", "2", "--import")
    assert code == 1 and "already been taken back" in output
    assert run("undo", "1", "--import")[0] == 0
    assert resolved(home).results.empty
    assert run("import", "--yes", before)[0] == 0
    assert board(resolved(home)) == first


@pytest.mark.slow
def test_importing_an_export_over_itself_removes_what_was_given_to_nobody(home):
    (home / "chat.txt").write_text(CHAT)
    assert run("import", "--yes", "chat.txt")[0] == 0
    right = board(resolved(home))
    with closing(LeagueStore(str(home / "league.sqlite"))) as store:  # as 1.0.0 read a comment
        wrong = ReportedResult(Person("Coffee first", False), 1454, 3)
        store.find().add([ResultPost("whatsapp", "whatsapp", (wrong,))])
    assert len(board(resolved(home))) == len(right) + 1
    assert run("import", "--yes", "chat.txt")[0] == 0
    assert len(board(resolved(home))) == len(right) + 1, "an import only adds"
    _, output = run("import", "--replace", "chat.txt", answers="n\nn\n")
    assert "Coffee first 1 +0 0 -1" in output
    assert len(board(resolved(home))) == len(right) + 1
    assert run("import", "--replace", "--yes", "chat.txt")[0] == 0
    assert board(resolved(home)) == right
    assert run("undo", "2", "--import")[0] == 0
    assert len(board(resolved(home))) == len(right) + 1


@pytest.mark.slow
def test_an_export_of_discord_replaces_what_its_messages_were_said_to_report(home):
    export = DATA / "ids_utc.json"
    assert run("import", "--yes", export)[0] == 0
    right = board(resolved(home))
    with closing(LeagueStore(str(home / "league.sqlite"))) as store:
        league = store.find()
        with league.transaction() as connection:
            post = connection.exec_driver_sql("SELECT id FROM posts WHERE day_from = 2 LIMIT 1").scalar()
            connection.exec_driver_sql(
                "INSERT INTO people (league_id, key, is_id) SELECT id, 'Coffee first', 0 FROM leagues"
            )
            connection.exec_driver_sql(
                "INSERT INTO results SELECT ?, id, 1571, 1, 0, '', NULL, 1, NULL FROM people WHERE NOT is_id "
                "AND key = 'Coffee first'",
                (post,),
            )
    assert len(board(resolved(home))) == len(right) + 1
    assert run("import", "--replace", "--yes", export)[0] == 0
    assert board(resolved(home)) == right


@pytest.mark.slow
def test_who_was_forgotten_does_not_come_back_when_an_import_is_taken_back(home):
    first = home / "Chat with Cleo.txt"
    first.write_text(CHAT + "15.06.25, 09:20 - Cleo: Wordle 1,457 2/6\n⬛⬛⬛⬛⬛ SALET\n🟩🟩🟩🟩🟩\n")
    (home / "second.txt").write_text("15.06.25, 09:20 - Cleo: Wordle 1,457 3/6\n" + CHAT)
    assert run("import", "--yes", first)[0] == 0
    assert run("import", "--yes", "--replace", "second.txt")[0] == 0
    assert "Cleo" in run("log")[1]
    assert run("forget", "--yes", "Cleo")[0] == 0
    assert "Cleo" not in run("log")[1]
    assert run("undo", "2", "--import")[0] == 0
    assert {name for name, *_ in board(resolved(home))} == {"Ann", "Bob"}
    with closing(LeagueStore(str(home / "league.sqlite"))) as store, store.find().reading() as connection:
        kept = connection.exec_driver_sql("SELECT before FROM replaced").scalars().all()
    assert "Cleo" not in str(kept) and "salet" not in str(kept)
