"""New strategies from templates can be played unchanged."""

import json
import shutil

import pytest

from tests.helpers.cli import evaluate
from wordpl.apps.workbench.new_strategy import Language, new_strategy

NEEDS = {Language.JAVASCRIPT: "node", Language.C: "gcc"}


@pytest.mark.parametrize(
    ("game_id", "language"),
    [
        # the others start compilers and Node.js
        pytest.param(game_id, language, marks=pytest.mark.slow if language == Language.PYTHON else pytest.mark.long)
        for game_id in ("wordpl/1", "wordle/1")
        for language in Language
    ],
)
def test_a_new_strategy_can_be_played_unchanged(tmp_path, monkeypatch, game_id, language):
    if language in NEEDS and not shutil.which(NEEDS[language]):
        pytest.skip(f"{NEEDS[language]} is not installed")
    monkeypatch.chdir(tmp_path)
    first, *_ = new_strategy("my_bot", game_id, language)
    result = evaluate(
        first, "--games", 4, "--repeats", 0, "--jobs", 1, "--isolation", "B", "--results", tmp_path / "results"
    )
    assert result.exit_code == 0, result.stderr
    records = (next((tmp_path / "results").iterdir()) / "records").glob("*.jsonl")
    verdicts = {json.loads(line)["verdict"] for path in records for line in path.read_text().splitlines()}
    assert verdicts <= {"won", "wrong", "unsolved"}
    assert verdicts
