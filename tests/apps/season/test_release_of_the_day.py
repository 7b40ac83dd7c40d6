"""A season that release 1.0.0 itself opened, played and verified goes on with this release."""

import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.apps.season.test_season import BOT, bot, isolated, own_folders  # noqa: F401
from tests.helpers.cli import wordpl
from wordpl.apps.season.season import Season

RELEASE_1_0_0 = "5ed96d03b28ba4e1068f7ec897b8e6e530de2ff3"
ROOT = Path(__file__).parents[3]


class Release:
    """The code of release 1.0.0, from the history of this repository."""

    def __init__(self, folder):
        archive = subprocess.run(["git", "-C", ROOT, "archive", RELEASE_1_0_0], capture_output=True, check=False)
        if archive.returncode:
            pytest.skip("this is no repository with the history of release 1.0.0")
        folder.mkdir()
        subprocess.run(["tar", "x", "-C", folder], input=archive.stdout, check=True)
        about = folder / "wordpl-1.0.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: wordpl\nVersion: 1.0.0\n")
        self.folder = folder

    def wordpl(self, *words):
        done = subprocess.run(
            [sys.executable, "-m", "wordpl", *map(str, words)], cwd=self.folder, capture_output=True, text=True,
            env=os.environ | {"PYTHONPATH": str(self.folder)}, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


def verified(folder, *options):
    result = wordpl("season", "verify", "-C", folder, *options)
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


@pytest.mark.long
@pytest.mark.timeout(900)
@isolated
def test_a_season_of_release_1_0_0_is_verified_by_it_and_goes_on_with_this_release(tmp_path, own_folders):  # noqa: F811
    release, folder = Release(tmp_path / "1.0.0"), tmp_path / "cup"
    assert release.wordpl("--version").strip() == "wordpl 1.0.0"
    assert find_spec("wordpl").origin.startswith(str(ROOT))
    release.wordpl("season", "new", folder, "--no-bundled", "--score", "p_win")
    terms = folder / "season.toml"
    text = terms.read_text().replace("games = 1000 ", "games = 60 ", 1)
    terms.write_text(text.replace("confirmation_games = 26000", "confirmation_games = 100"))
    for name, epsilon in (("one", 5.0), ("two", 6.0)):
        release.wordpl("season", "submit", bot(folder / "strategies", name, epsilon), "-C", folder)
    release.wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1")
    assert "The season holds" in release.wordpl("season", "verify", "-C", folder)
    time.sleep(1.1)  # of a round and a confirmation in one second, 1.0.0 takes the later one for the earlier one
    release.wordpl("season", "confirm", "one", "--score", "p_win", "--value", "0.5", "-C", folder, "--quiet")
    assert "The season holds" in release.wordpl("season", "verify", "-C", folder)
    published = Season(folder).log.last_digest
    assert {event.release for event in Season(folder).log.events} == {""}
    assert "the log is of release 1.0.0" in verified(folder, "--digest", published)

    bridged = wordpl("season", "bridge", "-C", folder)
    assert bridged.exit_code == 0, bridged.output
    verified(folder, "--digest", published)
    played = wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1")
    assert played.exit_code == 0, played.output
    verified(folder, "--digest", published)
    rows = Season(folder).standings().tables[0].rows
    assert {row.version.name: row.n_games for row in rows} == {"one": 120, "two": 120}
