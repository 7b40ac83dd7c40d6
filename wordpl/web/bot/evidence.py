"""What is kept of a page that the bot could not play."""

from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Error, Page

MAX_HTML = 5_000_000


def keep_evidence(page: Page, folder: Path) -> list[Path]:
    """Write the page's HTML and a screenshot into a new folder below `folder`; returns the files that could be made."""
    now = datetime.now(UTC)
    kept = folder / f"{now:%Y-%m-%dT%H%M%S}.{now.microsecond:06d}"
    kept.mkdir(parents=True)
    html, picture = kept / "page.html", kept / "page.png"
    files = []
    try:
        html.write_text(page.content()[:MAX_HTML], encoding="utf-8")
        files.append(html)
        page.screenshot(path=picture, timeout=10_000)
        files.append(picture)
    except Error:
        return files  # a page that has crashed has neither
    return files
