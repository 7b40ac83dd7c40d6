"""Compare the CPU time and the memory of whole commands in two checkouts.

    python -m benchmarks.interleaved --against ../older
    python -m benchmarks.interleaved --against ../older --times 5 -- verify results/official

Both run each command by turns, in random order and without cached results, so that other load affects both alike.
"""

import os
import random
import shlex
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import click

from wordpl.core.paths import IMPORT_ROOT

COMMANDS = (
    "--help",
    "suggest tares:.....",
    "solve --opener salet --exact",
    "solve --hard --opener salet --exact",
    "solve --hard --opener rathe --exact",
    "report results/bundled --boards",
    "verify results/bundled",
)
"""The commands of wordpl that are compared if none is given."""


def measure(command: list[str], cache: Path, checkout: Path = IMPORT_ROOT) -> tuple[float, float]:
    """Run a command in a checkout, without cached results; return its CPU time in seconds, and its peak in MiB."""
    variables = {**os.environ, "XDG_CACHE_HOME": str(cache), "PYTHONPATH": str(checkout)}
    process = subprocess.Popen(
        command, env=variables, cwd=checkout, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise click.ClickException(f"{command} in {checkout} ended with {os.waitstatus_to_exitcode(status)}")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def compare(words: list[str], checkouts: list[Path], times: int) -> None:
    """Print the median and the extremes of the CPU times of a command in each checkout, and its largest memory."""
    found: dict[Path, list[tuple[float, float]]] = {checkout: [] for checkout in checkouts}
    for number in range(times + 1):
        for checkout in random.sample(checkouts, len(checkouts)):
            with TemporaryDirectory() as cache:
                result = measure([sys.executable, "-m", "wordpl", *words], Path(cache), checkout)
            if number:  # the first may compile
                found[checkout].append(result)
    click.echo(shlex.join(words))
    for checkout, results in found.items():
        seconds, mib = zip(*results, strict=True)
        spread = f"{median(seconds):8.3f} CPU s ({min(seconds):.3f} to {max(seconds):.3f}), {max(mib):.0f} MiB"
        click.echo(f"  {os.path.relpath(checkout):30} {spread}")


@click.command()
@click.option("--against", type=click.Path(exists=True, file_okay=False, path_type=Path), help="The other checkout.")
@click.option("--times", default=7, show_default=True, type=click.IntRange(1))
@click.argument("words", nargs=-1, type=click.UNPROCESSED)
def main(against: Path | None, times: int, words: tuple[str, ...]) -> None:
    """Compare a command of wordpl, or a fixed set of them."""
    checkouts = [Path(IMPORT_ROOT), *([against.resolve()] if against else [])]
    for command in [list(words)] if words else map(shlex.split, COMMANDS):
        compare(command, checkouts, times)


if __name__ == "__main__":
    main()
