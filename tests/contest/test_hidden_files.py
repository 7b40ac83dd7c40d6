"""Before the first game, programs are built, and files that players must not read are verified to be hidden."""

import pytest
from msgspec.structs import replace

from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.contest.isolation import build_programs, require_hidden
from wordpl.players.sandbox.probe import probe
from wordpl.run.bundle import Bundle
from wordpl.run.config import PlayerKind

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
