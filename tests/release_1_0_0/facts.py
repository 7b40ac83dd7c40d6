"""What a user of release 1.0.0 relies on, computed by the release that is installed: by 1.0.0 for `expected.json`.

A fact is a number, a name or a verdict that the public API or a command's --json gives, never a text that is free to
change. `make.py` stores them, and the tests compute them again.
"""

import json
import math
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

RUNS = [
    "absurdle", "added", "classic", "compressed", "counted", "data", "default", "estimate", "every", "faulty", "fibble",
    "files", "four", "grade", "hard", "killed", "match", "official", "official_without_beacon", "program", "stopped",
    "tournament", "typed", "waiting",
]  # fmt: skip
"""The runs of the corpus; the search `tune` is none."""
LISTS = ("--answers", "solver/answers.txt", "--guesses", "solver/guesses.txt")
FRIENDS = ("--league", "friends", "--store", "league/league.sqlite")
COMMANDS = {
    "season": ("season", "standings", "-C", "cup", "--json"),
    "leaderboard": ("league", "leaderboard", *FRIENDS, "--format", "csv"),
    "person": ("league", "export", "Ann", *FRIENDS),
    "tournament": ("tournament", "rank", "web/tournament.json", "runs/tournament", "--json"),
    "tree": ("tree", "check", "solver/best.json", *LISTS, "--json"),
    "text_tree": ("tree", "check", "solver/abode.txt", *LISTS, "--json"),
    "prior": ("suggest", "abode:c..i.", *LISTS, "--prior", "solver/prior.csv", "--json"),
    "records": ("record", "runs/official", "--evidence", "evidence", "--json"),
    **{f"verify {name}": ("verify", f"runs/{name}", "--json") for name in RUNS if name != "estimate"},  # has no board
    "verify archive": ("verify", "classic.zip", "--json"),
}
"""Commands whose results are facts; they run in the folder of the corpus."""


def games(corpus: Path, name: str) -> dict[str, Any]:
    """Return the games of a run: its secrets, and of each entry the verdicts, and sums over all moves and costs."""
    from wordpl import load_run

    columns = ["entry", "rules", "game", "secret", "verdict", "cost", "n_moves", "moves"]
    table = load_run(corpus / "runs" / name, columns=columns)
    secrets = table.drop_duplicates("game").sort_values("game")
    entries = {
        entry: {
            "rules": rows.rules.iloc[0],
            "verdicts": dict(sorted(Counter(map(str, rows.verdict)).items())),
            "n_moves": int(rows.n_moves.sum()),
            "cost": round(float(rows.cost[rows.cost.map(math.isfinite)].sum()), 6),
            "last_guesses": " ".join(moves[-1][0] if len(moves) else "-" for moves in rows.moves),
        }
        for entry, rows in table.groupby("entry", sort=True, observed=True)
    }
    return {"secrets": " ".join(map(str, secrets.secret)), "entries": entries}


def of_command(name: str, output: str) -> Any:
    """Return the facts in what a command of COMMANDS has printed."""
    kind = name.partition(" ")[0]
    return _READ.get(kind, lambda text: _rounded(json.loads(text)))(output)


def _season(text: str) -> Any:
    printed = json.loads(text)
    rows = {
        score: [{field: row[field] for field in ("version", "author", "value", "n_games")} for row in rows]
        for score, rows in printed["standings"].items()
    }
    return {"n_rounds": printed["n_rounds"], "n_versions": printed["n_versions"], "standings": _rounded(rows)}


def _leaderboard(text: str) -> Any:
    head, *lines = (line.split(";") for line in text.splitlines())
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    return {row["player"]: {"rating": round(float(row["rating"]), 6), "n_games": int(row["n_games"])} for row in rows}


def _person(text: str) -> Any:
    printed = json.loads(text)
    results = [f"{result['puzzle']} {result['guesses']}{'*' * result['hard']}" for result in printed["results"]]
    return {"names": printed["names"], "results": " · ".join(results)}


def _tournament(text: str) -> Any:
    return [_rounded(table["rows"]) for table in json.loads(text)["tables"]]


def _tree(text: str) -> Any:
    printed = json.loads(text)
    return {field: printed[field] for field in ("correct", "n_answers", "total", "worst", "by_guesses", "faults")}


def _prior(text: str) -> Any:
    printed = json.loads(text)
    return {"answers": printed["answers"], "best": printed["suggestions"][0]["guess"]}


def _records(text: str) -> Any:
    rows = [row for table in json.loads(text)["tables"] for row in table["rows"]]
    return sorted({str(row.get("strategy", row.get("entry"))) for row in rows})


def _verify(text: str) -> Any:
    printed = json.loads(text)
    return {
        "holds": printed["holds"],
        "n_games": printed["n_games"],
        "commitment": printed["commitment"],
        "differences": sorted({difference["source"] for difference in printed["differences"]}),
    }


_READ: dict[str, Callable[[str], Any]] = {
    "season": _season,
    "leaderboard": _leaderboard,
    "person": _person,
    "tournament": _tournament,
    "tree": _tree,
    "text_tree": _tree,
    "prior": _prior,
    "records": _records,
    "verify": _verify,
}


def _rounded(value: Any) -> Any:
    """Return a JSON value whose numbers have six decimals."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return {name: _rounded(item) for name, item in value.items()} if isinstance(value, dict) else value
