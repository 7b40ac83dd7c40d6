import pytest

from tests.conftest import CONFIG
from wordpl.contest.entries import load_all
from wordpl.core.messages import UserError
from wordpl.players import discovery

BOT = "class Bot:\n    def first_move(self): pass\n    def next_move(self, *asked): pass\n"


def test_a_contestant_s_file_is_imported_by_a_player_alone(tmp_path, pool):
    path = tmp_path / "bot.py"
    path.write_text(f"import sys\n{BOT}    def __str__(self): return f'beside pytest: {{\"pytest\" in sys.modules}}'\n")
    (entry,) = load_all(discovery.find_sources([str(path)]), pool, CONFIG)
    assert entry.name == "beside pytest: False"


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("import os; os._exit(7)", "exit code 7"),
        ("while True: pass", "--warmup"),
        (BOT.replace("def first", "game = 'chess/1'\n    def first"), "no game called 'chess/1'"),
        ("def", "SyntaxError"),
    ],
)
def test_a_file_without_an_entry_is_a_fault_and_ends_nothing(tmp_path, pool, source, complaint):
    path = tmp_path / "bot.py"
    path.write_text(source)
    (fault,) = load_all(discovery.find_sources([str(path)]), pool, CONFIG)
    assert complaint in fault.message


def test_names_are_made_distinct_and_printable(tmp_path, pool):
    source = BOT + "    def __init__(self, name): self.name = name\n    def __str__(self): return self.name\n"
    path = tmp_path / "bot.py"
    path.write_text(source + "ENTRIES = [Bot('a\\x1b[31m'), Bot('a\\x1b[31m'), Bot('/../' + 'x' * 500)]")
    entries = discovery.resolve_entries(
        discovery.entries_of(load_all(discovery.find_sources([str(path)]), pool, CONFIG)), None
    )
    assert [entry.name for entry in entries][:2] == ["a?[31m", "a?[31m #2"]
    assert len(entries[2].name) == 100
    assert all("/" not in entry.slug and len(entry.slug) <= 100 for entry in entries)
    assert len({entry.slug for entry in entries}) == 3


def test_a_class_is_found_in_the_file_that_defines_it():
    (source,) = discovery.find_sources(["NGuess(epsilon=7.8, n_guesses=2)"])
    assert (source.file.name, source.make) == ("n_guess.py", "NGuess(epsilon=7.8, n_guesses=2)")
    (source,) = discovery.find_sources(["n_guess:NGuess(n_guesses=3)"])
    assert (source.file.name, source.make) == ("n_guess.py", "NGuess(n_guesses=3)")


@pytest.mark.parametrize("text", ["nobody", "NGues(epsilon=3)", "", "a b", "x" * 5000, "\0", "n_guess.txt"])
def test_text_that_names_no_strategy_is_refused(text):
    with pytest.raises(UserError, match="no strategy"):
        discovery.find_sources([text])


@pytest.fixture
def own_strategies(tmp_path, monkeypatch):
    """The folder strategies/ of the current folder."""
    (tmp_path / "strategies").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "strategies"


def test_a_file_in_the_current_folder_replaces_the_bundled_one_of_its_name(own_strategies):
    (own_strategies / "n_guess.py").write_text(BOT.replace("Bot", "NGuess"))
    assert [path for path in discovery.strategy_files() if path.name == "n_guess.py"] == [own_strategies / "n_guess.py"]
    (source,) = discovery.find_sources(["NGuess()"])
    assert source.file == own_strategies / "n_guess.py"


@pytest.mark.parametrize("name", ["my_bot", "my_bot:Bot(n=1)", "bots/my_bot"])
def test_the_name_of_a_file_of_the_current_folder_needs_no_suffix(own_strategies, name):
    folder = own_strategies.parent / ("bots" if "/" in name else ".")
    folder.mkdir(exist_ok=True)
    (folder / "my_bot.py").write_text(BOT)
    (folder / "my_bot").mkdir()  # a folder without an entry has no name
    (source,) = discovery.find_sources([name])
    assert source == discovery.EntrySource((folder / "my_bot.py").resolve(), name.partition(":")[2])


@pytest.mark.parametrize("other", ["strategies/my_bot.py", "strategies/my_bot.toml", "my_bot.toml"])
def test_a_name_of_two_files_stands_for_both_and_is_refused_where_one_is_asked_for(own_strategies, other):
    for path in ("my_bot.py", other):
        (own_strategies.parent / path).write_text(BOT)
    files = {source.file for source in discovery.find_sources(["my_bot"])}
    assert files == {own_strategies.parent / "my_bot.py", own_strategies.parent / other}
    with pytest.raises(UserError, match=r"'my_bot' are 2 entries: give the path of one") as error:
        discovery.find_source("my_bot")
    assert "my_bot.py" in str(error.value) and other in str(error.value)
    (source,) = discovery.find_sources([other])
    assert source.file == own_strategies.parent / other


def test_a_class_in_two_files_is_refused_with_both_paths(own_strategies):
    for name in ("first", "second"):
        (own_strategies / f"{name}.py").write_text(BOT)
    message = "Bot is in strategies/first.py and strategies/second.py: .* as in 'strategies/first.py:Bot\\(n=1\\)'"
    with pytest.raises(UserError, match=message):
        discovery.find_sources(["Bot(n=1)"])


def test_a_folder_stands_for_its_entries(tmp_path):
    folder = tmp_path / "bots"
    folder.mkdir()
    with pytest.raises(UserError, match=r"bots has no entry: .*`wordpl new NAME` writes one"):
        discovery.find_sources([str(folder)])
    for name in ("a.py", "b.toml", "a_data.csv"):
        (folder / name).write_text("")
    (folder / "c").mkdir()
    (folder / "c" / "bot.py").write_text("")
    assert [source.file.name for source in discovery.find_sources([str(folder)])] == ["a.py", "b.toml", "c"]
    assert [source.file.name for source in discovery.find_sources([str(folder / "c")])] == ["c"]


def test_an_entry_comes_before_a_folder_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n_guess").mkdir()
    assert [source.file.name for source in discovery.find_sources(["n_guess"])] == ["n_guess.py"]
