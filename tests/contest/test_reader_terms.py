"""Whoever replays or resumes a run decides how its entries run; nothing in the run's folder does."""

import json
from textwrap import dedent

import pytest
from msgspec.structs import replace

from tests.helpers.cli import evaluate, wordpl
from tests.helpers.runs import new_run, resume
from wordpl.contest import Contest
from wordpl.contest.isolation import ReaderTerms
from wordpl.contest.spot_check import spot_check
from wordpl.core.messages import ConfigError, UserError
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.reports.run_report import RunReport
from wordpl.run.bundle import Bundle
from wordpl.run.config import Limits, PlayerKind, ReaderLimits
from wordpl.run.folder import Run, RunRecords

ISOLATES = probe.probe().level.is_official
needs_isolation = pytest.mark.skipif(not ISOLATES, reason="needs Landlock or bubblewrap")
INTRUDER = """
    import os

    def write(place):
        try:
            with open({path!r}, "a") as file:
                file.write(place)
        except OSError:
            pass

    write("import ")

    class Bot:
        def __init__(self):
            write("init ")
        def first_move(self):
            write("game ")
            return "crane", 5.0
        def next_move(self, guess, epsilon, clues):
            return "abide", 0
"""


@pytest.fixture(scope="module")
def intruder(tmp_path_factory):
    """A finished run whose entry writes to a file of the reader wherever it can, and that file."""
    folder = tmp_path_factory.mktemp("intruder")
    trace = folder / "trace"
    run = new_run(folder, {"bot": dedent(INTRUDER).format(path=str(trace))}, n_games=3)
    resume(run, jobs=1).play()
    RunReport(RunRecords(Run(run.folder))).write()
    assert trace.exists(), "the entry would write, if it could"
    return run.folder, trace


def claim(folder, **settings):
    """Change settings in the run.json and seal the run again, as whoever publishes it can."""
    facts = json.loads((folder / "run.json").read_text())
    facts["config"] |= settings
    (folder / "run.json").write_text(json.dumps(facts))
    Run(folder).finish(facts["finished"])


LEVELS_CLAIMED = [
    {"level": "D"},
    {"level": "C"},
    {"level": "D", "enforced_s": 86400.0, "memory_mb": 10**7, "warmup_s": 86400.0},
]


@needs_isolation
@pytest.mark.slow
@pytest.mark.parametrize("claimed", LEVELS_CLAIMED, ids=str)
@pytest.mark.parametrize("command", ["verify", "of", "analyse"])
def test_no_level_in_run_json_lets_an_entry_out_of_the_sandbox(intruder, claimed, command):
    folder, trace = intruder
    claim(folder, **claimed)
    trace.unlink(missing_ok=True)
    if command == "verify":
        assert f"at level {probe.probe().level}" in wordpl("verify", folder, "--replay", 2).stderr
    elif command == "of":
        assert "crane" in evaluate("--run", folder, "--number", 1).output
    else:
        assert "3 games" in wordpl("analyse", folder, "Bot()").output
    assert not trace.exists()


@needs_isolation
@pytest.mark.slow
def test_a_run_that_says_that_its_entries_are_trusted_is_replayed_in_the_sandbox(intruder):
    folder, trace = intruder
    claim(folder, player="trusted", level="")
    trace.unlink(missing_ok=True)
    try:
        assert "crane" in evaluate("--run", folder, "--number", 1).output
        assert "trusted" in wordpl("verify", folder, "--replay", 1).stderr
        assert not trace.exists()
    finally:
        claim(folder, player="process", level="D")


@pytest.mark.parametrize(
    ("settings", "options", "message"),
    [
        ({}, [], r"at level D, which does not isolate .* resume it with --isolation D\."),
        ({"level": "C"}, [], r"at level C, which does not isolate"),
        ({}, ["--isolation", "A"], r"is played at level D, and keeps it"),
        ({"player": PlayerKind.TRUSTED, "level": ""}, [], r"only you can decide: .* resume it with --trust\."),
        ({"player": PlayerKind.TRUSTED, "level": ""}, ["--isolation", "D"], r"only you can decide"),
        ({}, ["--trust"], r"are not trusted, and a run keeps its settings"),
    ],
)
def test_a_run_without_isolation_is_resumed_only_if_the_reader_says_so(tmp_path, settings, options, message):
    trace = tmp_path / "trace"
    run = new_run(tmp_path, {"bot": dedent(INTRUDER).format(path=str(trace))}, n_games=2, **settings)
    result = evaluate("--resume", run.folder, *options)
    assert result.exit_code == 1
    assert not trace.exists()
    choice = {"level": options[1] if "--isolation" in options else "", "trusted": "--trust" in options}
    with pytest.raises(UserError, match=message):
        Contest.resume(run.folder, **choice)


def test_a_replay_without_isolation_needs_an_option_that_says_so(tmp_path, monkeypatch):
    run = new_run(tmp_path, {"bot": INTRUDER.format(path="")}, level="A")
    monkeypatch.setattr(probe, "probe", lambda: probe.ProbeResult(Level.D, {Level.A: "no sandbox here"}))
    with pytest.raises(UserError, match=r"their code could read and change your files.*--replay-without-isolation"):
        ReaderTerms.of(run.info)
    assert ReaderTerms.of(run.info, unconfined=True).config.level == "D"
    assert ReaderTerms.of(run.info, level="D").config.level == "D"


def test_limits_of_a_run_hold_up_to_those_of_the_reader(tmp_path):
    limits = Limits(wall_factor=1e6, wall_s=1e6, reply_bytes=10**8, open_files=10**6)
    run = new_run(tmp_path, {"bot": INTRUDER.format(path="")}, enforced_s=7200.0, warmup_s=5.0, limits=limits)
    capped, names = ReaderLimits().cap(run.info.config)
    assert (capped.cpu_limit_s, capped.warmup_s, capped.memory_mb) == (60.0, 5.0, 512)
    assert capped.limits == Limits(wall_factor=10.0, wall_s=60.0, reply_bytes=65536, open_files=1024)
    assert names == ["cpu_s", "wall_factor", "wall_s", "reply_bytes", "open_files"]
    own = ReaderLimits.of(["cpu_s=9000", "wall_factor=1e7", "wall_s=1e7", "reply_bytes=1e8", "open_files=1e6"])
    assert own.cap(run.info.config) == (run.info.config, [])
    assert ReaderTerms.of(run.info, own, level="D").capped == []
    assert ReaderTerms.of(run.info, level="D").capped == names
    with pytest.raises(ConfigError, match="one of the names cpu_s, warmup_s, memory_mb"):
        ReaderLimits.of(["level=5"])


def test_nothing_that_a_run_says_chooses_the_level_the_limits_or_the_process_of_who_replays_it(tmp_path, monkeypatch):
    monkeypatch.setattr(probe, "probe", lambda: probe.ProbeResult(Level.B, {}))
    trusted = new_run(tmp_path, {"bot": INTRUDER.format(path="")}, player=PlayerKind.TRUSTED, level="", memory_mb=10**6)
    terms = ReaderTerms.of(trusted.info)
    assert (terms.config.level, terms.config.player) == ("B", PlayerKind.PROCESS)
    assert (terms.config.memory_mb < 10**6, "memory_mb" in terms.capped) == (True, True)
    (tmp_path / "other").mkdir()
    claims_more = new_run(tmp_path / "other", {"bot": INTRUDER.format(path="")}, level="A")
    assert ReaderTerms.of(claims_more.info).config.level == "B"


@needs_isolation
@pytest.mark.slow
def test_a_verdict_that_a_limit_of_the_reader_changed_is_named_and_no_difference(tmp_path):
    slow = """
        import time
        class Bot:
            def first_move(self):
                began = time.process_time()
                while time.process_time() < began + 0.8:
                    pass
                return "crane", 5.0
            def next_move(self, guess, epsilon, clues):
                return "abide", 0
    """
    run = new_run(tmp_path, {"bot": slow}, n_games=1, timeout_s=20.0, enforced_s=22.0)
    run = resume(run, jobs=1).play()
    terms = ReaderTerms.of(run.info, ReaderLimits(cpu_s=0.2))
    found = spot_check(run, 1, terms=terms)
    assert (found.n_capped, found.capped, found.differences) == (1, ["cpu_s"], [])
    result = wordpl("verify", run.folder, "--replay", 1, "--cap", "cpu_s=0.2")
    assert "exceeded a limit of this machine that is smaller than that of the run (cpu_s)" in " ".join(
        result.output.split()
    )


@needs_isolation
@pytest.mark.slow
def test_replayed_files_are_those_that_the_run_stores_wherever_run_json_points(tmp_path):
    run = new_run(tmp_path, {"bot": INTRUDER.format(path="")}, n_games=2)
    run = resume(run, jobs=1).play()
    elsewhere = tmp_path / "elsewhere" / "bot.py"
    elsewhere.parent.mkdir()
    elsewhere.write_text("raise SystemExit('the wrong file')")
    entry = replace(run.info.entries[0], file=str(elsewhere))
    assert Bundle.of(elsewhere).digest != entry.sha256
    run.info.entries[:] = [entry]
    found = spot_check(run, 2)
    assert (found.n_played, found.differences, found.missing) == (2, [], [])
