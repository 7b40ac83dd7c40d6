"""A run is two tables, of games and of moves, on which pandas' own operations give what they promise."""

import operator
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers.cases import one_quick_of
from tests.helpers.runs import DRAWS_ALL, new_run, resume
from wordpl import Run, load_moves, load_run
from wordpl.core.moves import ClassicMove, NoisyMove, Verdict
from wordpl.run.config import PlayerKind
from wordpl.run.frame import Moves
from wordpl.run.records import Record

WORDS, CLUES = st.sampled_from(["crane", "slate", "abide"]), st.sampled_from([".....", "..i..", "ccccc", ""])
NOISY = st.tuples(WORDS, st.sampled_from([4.0, 0.5, 7.25, 0]), CLUES).map(list)
GAMES = st.lists(st.lists(NOISY, max_size=4) | st.lists(st.tuples(WORDS, CLUES).map(list), max_size=4), max_size=12)

CLASSIC = """
    import random
    from pathlib import Path

    GUESSES = Path("valid.txt").read_text().split()

    class Bot:
        def first_move(self):
            return random.choice(GUESSES)

        def next_move(self, guess, clues):
            return random.choice(GUESSES)
"""
FAILS = DRAWS_ALL.replace("self.left -= 1", "self.left -= 1\n            assert self.left != 2")
N_EXPRESSIONS = 100
BUNDLED_RUN = Path(__file__).parents[2] / "results" / "bundled"


@pytest.fixture(scope="module", params=one_quick_of(2, ["wordpl/1", "absurdle/1", "wordle/1"]))
def run(request, tmp_path_factory):
    """A finished run of two entries with lost games."""
    sources = {f"{name} Bot {request.param}": CLASSIC for name in ("bot", "other")}
    sources = {"bot": DRAWS_ALL, "fails": FAILS} if request.param == "wordpl/1" else sources
    made = new_run(tmp_path_factory.mktemp("tables"), sources, n_games=25, player=PlayerKind.TRUSTED)
    return resume(made, jobs=1).play()


def listed(run):
    """Return the moves of all games as (entry, game, moves), read from the record files one by one."""
    return [
        (entry.info.name, record.game, [[*move.arguments] for move in record.moves])
        for entry in run.entries
        for record in entry.read()
    ]


def test_the_tables_have_the_moves_of_the_record_files(run):
    games, moves = run.to_frame(moves=True), run.moves()
    expected = listed(run)
    assert list(zip(games["entry"], games["game"], games["moves"], strict=True)) == expected
    assert all(type(played) is list for played in games["moves"])
    rows = [
        (entry, game, number, move[0], move[1] if len(move) > 2 else np.nan, move[-1])
        for entry, game, played in expected
        for number, move in enumerate(played, 1)
    ]
    assert list(moves) == ["entry", "game", "round", "guess", "epsilon", "clues"]
    pd.testing.assert_frame_equal(
        moves.astype({"entry": str, "guess": str, "clues": str}),
        pd.DataFrame(rows, columns=list(moves)).astype({"round": np.int32, "entry": str, "guess": str, "clues": str}),
    )
    pd.testing.assert_frame_equal(load_moves(run.folder), moves)
    assert [moves[name].dtype.name for name in ("entry", "guess", "clues")] == ["category"] * 3


def test_lists_of_moves_are_only_where_they_are_asked_for(run):
    assert "moves" not in load_run(run.folder)
    assert list(load_run(run.folder, ["game"], moves=True)) == list(load_run(run.folder, ["game", "moves"]))


COLUMN_OPERATIONS = {
    "map": lambda games, _: games.moves.map(len).tolist(),
    "apply": lambda games, _: games.moves.apply(lambda moves: [move[0] for move in moves]).tolist(),
    "==": lambda games, _: (games.moves == games.moves.copy()).tolist(),
    "boolean": lambda games, rng: games.moves[rng.random(len(games)) < 0.5].tolist(),
    "shuffle": lambda games, rng: games.moves.iloc[rng.permutation(len(games))].tolist(),
    "concat": lambda games, rng: pd.concat([games, games[rng.random(len(games)) < 0.3]])["moves"].tolist(),
    "reindex": lambda games, rng: games.moves.reindex(rng.permutation(len(games))).tolist(),
    "pickle": lambda games, _: pickle.loads(pickle.dumps(games))["moves"].tolist(),
    "explode": lambda games, _: games.moves.explode().dropna().tolist(),
    "str": lambda games, _: games.moves.str[0].dropna().tolist(),
    "groupby": lambda games, _: games.groupby("entry")["moves"].apply(list).to_dict(),
    "sum": lambda games, _: games.groupby("entry")["moves"].sum().to_dict(),
    "merge": lambda games, rng: games.merge(games[rng.random(len(games)) < 0.5], on="game")["moves_y"].tolist(),
    "table": lambda games, _: games[["entry", "game", "moves"]].map(str).values.tolist(),
    "table ==": lambda games, _: (games == games.copy()).values.tolist(),
}
TABLE_OPERATIONS = {
    "map": lambda moves, _: moves["guess"].map(str.upper).tolist(),
    "apply": lambda moves, _: moves.apply(lambda row: (row["game"], row["guess"], row["clues"]), axis=1).tolist(),
    "==": lambda moves, rng: (moves["guess"] == moves["guess"].iloc[rng.integers(len(moves))]).tolist(),
    "groupby": lambda moves, _: moves.groupby(["entry", "game"], observed=True)["round"].max().to_dict(),
    "first": lambda moves, _: moves.groupby(["entry", "game"], observed=True)["guess"].first().astype(str).to_dict(),
    "counts": lambda moves, _: moves["clues"].value_counts(sort=False).sort_index().loc[lambda n: n > 0].to_dict(),
    "sort": lambda moves, _: moves.sort_values(["round", "game", "entry"], kind="stable")["guess"].tolist(),
    "shuffle": lambda moves, rng: moves.iloc[rng.permutation(len(moves))]["clues"].tolist(),
    "merge": lambda moves, rng: moves.merge(
        moves[["entry", "game"]].drop_duplicates().assign(kept=lambda rows: rng.random(len(rows)) < 0.5),
        on=["entry", "game"],
    ).query("kept")["guess"].tolist(),
    "unique": lambda moves, _: list(moves["guess"].unique()),
    "pickle": lambda moves, _: pickle.loads(pickle.dumps(moves)).astype(str).values.tolist(),
}  # fmt: skip


@pytest.mark.slow
def test_random_operations_on_the_moves_give_what_they_give_for_plain_lists(run):
    games, moves, rows = load_run(run.folder, moves=True), run.moves(), listed(run)
    games = games[["entry", "game", "moves"]]
    plain_games = pd.DataFrame(rows, columns=["entry", "game", "moves"])
    plain_moves = pd.DataFrame(
        [(entry, game, at, move[0], move[1] if len(move) > 2 else np.nan, move[-1])
         for entry, game, played in rows for at, move in enumerate(played, 1)], columns=list(moves)
    )  # fmt: skip
    operations = [(games, plain_games, operation) for operation in COLUMN_OPERATIONS.values()]
    operations += [(moves, plain_moves, operation) for operation in TABLE_OPERATIONS.values()]
    for seed in range(N_EXPRESSIONS):
        table, plain, operation = operations[seed % len(operations)]
        rng = np.random.default_rng(seed)
        kept = rng.permutation(len(table))[: rng.integers(1, len(table) + 1)]
        found, expected = (
            operation(rows_.iloc[kept].reset_index(drop=True), np.random.default_rng(seed)) for rows_ in (table, plain)
        )
        assert found == expected, seed


def test_both_tables_are_the_same_after_parquet(run, tmp_path):
    pytest.importorskip("pyarrow")
    for name, table in {"games": run.to_frame(), "moves": run.moves()}.items():
        table.to_parquet(tmp_path / name)
        pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / name).astype(table.dtypes), table)
    run.to_frame(moves=True)[["game", "cost"]].merge(run.moves(), on="game").to_parquet(tmp_path / "both")


def test_a_run_without_games_has_empty_tables(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL, "fails": FAILS}, n_games=5, player=PlayerKind.TRUSTED)
    games, moves = run.to_frame(moves=True), Run(run.folder).moves()
    assert len(games) == len(moves) == 0
    assert list(moves) == ["entry", "game", "round", "guess", "epsilon", "clues"]
    assert moves.groupby("entry", observed=False).size().to_dict() == {"bot": 0, "fails": 0}
    assert games["moves"].map(len).tolist() == []


def test_games_of_equally_many_moves_are_lists_too(tmp_path):
    first = DRAWS_ALL.replace("random.randrange(4)", "1")
    run = resume(new_run(tmp_path, {"bot": first}, n_games=5, player=PlayerKind.TRUSTED), jobs=1).play()
    games = run.to_frame(moves=True)
    assert games["n_moves"].tolist() == [2] * 5
    assert games["moves"].tolist() == [played for _, _, played in listed(run)]


def test_games_without_moves_are_rows_of_one_table_only(tmp_path):
    dies = DRAWS_ALL.replace("def first_move(self):", "def first_move(self):\n        raise ValueError")
    run = new_run(tmp_path, {"bot": DRAWS_ALL, "dies": dies}, n_games=5, player=PlayerKind.TRUSTED)
    run = resume(run, jobs=1).play()
    assert run.to_frame(moves=True).groupby("entry")["moves"].apply(list)["dies"] == [[]] * 5
    assert set(run.moves()["entry"]) == {"bot"}


def record_of(number, moves):
    kinds = [NoisyMove(*move) if len(move) > 2 else ClassicMove(*move) for move in moves]
    return Record(number, "crane", kinds, Verdict.WON)


@settings(deadline=None)
@given(games=GAMES, data=st.data())
def test_arrays_of_moves_select_and_join_games_as_lists_do(games, data):
    moves = Moves.of_lists(games)
    assert moves.lists() == [moves.game(place) for place in range(len(games))] == games
    order = data.draw(st.permutations(range(len(games))))
    assert moves.take(np.array(order, int)).lists() == [games[place] for place in order]
    assert moves.of_games(np.array(order[: len(order) // 2], int)).games.tolist() == order[: len(order) // 2]
    first = data.draw(st.integers(0, len(games)))
    assert moves.part(first, len(games)).lists() == games[first:]
    joined = Moves.concatenate([moves.part(0, first), Moves.of_lists(games[first:][::-1]), moves])
    assert joined.lists() == [*games[:first], *games[first:][::-1], *games]
    expected = [(place, number) for place, game in enumerate(games) for number in range(1, len(game) + 1)]
    assert list(zip(moves.place, moves.round, strict=True)) == expected
    for codes, values, field in [(moves.guess_codes, moves.guesses, 0), (moves.clue_codes, moves.clues, -1)]:
        assert [values[code] for code in codes] == [move[field] for game in games for move in game]


@given(games=st.lists(st.lists(NOISY, max_size=4), max_size=8))
def test_records_and_lists_have_the_same_arrays(games):
    records = [record_of(number, moves) for number, moves in enumerate(games)]
    one, other = Moves.of(records), Moves.of_lists(games)
    assert one.lists() == other.lists() == games
    assert one.spent().tolist() == pytest.approx([sum(map(operator.itemgetter(1), game)) for game in games])


def test_games_have_their_cpu_time():
    run = Run(BUNDLED_RUN)
    times = load_run(BUNDLED_RUN, ["entry", "game", "cpu_s"])
    for entry in run.entries:
        rows = times[times["entry"] == entry.info.name]
        expected = {duration.game: duration.cpu_s for duration in entry.durations()}
        assert dict(zip(rows["game"], rows["cpu_s"], strict=True)) == expected
