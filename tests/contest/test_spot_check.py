"""Replayed games show what a host invented, and show no difference in an honest run."""

import json
import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.helpers.cli import wordpl
from tests.helpers.runs import new_run
from wordpl.contest import Contest
from wordpl.contest.spot_check import spot_check
from wordpl.core import commitments
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.records import Run
from wordpl.core.run_records import RunRecords
from wordpl.reports.run_report import RunReport

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
    Contest.resume(unplayed_run.folder, jobs=1).play()
    RunReport(RunRecords(Run(unplayed_run.folder))).write()
    return folder


@pytest.fixture
def run(finished_folder, tmp_path):
    """A copy of the run, to be forged."""
    return Run(shutil.copytree(finished_folder / "run", tmp_path / "run"))


def rewrite(run, change):
    """Forge each record, with all digests and tables, as a host could that holds the seed."""
    path = run.path(run.entries[0])
    records = [json.loads(line) for line in path.read_bytes().splitlines()]
    lines = [json.dumps(change(record), separators=(",", ":"), ensure_ascii=False) + "\n" for record in records]
    path.write_text("".join(lines))
    commitments.finish(run, run.info.finished)
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
    assert "Replayed in the sandbox: 5 games, 5 differ." in verify_result.output
    assert "as replayed here" in verify_result.output


@pytest.mark.slow
def test_an_entry_whose_file_has_changed_is_named_and_not_played(run):
    file = Path(run.entries[0].file)
    source = file.read_text()
    try:
        file.write_text("raise SystemExit")
        result = spot_check(run, 3)
        verify_result = wordpl("verify", run.folder, "--replay", 3)
    finally:
        file.write_text(source)
    assert (result.n_played, [entry.name for entry in result.missing]) == (0, ["bot"])
    assert "is missing or has changed" in verify_result.output


def test_entries_with_deleted_or_changed_files_are_missing(tmp_path):
    names = ("gone", "nameless", "edited", "helped", "unreadable")
    run = new_run(tmp_path, dict.fromkeys(names, BOT), n_games=2, finished="2026-11-22")
    gone, nameless, edited, helped, unreadable = run.entries
    Path(gone.file).unlink()
    Path(edited.file).write_text(BOT)
    (tmp_path / "helped.json").write_text("{}")  # it had none when the run began
    (tmp_path / "bad.toml").write_text("command = 7")
    run.info.entries[:] = [
        gone, replace(nameless, file=""), edited, replace(helped, companions={}),
        replace(unreadable, file=str(tmp_path / "bad.toml")),
    ]  # fmt: skip
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
    run.info.finished, run.info.player = "2026-11-22", PlayerKind.TRUSTED
    with pytest.raises(UserError, match="were trusted"):
        spot_check(run, 1)


@pytest.mark.slow
def test_a_run_without_a_commitment_differs_from_a_published_one(run):
    verify_result = wordpl("verify", run.folder, "--against", "0" * 64)
    assert verify_result.exit_code == 1
    assert "the commitment is none, expected 0000" in verify_result.output
