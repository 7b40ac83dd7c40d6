"""What a person can see of a game's clues."""

import pytest

from wordpl import games
from wordpl.contest import knowledge
from wordpl.contest.session import Session
from wordpl.core.posterior import Posterior


def session_of(lists, rules, *proposals):
    session = Session(games.make_game(rules, lists), "seed", 0, "jelly")
    for proposal in proposals:
        session.play(proposal)
    return session


def test_each_letter_has_the_mark_that_tells_most_of_it(lists):
    session = session_of(lists, "wordle/1", "level", "belly", "crane")
    marks = knowledge.best_marks(session)
    assert marks == {"l": "c", "e": "c", "v": ".", "b": ".", "y": "c", "c": ".", "r": ".", "a": ".", "n": "."}


def test_candidates_are_the_answers_that_give_all_the_clues(lists):
    session = session_of(lists, "wordle/1", "crane", "belly")
    left = knowledge.candidates(session)
    clue = session.game.clue
    assert "jelly" in left
    assert left == [word for word in lists.answers if all(clue(m.guess, word) == m.clues for m in session.moves)]


def test_chances_of_words_and_letters_follow_from_all_clues(lists):
    session = session_of(lists, "wordpl-counted/1", ("eerie", 9.0), ("level", 7.5))
    posterior = Posterior.uniform(lists, "counted")
    for move in session.moves:
        posterior.update(*move.arguments)
    assert knowledge.posterior_of(session).probabilities == pytest.approx(posterior.probabilities)
    chances = knowledge.letter_chances(session)
    for letter in "aelz":
        held = [letter in word for word in posterior.words]
        assert chances[letter] == pytest.approx(posterior.probabilities[held].sum())
