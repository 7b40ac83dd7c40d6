"""A finished run that differs from its seal is shown, rewritten and published by no command, unless told to."""

import json
import random
import re
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

import wordpl as package
from tests.helpers.apps import needed
from tests.helpers.cases import one_quick_of
from tests.helpers.cli import wordpl
from tests.helpers.runs import DRAWS_ALL, new_run, resume
from tests.hostile.test_published_runs import READING, WRITING
from wordpl.core.messages import UserError
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import Run, RunRecords

N_GAMES, N_LOST = 30, 27
COMMANDS = READING | WRITING
SAYS = re.compile(r"is damaged|[Dd]iffer|is not a match|is not a search|plays wordpl/1|play at level D|is not a record")
"""What is said of a damaged run, or of a run that the command could not use anyway."""


@pytest.fixture(scope="module")
def sealed(tmp_path_factory):
    """A sealed run of two entries, with its tables."""
    run = new_run(tmp_path_factory.mktemp("sealed"), {"bot": DRAWS_ALL, "other": DRAWS_ALL}, n_games=N_GAMES, repeats=4)
    resume(run, jobs=1).play()
    RunReport(RunRecords(Run(run.folder))).write()
    return run.folder


def lose(run: Path, n_lost: int) -> None:
    """Remove the last records, one entry after the other."""
    for n_of_entry, path in zip((n_lost // 2, n_lost - n_lost // 2), sorted(run.glob("records/*")), strict=True):
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[: len(lines) - n_of_entry]))


def edited(run: Path, generator: random.Random) -> None:
    """Damage one file that the seal covers."""
    parts = ("records", "fingerprints", "repeats")
    path = generator.choice(sorted(path for part in parts for path in run.glob(f"{part}/*")))
    lines = path.read_bytes().splitlines(keepends=True)
    at = generator.randrange(len(lines))
    kind = generator.choice(["lost", "twice", "torn", "byte", "gone", "swapped"])
    if kind == "lost":
        del lines[at]
    elif kind == "twice":
        lines.append(lines[at])
    elif kind == "torn":
        lines[-1] = lines[-1][: generator.randrange(1, len(lines[-1]) - 1)]
    elif kind == "byte":
        place = generator.randrange(len(lines[at]) - 1)
        lines[at] = lines[at][:place] + bytes([lines[at][place] ^ 1]) + lines[at][place + 1 :]
    elif kind == "swapped" and len(lines) > 1:
        lines[at], lines[at - 1] = lines[at - 1], lines[at]
    path.write_bytes(b"" if kind == "gone" else b"".join(lines))


def damages() -> dict[str, Callable[[Path], None]]:
    """Return 30 ways to damage the run, by name."""
    found = {f"{n_lost} records lost": lambda run, n=n_lost: lose(run, n) for n_lost in (1, 2, N_LOST, 60)}
    for number in range(26):
        found[f"edit {number}"] = lambda run, number=number: edited(run, random.Random(number))
    return found


DAMAGES = damages()
QUICK = f"{N_LOST} records lost"


def contents(folder: Path) -> dict[str, str]:
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != ".lock"]
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in paths}


def answered(folder: Path, name: str) -> str:
    """Return what a command says of the damaged run in this folder, which it must leave as it is."""
    out = folder / "out"
    out.mkdir(exist_ok=True)
    shutil.copy(folder / "results" / "run" / "added.txt", folder / "added.py")
    before = contents(folder)
    places = {"RUN": folder / "results" / "run", "RESULTS": folder / "results"}
    words = [str(places.get(word, word.replace("OUT", str(out)))) for word in COMMANDS[name]]
    result = wordpl(*words)
    assert result.exit_code == 1, result.output
    assert contents(folder) == before
    return result.output


def damaged(sealed: Path, folder: Path, name: str) -> Path:
    run = folder / "results" / "run"
    shutil.copytree(sealed, run)
    (run / "added.txt").write_text(DRAWS_ALL)
    before = contents(run)
    DAMAGES[name](run)
    if contents(run) == before:
        pytest.skip("two equal lines were swapped")
    return run


@pytest.mark.parametrize("name", one_quick_of(3, COMMANDS))
def test_a_command_answers_a_run_that_lost_27_of_60_records_with_a_sentence(sealed, tmp_path, name):
    damaged(sealed, tmp_path, QUICK)
    assert SAYS.search(answered(tmp_path, name))


@pytest.mark.long
@pytest.mark.parametrize("name", DAMAGES)
def test_every_command_answers_a_damaged_run_with_a_sentence(sealed, tmp_path, name):
    damaged(sealed, tmp_path, name)
    for command in COMMANDS:
        assert SAYS.search(answered(tmp_path, command)), command


def test_a_call_answers_as_commands_do(sealed, tmp_path):
    run = damaged(sealed, tmp_path, QUICK)
    calls = [
        lambda: package.load_run(run),
        lambda: package.load_moves(run),
        lambda: package.Run(run).leaderboard(),
        lambda: package.Run(run).plot(),
        lambda: package.RunReport.of(run),
        lambda: package.publish_run(run, tmp_path / "run.zip", with_entries=True),
    ]
    for call in calls:
        with pytest.raises(UserError, match=r"is damaged: the records of .* are not those of its seal"):
            call()
    assert not package.Run(run).verify().holds
    assert len(package.load_run(run, damaged=True)) == 2 * N_GAMES - N_LOST
    assert len(package.load_moves(run, damaged=True).drop_duplicates(["entry", "game"])) == 2 * N_GAMES - N_LOST


@pytest.mark.slow
def test_whoever_asks_for_a_damaged_run_reads_that_on_the_page(sealed, tmp_path):
    run, page = damaged(sealed, tmp_path, QUICK), tmp_path / "page.html"
    assert wordpl("report", run, "-o", page, "--damaged").exit_code == 0
    assert "is damaged: the records of" in page.read_text()
    assert "is damaged" in package.RunReport.of(run, damaged=True).markdown()
    assert wordpl("report", run, "--boards", "--damaged").exit_code == 2


def test_the_server_says_it_in_place_of_the_page(sealed, tmp_path):
    pytest.importorskip("starlette", reason='needs pip install "wordpl[serve]"')
    with pytest.raises(UserError, match="is damaged"):
        needed("web.pages").run_page(damaged(sealed, tmp_path, QUICK), 1000)


def test_a_run_without_its_seal_is_damaged(sealed, tmp_path):
    shutil.copytree(sealed, tmp_path / "run")
    path = tmp_path / "run" / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"seal": None}))
    assert "it has changed since it finished" in wordpl("report", path.parent, "--boards").stderr
