"""A board is rows of typed standings: every output, order and leader is one of them."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

from tests.helpers.frames import losing, run_of
from wordpl import reports
from wordpl.reports.elements import Entry, EstimateCell, ScaledTable, Verdicts
from wordpl.reports.results import RunResults
from wordpl.reports.sections import board as board_section
from wordpl.reports.sections import sections_of
from wordpl.reports.standings import MAX_SURE

NAMES = ("Weak()", "Good()", "Same()")


@pytest.fixture(scope="module", params=["budget", "guesses"])
def results(request):
    rng = np.random.default_rng(7)
    if request.param == "budget":
        costs = {name: losing(rng.gamma(3, 20, 200) + 9 * place, 0.1, rng) for place, name in enumerate(NAMES)}
    else:
        costs = {name: losing(rng.integers(2, 7, 200).astype(float), 0.1, rng) for name in NAMES}
    run = run_of(costs | {"Same()": costs["Good()"]}, request.param)
    return RunResults(reports.boards(run, np.random.default_rng(1)), run)


def test_a_cell_of_every_table_is_that_of_the_standing(results):
    (board,) = results.boards
    standings = {row.name: {score.head: row[score] for score in board.scores} for row in board.rows}
    n_cells = 0
    for part in (part for section in sections_of(results) for part in section.parts):
        if isinstance(part, Verdicts):
            for row in part.rows:
                assert repr(row.value) == repr(standings[row.leader.name][row.head].cell)  # they may have NaN
                assert row.sure == standings[row.leader.name][row.head].sure
        elif isinstance(part, ScaledTable):
            for row in part.cells:
                (name,) = (cell.name for cell in row if isinstance(cell, Entry))
                for column, cell in zip(part.columns, row, strict=True):
                    if isinstance(cell, EstimateCell) and column.head in standings[name]:
                        assert repr(cell) == repr(replace(standings[name][column.head].cell, ranks=None))
                        n_cells += 1
    assert n_cells == len(NAMES) * len(board.ranked_scores)
    for row, cells in zip(board.rows, board_section.table(board).cells, strict=True):
        shown = [cell for cell in cells if isinstance(cell, EstimateCell)]
        assert repr(shown[: len(board.ranked_scores)]) == repr([row[score].cell for score in board.ranked_scores])


def test_the_flat_table_has_the_values_of_the_standings(results):
    (board,) = results.boards
    rows = board.table.to_dict("records")
    assert [row["strategy"] for row in rows] == board.names
    for row, flat in zip(board.rows, rows, strict=True):
        assert flat["n_games"] == row.n_games == sum(row.verdicts.values())
        for score in board.scores:
            one, name = row[score], score.name
            assert (flat[name], flat[f"{name}_low"], flat[f"{name}_high"]) == (
                one.value, one.estimate.low, one.estimate.high
            )  # fmt: skip
            assert bool(flat[f"{name}_mark"]) == one.may_be_best
            assert (f"{name}_rank_low" in flat) == (one.places is not None) == (score.lower_is_better is not None)
            if one.places:
                assert (flat[f"{name}_rank_low"], flat[f"{name}_rank_high"]) == one.places
                assert flat[f"{name}_p_best"] == one.p_best


def test_ranks_order_and_leader_of_a_score_agree(results):
    (board,) = results.boards
    for score in board.ranked_scores:
        ranked = [row[score] for row in board.ranked(score)]
        assert [one.places[0] for one in ranked] == sorted(one.places[0] for one in ranked)
        assert ranked[0].places[0] == 1
        assert all(one.places[0] == 1 for one in ranked if one.may_be_best)
        chances = [one.p_best for one in ranked if one.places[0] == 1 and not np.isinf(one.value)]
        assert chances == sorted(chances, reverse=True)
        assert all(one.sure <= MAX_SURE for one in ranked)
        assert {one.ranks.n for one in ranked} == {len(NAMES)}


def test_exact_entries_have_no_interval_and_if_all_are_exact_certain_ranks(results):
    games = results.games
    for exact in (NAMES[:1], NAMES):
        (board,) = reports.boards(games, np.random.default_rng(1), exact=[*exact, "Absent()"])
        assert board.exact == set(exact)
        for row in board.rows:
            for score in board.scores:
                assert isnan(row[score].estimate.low) == (row.name in exact)
                assert row[score].cell.exact == (row.name in exact)
    for score in board.ranked_scores:
        values = [row[score].value if score.lower_is_better else -row[score].value for row in board.rows]
        for row, own in zip(board.rows, values, strict=True):
            n_better, n_not_worse = sum(other < own for other in values), sum(other <= own for other in values)
            assert row[score].places == (n_better + 1, n_not_worse)
            assert row[score].p_best == (own == min(values)) / values.count(min(values))
            assert row[score].sure == row[score].p_best


def test_an_entry_alone_has_standings_without_ranks():
    (board,) = reports.boards(run_of({"One()": [20.0, np.inf, 30.0]}), np.random.default_rng(1))
    assert board.ranked_scores == []
    assert board.rows[0][board.main_score].places == (1, 1)
    assert board.rows[0][board.main_score].cell.ranks is None
