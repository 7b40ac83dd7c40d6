"""The full-screen app driven by a test: its own files, a worker that is started once, and waits that end."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from wordpl.terminal.app import AppOptions
from wordpl.terminal.app.app import WordplApp
from wordpl.terminal.app.client import WorkerClient

LONGEST_S = 60.0
"""A wait ends here, however busy the machine is; compiling is the longest thing waited for."""
SMALL, LARGE = (80, 24), (120, 40)


@asynccontextmanager
async def running(client: WorkerClient, size: tuple[int, int] = SMALL, **options: Any) -> AsyncIterator[Pilot[int]]:
    """Run the app on a screen of this size."""
    app = WordplApp(client, AppOptions(**options))
    async with app.run_test(size=size, notifications=True) as pilot:
        yield pilot


def drive(test: Callable[[], Awaitable[None]], longest_s: float = LONGEST_S) -> None:
    """Run a test that drives the app; it fails where it takes longer."""
    asyncio.run(asyncio.wait_for(test(), longest_s))


async def until(pilot: Pilot[int], holds: Callable[[], object]) -> None:
    """Wait until something holds; fail where it does not in LONGEST_S."""
    end = time.monotonic() + LONGEST_S
    while not holds():
        assert time.monotonic() < end, f"not in {LONGEST_S:g} s; the screen shows:\n{text(pilot)}"
        await pilot.pause(0.02)


async def press(pilot: Pilot[int], keys: str) -> None:
    """Press the keys of a text one by one."""
    await pilot.press(*({".": "full_stop", "!": "exclamation_mark", "=": "equals_sign"}.get(key, key) for key in keys))


def text(pilot: Pilot[int]) -> str:
    """Return what the screen shows as text, lines without blanks at their ends."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


async def shows(pilot: Pilot[int], fragment: str) -> None:
    """Wait until the screen shows a text, however its blanks and line ends fall."""
    await until(pilot, lambda: fragment in " ".join(text(pilot).split()))
