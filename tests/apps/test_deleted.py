"""Each folder of wordpl/apps can be deleted: the rest imports, and its commands and public names say what is gone."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.paths import HOME
from wordpl.cli import APP_MODULES

APPS = sorted(path.parent.name for path in (HOME / "wordpl" / "apps").glob("*/__init__.py"))
PROGRAM = """
import os, pkgutil, sys
from importlib import import_module, invalidate_caches
from pathlib import Path

import wordpl

package = Path(wordpl.__file__).parent
assert package == Path(sys.argv[1]).resolve() / "wordpl", package

def import_below(module):
    for found in pkgutil.walk_packages(module.__path__, f"{module.__name__}.", onerror=lambda name: 1 / 0):
        if ".templates" not in found.name and not found.name.endswith("__main__"):
            try:
                import_module(found.name)
            except ModuleNotFoundError as error:
                if error.name != "openenv":  # which the environment of tests lacks: .ci/long installs it
                    raise

for part in package.iterdir():  # the spine, once for all
    if part.name not in ("apps", "data", "bundled") and (part / "__init__.py").is_file():
        import_below(import_module(f"wordpl.{part.name}"))
import_below(import_module("wordpl.apps"))  # and the libraries of all apps
for name in [name for name in sys.modules if name.startswith("wordpl.apps")]:
    del sys.modules[name]
for missing in sys.argv[2:]:
    folder = package / "apps" / missing
    folder.rename(package.parent / missing)
    invalidate_caches()
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0, missing
    else:
        import_below(import_module("wordpl.apps"))
        os._exit(0)
    (package.parent / missing).rename(folder)
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package, whose files are links to those of the checkout, with nobody else's files around it."""
    folder = tmp_path_factory.mktemp("copy")

    def link(source, target):
        try:
            os.link(source, target)
        except OSError:  # on another file system
            shutil.copy2(source, target)

    shutil.copytree(HOME / "wordpl", folder / "wordpl", copy_function=link)
    for name in ("answers.txt", "valid.txt"):
        shutil.copy(HOME / name, folder)
    return folder


def python(folder: Path, *words: object) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *map(str, words)]
    environment = os.environ | {"PYTHONPATH": str(folder), "NUMBA_DISABLE_JIT": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240)


@pytest.mark.long
def test_all_the_rest_imports_without_any_one_app(copy):
    done = python(copy, "-c", PROGRAM, copy, *APPS)
    assert done.returncode == 0, done.stderr[-2000:]


PUBLIC = {"season": ["Season"], "workbench": ["Match", "MatchTerms", "TuneTerms", "Tuner", "analyse", "profile"]}
CALLS = """
import sys

import wordpl
from wordpl.cli import main

for name in ["--help", *sys.argv[1].split()]:
    try:
        main([name])
    except SystemExit as error:
        assert error.code == (name != "--help")
for name in sys.argv[2].split():
    try:
        getattr(wordpl, name)
    except ModuleNotFoundError as error:
        print(error, file=sys.stderr)
"""


@pytest.mark.parametrize("app", sorted({module.partition(".")[0] for module in APP_MODULES.values()}))
def test_a_missing_app_is_named_by_its_commands_and_public_names(copy, app):
    commands = [name for name, module in APP_MODULES.items() if module.startswith(f"{app}.")]
    names = PUBLIC.get(app, [])
    if app not in APPS:
        pytest.skip(f"wordpl/apps/{app} is deleted already")
    shutil.move(copy / "wordpl" / "apps" / app, copy / app)
    try:
        done = python(copy, "-c", CALLS, " ".join(commands), " ".join(names))
    finally:
        shutil.move(copy / app, copy / "wordpl" / "apps" / app)
    missing = f"belongs to the folder wordpl/apps/{app}, which is not installed."
    said = [line for line in done.stderr.splitlines() if line]
    assert [line.removeprefix("Error: ") for line in said] == [
        *(f"wordpl {name} {missing}" for name in commands),
        *(f"wordpl.{name} {missing}" for name in names),
    ]
    assert not {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")} & set(commands)
