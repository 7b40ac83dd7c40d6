"""The profiler finds the slowest line of a player."""

import pytest

from tests.helpers.cli import wordpl
from wordpl import RunConfig
from wordpl.apps.workbench.profile import profile
from wordpl.core.messages import UserError
from wordpl.players.sandbox import probe

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
def test_the_slowest_line_is_found_at_every_sandbox_level(tmp_path, monkeypatch, level):
    if level < probe.probe().level:
        pytest.skip(f"this machine does not support level {level}")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT)
    profiled = profile("bot.py", RunConfig(level=level, seed="1"), n_games=8)
    assert profiled.lines[0].text == SLOW_LINE
    assert profiled.lines[0].share > 0.9
    assert (len(profiled.cpu_s), profiled.n_moves) == (8, 16)
    assert any("Bot.slow" in function.name and function.total > 0.9 for function in profiled.functions)
    assert profiled.memory_mib[0] <= profiled.memory_mib[-1] < profiled.memory_limit_mib


@pytest.mark.long
def test_compiled_calls_count_for_the_calling_line():
    profiled = profile("max_clue_entropy", RunConfig(level="D", seed="1"), n_games=30)
    assert "information.best_guess" in profiled.lines[0].text
    assert profiled.lines[0].share > 0.8


@pytest.mark.long
def test_an_entry_that_fails_is_explained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT.replace("self.slow()", "1 / 0"))
    result = wordpl("profile", "bot.py", "--isolation", "D", "--games", 3)
    assert "ZeroDivisionError" in result.output
    with pytest.raises(UserError, match="no strategy"):
        profile("nobody")
