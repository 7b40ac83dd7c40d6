"""The luck of the clues in games that a right guess ends, and what is credited without it."""

from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from examples.fibble import Fibble
from wordpl import Contest, RunConfig, games
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES, decode, encode
from wordpl.core.moves import ClassicMove
from wordpl.games import Wordle
from wordpl.run.frame import Moves
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.guess_luck import BoundedLuck, GuessMeter
from wordpl.stats.set_values import (
    N_PROBES,
    N_ROUNDS,
    WEIGHTS,
    fill_shares,
    plain_shares,
    posterior_shares,
    probes,
    split,
)

ANSWERS = ("aba", "abc", "bab", "bca", "cab", "cca", "acb", "bba", "ccb", "aac", "cbc", "bcc")
LISTS = words.of_words(ANSWERS, (*ANSWERS, "abd", "ddd"))
WORDLE = games.make_game("wordle/1", LISTS)


class OwnSets(Wordle):
    """Wordle that says itself which answers are possible, as the game of a host may."""

    facts = games.make_game("wordle/1", LISTS).facts

    def still_possible(self, moves):
        return np.array([all(self.clue(move.guess, word) == move.clues for move in moves) for word in ANSWERS])


def worth(left, guesses_left, is_right):
    """Return the chance to find the secret among these words with some guesses left, by the rules of `set_values`."""
    if is_right or not guesses_left:
        return float(is_right)
    n = len(left)
    tried = left if n <= N_PROBES else [left[number * n // N_PROBES] for number in range(N_PROBES)]
    m = max(len({_clue(word, other) for other in left}) for word in tried)
    best = 1 / n
    for weights in WEIGHTS[: min(guesses_left, N_ROUNDS) - 1]:
        values = (1, np.log2(n), np.log2(n / m), m / n, 1 / n)
        fitted = 1.0 if m == n else sum(weight * value for weight, value in zip(weights, values, strict=True))
        best = max(best, min(1.0, max(0.0, fitted)))
    return best


@cache
def _clue(guess, secret, rule="counted"):
    return CLUE_RULES[rule](guess, secret)


def luck_of_game(answers, moves, n_rounds, known=None):
    """Return the luck of each clue for each number of guesses, by enumeration of all clues of each guess.

    Args:
        answers: The words that can be the secret.
        moves: The guesses with their clues.
        n_rounds: The number of guesses of a game.
        known: What is remembered of games of these answers that began alike.
    """
    left, found, known = list(answers), [], {} if known is None else known
    for number, (guess, clues) in enumerate(moves, 1):
        key = (*map(tuple, moves[: number - 1]), guess)
        if key in known:
            parts, values, means = known[key]
            found.append(np.array(values[clues]) - means)
            left = parts[clues]
            continue
        parts = {}
        for word in left:
            parts.setdefault(_clue(guess, word), []).append(word)
        values = {
            shown: [worth(tuple(part), k - number, set(shown) == {"c"}) if k >= number else 0.0
                    for k in range(1, n_rounds + 1)]
            for shown, part in parts.items()
        }  # fmt: skip
        means = sum(np.array(values[shown]) * len(part) / len(left) for shown, part in parts.items())
        known[key] = parts, values, means
        found.append(np.array(values[clues]) - means)
        left = parts[clues]
    return found


def measured(game, played):
    """Return the luck of these games; a game whose last clue is right is won."""
    won = np.array([bool(moves) and set(moves[-1][-1]) == {"c"} for moves in played], bool)
    return GuessMeter(game).measure_moves(Moves.of_lists(played), won)


def flat(played):
    """Return the guesses, each once, and the guess and the clues of each move as numbers, and where games begin."""
    moves = [move for game in played for move in game]
    names = sorted({guess for guess, _ in moves})
    guesses = np.array([names.index(guess) for guess, _ in moves], np.int64)
    codes = np.array([encode(clues) for _, clues in moves], np.int64)
    return names, guesses, codes, np.cumsum([0, *map(len, played)])


def played_by(game, guesses, secret):
    moves = []
    for guess in guesses:
        moves.append([guess, game.clue(guess, secret)])
        if guess == secret:
            break
    return moves


drawn_games = st.lists(
    st.tuples(st.sampled_from(ANSWERS), st.lists(st.sampled_from(LISTS.guesses), max_size=6)), min_size=1, max_size=6
)


@settings(deadline=None)
@given(drawn_games)
@pytest.mark.parametrize("kind", ["plain", "kernel", "own sets"])
def test_luck_agrees_with_the_enumeration_of_all_clues(kind, drawn):
    game = OwnSets(LISTS) if kind == "own sets" else WORDLE
    played = [played_by(game, guesses, secret) for secret, guesses in drawn]
    names, *moves = flat(played)
    measure = GuessMeter(game).measure_with_kernels if kind == "kernel" else GuessMeter(game).measure_plainly
    found = measure(names, moves)
    expected = [luck for moves in played for luck in luck_of_game(ANSWERS, moves, 6)]
    assert np.allclose(found, np.array(expected).reshape(-1, 6), atol=1e-9)


@pytest.mark.slow
def test_the_kernel_and_its_twin_return_the_same_numbers_to_the_bit():
    rng, lists = np.random.default_rng(1), words.load()
    game, played = games.make_game("wordle/1", lists), []
    for _ in range(40):
        guesses = [str(word) for word in rng.choice(lists.answers, 4)]
        played.append(played_by(game, guesses, str(rng.choice(lists.answers))))
    names, *moves = flat(played)
    meter = GuessMeter(game)
    assert np.array_equal(meter.measure_with_kernels(names, moves), meter.measure_plainly(names, moves))


@pytest.mark.parametrize("game_type", [Wordle, pytest.param(Fibble, marks=pytest.mark.slow)])
def test_the_luck_of_every_clue_has_mean_zero_whatever_is_guessed(game_type):
    game, guess_at = game_type(LISTS), {0: "abc", 1: "cab", 2: "bba"}
    totals, weight = np.zeros(3), 0.0
    for secret in ANSWERS:
        for choice in product(range(6), repeat=2 if game_type is Fibble else 0):
            moves = []
            for number in range(3):
                guess = "cca" if number == 2 and moves[0][1][0] == "c" else guess_at[number]
                clues = game.clue(guess, secret)
                if guess != secret and game_type is Fibble:
                    codes, _ = game.channel.outcomes(encode(clues), None)
                    clues = decode(codes[choice[min(number, 1)]], 3) if number < 2 else clues
                moves.append([guess, clues])
                if guess == secret or (number == 1 and game_type is Fibble):
                    break
            won = np.array([moves[-1][0] == secret])
            luck = GuessMeter(game).measure_moves(Moves.of_lists([moves]), won)
            totals[: len(moves)] += luck.luck
            weight += 1
    assert np.abs(totals).max() < 1e-5 * weight


def test_clues_that_leave_no_answer_have_no_luck():
    assert measured(WORDLE, [[["abc", "..."], ["aba", "ccc"]]]) is None
    assert measured(WORDLE, [[["abc", ""], ["aba", "ccc"]]]) is None, "more happened before its last guess"
    assert measured(WORDLE, [[["abc", WORDLE.clue("abc", "bca")], ["aba", ""]]]) is not None


def test_a_right_guess_is_told_from_a_false_clue_that_looks_like_it():
    moves = Moves.of_lists([[["aba", "ccc"]]])
    right, wrong = (GuessMeter(Fibble(LISTS)).measure_moves(moves, np.array([won])).luck[0] for won in (True, False))
    assert wrong < 1 < right


class DearLoss(Wordle):
    """Wordle with two guesses, in which a lost game counts as 10."""

    facts = replace(Wordle.facts, limit=2, loss_cost=10.0, bins=2)


def test_the_last_guess_saves_what_a_loss_costs():
    luck = measured(DearLoss(LISTS), [played_by(WORDLE, ["abc", "cca"], "cca")])
    assert luck.within[0, 1] > 0.05
    assert luck.luck == pytest.approx(luck.within @ [1, 8], abs=1e-5)


def test_a_game_is_credited_without_the_luck_of_its_clues():
    """All games begin alike, and go on well by luck alone: without luck, they are nearly the same."""
    rng, lists = np.random.default_rng(3), words.load()
    game = games.make_game("wordle/1", lists)
    secrets = [str(word) for word in rng.choice(lists.answers, 400)]
    played = [played_by(game, ["salet", "crony", secret], secret) for secret in secrets]
    luck = measured(game, played)
    corrected = LuckCorrected(np.arange(400), luck)
    costs = luck.spent
    assert abs(corrected.cost(7.0).mean() - costs.mean()) < 0.2
    assert np.allclose(corrected.win, 1)


@pytest.mark.parametrize("are_different", [False, True])
def test_bounded_luck_has_mean_zero_given_the_games_before_and_keeps_its_bound(are_different):
    """The player knows which secrets were used, and guesses one of the others in the second game."""
    totals, most = [], 0.0
    for first, second in product(ANSWERS, ANSWERS):
        if are_different and first == second:
            continue
        luck = BoundedLuck(WORDLE, lambda guesses: 1 - (guesses - 1) / 6, are_different=are_different)
        for secret, guess in ((first, "abc"), (second, next(word for word in ANSWERS if word != first))):
            moves = [ClassicMove(*move) for move in played_by(WORDLE, [guess, "bab", "cca", "cab", "ccb"], secret)]
            found = luck.of(moves, secret, won=moves[-1].clues == "ccc")
            most = max(most, abs(found))
        totals.append((first, found))
    for secret in ANSWERS:
        assert abs(np.mean([found for first, found in totals if first == secret])) < 1e-9
    assert 0.05 < most <= BoundedLuck.MAX_TOTAL


@pytest.mark.long
@pytest.mark.timeout(600)
def test_luck_agrees_with_the_enumeration_in_games_of_every_bundled_entry(tmp_path: Path):
    entries = ("Tree", "TreeSearch", "Entropy", "LetterFrequency")
    config = RunConfig(game_id="wordle/1", n_games=1000, player="trusted", repeats=0, results=tmp_path)
    table = Contest(config, entries).play().to_frame(["entry", "moves"])
    lists = words.load()
    game = games.make_game("wordle/1", lists)
    for _, rows in table.groupby("entry", observed=True):
        played, known = list(rows["moves"]), {}
        expected = np.concatenate([luck_of_game(lists.answers, moves, 6, known) for moves in played])
        names, *moves = flat(played)
        assert np.abs(GuessMeter(game).measure_with_kernels(names, moves) - expected).max() < 1e-9


def test_many_games_are_measured_in_parts(monkeypatch):
    played = [played_by(WORDLE, ["abc", "cab", secret], secret) for secret in ANSWERS]
    whole = measured(WORDLE, played)
    monkeypatch.setattr("wordpl.stats.guess_luck.GAMES_AT_ONCE", 5)
    parts = measured(WORDLE, played)
    assert np.array_equal(parts.within, whole.within)
    assert parts.starts.tolist() == whole.starts.tolist()
    played.append([["abc", "..."], ["aba", "ccc"]])
    assert measured(WORDLE, played) is None, "the clues of a game in one of the parts rule all answers out"


class FewerAnswers(Wordle):
    """Wordle with a secret rule, by which only the first answers are possible."""

    facts = Wordle.facts

    def still_possible(self, moves):
        fits = [all(self.clue(move.guess, word) == move.clues for move in moves) for word in ANSWERS]
        return np.array(fits) & (np.arange(len(ANSWERS)) < 6)


def test_a_game_that_says_itself_which_answers_are_possible_is_asked(monkeypatch):
    names, *moves = flat([played_by(WORDLE, ["abc", "cab", "cca"], "cca")] * 2)
    meter = GuessMeter(FewerAnswers(LISTS))
    expected = meter.measure_plainly(names, moves)
    monkeypatch.setattr("wordpl.stats.guess_luck.MAX_PLAIN_CLUES", 0)
    assert np.array_equal(meter.measure(names, *moves), expected)


def test_the_luck_of_a_game_that_is_tested_after_each_is_bounded_and_has_mean_zero():
    """A game is worth something only if the first guess is right, which is luck alone."""
    found = []
    for secret in ANSWERS:
        luck = BoundedLuck(WORDLE, lambda guesses: (guesses <= 1).astype(float))
        moves = [ClassicMove(*move) for move in played_by(WORDLE, ["abc"], secret)]
        found.append(luck.of(moves, secret, won=secret == "abc"))
    assert max(found) == pytest.approx(BoundedLuck.MAX_TOTAL)
    assert sum(found) == pytest.approx(0)


def test_chances_of_a_set_never_fall_with_the_guesses_left_and_its_kernel_says_the_same():
    logs = np.log2(np.maximum(1, np.arange(2500)))
    for n in (1, 2, 3, 7, 40, 300, 2315):
        for m in {1, 2, n // 3, n - 1, n} - {0}:
            shares, own = plain_shares(n, m), np.empty(N_ROUNDS + 1)
            fill_shares(n, m, logs, WEIGHTS, own)
            assert own == pytest.approx(shares)
            assert (np.diff(shares) >= 0).all() and shares[0] == 0 and shares[-1] <= 1
    assert posterior_shares(np.array([5.0]), np.array([0.1]))[0, :4] == pytest.approx([0, 0.1, 0.28309, 0.63243])


def test_the_words_whose_clues_are_counted_are_spread_over_the_set():
    assert [list(probes(n)) for n in (1, 8, 16)] == [[0], [*range(8)], [*range(0, 16, 2)]]
    for n in (8, 9, 40):
        own = np.arange(n * n).reshape(n, n) % np.arange(1, n + 1)[:, None]  # word k gets k + 1 clues
        most, stamp = split.py_func(own, np.arange(n), np.zeros(n, int), 5)
        assert (most, stamp) == (probes(n)[-1] + 1, 5 + N_PROBES)
