"""The scripts, styles and pages that wordpl serves and writes into reports, and the templates of strategies."""

import bz2
import json
from functools import cache

from wordpl.core import paths

ARCHIVE = paths.DATA / "assets.bz2"
"""All of them in an installed package: a JSON object with the texts of each folder by their names, compressed."""


@cache
def texts(folder: str) -> dict[str, str]:
    """Return the texts in a folder of the package, such as "web/static", by the names of their files."""
    if ARCHIVE.is_file():
        folders: dict[str, dict[str, str]] = json.loads(bz2.decompress(ARCHIVE.read_bytes()))
        return folders[folder]
    files = sorted(path for path in (paths.DATA.parent / folder).iterdir() if path.is_file())
    return {path.name: path.read_text(encoding="utf-8") for path in files}
