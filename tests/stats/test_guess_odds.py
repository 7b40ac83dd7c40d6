"""The odds of guesses, and bets at them, in games in which a right guess ends the game."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from examples.fibble import Fibble
from wordpl import games
from wordpl.core import words
from wordpl.core.moves import ClassicMove
from wordpl.kernels.posterior import Posterior
from wordpl.run.frame import Moves
from wordpl.stats.findings import log_evidence
from wordpl.stats.guess_odds import guess_odds

ANSWERS = ("aba", "abc", "bab", "bca", "cab", "cca")
LISTS = words.of_words(ANSWERS, (*ANSWERS, "abd", "ddd"))
WORDLE, FIBBLE = games.make_game("wordle/1", LISTS), Fibble(LISTS)


def odds_of(game, played, secrets, **options):
    return guess_odds(game, Moves.of_lists(played), secrets, np.arange(len(played)), **options)


def played_by(game, guesses, secret, shown=lambda clues: clues):
    """Return the moves of these guesses up to the right one."""
    moves = []
    for guess in guesses:
        clues = game.clue(guess, secret)
        moves.append([guess, clues if guess == secret else shown(clues)])
        if guess == secret:
            break
    return moves


@given(st.lists(st.tuples(st.sampled_from(ANSWERS), st.lists(st.sampled_from(LISTS.guesses), max_size=5)), max_size=6))
def test_odds_are_the_share_of_the_words_that_the_game_says_are_possible(drawn):
    played = [played_by(WORDLE, guesses, secret) for secret, guesses in drawn]
    odds = odds_of(WORDLE, played, [secret for secret, _ in drawn])
    expected = []
    for (secret, _), moves in zip(drawn, played, strict=True):
        for number, (guess, _) in enumerate(moves):
            left = WORDLE.possible_answers([ClassicMove(*move) for move in moves[:number]])
            expected.append(((guess in left) / len(left), guess == secret))
    assert np.allclose(odds.chance, [chance for chance, _ in expected], atol=1e-12)
    assert odds.is_right.tolist() == [is_right for _, is_right in expected]


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ANSWERS), st.lists(st.sampled_from(LISTS.guesses), max_size=5)), max_size=5),
       st.integers(0, 2))  # fmt: skip
def test_odds_are_the_posterior_where_clues_may_be_false(drawn, place):
    def shown(clues):
        return clues[:place] + {".": "i", "i": "c", "c": "."}[clues[place]] + clues[place + 1 :]

    played = [played_by(FIBBLE, guesses, secret, shown) for secret, guesses in drawn]
    odds, chances = odds_of(FIBBLE, played, [secret for secret, _ in drawn]), []
    for moves in played:
        posterior = Posterior.of(FIBBLE)
        for guess, clues in moves:
            chances.append(posterior.probabilities[ANSWERS.index(guess)] if guess in ANSWERS else 0.0)
            if clues != "ccc" or guess not in ANSWERS:
                posterior.update(guess, clues)
    assert np.allclose(odds.chance, chances, atol=1e-12)


@pytest.mark.parametrize("clues", ["ccc", ""])
def test_there_are_no_odds_where_clues_rule_the_secret_out_or_are_missing(clues):
    assert odds_of(WORDLE, [[["aba", clues], ["abc", "ccc"]]], ["abc"]) is None


def guesses_of(secret, known, game):
    """Return the game of a player that remembers earlier games: a word that was a secret is its last choice."""
    moves = []
    while not moves or moves[-1][0] != secret:
        left = WORDLE.possible_answers([ClassicMove(*move) for move in moves])
        fresh = [word for word in left if word not in known] or left
        guess = fresh[(game + len(known)) % len(fresh)]
        moves.append([guess, WORDLE.clue(guess, secret)])
    return moves


@pytest.mark.parametrize("are_different", [False, True])
def test_bets_at_the_odds_are_fair_to_a_player_that_remembers_all_earlier_games(are_different):
    """All sequences of three secrets are enumerated."""
    capital = []
    for secrets in permutations(ANSWERS, 3) if are_different else product(ANSWERS, repeat=3):
        played = [guesses_of(secret, secrets[:game], game) for game, secret in enumerate(secrets)]
        capital.append(np.exp(log_evidence(odds_of(WORDLE, played, secrets, are_different=are_different))))
    assert np.mean(capital) == pytest.approx(1, abs=1e-9)
    assert np.ptp(capital) > 0.1
