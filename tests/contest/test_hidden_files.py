"""Before the first game, programs are built, and files that players must not read are verified to be hidden."""

from typing import ClassVar

import pytest
from msgspec.structs import replace

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest import isolation
from wordpl.contest.isolation import build_programs, player_pool, require_hidden, require_unreadable
from wordpl.contest.parts import folder_of, prepare
from wordpl.core.messages import UserError
from wordpl.kernels import cache_folder
from wordpl.players.sandbox.probe import probe
from wordpl.run.bundle import Bundle
from wordpl.run.config import PlayerKind
from wordpl.run.folder import LOCK, Run

BUILD_SCRIPT = "import pathlib, sys; made = pathlib.Path(sys.argv[1]); (made / 'made').write_text('x')"


def run_with_program(tmp_path):
    """Return a run of a Python file and a program that has to be built."""
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, player=PlayerKind.TRUSTED, level="")
    program = tmp_path / "program"
    program.mkdir()
    (program / "make.py").write_text(BUILD_SCRIPT)
    (program / "bot.toml").write_text(
        'game = "wordpl/1"\nbuild = ["python3", "make.py", "{build}"]\ncommand = ["{build}/made"]\n'
    )
    digest = run.store.add(Bundle.of(program))
    fields = {"name": "program", "slug": "program", "file": str(program), "sha256": digest}
    run.info.entries.append(replace(run.info.entries[0], **fields))
    return run


@pytest.mark.slow
def test_programs_are_built_below_the_folder_of_the_players(tmp_path):
    run = run_with_program(tmp_path)
    parent = tmp_path / "parent"
    parent.mkdir()
    build_programs(run, parent)
    assert [path.read_text() for path in parent.rglob("made")] == ["x"]


def test_nothing_is_built_if_no_entry_is_a_program(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, player=PlayerKind.TRUSTED, level="")
    parent = tmp_path / "parent"
    parent.mkdir()
    build_programs(run, parent)
    assert list(parent.iterdir()) == []


@pytest.mark.parametrize("level", ["", "C", "D"])
def test_levels_without_isolation_are_not_checked(tmp_path, level):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, level=level)
    (tmp_path / "bot.py").unlink()  # no player could be started
    require_hidden(run, tmp_path)


needs_isolation = pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")


@needs_isolation
@pytest.mark.slow
def test_players_of_all_folders_can_open_no_file_of_the_run(tmp_path):
    run = new_run(tmp_path, {"bot": DRAWS_ALL}, level=str(probe().level), timeout_s=5.0)
    run.entries[0].records_path.write_text("")
    require_hidden(run, tmp_path)


@needs_isolation
def test_players_open_neither_the_run_nor_another_one_nor_a_seed_even_in_a_folder_that_they_may_read(
    tmp_path, monkeypatch
):
    state = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    monkeypatch.setenv(cache_folder.VARIABLE, str(tmp_path))  # where players read compiled kernels
    whole = new_run(tmp_path, {"bot": DRAWS_ALL}, level=str(probe().level), timeout_s=5.0, n_games=4)
    part = Run(prepare(whole, 1, 2), may_be_part=True)
    secrets = [part.folder / "run.json", whole.folder / "run.json", folder_of(whole, 2, 2) / "run.json"]
    secrets += [state / "wordpl" / "seeds" / "c0ffee", tmp_path / "open.txt"]
    for file in secrets:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    parent = tmp_path / "parent"
    parent.mkdir()
    with player_pool(part, parent) as pool:
        assert pool.opened(part.info.entries[0], part.info.config, secrets) == [str(secrets[-1])]
        with pytest.raises(UserError, match=r"could read .*open\.txt, which must be hidden from it\. Move it"):
            require_unreadable(part.info, pool, secrets, " Move it")


class Pool:
    """A pool that starts no player: what it is told to hide and to let a player open."""

    opened_files: ClassVar[list] = []

    def __init__(self, lists, parent, hidden, store):
        self.hidden, self.store = hidden, store

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def opened(self, entry, config, files):
        self.opened_files[:] = files
        return []


def test_a_player_tries_whatever_it_could_learn_from(tmp_path, monkeypatch):
    monkeypatch.setattr(isolation, "PlayerPool", Pool)
    monkeypatch.setattr(isolation.official, "find", lambda run: tmp_path / "seed")
    monkeypatch.setattr(isolation.official, "folders", lambda run: [tmp_path / "seeds"])
    whole = new_run(tmp_path, {"bot": DRAWS_ALL}, player=PlayerKind.TRUSTED, level="", n_games=4)
    part = Run(prepare(whole, 1, 2), may_be_part=True)
    (tmp_path / "new").mkdir()
    beside = new_run(tmp_path / "new", {"bot": DRAWS_ALL}, player=PlayerKind.TRUSTED, level="")
    beside.folder.rename(whole.folder.parent / "beside")
    hidden = {whole.folder, whole.folder.parent / "beside", tmp_path / "seeds"}
    assert set(player_pool(whole, tmp_path).hidden) == hidden
    assert player_pool(whole, tmp_path).store.folder == whole.store.folder
    assert {part.folder, whole.folder} <= set(player_pool(part, tmp_path).hidden)
    for run, seed, of_the_seed in (
        (whole, "x", []), (whole, None, [tmp_path / "seed"]), (part, None, [part.folder / "draws.json"])
    ):  # fmt: skip
        run.info.seed, run.info.config = seed, replace(run.info.config, player=PlayerKind.PROCESS, level="A")
        run.entries[0].records_path.touch()
        require_hidden(run, tmp_path)
        own = [run.folder / "run.json", run.folder / LOCK, run.entries[0].records_path]
        own += [whole.folder / "run.json"] if run is part else []
        assert Pool.opened_files == [*own, *of_the_seed]


def test_programs_alone_are_built(tmp_path, monkeypatch):
    built = []
    monkeypatch.setattr(Pool, "build", lambda pool, entry, config: built.append(entry.name), raising=False)
    monkeypatch.setattr(isolation, "PlayerPool", Pool)
    run = run_with_program(tmp_path)
    run.info.entries.append(replace(run.info.entries[1], name="hosted", slug="hosted", kind="echo"))
    build_programs(run, tmp_path)
    assert built == ["program"]
