"""`wordpl grade` counts the baselines that an entry is shown to beat."""

import json
import re

import pytest
import yaml

from tests.helpers.cli import wordpl
from tests.helpers.paths import HOME

TEMPLATE = HOME / "examples" / "course"
WEAK = """from wordpl import Strategy

class Weak(Strategy):
    def first_move(self):
        return "crane", 3.0
    def next_move(self, guess, epsilon, clues):
        return "crane", 0
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "weak.py").write_text(WEAK)
    (tmp_path / "again.py").write_text(WEAK.replace("crane", "slate"))
    return tmp_path


@pytest.mark.slow
def test_an_entry_is_graded_up_to_the_first_baseline_that_it_does_not_beat(folder):
    bot = TEMPLATE / "strategies" / "my_bot.py"
    arguments = ["grade", bot, "--baseline", "weak.py", "--baseline", "MaxClueEntropy()", "--baseline",
                 "again.py", "--games", "300", "--seed", "5", "--jobs", "1"]  # fmt: skip
    result = wordpl(*arguments, "--summary", "summary.md", "--json")
    (grade,) = json.loads(result.stdout)["grades"]
    assert result.exit_code == 0
    assert [match["verdict"] for match in grade["matches"]] in (["better", "open"], ["better", "worse"])
    assert (grade["points"], grade["n_baselines"], grade["problem"]) == (1, 3, "")
    summary = (folder / "summary.md").read_text()
    assert summary.startswith("## ")
    assert "my_bot.py: 1 of 3 baselines beaten" in summary
    assert "### Where games of the match against MaxClueEntropy" in summary
    assert "Hardest secrets" in summary
    shown = wordpl(*arguments[:4], "--games", "300", "--jobs", "1", "--need", "1")
    assert re.search(r"better +\d+ ", shown.stdout)
    assert wordpl("grade", "weak.py", "--baseline", bot, "--games", "300", "--jobs", "1").exit_code == 1


def test_mistakes_of_the_host_and_of_the_author_are_told_apart(folder):
    misspelt = wordpl("grade", "weak.py", "--baseline", "n_gues")
    assert (misspelt.exit_code, "Did you mean 'n_guess'?" in misspelt.output) == (1, True)
    too_many = wordpl("grade", "weak.py", "--baseline", "again.py", "--need", "2")
    assert (too_many.exit_code, "only 1 baseline given" in too_many.output) == (2, True)
    (folder / "broken.py").write_text("class Bot\n")
    broken = wordpl("grade", "broken.py", "--baseline", "weak.py", "--summary", "summary.md")
    assert broken.exit_code == 1
    assert "0 of 1 baseline beaten" in broken.output
    assert "broken.py" in (folder / "summary.md").read_text()


def test_the_template_of_a_course_uses_inputs_of_the_action():
    workflow = yaml.safe_load((TEMPLATE / ".github/workflows/grade.yml").read_text())
    action = yaml.safe_load((HOME / "action.yml").read_text())
    (given,) = (step["with"] for step in workflow["jobs"]["grade"]["steps"] if "entries" in step.get("with", {}))
    assert given.keys() <= action["inputs"].keys()
    assert workflow["permissions"] == {"contents": "read"}
    assert len(given["baselines"].split("\n")) - 1 >= int(given["need"])
