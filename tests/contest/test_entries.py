"""The entries of a contest: which files and objects are entries, under which names, and the error if none is."""

from pathlib import Path

import pytest

from tests.helpers.paths import HOME
from wordpl.contest.entries import FoundEntries, describe, entries_named, find_entries, require_named
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import Measure, PlayerKind
from wordpl.core.records import EntryInfo
from wordpl.core.run_config import RunConfig

TRUSTED = RunConfig(player=PlayerKind.TRUSTED)
FILE = """
class Noisy:
    def __repr__(self): return {name!r}
    def first_move(self): return "crane", 1
    def next_move(self, guess, epsilon, clues): return "crane", 0
"""


class Noisy:
    def first_move(self):
        return "crane", 1

    def next_move(self, guess, epsilon, clues):
        return "crane", 0


class Classic:
    game = "wordle/1"

    def first_move(self):
        return "crane"

    def next_move(self, guess, clues):
        return "crane"


class Long(Classic):
    def __repr__(self):
        return "x" * 500


class Blank(Classic):
    def __repr__(self):
        return ""


@pytest.fixture
def folder(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.py").write_text(FILE.format(name=f"Bot of {name}"))
    (tmp_path / "broken.py").write_text("import nothing_of_that_name")
    return tmp_path


def names(found_entries: FoundEntries) -> list[str]:
    return [entry.name for entry in found_entries.entries]


@pytest.mark.parametrize(
    ("stems", "against", "expected"),
    [
        (["one"], "two", ["Bot of one", "Bot of two"]),
        (["one"], "one", ["Bot of one"]),  # it plays already
        pytest.param(["two", "one"], "two", ["Bot of two", "Bot of one"], marks=pytest.mark.slow),
    ],
)
def test_the_entry_to_compare_with_is_added_unless_it_plays_already(folder, stems, against, expected):
    files = [folder / f"{name}.py" for name in stems]
    found_entries = find_entries(files, TRUSTED, f"{folder / against}.py" if against else "")
    assert names(found_entries) == expected
    assert found_entries.strategies == {}
    assert found_entries.faults == []


def test_files_without_an_entry_are_kept_as_faults_beside_the_entries(folder):
    found_entries = find_entries([folder / "broken.py", str(folder / "one.py")], TRUSTED)
    assert names(found_entries) == ["Bot of one"]
    assert [fault.source.file.name for fault in found_entries.faults] == ["broken.py"]


@pytest.mark.slow
def test_if_no_file_has_an_entry_each_reason_is_shown(folder):
    with pytest.raises(UserError, match=r"^there is no entry to play\.\nbroken\.py could not be loaded:\n(.|\n)*No"):
        find_entries([folder / "broken.py"], TRUSTED)


def test_an_entry_for_another_game_is_named_if_there_is_no_other_entry():
    with pytest.raises(UserError) as error:
        find_entries([Noisy], RunConfig(game_id="wordle/1"))
    assert str(error.value) == (
        "there is no entry for wordle/1 to play: Noisy plays wordpl/1. `wordpl new NAME` writes one."
    )


def test_objects_are_keyed_by_entry_slug_and_classes_are_instantiated():
    strategies = [Noisy, Classic(), Noisy()]
    found_entries = find_entries(strategies, TRUSTED)
    assert [(entry.slug, entry.game_id, entry.measure, entry.file) for entry in found_entries.entries] == [
        ("noisy", "wordpl/1", Measure.BUDGET, ""),
        ("classic", "wordle/1", Measure.GUESSES, ""),
        ("noisy_2", "wordpl/1", Measure.BUDGET, ""),
    ]
    assert list(found_entries.strategies) == ["noisy", "classic", "noisy_2"]
    assert isinstance(found_entries.strategies["noisy"], Noisy)
    assert (found_entries.strategies["classic"], found_entries.strategies["noisy_2"]) == (strategies[1], strategies[2])


@pytest.mark.parametrize(
    ("game_id", "indexes"), [("wordpl-counted/1", [0, 2]), ("absurdle/1", [1, 3]), (None, [0, 1, 2, 3])]
)
def test_only_objects_for_the_chosen_game_play_each_under_its_own_entry(game_id, indexes):
    strategies = [Noisy(), Classic(), Noisy(), Classic()]
    found_entries = find_entries(strategies, RunConfig(game_id=game_id))
    assert list(found_entries.strategies.values()) == [strategies[index] for index in indexes]
    assert list(found_entries.strategies) == [entry.slug for entry in found_entries.entries]
    assert {entry.game_id for entry in found_entries.entries} == ({game_id} if game_id else {"wordpl/1", "wordle/1"})


def test_mixed_files_and_objects_and_unknown_games_are_refused_at_once():
    with pytest.raises(UserError, match="either all files or all objects"):
        find_entries([Noisy(), HOME / "strategies" / "entropy.py"], TRUSTED)
    with pytest.raises(UserError, match="there is no game called 'chess/1'"):
        find_entries([Path("nowhere.py")], RunConfig(game_id="chess/1"))


class NoMoves:
    pass


class FirstMoveOnly(NoMoves):
    def first_move(self):
        return "crane"


class NextMoveIsData(FirstMoveOnly):
    next_move = "crane"


@pytest.mark.parametrize("kind", [NoMoves, FirstMoveOnly, NextMoveIsData])
def test_an_object_without_both_methods_is_no_strategy(kind):
    with pytest.raises(UserError, match=f"^{kind.__name__} is not a strategy: it needs the methods first_move and"):
        describe(kind())


def test_an_object_is_described_by_its_name_its_game_and_its_class():
    assert describe(Classic()) == EntryInfo("Classic", "", "wordle/1", Measure.GUESSES, "", "Classic", "")
    assert describe(Noisy()).game_id == "wordpl/1"
    assert 0 < len(describe(Long()).name) < 500
    assert describe(Blank()).name == "?"


ENTRIES = [
    EntryInfo("Bot(epsilon=5)", "bot", "wordpl/1", Measure.BUDGET, "strategies/random_bayes.py", "ENTRIES[0]", ""),
    EntryInfo("Bot(epsilon=8)", "bot-2", "wordpl/1", Measure.BUDGET, "strategies/random_bayes.py", "ENTRIES[1]", ""),
    EntryInfo("Other", "other", "wordpl/1", Measure.BUDGET, "strategies/entropy.py", "Other()", ""),
]


@pytest.mark.parametrize(
    ("text", "indexes"),
    [
        ("Bot(epsilon=5)", [0]),
        ("Bot", [0, 1]),
        ("Bo", []),
        ("epsilon=5", []),
        ("ENTRIES[1]", [1]),
        ("random_bayes", [0, 1]),
        ("random_bayes.py", [0, 1]),
        ("strategies/entropy.py", [2]),
        (str(HOME / "strategies" / "entropy.py"), [2]),
        ("Other", [2]),
        ("Other()", [2]),
        ("other", []),
    ],
)
def test_entries_can_be_selected_by_name_class_expression_or_file(text, indexes, monkeypatch):
    monkeypatch.chdir(HOME)
    assert entries_named(text, ENTRIES) == [ENTRIES[index] for index in indexes]
    if indexes:
        assert require_named(text, ENTRIES) == [ENTRIES[index] for index in indexes]
    else:
        with pytest.raises(UserError) as error:
            require_named(text, ENTRIES)
        entry_names = "Bot(epsilon=5), Bot(epsilon=8), Other"
        assert str(error.value) == f"this run has no entry {text!r}; its entries are {entry_names}."
