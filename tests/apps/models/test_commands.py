"""Models on the command line: new, check, evaluate with --resume, match and replay."""

import json
import tomllib

import pytest

from tests.apps.models.conftest import ENTRY, entry
from tests.helpers.cli import wordpl
from tests.helpers.model_server import by_strategy, http, model_server
from wordpl.apps.models import prompts
from wordpl.core.words import load
from wordpl.games import make_game, names


@pytest.fixture(scope="module")
def player():
    return by_strategy()


@pytest.fixture(autouse=True)
def in_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("game_id", names())
def test_a_prompt_states_the_rules_of_each_game_and_what_an_illegal_reply_costs(game_id):
    game = make_game(game_id, load())
    for form in ("text", "json", "tool"):
        text = prompts.default_prompt(game, form, 0)
        assert "2,315 words of 5 letters" in text and "loses the game" in text and "12,972" in text
        assert (f"{game.facts.limit} guesses" in text) == (game.facts.limit is not None)
        assert ("epsilon" in text) == game.facts.has_epsilon
        assert "asked once more" in prompts.default_prompt(game, form, 1)


def test_new_writes_a_model_that_says_what_it_is_told(tmp_path):
    assert wordpl("new", "my_model", "--model", "--game", "wordle/1").exit_code == 0
    settings = tomllib.loads((tmp_path / "my_model" / "bot.toml").read_text())
    assert settings["model"]["prompt"] == "prompt.txt"
    assert "End each reply with your move in square brackets" in (tmp_path / "my_model" / "prompt.txt").read_text()


@pytest.mark.slow
def test_a_model_is_checked_with_two_games_and_a_forecast_and_its_run_is_resumed_and_replayed(tmp_path, player):
    entry(tmp_path)
    with model_server(player) as server:
        bound = ("--endpoint", f"local={server.url}")
        checked = wordpl("check", "my_model.toml", *bound, "--quiet")
        assert checked.exit_code == 0, checked.output
        assert "2 games" in checked.output and "A run of 100 games" in checked.output
        assert "cannot be repeated" in checked.output
        how = ("my_model.toml", "--games", "12", "--isolation", "D", "--quiet", "--seed", "3", *bound)
        server.as_is = lambda body: http(b"{}", status="401 No") if len(server.requests) > 20 else None
        stopped = wordpl("evaluate", *how)
        assert stopped.exit_code == 1 and "No game is lost by that" in stopped.output
        assert f"--endpoint local={server.url}" in stopped.output  # in the command that goes on
        (run,) = (tmp_path / "results").iterdir()
        server.as_is = lambda body: None
        resumed = wordpl("evaluate", "--resume", run, "--isolation", "D", "--quiet", *bound)
        assert resumed.exit_code == 0 and "tokens" in resumed.output
        refused = wordpl("evaluate", "--resume", run, "--isolation", "D", "--second-asks", "1", *bound)
        assert "cannot be combined with --resume" in refused.output
        assert "cannot be repeated" in wordpl("evaluate", "my_model", "--run", run, "--number", "3").output
    replayed = json.loads(wordpl("replay", run, "3", "--json").stdout)
    (played,) = replayed["entries"]
    assert f"[ {played['moves'][0]['guess'].upper()} ]" in played["replies"]["1"]
    assert "All holds" in wordpl("verify", run).output


@pytest.mark.slow
def test_a_match_of_two_models_stops_early(tmp_path, player):
    entry(tmp_path)
    (tmp_path / "other.toml").write_text(ENTRY.format(game="wordle/1").replace('"m"', '"bad"'))

    def reply(body):
        return player(body) if body["model"] == "m" else "[fuzzy]"

    with model_server(reply) as server:
        ended = wordpl("match", "my_model.toml", "other.toml", "--endpoint", f"local={server.url}", "--json")
        values = json.loads(ended.stdout)
        assert values["verdict"] == "better" and values["n_games"] < 60
        assert "All holds" in wordpl("verify", values["folder"]).output
