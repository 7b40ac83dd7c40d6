"""Tuning finds parameters on common games, and an interrupted search can be resumed."""

import json
from math import exp

import numpy as np
import pytest
from msgspec import to_builtins

from tests.apps.workbench.test_match import BOT
from tests.helpers.cli import wordpl
from wordpl import RunConfig, games
from wordpl.apps.workbench import tune_search
from wordpl.apps.workbench.goals import values_from_rows
from wordpl.apps.workbench.tune import Tuner, TuneResult, TuneTerms, sentences
from wordpl.apps.workbench.tune_question import Objective, Parameter, ScoreEstimate, parse_parameters, tuned_entry
from wordpl.apps.workbench.tune_search import OutOfTimeError
from wordpl.core.messages import UserError

FILE = """
from dataclasses import dataclass
from wordpl import Strategy

@dataclass
class Bot(Strategy):
    epsilon: float = 9.0
    n_guesses: int = 2
    mode: str = "a"

ENTRIES = [Bot(12.0, mode="b"), Bot()]
"""


@pytest.fixture
def bot(tmp_path):
    (tmp_path / "bot.py").write_text(FILE)
    return tmp_path / "bot.py"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("", "Bot(epsilon=12.0, n_guesses=3, mode='b')"),
        (":ENTRIES[1]", "Bot(n_guesses=3)"),
        (":Bot(7, 4)", "Bot(epsilon=7, n_guesses=3)"),
        (":Bot", "Bot(n_guesses=3)"),
    ],
)
def test_other_arguments_of_the_entry_are_kept(bot, name, expected):
    assert tuned_entry(f"{bot}{name}").expression({"n_guesses": 3}) == expected


@pytest.mark.parametrize(
    ("texts", "complaint"),
    [
        (["epsilon"], "must have the form --param epsilon=5:20"),
        (["epsilon=a:b"], "must be a range of numbers"),
        (["n_guesses=2..4"], "a range has a colon, n_guesses=2:4"),
        (["mode=a,b", "mode=a"], "is given twice"),
    ],
)
def test_an_invalid_parameter_is_explained(bot, texts, complaint):
    with pytest.raises(UserError, match=complaint):
        parse_parameters(texts, tuned_entry(str(bot)))


DEEP = "-" * 100_000 + "1"


@pytest.mark.parametrize(
    "make", ["\0", "Bot(\0)", "Bot(", "Bot(epsilon=)", "(" * 3000, DEEP], ids=lambda text: repr(text[:9])
)
def test_an_expression_of_a_stored_search_that_is_none_is_refused_in_one_sentence(bot, tmp_path, make):
    folder = tmp_path / "search"
    folder.mkdir()
    facts = {"entry": f"{bot}:{make}", "parameters": ["epsilon=5:20"], "config": to_builtins(RunConfig(), enc_hook=str)}
    (folder / "tune.json").write_text(json.dumps(facts))
    with pytest.raises(UserError, match=r"is not an expression such as 'MyBot\(epsilon=8\)'\.$") as error:
        Tuner.resume(folder)
    assert "\n" not in error.value.message


@pytest.mark.parametrize(
    "value",
    ["\0", "(" * 3000, *(pytest.param(text, marks=pytest.mark.slow) for text in ("5,\0", "{[]: 1}", DEEP, "1_", "'"))],
    ids=lambda text: repr(text[:9]),
)
def test_a_parameter_of_a_stored_search_with_any_text_is_read_or_refused_in_one_sentence(bot, tmp_path, value):
    for text in (f"epsilon={value}", f"mode={value}", value):
        facts = {"entry": f"{bot}", "parameters": [text], "config": to_builtins(RunConfig(), enc_hook=str)}
        (tmp_path / "tune.json").write_text(json.dumps(facts))
        with pytest.raises(UserError):  # at the latest, because the file of the entry has another digest
            Tuner.resume(tmp_path)


def test_values_have_the_type_of_their_field(bot):
    epsilon, n, mode = parse_parameters(["epsilon=5:20", "n_guesses=2:4", "mode=a,b"], tuned_entry(str(bot)))
    assert (epsilon.value(0.0), epsilon.value(1.0), epsilon.is_range) == (5.0, 20.0, True)
    assert [n.value(share) for share in (0.0, 0.5, 1.0)] == [2, 3, 4]
    assert [mode.value(share) for share in (0.0, 0.99)] == ["a", "b"]
    assert all(
        parameter.value(parameter.share(parameter.value(0.3))) == parameter.value(0.3)
        for parameter in (epsilon, n, mode)
    )


@pytest.mark.slow
def test_halving_finds_the_best_parameters_and_plays_them_most():
    played = {}

    def loss(chosen, n_games):
        if len(played) > 200 and n_games == tune_search.FIRST_GAMES:
            raise OutOfTimeError
        played[chosen["x"], chosen["kind"]] = n_games
        noise = np.random.default_rng(round(1e6 * chosen["x"])).normal() / n_games**0.5
        return (chosen["x"] - 7.3) ** 2 + (chosen["kind"] != "b") + 0.3 * noise

    parameters = [Parameter("x", (), 0.0, 20.0), Parameter("kind", ("a", "b", "c"))]
    best = tune_search.successive_halving(parameters, {"x": 18.0, "kind": "a"}, loss, loss, np.random.default_rng(0))[0]
    assert abs(best.chosen["x"] - 7.3) < 0.3
    assert best.chosen["kind"] == "b"
    assert played[best.chosen["x"], "b"] == max(played.values())
    assert np.median(list(played.values())) == tune_search.FIRST_GAMES


def test_bisection_finds_the_smallest_budget_that_wins_the_share():
    def play(chosen, n_games):
        chance = 1 / (1 + exp(-(chosen["epsilon"] - 10 - chosen["k"])))
        noise = np.random.default_rng(1).uniform(-0.3, 0.3, n_games)
        chances = np.clip(chance + noise * chance * (1 - chance), 0, 1)
        spent = chosen["epsilon"] * (2 if chosen["k"] else 3)
        return values_from_rows([(spent, True, p, p, 3, True) for p in chances], True)

    arms = [{"k": 0}, {"k": 1}, {"k": 15}]
    assert tune_search.decides_budget(Parameter("epsilon", (), 5.0, 20.0), arms[0], play)
    best, *_ = tune_search.bisect_budget(Parameter("epsilon", (), 5.0, 20.0), arms, 0.5, play)
    assert best.others == {"k": 1}
    assert best.budget == pytest.approx(2 * best.value)
    assert 11.0 <= best.value < 11.1
    assert all(
        root.budget == float("inf")
        for root in tune_search.bisect_budget(Parameter("epsilon", (), 5.0, 9.0), arms, 0.5, play)
    )


def test_bisection_uses_more_games_if_the_share_is_won_narrowly():
    limit = tune_search.FIRST_BUDGET_GAMES

    def play(chosen, n_games):
        if n_games > limit:
            raise OutOfTimeError
        chances = 0.52 + 0.01 * (chosen["epsilon"] - 9.0) + np.random.default_rng(1).uniform(-0.475, 0.475, n_games)
        return values_from_rows([(chosen["epsilon"], True, chance, chance, 3, True) for chance in chances], True)

    epsilon = Parameter("epsilon", (), 5.0, 9.0)
    (with_few_games,) = tune_search.bisect_budget(epsilon, [{}], 0.5, play)
    assert with_few_games.value == float("inf")
    assert with_few_games.shortfall > 0
    limit = 10**6
    (with_many_games,) = tune_search.bisect_budget(epsilon, [{}], 0.5, play)
    assert 7.0 < with_many_games.value < 9.0


def test_the_score_is_the_smallest_budget_with_its_interval():
    chances = np.array([0.9, 0.8, 0.1, 0.6, 0.7] * 200)
    spent = np.array([10.0, 20.0, 30.0, 40.0, 50.0] * 200)
    games = values_from_rows([(s, True, c, c, 3, False) for s, c in zip(spent, chances, strict=True)], True)
    score = Objective("p50", q=0.5).score(games)
    assert (score.value, score.low, score.high) == (50.0, 40.0, 50.0)
    assert Objective("p95", q=0.95).loss(games) > 1e6
    assert Objective("p05", q=0.05).loss(games) == 10.0


def terms(folder, **chosen):
    defaults = {"entry": "bot.py", "parameters": ["epsilon=5:30"], "goal": "p05", "seed": "1", "cpu_s": 100.0}
    config = RunConfig(level="D", results=folder / "results")
    return TuneTerms(**defaults | {"config": config, "max_trials": 14, "n_validation": 100} | chosen)


@pytest.mark.long
def test_a_resumed_search_has_the_same_result_as_an_uninterrupted_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT)
    uninterrupted = Tuner.new(terms(tmp_path), jobs=1).run()
    stopped = Tuner.new(terms(tmp_path, config=RunConfig(level="D", results=tmp_path / "other")), jobs=1)

    def stop(tuner):
        if tuner.trials.n_trials > 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped.run(stop)
    resumed = Tuner.resume(stopped.folder, jobs=2, level="D").run()
    assert resumed.to_json() | {"cpu_s": 0} == uninterrupted.to_json() | {"cpu_s": 0}
    assert uninterrupted.method == "bisection"
    share, error = uninterrupted.win_share
    assert 0.045 < share < 0.06
    assert 0 < error < 0.005
    (tmp_path / "bot.py").write_text(BOT + "\n")
    assert "has changed since" in wordpl("tune", "--resume", stopped.folder, "--isolation", "D").stderr


@pytest.mark.long
def test_a_parameter_that_makes_all_games_fail_is_explained(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT.replace("epsilon: float = 9.0", "epsilon: float = 'nine'"))
    with pytest.raises(UserError, match="finishes no game"):
        Tuner.new(terms(tmp_path), jobs=1).run()


@pytest.mark.slow
def test_a_value_with_which_the_entry_fails_is_refused_before_the_search(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text(BOT.replace("epsilon: float", "epsilon: object"))
    with pytest.raises(
        UserError, match=r"Bot\(epsilon='nine'\) finishes no game, so 'nine' is no value to try for epsilon"
    ):
        Tuner.new(terms(tmp_path, parameters=["epsilon=9.0,nine"]), jobs=1).run()


@pytest.mark.parametrize(("share", "is_settled"), [(0.53, True), (0.51, False)])
def test_a_share_counts_as_won_only_if_the_validation_interval_confirms_it(share, is_settled):
    score = ScoreEstimate(40.0, 40.0, 40.0)
    p50 = Objective("p50", q=0.5)
    result = TuneResult("B()", "B()", p50, "bisection", score, score, (share, 0.01), 9, 9, 1000, 1.0)
    assert result.is_settled is is_settled
    assert ("so at least 50 %" in sentences(result)[0]) is is_settled


def games_of(spent, chances, rng):
    """Return games with these costs, and answers that are right with these probabilities."""
    return values_from_rows([(s, rng.random() < p, p, p, 3, True) for s, p in zip(spent, chances, strict=True)], True)


@pytest.mark.parametrize("name", ["cost", "won", "p50"])
@pytest.mark.parametrize("n_searches", [80, pytest.param(400, marks=pytest.mark.slow)])
def test_an_equally_good_entry_is_recommended_in_5_of_100_searches_at_most(name, n_searches):
    rng = np.random.default_rng(3)
    objective = Objective.of(name, games.game_class("wordpl/1").facts, None, 100.0)
    n_better = 0
    for _ in range(n_searches):
        hardness = rng.normal(0, 5, 300)
        tuned, own = (
            games_of(40 + hardness + rng.normal(0, 3, 300), np.clip(rng.normal(0.6, 0.2, 300), 0, 1), rng)
            for _ in range(2)
        )
        n_better += objective.p_better(tuned, own) < 0.05
    assert n_better <= n_searches * 0.05 + 3 * np.sqrt(n_searches * 0.05 * 0.95)


@pytest.mark.parametrize("name", ["cost", "p50"])
def test_a_better_entry_is_recommended_and_one_that_fails_never_is(name):
    rng = np.random.default_rng(4)
    objective = Objective.of(name, games.game_class("wordpl/1").facts, None, 100.0)
    own = games_of(np.full(600, 50.0), rng.uniform(0.4, 0.8, 600), rng)
    better = games_of(np.full(600, 40.0), rng.uniform(0.45, 0.85, 600), rng)
    failing = games_of(np.zeros(600), np.zeros(600), rng)
    assert objective.p_better(better, own) < 0.001
    assert objective.p_better(own, better) > 0.5
    assert objective.p_better(failing, own) > 0.5
    score = ScoreEstimate(40.0, 40.0, 40.0)
    for p_value, is_better in ((0.04, True), (0.06, False)):
        result = TuneResult(
            "B(1)", "B()", objective, "successive halving", score, score, (0.6, 0.01), 9, 9, 600, 1.0, p_value
        )
        assert ("    ENTRIES = [B(1)]" in sentences(result)) is result.is_better is is_better


def test_the_safety_margin_covers_the_interval_of_the_validation_games():
    rng, error, n_games, n_fresh = np.random.default_rng(1), 0.005, 3000, 1000
    errors = error * np.array([1, (n_games / n_fresh) ** 0.5])
    true = 0.5 + tune_search.n_safety_errors(n_games, n_fresh) * error - rng.normal(0, errors[0], 4000)
    lower = true + rng.normal(0, errors[1], 4000) - 1.96 * errors[1]
    assert (lower >= 0.5).mean() == pytest.approx(0.933, abs=0.02)  # P(Z > -1.5)


@pytest.mark.slow
def test_too_few_trials_are_named_and_not_too_little_time(tmp_path):
    (tmp_path / "bot.py").write_text(BOT)
    words = ("tune", tmp_path / "bot.py", "--param", "epsilon=8,10", "--results", tmp_path, "--isolation", "D")
    result = wordpl(*words, "--trials", "2", "--jobs", "1")
    assert result.exit_code == 1
    assert "a search needs more than 2 trials: your own parameters and both ends" in result.stderr
