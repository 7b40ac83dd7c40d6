"""Helpers that run the full-screen app, press its keys and wait for its screen, with a time limit."""

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from textual.pilot import Pilot

from wordpl.apps.terminal.app import AppOptions
from wordpl.apps.terminal.app.app import WordplApp
from wordpl.apps.terminal.app.worker import WorkerClient

LONGEST_S = 60.0
"""The limit of every wait, also on a busy machine; the longest wait is for compilation."""
SMALL, LARGE = (80, 24), (120, 40)


@asynccontextmanager
async def running(client: WorkerClient, size: tuple[int, int] = SMALL, **options: Any) -> AsyncIterator[Pilot[int]]:
    """Run the app on a screen of this size."""
    app = WordplApp(client, AppOptions(**options))
    async with app.run_test(size=size, notifications=True) as pilot:
        yield pilot


def drive(test: Callable[[], Awaitable[None]], longest_s: float = LONGEST_S) -> None:
    """Run a test of the app; fail if it takes longer than the limit."""
    asyncio.run(asyncio.wait_for(test(), longest_s))


async def until(pilot: Pilot[int], condition: Callable[[], object]) -> None:
    """Wait until the condition is true; fail after LONGEST_S."""
    deadline = time.monotonic() + LONGEST_S
    while not condition():
        assert time.monotonic() < deadline, f"not in {LONGEST_S:g} s; the screen shows:\n{text(pilot)}"
        await pilot.pause(0.02)


async def press(pilot: Pilot[int], keys: str) -> None:
    """Press the keys of a text one by one."""
    await pilot.press(*({".": "full_stop", "!": "exclamation_mark", "=": "equals_sign"}.get(key, key) for key in keys))


def text(pilot: Pilot[int]) -> str:
    """Return the text of the screen, without trailing spaces."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)


async def shows(pilot: Pilot[int], fragment: str) -> None:
    """Wait until the screen shows a text, wherever its lines break."""
    await until(pilot, lambda: fragment in " ".join(text(pilot).split()))
