"""Reads the columns that a board needs from a large run in parts, without keeping the moves in memory."""

from collections.abc import Sequence
from typing import cast

import numpy as np
import pandas as pd

from wordpl import games
from wordpl.core.game_kinds import Measure
from wordpl.core.moves import NoisyMove
from wordpl.core.record import Record
from wordpl.core.records import EntryInfo, Run
from wordpl.core.run_frames import EntryColumns, concatenate, record_blocks
from wordpl.core.run_records import collector_paused
from wordpl.core.words import WordLists
from wordpl.stats.answer_posteriors import AnswerPosteriors
from wordpl.stats.scores.score import Floats

COLUMNS = ("entry", "rules", "measure", "game", "secret", "verdict", "cost", "n_moves", "spent", "posterior")


def scored_table(run: Run, lists: WordLists) -> pd.DataFrame:
    """Return the games as a table with COLUMNS, where texts are categories, and `cpu_s`.

    Args:
        run: The run.
        lists: The word lists of the run.
    """
    with collector_paused():
        tables = [_of_entry(run, entry, lists) for entry in run.entries]
    return concatenate(tables, [*COLUMNS, "cpu_s"])


def _of_entry(run: Run, entry: EntryInfo, lists: WordLists) -> pd.DataFrame:
    columns = EntryColumns(entry, COLUMNS)
    posteriors = AnswerPosteriors(lists, games.game_class(entry.game_id).clue_rule)
    for records in record_blocks(run, entry):
        columns.add(records, posterior=_posteriors(entry, records, posteriors))
    table = columns.table()
    return table.assign(cpu_s=run.cpu_times(entry)[table["game"].to_numpy()])


def _posteriors(entry: EntryInfo, records: Sequence[Record], posteriors: AnswerPosteriors) -> Floats:
    if entry.measure != Measure.BUDGET:
        return np.full(len(records), np.nan)
    played = cast("list[list[NoisyMove]]", [record.moves for record in records])  # by the entry's measure
    return posteriors.posteriors([[(move.guess, move.epsilon, move.clues) for move in moves] for moves in played])
