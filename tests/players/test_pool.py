"""What a pool tells the process that starts players: the entry's files, the limits of the run and what is hidden."""

from pathlib import Path

import msgspec
import pytest

from tests.conftest import CONFIG
from wordpl.core import paths
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.players import pool as pools
from wordpl.players import program_build
from wordpl.players.base import PlayerError
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox import levels
from wordpl.players.sandbox.levels import Level
from wordpl.run.bundle import Bundle, BundleStore, FileTree, find_place
from wordpl.run.config import Limits, PlayerKind

BOT = "class Bot:\n    first_move = next_move = None\n"
AT_B = msgspec.structs.replace(CONFIG, level="B", memory_mb=77, limits=Limits(open_files=9))


@pytest.fixture
def requests(monkeypatch):
    """What a player would be started with; none is."""
    made = []

    class Unstarted:
        def __init__(self, fork_client, request, config, output=None):
            made.append(request)

        def close(self):
            made.append("closed")

    monkeypatch.setattr(pools, "ProcessPlayer", Unstarted)
    monkeypatch.setattr(pools, "LoadingPlayer", Unstarted)
    return made


@pytest.fixture
def entry(write_entry):
    return write_entry(BOT)


def test_a_player_has_the_limits_of_the_run_and_does_not_see_what_is_hidden(
    requests, entry, lists, tmp_path, monkeypatch
):
    views = []
    monkeypatch.setattr(pools, "ForkClient", lambda view, *_: views.append(view))
    monkeypatch.setattr(levels, "aliases", lambda hidden: [*hidden, tmp_path / "also mounted here"])
    pool = PlayerPool(lists, tmp_path, [tmp_path / "run"])
    pool.isolated(entry, AT_B)
    policy = requests[0].policy
    assert (policy.level, policy.memory_mb, policy.open_files, policy.writes) == (Level.B, 77, 9, False)
    hidden = [paths.bundled() / "results", paths.user_folder() / "results", tmp_path / "run"]
    assert policy.hidden == tuple(map(str, [*hidden, tmp_path / "also mounted here"]))
    assert list(map(str, views[0].hidden)) == list(policy.hidden)
    assert policy.user == levels.new_user()
    assert Path(requests[0].place).read_text() == BOT
    assert Path(requests[0].place).is_relative_to(policy.working)


def test_a_player_whose_files_would_be_hidden_is_refused_where_files_are_hidden(requests, entry, lists, tmp_path):
    pool = PlayerPool(lists, tmp_path / "results" / "players", [tmp_path / "results"])
    (tmp_path / "results" / "players").mkdir(parents=True)
    with pytest.raises(UserError, match=r"players need .*results.*: choose another folder with --results"):
        pool.isolated(entry, AT_B)
    assert requests == []
    pool.isolated(entry, msgspec.structs.replace(AT_B, level="C"))
    assert len(requests) == 1


def test_an_author_s_file_that_has_changed_since_it_was_loaded_is_refused(requests, entry, lists, tmp_path):
    loaded = msgspec.structs.replace(entry, sha256=Bundle.of(find_place(entry.file)).digest)
    changed = BOT.replace("None", "1")
    Path(entry.file).write_text(changed)
    pool = PlayerPool(lists, tmp_path)
    with pytest.raises(UserError, match=r"bot\.py has changed since it was loaded: start again"):
        pool.isolated(loaded, AT_B)
    assert requests == []
    with pytest.raises(UserError, match=r"bot\.py is not the version that the run stores"):
        pool.player(loaded, msgspec.structs.replace(CONFIG, player=PlayerKind.TRUSTED))
    pool.isolated(entry, AT_B)  # not loaded before
    assert Path(requests[0].place).read_text() == changed


@pytest.mark.parametrize("changes_user", [True, False])
def test_only_a_player_that_loads_an_entry_may_write_and_its_folder_is_removed(
    requests, entry, lists, tmp_path, monkeypatch, changes_user
):
    given = []
    monkeypatch.setattr(program_build, "changes_user", lambda policy: changes_user)
    monkeypatch.setattr(pools.WritableFolder, "give_to", lambda folder, user: given.append(user))
    store = BundleStore(tmp_path / "store")
    loaded = msgspec.structs.replace(entry, sha256=store.add(Bundle.of(find_place(entry.file))))
    with PlayerPool(lists, tmp_path, store=store).loading(loaded, AT_B) as (_, folder):
        assert (requests[0].policy.writes, requests[0].policy.working) == (True, str(folder.path))
        assert given == [levels.new_user()] * changes_user
        assert folder.path.is_dir()
    assert (requests[1:], folder.path.exists()) == (["closed"], False)


def test_a_player_tries_to_open_each_file_and_has_what_its_entry_wrote(requests, entry, lists, tmp_path, monkeypatch):
    def fail(player):
        raise PlayerError(Verdict.CRASHED, "no namespace")

    (tmp_path / "wrote").mkdir()
    (tmp_path / "wrote" / "table.txt").write_text("5")
    store = BundleStore(tmp_path / "store")
    sources, wrote = (store.add(one) for one in (Bundle.of(find_place(entry.file)), FileTree.below(tmp_path / "wrote")))
    loaded, files = msgspec.structs.replace(entry, sha256=sources, written=wrote), [tmp_path / "a", tmp_path / "b"]
    pool = PlayerPool(lists, tmp_path, store=store)
    monkeypatch.setattr(pools.ProcessPlayer, "opened", lambda player: ["a"], raising=False)
    assert pool.opened(loaded, AT_B, files) == ["a"]
    assert {str(file) for file in files} <= set(requests[0].attempts)
    assert Path(requests[0].policy.working, "table.txt").read_text() == "5"
    monkeypatch.setattr(pools.ProcessPlayer, "opened", fail)
    with pytest.raises(UserError, match=r"no player of .*bot\.py can be started: no namespace"):
        pool.opened(loaded, AT_B, files)
    assert [pool.can_write(msgspec.structs.replace(AT_B, level=level)) for level in "BD"] == [True, False]
