"""Take screenshots of a tournament and of a noisy day on the web page: `python docs/draw_room.py`."""

import subprocess
import sys
import tempfile
from io import BytesIO
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from wordpl.apps.daily_bot.page_game import find_browser
from wordpl.apps.tournament import RoomStore
from wordpl.apps.web.service import digest_of
from wordpl.apps.web.store import GameStore

FOLDER = Path(__file__).parent / "pictures"
MAX_BYTES = 60_000
SIZES = {1280: 800, 390: 664, 375: 553}
PLAYERS = {
    "Ada": ("salet", "crony", "", "tiled"),
    "Grace": ("crane", ""),
    "Barbara": ("slate", "moist", "", ""),
    "Mary": (),
}
"""The guesses of each player; "" is the word of the puzzle."""
COMMAND = [sys.executable, "-c", "from wordpl.cli import main; main()"]


def draw() -> None:
    """Write docs/pictures/room-*.png and day-*.png."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        database = f"{folder}/games.sqlite"
        serve = [*COMMAND, "serve", "--port", "0", "--rate", "0", "--database", database]
        server = subprocess.Popen(serve, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        url = server.stdout.readline().split()[2]
        new = [*COMMAND, "tournament", "new", "--rounds", "3", "--puzzles", "5", "--bank", "10"]
        made = subprocess.check_output([*new, "--database", database, "--url", url], text=True)
        _, players, host = (line for line in made.splitlines() if "#/room/" in line or line.startswith("commitment"))
        browser = playwright.chromium.launch(executable_path=find_browser())
        try:
            play(browser, players.strip(), host.strip(), Path(database))
            play_day(browser, f"{url}#/daily/wordpl/1", Path(database))
        finally:
            server.terminate()
            server.wait(20)
            browser.close()
    for path in (*FOLDER.glob("room-*.png"), *FOLDER.glob("day-*.png")):
        assert path.stat().st_size <= MAX_BYTES, path


def play(browser: Browser, players: str, host: str, database: Path) -> None:
    """Play a tournament, and take screenshots of it and of its end."""
    leader = opened(browser, host)
    leader.on("dialog", lambda dialog: dialog.accept())
    leader.click("#phase-open")
    pages = {}
    for name in PLAYERS:
        pages[name] = opened(browser, players)
        pages[name].fill("#name", name)
        pages[name].click("#join")
    leader.click("#phase-playing")
    store = RoomStore(database)
    room = store.room(players.rpartition("/")[2])
    assert room is not None
    secrets = room.terms.secrets(room.seed, room.terms.game())
    store.close()
    for name, words in PLAYERS.items():
        for number, word in enumerate(words):
            pages[name].wait_for_selector("#keyboard")
            pages[name].keyboard.type(word or secrets[words[:number].count("")])
            with pages[name].expect_response(lambda reply: reply.url.endswith("/guesses")):
                pages[name].keyboard.press("Enter")
    leader.wait_for_selector("#standings td:has-text('1.3')")
    pages["Ada"].wait_for_selector("#standings td:has-text('1.3')")
    shoot(pages["Ada"], "room-play")
    shoot(leader, "room-host")
    leader.click("#phase-ended")
    pages["Ada"].wait_for_selector("#solution")
    shoot(pages["Ada"], "room-end")


def play_day(browser: Browser, address: str, database: Path) -> None:
    """Play the noisy puzzle of the day, and take screenshots of the entrance and of the ranking."""
    for name, guesses in {"Grace": ["crane", "moist"], "Mary": ["salet"], "Ada": ["crane", "slimy"]}.items():
        page = opened(browser, address)
        page.wait_for_selector("#name")
        if name == "Ada":
            shoot(page, "day-enter")
        page.fill("#name", name)
        page.click("#enter-day")
        page.wait_for_selector("#keyboard")
        store = GameStore(database)
        (own,) = page.evaluate("JSON.parse(localStorage['wordpl.games'])")
        found = store.player(digest_of(own["token"]))
        store.close()
        assert found is not None
        for number, word in enumerate(guesses):
            page.keyboard.type(word)
            page.keyboard.press("Enter")
            page.wait_for_selector(f"#board .row[data-state=done] >> nth={number}")
        page.keyboard.type("aback" if name == "Mary" else found[1].secret)
        page.keyboard.press("Shift+Enter")
        page.wait_for_selector("#day-ranking")
    page.wait_for_selector("#day-ranking small", timeout=300_000)
    page.click("#day summary")
    page.locator("#day").scroll_into_view_if_needed()
    shoot(page, "day-ranking", "#day")


def opened(browser: Browser, address: str) -> Page:
    """Return a page of a browser of its own."""
    page = browser.new_context().new_page()
    page.goto(address)
    return page


def shoot(page: Page, name: str, top: str = "body") -> None:
    """Take a screenshot from this element on, in each size, light and dark."""
    for (width, height), scheme in product(SIZES.items(), ("light", "dark")):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        page.evaluate("(top) => scrollTo(0, document.querySelector(top).offsetTop)", top)
        picture = Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(64)
        picture.save(FOLDER / f"{name}-{width}-{scheme}.png", optimize=True)


if __name__ == "__main__":
    draw()
