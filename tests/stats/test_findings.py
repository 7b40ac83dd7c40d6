"""An entry is named if chance explains its result too rarely for the number of tests of its board, and no earlier."""

from itertools import product
from math import exp

import numpy as np
import pytest

from tests.helpers import written_runs
from tests.helpers.frames import FACTS, run_of
from wordpl.core import words
from wordpl.core.intervals import MAX_FALSE_ALARM
from wordpl.stats import findings
from wordpl.stats.findings import FindingKind
from wordpl.stats.guess_odds import GuessOdds


def odds_of(chances, right, rounds=None):
    n = len(chances)
    rounds = np.full(n, 2) if rounds is None else np.array(rounds)
    return GuessOdds(n, np.arange(n), rounds, np.array(chances, float), np.array(right, bool), np.zeros(n, bool))


def test_the_level_of_right_guesses_is_shared_by_the_tests_of_a_board():
    named = {}
    for n_right in range(20):
        odds = odds_of([0.02] * 40, [True] * n_right + [False] * (40 - n_right))
        p_value = exp(-findings.log_evidence(odds))
        for n_tests in (1, 2, 1000):
            named[n_right, n_tests] = bool(list(findings.guesses("bot", odds, n_tests)))
            assert named[n_right, n_tests] == (p_value < MAX_FALSE_ALARM / n_tests)
    at_1, at_1000 = (sum(named[n_right, n_tests] for n_right in range(20)) for n_tests in (1, 1000))
    assert 0 < at_1000 < at_1 < 20


def test_the_capital_of_bets_on_right_guesses_has_the_mean_one():
    chances, rounds = [0.1, 0.5, 0.25], [1, 2, 2]
    mean = 0.0
    for right in product([False, True], repeat=3):
        chance = np.prod([p if hit else 1 - p for p, hit in zip(chances, right, strict=True)])
        mean += chance * exp(findings.log_evidence(odds_of(chances, right, rounds)))
    assert mean == pytest.approx(1)


def test_an_entry_is_named_with_the_round_of_its_right_guesses_among_all_tests_of_the_board():
    run = run_of({"spy": [2.0] * 40, "honest": [5.0] * 40}, "guesses")
    odds = {"spy": odds_of([0.02] * 40, [True] * 40), "honest": odds_of([0.02] * 40, [False] * 40)}
    (found,) = findings.find(run, None, odds=odds)
    assert (found.entry, found.kind, found.seen, found.n_tests) == ("spy", FindingKind.GUESSES, 40, 4)
    assert found.allowed == pytest.approx(0.8)
    assert found.sentence("Spy").startswith(
        "Spy guessed the secret 40 times in its second guess, but its clues allow 0.8"
    )
    assert not findings.find(run[run["entry"] == "honest"], None, odds=odds), "it is not of these games"


def test_wins_are_tested_only_if_the_chance_of_every_game_is_known():
    run = run_of({"bot": [5.0] * 30}).assign(posterior=0.1)
    (found,) = findings.find(run, None)
    assert (found.kind, found.seen, found.allowed) == (FindingKind.WINS, 30, pytest.approx(3))
    assert not findings.find(run.assign(posterior=[np.nan, *[0.1] * 29]), None)
    assert not findings.find(run.assign(posterior=0.99), None)


def test_giving_up_is_no_way_to_a_small_mean():
    costs = run_of({"bot": [3.0] * 900 + [np.inf] * 101}, "guesses").assign(facts=FACTS["guesses"].as_text())
    assert not list(findings.mean_of_guesses("bot", costs, words.load(), 2, is_exact=False))


def test_of_a_very_large_run_equally_many_games_of_each_entry_are_scored(tmp_path, monkeypatch):
    run = written_runs.new_run(tmp_path / "run")
    assert findings.n_scored(run) == 12
    monkeypatch.setattr(findings, "MAX_SCORED", 11)
    assert findings.n_scored(run) == 5
