import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from wordpl import games
from wordpl.core import words
from wordpl.core.clues import anywhere, noisy
from wordpl.core.messages import UserError
from wordpl.core.moves import GameFacts, MoveForm
from wordpl.kernels.posterior import Posterior
from wordpl.stats.clue_luck import ClueLuck, LuckMeter
from wordpl.stats.estimates import LuckCorrected, has_luck, win_rate, without_luck
from wordpl.stats.scores.means import proportion

ANSWERS = words.load().answers[::40]
LISTS = words.of_words(ANSWERS, ANSWERS)


OWN_GAME = """
from wordpl.games import Channel, GameFacts, Wordpl


class Truth(Channel):
    def outcomes(self, true, move):
        return (true,), (1.0,)


class Lies(Wordpl):
    facts = GameFacts("lies/1", Wordpl.facts.form, "budget")
    channel_type = Truth
"""


def likeliest(posterior, rng):
    return posterior.best()[0]


def second_best(posterior, rng):
    return posterior.top(2)[1][0]


def at_random(posterior, rng):
    return str(rng.choice(ANSWERS))


def corrected(luck):
    return LuckCorrected(np.arange(len(luck.answer)), luck)


def lucky_games(rng, n, lost_from=np.inf):
    """Return games with one clue whose answers are rarely nearly certain; those as certain as `lost_from` are lost."""
    posterior = rng.beta(0.5, 9.0, n)
    luck = posterior - 0.5 / 9.5
    answer = np.where(posterior >= lost_from, 0.0, posterior)
    return corrected(ClueLuck(answer, np.ones(n), np.arange(n + 1), luck, np.zeros(n), np.ones(n)))


@pytest.mark.parametrize("n", [150, pytest.param(1001, marks=pytest.mark.slow)])
def test_a_player_that_loses_its_luckiest_games_is_not_called_too_good(n):
    rng, n_runs = np.random.default_rng(5), 300
    for rate in (0.0, 0.002, 0.01):
        lost_from = beta.ppf(1 - rate, 0.5, 9.0) if rate else np.inf
        true = 0.5 / 9.5 - beta.expect(lambda chance: chance, (0.5, 9.0), lb=min(1.0, lost_from))
        lows = []
        for _ in range(n_runs):
            games = lucky_games(rng, n, lost_from)
            lows.append(proportion(games.win, games.lost(games.win)).low)
        n_wrong = int((np.array(lows) > true).sum())
        assert binom.sf(n_wrong - 1, n_runs, 0.025) > 0.001, (rate, n_wrong)


def play(answer, n_games, rng, max_clues=3, certainty=1.1):
    """Return the luck of games, and which of them were won; guesses and stopping depend on the clues and on chance."""
    played, won = [], []
    for secret in rng.choice(ANSWERS, n_games):
        posterior, moves = Posterior.uniform(LISTS, "anywhere"), []
        while len(moves) < max_clues and posterior.best()[1] < certainty:
            guess = posterior.best()[0] if moves and rng.random() < 0.5 else str(rng.choice(ANSWERS))
            draws = [int(draw) for draw in rng.integers(0, 1 << 32, 5)]
            moves.append((guess, 9.0, noisy(anywhere(guess, secret), 9.0, draws)))
            posterior.update(*moves[-1])
        proposed = answer(posterior, rng)
        played.append([*moves, (proposed, 0, "")])
        won.append(proposed == secret)
    return LuckMeter(LISTS, "anywhere").measure(played), np.array(won)


@pytest.mark.slow
@pytest.mark.parametrize("answer", [likeliest, second_best, at_random])
@pytest.mark.parametrize("certainty", [1.1, 0.9])
def test_estimates_agree_with_counts_for_every_way_of_answering_and_stopping(answer, certainty):
    luck, won = play(answer, 1200, np.random.default_rng(1), certainty=certainty)
    estimates, n = corrected(luck), len(won)
    spent = luck.spent
    for values, counted in (
        (estimates.win, won),
        (estimates.win_within(18.0), won & (spent <= 18)),
        (estimates.cost(40.0), np.where(won, spent, 40.0)),
    ):
        gaps = values - counted
        assert abs(gaps.mean()) <= 4 * gaps.std() / np.sqrt(n)


@pytest.mark.slow
def test_estimates_vary_much_less_than_counts():
    luck, won = play(likeliest, 800, np.random.default_rng(2))
    assert corrected(luck).win.var() < 0.15 * won.var()


def test_entries_with_a_fixed_budget_cost_what_their_wins_say():
    luck, _ = play(likeliest, 60, np.random.default_rng(3))
    estimates = corrected(luck)
    assert estimates.cost(100.0) == pytest.approx(100 - (100 - 27) * estimates.win)
    assert list(estimates.win_within(27.0)) == list(estimates.win)
    assert list(estimates.win_within(26.9)) == list(estimates.win_within(27.0, strictly=True)) == [0.0] * 60


def test_wins_that_cost_more_than_a_loss_are_worth_nothing():
    luck, _ = play(likeliest, 30, np.random.default_rng(4))
    assert corrected(luck).cost(20.0) == pytest.approx(np.full(30, 20.0))
    assert corrected(luck).lost_cost(20.0) == pytest.approx(np.full(30, 20.0))
    assert corrected(luck).lost_cost(100.0) == pytest.approx(corrected(luck).cost(100.0) + 73 * luck.answer)


def test_few_games_and_games_without_clues_keep_their_posteriors():
    none = ClueLuck.concatenate([])
    assert len(corrected(none).win) == 0
    luck = LuckMeter(LISTS, "anywhere").measure([[(ANSWERS[0], 0, "")]] * 30)
    assert list(corrected(luck).win) == [1 / len(ANSWERS)] * 30


@given(st.integers(0, 2**32 - 1), st.integers(20, 40), st.integers(1, 3))
def test_the_coefficients_of_a_game_are_fitted_without_it(seed, n, k):
    rng = np.random.default_rng(seed)
    values, terms = rng.normal(size=n), rng.normal(size=(n, k))
    corrected = without_luck(values, terms)
    penalty = np.diag([0.0, *(terms**2).sum(axis=0) * 2 / n])
    for game in range(0, n, 7):
        others = np.arange(n) != game
        design = np.column_stack([np.ones(n - 1), terms[others]])
        fitted = np.linalg.solve(design.T @ design + penalty, design.T @ values[others])
        assert corrected[game] == pytest.approx(values[game] - terms[game] @ fitted[1:], rel=1e-6, abs=1e-9)


def test_fewer_than_20_games_are_not_corrected_and_games_can_be_selected():
    rng = np.random.default_rng(6)
    terms = rng.normal(0, 0.1, (20, 1))
    answer = 0.5 + terms[:, 0] + rng.normal(0, 0.01, 20)
    assert without_luck(answer[:19], terms[:19]).tolist() == answer[:19].tolist()
    assert without_luck(answer, terms).std() < 0.05
    luck = ClueLuck(answer, np.full(20, 9.0), np.arange(21), terms[:, 0], np.zeros(20), np.full(20, 9.0))
    chosen = LuckCorrected(np.arange(20) * 10, luck).of_games(np.array([10, 190]))
    assert chosen.luck.answer.tolist() == answer[[1, 19]].tolist()


def test_the_rate_of_wins_is_that_within_all_that_was_spent_or_a_given_budget():
    answer, spent = np.array([0.9, 0.8, 0.7, 0.6]), np.array([10.0, 10.0, 20.0, 30.0])
    games = corrected(ClueLuck(answer, spent, np.arange(5), np.zeros(4), np.zeros(4), spent))
    costs = np.array([10.0, np.inf, 20.0, 30.0])
    for budget, limit, counted, by_answer in ((None, 30, 0.75, 0.75), (20.0, 20, 0.5, 0.6), (5.0, 5, 0, 0)):
        rate = win_rate(costs, games, budget)
        assert (rate.n_games, rate.budget, rate.counted.value) == (4, limit, counted)
        assert rate.by_answer.value == pytest.approx(by_answer) == rate.without_luck.value
    with pytest.raises(UserError, match="at least one game"):
        win_rate(costs[:0], games)


@pytest.mark.parametrize(("n", "is_exact"), [(1000, False), (1001, True)])
def test_in_many_games_the_clues_of_each_round_have_a_coefficient_of_their_own(n, is_exact):
    rng = np.random.default_rng(8)
    luck = rng.normal(0, 0.05, (n, 3))
    answer, spent = 0.5 + luck @ [0.9, 0.1, 1.0], np.full(n, 9.0)
    clues = luck.ravel(), np.zeros(3 * n), np.tile([3.0, 6.0, 9.0], n)
    games = corrected(ClueLuck(answer, spent, np.arange(0, 3 * n + 1, 3), *clues))
    assert (games.win.std() < 0.001) == is_exact
    assert games.win.std() < 0.5 * answer.std()


def test_games_with_different_numbers_of_clues_are_tested_by_their_posteriors():
    answer, spent, luck = np.array([0.9, 0.4]), np.array([4.0, 8.0]), np.full(3, 0.2)
    for starts, expected in (([0, 1, 3], ([0.9, 0.0], 0.0)), ([0, 1, 2], ([0.7, 0.0], -1.0))):
        n = starts[-1]
        games = ClueLuck(answer, spent, np.array(starts), luck[:n], luck[:n], np.array([4.0, 8.0, 8.0])[:n])
        values, low = corrected(games).bounded_wins(4.0)
        assert (values.tolist(), low) == (pytest.approx(expected[0]), expected[1])


def test_wins_are_credited_from_clues_that_are_known_to_be_drawn_as_the_contest_does(tmp_path):
    (tmp_path / "lies.py").write_text(OWN_GAME)
    games.bind(f"{tmp_path / 'lies.py'}:Lies")
    unknown = GameFacts("other/1", MoveForm.NOISY, "budget")
    found = {name: has_luck(games.game_class(name).facts) for name in ("wordpl/1", "lies/1", "wordle/1")}
    assert found == {"wordpl/1": True, "lies/1": False, "wordle/1": False}
    assert not has_luck(unknown)
