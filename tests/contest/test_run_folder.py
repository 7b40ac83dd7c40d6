"""The folder of a run: run.json of a new run, and the checks before an interrupted run is resumed."""

import platform
import re
import shutil
from contextlib import nullcontext
from hashlib import sha256
from importlib.metadata import version

import msgspec
import pytest
from msgspec.structs import replace

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest import run_folder
from wordpl.core import paths, words
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.core.seeds import is_drawn
from wordpl.games import game_class
from wordpl.players.sandbox.levels import Level
from wordpl.players.sandbox.probe import ProbeResult, probe
from wordpl.run.config import Limits, PlayerKind, RunConfig, WordFile
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, Part, SeedSource
from wordpl.run.records import Duration, Record, encode, encode_duration

CLASSIC = EntryInfo("classic", "classic", game_class("wordle/1").facts, "bot.py", "Bot()", "")
NOISY = EntryInfo("noisy", "noisy", game_class("wordpl/1").facts, "bot.py", "Bot()", "")
EVASIVE = EntryInfo("evasive", "evasive", game_class("absurdle/1").facts, "bot.py", "Bot()", "")


def test_a_new_run_has_the_settings_of_its_configuration():
    config = RunConfig(
        n_games=7, repeats=3, seed="s", timeout_s=2.0, warmup_s=9.0, memory_mb=512, total_s=5.0, level="D",
        loss_cost=50.0, limits=Limits(wall_s=3.0),
    )  # fmt: skip
    info = run_folder.describe(config, [NOISY])
    for name in ("n_games", "repeats", "timeout_s", "warmup_s", "memory_mb", "total_s", "loss_cost", "limits", "level"):
        assert getattr(info.config, name) == getattr(config, name), name
    assert (info.seed, info.config.seed, info.finished) == ("s", None, None)
    assert (info.config.enforced_s, info.config.player) == (2.2, PlayerKind.PROCESS)
    lists = words.load()
    assert info.config.answers == WordFile("answers.txt", 2315, lists.sha256["answers"])
    assert info.config.guesses == WordFile("valid.txt", len(lists.guesses), lists.sha256["guesses"])
    assert info.entries == [NOISY]
    assert info.machine["processors"] == run_folder.n_processors() >= 1
    assert info.machine["system"] == f"{platform.system()} {platform.machine()}"
    released = {name: number for name, number in info.versions.items() if name not in ("rules", "library")}
    assert released == {
        "python": platform.python_version(), **{name: version(name) for name in ("wordpl", "numpy", "numba")}
    }  # fmt: skip
    assert all(re.fullmatch("[0-9a-f]{16}", info.versions[name]) for name in ("rules", "library"))
    assert info.started[10] == "T" and info.started.endswith("+00:00")


def test_missing_settings_get_their_defaults():
    info = run_folder.describe(RunConfig(n_games=4, timeout_s=3.0), [])
    assert (is_drawn(info.seed), info.seed_source) == (True, SeedSource.DRAWN)
    assert (info.config.total_s, info.config.repeats, info.config.level) == (12.0, None, probe().level)
    trusted = run_folder.describe(RunConfig(player=PlayerKind.TRUSTED, level="D"), [])
    assert (trusted.config.repeats, trusted.config.level) == (0, "")
    official = run_folder.describe(RunConfig(official=True), [])
    assert (official.seed, official.seed_source) == (None, SeedSource.OFFICIAL)


def test_a_run_of_every_answer_has_as_many_games_as_answers(tmp_path):
    info = run_folder.describe(RunConfig(every_answer=True, n_games=7), [CLASSIC])
    assert (info.config.n_games, info.config.every_answer) == (2315, True)
    (tmp_path / "few").write_text("crane\nslate\n")
    config = RunConfig(every_answer=True, answers=tmp_path / "few", guesses=tmp_path / "few")
    assert run_folder.describe(config, [CLASSIC]).config.n_games == 2


@pytest.mark.parametrize("entry", [NOISY, EVASIVE])
def test_every_answer_is_played_only_in_classic_games_with_a_secret(entry):
    message = f"--games all works only for classic games such as wordle/1, but {entry.name} plays {entry.game.id}: "
    with pytest.raises(UserError, match=message):
        run_folder.describe(RunConfig(every_answer=True), [CLASSIC, entry])
    assert run_folder.describe(RunConfig(), [CLASSIC, entry]).config.n_games == 1001


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
    assert run_folder.new_folder(tmp_path, info, {f"{folder_names[0]}-4"}) == tmp_path / f"{folder_names[0]}-5"


@pytest.fixture
def run(tmp_path):
    return new_run(tmp_path, {"bot": DRAWS_ALL, "other": DRAWS_ALL}, n_games=6)


def lines(*games):
    return [encode(Record(game, "crane", [], Verdict.WRONG)) for game in games]


def test_games_in_journals_are_kept_and_unfinished_games_are_listed(run):
    bot, other = run.info.entries
    run.entry(bot).records_path.write_bytes(b"".join(lines(0, 1)))
    run.entry(bot).journals_path.mkdir(parents=True)
    (run.entry(bot).journals_path / "1").write_bytes(b"1\n" + lines(1)[0] + b"4\n" + lines(4)[0] + b"5\n")
    (run.entry(bot).journals_path / "2").write_bytes(b"2\n" + lines(2)[0][:-9])  # torn
    run_folder.prepare_resume(run)
    assert run.entry(bot).records_path.read_bytes() == b"".join(lines(0, 1, 4))
    assert Run(run.folder).info.played_again == run.info.played_again == {"bot": [2, 5]}
    assert not run.entry(other).records_path.exists()
    assert not (run.folder / ".begun").exists()


def test_games_stay_listed_and_run_json_is_written_only_for_new_ones(run):
    bot, other = run.info.entries
    run.info.played_again = {"bot": [3], "other": [1]}
    run.write_info()
    modified_ns = (run.folder / "run.json").stat().st_mtime_ns
    run.entry(bot).records_path.write_bytes(b"".join(lines(3, 4)))
    run.list_restarted(run.entry(bot), [3, 4])
    assert (run.folder / "run.json").stat().st_mtime_ns == modified_ns
    run.list_restarted(run.entry(bot), [5, 0])
    assert Run(run.folder).info.played_again == {"bot": [0, 3, 5], "other": [1]}
    run.list_restarted(run.entry(other), [])
    assert run.info.played_again == {"bot": [0, 3, 5], "other": [1]}


def test_a_run_is_resumed_only_with_its_original_versions_and_stored_files(run, tmp_path):
    run_folder.prepare_resume(run)
    (tmp_path / "other.py").write_text("changed")
    (tmp_path / "bot.py").unlink()
    run_folder.prepare_resume(run)  # the run plays its own copies
    stored = run.store.path(run.info.entries[1].sha256) / "other.py"
    stored.write_text("changed")
    with pytest.raises(UserError, match=r"with the files of other, is missing or has changed: restore it, or start a "):
        run_folder.prepare_resume(run)
    stored.unlink()
    with pytest.raises(UserError, match="with the files of other, is missing or has changed"):
        run_folder.prepare_resume(run)
    run.info.versions = {"wordpl": "0.0.1", "python": "3"}
    with pytest.raises(UserError, match=r"was started with wordpl 0\.0\.1, python 3, but this is python "):
        run_folder.prepare_resume(run)
    run.info.finished = "2026-11-22"  # its games are not played again
    with pytest.raises(UserError, match="with the files of other, is missing or has changed"):
        run_folder.prepare_resume(run)


@pytest.mark.parametrize(
    ("changes", "is_resumed"),
    [({"wordpl": "99"}, True), *(({name: "0"}, False) for name in ("python", "numpy", "numba", "rules", "library"))],
)
def test_a_run_is_resumed_by_another_release_with_the_same_code_only(run, changes, is_resumed):
    run.info.versions = run_folder.versions() | changes
    with nullcontext() if is_resumed else pytest.raises(UserError, match="must be played with the same versions"):
        run_folder.prepare_resume(run)


def test_an_unfinished_run_of_objects_is_not_resumed_but_a_finished_one_is(run):
    run.info.entries[:] = [msgspec.structs.replace(run.info.entries[0], file="")]
    with pytest.raises(UserError, match=r"^bot was an object, so its run cannot be resumed: start a new run\.$"):
        run_folder.prepare_resume(run)
    run.finish("2026-11-22")
    run_folder.prepare_resume(run)


def test_each_word_list_of_a_run_is_checked(run):
    assert run.info.config.load_lists() is words.load()
    for name, file in (("answers", "answers.txt"), ("guesses", "valid.txt")):
        word_file = replace(run.info.config.word_files[name], sha256=sha256(b"").hexdigest())
        with pytest.raises(UserError, match=f"^{file} has changed since the run started: start a new run"):
            replace(run.info.config, **{name: word_file}).load_lists()


DECIDE_GAMES = {
    "rules": [*(f"core/{name}.py" for name in ("clues", "moves", "seeds", "words")), "games/noisy.py",
              "contest/referee.py"],
    "library": ["__init__.py", "strategy.py", "players/worker.py", "solvers/entropy.py", "kernels/posterior.py"],
}  # fmt: skip


def test_the_digests_of_rules_and_library_cover_what_decides_games(tmp_path, monkeypatch):
    parts = [paths.PACKAGE / part for part in {*run_folder.RULES, *run_folder.LIBRARY}]
    for path in {file for part in parts for file in (part.rglob("*.py") if part.is_dir() else [part])}:
        (target := tmp_path / path.relative_to(paths.PACKAGE)).parent.mkdir(parents=True, exist_ok=True)
        target.symlink_to(path)
    versions = run_folder.versions()
    monkeypatch.setattr(paths, "PACKAGE", tmp_path)
    for kind, files in DECIDE_GAMES.items():
        for file in files:
            (tmp_path / file).unlink()
            (tmp_path / file).write_text("# changed")
            run_folder._digest_of.cache_clear()
            before, versions = versions, run_folder.versions()
            assert versions[kind] != before[kind], file
    run_folder._digest_of.cache_clear()


def test_what_a_resumed_run_lacks_is_named_and_an_empty_folder_is_made_again(run):
    records, durations = run.folder / "records", run.folder / "durations"
    records.rmdir()  # as git does with an empty folder
    run_folder.prepare_resume(run)
    assert records.is_dir()
    records.rmdir()
    with (durations / "bot.csv").open("ab") as file:
        file.write(encode_duration(Duration(0, 1.0, 1.0)))
    with pytest.raises(UserError, match="records is missing: restore it"):
        run_folder.prepare_resume(run)
    records.mkdir()
    shutil.rmtree(durations)
    with pytest.raises(UserError, match="durations is missing: restore it"):
        run_folder.prepare_resume(run)
    run.info.entries.clear()
    with pytest.raises(UserError, match="has no entries: there is nothing to play"):
        run_folder.prepare_resume(run)


def test_a_run_is_resumed_only_in_its_format_with_its_games_and_as_it_was_sealed(run, monkeypatch):
    bot = run.info.entries[0]
    facts = replace(bot.game, id="own/1", sha256="0" * 64)
    run.info.entries[0] = replace(bot, game=facts)
    with pytest.raises(UserError, match="own/1 is a game of the host's own"):
        run_folder.prepare_resume(run)
    run.info.entries[0] = bot
    (run.folder / "records" / "bot.jsonl").write_bytes(b"".join(lines(0)) + b'{"game":1')
    run_folder.prepare_resume(run)
    assert (run.folder / "records" / "bot.jsonl").read_bytes() == b"".join(lines(0))
    run.info.part, run.info.machine = Part(1, 1, 0, 6), {}
    run_folder.prepare_resume(run)
    assert run.info.machine == run_folder.machine()
    run.info.part = None
    monkeypatch.setattr(type(run.info), "is_written", False)
    with pytest.raises(UserError, match="which this release only reads"):
        run_folder.prepare_resume(run)
    monkeypatch.undo()
    run.finish("2026-11-22")
    run.info.seed = "other"
    run.write_info()
    with pytest.raises(UserError, match="is damaged"):
        run_folder.prepare_resume(Run(run.folder))


def test_what_an_entry_wrote_is_needed_too_when_its_run_is_resumed(run):
    run.info.entries[0] = replace(run.info.entries[0], written="0" * 64)
    with pytest.raises(UserError, match=r"0000, with the files of bot, is missing or has changed"):
        run_folder.prepare_resume(run)


def test_files_that_their_authors_have_changed_are_named_and_no_other_place_is_looked_at(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    bot, other = run.info.entries
    entries = [replace(bot, file="bot.py"), replace(other, file="other.py")]
    assert run_folder.changed_files(entries) == []
    (tmp_path / "other.py").write_text("changed")
    (named,) = run_folder.changed_files(entries)
    assert named.startswith(f"other.py has changed since the run: this is the version .* in bundles/{other.sha256[:12]}"
                            .replace(".*", "that the run stores"))  # fmt: skip
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    for file in (str(tmp_path / "other.py"), "../other.py", "gone.py"):
        assert run_folder.changed_files([replace(other, file=file)]) == []


def test_the_level_of_an_official_run_is_probed_again(monkeypatch):
    monkeypatch.setattr(run_folder.probe, "level_since_boot", lambda: Level.A)
    monkeypatch.setattr(run_folder.probe, "probe", lambda: ProbeResult(Level.B, {}))
    assert run_folder.describe(RunConfig(), []).config.level == "A"
    assert run_folder.describe(RunConfig(official=True), []).config.level == "B"
