"""A run is two tables, of games and of moves, on which pandas' own operations give what they promise."""

import operator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import written_runs
from tests.helpers.cases import one_quick_of
from tests.helpers.runs import DRAWS_ALL, new_run, resume
from wordpl import Run, load_moves, load_run
from wordpl.core.messages import UserError
from wordpl.core.moves import ClassicMove, NoisyMove, Verdict
from wordpl.run.config import PlayerKind
from wordpl.run.frame import Moves
from wordpl.run.records import Record, encode

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


def test_only_a_won_game_has_a_finite_cost_and_a_changed_run_is_read_only_on_demand(tmp_path):
    run = written_runs.new_run(tmp_path / "run")
    huge = written_runs.record(run, 0, 0)
    huge.moves[0] = NoisyMove("crane", 1.7e308, ".....")
    huge.moves[1] = NoisyMove("moist", 1.7e308, ".....")
    run.entries[0].records_path.write_bytes(encode(huge))
    written_runs.append(run, 0, range(1, 4))
    run.finish("2026-01-31T12:05:00+00:00")
    table = run.to_frame()
    assert table["cost"].tolist() == run.to_frame(moves=True)["cost"].tolist() == [np.inf, 16, np.inf, 16]
    assert run.to_frame(["spent"])["spent"].tolist() == [np.inf, 16, 16, 16]
    run.entries[0].fingerprints_path.write_bytes(b"x\n")
    for read in (load_run, load_moves):
        with pytest.raises(UserError, match="is damaged"):
            read(run.folder)
        assert len(read(run.folder, damaged=True)) == len(table) * (1 if read is load_run else 3)


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
