from functools import cache

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from tests.helpers.frames import run_of
from wordpl.core import seeds, words
from wordpl.core.clues import counted, noisy
from wordpl.core.posterior import Posterior
from wordpl.stats.answer_posteriors import answer_posteriors
from wordpl.stats.posterior_wins import clue_excesses, poisson_binomial_tail, tail_lower_bound
from wordpl.stats.scores import scores_for

QUANTILES = [score for score in scores_for("budget") if score.name in ("p05", "p50", "p95")]


@cache
def games(n_games, peeks=0.0, rule="counted"):
    """Games of three guesses that answer with the likeliest word, or now and then with the secret itself."""
    rng, lists, key = np.random.default_rng(1), words.load(), seeds.run_key("test")
    played = []
    for number in range(n_games):
        secret = lists.answers[seeds.secret_index(key, number, len(lists.answers))]
        posterior, moves = Posterior.uniform(lists, rule), []
        for round_, guess in enumerate(("crane", "sloth", "pudgy"), 1):
            shown = noisy(counted(guess, secret), 9.0, seeds.noise(key, number, round_, 5))
            posterior.update(guess, 9.0, shown)
            moves.append((guess, 9.0, shown))
        answer = secret if rng.random() < peeks else posterior.best()[0]
        played.append(([*moves, (answer, 0, "")], posterior, answer == secret))
    return played


def as_run(played):
    run = run_of({"bot": [27.0 if won else np.inf for _, _, won in played]})
    moves = [moves for moves, _, _ in played]
    return run.assign(moves=pd.Series(moves), posterior=answer_posteriors(moves, words.load(), "counted"))


def test_the_posterior_of_the_answer_is_that_of_the_plain_posterior():
    played = games(15)
    found = answer_posteriors([moves for moves, _, _ in played], words.load(), "counted")
    for value, (moves, posterior, _) in zip(found, played, strict=True):
        assert value == pytest.approx(dict(posterior.top(3000))[moves[-1][0]], rel=1e-9)


@pytest.mark.parametrize("length", [5, 9])
def test_mixed_prices_and_long_words_give_the_plain_posterior(length):
    rng = np.random.default_rng(3)
    drawn = sorted({"".join(rng.choice(list("abcde"), length)) for _ in range(60)})
    lists, played, expected = words.of_words(tuple(drawn), tuple(drawn)), [], []
    for _ in range(20):
        prices = rng.choice([4.0, 9.5, 300.0, rng.uniform(1, 20)], rng.integers(0, 6))
        moves = [(str(rng.choice(drawn)), float(price), "".join(rng.choice(list(".ic"), length))) for price in prices]
        posterior, answer = Posterior.uniform(lists, "anywhere"), str(rng.choice(drawn))
        for move in moves:
            posterior.update(*move)
        played.append([*moves, (answer, 0, "")])
        expected.append(dict(posterior.top(len(drawn)))[answer])
    assert list(answer_posteriors(played, lists, "anywhere")) == pytest.approx(expected, rel=1e-9, abs=1e-200)


def test_a_game_without_an_answer_counts_as_a_sure_loss():
    moves = [[("crane", 9.0, ".....")], [], [("zzzzz", 0, "")]]
    assert list(answer_posteriors(moves, words.load(), "counted")) == [0, 0, 0]


def test_clues_of_very_large_budgets_are_handled():
    moves = [[("crane", 1e6, "....."), ("crane", 1e6, "ccccc"), ("crane", 0, "")]]
    assert np.isfinite(answer_posteriors(moves, words.load(), "counted")).all()


def test_the_tail_is_that_of_the_binomial_where_all_chances_are_equal():
    for hits in (0, 1, 37, 101):
        assert poisson_binomial_tail(np.full(100, 0.3), hits) == pytest.approx(binom.sf(hits - 1, 100, 0.3), abs=1e-12)


def test_the_quick_bound_is_never_above_the_tail():
    rng = np.random.default_rng(4)
    for n in (1, 10, 300):
        chances = rng.beta(0.5, 0.5, n)
        for hits in range(0, n + 1, max(1, n // 20)):
            assert tail_lower_bound(chances, hits) <= poisson_binomial_tail(chances, hits)


def test_the_tail_is_exact_where_the_chances_differ():
    chances = np.random.default_rng(2).random(12)
    total = 0.0
    for ways in range(1 << 12):
        hits = [(ways >> at) & 1 for at in range(12)]
        if sum(hits) >= 8:
            total += float(np.prod(np.where(hits, chances, 1 - chances)))
    assert poisson_binomial_tail(chances, 8) == pytest.approx(total, abs=1e-12)


def test_an_entry_that_sometimes_sees_the_secret_is_found():
    assert clue_excesses(as_run(games(400)), QUANTILES) == []
    (found,) = clue_excesses(as_run(games(400, peeks=0.3)), QUANTILES)
    assert (found.entry, found.n_tests) == ("bot", 2)
    assert found.n_won > found.expected + 20


def test_the_mean_posterior_is_near_the_share_won_with_a_narrower_interval():
    run = as_run(games(400))
    scores = {score.name: score for score in scores_for("budget")}
    share, mean = (scores[name](scores[name].per_game(run)) for name in ("won", "p_win"))
    assert share.low < mean.value < share.high
    assert mean.high - mean.low < 0.9 * (share.high - share.low)
