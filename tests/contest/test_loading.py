"""What of an entry is kept that writes while it is loaded, and why another one is none."""

from contextlib import contextmanager
from types import SimpleNamespace

import msgspec
import pytest

from wordpl.contest import entries
from wordpl.core import paths
from wordpl.core.moves import Verdict
from wordpl.players.base import PlayerError
from wordpl.players.discovery import EntrySource, Fault
from wordpl.players.limited import Unread
from wordpl.players.process import UNFLUSHED
from wordpl.run.bundle import BundleStore, FileTree
from wordpl.run.config import RunConfig

CONFIG = RunConfig(level="D", warmup_s=5.0)


class Pool:
    """A pool, its players and their folder, none of which has a process."""

    def __init__(self, folder, failure=None, written=(), writable=True, n_kills=0, game_id="wordpl/1"):
        self.store = BundleStore(folder / "store")
        self.failure, self.writable, self.n_kills = failure, writable, n_kills
        self.wrote = FileTree({f"strategies/{path.name}": path for path in written})
        self.steps, self.loaded, self.chosen, self.is_watched, self.pid = [], [], None, False, 1
        self.game_id = game_id

    def in_process(self, entry, config):
        return None

    def can_write(self, config):
        return self.writable

    def is_spared(self, config):
        return True

    def isolated(self, entry, config):
        self.steps.append("isolated")
        self.loaded.append(entry)
        return self

    @contextmanager
    def loading(self, entry, config):
        self.steps.append("loading")
        self.loaded.append(entry)
        yield self, self

    @contextmanager
    def limited(self, process):
        assert process() == self.pid
        self.is_watched = True
        yield
        self.is_watched = False

    def written(self):
        return self.wrote

    def declared_entries(self):
        assert self.is_watched == (self.steps[-1] == "loading")
        if len(self.loaded) <= self.n_kills:
            raise PlayerError(Verdict.FAULT, "killed")
        return [("Bot()", "Bot", self.game_id)]

    def prepare(self):
        assert self.is_watched

    def choose(self, index, game_id):
        self.chosen = game_id

    def first_move(self, seed, allowance):
        if self.failure:
            raise PlayerError(*self.failure)
        return "crane", 1

    def next_move(self, move):
        return "crane", 0

    def close(self):
        self.steps.append("closed")


@pytest.fixture
def load(tmp_path, monkeypatch):
    """A function that loads a file with a pool of these properties."""
    monkeypatch.setattr(
        entries.discovery, "read_facts", lambda unnamed, store: [(one, Unread("unread")) for one in unnamed]
    )
    (tmp_path / "bot.py").write_text("class Bot: pass")
    (tmp_path / "table.txt").write_text("crane")

    def of(config=CONFIG, file=tmp_path / "bot.py", **values):
        pool = Pool(tmp_path, **values)
        (found,) = entries.load_all([EntrySource(file)], pool, config)
        return found, pool

    return SimpleNamespace(of=of, table=tmp_path / "table.txt")


def test_what_an_entry_writes_is_a_part_of_it(load):
    found, pool = load.of()
    assert (found.name, found.make, found.written, found.game.id) == ("Bot", "Bot()", "", "wordpl/1")
    found, pool = load.of(written=[load.table])
    assert found.written == pool.store.add(pool.wrote)
    assert pool.chosen == "wordpl/1"
    for chosen, warmed_up in (("absurdle/1", "absurdle/1"), ("wordpl/1", "wordle/1")):
        config = msgspec.structs.replace(CONFIG, game_id=chosen)
        assert load.of(config=config, game_id="wordle/1")[1].chosen == warmed_up


def test_a_warm_up_game_that_fails_matters_only_if_something_was_written_or_is_missing(load):
    crashed = (Verdict.CRASHED, "ZeroDivisionError")
    assert load.of(failure=crashed)[0].name == "Bot"
    found, _ = load.of(failure=crashed, written=[load.table])
    assert "it wrote files, but did not finish its warm-up game, for which it has 5 s" in found.message
    assert "ZeroDivisionError" in found.message
    (load.table.parent / "bot.json").write_text("{}")
    found, _ = load.of(failure=(Verdict.CRASHED, "FileNotFoundError: [Errno 2] No such file: 'strategies/bot.json'"))
    assert isinstance(found, Fault) and "mkdir" in found.message


def test_a_late_entry_is_told_what_took_so_long(load):
    found, _ = load.of(failure=(Verdict.LATE, UNFLUSHED))
    assert found.message.endswith("If it computes that long, raise --warmup SECONDS.")
    found, _ = load.of(failure=(Verdict.LATE, "line 3"))
    assert found.message.endswith("line 3: compute less there, or raise --warmup SECONDS.")


def test_an_entry_is_loaded_again_if_it_was_killed_and_named_if_it_is_killed_again(load):
    assert load.of(n_kills=1)[0].name == "Bot"
    found, pool = load.of(n_kills=2)
    assert found.from_outside and "killed from outside 2 times" in found.message
    assert len(pool.loaded) == 2


def test_shipped_strategies_and_those_at_other_levels_are_loaded_where_nothing_is_written(load):
    assert load.of(writable=False)[1].steps == ["isolated", "closed"]
    shipped = next(path for path in sorted((paths.bundled() / "strategies").glob("*.py")) if path.name[0] != "_")
    assert load.of(file=shipped)[1].steps == ["isolated", "closed"]
