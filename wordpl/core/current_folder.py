"""Keeping Python and libraries from the files of the current folder, and of the folder around the package.

A strategy called queue.py is an entry, not the module of that name. Python would import it from the current folder in
each process that is started with -m or -c, and some libraries obey a file of settings there.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path

from wordpl.core import paths

EMPTY = "/"
"""The current folder of processes that need none. Only root can write to it."""
SAFE_PATH = "PYTHONSAFEPATH"
"""The environment variable that keeps the current folder, and the folder of a script, off `sys.path`."""
PATH = "PYTHONPATH"


def python_command(module: str, call: str = "main()", *arguments: str) -> list[str]:
    """Return the command line of a new process that calls a function of this package.

    Args:
        module: The name of its module in the package.
        call: The call.
        arguments: The arguments of the program.
    """
    package, _, name = f"{paths.PACKAGE.name}.{module}".rpartition(".")
    return python_program(f"from {package} import {name}; {name}.{call}", *arguments)


def python_program(source: str, *arguments: str) -> list[str]:
    """Return the command line of a new process that runs a line of source code, which can import this package.

    The package is loaded by its location, so that nothing else in the top folder of a checkout can be imported. The
    folder of an installed package has its libraries, too.
    """
    path, name = paths.PACKAGE / "__init__.py", paths.PACKAGE.name
    libraries = "" if paths.is_checkout() else f"sys.path.append({str(paths.IMPORT_ROOT)!r}); "
    start = (
        f"import sys; from importlib import util; {libraries}"
        f"spec = util.spec_from_file_location({name!r}, {str(path)!r}); package = util.module_from_spec(spec); "
        f"sys.modules[{name!r}] = package; spec.loader.exec_module(package); {source}"
    )
    return [sys.executable, "-P", "-c", start, *arguments]


def safe_variables(variables: Mapping[str, str]) -> dict[str, str]:
    """Return environment variables with which Python imports nothing from the current folder."""
    safe = {**variables, SAFE_PATH: "1"}
    folders = filter(_is_absolute, safe.pop(PATH, "").split(os.pathsep))
    return safe | ({PATH: named} if (named := os.pathsep.join(folders)) else {})


def _is_absolute(folder: str) -> bool:
    return folder.startswith(os.sep)  # an empty one is the current folder


@contextmanager
def safe_environment() -> Iterator[None]:
    """Start processes of other libraries in the block by `safe_variables`: they take the variables of this process."""
    before, safe = dict(os.environ), safe_variables(os.environ)
    changed = [name for name in (SAFE_PATH, PATH) if before.get(name) != safe.get(name)]
    _set(safe, changed)
    try:
        yield
    finally:
        _set(before, changed)


def _set(variables: Mapping[str, str], names: list[str]) -> None:
    for name in names:
        os.environ.pop(name, None)
        if name in variables:
            os.environ[name] = variables[name]


def worker_start() -> Callable[[], None]:
    """Return a function that prepares a worker process of joblib: call it there first.

    It loads this package by its location, which need not be on the worker's `sys.path`, leaves the user's folder, and
    restores the environment variables, which trusted entries inherit.
    """
    return _worker_start(*((name, os.environ.get(name)) for name in (SAFE_PATH, PATH)))


@cache  # joblib keeps its workers as long as they are started by the same function
def _worker_start(*variables: tuple[str, str | None]) -> Callable[[], None]:
    name, file, empty = paths.PACKAGE.name, str(paths.PACKAGE / "__init__.py"), EMPTY

    def start() -> None:  # as it is local, it is pickled by value: the worker need not import it
        import os
        import sys
        from importlib import import_module, util

        for variable, value in variables:
            os.environ.pop(variable, None)
            if value is not None:
                os.environ[variable] = value
        spec = util.spec_from_file_location(name, file)
        if spec and spec.loader and name not in sys.modules:
            package = sys.modules[name] = util.module_from_spec(spec)
            spec.loader.exec_module(package)
        import_module(f"{name}.core.paths").leave_user_folder(empty)

    return start


def forget() -> None:
    """Import nothing from the current folder from now on, even if PYTHONPATH has an empty or relative folder.

    Such a folder is rarely meant: it is what `PYTHONPATH=$PYTHONPATH:/some/folder` adds.
    """
    named = os.environ.get(PATH, "").split(os.pathsep)
    unwanted = {str(Path(folder).absolute()) for folder in named if not _is_absolute(folder)}
    if PATH in os.environ and unwanted:
        sys.path[:] = [folder for folder in sys.path if folder not in unwanted - set(named)]
        _set(safe_variables(os.environ), [PATH])


@contextmanager
def no_settings(name: str) -> Iterator[None]:
    """Import a library in the block, which would obey a file of this name in the current folder: leave the folder.

    Without such a file, nothing happens, as other threads may use the current folder, too.
    """
    if not os.path.lexists(name):
        yield
        return
    with chdir(EMPTY):
        yield
