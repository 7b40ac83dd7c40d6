"""All parts of a report name the same leader with the same number, and pairs and curves say the same, on any board."""

import numpy as np
import pytest

from tests.helpers.random_boards import KINDS, random_board
from wordpl.reports import as_json
from wordpl.reports.elements import Curve, Matrix, Verdicts
from wordpl.reports.renderers import markdown_part, sentence
from wordpl.reports.results import RunResults
from wordpl.reports.sections import board as board_section
from wordpl.reports.sections import comparison, curve


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
    yield from contradictions_of_pairs(results)
    yield from contradictions_of_curves(results)


def contradictions_of_pairs(results):
    """Yield how the number, the interval and the verdict of a pair disagree with each other or with the board."""
    (board,) = results.boards
    for part in (part for part in comparison.parts(results) if isinstance(part, Matrix)):
        score = next(score for score in board.scores if score.head == part.head)
        standings = {row.name: row[score] for row in board.rows}
        for i, (first, row) in enumerate(zip(part.entries, part.cells, strict=True)):
            for j, (second, cell) in enumerate(zip(part.entries, row, strict=True)):
                if cell is None:
                    continue
                sign, told = part.better[i][j], f"{part.head}: {cell.plain}, {first.name} and {second.name}"
                if not (np.isnan(cell.value) or np.isnan(cell.low) or cell.low <= cell.value <= cell.high):
                    yield f"outside of its interval: {told}"
                if not sign and (cell.low > 0 or cell.high < 0):
                    yield f"not told apart, without 0: {told}"
                direction = -sign if score.lower_is_better else sign
                if sign and (cell.value * direction < 0 or cell.low * direction < 0 or cell.high * direction < 0):
                    yield f"shown the other way: {told}"
                numbers = standings[first.name].number, standings[second.name].number
                if not sign and np.isfinite(numbers).all() and cell.value != numbers[0] - numbers[1]:
                    yield f"not the board's numbers {numbers}: {told}"


def contradictions_of_curves(results):
    """Yield where the end of a curve, or its value within a percentile, is not the board's."""
    (board,) = results.boards
    for part in (part for part in curve.parts(results) if isinstance(part, Curve)):
        for line, row in ((line, next(r for r in board.rows if r.name == line.entry.name)) for line in part.lines):
            wins = row.standings.get("p_win") or row.standings["won"]
            if line.x and abs(line.y[-1] - wins.value) > 1e-9:
                yield f"the curve of {row.name} ends at {line.y[-1]}, its board says {wins.value}"
            if any(not low <= value <= high for low, value, high in zip(line.low, line.y, line.high, strict=True)):
                yield f"the curve of {row.name} leaves its band"


def found_in(n_boards, seed):
    rng = np.random.default_rng(seed)
    return [
        (kind, found)
        for number in range(n_boards)
        for kind in [KINDS[number % len(KINDS)]]
        for found in contradictions(*random_board(rng, kind))
    ]


@pytest.mark.slow
def test_all_parts_of_a_report_name_the_same_leader_with_the_same_number():
    assert found_in(18, 1) == []


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_they_do_so_on_100_boards(seed):
    assert found_in(100, seed) == []
