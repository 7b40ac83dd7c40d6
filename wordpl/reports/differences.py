"""The columns of a table that compares one entry with the others."""

import pandas as pd

from wordpl.reports.columns import Column, TableValue, number
from wordpl.stats.scores import Score, main_score, scores_for
from wordpl.stats.scores.quantiles import QuantileScore


def difference_columns(differences: pd.DataFrame) -> list[Column]:
    """Return a column for each score, and one for the games that only one of the two entries has won.

    Args:
        differences: The result of `compare.against`.
    """
    columns = set(differences.columns)
    measure = next(measure for measure in ("guesses", "tries", "budget") if main_score(measure).name in columns)
    scores = [score for score in scores_for(measure) if score.name in columns and score.shown in ("always", "wide")]
    scores.sort(key=lambda score: not isinstance(score, QuantileScore))
    return [*(_column(score, differences) for score in scores), _alone(differences)]


def _column(score: Score, differences: pd.DataFrame) -> Column:
    parts = differences[[score.name, f"{score.name}_low", f"{score.name}_high", f"{score.name}_chance"]]
    values = []
    for value, low, high, chance in parts.itertuples(index=False):
        ends = f"{_signed(low, score)} to {_signed(high, score)}"
        values.append(TableValue((_signed(value, score), ends, f"better {number(chance, percent=True)}")))
    return Column(score.head, values)


def _signed(value: float, score: Score) -> str:
    text = number(abs(value), score.digits, score.percent)
    return text if value == 0 else f"{'-' if value < 0 else '+'}{text}"


def _alone(differences: pd.DataFrame) -> Column:
    parts = differences[["only_entry", "only_other", "p_value"]]
    values = []
    for mine, theirs, p_value in parts.itertuples(index=False):
        p = f"p = {p_value:.3f}" if p_value >= 0.001 else "p < 0.001"
        values.append(TableValue((f"{mine:.0f} : {theirs:.0f}", p)))
    return Column("won alone", values)
