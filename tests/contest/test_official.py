"""An official run: nobody can choose its seed, change its settings, or know its games before they are played."""

import json
from textwrap import dedent

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from tests.helpers.paths import HOME
from tests.helpers.runs import DRAWS_ALL, new_run
from tests.helpers.written_runs import BOT, write_games
from wordpl.cli import publishing
from wordpl.cli.evaluate import command as evaluate
from wordpl.contest import Contest, Observer, official
from wordpl.contest.entries import find_entries
from wordpl.core.messages import UserError
from wordpl.core.seeds import Draws
from wordpl.players.sandbox.probe import probe
from wordpl.run import seal
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run

N_GAMES = 457
SPY = """
import os
import sys


class Spy:
    def first_move(self):
        seen = [str(vars(self)), str(os.environ), str(sys.argv), os.getcwd()]
        parent = "/proc", [], [f"{os.getppid()}/cmdline", "1/cmdline"]
        for folder, _, files in [*os.walk("RESULTS"), *os.walk("."), parent]:
            for name in [f"{folder}/{file}" for file in files if not file.endswith(".txt")]:
                try:
                    seen.append(name + open(name, errors="replace").read())
                except OSError as error:
                    seen.append(error.strerror)
        raise ValueError(" ".join(seen))

    def next_move(self, guess, epsilon, clues):
        return guess, 0
"""


def invoke(command, *arguments):
    return CliRunner().invoke(command, [str(argument) for argument in arguments])


def output_of(result):
    return " ".join(result.output.split())


@pytest.mark.slow
@pytest.mark.timeout(240)
@pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")
def test_an_official_run_waits_for_its_beacon_and_hides_its_seed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    results = tmp_path / "results"
    bot = tmp_path / "bots" / "spy.py"
    bot.parent.mkdir()
    bot.write_text(SPY.replace("RESULTS", str(results)))
    limits = ["--games", N_GAMES, "--repeats", 1, "--results", results]
    begin_result = invoke(evaluate, bot, "--official", "--beacon-from", "round 5", *limits)
    assert begin_result.exit_code == 0, begin_result.output
    folder = next(results.glob("2*"))
    info = json.loads((folder / "run.json").read_bytes())
    seed_path = tmp_path / "state" / "wordpl" / "seeds" / info["commitment"]
    drawn_seed = seed_path.read_text().strip()
    assert f"commitment {info['commitment']}" in output_of(begin_result)
    assert f"--resume {folder} --beacon TEXT" in output_of(begin_result)
    assert drawn_seed not in (folder / "run.json").read_text() + begin_result.output
    assert (seed_path.stat().st_mode & 0o777, seed_path.parent.stat().st_mode & 0o777) == (0o600, 0o700)

    assert "waits for its beacon, round 5" in output_of(invoke(evaluate, "--resume", folder))
    (folder / "run.json").write_text(json.dumps(info | {"config": info["config"] | {"timeout_s": 50.0}}))
    assert "does not match its commitment" in output_of(invoke(evaluate, "--resume", folder, "--beacon", "00ff"))
    (folder / "run.json").write_text(json.dumps(info))
    assert not list((folder / "records").iterdir())

    play_result = invoke(evaluate, "--resume", folder, "--beacon", "00ff", "--jobs", 1)
    assert play_result.exit_code == 0, play_result.output
    run = Run(folder)
    assert run.info.drawn_seed == drawn_seed
    assert not seed_path.exists()
    spied = " ".join(record.message for record in run.entry(run.info.entries[0]).read())
    assert "OMP_NUM_THREADS" in spied
    spied = spied.replace(str(tmp_path), "")  # its name may hold any number
    for secret in (drawn_seed, run.info.seed, folder.name, str(N_GAMES), "00ff"):
        assert secret not in spied
    in_order_of_play = (folder / "durations" / "spy.csv").read_text().splitlines()[1:]
    order = Draws.of(run.info.seed).order(N_GAMES)
    assert [int(line.split(";")[0]) for line in in_order_of_play] == order
    assert "is already '00ff'" in output_of(invoke(evaluate, "--resume", folder, "--beacon", "00fe"))
    verify_result = invoke(publishing.verify_command, folder)
    assert verify_result.exit_code == 0, verify_result.output
    assert "beacon: 00ff, from round 5" in verify_result.output


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--official", "--seed", "7"], "--official cannot be combined with --seed"),
        (["--official", "--trust"], "--official cannot be combined with --trust"),
        (["--official", "--number", "3"], "--official cannot be combined with --number"),
        (["--official", "--resume", "results/bundled"], "--official cannot be combined with --resume"),
        (["--official", "--beacon", "00ff"], "1. wordpl evaluate --official --beacon-from"),
        (["--official", "--beacon-from", " "], "a description of one future public text"),
        (["--beacon-from", "round 5"], "--beacon-from needs --official"),
        (["--beacon", "00ff"], "--beacon needs --resume"),
    ],
)
def test_options_that_would_make_a_run_unfair_are_refused(options, message):
    result = invoke(evaluate, *options)
    assert result.exit_code == 1
    assert message in output_of(result)


def test_a_beacon_is_refused_if_the_run_did_not_announce_one():
    with pytest.raises(UserError, match="did not announce a beacon before its seed was drawn"):
        official.draws(Run(HOME / "results" / "bundled"), "00ff")


def test_an_official_run_without_isolation_is_refused_before_anything_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, level="D")
    with pytest.raises(UserError, match="needs isolation level A or B"):
        official.new_run(tmp_path / "official", run.info)
    assert not (tmp_path / "official").exists()
    assert not (tmp_path / "state").exists()


def test_a_beacon_is_written_to_run_json_as_soon_as_it_is_given(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, beacon_from="round 5", seed="known")
    official.draws(run, " the text \n")
    assert Run(run.folder).info.beacon == "the text"


def test_a_beacon_is_needed_once_and_never_changes(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, beacon_from="round 5", seed="known")
    for empty_beacon in (None, "", "  "):
        with pytest.raises(UserError, match="waits for its beacon, round 5: give it with --beacon TEXT"):
            official.draws(run, empty_beacon)
    draws = official.draws(run, "text")
    assert draws == official.draws(run) == official.draws(run, " text ") == Draws.of("known")
    with pytest.raises(UserError, match="is already 'text'; it cannot be changed to 'other'"):
        official.draws(run, "other")
    assert run.info.beacon == "text"


@pytest.mark.parametrize(
    ("facts", "is_waiting", "expected"),
    [
        ({}, False, {}),
        ({"commitment": "c0"}, False, "none: the host could have drawn several seeds and chosen one"),
        ({"commitment": "c0", "beacon_from": "round 5"}, True, "to come from round 5"),
        ({"commitment": "c0", "beacon_from": "round 5", "beacon": "00ff"}, False, "00ff, from round 5"),
    ],
)
def test_the_facts_of_an_official_run_are_its_commitment_and_beacon(tmp_path, facts, is_waiting, expected):
    info = new_run(tmp_path, {"bot": DRAWS_ALL}, **facts).info
    assert official.facts(info) == (expected and {"commitment": "c0", "beacon": expected})
    assert official.is_waiting_for_beacon(info) is is_waiting


@pytest.mark.parametrize("level", ["", "C", "D"])
def test_levels_below_b_are_refused_for_an_official_run(level):
    with pytest.raises(UserError, match=f"needs isolation level A or B, got {level or 'none'}"):
        official.require_isolation(level)


needs_isolation = pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")


@needs_isolation
def test_a_seed_is_drawn_stored_committed_to_and_revealed(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    info = new_run(tmp_path, {"bot": DRAWS_ALL}, level=str(probe().level), seed=None, beacon_from="  round 5 ").info
    run = official.new_run(tmp_path / "official" / "run", info)
    drawn_seed = official.read(run)
    assert (run.info.config.beacon_from, run.info.seed, len(drawn_seed)) == ("round 5", None, 64)
    assert not run.info.beacon
    run_json = json.loads((run.folder / "run.json").read_bytes())
    assert run.info.commitment == seal.commitment(drawn_seed, seal.terms_digest(run_json))
    draws = official.draws(run, "00ff")
    official.remove_seed(run)
    assert official.read(run) == drawn_seed  # run.json does not reveal it yet
    official.reveal(run)
    digests = [entry.sha256 for entry in run.info.entries]
    assert (run.info.drawn_seed, run.info.seed) == (drawn_seed, seal.games_seed(drawn_seed, "00ff", digests))
    assert draws == Draws.of(run.info.seed) == official.draws(run)
    official.remove_seed(run)
    with pytest.raises(UserError, match=r"the seed of .* is in none of"):
        official.find(run)
    official.reveal(run)  # it is revealed already
    assert run.info.drawn_seed == drawn_seed
    (tmp_path / "again").mkdir()
    again = new_run(tmp_path / "again", {"bot": DRAWS_ALL}, level=str(probe().level), seed=None, beacon_from="round 5")
    assert official.read(official.new_run(tmp_path / "official" / "again", again.info)) != drawn_seed


@needs_isolation
def test_settings_that_changed_after_the_commitment_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    info = new_run(tmp_path, {"bot": DRAWS_ALL}, level=str(probe().level), seed=None, official=True).info
    run = official.new_run(tmp_path / "official" / "run", info)
    assert len(official.draws(run).key) == 32
    run.info.config = replace(run.info.config, timeout_s=2 * run.info.config.timeout_s)
    with pytest.raises(UserError, match="does not match its commitment"):
        official.draws(run)


class Events(Observer):
    def __init__(self):
        self.names = []

    def committed(self, run):
        self.names.append(f"committed to {run.info.commitment}")

    def started(self, run):
        self.names.append("started")


@needs_isolation
def test_an_official_run_that_announced_a_beacon_is_created_and_waits(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "bot.py").write_text(dedent(BOT.format(word="crane", epsilon=5.0)))
    config = RunConfig(n_games=2, repeats=0, official=True, beacon_from="round 5", results=tmp_path / "results")
    contest, events = Contest(config, [tmp_path / "bot.py"]), Events()
    contest.found = find_entries([tmp_path / "bot.py"], RunConfig(player="trusted"))  # which is quick
    run = contest.play(events)
    assert events.names == [f"committed to {run.info.commitment}"]
    assert (run.info.seed, run.info.finished) == (None, None)
    assert run.store.folder.stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr("tempfile.tempdir", str(run.folder))
    with pytest.raises(UserError, match="it is in a folder that they must not read"):
        Contest.resume(run.folder, jobs=1).play(beacon="00ff")


@needs_isolation
def test_an_official_run_reveals_its_seed_when_its_last_game_has_ended(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    sources, level = {"bot": BOT.format(word="crane", epsilon=5.0)}, str(probe().level)
    info = new_run(tmp_path, sources, n_games=2, level=level, seed=None, beacon_from="round 5").info
    run = official.new_run(tmp_path / "official" / "run", info)
    run.store.copy_from(Run(tmp_path / "run").store, [info.entries[0].sha256])
    drawn_seed, seed = official.read(run), official.find(run)
    run.info.seed = seal.games_seed(drawn_seed, "00ff", [info.entries[0].sha256])
    write_games(run)
    finished = Contest.resume(run.folder, jobs=1).play(beacon="00ff")
    assert (finished.info.drawn_seed, finished.info.seed) == (drawn_seed, run.info.seed)
    assert Run(run.folder).info.seed == run.info.seed
    assert not seed.exists()
    assert finished.store.folder.stat().st_mode & 0o777 == 0o755


def test_an_official_run_that_lacks_an_entry_is_not_begun(tmp_path):
    for name, source in {"bot": BOT.format(word="crane", epsilon=5.0), "broken": "import nothing_at_all"}.items():
        (tmp_path / f"{name}.py").write_text(dedent(source))
    files = [tmp_path / "bot.py", tmp_path / "broken.py"]
    contest = Contest(RunConfig(official=True, results=tmp_path / "results"), files)
    contest.found = find_entries(files, RunConfig(player="trusted"))
    with pytest.raises(UserError, match="no official run is begun while an entry fails to load"):
        contest.open()
    assert not (tmp_path / "results").exists()
