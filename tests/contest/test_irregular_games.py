"""Games that were not played once from beginning to end are lost or begun again by one rule, and always reported."""

import pytest

from tests.helpers.cli import wordpl
from tests.helpers.runs import new_run, resume
from wordpl.core.moves import Verdict
from wordpl.reports.run_report import RunReport, irregularities
from wordpl.run.folder import Run, RunRecords

BOT = """
    import os
    import random

    class Bot:
        games = 0
        def first_move(self):
            self.games += 1
            if self.games > 1 and {before}:
                os.kill(os.getpid(), 9)  # as the host could: at level D nothing keeps a player from it
            return random.choice(["crane", "slate", "moist"]), 5.0
        def next_move(self, guess, epsilon, clues):
            if self.games > 1 and {after}:
                os.kill(os.getpid(), 9)
            return random.choice(["abide", "zebra"]), 0
"""
NEVER = "False"
ONCE = "not os.path.exists('FILE') and not open('FILE', 'w').close()"
N_GAMES = 12


@pytest.fixture
def play_run(tmp_path):
    """Play a run of a bot that is killed when these expressions say so; the bot's first game warms it up."""

    def play(before=NEVER, after=NEVER, n_games=N_GAMES):
        folder = tmp_path / f"run{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        source = BOT.format(before=before, after=after).replace("FILE", str(folder / "killed"))
        unplayed_run = new_run(folder, {"bot": source}, n_games=n_games, timeout_s=5.0, enforced_s=5.5)
        resume(unplayed_run, jobs=1).play()
        return Run(unplayed_run.folder)

    return play


def records(run):
    return run.entries[0].read()


@pytest.mark.slow
def test_a_game_whose_player_was_killed_after_a_clue_is_lost_and_no_other_differs(play_run):
    honest_run, killed_run = play_run(), play_run(after="random.random() < 0.3")
    pairs = list(zip(records(honest_run), records(killed_run), strict=True))
    lost_pairs = [
        (honest_record, killed_record)
        for honest_record, killed_record in pairs
        if killed_record.verdict == Verdict.FAULT
    ]
    assert 0 < len(lost_pairs) < N_GAMES
    for honest_record, killed_record in lost_pairs:
        assert killed_record.moves == honest_record.moves[:1]
        assert "was killed by SIGKILL, from outside" in killed_record.message
    same_moves = [honest_record.moves[0] == killed_record.moves[0] for honest_record, killed_record in pairs]
    assert all(same_moves)
    remarks = "\n".join(RunReport(RunRecords(killed_run)).remarks)
    games = ", ".join(str(killed_record.game) for _, killed_record in lost_pairs)
    assert (
        f"bot lost {'game' if len(lost_pairs) == 1 else 'games'} {games} because its process was killed from outside"
        in remarks
    )


@pytest.mark.slow
def test_a_lost_game_is_not_played_again_on_resume(play_run):
    run = play_run(after="True", n_games=4)
    assert {record.verdict for record in records(run)} == {Verdict.FAULT}
    records_before = run.entries[0].records_path.read_bytes()
    run.info.finished = None
    run.write_info()
    resume(run, jobs=1).play()
    assert run.entries[0].records_path.read_bytes() == records_before
    assert not Run(run.folder).info.played_again


@pytest.mark.slow
def test_a_game_whose_player_was_killed_before_any_clue_begins_again(play_run):
    honest_run, killed_run = play_run(), play_run(before=ONCE)
    assert (killed_run.folder.parent / "killed").exists()
    assert records(killed_run) == records(honest_run)


@pytest.mark.slow
def test_games_begun_without_a_record_are_played_again_and_reported(play_run):
    run = play_run()
    entry, all_records = run.info.entries[0], run.entries[0].records_path.read_bytes()
    run.entry(entry).records_path.write_bytes(b"".join(all_records.splitlines(keepends=True)[:-2]))
    run.entry(entry).journals_path.mkdir(parents=True)
    (run.entry(entry).journals_path / "1").write_text("11\n3\n1")  # the last line is torn, and game 3 has its record
    run.info.finished = None
    run.write_info()
    resume(run, jobs=1).play()
    assert run.entry(entry).records_path.read_bytes() == all_records
    assert Run(run.folder).info.played_again == {"bot": [11]}
    RunReport(RunRecords(Run(run.folder))).write()
    expected = "bot started game 11 again, because the harness had ended before it wrote the records, or had not run"
    assert expected in (run.folder / "LEADERBOARD.md").read_text()
    result = wordpl("verify", run.folder)
    assert (result.exit_code, expected in result.output) == (0, True), result.output


ACTS_AFTER_CLUE = """
    import os
    import time

    class Bot:
        games = 0
        def first_move(self):
            self.games += 1
            return "crane", 400.0
        def next_move(self, guess, epsilon, clues):
            if self.games > 1:  # after the warm-up, which does not count
                {then}
            return "abide", 0
"""
USE_CPU_TIME = "until = time.process_time() + {}\n                while time.process_time() < until: pass"


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        (
            USE_CPU_TIME.format(0.52),
            "bot used more than the 0.5 s of CPU time that entries are told, in games 0, 1. ",
        ),
        (
            USE_CPU_TIME.format(9),
            "bot received clues but made no last move in games 0, 1 (2 late). Each game was played once",
        ),
        (
            "os._exit(1)",
            "bot received clues but made no last move in games 0, 1 (2 crashed). Each game was played once",
        ),
    ],
)
@pytest.mark.slow
def test_games_that_older_versions_played_a_second_time_are_reported(tmp_path, action, expected):
    sources = {"bot": ACTS_AFTER_CLUE.format(then=action), "honest": BOT.format(before=NEVER, after=NEVER)}
    run = new_run(tmp_path, sources, n_games=2, timeout_s=0.5, enforced_s=0.9, total_s=99.0)
    resume(run, jobs=1).play()
    sentences = list(irregularities(RunRecords(Run(run.folder))))
    assert [expected in sentence for sentence in sentences] == [False, True], sentences
    assert "The seed was typed" in sentences[0]
