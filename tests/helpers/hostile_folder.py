"""A folder with every file that Python, a library or git might run or obey if it looked there."""

import importlib.util
import os
import sys
from collections.abc import Iterable
from hashlib import sha256
from importlib.metadata import packages_distributions
from pathlib import Path

TRAP = """
import os
try:
    os.close(os.open({marker!r} + "-" + str(os.getpid()) + "-" + __name__, os.O_CREAT | os.O_WRONLY))
except OSError:
    pass
"""
BOT = """
class Bot:
    game = "wordle/1"
    def first_move(self): return "crane"
    def next_move(self, guess, clues): return "abide"
"""
SETTINGS = {
    ".numba_config.yaml": "cache_dir: evil\ndisable_jit: 1\n",
    "matplotlibrc": "axes.facecolor: red\ntext.usetex: True\nbackend: module://trap\n",
    ".env": "PYTHONSTARTUP=trap.py\nPYTHONPATH=.\nPYTHONINSPECT=1\n",
    ".pdbrc": "import trap\n",
    ".inputrc": '"e": "trap"\n',
    ".pythonrc": "import trap\n",
    "evil.pth": "import trap\n",
    "pyvenv.cfg": "home = evil\ninclude-system-site-packages = true\n",
    f"python{sys.version_info.major}{sys.version_info.minor}._pth": ".\n",
    "pip.conf": "[global]\ntarget = evil\n",
    "pydistutils.cfg": "[install]\nprefix = evil\n",
    "setup.cfg": "[tool:pytest]\naddopts = -p trap\n[build_ext]\ncompiler = evil\n",
    "pytest.ini": "[pytest]\naddopts = -p trap\n",
    "tox.ini": "[pytest]\naddopts = -p trap\n",
    "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p trap'\n[tool.coverage.run]\nplugins = ['trap']\n",
    ".coveragerc": "[run]\nplugins = trap\n",
    "dask.yaml": "distributed:\n  worker:\n    preload: trap\n",
    "distributed.yaml": "distributed:\n  scheduler:\n    preload: trap\n",
    ".config/dask/dask.yaml": "distributed:\n  worker:\n    preload: trap\n",
    "package.json": '{"type": "module", "main": "trap.js"}',
    ".npmrc": "script-shell=./evil\n",
    "openssl.cnf": "openssl_conf = evil\n",
    ".netrc": "default login evil password evil\n",
    "alembic.ini": "[alembic]\nscript_location = .\n",
    "uvicorn.ini": "[uvicorn]\n",
    ".gitattributes": "* filter=trap diff=trap merge=trap\n",
    ".gitmodules": '[submodule "x"]\npath = x\nurl = ext::sh -c ./trap\n',
}
GIT = """[core]
	repositoryformatversion = 1
	bare = false
	fsmonitor = {trap}
	hooksPath = {hooks}
	sshCommand = {trap}
	pager = {trap}
	editor = {trap}
	gitProxy = {trap}
[extensions]
	partialClone = origin
[remote "origin"]
	promisor = true
	url = "ext::{trap}"
[protocol]
	allow = always
[protocol "ext"]
	allow = always
[filter "trap"]
	clean = {trap}
	smudge = {trap}
	process = {trap}
	required = true
[diff]
	external = {trap}
[diff "trap"]
	textconv = {trap}
	command = {trap}
[credential]
	helper = "!{trap}"
[alias]
	ls-tree = "!{trap}"
	rev-parse = "!{trap}"
"""
HOOKS = ("post-checkout", "post-index-change", "pre-commit", "post-commit", "reference-transaction", "pre-auto-gc")
PROGRAMS = ("git", "python", "python3", "sh", "bash", "bwrap", "node", "wordpl", "lscpu", "nice", "chmod", "rm", "evil")
LIBRARIES = ("libc.so.6", "libm.so.6", "libgomp.so.1", "libpython3.so", "libssl.so.3", "_queue.so", "_random.abi3.so")


def module_names() -> list[str]:
    """Return the names of all modules of Python and of installed packages that could be imported from a folder."""
    installed = [name for name in packages_distributions() if name.isidentifier()]
    special = ["sitecustomize", "usercustomize", "conftest", "trap", "strategies", "__init__", "__main__", "setup"]
    return sorted({*sys.stdlib_module_names, *installed, *special} - {"this", "antigravity"})


COMMON = ("json", "joblib", "numpy", "queue", "random", "signal", "wordpl")


def set_traps(folder: Path, marker: Path, *, is_repository: bool = True, modules: Iterable[str] = ()) -> None:
    """Fill a folder with files that leave a file whose name begins with `marker` if somebody runs them.

    All its modules are entries as well. Each of them, such as queue.py, is what a contestant may innocently send.

    Args:
        is_repository: Whether the folder gets a Git repository, with hooks and settings.
        modules: The names of its modules; empty: those of all modules that could be imported.
    """
    folder.mkdir(parents=True, exist_ok=True)
    code = TRAP.format(marker=str(marker)) + BOT
    for name in modules or module_names():
        (folder / f"{name}.py").write_text(code)
    cached = folder / "__pycache__"
    cached.mkdir()
    for name in ("queue", "random", "numpy", "wordpl", "bot"):
        path = importlib.util.cache_from_source(str(folder / f"{name}.py"))
        Path(path).write_bytes(_unchecked_bytecode(code, name))
        (folder / f"{name}.pyc").write_bytes(_unchecked_bytecode(code, name))
    for name, text in SETTINGS.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    program = f"#!/bin/sh\n: > '{marker}-program-'$$\n"
    for name in PROGRAMS:
        _write_program(folder / name, program)
    for name in LIBRARIES:
        (folder / name).write_bytes(b"\x7fELF no library")
    if is_repository:
        _set_repository(folder, program)


def _set_repository(folder: Path, program: str) -> None:
    git = folder / ".git"
    for name in ("hooks", "objects/pack", "refs/heads", "info"):
        (git / name).mkdir(parents=True)
    for name in HOOKS:
        _write_program(git / "hooks" / name, program)
    (git / "HEAD").write_text("ref: refs/heads/main\n")
    (git / "refs" / "heads" / "main").write_text("1" * 40 + "\n")  # an object that git would fetch
    (git / "info" / "attributes").write_text("* filter=trap diff=trap\n")
    (git / "config").write_text(hostile_git_settings(folder))


def hostile_git_settings(folder: Path) -> str:
    """Return settings of a repository that name programs of a folder wherever git would run one."""
    return GIT.format(trap=folder / "evil", hooks=folder / ".git" / "hooks")


def _write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def _unchecked_bytecode(code: str, name: str) -> bytes:
    """Return bytecode that Python takes without a look at the source (PEP 552)."""
    import marshal

    return (
        importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little") + bytes(8) + marshal.dumps(compile(code, name, "exec"))
    )


def contents(*folders: Path) -> dict[str, str]:
    """Return the mode and the digest of each file and folder below these."""
    found = {}
    for top in folders:
        for folder, folders_here, files in os.walk(top):
            for name in [*folders_here, *files]:
                path = Path(folder, name)
                is_plain = path.is_file() and not path.is_symlink()
                digest = sha256(path.read_bytes()).hexdigest() if is_plain else ""
                found[str(path)] = f"{path.lstat().st_mode:o} {digest}"
    return found
