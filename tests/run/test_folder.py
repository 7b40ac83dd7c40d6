"""What a run's folder promises: one writer, a seal over what was played, and limits of its readers."""

import errno
import json
import os
import shutil
from concurrent.futures import BrokenExecutor
from dataclasses import make_dataclass

import pytest
from msgspec.structs import replace

from tests.helpers import written_runs
from wordpl.core import files
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.core.seeds import SingleKeyDraws
from wordpl.run import folder, seal
from wordpl.run.entry import Journal
from wordpl.run.folder import Run, exclusive
from wordpl.run.info import About, EntryInfo, Part, RunInfo, RunInfoOf1
from wordpl.run.records import encode

TIME = "2026-01-31T12:05:00+00:00"


@pytest.fixture
def run(tmp_path):
    return written_runs.new_run(tmp_path / "run")


@pytest.fixture
def finished(tmp_path):
    return written_runs.finished_run(tmp_path)


def test_one_process_at_a_time_writes_to_a_run(run):
    with (
        exclusive(run.folder),
        pytest.raises(UserError, match="is in use by another process"),
        exclusive(run.folder),
    ):
        pass
    lock = run.folder / folder.LOCK
    lock.write_text("12345678901234567890\n")
    with exclusive(run.folder):
        assert lock.read_text() == f"{os.getpid()}\n"
    lock.unlink()
    lock.symlink_to(run.folder / "elsewhere")
    with pytest.raises(UserError, match="cannot write to"), exclusive(run.folder):
        pass
    assert not (run.folder / "elsewhere").exists()


def test_a_new_run_keeps_the_games_that_were_copied_and_no_run_is_replaced(run, tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(
        folder, "sync_tree", lambda path: synced.append((path.name, (tmp_path / "new/run.json").exists()))
    )
    copied = tmp_path / "new" / "durations" / "stead.csv"
    copied.parent.mkdir(parents=True)
    copied.write_text("copied")
    Run.create(tmp_path / "new", run.info)
    assert copied.read_text() == "copied"
    assert synced == [("new", False)], "what run.json promises is on disk before it"
    with pytest.raises(UserError, match="cannot create the results folder"):
        Run.create(tmp_path / "new", run.info)
    run.info.finished = None
    run.finish(TIME)
    assert {name for name, _ in synced} == {"new", "records", "durations"}


def test_a_file_in_place_of_a_folder_is_not_read(run):
    (run.folder / "repeats").symlink_to(run.folder / "records")
    with pytest.raises(UserError, match="the run is not read"):
        Run(run.folder)


def test_a_run_of_an_old_format_is_not_rewritten(run):
    before = (run.folder / "run.json").read_bytes()
    run.info = RunInfoOf1(**{name: getattr(run.info, name) for name in RunInfo.__struct_fields__})
    with pytest.raises(UserError, match="only reads"):
        run.write_info()
    assert (run.folder / "run.json").read_bytes() == before
    assert isinstance(run.info.draws_of("x"), SingleKeyDraws)


def test_an_error_of_the_system_is_explained_if_somebody_can_do_something(run):
    for error, kind, text in (
        (OSError(errno.ENOSPC, "full"), UserError, "full.*then resume the run"),
        (OSError(errno.EILSEQ, "odd"), OSError, "odd"),
        (BrokenExecutor("x"), UserError, "ended by itself"),
        (BrokenExecutor("A worker was unexpectedly terminated"), UserError, "was killed, probably"),
        (BrokenExecutor("A worker was unexpectedly terminated: EXIT(1)"), UserError, "ended by itself"),
    ):
        with pytest.raises(kind, match=text), folder.explain(run.folder):
            raise error


def test_a_reader_accepts_so_many_games_of_all_entries_together(run):
    assert Run(run.folder, max_games=24).n_games == 24
    with pytest.raises(UserError, match="has 24 games of all entries together, and readers accept 23"):
        Run(run.folder, max_games=23)


def test_a_part_is_no_run_and_has_the_games_that_it_says(run):
    run.info.part = Part(1, 2, first=3, end=7)
    run.write_info()
    with pytest.raises(UserError, match="is part 1/2 of a run"):
        Run(run.folder)
    part = Run(run.folder, may_be_part=True)
    assert [entry.numbers for entry in part.entries] == [range(3, 12), range(7)]


@pytest.mark.parametrize(
    "edit",
    [
        lambda run: run.info.facts() | {"finished": "2026-01-31T12:06:00+00:00"},
        lambda run: run.info.facts() | {"started": "2026-01-31T11:00:00+00:00"},
        lambda run: run.info.facts() | {"seed": "other"},
    ],
)
def test_the_seal_covers_what_run_json_says(finished, edit):
    assert not finished.damage
    (finished.folder / "run.json").write_text(json.dumps(edit(finished)))
    with pytest.raises(UserError, match="it has changed since it finished and was sealed"):
        Run(finished.folder).require_as_sealed()


@pytest.mark.parametrize("name", ["records/stead.jsonl", "fingerprints/lucky.txt", "repeats/more.jsonl"])
def test_the_seal_covers_the_records_and_the_repeated_games(finished, name):
    path = finished.folder / name
    path.parent.mkdir(exist_ok=True)
    with path.open("ab") as file:
        file.write(b"x" if name.startswith("records") else b"x\n")
    assert Run(finished.folder).damage.startswith(f"{finished.folder} is damaged: ")
    assert ("are not those of its seal" in Run(finished.folder).damage) == (not name.startswith("repeats"))


def test_a_run_without_its_seal_differs_from_it(finished):
    (finished.folder / "run.json").write_text(json.dumps(finished.info.facts() | {"seal": None}))
    assert Run(finished.folder).damage
    shutil.rmtree(finished.folder / "fingerprints")
    assert not Run(finished.folder).damage, "no release has sealed it"


def test_the_seal_is_that_of_a_shell():
    facts = {"b": 2.0, "a": "é", "seal": "old"}
    info = seal.sha256('{"a":"é","b":2}'.encode()).hexdigest()
    lines = f"wordpl/seal/1\n{info}\n11  fingerprints/a.txt\n22  repeats/b.jsonl\n"
    assert (
        seal.digest(facts, {"repeats/b.jsonl": "22", "fingerprints/a.txt": "11"})
        == seal.sha256(lines.encode()).hexdigest()
    )
    assert seal.games_seed("d", "b", ["2", "1"]) == seal.games_seed("d", "b", ["1", "2"])
    terms = {"entries": [], "config": {"timeout_s": 5.0}}
    for change in ({"entries": [{"name": "x"}]}, {"config": {}}, {"machine": {}}, {"hosted": {}}, {"versions": {}}):
        assert seal.terms_digest(terms | change) != seal.terms_digest(terms), change
    assert len(seal.fingerprint(b"x\n")) == 32
    assert seal.fingerprints([b"x\n"]).decode().split() == [seal.fingerprint(b"x\n")]


def test_too_many_files_under_a_seal_are_not_read(finished, monkeypatch):
    monkeypatch.setattr(folder, "MAX_SEALED", 2)
    assert not Run(finished.folder).damage
    monkeypatch.setattr(folder, "MAX_SEALED", 1)
    with pytest.raises(UserError, match="more than 1 files"):
        Run(finished.folder).seal_of({})


def test_a_player_that_seems_killed_in_a_run_that_is_ending_is_no_fault_of_its_game(run):
    entry = run.entries[0]
    journal = Journal(entry.journal_path(3), 1)
    journal.add(encode(replace(written_runs.record(run, 0, 1), verdict=Verdict.FAULT)), 2)
    journal.add(encode(written_runs.record(run, 0, 2)), None)
    journal.close()
    lines = [encode(written_runs.record(run, 0, number)) for number in (4, 7)]
    entry.records_path.write_bytes(lines[0])
    entry.journal_path(4).write_bytes(b"4\n" + lines[0] + b"7\n" + lines[1][:-30])  # written, and torn
    run.info.played_again = {entry.info.slug: [9]}
    run.collect_journals()
    assert entry.records_path.read_bytes() == lines[0] + encode(written_runs.record(run, 0, 2))
    assert Run(run.folder).info.played_again == {entry.info.slug: [1, 7, 9]}
    assert not entry.journals_path.exists()


def test_torn_tails_of_all_files_are_removed(run):
    names = ("records/stead.jsonl", "durations/stead.csv", "repeats/stead.jsonl")
    for name in names:
        (run.folder / name).parent.mkdir(exist_ok=True)
        (run.folder / name).write_bytes(b"whole\ntorn")
    draft = files.draft_of(run.folder / "records" / "stead.jsonl")
    draft.write_bytes(b"x")
    run.remove_torn()
    assert not draft.exists()
    assert {(run.folder / name).read_bytes() for name in names} == {b"whole\n"}


def test_what_an_author_says_is_one_line_and_a_link_is_a_link():
    about = About.of_texts(" Ada\nB", "javascript:alert(1)", "x\x1b[2J" + "y" * 300)
    assert (about.author, about.link) == ("Ada", "")
    assert about.description.startswith("x?[2Jyyy")
    assert len(about.description) == 200
    assert About.of_texts("", "https://x", 3).link == "https://x"
    assert not About.of_texts(None, "ftp://x", "")
    assert not About.of_object(make_dataclass("Bot", ["epsilon"])(1.0)), "nobody has written its docstring"


def test_no_more_games_are_repeated_than_were_played(run):
    for repeats, n_repeats, expected in ((None, None, 12), (None, 5, 12), (3, 99, 3), (99, None, 12), (0, 5, 0)):
        run.info.config = replace(run.info.config, repeats=repeats)
        run.info.n_repeats = n_repeats
        assert run.info.games_to_repeat == expected
    many = replace(run.info, config=replace(run.info.config, n_games=1000, repeats=None), n_repeats=70)
    assert many.games_to_repeat == 70
    assert replace(many, n_repeats=9).games_to_repeat == 50


def test_a_match_of_every_answer_draws_each_of_them_once(run):
    config = replace(run.info.config, every_answer=True)
    assert replace(run.info, config=config).draws.n_answers == config.word_files["answers"].words
    assert run.info.draws.n_answers == 0


def test_a_seed_that_an_entry_could_have_known_has_a_remark(run):
    assert "typed" in run.info.seed_remark
    facts = {name: getattr(run.info, name) for name in RunInfo.__struct_fields__}
    for seed, remark in (("999999999999", "at most 40 bits"), ("1000000000000", "typed"), ("x", "typed")):
        old = RunInfoOf1(**facts | {"seed": seed})
        assert remark in old.seed_remark
        assert replace(old, commitment="0" * 64).seed_remark == ""
        with pytest.raises(UserError, match="which this release only reads"):
            old.require_written_format("it")


def test_an_entry_has_the_digests_that_it_has():
    entry = EntryInfo(
        "a", "a", written_runs.games.game_class("wordpl/1").facts, "a.py", "A()", "1" * 64, written="2" * 64
    )
    assert entry.digests == ["1" * 64, "2" * 64]
    assert not entry.is_hosted
    assert replace(entry, kind="model").is_hosted
