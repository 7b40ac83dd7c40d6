"""Card, board, Markdown and JSON name the same leader with the same number, on any board."""

import numpy as np
import pytest

from tests.helpers.frames import run_of
from wordpl.reports import as_json, boards
from wordpl.reports.elements import Verdicts
from wordpl.reports.renderers import markdown_part, sentence
from wordpl.reports.results import RunResults
from wordpl.reports.sections import board as board_section
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.estimates import LuckCorrected

KINDS = ("near ties", "at the level", "equal", "one entry", "all lost", "anything")


def random_board(rng, kind):
    """Return a board of entries with fixed budgets, of the noisy game or of Wordle, and its run."""
    k, n = 1 if kind == "one entry" else int(rng.integers(2, 7)), int(rng.choice([30, 150, 400]))
    is_noisy = rng.random() < 0.7
    if kind == "at the level":
        chances = rng.choice([0.05, 0.5, 0.95]) + rng.normal(0, 0.01, k)
    elif kind == "equal":
        chances = np.full(k, rng.random())
    elif kind == "near ties":
        chances = rng.random() + rng.normal(0, 0.02, k)
    else:
        chances = np.zeros(k) if kind == "all lost" else rng.random(k)
    chances = np.clip(chances, 0, 1)
    won = rng.random((k, n)) < chances[:, None]
    budgets = rng.choice([20.0, 30.0, 40.0, 40.5], k)
    spent = np.repeat(budgets[:, None], n, axis=1) if is_noisy else rng.integers(2, 7, (k, n)).astype(float)
    costs = {f"Entry{i}()": np.where(won[i], spent[i], np.inf) for i in range(k)}
    run = run_of(costs) if is_noisy else run_of(costs, "guesses")
    luck = None
    if is_noisy and rng.random() < 0.7:
        luck = {name: luck_of(rng, budgets[i], chances[i], n) for i, name in enumerate(costs)}
    (board,) = boards(run, rng, luck=luck)
    return board, run


def luck_of(rng, budget, chance, n):
    answers = np.clip(chance + rng.normal(0, 0.02, n), 0, 1)
    return LuckCorrected(
        np.arange(n), ClueLuck(answers, np.full(n, budget), np.arange(n + 1), *np.zeros((2, n)), np.full(n, budget))
    )


def contradictions(board, run):
    """Yield how the parts of a report disagree about who leads a score, or with which number."""
    results = RunResults([board], run)
    parts = list(board_section.parts(results))
    verdicts = next(part for part in parts if isinstance(part, Verdicts))
    data, text = as_json.parts([verdicts])[0], markdown_part(verdicts)
    for verdict, row in zip(verdicts.rows, data["rows"], strict=True):
        score = next(score for score in board.scores if score.name == verdict.score)
        first = board.ranked(score)[0]
        cell = first[score].cell
        if verdict.leader.name != first.name or verdict.value.text != cell.text:
            yield f"card {verdict.leader.name} {verdict.value.text}, board {first.name} {cell.text}"
        if row["leader"]["name"] != first.name or row["value"]["value"] != cell.value:
            yield f"JSON {row['leader']} {row['value']}, board {first.name}"
        if not verdict.nobody and (first.name not in text or verdict.leader.short not in sentence(verdict)):
            yield f"the text does not name {first.name}"
        numbers = [one[score].cell.sort for one in board.rows]
        if cell.text == "∞" and any(np.isfinite(number) for number in numbers) and not (verdict.nobody or verdict.why):
            yield f"the card leads with ∞ while another entry has a number: {numbers}"
        if "0%" in sentence(verdict).partition("not ruled out")[2].split():
            yield f"an entry with 0% is not ruled out: {sentence(verdict)}"
    main = board.main_score
    if verdicts.rows and board.rows[0].name != board.ranked(main)[0].name:
        yield "the first row does not lead the main score"


def found_in(n_boards, seed):
    rng = np.random.default_rng(seed)
    return [
        (kind, found)
        for number in range(n_boards)
        for kind in [KINDS[number % len(KINDS)]]
        for found in contradictions(*random_board(rng, kind))
    ]


def test_all_parts_of_a_report_name_the_same_leader_with_the_same_number():
    assert found_in(60, 1) == []


@pytest.mark.long
def test_they_do_so_on_2000_boards():
    assert found_in(2000, 2) == []
