"""Compilation in advance, and its messages."""

import os
import subprocess
import sys

import pytest

from wordpl.cli import _output
from wordpl.kernels import compile_events

MISSING = """
from wordpl.kernels import compiled
from wordpl.players import shared_kernels
from wordpl.cli.warm_up import compile_all
compile_all()
print([kernel.py_func.__name__ for kernel in compiled.kernels() if compiled.needs_compilation(kernel)])
"""


@pytest.mark.long  # compiles for half a minute where nothing has been compiled yet
def test_a_warm_up_compiles_every_kernel():
    result = subprocess.run([sys.executable, "-c", MISSING], capture_output=True, text=True, timeout=280, check=True)
    assert result.stdout.strip() == "[]"


@pytest.fixture(autouse=True)
def fresh_line(monkeypatch):
    """Use a new status line, as other tests may have shown their message already."""
    monkeypatch.setattr(_output, "LINE", _output.StatusLine())


def test_without_a_terminal_compilation_is_reported_in_one_line(capfd):
    with _output.compilation_shown():
        for n_done in range(5):
            compile_events.publish(n_done, 5)
        compile_events.publish(5, 5)
    assert capfd.readouterr().err == "compiling, once for this machine; it takes about half a minute\n"


def test_on_a_terminal_compilation_shows_a_count_and_clears_it(monkeypatch, capfd):
    monkeypatch.setattr(sys, "stderr", Terminal(sys.stderr))
    with _output.compilation_shown():
        for n_done in range(3):
            compile_events.publish(n_done, 3)
        compile_events.publish(3, 3)
    messages = capfd.readouterr().err.split("\r\x1b[K")
    assert messages == ["", *(f"compiling, once for this machine: {number} of 3" for number in (1, 2, 3)), ""]


class Terminal:
    """A stream that claims to be a terminal."""

    def __init__(self, stream):
        self._stream = stream

    def isatty(self):
        return True

    def __getattr__(self, name):
        return getattr(self._stream, name)


@pytest.mark.slow
def test_observers_are_notified_of_compiled_kernels(tmp_path, monkeypatch):
    (tmp_path / "fresh_kernel.py").write_text(
        "from wordpl.kernels.compiled import kernel\n\n@kernel\ndef double(value):\n    return 2 * value\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    from fresh_kernel import double

    events = []
    with compile_events.observe(lambda *progress: events.append(progress)):
        assert double(3) == 6
    assert events[0][0] < events[0][1]
    assert events[-1][0] == events[-1][1]


INTERRUPTED = """
import os, signal
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
from wordpl.cli import main
signal.setitimer(signal.ITIMER_REAL, 0.5)
main(["warm-up"])
"""


@pytest.mark.slow
def test_ctrl_c_in_a_warm_up_ends_it_with_130_and_no_traceback(tmp_path):
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", INTERRUPTED]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert result.returncode == 130
    assert "Traceback" not in result.stderr
    assert result.stderr.endswith("Stopped.\n")
