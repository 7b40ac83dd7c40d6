import os

import numpy as np
import pytest

from tests.helpers.runs import new_run
from wordpl.core import words
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.run.frame import Moves
from wordpl.run.records import Record
from wordpl.stats.clue_luck import LuckMeter
from wordpl.stats.estimates import FIELDS, luck_of_entry, luck_of_moves, luck_of_records

N_GAMES = 5_000
LINE = '{{"game":{},"secret":"crane","moves":[["slate",8.5,"{}"],["crane",0,""]],"verdict":"won"}}\n'


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    run = new_run(tmp_path, {"bot": "class Bot: pass"}, n_games=N_GAMES)
    write(run, "..c.c")
    return run


def write(run, clue):
    path = run.entries[0].records_path
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(LINE.format(game, clue) for game in range(N_GAMES)))


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_luck_is_cached_for_the_reader_and_not_in_the_folder_of_the_run(run, tmp_path):
    before = files(run.folder)
    first = luck_of_entry(run, run.info.entries[0], words.load())
    (cached,) = (tmp_path / "cache" / "wordpl" / "luck").iterdir()
    again = luck_of_entry(run, run.info.entries[0], words.load())
    assert files(run.folder) == before
    for name in ("answer", "spent", "starts", "luck", "bet", "paid"):
        assert np.array_equal(getattr(first.luck, name), getattr(again.luck, name))
    assert list(again.games) == list(range(N_GAMES))
    cached.write_bytes(b"damaged")
    assert np.array_equal(luck_of_entry(run, run.info.entries[0], words.load()).win, first.win)


def test_other_records_have_other_luck(run):
    first = luck_of_entry(run, run.info.entries[0], words.load())
    write(run, "ii.c.")
    assert luck_of_entry(run, run.info.entries[0], words.load()).luck.luck[0] != first.luck.luck[0]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_cache_that_cannot_be_written_is_not_needed(run, tmp_path):
    (tmp_path / "cache").mkdir(mode=0o500)
    assert len(luck_of_entry(run, run.info.entries[0], words.load()).win) == N_GAMES


def test_the_first_record_of_a_game_counts_and_answers_of_games_cut_short_do_not():
    guess, answer = NoisyMove("slate", 8.5, "..c.c"), NoisyMove("crane", 0, "")
    records = [
        Record(3, "crane", [guess, answer], Verdict.WON),
        Record(1, "crane", [guess, answer], Verdict.LATE),
        Record(3, "crane", [answer], Verdict.WON),
        Record(5, "abide", [guess, answer], Verdict.WRONG),
    ]
    corrected = luck_of_records([records[:2], records[2:]], words.load(), "anywhere")
    assert list(corrected.games) == [1, 3, 5]
    assert corrected.luck.answer[0] == 0 < corrected.luck.answer[1] == corrected.luck.answer[2]
    assert list(corrected.luck.starts) == [0, 1, 2, 3]


def test_the_cache_tells_games_apart_by_all_that_their_luck_depends_on(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    lists, yes, no = words.load(), np.array([True]), np.array([False])
    few = words.of_words(lists.answers[::3], lists.guesses)
    moves = [("slate", 8.5, "..c.c"), ("crane", 0, "")]
    variants = [
        (moves, 0, yes, lists, "anywhere"), (moves, 0, no, lists, "anywhere"),
        (moves, lists.answers.index("slate"), yes, lists, "anywhere"), (moves, 0, yes, few, "anywhere"),
        (moves, 0, yes, lists, "counted"), ([("slate", 2.5, "..c.c"), moves[1]], 0, yes, lists, "anywhere"),
        ([("geese", 8.5, "..c.c"), moves[1]], 0, yes, lists, "anywhere"),
        ([("geese", 8.5, "..c.c"), moves[1]], 0, yes, lists, "counted"), ([moves[0]], 0, yes, lists, "anywhere"),
    ]  # fmt: skip

    def found(n_cached):
        monkeypatch.setattr("wordpl.stats.estimates.MIN_CACHED_GAMES", n_cached)
        return [
            luck_of_moves(Moves.of_lists([played]), np.array([secret]), answered, LuckMeter(own, rule)).luck
            for played, secret, answered, own, rule in variants
        ]

    for plain, *cached in zip(found(2), found(1), found(1), strict=True):
        for luck in cached:
            assert all(np.array_equal(getattr(plain, name), getattr(luck, name)) for name in FIELDS)
    assert len(list((tmp_path / "wordpl" / "luck").iterdir())) == len(variants)
    monkeypatch.setattr("wordpl.stats.estimates.MAX_CACHE_BYTES", 1)
    luck_of_moves(Moves.of_lists([[]]), np.array([0]), no, LuckMeter(lists, "counted"))
    assert len(list((tmp_path / "wordpl" / "luck").iterdir())) == 1, "the newest stays"
