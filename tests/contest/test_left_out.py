"""Nobody is left out of an official run unnoticed."""

import pytest

from tests.helpers.cli import evaluate
from wordpl.contest import Contest
from wordpl.core.messages import UserError
from wordpl.players.sandbox.probe import probe
from wordpl.run.config import RunConfig

BOT = """
class Bot:
    def first_move(self):
        return "crane", 5.0
    def next_move(self, guess, epsilon, clues):
        return "abide", 0
"""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap"),
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a host, with an entry that loads and one that does not."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "good.py").write_text(BOT)
    (tmp_path / "strategies" / "broken.py").write_text("import nothing_of_this_name")
    return tmp_path


CONFIG = RunConfig(n_games=2, repeats=0, official=True, beacon_from="round 5", warmup_s=20.0)


@pytest.mark.parametrize(("named", "advice"), [(("good", "broken"), "out of the command"), ((), "--without broken.py")])
def test_an_official_run_is_not_begun_while_an_entry_fails_to_load(folder, named, advice):
    with pytest.raises(UserError, match=f"no official run is begun while an entry fails to load: .*{advice}"):
        Contest(CONFIG, named).open()
    assert not (folder / "results").exists()
    assert not (folder / "state").exists()


def test_a_scanned_entry_that_fails_is_left_out_by_its_name(folder):
    run = Contest(CONFIG, without=["broken"]).open()
    files = {entry.file for entry in run.info.entries}  # the bundled strategies too
    assert "strategies/good.py" in files
    assert "strategies/broken.py" not in files
    with pytest.raises(UserError, match="there is no 'nobody' to leave out among"):
        Contest(CONFIG, without=["nobody"]).open()
    assert "--without leaves out files of strategies/" in evaluate("good", "--without", "broken").stderr
