"""Texts that contain shares, with or without a player's name before each."""

from wordpl.league import share_text
from wordpl.league.sources import Opened, Source, SourceFile


def open_text(file: SourceFile) -> Opened | None:
    """Open a text that contains at least one share, or something that looks like one."""
    readings = list(share_text.read(file.text, file.options.player, file.options.today))
    return Opened([readings]) if readings else None


SOURCE = Source("share texts", 90, open_text)
