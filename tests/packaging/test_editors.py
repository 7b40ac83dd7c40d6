"""Editors and type checkers find the package in an editable install, and its types suffice for what the docs show."""

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.helpers.paths import HOME

PAGES = ("library", "tutorial")
TRAINERS = ("grpo.py", "openenv_client.py", "reinforce.py")
"""Examples that are no entries: they train agents, some with packages that the tests do not install."""
SETTINGS = '{"typeCheckingMode": "strict"}'


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Return a folder with the examples and with each block of Python of the pages for authors."""
    folder = tmp_path_factory.mktemp("shown")
    for example in (HOME / "examples").glob("*.py"):
        if example.name in TRAINERS:
            continue
        (folder / example.name).write_text(example.read_text())
    for page in PAGES:
        found = re.findall(r"```python\n(.*?)```", (HOME / "docs" / f"{page}.md").read_text(), re.DOTALL)
        assert found
        for number, block in enumerate(found):
            (folder / f"{page}_{number}.py").write_text(block)
    (folder / "pyrightconfig.json").write_text(SETTINGS)
    return folder


def require_success(folder, *command):
    environment = os.environ | {"PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_pyright_finds_no_error_in_what_the_documentation_shows(shown):
    require_success(shown, "pyright", "--pythonpath", sys.executable)


@pytest.mark.long
def test_mypy_finds_no_error_in_what_the_documentation_shows(shown):
    require_success(shown, "mypy", *(path.name for path in shown.glob("*.py")))


def test_an_editable_install_puts_the_package_alone_on_the_module_path():
    lines = [
        line
        for file in Path(sysconfig.get_path("purelib")).glob("__editable__*wordpl*.pth")
        for line in file.read_text().splitlines()
    ]
    if not lines:
        pytest.skip("the package is not installed as editable")
    (folder,) = map(Path, lines)
    assert [path.name for path in folder.iterdir()] == ["wordpl"]
    assert (folder / "wordpl").resolve() == (HOME / "wordpl").resolve()
