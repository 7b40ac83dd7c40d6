"""Before the first game, programs are built, and files that players must not read are verified to be hidden."""

import pytest
from msgspec.structs import replace

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest.isolation import build_programs, player_pool, require_hidden, require_unreadable
from wordpl.contest.parts import folder_of, prepare
from wordpl.core.messages import UserError
from wordpl.kernels import cache_folder
from wordpl.players.sandbox.probe import probe
from wordpl.run.bundle import Bundle
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run

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
