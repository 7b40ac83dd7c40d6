"""Entries fill their caches once, before any game, in a sandbox; then all games read the same bytes and none writes."""

import json
import os
import stat
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

from wordpl.contest import official
from wordpl.contest.check import check
from wordpl.contest.cluster import manifest
from wordpl.contest.cluster.worker_run import FileStore, RunOnWorker
from wordpl.contest.contest import Contest
from wordpl.core import entry_caches, words
from wordpl.core.errors import UserError
from wordpl.core.records import Run, Verdict
from wordpl.core.run_config import RunConfig
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.verify import verify

CONFINED_LEVELS = probe.probe().level.is_official
needs_sandbox = pytest.mark.skipif(not CONFINED_LEVELS, reason="caches are filled at levels A and B")
LEVELS = [Level.A, pytest.param(Level.B, marks=pytest.mark.long)] if probe.probe().level == Level.A else [Level.B]

BOT = """
    import os, random
    CACHE = True
    PATH = os.path.join(os.path.dirname(__file__), "words.txt")
    {fill}
    class Bot:
        def first_move(self):
            {first}
            return "crane", 1
        def next_move(self, guess, epsilon, clues):
            return "abide", 0
"""
FILL = """
    if not os.path.exists(PATH):
        open(PATH, "w").write(" ".join(random.SystemRandom().choices(["salet", "trace", "crane"], k=40)))
"""


def source(fill: str, first: str = "") -> str:
    return dedent(BOT).format(fill=dedent(fill).strip(), first=first or "pass")


def contest(folder: Path, *, fill: str = FILL, first: str = "", level: str = "", **options) -> Contest:
    """Return a contest of one bot; its file says `fill` when it is imported and `first` in each first move."""
    (folder / "bots").mkdir(exist_ok=True)
    (folder / "bots" / "bot.py").write_text(source(fill, first))
    config = RunConfig(n_games=6, repeats=2, seed="1", results=folder / "results", level=level, warmup_s=20.0)
    config = msgspec.structs.replace(config, **options)
    return Contest(config, [folder / "bots" / "bot.py"], jobs=1)


def verdicts(run: Run) -> set[Verdict]:
    return {record.verdict for record in run.read(run.entries[0])}


def cache_of(run: Run) -> Path:
    return entry_caches.folder_of(run.folder, str(run.entries[0].cache))


@needs_sandbox
@pytest.mark.parametrize("level", LEVELS)
def test_a_cache_is_filled_once_and_read_by_all_games_and_repeats(tmp_path, level):
    guess = "return open(PATH).read().split()[0], 1"  # a random word: a repeat would most likely show other bytes
    run = contest(tmp_path, first=guess, level=level).play()
    first = (cache_of(run) / "words.txt").read_text().split()[0]
    assert {record.moves[0].guess for record in run.read(run.entries[0])} == {first}
    assert sum(path.stat().st_size > 0 for path in (run.folder / "repeats").glob("*")) == 1
    assert json.loads((run.folder / "run.json").read_text())["entries"][0]["cache"] == cache_of(run).name
    assert not verify(run, words.load()).differences
    assert list((tmp_path / "bots").iterdir()) == [tmp_path / "bots" / "bot.py"]  # its own folder stays as it was


@needs_sandbox
def test_verify_finds_a_cache_that_was_edited_or_removed(tmp_path):
    run = contest(tmp_path).play()
    (cache_of(run) / "words.txt").chmod(0o644)
    (cache_of(run) / "words.txt").write_text("trace")
    assert [difference.what for difference in verify(run, words.load()).differences] == ["the cache of Bot"]
    (cache_of(run) / "words.txt").unlink()
    cache_of(run).rmdir()
    assert [difference.what for difference in verify(run, words.load()).differences] == ["the cache of Bot"]


@needs_sandbox
def test_a_resumed_run_reads_the_same_cache_or_is_refused(tmp_path):
    run = contest(tmp_path, first="return open(PATH).read().split()[1], 1").open()
    words_before = (cache_of(run) / "words.txt").read_text()
    (cache_of(run) / "words.txt").write_text("abide " * 40)
    with pytest.raises(UserError, match="has changed or is missing"):
        Contest.resume(run.folder, jobs=1).play()
    (cache_of(run) / "words.txt").write_text(words_before)
    Contest.resume(run.folder, jobs=1).play()
    assert {record.moves[0].guess for record in run.read(run.entries[0])} == {words_before.split()[1]}


@needs_sandbox
@pytest.mark.parametrize("level", LEVELS)
def test_no_game_can_write_to_the_cache(tmp_path, level):
    attempts = [
        "open(PATH, 'a')", "os.truncate(PATH, 0)", "open(PATH + '.new', 'w')", "os.unlink(PATH)",
        "os.mkdir(PATH + 'd')",
        "os.rename(PATH, PATH + '2')", "os.utime(PATH)", "os.chmod(PATH, 0o777)", "open(__file__, 'a')",
    ]  # fmt: skip
    first = "\n        ".join(
        ["through = []",
         *(f"try: {attempt}; through.append({attempt!r})\n        except OSError: pass" for attempt in attempts),
         "if os.path.exists(PATH + '.begun'): return ' '.join(through) or 'crane', 1",
         "open(PATH, 'w').close(); open(PATH + '.begun', 'w').close()"]
    )  # fmt: skip
    run = contest(tmp_path, first=first, level=level, repeats=0, n_games=1).play()
    (record,) = run.read(run.entries[0])
    assert record.verdict == Verdict.WRONG, record.message


@needs_sandbox
@pytest.mark.parametrize(
    ("fill", "text"),
    [
        ('open(PATH, "wb").truncate(65 << 20)', "File too large"),
        ('[open(f"{PATH}{i}", "wb").truncate(40 << 20) for i in range(2)]', "64 MiB .* 1,000 files"),
        ('[open(f"{PATH}{i}", "w").close() for i in range(1001)]', "64 MiB .* 1,000 files"),
        ('[os.mkdir(f"{PATH}{i}") for i in range(1001)]', "64 MiB .* 1,000 files"),
        ('for i in range(9): os.mkdir("strategies/a"); os.chdir("strategies/a"); os.mkdir("strategies")', "deep|limit"),
        ('open("strategies/a\\nb", "w").close()', "not printable"),
        ("import time; time.sleep(60)", "--warmup SECONDS"),
        ("raise ValueError('no')", "ValueError: no"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_a_cache_beyond_the_limits_is_refused_with_the_reason(tmp_path, fill, text):
    with pytest.raises(UserError, match=text):
        contest(tmp_path, fill=fill, warmup_s=2.0 if "sleep" in fill else 20.0).open()


@needs_sandbox
def test_a_failing_warm_up_game_is_reported(tmp_path):
    with pytest.raises(UserError, match=r"the warm-up game.*'nowrd' is not"):
        contest(tmp_path, first="return 'nowrd', 1").open()


@needs_sandbox
@pytest.mark.parametrize("level", LEVELS)
def test_links_pipes_sockets_and_modes_are_refused(tmp_path, level):
    attempts = [
        "os.symlink('/etc/passwd', PATH)", "os.link(__file__, PATH)", "os.mkfifo(PATH)",
        "os.mknod(PATH, 0o020666, 259)", "__import__('socket').socket(1).bind(PATH)", "os.chmod(__file__, 0o4755)",
        "os.chown(__file__, 0, 0)",
        f"open({str(tmp_path / 'bots' / 'bot.py')!r}, 'a')", f"open({str(tmp_path / 'bots' / 'new')!r}, 'w')",
        "open('answers.txt', 'a')", "open('../new', 'w')", "os.rename('answers.txt', PATH)", "os.fork()",
    ]  # fmt: skip
    lines = "\n".join(
        f"try: {attempt}; open(PATH, 'a').write('{number} ')\nexcept OSError: pass"
        for number, attempt in enumerate(attempts)
    )
    run = contest(tmp_path, fill=lines + "\nopen(PATH + '2', 'w').close()", level=level).open()
    assert [path.name for path in cache_of(run).iterdir()] == ["words.txt2"], (cache_of(run) / "words.txt").read_text()


@needs_sandbox
def test_cache_files_that_replace_the_entry_s_own_or_are_hidden_are_left_out(tmp_path):
    first = """
        here = os.path.dirname(__file__)
        if not os.path.exists(here + "/kept"):
            os.makedirs(here + "/__pycache__")
            for name in ("__pycache__/bot.cpython-311.pyc", ".hidden", "kept", "bot.py", "helper.py"):
                if os.path.exists(f"{here}/{name}"): os.unlink(f"{here}/{name}")
                open(f"{here}/{name}", "w").write("class Bot: pass")
        return helper.WORD, 1
    """
    new_contest = contest(tmp_path, fill="from strategies import helper", first=first.strip(), n_games=1, repeats=0)
    (tmp_path / "bots" / "helper.py").write_text("WORD = 'salet'")
    run = new_contest.play()
    assert [path.name for path in cache_of(run).iterdir()] == ["kept"]
    assert {record.moves[0].guess for record in run.read(run.entries[0])} == {"salet"}


@needs_sandbox
def test_cached_files_have_plain_modes_and_fixed_timestamps(tmp_path):
    expression = "','.join(str(n) for n in (s.st_mode, int(s.st_mtime), int(s.st_atime), s.st_nlink))"
    raise_status = f"s = os.stat(PATH); raise RuntimeError({expression})"
    first = f"if os.path.exists(PATH + '.2'): {raise_status}"
    run = contest(tmp_path, fill=FILL, first=f"{first}\n        open(PATH + '.2', 'w').close()", repeats=0).play()
    (text,) = {record.message.rpartition(" ")[2] for record in run.read(run.entries[0])}
    assert text == f"{stat.S_IFREG | 0o644},0,4102444800,1"


@needs_sandbox
def test_a_cluster_worker_shows_its_players_only_the_same_cached_bytes(tmp_path):
    first = """try: return " ".join(os.listdir(PATH.split("/players/")[0] + "/files/caches")), 1
        except OSError: return open(PATH).read()[:5], 1"""
    run = contest(tmp_path, first=first).open()
    run_manifest, files = manifest.make_manifest(run)
    store = FileStore(tmp_path / "store")
    store.keep(path.read_bytes() for path in files.values())
    working_folder = Path.cwd()
    run_on_worker = RunOnWorker(run_manifest, official.run_key(run), store, [])
    try:
        record, _ = run_on_worker.worker.play(0, 0)
    finally:
        run_on_worker.close()
        os.chdir(working_folder)
    assert record.moves, record.message
    assert record.moves[0].guess == (cache_of(run) / "words.txt").read_text()[:5]


@needs_sandbox
def test_an_entry_that_fills_its_cache_sees_no_other_entries(tmp_path):
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "rival.py").write_text(source("secret = 'rival'"))
    fill = """
        found = " ".join(os.listdir(os.path.dirname(__file__)))
        for name in ("strategies/rival.py", %r):
            try: found += open(name).read()
            except OSError: pass
        if not os.path.exists(PATH): open(PATH, "w").write(found)
    """.replace("%r", repr(str(tmp_path / "bots" / "rival.py")))
    contest(tmp_path, fill=fill)
    config = RunConfig(n_games=2, repeats=0, seed="1", results=tmp_path / "results", warmup_s=20.0)
    run = Contest(config, [tmp_path / "bots" / "bot.py", tmp_path / "bots" / "rival.py"], jobs=1).play()
    assert (cache_of(run) / "words.txt").read_text() == "bot.py"


@needs_sandbox
def test_a_refused_cache_leaves_no_temporary_files(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "tmp").mkdir()
    deep = "\n".join(
        ["os.mkdir('strategies/a'); os.chdir('strategies/a')", *["os.mkdir('b' * 200); os.chdir('b' * 200)"] * 60]
    )
    with pytest.raises(UserError):
        contest(tmp_path, fill=deep).play()
    assert [path.name for path in (tmp_path / "tmp").iterdir()] == []


@pytest.mark.parametrize("level", ["C", "D"])
def test_lower_levels_refuse_to_fill_a_cache_with_the_reason(tmp_path, level):
    with pytest.raises(UserError, match=f"at sandbox level {level}, it could also write .*--trust"):
        contest(tmp_path, level=level).open()


def test_a_trusted_entry_writes_into_its_own_folder(tmp_path):
    fill = "if 'REFEREE' in os.environ: open(PATH, 'w').close()"
    os.environ["REFEREE"] = "here"
    try:
        run = contest(tmp_path, fill=fill, player="trusted", repeats=0, n_games=1).play()
    finally:
        del os.environ["REFEREE"]
    assert not run.entries[0].cache
    assert (tmp_path / "bots" / "words.txt").exists()


@needs_sandbox
def test_check_fills_the_cache_and_reports_it(tmp_path):
    contest(tmp_path, first="return open(PATH).read().split()[0], 1")
    config = RunConfig(n_games=5, repeats=2, seed="1", results=tmp_path / "check", warmup_s=20.0)
    result = check([str(tmp_path / "bots" / "bot.py")], config, jobs=1)
    assert result is not None
    assert "with a filled cache" in result.checks[0].message
    assert {entry_check.name: entry_check.passed for entry_check in result.checks}["reproducible"]
