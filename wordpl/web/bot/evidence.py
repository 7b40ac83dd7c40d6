"""Saves evidence of a page that the bot could not play."""

from datetime import UTC, datetime
from pathlib import Path

from playwright.sync_api import Error, Page

MAX_HTML = 5_000_000


def keep_evidence(page: Page, folder: Path) -> list[Path]:
    """Save the page's HTML and a screenshot in a new folder inside `folder`; return the files."""
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
        return files  # the page has crashed
    return files
