from collections import Counter

import numpy as np

from strategies.letter_frequency import LetterFrequency
from wordpl import games
from wordpl.core.moves import ClassicMove
from wordpl.core.words import bundled, letters
from wordpl.solvers.frequency import letter_counts, ranked, scores

FAILED = 7


def n_guesses(strategy, secret, lists):
    """Return the number of guesses of the strategy for the secret, FAILED if it does not find it."""
    game, moves = games.make_game("wordle/1", lists), []
    guess = strategy.first_move()
    while True:
        reply = game.reply(secret, moves, ClassicMove(guess, ""), lambda: ())
        if reply.verdict:
            return len(moves) + 1 if reply.verdict == "won" else FAILED
        moves.append(ClassicMove(guess, reply.clues))
        guess = strategy.next_move(guess, reply.clues)


def test_letter_counts_and_scores_agree_with_those_of_the_author(lists):
    counts = letter_counts(letters(lists.answers))
    assert [counts[ord(letter) - ord("a")] for letter in "ear"] == [1233, 979, 899]
    assert scores(letters(["eerie", "later"]), counts).tolist() == [5269, 4559]


def test_words_with_repeated_letters_come_last_and_ties_follow_the_given_order():
    words = ["eerie", "alter", "later", "fuzzy", "jumpy"]
    ranking = ranked(letters(words), [0, 2, 1, 3, 4])
    assert [words[i] for i in ranking] == ["later", "alter", "jumpy", "eerie", "fuzzy"]


def test_the_bot_reproduces_the_results_of_its_author(lists):
    bot, puzzles = LetterFrequency(), bundled("puzzle-order")
    bot.rules = "wordle/1"
    assert bot.first_move() == "later"
    results = {number: n_guesses(bot, puzzles[number], lists) for number in range(1, 221)}
    assert Counter(results.values()) == {2: 11, 3: 75, 4: 90, 5: 34, 6: 8, FAILED: 2}
    assert [puzzles[number] for number in results if results[number] == FAILED] == ["hatch", "jaunt"]
    assert [number for number in results if results[number] == FAILED] == [113, 123]


def test_letters_of_an_empty_list_can_be_counted():
    assert letter_counts(np.zeros((0, 5), np.uint8)).sum() == 0
