"""Replayed games show what a host invented, and show no difference in an honest run."""

import json
import shutil
from pathlib import Path
from textwrap import dedent

import pytest
from msgspec.structs import replace

from tests.helpers.cli import evaluate, wordpl
from tests.helpers.runs import new_run, resume
from tests.helpers.written_runs import BOT as WRITTEN
from tests.helpers.written_runs import write_games
from wordpl.contest import Contest
from wordpl.contest.isolation import ReaderTerms
from wordpl.contest.spot_check import spot_check
from wordpl.core.messages import UserError
from wordpl.players.sandbox import probe
from wordpl.reports.run_report import RunReport
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.folder import Run, RunRecords

N_GAMES = 12
INVENTED_VERDICTS = {
    "late": {"verdict": "late"},
    "out of memory": {"verdict": "out of memory", "message": "it may use 512 MiB"},
    "crashed": {"verdict": "crashed", "message": "Traceback: no"},
}


BOT = """
    import random

    class Bot:
        def first_move(self):
            return random.choice(["crane", "slate", "moist"]), 5.0
        def next_move(self, guess, epsilon, clues):
            return random.choice(["abide", "zebra"]), 0
"""


@pytest.fixture(scope="module")
def finished_folder(tmp_path_factory):
    """A folder with a finished run of an honest entry."""
    folder = tmp_path_factory.mktemp("spot")
    unplayed_run = new_run(folder, {"bot": BOT}, n_games=N_GAMES, timeout_s=5.0, enforced_s=5.5)
    resume(unplayed_run, jobs=1).play()
    RunReport(RunRecords(Run(unplayed_run.folder))).write()
    return folder


@pytest.fixture
def run(finished_folder, tmp_path):
    """A copy of the run, to be forged."""
    return Run(shutil.copytree(finished_folder / "run", tmp_path / "run"))


def rewrite(run, change):
    """Forge each record, with all digests and tables, as a host could that holds the seed."""
    path = run.entries[0].records_path
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines = [json.dumps(change(record), separators=(",", ":"), ensure_ascii=False) + "\n" for record in records]
    path.write_text("".join(lines))
    run.finish(run.info.finished)
    RunReport(RunRecords(run)).write()


@pytest.mark.slow
def test_an_honest_run_shows_no_difference(run):
    result = spot_check(run, 2 * N_GAMES)
    assert (result.n_played, result.n_cut_short, result.differences, result.missing) == (N_GAMES, 0, [], [])


@pytest.mark.parametrize("verdict", INVENTED_VERDICTS)
@pytest.mark.slow
def test_a_spot_check_finds_invented_verdicts_that_verification_misses(run, verdict):
    rewrite(run, lambda record: record | INVENTED_VERDICTS[verdict] | {"moves": record["moves"][:-1]})
    assert "All holds." in wordpl("verify", run.folder).output
    verify_result = wordpl("verify", run.folder, "--replay", 5)
    assert verify_result.exit_code == 1
    assert f"Replayed in the sandbox at level {probe.probe().level}: 5 games, 5 differ." in verify_result.output
    assert "as replayed here" in verify_result.output


@pytest.mark.slow
def test_the_stored_version_is_replayed_after_its_author_changed_the_file(run):
    file = Path(run.info.entries[0].file)
    source = file.read_text()
    try:
        file.write_text("raise SystemExit")
        result = spot_check(run, 3)
    finally:
        file.write_text(source)
    assert (result.n_played, result.missing, result.differences) == (3, [], [])


@pytest.mark.slow
def test_an_entry_whose_stored_file_has_changed_is_named_and_not_played(run):
    (run.store.path(run.info.entries[0].sha256) / "bot.py").write_text("raise SystemExit")
    result = spot_check(run, 3)
    verify_result = wordpl("verify", run.folder, "--replay", 3)
    assert (result.n_played, [entry.name for entry in result.missing]) == (0, ["bot"])
    assert "the sources of bot" in verify_result.output


def test_entries_whose_stored_files_are_missing_or_changed_are_not_replayed(tmp_path):
    names = ("gone", "nameless", "edited", "extended")
    sources = {name: f"# {name}\n{BOT}" for name in names}
    run = new_run(tmp_path, sources, n_games=2, finished="2026-11-22")
    gone, nameless, edited, extended = run.info.entries
    store = run.store
    shutil.rmtree(store.path(gone.sha256))
    (store.path(edited.sha256) / "edited.py").write_text(BOT)
    (store.path(extended.sha256) / "extended.json").write_text("{}")
    run.info.entries[:] = [gone, replace(nameless, file="", sha256=""), edited, extended]
    progress = []
    result = spot_check(run, 5, progress.append)
    assert (result.n_played, result.n_cut_short, result.differences, progress) == (0, 0, [], [])
    assert [entry.name for entry in result.missing] == list(names)


@pytest.mark.slow
def test_a_game_with_other_moves_is_reported_once_with_both_versions(run):
    rewrite(run, lambda record: record | {"moves": [["zonal", 5.0, "....."], *record["moves"][1:]]})
    progress = []
    result = spot_check(run, 3, progress.append)
    assert (result.n_played, len(result.differences), progress) == (3, 3, [1, 1, 1])
    first = result.differences[0]
    assert (first.source, first.what) == ("bot", "the game")
    assert first.found.startswith("[['zonal', 5.0, '.....'], ")
    assert first.expected.endswith(", as replayed here")


def test_unfinished_and_trusted_runs_are_not_replayed(tmp_path):
    run = new_run(tmp_path, {"bot": BOT})
    run.info.finished, run.info.seed = "2026-11-22", None
    with pytest.raises(UserError, match="its seed is known"):
        spot_check(run, 1)
    run.info.finished, run.info.seed = None, "seven"
    with pytest.raises(UserError, match="after the run has finished"):
        spot_check(run, 1)
    run.info.finished = "2026-11-22"
    run.info.config = replace(run.info.config, player=PlayerKind.TRUSTED)
    with pytest.raises(UserError, match="were trusted"):
        spot_check(run, 1)


OWN_FILES = """
    import json
    from strategies.my_bot.helper import WORD
    from strategies.utils import PRICE

    class Bot:
        def first_move(self):
            with open("strategies/my_bot/table.json") as file:
                return json.load(file)[WORD], PRICE
        def next_move(self, guess, epsilon, clues):
            return guess, 0
"""


@pytest.fixture
def folder_run(tmp_path, monkeypatch):
    """Return the folder of a finished run of an entry that is a folder, copied alone to another place."""
    own = tmp_path / "here" / "strategies" / "my_bot"
    own.mkdir(parents=True)
    (own / "bot.py").write_text(dedent(OWN_FILES))
    (own / "helper.py").write_text("WORD = 'first'")
    (own / "table.json").write_text('{"first": "crane", "second": "slate"}')
    (own.parent / "utils.py").write_text("PRICE = 2.5")
    (own.parent / "shared.txt").write_text("utils.py")
    monkeypatch.chdir(tmp_path / "here")
    run = Contest(RunConfig(n_games=3, repeats=0, seed="7", level="D"), ["my_bot"], jobs=1).play()
    (own / "helper.py").write_text("WORD = 'second'")
    (tmp_path / "there").mkdir()
    return Path(shutil.copytree(run.folder, tmp_path / "there" / "run"))


@pytest.mark.slow
def test_a_run_s_folder_alone_is_enough_to_replay_its_games(folder_run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path / "there")
    result = spot_check(Run(folder_run), 3)
    assert (result.n_played, result.differences, result.missing) == (3, [], [])
    replayed = evaluate("--run", folder_run, "--number", 1)
    assert "crane" in replayed.output
    assert "has changed" not in replayed.output


@pytest.mark.slow
def test_after_an_edit_of_the_author_s_file_the_run_s_own_version_is_shown_and_named(folder_run):
    replayed = evaluate("my_bot", "--run", folder_run, "--number", 1)
    assert "crane" in replayed.output
    assert "strategies/my_bot has changed since the run: this is the version that the run stores" in replayed.output
    assert "slate" in evaluate("my_bot", "--number", 1, "--isolation", "D").output
    assert "strategies/my_bot has changed since the run" in wordpl("analyse", folder_run, "my_bot").output
    refused = evaluate("--run", folder_run, "--number", 1, "--seed", 3)
    assert "--seed cannot be combined with --run: a run keeps its settings" in refused.output
    assert "--run needs --number N" in evaluate("--run", folder_run).output


@pytest.mark.slow
def test_a_run_without_a_commitment_differs_from_a_published_one(run):
    verify_result = wordpl("verify", run.folder, "--commitment", "0" * 64)
    assert verify_result.exit_code == 1
    assert "the commitment is none, expected 0000" in verify_result.output


def test_a_replay_finds_other_moves_and_verdicts_that_the_stored_entry_does_not_repeat(tmp_path):
    """At the level D, which any machine has; the games of the run were written and are genuine."""
    source = WRITTEN.format(word="crane", epsilon=5.0)
    written = new_run(tmp_path, {"one": source}, n_games=3, player=PlayerKind.PROCESS, level="D")
    write_games(written)
    path = written.entries[0].records_path
    honest, late, other = path.read_text().splitlines(keepends=True)
    late = late.replace('"wrong"', '"late"').replace(',["slate",0,""]', "")
    path.write_text(honest + late + other.replace("crane", "slate"))
    written.finish("2026-11-01T00:00:00+00:00")
    terms = ReaderTerms(replace(written.info.game_config, level="D"), [])
    checked = spot_check(Run(written.folder), 9, terms=terms, only=["one"])
    assert {found.place for found in checked.differences} == {"game 1", "game 2"}
    assert (checked.n_played, checked.by_entry) == (3, {"one": (3, 1)})
    stored = next((written.folder / "bundles").rglob("*.py"))
    stored.chmod(0o644)
    stored.write_text(stored.read_text() + "# changed")
    changed = spot_check(Run(written.folder), 9, terms=terms, only=["one"])
    assert (changed.n_played, [entry.slug for entry in changed.missing]) == (0, ["one"])
