"""Boards whose counted percentiles are close to the share of games won."""

import numpy as np
import pytest

from tests.helpers.frames import run_of
from wordpl import reports
from wordpl.reports.elements import Entry, EstimateCell, Table, Verdicts
from wordpl.reports.renderers import sentence
from wordpl.reports.results import RunResults
from wordpl.reports.sections import board as board_section
from wordpl.reports.sections import sections_of
from wordpl.reports.sections.legend import legend
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.estimates import LuckCorrected

N_GAMES = 1000


def board_of(entries, order=""):
    """Return the board of entries, given by name as (budget, games won, posterior of each answer)."""
    run = run_of({name: [budget] * won + [np.inf] * (N_GAMES - won) for name, (budget, won, _) in entries.items()})
    run = run.assign(posterior=np.repeat([chance for _, _, chance in entries.values()], N_GAMES))
    luck = {name: luck_of(budget, chance) for name, (budget, _, chance) in entries.items()}
    (board,) = reports.boards(run, np.random.default_rng(1), luck=luck, order=order)
    return board, run


def luck_of(budget, chance):
    """Return games with one clue each, without luck, and answers that are right with this probability."""
    answers = chance + np.where(np.arange(N_GAMES) % 2, 0.01, -0.01)
    clues = np.zeros((2, N_GAMES))
    luck = ClueLuck(answers, np.full(N_GAMES, budget), np.arange(N_GAMES + 1), *clues, np.full(N_GAMES, budget))
    return LuckCorrected(np.arange(N_GAMES), luck)


def verdict_on(score, entries):
    """Return the verdict on a score in words."""
    board, run = board_of(entries)
    parts = board_section.parts(RunResults([board], run))
    verdicts = next(part for part in parts if isinstance(part, Verdicts))
    return sentence(next(row for row in verdicts.rows if row.score == score))


def test_a_count_that_contradicts_the_estimate_leaves_the_percentile_undecided():
    entries = {"Unlucky()": (40.0, 490, 0.53), "Dear()": (60.0, 700, 0.7)}
    board, _ = board_of(entries)
    row = board.table.set_index("strategy").loc["Unlucky()"]
    assert (row["p50"], row["p50_estimate"], row["p50_low"]) == (np.inf, 40.0, 40.0)
    said = verdict_on("p50", entries)
    assert said.startswith("Unlucky at 40.0 or ∞, likely")
    cell = board.rows[0][board.main_score].cell
    assert (board.names[0], cell.text, cell.sort) == ("Unlucky()", "40.0 or ∞", 40.0)
    assert "50% undecided: 0.490 counted, 0.530 ±" in cell.interval


def test_an_estimate_that_includes_the_share_leaves_the_percentile_undecided():
    assert "50% undecided: 0.500 ±" in verdict_on("p50", {"Even()": (40.0, 505, 0.5), "Weak()": (30.0, 100, 0.1)})


def test_a_clear_percentile_has_a_winner_and_no_doubt():
    said = verdict_on("p50", {"Clear()": (40.0, 602, 0.6), "Dear()": (60.0, 700, 0.7)})
    assert said.startswith("Clear at 40.0") and "undecided" not in said


def test_a_leader_is_likely_or_open_unless_the_comparisons_rule_out_all_others():
    doubtful = verdict_on("p50", {"Unlucky()": (40.0, 490, 0.53), "Dear()": (60.0, 700, 0.7)})
    assert "likely, >99%" in doubtful and "sure" not in doubtful
    tied = verdict_on("p_win", {"One()": (40.0, 600, 0.6), "Two()": (40.0, 600, 0.6)})
    assert tied.startswith("open: ") and "likely" not in tied


def test_the_probability_of_winning_has_one_column_and_the_same_value_in_every_section():
    board, run = board_of({"One()": (40.0, 620, 0.6), "Two()": (60.0, 700, 0.7)})
    found = {}
    for part in (part for section in sections_of(RunResults([board], run)) for part in section.parts):
        if isinstance(part, Verdicts):
            for row in part.rows:
                if row.score == "p_win":
                    found.setdefault(row.leader.name, []).append(row.value.text)
        elif isinstance(part, Table):
            heads = [column.head.strip() for column in part.columns]
            assert heads.count("P(win)") <= 1, part.title
            for row in part.cells:
                for cell, head in zip(row, heads, strict=True):
                    if head in ("P(win)", "wins, any budget") and isinstance(cell, EstimateCell):
                        (name,) = (one.name for one in row if isinstance(one, Entry))
                        found.setdefault(name, []).append(cell.text)
    assert {name: set(values) for name, values in found.items()} == {"One()": {"60.0%"}, "Two()": {"70.0%"}}
    assert all(len(values) > 3 for values in found.values())


def test_nobody_is_the_best_where_no_entry_wins_often_enough():
    assert verdict_on("p95", {"A()": (40.0, 600, 0.6), "B()": (60.0, 700, 0.7)}) == "no entry wins 95% of games"


def test_exact_ties_share_their_place_in_the_order_of_the_run():
    for names in ("AB", "BA"):
        board, _ = board_of(dict.fromkeys(names, (40.0, 600, 0.6)))
        assert list(board.table["strategy"]) == list(names)
        assert set(board.table["place"]) == {1}
        assert set(board.table["p50_rank_high"]) == {2}


@pytest.mark.slow
def test_the_host_chooses_the_score_that_orders_the_board():
    entries = {"Cheap()": (20.0, 60, 0.06), "Middle()": (40.0, 600, 0.6), "Sure()": (80.0, 990, 0.99)}
    first = {order: board_of(entries, order)[0].table["strategy"].iloc[0] for order in ("", "p05", "p50", "p95")}
    assert first == {"": "Middle()", "p05": "Cheap()", "p50": "Middle()", "p95": "Sure()"}
    board, _ = board_of(entries, "p05")
    assert "Ordered by p05." in " ".join(legend([board]))
