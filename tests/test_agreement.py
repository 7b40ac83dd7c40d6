"""What others published about these games, and what this project gives: the rows of docs/data/published.csv."""

import csv
from collections import Counter
from math import log2

import numpy as np
import pytest

from benchmarks import agreement
from tests.helpers.apps import needed
from tests.helpers.paths import HOME
from tests.helpers.simulated_league import results
from wordpl import games
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES
from wordpl.solvers import trees
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.search.search import ClassicSearch
from wordpl.stats.rankings import RANKINGS
from wordpl.stats.rankings.mean import shrink

ROWS = {row["id"]: row for row in agreement.rows()}


def read(name):
    with (HOME / "docs" / "data" / name).open() as file:
        return list(csv.DictReader(file))


def groups_of_trace():
    return len({CLUE_RULES["anywhere"]("trace", answer) for answer in words.load().answers})


def mean_of(games_played):
    found = np.array(games_played)
    return shrink(found.mean(), found.var(ddof=1), len(found), 0.1, 4.0)


def first_elo_step():
    table = RANKINGS["elo"](results({"a": 3, "b": 5}), draws=0, x_is_seven=False).set_index("player")
    return table["rating"]["a"]


def example_points():
    guesses = ["state", "steak", "meats", "beast", "feast", "least"]
    scoring = needed("tournament.scoring")
    return sum(scoring.micro_points(guesses, "yeast", scoring.load_rules().micro_points))


MEASURES = {
    "trace-solves": lambda: 100 * groups_of_trace() / len(words.load().answers),
    "weekend-bits": lambda: log2(len(words.bundled("modern"))),
    "weekend-past": lambda: len(words.bundled("undated-answers")),
    "salet-normal": lambda: trees.load(HOME / "strategies" / "tree" / "tree-salet.json")[0].total,
    "salet-hard": lambda: trees.load(HOME / "strategies" / "tree" / "tree-salet-hard.json")[0].total,
    "league-shrinkage": lambda: mean_of([3, 4, 4]),
    "league-elo": first_elo_step,
    "rules-micro": example_points,
}
"""Figures that are computed here at once, by the rows that they are about."""


@pytest.mark.parametrize("name", MEASURES)
def test_a_published_figure_is_what_is_computed_here(name):
    row = ROWS[name]
    digits = len(row["here"].partition(".")[2])
    assert f"{MEASURES[name]():.{digits}f}" == row["here"].replace(",", "")
    same = float(row["published"].replace(",", "")) == float(row["here"].replace(",", ""))
    assert same is not bool(row["why"]), "a figure that differs says why"


def test_the_pages_show_the_rows():
    assert agreement.page() == (HOME / "docs" / "agreement.md").read_text()
    assert agreement.records() == (HOME / "docs" / "records.md").read_text()
    assert len(ROWS) >= 25
    assert all(row["how"] and row["date"] for row in ROWS.values())


def test_no_searched_total_differs_from_the_published_one():
    found = Counter()
    for row in read("published-totals.csv"):
        outcome = "stopped" if row["here"] == "stopped" else row["published"] == row["here"]
        found[row["list"], row["mode"], row["published"] == "none", outcome] += 1
    assert not any(outcome is False for *_, outcome in found), found
    assert found["nyt20230701", "hard", True, True] >= 50
    assert sum(n for (*_, outcome), n in found.items() if outcome is True) >= 300


def test_both_harnesses_gave_the_same_figures_for_the_original_entries():
    rows = read("original.csv")
    assert rows
    assert len(rows) % 2 == 0
    for there, here in zip(rows[::2], rows[1::2], strict=True):
        entry = there["entry"]
        assert (entry, there["harness"], here["harness"]) == (here["entry"], "original", "wordpl")
        for name in ("wins", "without_luck", "mean_budget"):
            error = (float(there[f"{name}_error"]) ** 2 + float(here[f"{name}_error"]) ** 2) ** 0.5
            assert abs(float(there[name]) - float(here[name])) <= 3 * error + 1e-4, (entry, name)
        for name in ("p05", "p50", "p95"):
            lows, highs = ([float(row[f"{name}_{end}"]) for row in (there, here)] for end in ("low", "high"))
            assert max(lows) <= min(highs), (entry, name)
        shares = [dict(share.split(":") for share in row["guesses"].split()) for row in (there, here)]
        for n in {*shares[0], *shares[1]}:
            one, two = (float(found.get(n, 0)) for found in shares)
            n_games = [int(there["games"]), int(here["games"])]
            pooled = (one * n_games[0] + two * n_games[1] + 1) / (sum(n_games) + 2)
            error = (pooled * (1 - pooled) * (1 / n_games[0] + 1 / n_games[1])) ** 0.5
            assert abs(one - two) <= 3 * error + 1e-4, (entry, n)


def test_the_figures_of_original_entries_are_those_of_their_games():
    games_of = {(row["entry"], row["harness"]): row for row in read("original.csv")}
    named = {
        "d95-12": "D95(epsilon=12.3)",
        "d95-25": "D95(epsilon=25.0)",
        "nguess": "NGuess(epsilon=7.8, G=3)",
        "nguess-34": "NGuess(epsilon=34, G=4)",
    }
    for row, entry in named.items():
        here, there = (agreement.with_error(games_of[entry, name], "without_luck") for name in ("wordpl", "original"))
        assert ROWS[row]["here"] == f"wins {here}; its harness {there}"


def test_the_rule_of_kinkelins_competition_is_a_game_of_one_file():
    facts = games.bind(str(HOME / "examples" / "every_letter.py:EveryLetter"))
    game = games.make_game(facts.id, words.load())
    games.unbind(facts.id)
    assert game.clue("steer", "tiger") == ".iicc", "as in the documentation of its entries"
    assert game.clue("eerie", "crane") == "iii.c", "Wordle marks one of three, as the secret has one"
    assert (game.facts.limit, game.facts.loss_cost) == (6, 10.0)


@pytest.mark.slow
@pytest.mark.parametrize("opener", ["trace", "slate", "leant", "carle"])
def test_openers_without_a_hard_tree_for_3158_answers_are_refuted(opener):
    lists = words.of_words(words.bundled("answers-2023"), words.bundled("modern"))
    search = ClassicSearch(Problem(lists, limit=6, is_hard=True).position())
    assert search.rate(lists.guesses.index(opener)).bound == INFEASIBLE
