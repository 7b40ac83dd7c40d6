"""A run exported as Parquet is unchanged, and DuckDB reads it and the compressed records without wordpl."""

import pandas as pd
import pytest

from tests.helpers.cli import wordpl
from tests.helpers.runs import DRAWS_ALL, new_run, resume
from wordpl import load_run
from wordpl.run import records
from wordpl.run.config import PlayerKind


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = new_run(tmp_path_factory.mktemp("parquet"), {"bot": DRAWS_ALL}, n_games=40, player=PlayerKind.TRUSTED)
    return resume(run, jobs=1).play()


def test_every_column_is_exported_unchanged(run, tmp_path):
    pytest.importorskip("pyarrow")
    result = wordpl("export", run.folder, "--parquet", tmp_path / "run.parquet")
    assert "40 games of 1 entry" in result.output
    exported, table = pd.read_parquet(tmp_path / "run.parquet"), load_run(run.folder, moves=True)
    for name in set(table) - {"moves"}:
        pd.testing.assert_series_equal(exported[name], table[name], check_dtype=False)
    moves = [[[move["guess"], move["epsilon"], move["clues"]] for move in game] for game in exported["moves"]]
    assert moves == table["moves"].tolist()
    assert exported["wall_s"].notna().all()


def test_the_query_of_the_documentation_reads_compressed_records(run, tmp_path):
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / "bot.jsonl"
    path.write_bytes(run.entries[0].records_path.read_bytes())
    records.compress(path, min_bytes=0)
    counts = duckdb.sql(f"select verdict, count(*) as games from read_json('{tmp_path}/*.jsonl.gz') group by verdict")
    assert dict(counts.fetchall()) == load_run(run.folder)["verdict"].value_counts().to_dict()
