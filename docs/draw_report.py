"""Draw the pictures in docs/report.md: `python docs/draw_report.py`.

It takes Playwright, Pillow, and Chromium as /usr/bin/chromium.
"""

import tempfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from wordpl.reports.run_pages import write_page

PICTURES = Path(__file__).parent / "pictures"
CHROMIUM = "/usr/bin/chromium"
N_COLOURS = 64
SCREENS = {
    "report-bundled": ("bundled", "light", (1180, 760)),
    "report-official": ("official", "dark", (1180, 760)),
    "report-replay": ("bundled", "light", (1180, 760)),
    "report-phone": ("bundled", "dark", (390, 760)),
}


def replay(page: Any) -> None:
    """Open the replay of a game with two entries."""
    page.get_by_label("Verdict").select_option(index=1)
    page.locator("#browser tbody button").nth(1).click()
    page.get_by_label("Beside it").select_option(index=2)
    page.evaluate("document.querySelector('#games').scrollIntoView()")


ACTIONS: dict[str, Callable[[Any], None]] = {"report-replay": replay}


def main() -> None:
    """Write all pictures."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        pages = {name: Path(folder) / f"{name}.html" for name, _, _ in SCREENS.values()}
        for name, path in pages.items():
            write_page([Path("results") / name], path, is_verified=False)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for screen, (name, scheme, (width, height)) in SCREENS.items():
            page = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme).new_page()
            page.goto(pages[name].as_uri())
            page.wait_for_selector("html[data-ready=yes]")
            ACTIONS.get(screen, lambda page: None)(page)
            drawn = Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(N_COLOURS, dither=Image.Dither.NONE)
            drawn.save(PICTURES / f"{screen}.png", optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
