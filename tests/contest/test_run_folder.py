"""The folder of a run: run.json of a new run, and the checks before an interrupted run is resumed."""

import platform
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

import msgspec
import pytest

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest import run_folder
from wordpl.core import entry_files, words
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import Measure, PlayerKind
from wordpl.core.records import EntryInfo, Record, Run, Verdict, encode
from wordpl.core.run_config import Limits, RunConfig
from wordpl.players.sandbox.probe import probe

CLASSIC = EntryInfo("classic", "classic", "wordle/1", Measure.GUESSES, "bot.py", "Bot()", "")
NOISY = EntryInfo("noisy", "noisy", "wordpl/1", Measure.BUDGET, "bot.py", "Bot()", "")
EVASIVE = EntryInfo("evasive", "evasive", "absurdle/1", Measure.TRIES, "bot.py", "Bot()", "")


def test_a_new_run_has_the_settings_of_its_configuration():
    config = RunConfig(
        n_games=7, repeats=3, seed="s", timeout_s=2.0, warmup_s=9.0, memory_mb=512, total_s=5.0, level="D",
        loss_cost=50.0, limits=Limits(wall_s=3.0),
    )  # fmt: skip
    info = run_folder.describe(config, [NOISY])
    for name in ("n_games", "repeats", "seed", "timeout_s", "warmup_s", "memory_mb", "total_s", "loss_cost", "limits"):
        assert getattr(info, name) == getattr(config, name), name
    assert (info.enforced_s, info.player, info.level, info.finished) == (2.2, PlayerKind.PROCESS, "D", None)
    assert info.every_answer is msgspec.UNSET
    lists = words.load()
    assert info.lists == {
        "answers": {"file": "answers.txt", "words": 2315, "sha256": lists.sha256["answers"]},
        "guesses": {"file": "valid.txt", "words": len(lists.guesses), "sha256": lists.sha256["guesses"]},
    }
    assert info.entries == [NOISY]
    assert info.machine["processors"] == run_folder.n_processors() >= 1
    assert info.machine["system"] == f"{platform.system()} {platform.machine()}"
    assert info.versions == {
        "python": platform.python_version(), **{name: version(name) for name in ("wordpl", "numpy", "numba")}
    }  # fmt: skip
    assert info.started[10] == "T" and info.started.endswith("+00:00")


def test_missing_settings_get_their_defaults():
    info = run_folder.describe(RunConfig(n_games=4, timeout_s=3.0), [])
    assert info.seed.isdigit()
    assert (info.total_s, info.repeats, info.level) == (12.0, 50, probe().level)
    trusted = run_folder.describe(RunConfig(player=PlayerKind.TRUSTED, level="D"), [])
    assert (trusted.repeats, trusted.level) == (0, "")
    assert run_folder.describe(RunConfig(official=True), []).seed is None


def test_a_run_of_every_answer_has_as_many_games_as_answers(tmp_path):
    info = run_folder.describe(RunConfig(every_answer=True, n_games=7), [CLASSIC])
    assert (info.n_games, info.every_answer) == (2315, True)
    (tmp_path / "few").write_text("crane\nslate\n")
    config = RunConfig(every_answer=True, answers=tmp_path / "few", guesses=tmp_path / "few")
    assert run_folder.describe(config, [CLASSIC]).n_games == 2


@pytest.mark.parametrize("entry", [NOISY, EVASIVE])
def test_every_answer_is_played_only_in_classic_games_with_a_secret(entry):
    message = f"--games all works only for classic games such as wordle/1, but {entry.name} plays {entry.game_id}: "
    with pytest.raises(UserError, match=message):
        run_folder.describe(RunConfig(every_answer=True), [CLASSIC, entry])
    assert run_folder.describe(RunConfig(), [CLASSIC, entry]).n_games == 1001


@pytest.mark.parametrize(
    ("seed", "name"), [("7", "7"), ("a b/c", "a_b_c"), ("x" * 99, "x" * 40), (None, "official"), ("é", "_")]
)
def test_a_folder_is_named_for_start_and_seed_and_numbered_on_a_clash(tmp_path, seed, name):
    info = run_folder.describe(RunConfig(seed="1"), [])
    info.seed, info.started = seed, "2026-01-31T12:34:56+00:00"
    folder_names = [f"2026-01-31-123456-{name}{end}" for end in ("", "-2", "-3")]
    for folder_name in folder_names:
        folder = run_folder.new_folder(tmp_path, info)
        assert folder == tmp_path / folder_name
        folder.mkdir()


@pytest.fixture
def run(tmp_path):
    return new_run(tmp_path, {"bot": DRAWS_ALL, "other": DRAWS_ALL}, n_games=6)


def lines(*games):
    return [encode(Record(game, "crane", [], Verdict.WRONG)) for game in games]


def test_games_in_journals_are_kept_and_unfinished_games_are_listed(run):
    bot, other = run.entries
    run.path(bot).write_bytes(b"".join(lines(0, 1)))
    run.journals_path(bot).mkdir(parents=True)
    (run.journals_path(bot) / "1").write_bytes(b"1\n" + lines(1)[0] + b"4\n" + lines(4)[0] + b"5\n")
    (run.journals_path(bot) / "2").write_bytes(b"2\n" + lines(2)[0][:-9])  # torn
    run_folder.prepare_resume(run)
    assert run.path(bot).read_bytes() == b"".join(lines(0, 1, 4))
    assert Run(run.folder).info.played_again == run.info.played_again == {"bot": [2, 5]}
    assert not run.path(other).exists()
    assert not (run.folder / ".begun").exists()


def test_games_stay_listed_and_run_json_is_written_only_for_new_ones(run):
    bot, other = run.entries
    run.info.played_again = {"bot": [3], "other": [1]}
    run.write_info()
    modified_ns = (run.folder / "run.json").stat().st_mtime_ns
    run.path(bot).write_bytes(b"".join(lines(3, 4)))
    run_folder.list_restarted(run, bot, [3, 4])
    assert (run.folder / "run.json").stat().st_mtime_ns == modified_ns
    run_folder.list_restarted(run, bot, [5, 0])
    assert Run(run.folder).info.played_again == {"bot": [0, 3, 5], "other": [1]}
    run_folder.list_restarted(run, other, [])
    assert run.info.played_again == {"bot": [0, 3, 5], "other": [1]}


def test_a_record_in_a_journal_and_in_the_records_is_kept_once(run):
    bot = run.entries[0]
    run.path(bot).write_bytes(b"".join(lines(4)))
    run.journals_path(bot).mkdir(parents=True)
    (run.journals_path(bot) / "1").write_bytes(b"4\n" + lines(4)[0])
    run_folder.collect_journals(run)
    assert run.path(bot).read_bytes() == lines(4)[0]
    assert not run.info.played_again


def test_a_run_is_resumed_only_with_its_original_versions_and_files(run, tmp_path):
    run_folder.prepare_resume(run)
    (tmp_path / "other.py").write_text("changed")
    with pytest.raises(UserError, match=r"other\.py has changed since the run started: restore it, or start a new run"):
        run_folder.prepare_resume(run)
    (tmp_path / "other.py").unlink()
    with pytest.raises(UserError, match=r"other\.py has changed since the run started"):
        run_folder.prepare_resume(run)
    run.info.versions = {"wordpl": "0.0.1", "python": "3"}
    with pytest.raises(UserError, match=r"was started with wordpl 0\.0\.1, python 3, but this is python "):
        run_folder.prepare_resume(run)
    run.info.finished = "2026-11-22"  # its games are not played again
    with pytest.raises(UserError, match=r"other\.py has changed"):
        run_folder.prepare_resume(run)


def test_an_unfinished_run_of_objects_is_not_resumed_but_a_finished_one_is(run):
    run.info.entries[:] = [msgspec.structs.replace(run.entries[0], file="")]
    with pytest.raises(UserError, match=r"^bot was an object, so its run cannot be resumed: start a new run\.$"):
        run_folder.prepare_resume(run)
    run.info.finished = "2026-11-22"
    run_folder.prepare_resume(run)


def test_a_changed_file_that_an_entry_uses_is_named(run, tmp_path):
    path = tmp_path / "bot.json"
    path.write_text("{}")
    file = Path(run.entries[0].file)
    entry = msgspec.structs.replace(run.entries[0], companions=entry_files.companion_digests(file))
    assert list(entry.companions) == ["bot.json"]
    run.info.entries[:] = [entry]
    run_folder.prepare_resume(run)
    path.write_text("[]")
    with pytest.raises(
        UserError, match=rf"^bot\.json, which {file} uses, changed since the run started: restore it, or"
    ):
        run_folder.prepare_resume(run)


def test_torn_lines_are_removed_from_all_files_of_a_run(run):
    for name in ("records/bot.jsonl", "repeats/bot.jsonl", "durations/bot.csv"):
        path = run.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"whole\ntorn")
    run_folder.truncate_torn_tails(run)
    for name in ("records/bot.jsonl", "repeats/bot.jsonl", "durations/bot.csv"):
        assert (run.folder / name).read_bytes() == b"whole\n"


def test_each_word_list_of_a_run_is_checked(run):
    assert run_folder.lists_of(run.info) is words.load()
    for name, file in (("answers", "answers.txt"), ("guesses", "valid.txt")):
        digest = run.info.lists[name]["sha256"]
        run.info.lists[name]["sha256"] = sha256(b"").hexdigest()
        with pytest.raises(UserError, match=f"^{file} has changed since the run started: start a new run"):
            run_folder.lists_of(run.info)
        run.info.lists[name]["sha256"] = digest
