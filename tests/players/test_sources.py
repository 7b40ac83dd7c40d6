"""What files say is read in order, in limits and once; entries are found by name and have names of their own."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec import UNSET

from wordpl.core.messages import UserError
from wordpl.games import game_class
from wordpl.players import discovery, shared_kernels, source_facts
from wordpl.players.limited import Unread
from wordpl.players.source_facts import SourceFacts, Sources, facts_of
from wordpl.run.info import About, EntryInfo
from wordpl.strategy import EntryError

SOURCE = b'''"""The file."""
import numpy.linalg
from strategies.n_guess import NGuess

class Bot:
    """Guess."""
    class Inner:
        """Hide."""

ENTRIES = (Bot(), make(), Bot.of(), 3)
'''


@pytest.fixture
def parsed(monkeypatch):
    """The names of the files that were read, each within this process."""
    found = []

    def parse(function, kind, jobs):
        found.extend(job.argument for job in jobs)
        return [facts_of([Path(path).read_bytes() for path in job.files], job.argument) for job in jobs]

    monkeypatch.setattr(source_facts.limited, "parse", parse)
    monkeypatch.setattr(source_facts, "_known", {})
    return found


def test_classes_entries_and_imports_are_those_of_the_main_file():
    facts = facts_of([SOURCE, b"import pandas\nclass Other: 'Other.'"], "bot.py")
    assert (facts.classes, facts.description) == ({"Bot": "Guess."}, "The file.")
    assert facts.listed == ["Bot", "make", "", ""]
    assert (facts.imports, facts.siblings) == (["numpy.linalg", "strategies.n_guess"], ["n_guess"])
    assert set(facts.names) <= shared_kernels.KNOWN_NAMES
    assert {"numpy", "pandas"} <= set(facts.names)
    assert facts_of([SOURCE, "too large"], "bot.py").names is None, "it may use anything"
    assert facts_of(["too large"], "bot.py").fault == "bot.py: too large"
    assert facts_of([b"import a\nx ="], "bot.py").syntax
    many = facts_of(["\n".join(f"import m{n:04}" for n in range(1500)).encode()], "bot.py").imports
    assert (len(many), many[-1]) == (source_facts.MAX_ITEMS, f"and {1501 - source_facts.MAX_ITEMS:,} more")
    assert facts_of([b"AUTHOR = 'a\\ud800'"], "bot.py").author == "a?"


def test_an_entry_is_described_by_its_class_or_by_its_file():
    facts = SourceFacts(description="The file.", classes={"Bot": "Guess."}, listed=["Bot"])
    for make in ("Bot()", "Bot", " Bot(3)", "ENTRIES[0]"):
        assert facts.about(make) == About(description="Guess.")
    for make in ("ENTRIES[1]", "ENTRIES[0000]", "ENTRIES[-1]", "Other()", ""):
        assert facts.about(make) == About(description="The file.")


def test_libraries_that_an_entry_may_use_are_unknown_if_a_file_was_not_read(parsed):
    known = source_facts.uses_of([SourceFacts(names=["numpy"]), SourceFacts(names=None), Unread("late")])
    assert known == [shared_kernels.used_by(["numpy"]), UNSET, UNSET]
    (uses,) = source_facts.uses_of([SourceFacts(names=[], siblings=["n_guess", "none"])])
    assert uses, "those of the strategy that it imports"


def test_files_of_a_known_digest_are_read_once_for_each_main_file(tmp_path, parsed):
    for name in ("a.py", "b.py", "c.toml"):
        (tmp_path / name).write_text("" if name != "c.toml" else 'game = "wordle/1"\ncommand = ["x"]\nauthor = "Ann"')
    of = {name: Sources(str(tmp_path / name), (), digest) for name, digest in (("a.py", "1"), ("b.py", "1"))}
    for _ in range(2):
        source_facts.read([*of.values(), of["a.py"], Sources(str(tmp_path / "c.toml"))])
    assert parsed == ["a.py", "b.py", "c.toml", "c.toml"]
    assert source_facts.read_program(tmp_path / "c.toml", "").command == ["x"]
    with pytest.raises(EntryError):
        source_facts.read_program(tmp_path / "a.py", "2")
    (tmp_path / "c.toml").write_text("x")
    with pytest.raises(EntryError, match=r"c\.toml"):
        source_facts.read_program(tmp_path / "c.toml", "")
    assert source_facts.program_of(tmp_path / "a.py") is source_facts.program_of(tmp_path / "c.toml") is None


def test_libraries_are_those_that_are_named_and_kernels_need_wordpl():
    assert shared_kernels.used_by(["numpy"]) == ["numpy"]
    assert shared_kernels.used_by([]) == []
    for name, group in shared_kernels.GROUPS.items():
        for named in group.named:
            assert name in shared_kernels.used_by([*named, "wordpl"])
            assert name in shared_kernels.used_by([*named, "strategies"])
            assert name not in shared_kernels.used_by(named)
    assert set(shared_kernels.used_by(["solvers", "wordpl"])) == {"wordpl", "matrices"}


def test_a_class_in_no_readable_file_is_not_found_and_what_is_not_read_is_said(tmp_path, monkeypatch):
    monkeypatch.setattr(discovery, "strategy_files", lambda: [tmp_path / f"bot{n}.py" for n in range(5)])
    for n in range(5):
        (tmp_path / f"bot{n}.py").write_text("")
    monkeypatch.setattr(
        discovery.source_facts, "read", lambda sources: [Unread(f"too slow {one.main}") for one in sources]
    )
    with pytest.raises(UserError, match="no strategy 'Bot'") as error:
        discovery.find_sources(["Bot"])
    assert [f"bot{n}.py: too slow" in error.value.message for n in range(5)] == [True] * 3 + [False] * 2


def entry(name, file, game="wordpl/1"):
    return EntryInfo(name, "", game_class(game).facts, file, "Bot()", "")


def test_entries_of_other_games_are_left_out_and_files_of_entries_have_names_of_their_own():
    found = [entry("Bot A", "a/x.py"), entry("Bot A", "a/x.py"), entry("Word", "a/w.py", "wordle/1")]
    resolved = discovery.resolve_entries(found, None)
    assert [(one.name, one.slug) for one in resolved] == [("Bot A", "bot_a"), ("Bot A #2", "bot_a_2"), ("Word", "word")]
    assert [one.name for one in discovery.resolve_entries(found, "absurdle/1")] == ["Word"]
    assert discovery.resolve_entries(found, "absurdle/1")[0].game.id == "absurdle/1"
    first, second = discovery.make_distinct(resolved[:1], [entry("bot a", "b/y.py")])
    assert (first, second.name, second.slug) == (resolved[0], "bot a", "bot_a-2")


def test_what_a_player_reports_and_its_file_says_describes_an_entry():
    player = SimpleNamespace(
        declared_entries=lambda: [("Bot()", "a\x1b[31m" + "x" * 200, "wordle/1"), ("B()", "", "wordle/1")]
    )
    first, second = discovery.declared_entries(entry("", "bot.py"), SourceFacts(classes={"Bot": "Guess."}), player)
    assert (first.make, first.name[:6], len(first.name), first.game.id) == ("Bot()", "a?[31m", 100, "wordle/1")
    assert (first.about, second.name, second.about) == (About(description="Guess."), "?", UNSET)
    assert {one.about for one in discovery.declared_entries(first, Unread("late"), player)} == {UNSET}


def test_of_the_package_s_folder_only_what_it_ships_is_an_entry(tmp_path, monkeypatch):
    (tmp_path / "strategies").mkdir()
    (tmp_path / "strategies" / "mine.py").write_text("")
    monkeypatch.setattr(discovery.paths, "strategy_folders", lambda: [tmp_path / "strategies"])
    for user, n_found in ((tmp_path, 1), (tmp_path / "elsewhere", 0)):
        monkeypatch.setattr(discovery.paths, "user_folder", lambda user=user: user)
        assert len(discovery.strategy_files()) == n_found


@pytest.mark.parametrize("other", ["Rnilk", "Vvin", "Cl", "Bill--x"])
def test_letters_that_look_alike_together_are_alike(other):
    alike = {"Rnilk": "Milk", "Vvin": "Win", "Cl": "D", "Bill--x": "BlII-x"}
    assert discovery.appearance(other) == discovery.appearance(alike[other])


def test_the_name_of_a_long_file_is_cut_where_its_mark_begins():
    name, other = discovery.distinct_names([entry("B" * 100, "a/bot.py"), entry("B" * 100, "b/bot.py")])
    assert name == "B" * 89 + " [a/bot.py]"
    assert len(other) == 100
