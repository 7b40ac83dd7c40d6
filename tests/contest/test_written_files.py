"""Entries write files once, before any game, in a sandbox; then all games read the same bytes and none writes."""

import json
import os
import stat
from pathlib import Path
from shutil import rmtree
from textwrap import dedent

import msgspec
import pytest

from tests.helpers.runs import resume
from wordpl.contest.contest import Contest
from wordpl.contest.enumeration import enumerate_entry
from wordpl.contest.preflight import check
from wordpl.core import words
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.verify import verify

CONFINED_LEVELS = probe.probe().level.is_official
needs_sandbox = pytest.mark.skipif(not CONFINED_LEVELS, reason="entries write files at levels A and B")
LEVELS = [Level.A, pytest.param(Level.B, marks=pytest.mark.long)] if probe.probe().level == Level.A else [Level.B]

BOT = """
    import os, random
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


HOLDS_REMOVED = """
    held = []
    for i in range(4):
        held.append(open(f"{PATH}{i}", "wb"))
        held[-1].write(bytes(60 << 20))
        held[-1].flush()
        os.unlink(f"{PATH}{i}")
"""
MAPS_REMOVED = """
    import mmap
    held = []
    for i in range(4):
        with open(f"{PATH}{i}", "wb+") as file:
            file.write(bytes(60 << 20))
            file.flush()
            held.append(mmap.mmap(file.fileno(), 0))
        os.unlink(f"{PATH}{i}")
"""

HIDES_REMOVED = """
    import ctypes, mmap
    libc, own_files = ctypes.CDLL(None), 0x100 | 0x200 | 0x800 | 0x10000 | 0x40000  # CLONE_*, without CLONE_FILES
    stacks = [mmap.mmap(-1, 1 << 16, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) for i in range(4)]
    for i, stack in enumerate(stacks):
        with open(f"{PATH}{i}", "wb") as file:
            file.write(bytes(60 << 20))
            top = ctypes.addressof(ctypes.c_char.from_buffer(stack)) + (1 << 16)
            if libc.clone(libc.pause, ctypes.c_void_p(top), own_files, None) < 0: raise OSError("no thread")
        os.unlink(f"{PATH}{i}")
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
    return {record.verdict for record in run.entries[0].read()}


def written_by(run: Run) -> Path:
    """Return the folder with what the entry wrote to strategies/."""
    return run.store.path(str(run.info.entries[0].written)) / "strategies"


@needs_sandbox
@pytest.mark.parametrize("level", LEVELS)
def test_files_are_written_once_and_read_by_all_games_and_repeats(tmp_path, level):
    guess = "return open(PATH).read().split()[0], 1"  # a random word: a repeat would most likely show other bytes
    run = contest(tmp_path, first=guess, level=level).play()
    first = (written_by(run) / "words.txt").read_text().split()[0]
    assert {record.moves[0].guess for record in run.entries[0].read()} == {first}
    assert sum(path.stat().st_size > 0 for path in (run.folder / "repeats").glob("*")) == 1
    assert json.loads((run.folder / "run.json").read_text())["entries"][0]["written"] == written_by(run).parent.name
    assert not verify(run, words.load()).differences
    assert list((tmp_path / "bots").iterdir()) == [tmp_path / "bots" / "bot.py"]  # its own folder stays as it was


@needs_sandbox
def test_verify_finds_written_files_that_were_edited_and_tells_which_are_missing(tmp_path):
    run = contest(tmp_path).play()
    (written_by(run) / "words.txt").chmod(0o644)
    (written_by(run) / "words.txt").write_text("trace")
    assert [difference.what for difference in verify(run, words.load()).differences] == ["the written files of Bot"]
    rmtree(written_by(run).parent)
    findings = verify(run, words.load())
    assert not findings.differences
    assert "the written files of Bot: the run's folder does not have them." in findings.notes


@needs_sandbox
def test_a_resumed_run_reads_the_same_files_or_is_refused(tmp_path):
    run = contest(tmp_path, first="return open(PATH).read().split()[1], 1").open()
    words_before = (written_by(run) / "words.txt").read_text()
    (written_by(run) / "words.txt").write_text("abide " * 40)
    with pytest.raises(UserError, match="is missing or has changed"):
        resume(run, jobs=1).play()
    (written_by(run) / "words.txt").write_text(words_before)
    resume(run, jobs=1).play()
    assert {record.moves[0].guess for record in run.entries[0].read()} == {words_before.split()[1]}


@needs_sandbox
@pytest.mark.parametrize("level", LEVELS)
def test_no_game_can_write(tmp_path, level):
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
    (record,) = run.entries[0].read()
    assert record.verdict == Verdict.WRONG, record.message


@needs_sandbox
@pytest.mark.parametrize(
    ("fill", "text"),
    [
        ('open(PATH, "wb").truncate(129 << 20)', "File too large"),
        ('[open(f"{PATH}{i}", "wb").truncate(80 << 20) for i in range(2)]', "128 MiB .* 1,000 files"),
        ('[open(f"{PATH}{i}", "w").close() for i in range(1001)]', "128 MiB .* 1,000 files"),
        ('[os.mkdir(f"{PATH}{i}") for i in range(1001)]', "128 MiB .* 1,000 files"),
        (HOLDS_REMOVED, "128 MiB .* 1,000 files"),
        (MAPS_REMOVED, "128 MiB .* 1,000 files"),
        (HIDES_REMOVED, "no thread"),
        ('for i in range(9): os.mkdir("strategies/a"); os.chdir("strategies/a"); os.mkdir("strategies")', "deep|limit"),
        ('open("strategies/a\\nb", "w").close()', "not printable"),
        ("import time; time.sleep(60)", "--warmup SECONDS"),
        ("raise ValueError('no')", "ValueError: no"),
    ],
)  # fmt: skip
@pytest.mark.slow
def test_files_beyond_the_limits_are_refused_with_the_reason(tmp_path, fill, text):
    with pytest.raises(UserError, match=text):
        contest(tmp_path, fill=fill, warmup_s=2.0 if "sleep" in fill else 20.0).open()


@pytest.mark.slow
@needs_sandbox
def test_a_warm_up_game_that_fails_is_reported_only_if_files_were_written(tmp_path):
    assert len(contest(tmp_path, fill="", first="return 'nowrd', 1").entries) == 1
    with pytest.raises(UserError, match=r"its warm-up game.*'nowrd' is not"):
        contest(tmp_path, first="return 'nowrd', 1").open()


@needs_sandbox
@pytest.mark.parametrize("level", LEVELS)
def test_what_an_entry_does_to_the_word_lists_is_not_kept(tmp_path, level):
    fill = "try: open('answers.txt', 'a').write('zzzzz')\nexcept OSError: pass"
    run = contest(tmp_path, fill=f"{fill}\nopen(PATH, 'w').close()", level=level).open()
    assert [path.name for path in written_by(run).iterdir()] == ["words.txt"]


@needs_sandbox
@pytest.mark.parametrize("level", LEVELS)
def test_links_pipes_sockets_and_modes_are_refused(tmp_path, level):
    attempts = [
        "os.symlink('/etc/passwd', PATH)", "os.link(__file__, PATH)", "os.mkfifo(PATH)",
        "os.mknod(PATH, 0o020666, 259)", "__import__('socket').socket(1).bind(PATH)", "os.chmod(__file__, 0o4755)",
        "os.chown(__file__, 0, 0)",
        f"open({str(tmp_path / 'bots' / 'bot.py')!r}, 'a')", f"open({str(tmp_path / 'bots' / 'new')!r}, 'w')",
        "open('../new', 'w')", "os.rename('answers.txt', PATH)", "os.fork()",
    ]  # fmt: skip
    lines = "\n".join(
        f"try: {attempt}; open(PATH, 'a').write('{number} ')\nexcept OSError: pass"
        for number, attempt in enumerate(attempts)
    )
    run = contest(tmp_path, fill=lines + "\nopen(PATH + '2', 'w').close()", level=level).open()
    assert [path.name for path in written_by(run).iterdir()] == ["words.txt2"]


@pytest.mark.slow
@needs_sandbox
def test_files_that_replace_the_entry_s_own_or_are_hidden_are_left_out(tmp_path):
    first = """
        here = os.path.dirname(__file__)
        if not os.path.exists(here + "/kept"):
            os.makedirs(here + "/__pycache__")
            for name in ("__pycache__/bot.cpython-311.pyc", ".hidden", "kept", "bot.py", "bot.json", "../valid.txt"):
                if os.path.exists(f"{here}/{name}"): os.unlink(f"{here}/{name}")
                open(f"{here}/{name}", "w").write("class Bot: pass")
        word = open(here + "/bot.json").read()
        return (word if len(word) == 5 else "trace"), 1
    """
    new_contest = contest(tmp_path, fill="", first=first.strip(), n_games=1, repeats=0)
    (tmp_path / "bots" / "bot.json").write_text("salet")
    (tmp_path / "bots" / "shared.txt").write_text("bot.json")
    run = new_contest.play()
    assert [path.name for path in written_by(run).iterdir()] == ["kept"]
    assert [path.name for path in written_by(run).parent.iterdir()] == ["strategies"]
    assert {record.moves[0].guess for record in run.entries[0].read()} == {"salet"}


@pytest.mark.slow
@needs_sandbox
def test_frozen_files_have_plain_modes_and_fixed_timestamps(tmp_path):
    expression = "','.join(str(n) for n in (s.st_mode, int(s.st_mtime), int(s.st_atime), s.st_nlink))"
    raise_status = f"s = os.stat(PATH); raise RuntimeError({expression})"
    first = f"if os.path.exists(PATH + '.2'): {raise_status}"
    run = contest(tmp_path, fill=FILL, first=f"{first}\n        open(PATH + '.2', 'w').close()", repeats=0).play()
    (text,) = {record.message.rpartition(" ")[2] for record in run.entries[0].read()}
    assert text == f"{stat.S_IFREG | 0o644},0,4102444800,1"


@pytest.mark.slow
@needs_sandbox
def test_whoever_plays_a_part_shows_players_only_the_same_bytes(tmp_path):
    first = """try: return " ".join(os.listdir(PATH.split("/players/")[0] + "/bundles")), 1
        except OSError: return open(PATH).read()[:5], 1"""
    run = contest(tmp_path, first=first).open()
    part = Contest.part(run.folder, "1/1").play()
    record = part.entries[0].read()[0]
    assert record.moves, record.message
    assert record.moves[0].guess == (written_by(run) / "words.txt").read_text()[:5]


@needs_sandbox
def test_an_entry_that_writes_sees_no_other_entries(tmp_path):
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "rival.py").write_text(source("open(PATH[:-9] + 'rival.json', 'w').write('rival')"))
    fill = """
        found = " ".join(os.listdir(os.path.dirname(__file__)))
        for name in ("strategies/rival.py", "strategies/rival.json", %r):
            try: found += open(name).read()
            except OSError: pass
        if not os.path.exists(PATH): open(PATH, "w").write(found)
    """.replace("%r", repr(str(tmp_path / "bots" / "rival.py")))
    contest(tmp_path, fill=fill)
    config = RunConfig(n_games=2, repeats=0, seed="1", results=tmp_path / "results", warmup_s=20.0)
    run = Contest(config, [tmp_path / "bots" / "rival.py", tmp_path / "bots" / "bot.py"], jobs=1).play()
    (text,) = [path.read_text() for path in run.folder.rglob("words.txt")]
    assert text == "bot.py"


@pytest.mark.slow
@needs_sandbox
def test_files_may_be_written_anywhere_in_the_working_folder(tmp_path):
    fill = """
        if not os.path.exists("cache/table.txt"):
            os.makedirs("cache", exist_ok=True)
            open("cache/table.txt.part", "w").write("slate")
            os.replace("cache/table.txt.part", "cache/table.txt")
    """
    run = contest(tmp_path, fill=fill, first="return open('cache/table.txt').read(), 1", repeats=0).play()
    assert {record.moves[0].guess for record in run.entries[0].read()} == {"slate"}
    assert [path.name for path in written_by(run).parent.rglob("*")] == ["cache", "table.txt"]


@pytest.mark.slow
@needs_sandbox
def test_refused_files_leave_no_temporary_ones(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", None)
    (tmp_path / "tmp").mkdir()
    deep = "\n".join(
        ["os.mkdir('strategies/a'); os.chdir('strategies/a')", *["os.mkdir('b' * 200); os.chdir('b' * 200)"] * 60]
    )
    with pytest.raises(UserError):
        contest(tmp_path, fill=deep).play()
    assert [path.name for path in (tmp_path / "tmp").iterdir()] == []


@pytest.mark.skipif(probe.probe().level > Level.C, reason="writing is forbidden at level C")
def test_an_entry_that_has_to_write_is_no_entry_at_level_c(tmp_path):
    with pytest.raises(UserError, match="Operation not permitted"):
        contest(tmp_path, level="C").open()


def test_a_trusted_entry_writes_into_its_own_folder(tmp_path):
    fill = "if 'REFEREE' in os.environ: open(PATH, 'w').close()"
    os.environ["REFEREE"] = "here"
    try:
        run = contest(tmp_path, fill=fill, player="trusted", repeats=0, n_games=1).play()
    finally:
        del os.environ["REFEREE"]
    assert not run.info.entries[0].written
    assert (tmp_path / "bots" / "words.txt").exists()


@needs_sandbox
def test_check_reports_that_files_were_written(tmp_path):
    contest(tmp_path, first="return open(PATH).read().split()[0], 1")
    config = RunConfig(n_games=5, repeats=2, seed="1", results=tmp_path / "check", warmup_s=20.0)
    result = check([str(tmp_path / "bots" / "bot.py")], config, jobs=1)
    assert result is not None
    assert "and wrote files (" in result.checks[0].message
    assert {entry_check.name: entry_check.passed for entry_check in result.checks}["reproducible"]


@needs_sandbox
@pytest.mark.slow
def test_an_entry_that_writes_a_file_is_enumerated_with_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    source = dedent(BOT).format(fill=dedent(FILL), first='assert os.path.exists(PATH); return "trace", 9')
    (tmp_path / "bot.py").write_text(source)
    contest = Contest(RunConfig(level=LEVELS[0]), ["bot.py"])
    (entry,) = contest.entries
    chance, budget = enumerate_entry(entry, contest.config, lambda: None, contest.found.store)
    assert entry.written
    assert (chance, budget) == (pytest.approx(1 / len(words.load().answers)), 9)
