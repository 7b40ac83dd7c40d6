from functools import cache
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from tests.helpers.frames import FACTS, run_of
from wordpl.core import words
from wordpl.core.clues import counted, keep_probability, noisy
from wordpl.core.intervals import MAX_FALSE_ALARM
from wordpl.core.seeds import Draws
from wordpl.kernels.posterior import Posterior
from wordpl.run.frame import Moves
from wordpl.stats.clue_luck import ClueLuck, LuckMeter
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.guess_luck import GuessLuck
from wordpl.stats.posterior_wins import (
    clue_excesses,
    guess_evidence,
    guess_excesses,
    luck_excesses,
    poisson_binomial_tail,
    tail_lower_bound,
    with_posteriors,
)
from wordpl.stats.scores import scores_for

QUANTILES = [score for score in scores_for(FACTS["budget"]) if score.name in ("p05", "p50", "p95")]


def answer_posteriors(played, lists, clue_rule):
    return LuckMeter(lists, clue_rule).measure(played).answer


@cache
def games(n_games, peek_probability=0.0, clue_rule="counted"):
    """Return games of three guesses; the answer is the likeliest word or, with `peek_probability`, the secret."""
    rng, lists, draws = np.random.default_rng(1), words.load(), Draws.of("test")
    played = []
    for number in range(n_games):
        secret = lists.answers[draws.game(number).secret_index(len(lists.answers))]
        posterior, moves = Posterior.uniform(lists, clue_rule), []
        for round_, guess in enumerate(("crane", "sloth", "pudgy"), 1):
            clue = noisy(counted(guess, secret), 9.0, draws.game(number).noise(round_, 5))
            posterior.update(guess, 9.0, clue)
            moves.append((guess, 9.0, clue))
        answer = secret if rng.random() < peek_probability else posterior.best()[0]
        played.append(([*moves, (answer, 0, "")], posterior, answer == secret))
    return played


def as_run(played):
    run = run_of({"bot": [27.0 if is_won else np.inf for _, _, is_won in played]})
    moves = [moves for moves, _, _ in played]
    return run.assign(spent=27.0, posterior=answer_posteriors(moves, words.load(), "counted"))


def test_answer_posteriors_agree_with_the_posterior_of_each_game():
    played = games(15)
    probabilities = answer_posteriors([moves for moves, _, _ in played], words.load(), "counted")
    for probability, (moves, posterior, _) in zip(probabilities, played, strict=True):
        assert probability == pytest.approx(dict(posterior.top(3000))[moves[-1][0]], rel=1e-9)


def test_games_without_a_valid_answer_have_an_answer_posterior_of_0():
    moves = [[("crane", 9.0, ".....")], [], [("zzzzz", 0, "")]]
    assert list(answer_posteriors(moves, words.load(), "counted")) == [0, 0, 0]


def test_the_tail_is_binomial_if_all_probabilities_are_equal():
    for hits in (0, 1, 37, 101):
        assert poisson_binomial_tail(np.full(100, 0.3), hits) == pytest.approx(binom.sf(hits - 1, 100, 0.3), abs=1e-12)


def test_the_fast_lower_bound_never_exceeds_the_tail():
    rng = np.random.default_rng(4)
    for n in (1, 10, 300):
        probabilities = rng.beta(0.5, 0.5, n)
        for hits in range(0, n + 1, max(1, n // 20)):
            assert tail_lower_bound(probabilities, hits) <= poisson_binomial_tail(probabilities, hits)


def test_the_tail_is_exact_for_different_probabilities():
    probabilities = np.random.default_rng(2).random(12)
    total = 0.0
    for outcome in range(1 << 12):
        wins = [(outcome >> game) & 1 for game in range(12)]
        if sum(wins) >= 8:
            total += float(np.prod(np.where(wins, probabilities, 1 - probabilities)))
    assert poisson_binomial_tail(probabilities, 8) == pytest.approx(total, abs=1e-12)


@pytest.mark.slow
def test_an_entry_that_sometimes_peeks_at_the_secret_is_reported():
    assert clue_excesses(as_run(games(400)), QUANTILES) == []
    (excess,) = clue_excesses(as_run(games(400, peek_probability=0.3)), QUANTILES)
    assert (excess.entry, excess.n_tests) == ("bot", 4)
    assert excess.n_won > excess.expected + 20


def test_the_mean_posterior_is_near_the_share_won_with_a_narrower_interval():
    run = as_run(games(400))
    scores = {score.name: score for score in scores_for(FACTS["budget"])}
    share, mean_posterior = (scores[name](scores[name].per_game(run)) for name in ("won", "p_win"))
    assert share.low < mean_posterior.value < share.high
    assert mean_posterior.high - mean_posterior.low < 0.9 * (share.high - share.low)


def test_an_entry_whose_clues_are_too_lucky_is_named():
    rng, n = np.random.default_rng(5), 4000
    luck = rng.uniform(-0.3, 0.3, 2 * n)
    arrays = {"answer": np.full(n, 0.5), "spent": np.full(n, 20.0), "starts": np.arange(0, 2 * n + 1, 2)}
    honest, lucky = (
        LuckCorrected(np.arange(n), ClueLuck(**arrays, luck=terms, bet=np.zeros(2 * n), paid=np.full(2 * n, 10.0)))
        for terms in (luck - luck.mean(), luck - luck.mean() + 0.02)
    )
    (found,) = luck_excesses({"honest": honest, "cheat": lucky})
    assert (found.entry, found.n_tests) == ("cheat", 2)
    assert found.luck == pytest.approx(0.04)
    assert found.p_value < 1e-6
    assert found.luck / found.error > 5


@pytest.mark.parametrize("share", [0.0, 0.01])
def test_an_entry_that_guesses_the_secret_too_often_is_named(share):
    """Each game has two guesses, whose probability of being the secret is 1/2315 and 0.02."""
    rng, n = np.random.default_rng(7), 20_000
    chances = np.tile([1 / 2315, 0.02], n)
    is_secret = rng.random(2 * n) < np.where(np.arange(2 * n) % 2, chances + share * (1 - chances), chances)
    luck = ClueLuck(np.full(n, 0.5), np.full(n, 20.0), np.arange(0, 2 * n + 1, 2), np.zeros(2 * n),
                    is_secret / chances - 1, np.full(2 * n, 10.0))  # fmt: skip
    found = guess_excesses({"one": LuckCorrected(np.arange(n), luck)})
    assert [(one.entry, one.n_hits) for one in found] == [("one", is_secret.sum())] * bool(share)


def luck_of_bets(chances, outcomes):
    """Return the luck of games with two guesses each, whose chances and outcomes these are, [games, 2]."""
    n = len(chances)
    bets = (np.asarray(outcomes) / chances - 1).ravel()
    return ClueLuck(*np.zeros((2, n)), np.arange(0, 2 * n + 1, 2), np.zeros(2 * n), bets, np.ones(2 * n))


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(*[st.floats(1e-3, 0.999)] * 2), min_size=1, max_size=3))
def test_evidence_for_knowing_the_secret_is_fair_for_any_probabilities_of_honest_guesses(drawn):
    """The mean of e to the power of the evidence is 1; all outcomes are enumerated."""
    chances, total = np.array(drawn), 0.0
    for outcome in product([0, 1], repeat=chances.size):
        hits = np.reshape(outcome, chances.shape)
        total += np.where(hits, chances, 1 - chances).prod() * np.exp(guess_evidence(luck_of_bets(chances, hits)))
    assert total == pytest.approx(1, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("same_game", [True, False], ids=["within a game", "from game to game"])
def test_evidence_is_fair_to_entries_whose_guesses_depend_on_earlier_clues(same_game):
    """All secrets and all noise of two guesses are enumerated, the second of which depends on the first clue."""
    answers, epsilon = ("aba", "abc", "cab"), 4.0
    lists, shown = words.of_words(answers, answers), ["".join(marks) for marks in product(".ic", repeat=3)]
    keep, played, secrets, weights = keep_probability(epsilon, 3), [], [], []
    for one, two, first, second in product(answers, answers, shown, shown):
        if same_game and one != two:
            continue
        guess = "cab" if first[0] == "c" else "aba" if first[1] == "i" else "abc"
        moves = [("abc", epsilon, first), (guess, epsilon, second)]
        played += [moves] if same_game else [moves[:1], moves[1:]]
        secrets += [one] if same_game else [one, two]
        marks = zip(counted("abc", one) + counted(guess, two), first + second, strict=True)
        weights.append(np.prod([keep if true == mark else (1 - keep) / 2 for true, mark in marks]))
    luck = LuckMeter(lists, "counted").measure(played, secrets)
    runs = np.arange(len(played)).reshape(len(weights), -1)
    capital = [np.exp(guess_evidence(luck.take(games))) for games in runs]
    assert np.average(capital, weights=weights) == pytest.approx(1, abs=1e-9)
    assert np.ptp(capital) > 0.1


def test_honest_entries_are_rarely_suspected_of_knowing_the_secret():
    """The share of 800 honest runs with evidence of 20 to 1 is at most 5%."""
    rng, n_runs = np.random.default_rng(8), 800
    chances = np.exp(rng.uniform(np.log(1e-3), np.log(0.9), (n_runs, 60, 2)))
    hits = rng.random(chances.shape) < chances
    evidence = np.array([guess_evidence(luck_of_bets(*run)) for run in zip(chances, hits, strict=True)])
    assert (evidence > np.log(20)).sum() <= binom.ppf(0.9999, n_runs, 0.05)
    capital = np.exp(evidence)
    assert capital.mean() < 1 + 4 * capital.std() / np.sqrt(n_runs)


def test_fewer_wins_than_the_clues_promise_contradict_them():
    played = games(400)
    run = as_run(played)
    run["cost"] = np.inf
    (found,) = clue_excesses(run, QUANTILES)
    assert found.n_won == 0 < found.expected
    assert found.p_value < 1e-6


def first_named(named):
    """Return the smallest number of games, of up to 120, of which a board names an entry."""
    return next(n for n in range(1, 120) if named(n))


@pytest.mark.parametrize(("n_entries", "expected"), [(1, 17), (3, 18)])
def test_wins_are_named_at_a_level_that_both_tails_of_all_tests_share(n_entries, expected):
    """Games that are won with a chance of one half have the p-value 2^-n."""

    def named(n):
        run = run_of({f"entry{number}": [20.0] * n for number in range(n_entries)})
        chances = np.where(run["entry"] == "entry0", 0.5, 1.0)
        return clue_excesses(run.assign(posterior=chances, spent=20.0), [])

    assert first_named(named) == expected
    (found,) = named(expected)
    assert (found.entry, found.n_tests, found.p_value) == ("entry0", 2 * n_entries, pytest.approx(0.5**expected))


def test_the_most_significant_budget_is_named_and_games_that_cost_all_of_it_are_within_it():
    run = run_of({"bot": [20.0] * 30 + [30.0] * 30}).assign(posterior=0.5)
    (found,) = clue_excesses(run.assign(spent=run["cost"]), QUANTILES)
    assert (found.score, found.budget, found.n_won) == ("p95", 30, 60)


@pytest.mark.parametrize(("n_entries", "n_guesses", "expected"), [(1, None, 26), (3, None, 29), (1, 4, 89)])
def test_luck_is_named_at_the_level_of_all_entries_of_what_a_clue_can_lose(n_entries, n_guesses, expected):
    """Half of a win more in each game has the p-value (2/3)^n; where four guesses can be lost, it is (8/9)^n."""

    def named(n):
        fields = np.ones(n), np.full(n, float(n_guesses or 20)), np.arange(n + 1)
        arrays = [(*fields, np.full(n, luck), np.zeros(n), np.ones(n)) for luck in (0.5, *[0.0] * (n_entries - 1))]
        luck = [ClueLuck(*own) if not n_guesses else GuessLuck(*own, np.zeros((n, 1), np.float32)) for own in arrays]
        return luck_excesses({str(i): LuckCorrected(np.arange(n), own) for i, own in enumerate(luck)})

    assert first_named(lambda n: n > 1 and named(n)) == expected
    (found,) = named(expected)
    assert (found.entry, found.unit) == ("0", " guesses" if n_guesses else "")


def test_right_guesses_are_named_at_the_level_of_all_entries():
    luck = [luck_of_bets(np.full((40, 2), 0.01), np.arange(80).reshape(-1, 2) < n_hits) for n_hits in range(0, 24, 2)]
    games = [LuckCorrected(np.arange(40), own) for own in luck]
    n_named = []
    for n_entries in (1, 50):
        honest = {str(number): games[0] for number in range(n_entries - 1)}
        named = [[one.entry for one in guess_excesses(honest | {"bot": own})] == ["bot"] for own in games]
        assert named == [np.exp(-guess_evidence(own)) < MAX_FALSE_ALARM / n_entries for own in luck]
        n_named.append(sum(named))
    assert 0 < n_named[1] < n_named[0]


def test_games_whose_answer_is_no_move_have_no_posterior_of_it():
    run = pd.concat([run_of({"noisy": [9.0]}), run_of({"classic": [1.0]}, "guesses")], ignore_index=True)
    moves = {"noisy": [("crane", 9.0, "....."), ("slate", 0, "")], "classic": [("crane", ".....")]}
    played = {name: Moves.of_lists([own]) for name, own in moves.items()}
    assert with_posteriors(run, played, words.load())["posterior"].notna().tolist() == [True, False]
