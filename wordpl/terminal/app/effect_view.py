"""Shows how a guess would split the remaining answers, as a text histogram."""

from typing import Any

from rich.text import Text

from wordpl.terminal.app.texts import percent
from wordpl.terminal.app.themes import SHAPES, tile_style

BAR_CHARACTERS = " ▏▎▍▌▋▊▉█"
MIN_BAR, MAX_BAR = 6, 24


def effect_lines(message: dict[str, Any], width: int, height: int, theme: str) -> Text:
    """Return the effect of a guess in at most `height` lines of at most `width` columns.

    Args:
        message: A message of the kind "effect" from the worker.
        width: The available columns.
        height: The available lines.
        theme: The name of the theme.
    """
    lines = [heading(message)]
    parts, length = message["parts"], len(message["guess"])
    most = max((share for _, share, _, _ in parts), default=1.0)
    bar = max(MIN_BAR, min(MAX_BAR, width - length - 34))
    for clues, share, n_left, words in parts[: max(0, height - 2)]:
        line = Text(" ")
        for mark in clues:
            line.append(SHAPES[mark], tile_style(theme, mark))
        line.append(f" {_bar(share / most, bar)} {percent(share):>6} {n_left:>5,}  ")
        line.append(" ".join(words))
        line.truncate(width, overflow="ellipsis")
        lines.append(line)
    rest = message["n_parts"] - (len(lines) - 1)
    if rest > 0 and "keep" not in message:
        n_more = f"{rest:,} more clue{'s' if rest > 1 else ''}"
        lines.append(Text(f" and {n_more}", style="dim"))
    return Text("\n").join(lines)


def heading(message: dict[str, Any]) -> Text:
    """Return the first line: the guess with its expected information."""
    guess = message["guess"].upper()
    if "keep" in message:
        return Text(
            f"{guess}: {message['bits']:.2f} bits, {percent(message['keep'])} of marks true, "
            f"then {percent(message['sure'])} sure",
            style="bold",
        )
    n_parts = f"{message['n_parts']:,} clue{'s' if message['n_parts'] != 1 else ''}"
    chance = f", the answer {percent(message['chance'])}" if message["chance"] else ""
    return Text(f"{guess}: {n_parts}, {message['bits']:.2f} bits, at worst {message['worst']:,}{chance}", style="bold")


def _bar(share: float, width: int) -> str:
    eighths = round(share * width * 8)
    full, rest = divmod(eighths, 8)
    return ("█" * full + (BAR_CHARACTERS[rest] if rest else "")).ljust(width) if eighths else "▏".ljust(width)
