"""Replayed games show what a host invented, and show no difference in an honest run."""

import json
import re
import shutil
from pathlib import Path
from textwrap import dedent

import pytest
from msgspec.structs import replace

from tests.helpers.cli import evaluate, wordpl
from tests.helpers.runs import new_run, resume
from tests.helpers.written_runs import BOT as WRITTEN
from tests.helpers.written_runs import write_games
from wordpl import games
from wordpl.contest import Contest
from wordpl.contest.isolation import ReaderTerms
from wordpl.contest.spot_check import check_own_games, spot_check
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.players.sandbox import probe
from wordpl.reports.run_report import RunReport
from wordpl.run.bundle import Bundle
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.folder import Run, RunRecords
from wordpl.run.records import Record
from wordpl.verify import Findings

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


MIXED = """
    class Bot:
        def first_move(self):
            return {move}

        def next_move(self, guess, epsilon, clues):
            {then}
"""
D_TERMS = {"player": PlayerKind.PROCESS, "level": "D"}


def written(folder, sources, forge, n_games=3):
    """Return a finished run at the level D, which any machine has, whose genuine records were then forged."""
    folder.mkdir(exist_ok=True)
    run = new_run(folder, sources, n_games=n_games, timeout_s=5.0, **D_TERMS)
    write_games(run)
    for entry in run.entries:
        entry.records_path.write_text(forge(entry.info.slug, entry.records_path.read_text()))
    run.finish("2026-11-01T00:00:00+00:00")
    return Run(run.folder), ReaderTerms(replace(run.info.game_config, level="D"), [])


def test_a_replay_finds_other_moves_and_verdicts_that_the_stored_entry_does_not_repeat(tmp_path, monkeypatch):
    def forge(slug, text):
        if slug == "two":
            return text.replace('"wrong"', '"fault"', 1).replace('"wrong"', '"unplayed"', 1)
        honest, late, other = text.splitlines(keepends=True)
        late = late.replace('"wrong"', '"late"').replace(',["slate",0,""]', "")
        return honest + late + other.replace("crane", "slate")

    sources = {name: WRITTEN.format(word="crane", epsilon=epsilon) for name, epsilon in (("one", 5.0), ("two", 6.0))}
    run, terms = written(tmp_path, sources, forge)
    capped = ReaderTerms(terms.config, ["cpu_s"])  # which explains no verdict that the replay does not have
    two = {"two": (1, 1)}  # the other games were lost by nobody, or not played
    for reader, others in ((terms, {}), (capped, two)):
        checked = spot_check(run, 3, terms=reader, only=["one", *others])
        assert {found.place for found in checked.differences} == {"game 1", "game 2"}
        assert (checked.n_played, checked.n_capped) == (3 + len(others), 0)
        assert checked.by_entry == {"one": (3, 1), **others}
    monkeypatch.setattr(
        "wordpl.contest.spot_check.play", lambda game, player, number, *_: Record(number, "crane", [], Verdict.LATE)
    )
    n_replayed = []
    slow = spot_check(run, 3, terms=terms, only=["two"], progress=n_replayed.append)
    assert n_replayed == [1]
    assert (slow.by_entry, slow.n_cut_short, slow.differences) == ({"two": (1, 0)}, 1, [])
    run.info.entries.append(replace(run.info.entries[1], name="hosted", slug="hosted", kind="echo"))
    run.entries[2].records_path.write_bytes(run.entries[1].records_path.read_bytes())
    hosted = spot_check(run, 3, terms=terms, only=["hosted"])
    assert (hosted.n_played, [entry.slug for entry in hosted.missing]) == (0, ["one", "two"])
    stored = next(path for path in (run.folder / "bundles").rglob("*.py") if path.stem == "one")
    stored.chmod(0o644)
    stored.write_text(stored.read_text() + "# changed")
    changed = spot_check(run, 9, terms=terms, only=["one"])
    assert (changed.n_played, [entry.slug for entry in changed.missing]) == (0, ["one", "two"])


def test_a_verdict_that_a_smaller_limit_can_cause_is_no_difference_only_if_a_limit_is_smaller(tmp_path):
    sources = {
        "fails": MIXED.format(move='"crane", 5.0', then="raise ValueError"),
        "fills": MIXED.format(move="bytearray(1 << 45)", then="pass"),
    }

    def forge(slug, text):
        if slug == "fills":
            lines = re.sub(r'"moves":\[.*?\]\]', '"moves":[]', text).splitlines(keepends=True)
            return "".join(line.replace('"wrong"', '"out of memory"') for line in lines)
        return text

    run, terms = written(tmp_path, {name: WRITTEN.format(word="crane", epsilon=5.0) for name in sources}, forge, 1)
    for entry, source in zip(run.info.entries, sources.values(), strict=True):
        path = tmp_path / f"{entry.slug}.py"
        path.write_text(dedent(source))
        run.info.entries[run.info.entries.index(entry)] = replace(entry, sha256=run.store.add(Bundle.of(path)))
    found = spot_check(run, 9, terms=terms, lists=run.info.config.load_lists())
    assert [difference.source for difference in found.differences] == ["fails"]
    assert (found.n_capped, found.n_cut_short, found.by_entry["fills"]) == (0, 1, (1, 1))
    found = spot_check(run, 9, terms=ReaderTerms(terms.config, ["reply_bytes"]))
    assert (found.n_capped, found.differences) == (1, [])


def test_a_host_cannot_know_which_games_are_replayed(tmp_path):
    sources = {"bot": WRITTEN.format(word="crane", epsilon=5.0)}
    run, terms = written(tmp_path, sources, lambda slug, text: text.replace('"crane"', '"slate"'), n_games=60)
    drawn = [[found.place for found in spot_check(run, 4, terms=terms).differences] for _ in range(2)]
    assert [len(games) for games in drawn] == [4, 4]
    assert set(drawn[0]) != set(drawn[1])  # by chance, this fails in one of half a million runs
    assert any(int(place.removeprefix("game ")) < 45 for place in (*drawn[0], *drawn[1]))  # in one of 65,000


OWN_GAME = """
from wordpl.games import GameFacts, Wordpl
from wordpl.core.moves import MoveForm

class Mine(Wordpl):
    facts = GameFacts("mine/1", MoveForm.NOISY, "budget")
"""
EDITS_OF_A_RECORD = {
    "the secret": lambda line: re.sub(r'"secret":"\w+"', '"secret":"zebra"', line),
    "the clue of move 1": lambda line: re.sub(r'5\.0,"[.ic]{5}"', '5.0,"....."', line),
    "the verdict": lambda line: line.replace('"wrong"', '"unsolved"'),
    "another one, as the rules did not end": lambda line: line.replace(',["slate",0,""]', ""),
    "wrong after move 2": lambda line: line.replace('["slate",0,""]', '["slate",0,""],["slate",0,""]'),
    "a legal move": lambda line: line.replace('["slate",0,""]', '["qqqqq",0,""]'),
}


def test_each_edit_of_a_game_of_the_host_s_own_is_found_by_whoever_has_its_file(tmp_path, lists):
    (tmp_path / "mine.py").write_text(OWN_GAME)
    games.bind(f"{tmp_path / 'mine.py'}:Mine")
    run = new_run(tmp_path, {"one Bot mine/1": WRITTEN.format(word="crane", epsilon=5.0)}, n_games=3)
    write_games(run)
    path = run.entries[0].records_path
    honest = path.read_text().splitlines(keepends=True)

    def found():
        findings = Findings()
        check_own_games(run, lists, findings)
        return findings

    assert (found().differences, found().n_games) == ([], 3)
    for what, edit in EDITS_OF_A_RECORD.items():
        path.write_text(honest[0] + edit(honest[1]) + honest[2])
        (difference,) = found().differences
        assert (difference.source, difference.place) == ("one", "game 1")
        assert what in f"{difference.what}, {difference.expected}", what
    run.info.seed = None
    assert (found().differences, found().n_games) == ([], 0)
    games.unbind("mine/1")
    assert "name your copy of that file" in found().notes[0]
