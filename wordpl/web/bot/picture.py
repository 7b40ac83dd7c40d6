"""Draws a picture of a game's tiles with the open browser."""

from html import escape
from pathlib import Path

from playwright.sync_api import BrowserContext

from wordpl.web.bot.result import Result

SIDE, GAP, MARGIN = 62, 6, 16
COLOURS = {"c": "#538d4e", "i": "#b59f3b", ".": "#787c7e"}


def draw(context: BrowserContext, result: Result, path: Path, spoilers: bool) -> None:
    """Write the tiles to a PNG file, with letters only if `spoilers` is set."""
    page = context.new_page()
    try:
        page.set_content(f"<!doctype html><body style='margin:0'>{as_svg(result, spoilers)}</body>")
        page.locator("svg").screenshot(path=path)
    finally:
        page.close()


def as_svg(result: Result, spoilers: bool) -> str:
    """Return the tiles as SVG, with letters only if `spoilers` is set."""
    moves = [move for move in result.game.moves if move.clues]
    length = max((len(move.guess) for move in moves), default=5)
    width = 2 * MARGIN + length * (SIDE + GAP) - GAP
    height = 2 * MARGIN + max(1, len(moves)) * (SIDE + GAP) - GAP + 30
    parts = [f"<text x='{MARGIN}' y='{MARGIN + 12}' font-size='17'>{escape(result.head)}</text>"]
    for i, move in enumerate(moves):
        for j, (letter, mark) in enumerate(zip(move.guess, move.clues, strict=True)):
            x, y = MARGIN + j * (SIDE + GAP), MARGIN + 30 + i * (SIDE + GAP)
            parts.append(f"<rect x='{x}' y='{y}' width='{SIDE}' height='{SIDE}' rx='3' fill='{COLOURS[mark]}'/>")
            if spoilers:
                at = f"x='{x + SIDE / 2}' y='{y + SIDE * 0.7}' text-anchor='middle'"
                parts.append(f"<text {at} font-size='36' font-weight='700' fill='#fff'>{letter.upper()}</text>")
    head = f"xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif'"
    return f"<svg {head}><rect width='100%' height='100%' fill='#fff'/>{''.join(parts)}</svg>"
