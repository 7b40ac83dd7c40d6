"""The values that commands print with `--json`. docs/output.md describes every field."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from wordpl.core import paths
from wordpl.core.moves import LARGEST_BUDGET

if TYPE_CHECKING:
    import pandas as pd

    from wordpl.contest.preflight import CheckResult
    from wordpl.reports.elements import Section, Table
    from wordpl.reports.run_report import RunReport
    from wordpl.run.folder import Run
    from wordpl.solvers.search import ClassicSearch, GuessRanking, Position
    from wordpl.solvers.search.problem import Problem
    from wordpl.verify import Findings

FORMAT = 1
"""The format version. It increases when a field is renamed or changes its meaning, but not for new fields."""


def as_text(kind: str, value: Mapping[str, Any]) -> str:
    """Return the value as JSON, after its kind and the format version.

    Infinite and unknown numbers become null. Other values that JSON does not support become text.
    """
    return json.dumps({"format": FORMAT, "kind": kind} | _plain(value), indent=2, ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(item) for item in value]
    if hasattr(value, "item") and getattr(value, "size", 0) == 1:
        value = value.item()
    if value is None or (isinstance(value, float) and not abs(value) < LARGEST_BUDGET):
        return None
    if isinstance(value, bool | int | float):
        return value
    return str(value)


def frame(table: "pd.DataFrame") -> list[dict[str, Any]]:
    """Return a table as a list of its rows, in which missing values are None."""
    table = table.astype(object).where(table.notna(), None)
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def run(report: "RunReport") -> dict[str, Any]:
    """Return the results of a run: its boards with all numbers, remarks and failures."""
    info, folder = report.records.info, report.records.folder
    about = {entry.name: msgspec.to_builtins(entry.about) for entry in info.entries if entry.about is not msgspec.UNSET}
    boards = [
        {
            "game": board.rules,
            "n_compared": board.n_compared,
            "findings": [
                asdict(one) | {"text": sentence} for one, sentence in zip(board.found, board.findings(), strict=True)
            ],
            "entries": [entry | about.get(entry["strategy"], {}) for entry in frame(board.published)],
        }
        for board in report.boards
    ]
    return {
        "run": paths.relative_to_cwd(folder),
        "seed": info.seed,
        "n_games": info.config.n_games,
        "isolation": info.config.level,
        "finished": info.finished,
        "boards": boards,
        "sections": [section(found) for found in report.sections()],
        "remarks": report.remarks,
        "failures": list(report.failures()),
    }


def checks(found: "CheckResult", terms: Mapping[str, str]) -> dict[str, Any]:
    """Return the result of `wordpl check`."""
    return {
        "passed": not found.n_failed,
        "n_failed": found.n_failed,
        # the published format calls the message `told`
        "checks": [
            {"told" if name == "message" else name: value for name, value in asdict(check).items()}
            for check in found.checks
        ],
        "files": [asdict(file) for file in found.files],
        "terms": dict(terms),
    }


def verification(run: "Run", findings: "Findings", remarks: Sequence[str]) -> dict[str, Any]:
    """Return the result of `wordpl verify`, with other remarks about the run."""
    from wordpl.reports.verification import conditions
    from wordpl.verify import NOT_COVERED

    return {
        "run": paths.relative_to_cwd(run.folder),
        "holds": findings.holds,
        "n_games": findings.n_games,
        "differences": [asdict(difference) for difference in findings.differences],
        "unexplained": findings.unexplained,
        "not_checked": findings.notes,
        "not_covered": NOT_COVERED,
        "remarks": remarks,
        "commitment": run.info.commitment or None,
        "conditions": conditions(run.info),
    }


def suggestions(
    problem: "Problem", position: "Position", ranking: "GuessRanking", notes: Sequence[str]
) -> dict[str, Any]:
    """Return the result of `wordpl suggest`; `notes` are sentences about the best guess."""
    from wordpl.solvers.search.position import spread

    rated = []
    for rating, total, mean in _totals(position, ranking):
        bits, worst = spread(position, rating.guess)
        rated.append(
            {
                "guess": problem.lists.guesses[rating.guess],
                "total": total,
                "guesses": mean,
                "bits": max(0.0, bits),
                "worst": worst,
                "may_be_the_answer": rating.guess in position.own,
            }
        )
    return {
        "solved": False,
        "answers": [problem.lists.answers[column] for column in position.candidates],
        "n_guesses_left": position.left,
        "is_optimal": ranking.is_optimal,
        "suggestions": rated,
        "notes": notes,
    }


def openers(
    problem: "Problem", search: "ClassicSearch", ranking: "GuessRanking", notes: Sequence[str]
) -> dict[str, Any]:
    """Return the result of `wordpl solve`; `notes` are sentences about the best opener."""
    rated = [
        {"opener": problem.lists.guesses[rating.guess], "sum": total, "mean": mean}
        for rating, total, mean in _totals(search.position, ranking)
    ]
    return {
        "n_answers": len(search.position.candidates),
        "limit": search.position.left,
        "width": search.width,
        "is_optimal": ranking.is_optimal,
        "openers": rated,
        "n_searched": search.n_searched,
        "notes": notes,
    }


def _totals(position: "Position", ranking: "GuessRanking") -> list[tuple[Any, float | None, float | None]]:
    """Return each rating with its total and mean number of guesses; None if no tree was found."""
    from wordpl.solvers.search import INFEASIBLE

    n = len(position.candidates)
    scale = 1.0 if position.weights is None else len(position.own) / int(position.weights.sum())
    totals = []
    for rating in ranking.ratings:
        total = None if rating.bound >= INFEASIBLE else rating.bound * scale if scale != 1.0 else rating.bound
        totals.append((rating, total, None if total is None else total / n))
    return totals


def tables(shown: Sequence["Table"], notes: Sequence[str] = ()) -> dict[str, Any]:
    """Return tables, with each row as a mapping from column heads to values."""
    found = [
        {"title": table.title, "rows": [dict(zip(table.heads, parts(row), strict=True)) for row in table.rows]}
        for table in shown
    ]
    return {"tables": found, "notes": notes}


def section(found: "Section") -> dict[str, Any]:
    """Return a section of a report with its parts, in which typed cells are objects with a `kind`."""
    return {"name": found.name, "title": found.title, "level": found.level.name.lower(), "parts": parts(found.parts)}


def parts(shown: Sequence[Any]) -> list[Any]:
    """Return parts of a report as those of a section, or the cells of a row."""
    return [_data(value) for value in shown]


def _data(value: Any) -> Any:
    """Return a part of a report, or a cell of a table, as plain data."""
    from wordpl.reports.elements import GameList, Table

    if isinstance(value, GameList):
        return {"kind": "games", "title": value.title}
    if isinstance(value, Table):
        columns = [{"head": column.head, "kind": column.kind, "best": column.best} for column in value.columns]
        rows = [parts(row) for row in value.rows]
        return {"kind": "table", "title": value.title, "columns": columns, "rows": rows, "legend": value.legend}
    if is_dataclass(value):
        named = {field.name: _data(getattr(value, field.name)) for field in fields(value)}
        return {"kind": type(value).__name__.lower().removesuffix("cell")} | named
    return parts(value) if isinstance(value, list | tuple) else value
