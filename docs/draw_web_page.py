"""Take screenshots of the web page for the documentation, in Chromium: `python docs/draw_web_page.py`.

One picture for each screen and colour scheme shows the views side by side.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from wordpl.apps.daily_bot.page_game import find_browser

FOLDER = Path(__file__).parent / "pictures"
FIBBLE = Path(__file__).parents[1] / "examples" / "fibble.py"
MAX_BYTES = 220_000
GAP = 12
SCREENS = {"1280": (1280, 800), "390": (390, 664), "375": (375, 553)}
SCHEMES = ("light", "dark")
GUESSES = ("crane", "slimy", "bough", "depot", "fjord", "vexed", "quick", "laugh")


def draw() -> None:
    """Write docs/pictures/page-SCREEN-SCHEME.png."""
    with served() as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser())
        for screen in SCREENS:
            for scheme in SCHEMES:
                path = FOLDER / f"page-{screen}-{scheme}.png"
                side_by_side(list(views(browser, url, screen, scheme)), per_row=2 if screen == "1280" else 5).save(
                    path, optimize=True
                )
                assert path.stat().st_size <= MAX_BYTES, path
        browser.close()


def views(browser: Browser, url: str, screen: str, scheme: str) -> Iterator[Image.Image]:
    """Yield pictures of a noisy game, a hint, its review, a daily puzzle, and a ranking of friends."""
    width, height = SCREENS[screen]
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
    )  # fmt: skip
    page.goto(url)
    page.wait_for_selector("#start")
    yield taken(page)
    page.goto(f"{url}#/new/wordpl/1")
    for word in GUESSES:
        guess(page, word)
    page.keyboard.type("abs")
    page.keyboard.press("Enter")
    page.wait_for_selector("#message[data-kind=error]")
    yield taken(page)
    page.click("#hint")
    page.wait_for_selector("#hints", timeout=120_000)
    yield taken(page)
    page.keyboard.press("Backspace")
    page.keyboard.type("bys")
    yield taken(page)
    for _ in range(5):
        page.keyboard.press("Backspace")
    page.keyboard.type("aback")
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector("#review")
    yield taken(page)
    page.goto(f"{url}#/new/fibble/1")
    for word in ("salet", *GUESSES[:6]):
        guess(page, word)
    yield taken(page)
    page.goto(f"{url}#/daily/wordle/1/2021-06-20")
    page.wait_for_selector("#title h1:has-text('2021')")
    for word in ("salet", "crane", "moist"):
        guess(page, word)
    yield taken(page)
    page.keyboard.type("rebut")
    page.keyboard.press("Enter")
    page.wait_for_selector("#review")
    page.evaluate("document.getElementById('countdown').textContent = '05:17:42'")
    yield taken(page)
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    yield taken(page)
    yield ranking(browser, page, url)
    page.close()


def ranking(browser: Browser, page: Page, url: str) -> Image.Image:
    """Return a picture of the end of a game with two friends."""
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
    for word in ("salet", "curio", "pound"):
        guess(page, word)
    for player in (friend, page):
        player.on("dialog", lambda dialog: dialog.accept())
        player.click("#give-up")
        player.wait_for_selector("#review")
    page.wait_for_selector("#ranking")
    page.evaluate("document.getElementById('friends').scrollIntoView({ block: 'center' })")
    friend.close()
    return taken(page)


def taken(page: Page) -> Image.Image:
    """Return a screenshot."""
    page.evaluate("document.getAnimations().forEach((one) => one.finish())")
    return Image.open(BytesIO(page.screenshot())).convert("RGB")


def side_by_side(pictures: list[Image.Image], per_row: int) -> Image.Image:
    """Return pictures of one size in rows, in few colours."""
    width, height = pictures[0].size
    n_rows = -(-len(pictures) // per_row)
    sheet = Image.new("RGB", (per_row * (width + GAP) - GAP, n_rows * (height + GAP) - GAP), "#808488")
    for at, picture in enumerate(pictures):
        sheet.paste(picture, (at % per_row * (width + GAP), at // per_row * (height + GAP)))
    if width > 1000:
        sheet = sheet.resize((sheet.width // 2, sheet.height // 2), Image.Resampling.LANCZOS)
    return sheet.quantize(255, dither=Image.Dither.NONE)


def guess(page: Page, word: str) -> None:
    """Type a guess and wait for its clues."""
    page.wait_for_selector("#keyboard")
    rows = page.locator("#board .row[data-state=done]").count()
    page.keyboard.type(word)
    page.keyboard.press("Enter")
    page.wait_for_selector(f"#board .row[data-state=done] >> nth={rows}")


@contextmanager
def served() -> Iterator[str]:
    """Run `wordpl serve` with a host's own game and yield its address."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", "from wordpl.cli import main; main()", "serve", "--port", "0"]
        command += ["--database", f"{folder}/games.sqlite", "--daily-words", "puzzle-order", "--rate", "0"]
        command += ["--game", f"{FIBBLE}:Fibble"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            yield server.stdout.readline().split()[2]
        finally:
            server.terminate()
            server.wait(20)


if __name__ == "__main__":
    draw()
