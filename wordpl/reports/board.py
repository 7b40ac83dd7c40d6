"""The table behind every report: one wide row an entry, in the order that the games show."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from wordpl.core.records import Verdict
from wordpl.stats import compare
from wordpl.stats.scores import Score, main_score, scores_for
from wordpl.stats.scores.solved import distribution, worst_words


@dataclass(frozen=True, eq=False)
class Board:
    """How the entries of one game did.

    rules: the game's name
    scores: the columns' scores
    n_compared: the games that all entries have played, on which they were compared
    table: one row an entry, the name in column `strategy`. `place` is one more than the number of entries shown to be
        better. Each score S has S, S_low, S_high and S_mark (see `compare.Standing.marks`). Counts: n_games, n_ and
        each verdict; in classic games n_solved_in_1 to n_solved_in_6, and worst_words, a list of (secret, guesses).
    """

    rules: str
    scores: list[Score]
    n_compared: int
    table: pd.DataFrame


def boards(run: pd.DataFrame, rng: np.random.Generator) -> list[Board]:
    """Return a board for each game of the run, rows of `run_records.load_run`.

    rng: draws the resamples that compare entries; the same run and the same generator give the same boards
    """
    return [_board(str(rules), games, rng) for rules, games in run.groupby("rules", sort=False)]


def _board(rules: str, games: pd.DataFrame, rng: np.random.Generator) -> Board:
    measure = games["measure"].iloc[0]
    scores = scores_for(measure)
    entries = {str(name): rows for name, rows in games.groupby("entry", sort=False)}
    table = pd.DataFrame([_row(name, rows, scores) for name, rows in entries.items()])
    table.insert(1, "rules", rules)
    n_compared = len(next(iter(compare.by_entry(games).values())))
    standings = compare.standings(games, rng) if n_compared else {}
    for score in scores:
        standing = standings.get(score.name)
        table[f"{score.name}_mark"] = standing.marks if standing else ""
    main = main_score(measure)
    table["place"] = standings[main.name].places if standings else 1
    order = ["place", main.name, "strategy"]
    table = table.sort_values(order, ascending=[True, bool(main.lower_is_better), True], ignore_index=True)
    return Board(rules, scores, n_compared, table)


def _row(name: str, games: pd.DataFrame, scores: list[Score]) -> dict[str, Any]:
    row: dict[str, Any] = {"strategy": name, "n_games": len(games)}
    for score in scores:
        estimate = score(score.per_game(games))
        row |= {score.name: estimate.value, f"{score.name}_low": estimate.low, f"{score.name}_high": estimate.high}
    for verdict in Verdict:
        row[f"n_{verdict.replace(' ', '_')}"] = int((games["verdict"] == str(verdict)).sum())
    if games["measure"].iloc[0] == "guesses":
        row |= {f"n_solved_in_{guesses}": n for guesses, n in enumerate(distribution(games)[:-1], 1)}
        row["worst_words"] = worst_words(games)
    return row
