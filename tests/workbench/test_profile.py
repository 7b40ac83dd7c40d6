"""The profiler names the line that costs most, from inside a player."""

import pytest

from tests.helpers.cli import wordpl
from wordpl import RunConfig
from wordpl.core.errors import UserError
from wordpl.players.sandbox import probe
from wordpl.workbench.profile import profile

SLOW_LINE = "return sorted(''.join(word[::-1]) for word in self.lists.guesses for _ in range(3))"
BOT = f"""
from wordpl import Strategy

class Bot(Strategy):
    def first_move(self):
        self.slow()
        return "crane", 5.0

    def next_move(self, guess, epsilon, clues):
        self.slow()
        return "abide", 0

    def slow(self):
        {SLOW_LINE}
"""


@pytest.mark.long
@pytest.mark.parametrize("level", ["A", "B", "D"])
def test_the_slow_line_is_named_at_every_level(tmp_path, monkeypatch, level):
    if level < probe.probe().level:
        pytest.skip(f"this machine does not support level {level}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT)
    found = profile("bot.py", RunConfig(level=level, seed="1"), n_games=8)
    assert found.lines[0].text == SLOW_LINE
    assert found.lines[0].share > 0.9
    assert (len(found.cpu_s), found.n_moves) == (8, 16)
    assert any("Bot.slow" in one.name and one.total > 0.9 for one in found.functions)
    assert found.memory_mib[0] <= found.memory_mib[-1] < found.memory_limit_mib


@pytest.mark.long
def test_compiled_calls_count_for_the_line_that_makes_them():
    found = profile("max_clue_entropy", RunConfig(level="D", seed="1"), n_games=30)
    assert "information.best_guess" in found.lines[0].text
    assert found.lines[0].share > 0.8


@pytest.mark.long
def test_an_entry_that_fails_is_explained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT.replace("self.slow()", "1 / 0"))
    done = wordpl("profile", "bot.py", "--isolation", "D", "--games", 3)
    assert "ZeroDivisionError" in done.output
    with pytest.raises(UserError, match="no strategy"):
        profile("nobody")
