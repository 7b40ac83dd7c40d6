"""Measure how fast the full-screen app responds, by driving it: `python benchmarks/terminal.py`.

For several starts it prints the CPU seconds of the app's own process until its first screen, the wall time until the
first suggestion, the longest time in which the app did not respond while a search was running, and how long a new clue
took to end a search. Wall times are reliable only on an idle machine; the load is printed next to them.
"""

import asyncio
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

STEP_S = 0.01
LONGEST_S = 300.0
RUNNING_S = 3.0
"""Seconds until a search is cancelled."""


@click.command()
@click.option("--starts", default=3, show_default=True, help="How often to start the app.")
@click.option("--cold", is_flag=True, help="Recompile everything, as at the very first start.")
@click.option("--one", is_flag=True, hidden=True)
def benchmark(starts: int, cold: bool, one: bool) -> None:
    """Start the app several times and print the measurements."""
    if one:
        asyncio.run(asyncio.wait_for(measured(), LONGEST_S))
        return
    with tempfile.TemporaryDirectory() as folder:
        own = {name: f"{folder}/{name}" for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")}
        if cold:
            own["NUMBA_CACHE_DIR"] = f"{folder}/numba"
        for number in range(starts):
            own["XDG_DATA_HOME"] = f"{folder}/data{number}"  # no puzzle is left from the start before
            kind = "cold" if cold and not number else "first" if not number else "again"
            print(f"{kind}, load {os.getloadavg()[0]:.1f}: ", end="", flush=True)
            subprocess.run([sys.executable, __file__, "--one"], env=os.environ | own, check=True, timeout=LONGEST_S)


async def measured() -> None:
    """Drive the app once and print a line."""
    began, cpu = time.monotonic(), time.process_time()
    from wordpl.terminal.app.client import WorkerClient

    client = WorkerClient()
    from wordpl.terminal.app import AppOptions
    from wordpl.terminal.app.app import WordplApp

    freezes = Freezes()
    try:
        app = WordplApp(client, AppOptions())
        async with app.run_test(size=(120, 40)) as pilot:
            first_screen_s = time.process_time() - cpu
            watching = asyncio.create_task(freezes.watch())
            screen = app.screen
            await until(lambda: screen.search.ranked)
            suggested_s = time.monotonic() - began
            await until(lambda: client.is_ready)
            await pilot.press(*"tares", "full_stop", "full_stop", "full_stop", "full_stop", "i")
            clued = time.monotonic()
            await pilot.press("enter")
            await until(lambda: screen.search.ranked and screen.search.left and screen.search.left["n"] == 94)
            after_clue_s = time.monotonic() - clued
            cancelled_s = await cancelling(client)
            await pilot.press(*"crony")
            watching.cancel()
    finally:
        client.stop()
    print(
        f"first screen {first_screen_s:.2f} CPU s, first suggestion {suggested_s:.2f} s, "
        f"suggestion after a clue {after_clue_s:.2f} s, longest freeze {freezes.longest_s:.2f} s "
        f"({freezes.longest_cpu_s:.2f} CPU s), a search ended within {cancelled_s:.3f} s"
    )


class Freezes:
    """The longest time between two iterations of the event loop, in wall time and in CPU time of the app."""

    def __init__(self) -> None:
        self.longest_s = self.longest_cpu_s = 0.0

    async def watch(self) -> None:
        """Measure until cancelled."""
        before, cpu_before = time.monotonic(), time.process_time()
        while True:
            await asyncio.sleep(STEP_S)
            now, cpu_now = time.monotonic(), time.process_time()
            self.longest_s = max(self.longest_s, now - before - STEP_S)
            self.longest_cpu_s = max(self.longest_cpu_s, cpu_now - cpu_before)
            before, cpu_before = now, cpu_now


async def cancelling(client: "WorkerClient") -> float:  # noqa: F821 - imported where it is started
    """Return how long an exact search continues after the next request of its channel."""
    from wordpl.terminal.app.setups import Setup

    hard = Setup(exact=True, limit=0, top=200)
    client.submit("solve", "classic", lambda _: None, name="solve", setup=hard, hints=[("qajaq", ".....")])
    await asyncio.sleep(RUNNING_S)
    searching = children(client.pid)
    if not searching:
        raise RuntimeError("the search has ended too early to be cancelled")
    began = time.monotonic()
    client.submit("solve", "classic", lambda _: None, name="solve", setup=hard, hints=[("tares", "....i")])
    await until(lambda: not set(searching) & set(children(client.pid)))
    return time.monotonic() - began


def children(pid: int) -> list[int]:
    """Return the child processes of this process."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


async def until(holds) -> None:
    """Wait until a condition holds."""
    end = time.monotonic() + LONGEST_S
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError("the app has not answered")
        await asyncio.sleep(STEP_S)


if __name__ == "__main__":
    benchmark()
