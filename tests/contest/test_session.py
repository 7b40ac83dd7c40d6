"""A person's game: its moves, what its clues reveal, and the text that the person can share."""

from itertools import count

import pytest

from tests.helpers.paths import HOME
from wordpl import games
from wordpl.contest.referee import secret_of
from wordpl.contest.session import Session
from wordpl.core.clues import noisy
from wordpl.core.moves import Verdict
from wordpl.core.seeds import Draws, SingleKeyDraws
from wordpl.games import IllegalMoveError
from wordpl.kernels.posterior import Posterior


def session_of(lists, rules, *proposals, seed="seed", number=0):
    session = Session(games.make_game(rules, lists), seed, number, "jelly")
    for proposal in proposals:
        session.play(proposal)
    return session


def test_the_noise_of_each_round_follows_from_seed_and_game_number(lists):
    session = session_of(lists, "wordpl/1", ("eerie", 9.0), ("level", 3.0), number=4)
    for round_, move in enumerate(session.moves, 1):
        noise = Draws.of("seed").game(4).noise(round_, 5)
        assert move.clues == noisy(session.game.clue(move.guess, "jelly"), move.epsilon, noise)


def test_a_move_that_breaks_a_rule_leaves_the_game_as_it_was(lists):
    session = session_of(lists, "wordle-hard/1", "belly")
    assert session.allows("jelly")
    assert not session.allows("crane")
    assert not session.allows("nonsense")
    with pytest.raises(IllegalMoveError, match="letter 2 must be E"):
        session.play("crane")
    assert (len(session.moves), session.verdict) == (1, None)


@pytest.mark.parametrize(("seed", "number", "options"), [("7", 0, "--seed 7"), ("a b", 3, "--seed 'a b' --number 3")])
def test_a_game_is_repeated_by_the_options_for_its_seed_and_number(lists, seed, number, options):
    assert session_of(lists, "wordle/1", seed=seed, number=number).options_to_repeat == options


def test_only_a_noisy_game_has_prices_and_an_answer_has_no_clues(lists):
    noisy_session, classic_session = (
        session_of(lists, "wordpl/1", ("eerie", 9.0), ("jelly", 0)),
        session_of(lists, "wordle/1", "jelly"),
    )
    assert (noisy_session.has_epsilon, noisy_session.spent, len(noisy_session.moves_with_clues)) == (True, 9.0, 1)
    assert (classic_session.has_epsilon, classic_session.spent, len(classic_session.moves_with_clues)) == (
        False,
        0.0,
        1,
    )


@pytest.mark.parametrize(
    ("rules", "proposals", "title", "n_rows"),
    [
        ("wordpl/1", [("eerie", 9.0), ("level", 7.5), ("jelly", 0)], "wordpl wordpl/1 budget 16.5, 2 guesses", 2),
        ("wordpl/1", [("eerie", 9.0), ("jelly", 0)], "wordpl wordpl/1 budget 9, 1 guess", 1),
        ("wordpl/1", [("eerie", 9.0), ("level", 7.5), ("crane", 0)], "wordpl wordpl/1 X, 2 guesses", 2),
        ("wordle/1", ["crane", "jelly"], "wordpl wordle/1 2/6", 2),
        ("wordle/1", ["crane"] * 6, "wordpl wordle/1 X/6", 6),
        ("wordle-hard/1", ["belly", "jelly"], "wordpl wordle-hard/1 2/6*", 2),
        ("absurdle/1", ["crane", "jelly"], "wordpl absurdle/1 X", 2),
    ],
)
def test_a_shared_game_says_how_it_ended_and_shows_no_letter(lists, rules, proposals, title, n_rows):
    first_line, empty_line, *rows = session_of(lists, rules, *proposals).share_text().split("\n")
    assert (first_line, empty_line, len(rows)) == (title, "", n_rows)
    prices = [f" ε{epsilon:g}" for _, epsilon in proposals if epsilon] if rules == "wordpl/1" else [""] * n_rows
    assert [row[5:] for row in rows] == prices
    assert all(set(row[:5]) <= {"🟩", "🟨", "⬛"} for row in rows)


def test_a_daily_puzzle_is_shared_with_its_day_and_other_squares(lists):
    session = session_of(lists, "wordle/1", "belly", "jelly")
    text = session.share_text("2026-11-22", {"c": "C", "i": "I", ".": "_"})
    assert text == "wordpl wordle/1 2026-11-22 2/6\n\n_CCCC\nCCCCC"


def test_each_letter_has_its_most_informative_mark(lists):
    session = session_of(lists, "wordle/1", "level", "belly", "crane")
    marks = session.best_marks()
    assert marks == {"l": "c", "e": "c", "v": ".", "b": ".", "y": "c", "c": ".", "r": ".", "a": ".", "n": "."}


def test_candidates_are_the_answers_that_give_all_the_clues(lists):
    session = session_of(lists, "wordle/1", "crane", "belly")
    candidates = session.candidates()
    clue = session.game.clue
    assert "jelly" in candidates
    assert candidates == [
        word for word in lists.answers if all(clue(move.guess, word) == move.clues for move in session.moves)
    ]


def test_chances_of_words_and_letters_follow_from_all_clues(lists):
    session = session_of(lists, "wordpl-counted/1", ("eerie", 9.0), ("level", 7.5))
    posterior = Posterior.uniform(lists, "counted")
    for move in session.moves:
        posterior.update(*move.arguments)
    assert session.posterior().probabilities == pytest.approx(posterior.probabilities)
    chances = session.letter_chances()
    for letter in "aelz":
        has_letter = [letter in word for word in posterior.words]
        assert chances[letter] == pytest.approx(posterior.probabilities[has_letter].sum())


def test_the_chance_of_each_mark_to_be_true_follows_from_all_clues(lists):
    session = session_of(lists, "wordpl/1", ("eerie", 9.0), ("level", 0.5))
    posterior, rows = session.posterior(), session.mark_chances()
    for move, row in zip(session.moves, rows, strict=True):
        shown = [session.game.clue(move.guess, word) for word in posterior.words]
        for place, chance in enumerate(row):
            same = [clues[place] == move.clues[place] for clues in shown]
            assert chance == pytest.approx(posterior.probabilities[same].sum(), abs=1e-4)
            assert chance == round(chance, 4)
    assert sum(chance < 0.9 for row in rows for chance in row) > 2


def test_a_game_whose_clues_lie_is_over_when_its_secret_is_guessed(lists):
    """Although the clues of that guess do not lie, which those of others do."""
    session = session_of(lists, games.named(f"{HOME / 'examples' / 'fibble.py'}:Fibble"), "crane")
    n_left = len(session.candidates())
    assert 1 < n_left == (session.posterior().probabilities > 0).sum()
    session.play("jelly")
    assert (session.verdict, session.candidates()) == (Verdict.WON, ["jelly"])
    assert (session.posterior().probabilities > 0).sum() == n_left


def test_a_game_that_was_begun_with_release_1_keeps_its_noise(lists):
    game, old, new = games.make_game("wordpl/1", lists), SingleKeyDraws.of("seed"), Draws.of("seed")
    for draws in (old, new):
        secret = secret_of(game, 3, draws)
        session = Session.stored(game, "seed", 3, secret, verdict=Verdict.WRONG)
        assert session.verdict == Verdict.WRONG
        session.play(("eerie", 3.0))
        assert session.moves[0].clues == noisy(game.clue("eerie", secret), 3.0, draws.game(3).noise(1, 5))
    number = next(n for n in count() if secret_of(game, n, old) == secret_of(game, n, new))
    assert Session.stored(game, "seed", number, secret_of(game, number, new)).scheme is Draws
