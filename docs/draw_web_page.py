"""Take screenshots of the web page for the documentation, in Chromium: `python docs/draw_web_page.py`."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from wordpl.web.bot.browser import find_browser

FOLDER = Path(__file__).parent / "pictures"
MAX_BYTES = 120_000
PHONE = {"width": 390, "height": 780}
TABLET = {"width": 640, "height": 860}


def draw() -> None:
    """Write docs/pictures/page-*.png."""
    with served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser())
        draw_noisy(browser, url)
        draw_friends(browser, url)
        browser.close()
    for path in FOLDER.glob("page-*.png"):
        assert path.stat().st_size <= MAX_BYTES, path


def draw_noisy(browser: Browser, url: str) -> None:
    """Take screenshots of a noisy game on a phone with a hint, and of its review."""
    page = browser.new_page(viewport=PHONE)
    page.goto(f"{url}#/new/wordpl/1")
    for word in ("crane", "slimy"):
        guess(page, word)
    page.click("#hint")
    page.wait_for_selector("#hints", timeout=120_000)
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=FOLDER / "page-noisy.png")
    page.keyboard.type("aback")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector("#review")
    page.screenshot(path=FOLDER / "page-review.png")


def draw_friends(browser: Browser, url: str) -> None:
    """Take a screenshot of a game with friends."""
    page = browser.new_page(viewport=TABLET, color_scheme="dark")
    page.goto(url)
    page.select_option("#friends-game", "wordle/1")
    page.fill("#name", "Ada")
    page.click("#invite")
    friend = browser.new_page()
    friend.goto(page.locator("#invitation").inner_text())
    friend.fill("#name", "Grace")
    friend.click("#join")
    for word in ("crane", "moist"):
        guess(friend, word)
    for word in ("salet", "curio"):
        guess(page, word)
    page.wait_for_selector("#friends li:has-text('Grace') .squares >> nth=1")
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=FOLDER / "page-friends.png")


def guess(page: Page, word: str) -> None:
    """Type a guess and wait for its clues."""
    page.wait_for_selector("#keyboard")
    rows = page.locator("#board .row[data-state=done]").count()
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#board .row[data-state=done] >> nth={rows}")


@contextmanager
def served() -> Iterator[str]:
    """Run `wordpl serve` and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from wordpl.cli import main; main()", "serve", "--port", "0"]
        command += ["--database", f"{folder}/games.sqlite"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            yield server.stdout.readline().split()[2]
        finally:
            server.terminate()
            server.wait(20)


if __name__ == "__main__":
    draw()
