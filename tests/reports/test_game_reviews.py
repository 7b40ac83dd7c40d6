"""Which games a page reviews, and how reviews are put into words."""

import numpy as np
import pytest

from tests.helpers.page_models import model, noisy_run
from wordpl import games
from wordpl.core.words import WordLists
from wordpl.reports.game_reviews import (
    amount_text,
    as_json,
    headline,
    review_lines,
    review_of,
    review_table,
    reviews_of,
    signed_text,
    value_text,
)  # fmt: skip
from wordpl.stats.game_review import GameReview, Reviewer

FEW = WordLists(("abide", "crane", "crate", "trace", "moist"), ("abide", "crane", "crate", "trace", "moist", "zebra"))


@pytest.mark.long
def test_the_worst_games_of_an_entry_are_those_with_its_costliest_moves() -> None:
    results = model(noisy_run(np.random.default_rng(1), n_games=8))
    board = next(board for board in results.boards if board.rules == "wordpl/1")
    names = board.names[:2]
    found = reviews_of(results, board, set(names), 6)
    reviewer = Reviewer(games.make_game(board.game, results.lists))
    for name in names:
        rows = results.rows_of(board)
        rows = rows[rows["entry"] == name].sort_values("game")
        prices = {}
        for number, verdict in zip(rows["game"], rows["verdict"], strict=True):
            moves = results.moves[name].game(int(np.searchsorted(results.moves[name].games, number)))
            prices[int(number)] = max(move.price for move in reviewer.review(moves, "", won=verdict == "won").moves)
        worst = [one.game for one in found.worst[name]]
        assert worst == sorted(prices, key=lambda number: (-round(prices[number], 4), number))[: len(worst)]
        assert {one.game for one in found.worst[names[0]]} <= set(found.of(names[1]))  # for the curve beside it


def test_no_number_of_a_review_looks_certain_or_free_if_it_is_not() -> None:
    chance = GameReview("chance", "", False, 0.5, [], "")
    guesses = GameReview("guesses", "", False, 3.6, [], "")
    assert [value_text(chance, value) for value in (0, 0.001, 0.544, 0.998, 1)] == ["0%", "<1%", "54%", ">99%", "100%"]
    assert [amount_text(chance, value) for value in (0.006, 0.38)] == ["0.6 points", "38 points"]
    assert [signed_text(chance, value) for value in (0.051, -0.38, 0.0)] == ["+5.1 points", "−38 points", "none"]
    assert [signed_text(guesses, value) for value in (0.27, -0.2)] == ["0.27 guesses saved", "0.20 guesses lost"]


@pytest.mark.parametrize("rules", ["wordpl/1", "wordle/1"])
def test_every_renderer_names_the_same_costliest_move(rules: str) -> None:
    game = games.make_game(rules, FEW)
    rest = (4.0,) if rules == "wordpl/1" else ()
    clues = game.clue("zebra", "crane")
    moves = [game.check(("zebra", *rest) if rest else "zebra").with_clues(clues) for _ in range(2)]
    review = review_of(game, moves, "crane", None)
    assert review is not None
    assert review.dearest is not None
    name = review.moves[review.dearest].guess
    assert name.upper() in headline(review)
    assert as_json(review)["dearest"] == review.dearest
    assert [row[0] for row in review_table(review, "").rows].index(f"*{name}") == review.dearest
    assert max(map(len, review_lines(review)[1:-2])) <= 40


def test_a_game_whose_clues_break_the_rules_is_not_reviewed() -> None:
    game = games.make_game("wordle/1", FEW)
    assert review_of(game, [game.check("zebra").with_clues("ccccc")], "crane", None) is None
