import sys
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.limits import LIMITS
from wordpl import Posterior, load_run
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES, keep_probability
from wordpl.stats.clue_luck import ClueLuck, LuckMeter

BUNDLED_RUN = Path(__file__).parents[2] / "results" / "bundled"
ANSWERS = ("aba", "abc", "bab", "bca", "cab", "cca")
LISTS = words.of_words(ANSWERS, (*ANSWERS, "abd"))

clues = st.text(".ic", min_size=3, max_size=3)
epsilons = st.one_of(st.floats(0.01, 30), st.floats(30, 300))
moves = st.lists(st.tuples(st.sampled_from(LISTS.guesses), epsilons, clues), max_size=5)
games = st.lists(st.tuples(moves, st.sampled_from([*ANSWERS, "abd", ""])), min_size=1, max_size=4)


def luck_of_game(moves, answers, clue_rule):
    """Return the posterior of the answer, and (luck, posterior of the guess before) of each clue.

    Args:
        moves: [guess, epsilon, clues], the answer last.
        answers: The words that can be the secret.
        clue_rule: A key of `CLUE_RULES`.
    """
    chances, terms = np.full(len(answers), 1 / len(answers)), []
    for guess, epsilon, clues in moves:
        if epsilon == 0:
            return (float(chances[answers.index(guess)]) if guess in answers else 0.0), terms
        true, shown = _true_clues(guess, tuple(answers), clue_rule), _all_clues(len(guess))
        table = _channel(len(guess), float(epsilon))  # [true, shown]
        largest = np.zeros(len(shown))
        np.maximum.at(largest, true, chances)  # the likeliest answer with each true clue
        expected = (largest[:, None] * table).max(axis=0).sum()
        before = float(chances[answers.index(guess)]) if guess in answers else 0.0
        chances = chances * table[true, shown.index(clues)]
        chances /= chances.sum()
        terms.append((chances.max() - expected, before))
    return 0.0, terms


@cache
def _all_clues(length):
    return ["".join(marks) for marks in product(".ic", repeat=length)]


@cache
def _true_clues(guess, answers, clue_rule):
    number = {clue: index for index, clue in enumerate(_all_clues(len(guess)))}
    return np.array([number[CLUE_RULES[clue_rule](guess, answer)] for answer in answers])


@cache
def _channel(length, epsilon):
    keep = keep_probability(epsilon, length)
    marks = np.array([list(clue) for clue in _all_clues(length)])
    n_kept = (marks[:, None] == marks[None]).sum(axis=2)
    return keep**length * np.exp(-epsilon / length * (length - n_kept))


def agrees(lists, clue_rule, played, secrets, precision):
    """Return whether the luck of the games, and bets on their guesses, are those of the plain implementation."""
    measured = LuckMeter(lists, clue_rule).measure(played, secrets)
    expected = [luck_of_game(game, lists.answers, clue_rule) for game in played]
    luck, chances = np.array([term for _, found in expected for term in found]).reshape(-1, 2).T
    is_secret = np.array([
        move[0] == secret for game, secret in zip(played, secrets, strict=True) for move in game if move[1]
    ])  # fmt: skip
    is_likely = chances > 1e-6  # smaller ones may underflow
    products = np.where(is_likely, (measured.bet + 1) * chances, is_secret)
    return (
        np.abs(measured.answer - [answer for answer, _ in expected]).max() < precision
        and np.abs(measured.luck - luck).max(initial=0) < precision
        and np.abs(products - is_secret).max(initial=0) < precision
        and (measured.bet[chances == 0] == 0).all()
    )


@settings(max_examples=60)
@given(games, st.sampled_from(ANSWERS), st.sampled_from(sorted(CLUE_RULES)))
def test_luck_agrees_with_the_enumeration_of_all_clues(drawn, secret, clue_rule):
    played = [[*guesses, (answer, 0, "")] if answer else guesses for guesses, answer in drawn]
    assert agrees(LISTS, clue_rule, played, [secret] * len(played), 1e-9)


@given(
    st.lists(st.tuples(st.sampled_from(LISTS.guesses), st.sampled_from(LIMITS)), min_size=1, max_size=4),
    st.sampled_from(ANSWERS),
    st.sampled_from(sorted(CLUE_RULES)),
)
def test_luck_at_the_limits_of_epsilon_is_that_of_fair_clues(paid, secret, clue_rule):
    """The clues are true, as large epsilons show them."""
    moves = [(guess, epsilon, CLUE_RULES[clue_rule](guess, secret)) for guess, epsilon in paid]
    luck = LuckMeter(LISTS, clue_rule).measure([[*moves, (secret, 0, "")]])
    posterior = Posterior.uniform(LISTS, clue_rule)
    for move in moves:
        posterior.update(*move)
    assert luck.answer[0] == pytest.approx(posterior.probabilities[ANSWERS.index(secret)], abs=1e-9)
    assert (np.abs(luck.luck) <= 1).all()
    assert luck.paid[-1] == pytest.approx(min(sum(epsilon for _, epsilon in paid), sys.float_info.max))


@pytest.mark.parametrize(
    "n_games",
    [
        pytest.param(20, marks=[pytest.mark.slow, pytest.mark.timeout(600)]),
        pytest.param(1000, marks=[pytest.mark.long, pytest.mark.timeout(3600)]),
    ],
)
def test_luck_agrees_with_the_enumeration_in_games_of_every_bundled_entry(n_games):
    run = load_run(BUNDLED_RUN, moves=True)
    lists = words.load()
    for _, rows in run[run["measure"] == "budget"].groupby("entry"):
        played, secrets = list(rows["moves"].head(n_games)), list(rows["secret"].head(n_games))
        assert agrees(lists, "anywhere", played, secrets, 1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 4.0, 15.0])
def test_the_luck_of_each_clue_has_mean_zero_given_the_clues_before(epsilon):
    """The secret and all noise are enumerated for two guesses, the second of which depends on the first clue."""
    keep, shown = keep_probability(epsilon, 3), ["".join(marks) for marks in product(".ic", repeat=3)]

    def chance(true, clue):
        return np.prod([keep if mark == other else (1 - keep) / 2 for mark, other in zip(true, clue, strict=True)])

    played, weights = [], []
    for secret, first, second in product(ANSWERS, shown, shown):
        guess = "cab" if first[0] == "c" else "bca"
        played.append([("aba", epsilon, first), (guess, epsilon, second), (secret, 0, "")])
        true = [CLUE_RULES["anywhere"](word, secret) for word in ("aba", guess)]
        weights.append(chance(true[0], first) * chance(true[1], second) / len(ANSWERS))
    luck = LuckMeter(LISTS, "anywhere").measure(played).luck.reshape(-1, 2)
    after_first = {}
    for moves, weight, terms in zip(played, weights, luck, strict=True):
        after_first[moves[0][2]] = after_first.get(moves[0][2], 0) + weight * terms[1]
    assert np.dot(weights, luck[:, 0]) == pytest.approx(0, abs=1e-12)
    assert list(after_first.values()) == pytest.approx([0] * len(after_first), abs=1e-12)


def test_a_clue_that_cannot_change_the_likeliest_word_brings_no_luck():
    only = words.of_words(("crane",), ("crane", "sloth"))
    luck = LuckMeter(only, "counted").measure([[("sloth", 5.0, "i.i.."), ("crane", 0, "")]])
    assert (luck.answer[0], luck.luck[0]) == (1.0, pytest.approx(0, abs=1e-15))


def test_the_sums_paid_do_not_mix_games_and_leave_out_guesses_without_clues():
    played = [[("aba", 1.5, "..."), ("abc", 2.0, "ccc"), ("abc", 0, "")], [], [("aba", 4.0, "..."), ("aba", 8.0, "")]]
    luck = LuckMeter(LISTS, "counted").measure(played)
    assert list(luck.paid) == [1.5, 3.5, 4.0]
    assert list(luck.starts) == [0, 2, 2, 3]
    assert list(luck.spent) == [3.5, 0.0, 12.0]
    assert list(luck.answer[1:]) == [0.0, 0.0]


def test_a_bet_on_a_guess_has_fair_odds_and_needs_the_secrets():
    played = [[("abc", 1.5, "..."), ("abd", 2.0, "ccc"), ("abc", 0, "")]] * 2
    meter = LuckMeter(LISTS, "counted")
    assert meter.measure(played, ["abc", "cab"]).bet == pytest.approx([5, 0, -1, 0])
    assert not meter.measure(played).bet.any()


@pytest.mark.slow
@pytest.mark.parametrize("length", [9])
def test_luck_of_long_words_agrees_with_the_posterior(length):
    rng = np.random.default_rng(3)
    answers = sorted({"".join(rng.choice(list("abcde"), length)) for _ in range(12)})
    lists = words.of_words(tuple(answers), tuple(answers))
    played = [[(answers[0], 30.0, "".join(rng.choice(list(".ic"), length))), (answers[1], 0, "")]]
    luck = LuckMeter(lists, "anywhere").measure(played)
    clue = played[0][0][2]
    n_same = [sum(map(str.__eq__, CLUE_RULES["anywhere"](answers[0], answer), clue)) for answer in answers]
    weights = np.exp(30.0 / length * np.array(n_same))
    assert luck.answer[0] == pytest.approx(weights[1] / weights.sum(), rel=1e-9)


def test_games_can_be_taken_and_concatenated():
    played = [[("aba", 1.5, "..."), ("abc", 2.0, "ccc"), ("abc", 0, "")], [("cab", 4.0, ".i."), ("bab", 0, "")]]
    both = LuckMeter(LISTS, "counted").measure(played)
    parts = [LuckMeter(LISTS, "counted").measure([game]) for game in played]
    for luck in (ClueLuck.concatenate(parts), ClueLuck.concatenate([both.take(np.array([i])) for i in (0, 1)])):
        assert list(luck.luck) == list(both.luck)
        assert list(luck.starts) == list(both.starts)
        assert list(luck.answer) == list(both.answer)
    assert list(both.take(np.array([1, 0])).paid) == [4.0, 1.5, 3.5]


def test_many_clues_that_contradict_each_other_leave_the_luck_of_the_last_ones():
    """Their likelihood is below the smallest number."""
    played = [[(guess, 30.0, "ccc") for guess in ANSWERS * 20], [("aba", 0, "")]]
    assert agrees(LISTS, "anywhere", played, ["aba"] * 2, 1e-9)


def test_the_kernel_and_its_plain_twin_measure_the_same_to_the_bit(monkeypatch):
    """Games begin alike, as they do where an entry has a first guess; some share more moves than are remembered."""
    rng, clues = np.random.default_rng(7), ["".join(marks) for marks in product(".ic", repeat=3)]
    drawn = [(str(rng.choice(LISTS.guesses)), float(rng.choice([1.0, 4.0])), str(rng.choice(clues))) for _ in range(60)]
    played = []
    for _ in range(80):
        n_shared, n_own = int(rng.integers(0, 12)), int(rng.integers(0, 4))
        own = [drawn[number] for number in rng.integers(0, 60, n_own)]
        played.append([*drawn[:n_shared], *own, (str(rng.choice(ANSWERS)), 0, "")])
    played[0] = [(guess, 30.0, "ccc") for guess in ANSWERS * 20]  # products of weights are below the smallest number
    secrets = [str(secret) for secret in rng.choice(ANSWERS, 80)]
    monkeypatch.setattr("wordpl.stats.clue_luck.is_loaded", lambda kernel: False)
    found = []
    for most in (10**9, 0):
        monkeypatch.setattr("wordpl.stats.clue_luck.MAX_PLAIN_CLUES", most)
        found.append(LuckMeter(LISTS, "anywhere").measure(played, secrets))
    plain, compiled = found
    assert np.isfinite(plain.luck).all()
    for name in ("answer", "spent", "starts", "luck", "bet", "paid"):
        assert np.array_equal(getattr(plain, name), getattr(compiled, name)), name
