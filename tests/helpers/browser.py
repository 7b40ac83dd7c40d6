"""Chromium for tests of pages; where it is not installed, the test is skipped with the reason."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = "/usr/bin/chromium"
READY_MS = 60_000
"""The longest wait for a page, on a machine that does other things."""


@contextmanager
def open_page(file: Path, **context: Any) -> Iterator[tuple[Any, list[str]]]:
    """Open a file in Chromium; yield the page and its problems: console messages, requests, exceptions."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs playwright: pip install playwright")
    if not shutil.which(CHROMIUM):
        pytest.skip(f"needs Chromium as {CHROMIUM}")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        try:
            page = browser.new_context(**context).new_page()
            page.set_default_timeout(READY_MS)
            problems: list[str] = []
            page.on("console", lambda message: problems.append(message.text))
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.on("request", lambda request: request.url.startswith("file:") or problems.append(request.url))
            page.goto(file.as_uri())
            page.wait_for_selector("html[data-ready=yes]" if context.get("java_script_enabled", True) else "main")
            yield page, problems
        finally:
            browser.close()
