"""Print the functions and files that a command enters, in the order in which a reader would visit them.

    python -m benchmarks.entered evaluate nothing.py --games 1 --trust
    python -m benchmarks.entered report results/official -o page.html

Only the process of the command and its threads are followed: players, workers and the helper that reads sources are
processes of their own. Lambdas and comprehensions belong to the function around them; what a module does while it is
imported is not counted. The command's own output goes to standard error.
"""

import sys
import threading
from contextlib import redirect_stdout
from types import CodeType, FrameType
from typing import Any

from wordpl.core.paths import IMPORT_ROOT, PACKAGE

entered: dict[CodeType, int] = {}
"""How often each function was entered, in the order of the first calls."""
_is_followed: dict[CodeType, bool] = {}


def follow(frame: FrameType, event: str, _argument: Any) -> None:
    """Count a call; a profile function of Python."""
    code = frame.f_code
    if event != "call":
        return
    if code not in _is_followed:
        is_own = code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<")
        _is_followed[code] = is_own and bool(code.co_flags & 0x2)  # CO_NEWLOCALS: no body of a class
    if _is_followed[code] and not _is_imported(frame):
        entered[code] = entered.get(code, 0) + 1


def _is_imported(frame: FrameType | None) -> bool:
    """Return whether the call is made while a module of the package is imported."""
    while frame is not None:
        if frame.f_code.co_name == "<module>" and frame.f_code.co_filename.startswith(str(PACKAGE)):
            return True
        frame = frame.f_back
    return False


def main(arguments: list[str]) -> None:
    """Run the command, and print each function with its file and number of calls, then both counts."""
    from wordpl.cli import main as command

    threading.setprofile(follow)
    sys.setprofile(follow)
    code = 0
    try:
        with redirect_stdout(sys.stderr):
            command(arguments, standalone_mode=False)
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    width = max(len(code.co_qualname) for code in entered)
    for function, n_calls in entered.items():
        file = function.co_filename.removeprefix(f"{IMPORT_ROOT}/")
        print(f"{n_calls:9,}  {function.co_qualname:{width}}  {file}:{function.co_firstlineno}")
    files = {function.co_filename for function in entered}
    print(f"{len(entered)} functions in {len(files)} files")
    raise SystemExit(code)


if __name__ == "__main__":
    main(sys.argv[1:])
