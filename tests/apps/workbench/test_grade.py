"""`wordpl grade` counts the baselines that an entry is shown to beat."""

import csv
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


@pytest.mark.long
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
    shown = wordpl(*arguments[:4], "--games", "300", "--jobs", "1", "--need", "1", "--summary", "grade.html")
    page = (folder / "grade.html").read_text()
    assert "my_bot.py: 1 of 1 baseline beaten" in page
    assert "▲ better" in page
    assert f"wordpl analyse {next((folder / 'results').glob('*-match')).parent.name}/" in page
    assert "Hardest secrets" in page
    assert re.search(r"better +\d+ ", shown.stdout)
    assert wordpl("grade", "weak.py", "--baseline", bot, "--games", "300", "--jobs", "1").exit_code == 1


@pytest.mark.slow
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


@pytest.mark.long
def test_a_roster_is_graded_in_parallel_and_copies_are_named_with_the_evidence(folder):
    bot = (TEMPLATE / "strategies" / "my_bot.py").read_text()
    (folder / "ann.py").write_text(bot)
    (folder / "ben.py").write_text("# Mine.\n" + bot.replace("self", "me").replace("MyBot", "Better"))
    (folder / "roster.csv").write_text(
        "student,entry,mail\nAnn,ann.py,=1+1\nBen,ben.py,b@x\nCleo,cleo.py,c@x\nDora,,d@x\n"
    )
    arguments = ["grade", "--baseline", "weak.py", "--games", "100", "--seed", "5", "--isolation", "D", "--need", "0"]
    result = wordpl(*arguments, "--roster", "roster.csv", "--jobs", "2")
    assert result.exit_code == 0, result.output
    ann, ben, cleo, dora = csv.DictReader(result.stdout.splitlines())
    assert (ann["student"], ann["points"], ann["of"], ann["verdicts"]) == ("Ann", "1", "1", "better")
    assert ben["points"] == "1"
    assert ann["similar"].startswith("ann.py and ben.py share 100% of ")
    assert ann["similar"] == ben["similar"]
    assert [(row["points"], row["problem"]) for row in (cleo, dora)] == [("0", "nothing was sent")] * 2
    assert ann["mail"] == "'=1+1"  # no formula
    both = json.loads(wordpl(*arguments, "ann.py", "weak.py", "--jobs", "2", "--json").stdout)
    assert [grade["points"] for grade in both["grades"]] == [1, 0]
    assert both["similar"] == []


def test_grade_takes_entries_or_a_roster_with_a_column_for_them(folder):
    assert wordpl("grade", "--baseline", "weak.py").exit_code == 2
    (folder / "roster.csv").write_text("student;file\nAnn;ann.py\n")
    result = wordpl("grade", "--baseline", "weak.py", "--roster", "roster.csv")
    assert "should have a column 'entry', got student, file" in result.output
