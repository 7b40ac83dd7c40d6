"""Run the quick tests several times beside busy processes, with SIGINT ignored as a background shell job inherits it.

Run `python -m benchmarks.busy_suite [--runs N] [--busy N] [PYTEST OPTIONS...]`. Each line has the outcome, the
wall-clock time and the CPU time of a run; the exit code is 1 if a run failed.
"""

import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import click


@contextmanager
def busy_processes(number: int) -> Iterator[None]:
    """Keep this many processes busy."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(number)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def run_suite(options: tuple[str, ...]) -> tuple[bool, str]:
    """Run the tests; return whether they passed, and the output."""
    command = [sys.executable, "-m", "pytest", "-q", *options]
    completed = subprocess.run(
        command, capture_output=True, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)
    )
    return completed.returncode == 0, completed.stdout + completed.stderr


def children_cpu_s() -> float:
    """Return the CPU time of all child processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@click.command(context_settings={"ignore_unknown_options": True})
@click.option("--runs", default=5, show_default=True, metavar="N")
@click.option("--busy", default=4, show_default=True, metavar="N", help="Busy processes.")
@click.argument("options", nargs=-1)
def main(runs: int, busy: int, options: tuple[str, ...]) -> None:
    """Run the quick tests several times beside busy processes."""
    n_failed = 0
    with busy_processes(busy):
        for number in range(1, runs + 1):
            began, cpu_before = time.monotonic(), children_cpu_s()
            has_passed, output = run_suite(options)
            n_failed += not has_passed
            cpu_s = children_cpu_s() - cpu_before
            print(f"run {number}: {output.strip().splitlines()[-1]}; {cpu_s:.0f} CPU s, "
                  f"{time.monotonic() - began:.0f} s in all", flush=True)  # fmt: skip
            if not has_passed:
                print(output, flush=True)
    sys.exit(1 if n_failed else 0)


if __name__ == "__main__":
    main()
