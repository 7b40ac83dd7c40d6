"""Starts a Chromium browser for the bot: Playwright's own or the system's."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Error, Playwright, ViewportSize, sync_playwright

from wordpl.core.errors import UserError

BROWSER = "WORDPL_BROWSER"
"""The environment variable with the path of the browser's executable."""
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
VIEWPORT: ViewportSize = {"width": 1000, "height": 1100}
NAVIGATION_MS = 30_000


def find_browser() -> str | None:
    """Return the executable of the system's Chromium, or None."""
    named = os.environ.get(BROWSER)
    return named or next((program for name in NAMES if (program := shutil.which(name))), None)


@contextmanager
def browser_context(
    program: str | None = None, profile: Path | None = None, shows: bool = False
) -> Iterator[BrowserContext]:
    """Yield a browser context, and close the browser afterwards.

    Args:
        program: The browser's executable; None for Playwright's if it is installed, otherwise the system's.
        profile: A folder that keeps cookies and storage between runs; None keeps nothing.
        shows: Whether the browser's window is shown.

    Raises:
        UserError: There is no browser, or it does not start.
    """
    with sync_playwright() as playwright:
        chosen_program = program or _program(playwright)
        try:
            context = _context(playwright, chosen_program, profile, not shows)
        except Error as error:
            reason = error.message.partition("\n")[0]
            raise UserError(f"the browser {chosen_program or 'of Playwright'} does not start: {reason}") from None
        context.set_default_timeout(NAVIGATION_MS)
        try:
            yield context
        finally:
            browser = context.browser
            context.close()
            if browser is not None:
                browser.close()


def _program(playwright: Playwright) -> str | None:
    if os.environ.get(BROWSER) or not Path(playwright.chromium.executable_path).exists():
        program = find_browser()
        if program is None:
            raise UserError(
                "no browser was found: run `playwright install chromium`, install Chromium "
                f"(Debian: apt-get install chromium), or set {BROWSER} to its path."
            )
        return program
    return None


def _context(playwright: Playwright, program: str | None, profile: Path | None, headless: bool) -> BrowserContext:
    permissions = ["clipboard-read", "clipboard-write"]
    if profile is not None:
        return playwright.chromium.launch_persistent_context(
            profile,
            executable_path=program,
            headless=headless,
            viewport=VIEWPORT,
            permissions=permissions,
        )
    browser = playwright.chromium.launch(executable_path=program, headless=headless)
    return browser.new_context(viewport=VIEWPORT, permissions=permissions)
