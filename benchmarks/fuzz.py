"""Fuzz the readers of files that others make: none may fail with a traceback, hang, or use much memory.

Run `python -m benchmarks.fuzz --minutes 10`. Hypothesis draws the inputs from committed seeds: valid files of each kind
in which values were replaced, removed, repeated or nested, with digests that fit again in half of them, and files that
were cut or mixed. A reader may return or raise a UserError. It has MAX_S seconds of CPU time.
"""

import csv
import gzip
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from benchmarks.fuzz_readers import JSON, Reader, readers
from wordpl.cli import warm_up
from wordpl.core.messages import UserError

SEEDS = (20261121, 20261122, 20261123)
"""The seeds of the inputs."""
MAX_S = 2.0
"""The CPU time within which a reader must end."""
MAX_WAIT_S = 60.0
"""The time within which it must end on a busy machine; a reader that waits for ever uses no CPU time."""
MAX_MIB = 500
MAX_REPEATED = 10_000_000
"""The characters that a repeated value may take: what a reader uses is measured, not the inputs that are drawn."""
PART = 50
"""The inputs that are drawn at a time; the clock is read between them."""
SPECIAL: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**63, 10**30, 1e308, -1e308, 0.1, float("nan"), float("inf"), "", "\0", "../..",
    "/dev/zero", "a" * 5000, [], {}, "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"), "🟩" * 50,
    "<script>", "=1+1", [[]], {"": None}, "crane", "wordpl/1", "2026-01-01T00:00:00+00:00", "0" * 64, "(" * 3000,
)  # fmt: skip
LEAVES = st.one_of(
    st.sampled_from(SPECIAL), st.sampled_from(SPECIAL), st.integers(), st.floats(), st.text(max_size=12), st.booleans()
)
PROCESSES = multiprocessing.get_context("fork")
Draw = Callable[[st.SearchStrategy[Any]], Any]


class SlowError(BaseException):
    """A reader took too long; no reader catches it."""


def change(draw: Draw, value: Any) -> Any:
    """Return plain values with one of them replaced, removed, repeated or nested."""
    kind = draw(st.integers(0, 19))
    if isinstance(value, dict) and value and kind < 18:
        name = draw(st.sampled_from(sorted(value)))
        if kind < 2:
            return {other: part for other, part in value.items() if other != name}
        if kind < 3:
            return value | {draw(st.sampled_from(("x", "", "format", "__class__"))): draw(LEAVES)}
        return value | {name: change(draw, value[name])}
    if isinstance(value, list) and value and kind < 18:
        place = draw(st.integers(0, len(value) - 1))
        if kind < 2:
            return value[:place] + value[place + 1 :]
        if kind < 4:
            count = draw(st.sampled_from((1, 2, 100)))
            return value + [value[place]] * (count if len(repr(value[place])) * count < MAX_REPEATED else 1)
        return [*value[:place], change(draw, value[place]), *value[place + 1 :]]
    if isinstance(value, str) and value and kind < 8:
        place = draw(st.integers(0, len(value) - 1))
        return value[:place] + draw(st.sampled_from(("", "\0", "\n", "c", ".", "9", "/", "🟩"))) + value[place + 1 :]
    if kind == 19:
        nested: Any = value
        for _ in range(draw(st.sampled_from((5, 40, 400)))):
            nested = [nested]
        return nested
    return draw(LEAVES)


@st.composite
def inputs(draw: Draw, reader: Reader) -> bytes:
    """Draw an input made from a valid one: mostly of its structure, sometimes torn or mixed bytes."""
    kind = draw(st.integers(0, 9))
    if kind < 7:
        value = reader.form.parse(reader.valid)
        for _ in range(draw(st.sampled_from((1, 1, 2, 4)))):
            value = change(draw, value)
        if reader.sealed and draw(st.booleans()):
            with suppress(Exception):  # values that cannot be sealed are given as they are
                value = reader.sealed(value)
        try:
            return reader.form.write(value)
        except RecursionError:  # nested too deep to be written in this form
            return reader.valid
    data = reader.valid
    if kind == 7:
        lines = data.splitlines(keepends=True)
        place, count = draw(st.integers(0, len(lines) - 1)), draw(st.sampled_from((0, 2, 50)))
        return b"".join(lines[:place] + lines[place : place + 1] * count + lines[place + 1 :])
    if kind == 8:
        begin, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        pieces = (b"", b"\0" * 100, b"[" * 3000, b"\xff\xfe", b"\n\n", b"9" * 5000, gzip.compress(bytes(1 << 16)))
        return data[:begin] + draw(st.sampled_from(pieces)) + data[end:]
    return draw(st.binary(max_size=200))


@contextmanager
def limited() -> Iterator[None]:
    """Raise SlowError in this thread after MAX_S seconds of CPU time, or after MAX_WAIT_S seconds."""

    def late(*args: object) -> None:
        raise SlowError

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, MAX_S), (signal.SIGALRM, signal.ITIMER_REAL, MAX_WAIT_S))
    for number, timer, seconds in timers:
        signal.signal(number, late)
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for _, timer, _ in timers:
            signal.setitimer(timer, 0)


def attempt(reader: Reader, data: bytes, path: Path) -> str:
    """Return how a reader ended: "read", "refused", or what is wrong with it."""
    path.write_bytes(data)
    try:
        with limited():
            reader.read(path)
        outcome = "read"
    except UserError:
        outcome = "refused"
    except SlowError:
        return f"slower than {MAX_S:g} s"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}"
    used = peak_mib()
    return outcome if used <= MAX_MIB else f"{used} MiB of memory"


def peak_mib() -> int:
    """Return the largest memory that this process has used, in MiB; the libraries of all readers take most of it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10


Tried = list[tuple[bytes, str]]
"""Inputs with their outcomes; those that were read or refused are left out."""


def fuzz_reader(reader: Reader, n_inputs: int, number: int, path: Path, until: float) -> Iterator[tuple[Tried, int]]:
    """Yield parts of the inputs of a reader with their outcomes, and the largest memory in MiB.

    Each part has a process of its own, so that none has what the libraries keep of earlier ones.

    Args:
        reader: The reader.
        n_inputs: The number of inputs.
        number: The seed.
        path: The file to write them to.
        until: The time after which no more are tried.
    """
    for part in range(-(-n_inputs // PART)):
        if time.monotonic() > until:
            return
        code = zlib.crc32(f"{number} {reader.name} {part}".encode())
        receiver, sender = PROCESSES.Pipe(duplex=False)
        wanted = reader, min(PART, n_inputs - part * PART), code, path, sender
        process = PROCESSES.Process(target=_try_inputs, args=wanted)
        process.start()
        sender.close()
        try:
            yield receiver.recv()
        except EOFError:
            yield [(b"", "the process was killed")], 0
        process.join()


def _try_inputs(reader: Reader, n_inputs: int, code: int, path: Path, sender: Connection) -> None:
    """Send inputs of a reader that are drawn with this seed, with their outcomes."""
    tried: Tried = []

    @seed(code)
    @settings(max_examples=n_inputs, database=None, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(inputs(reader))
    def one(data: bytes) -> None:
        outcome = attempt(reader, data, path)
        tried.append((data if outcome not in ("read", "refused") else b"", outcome))

    one()
    sender.send((tried, peak_mib()))


def read_valid(all_readers: list[Reader], path: Path) -> None:
    """Check that each reader accepts what its inputs are made from."""
    for reader in all_readers:
        reader_path = path.with_suffix(".json") if reader.form is JSON else path
        reader_path.write_bytes(reader.valid)
        reader.read(reader_path)


def draw_text() -> None:
    """Draw a text."""

    @settings(max_examples=1, database=None, phases=[Phase.generate])
    @given(st.text(min_size=1))
    def one(text: str) -> None:
        assert text

    one()


def prepare(all_readers: list[Reader], path: Path) -> None:
    """Let processes of their own fill caches: a compiler, or hypothesis's table of characters, keeps 200 MiB of one."""
    for target, arguments in ((warm_up.compile_all, ()), (read_valid, (all_readers, path)), (draw_text, ())):
        process = PROCESSES.Process(target=target, args=arguments)
        process.start()
        process.join()


def fuzz(
    n_inputs: int, minutes: float, numbers: tuple[int, ...], keep: Path | None
) -> tuple[Counter[tuple[str, str]], list[str], Counter[str]]:
    """Return how many inputs each reader read and refused, a line for each that failed, and the memory in MiB."""
    counts, failures, peaks = Counter[tuple[str, str]](), list[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="wordpl-fuzz-") as name:
        path = Path(name) / "input"
        all_readers = readers(Path(name))
        prepare(all_readers, path)
        read_valid(all_readers, path)
        until = time.monotonic() + 60 * minutes
        share = -(-n_inputs // (len(all_readers) * len(numbers)))
        for number in numbers:
            for reader in all_readers:
                for tried, peak in fuzz_reader(reader, share, number, path, until):
                    peaks[reader.name] = max(peaks[reader.name], peak)
                    for data, outcome in tried:
                        is_fine = outcome in ("read", "refused")
                        counts[reader.name, outcome if is_fine else "failed"] += 1
                        if not is_fine:
                            failures.append(f"{reader.name}, seed {number}: {outcome}")
                            if keep:
                                keep.mkdir(exist_ok=True)
                                (keep / f"{len(failures)}-{reader.name.replace('/', '-')}").write_bytes(data)
    return counts, failures, peaks


@click.command()
@click.option("--minutes", default=10.0, show_default=True, help="Stop after this time.")
@click.option("--inputs", "n_inputs", default=20_000, show_default=True, help="Number of inputs of all seeds together.")
@click.option("--seed", "seeds", type=int, multiple=True, help="Seed of the inputs. [default: the committed ones]")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder in which failing inputs are kept.")
@click.option("--save", type=click.Path(path_type=Path), help="CSV file for the number of inputs of each reader.")
def main(minutes: float, n_inputs: int, seeds: tuple[int, ...], keep: Path | None, save: Path | None) -> None:
    """Fuzz the readers of files that others make."""
    began, chosen = time.monotonic(), seeds or SEEDS
    counts, failures, peaks = fuzz(n_inputs, minutes, chosen, keep)
    table = [
        [name, *(counts[name, kind] for kind in ("read", "refused", "failed")), peaks[name]]
        for name in dict.fromkeys(name for name, _ in counts)
    ]
    for name, *shown in table:
        click.echo(f"{name:<40}" + "".join(f"{number:>9,}" for number in shown))
    for line in failures[:50]:
        click.echo(line)
    tried = f"{counts.total():,} inputs in {time.monotonic() - began:.0f} s, {len(failures)} failures"
    numbers = " ".join(map(str, chosen))
    facts = f"{datetime.now(UTC):%Y-%m-%d}: {tried}, peak memory {max(peaks.values())} MiB, seeds {numbers}."
    click.echo(facts)
    if save:
        with save.open("w", newline="") as file:
            file.write(f"# {facts}\n")
            csv.writer(file, lineterminator="\n").writerows(
                [["reader", "read", "refused", "failed", "peak_mib"], *table]
            )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "120")
    main()
