import py_compile
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from wordpl import Strategy, strategy
from wordpl.strategy import EntryError, declared_entries, name_of


class Plain:
    def first_move(self):
        return "crane", 1.0

    def next_move(self, guess, epsilon, clues):
        return "crane", 0


class Named(Plain):
    def __str__(self):
        return "my\n  own   name"


@dataclass
class Data(Plain):
    epsilon: float = 5.0


class Priced(Strategy, Plain):
    game = "wordle-hard/1"

    def __init__(self, epsilon, secret_sauce=3):
        self.epsilon = epsilon


def module(**content):
    new_module = ModuleType("strategies.made")
    for value in content.values():
        if isinstance(value, type):
            value.__module__ = "strategies.made"
    vars(new_module).update(content)
    return new_module


@pytest.mark.parametrize(
    ("instance", "name"),
    [(Plain(), "Plain"), (Named(), "my own name"), (Data(), "Data(epsilon=5.0)"), (Priced(7), "Priced(epsilon=7)")],
)
def test_the_name_of_a_strategy_is_its_str_or_repr_in_one_line(instance, name):
    assert name_of(instance) == name


def test_a_file_declares_its_entries_or_classes_without_arguments():
    listed = declared_entries(module(ENTRIES=[Data(), Data(epsilon=8.0)], Data=Data))
    assert [(entry.make, entry.name) for entry in listed] == [
        ("ENTRIES[0]", "Data(epsilon=5.0)"),
        ("ENTRIES[1]", "Data(epsilon=8.0)"),
    ]
    classes = list(declared_entries(module(Plain=Plain, imported=Strategy, number=3)))
    assert [(entry.make, entry.game) for entry in classes] == [("Plain()", "wordpl/1")]


class _Private(Plain):
    pass


class Abstract(Plain, ABC):
    @abstractmethod
    def choose(self):
        """Return a word."""


class Unfinished(Plain):
    def first_move(self):
        """Return a move."""
        raise NotImplementedError(f"{type(self).__name__} has no opener")


class First(Abstract):
    def choose(self):
        return "crane"


class Second(Unfinished):
    def first_move(self):
        return "crane", 5.0


def test_bases_that_cannot_play_are_no_entries():
    classes = (_Private, Abstract, Unfinished, First, Second)
    declared = declared_entries(module(**{class_.__name__: class_ for class_ in classes}))
    assert [entry.make for entry in declared] == ["First()", "Second()"]


def test_no_class_is_dropped_silently():
    four = {name: type(name, (Plain,), {}) for name in ("Ann", "Bob", "Cy", "Dora")}
    with pytest.raises(EntryError, match=r"4 strategies \(Ann\(\), Bob\(\), Cy\(\), Dora\(\)\).*ENTRIES = "):
        list(declared_entries(module(**four)))
    with pytest.raises(EntryError, match="Priced requires epsilon"):
        list(declared_entries(module(Plain=Plain, Priced=Priced)))
    with pytest.raises(EntryError, match="Unfinished is abstract, private or the base of others"):
        list(declared_entries(module(Unfinished=Unfinished)))


class Misspelt:
    def first_move(self):
        return "crane", 5.0

    def nextmove(self, guess, epsilon, clues):
        return "crane", 0


class Wide(Misspelt):
    def next_move(self, guess, clues):
        return "crane", 0


class Selfless(Data):
    def first_move():
        return "crane", 5.0


class Empty:
    pass


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        ("Data(eps=9)", r"unexpected keyword argument 'eps'.* Data .*takes \(epsilon: float = 5.0\)"),
        ("Dat()", "has no 'Dat'. Did you mean 'Data'"),
        ("Data(", "is not a Python expression"),
        ("ENTRIES[3]", r"its ENTRIES are ENTRIES\[0\] to ENTRIES\[1\]"),
        ("Data", "Data is the class Data.* write Data\\(\\)"),
    ],
)
def test_an_expression_that_makes_no_strategy_is_refused_with_what_would_be_right(make, complaint):
    with pytest.raises(EntryError, match=complaint):
        list(declared_entries(module(ENTRIES=[Data(), Data()], Data=Data), make))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ({"ENTRIES": [Data()] * 4}, "ENTRIES lists 4 strategies: it must be a list of one to 3"),
        ({"ENTRIES": []}, "ENTRIES lists 0 strategies"),
        ({"ENTRIES": "Data()"}, "ENTRIES is 'Data\\(\\)', of type str: it must be a list of one to 3 strategies"),
        (
            {"ENTRIES": [3]},
            "ENTRIES\\[0\\] is 3, of type int: a strategy is an object with the methods first_move and next_move",
        ),
        ({"ENTRIES": [Data]}, r"ENTRIES\[0\] is the class Data.* write Data\(\)"),
        (
            {"ENTRIES": [Misspelt()]},
            r"Misspelt.* has no method next_move. Rename nextmove to",
        ),
        ({"Misspelt": Misspelt}, "Misspelt.* has no method next_move. Rename nextmove to next_move"),
        (
            {"Wide": Wide},
            r"next_move of Wide.* takes \(guess, clues\), but wordpl/1 calls",
        ),
        ({"Selfless": Selfless}, r"first_move of Selfless.* has no parameter self: write def first_move\(self\)"),
        ({"Empty": Empty}, r"none of its classes \(Empty\) has the methods"),
        ({"Priced": Priced}, "Priced.* requires epsilon: add defaults, list what plays in ENTRIES, or play it as"),
        ({}, "defines no strategy"),
    ],
)
def test_a_file_without_entries_is_refused_with_the_reason(content, complaint):
    with pytest.raises(EntryError, match=complaint):
        list(declared_entries(module(**content)))


def test_the_base_class_provides_generator_words_and_rules(lists):
    bot = Priced(1)
    strategy.begin_game(bot, 5)
    first = bot.rng.integers(1000, size=3)
    bot.rng.random(10)
    strategy.begin_game(bot, 5)
    assert list(bot.rng.integers(1000, size=3)) == list(first)
    assert tuple(bot.guesses) == lists.guesses
    assert tuple(bot.answers) == lists.answers
    assert (bot.rules, bot.clue_rule) == ("wordle-hard/1", "counted")
    bot.rules = "wordpl/1"
    assert bot.clue_rule == "anywhere"


def shadow(folder, kind):
    """Put a file beside honest.py that Python would import in its place."""
    other = folder / "other.py"
    other.write_text("who = 'another'\n")
    if kind == "package":
        (folder / "honest").mkdir()
        other.rename(folder / "honest" / "__init__.py")
        return
    name = "honest.pyc" if kind == "compiled" else f"__pycache__/honest.{sys.implementation.cache_tag}.pyc"
    unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(other), str(folder / name), invalidation_mode=unchecked)


@pytest.mark.parametrize("kind", ["package", "compiled", "kept compiled"])
def test_a_strategy_file_is_imported_even_if_another_shadows_its_name(tmp_path, monkeypatch, kind):
    monkeypatch.delitem(sys.modules, "strategies", raising=False)
    for name in ("honest", "helper"):
        monkeypatch.delitem(sys.modules, f"strategies.{name}", raising=False)
    file = tmp_path / "honest.py"
    file.write_text("from strategies import helper\nwho = 'itself'\n")
    (tmp_path / "helper.py").write_text("from strategies import honest\nfound = honest\n")
    shadow(tmp_path, kind)
    imported = strategy.import_entry(file, tmp_path)
    assert (imported.who, imported.__file__) == ("itself", str(file))
    assert imported.helper.found is imported is strategy.import_entry(file, tmp_path)
    assert imported.__spec__.origin == str(file)


def test_a_file_that_fails_to_import_is_not_cached(tmp_path):
    file = tmp_path / "failing.py"
    file.write_text("begun = True\nraise ValueError('half')\n")
    for _ in range(2):
        with pytest.raises(ValueError, match="half"):
            strategy.import_entry(file, tmp_path)


def write_entry(folder: Path, name: str, module: str, word: str) -> Path:
    own = folder / name
    own.mkdir(parents=True)
    (own / "bot.py").write_text(
        f"from {module} import WORD\nclass Bot:\n    def first_move(self):\n        return WORD\n"
        "    def next_move(self, guess, clues):\n        import lazily\n        return lazily.WORD\n"
    )
    (own / f"{module}.py").write_text(f"WORD = {word!r}\n")
    (own / "lazily.py").write_text(f"WORD = {word!r} + '2'\n")
    return own


def test_a_folder_imports_its_own_modules_by_their_plain_names(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    for name, word in (("ann", "crane"), ("bob", "slate")):
        made = strategy.import_entry(write_entry(tmp_path, name, "brain", word), tmp_path / "shipped").Bot()
        assert (made.first_move(), made.next_move("", "")) == (word, f"{word}2")


def test_an_own_module_never_replaces_one_of_python(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    own = write_entry(tmp_path, "ann", "fractions", "crane")
    with pytest.raises(ImportError, match="WORD"):
        strategy.import_entry(own, tmp_path / "shipped")
