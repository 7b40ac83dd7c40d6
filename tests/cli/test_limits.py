"""Commands that play games take every legal epsilon, and refuse all others: no warning, no accusation, no traceback."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.helpers.cli import PLAIN, evaluate, only_run, wordpl
from tests.helpers.limits import PRICE
from wordpl.cli import main
from wordpl.core.moves import LARGEST_BUDGET

pytestmark = pytest.mark.slow
OVER, LEAST, LARGEST = "Price(1e308)", "Price(5e-324, 2)", f"Price({LARGEST_BUDGET!r}, 1)"
HOW = ("--isolation", "D", "--jobs", "1")
COMMANDS = {
    "check": ("check", "FILE", "--games", "2", *HOW),
    "match": ("match", f"FILE:{OVER}", f"FILE:{LARGEST}", "--games", "12", *HOW),
    "match by games won": ("match", f"FILE:{LARGEST}", f"FILE:{LEAST}", "--games", "12", "--goal", "won", "--budget",
                           "1e308", "--no-exact", *HOW),
    "grade": ("grade", f"FILE:{OVER}", "--baseline", f"FILE:{LEAST}", "--games", "12", "--need", "0", *HOW),
    "dev": ("dev", "FILE", "--games", "4", "--once", "--isolation", "D"),
    "profile": ("profile", "FILE", "--games", "4", "--isolation", "D"),
    "tune": ("tune", "FILE", "--param", "epsilon=5e-324,1e308", "--goal", "won", "--budget", "1e308", "--time", "20",
             "--trials", "3", "--validate", "100", *HOW),
    "estimate": ("estimate", f"FILE:{OVER}", f"FILE:{LEAST}", f"FILE:{LARGEST}", "--games", "12", "--plot", "plot.svg",
                 *HOW),
    "exact estimate": ("estimate", f"FILE:{LARGEST}", "--exact", *HOW),
}  # fmt: skip


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "price.py").write_text(PRICE)
    return "price.py"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_takes_every_legal_epsilon(file, name):
    result = wordpl(*(word.replace("FILE", file) for word in COMMANDS[name]))
    assert result.exit_code == 0, result.output
    assert "Warning" not in result.output and "nan" not in result.output.split()


def test_losses_are_analysed_at_every_legal_epsilon(file):
    made = evaluate(f"{file}:{OVER}", f"{file}:{LEAST}", "--games", "12", "--results", "runs", "--quiet")
    assert made.exit_code == 0, made.output
    run = only_run(Path("runs"))
    for entry in ("Price(epsilon=1e+308, n_guesses=3)", "Price(epsilon=5e-324, n_guesses=2)"):
        result = wordpl("analyse", run, entry, "--valued", "1", "--plot", "plot.svg", "--json")
        assert result.exit_code == 0, result.output
        json.loads(result.stdout, parse_constant=pytest.fail)


@pytest.mark.parametrize("price", ["float('nan')", "10**400"])
def test_an_illegal_epsilon_loses_the_game_and_is_named(file, price):
    Path(file).write_text(PRICE.replace('"crane", self.epsilon', f'"crane", {price}'))
    result = wordpl("check", file, "--games", "2", *HOW)
    assert result.exit_code == 1
    assert "epsilon is a finite number of at least 0, got" in result.output


def test_a_negative_zero_is_an_answer(file):
    Path(file).write_text(PRICE.replace('"crane", self.epsilon', '"crane", -0.0'))
    result = wordpl("check", file, "--games", "2", *HOW)
    assert result.exit_code == 0, result.output
    assert "2 games, 2 wrong" in result.output


def test_a_person_pays_any_legal_epsilon(file):
    typed = "crane 1e309\ncrane nan\ncrane 1e308\nslimy 1e308\ndoubt 5e-324\n?\n!abide\n"
    result = CliRunner(env=PLAIN).invoke(main, ["play", "--seed", "1"], input=typed)
    assert result.exception is None, result.output
    assert "got inf" in result.output and "got nan" in result.output and "Spent so far: ∞" in result.output
