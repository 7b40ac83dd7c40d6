import numpy as np
import pytest

from wordpl.stats.budget_quantiles import chances_of_being_best, covariance_of_means, probable_scores


def test_scores_far_apart_are_not_moved():
    estimates, covariance = np.array([1.0, 5.0, 9.0, 13.0]), np.diag([0.01, 0.02, 0.01, 0.03])
    drawn = probable_scores(estimates, covariance, np.random.default_rng(1), 20_000)
    assert drawn.mean(axis=1) == pytest.approx(estimates, abs=0.03)
    assert drawn.var(axis=1) == pytest.approx(np.diag(covariance), rel=0.05)


def test_scores_that_differ_less_than_their_errors_are_moved_together():
    estimates = np.array([0.48, 0.49, 0.50, 0.51, 0.52])
    drawn = probable_scores(estimates, np.diag(np.full(5, 0.05**2)), np.random.default_rng(2), 20_000)
    assert np.ptp(drawn.mean(axis=1)) < 0.5 * np.ptp(estimates)
    assert drawn.mean() == pytest.approx(0.5, abs=0.005)
    assert list(np.argsort(drawn.mean(axis=1))) == [0, 1, 2, 3, 4]


def test_errors_that_entries_share_do_not_change_their_order():
    covariance = np.full((3, 3), 1.0) + np.diag([1e-4] * 3)
    drawn = probable_scores(np.array([1.0, 1.2, 1.4]), covariance, np.random.default_rng(3))
    assert (np.argsort(drawn, axis=0) == np.array([[0], [1], [2]])).all()
    assert drawn.std(axis=1) == pytest.approx([1.0] * 3, rel=0.1)


def test_scores_without_errors_are_certain():
    drawn = probable_scores(np.array([1.0, 2.0, 3.0]), np.zeros((3, 3)), np.random.default_rng(4), 7)
    assert (drawn == np.array([[1.0], [2.0], [3.0]])).all()


def test_the_covariance_is_that_of_the_means():
    values = np.random.default_rng(5).normal(size=(3, 50))
    assert covariance_of_means(values) == pytest.approx(np.cov(values) / 50)
    assert (covariance_of_means(values[:, :1]) == 0).all()
    many = np.random.default_rng(6).normal(size=(65, 50))
    assert covariance_of_means(many) == pytest.approx(np.diag(many.var(axis=1, ddof=1) / 50))


def test_tied_entries_share_a_draw_and_nobody_wins_if_all_are_infinitely_bad():
    worth = np.array([[1.0, -np.inf, 3.0], [1.0, -np.inf, 2.0]])
    assert list(chances_of_being_best(worth)) == [0.5, pytest.approx(1 / 6)]


@pytest.mark.slow
@pytest.mark.parametrize("spread", [0.5, 2.0, 20.0])
def test_the_leader_is_the_best_as_often_as_said(spread):
    rng, n_boards, said, was = np.random.default_rng(6), 1500, [], []
    for _ in range(n_boards):
        truth = spread * rng.normal(size=8)
        estimates = truth + rng.normal(size=8)
        chances = chances_of_being_best(probable_scores(estimates, np.eye(8), rng, 400))
        leader = int(estimates.argmax())
        said.append(chances[leader])
        was.append(leader == truth.argmax())
    assert abs(np.mean(said) - np.mean(was)) <= 3 * np.std(was) / np.sqrt(n_boards) + 0.01
