"""The texts of the screen Watch."""

from pathlib import Path
from typing import Any

from rich.text import Text

from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.terminal.app.texts import shortened

BLOCKS = "▁▂▃▄▅▆▇█"
LOST = "×"
"""The mark of an infinite running median."""
MIN_NAME, MAX_NAME = 16, 44
FIXED_COLUMNS, MORE_IF_WIDE = 56, 34
WIDE = 108


def head(folder: Path | None, progress: dict[str, Any] | None, failure: str) -> Text:
    """Return the heading: the run and its progress."""
    if failure:
        return Text(failure, "bold red")
    if folder is None or progress is None:
        return Text(f"Reading {folder} ..." if folder else "No run yet.", "dim")
    n_played = sum(entry["n_played"] for entry in progress["entries"])
    n_all = progress["n_games"] * len(progress["entries"])
    state = f"ended {progress['finished'][:16].replace('T', ' ')}" if progress["finished"] else "running"
    pace = f", {progress['pace']:,.0f} games/s" if progress["pace"] else ""
    share = n_played / n_all if n_all else 0.0
    return Text(f"{folder}: {n_played:,} of {amount(n_all, 'game')} ({share:.0%}), {state}{pace}", "bold")


def table(progress: dict[str, Any], width: int) -> tuple[list[str], list[tuple[str, list[Text]]]]:
    """Return the column heads of the table of entries, and a row for each entry; narrow tables are abbreviated."""
    is_wide = width >= WIDE
    heads = ["entry", "games", "won", "5%", "50%", "95%", "running median", "faults"]
    name_width = max(MIN_NAME, min(MAX_NAME, width - FIXED_COLUMNS - (MORE_IF_WIDE if is_wide else 0)))
    rows = []
    for entry in progress["entries"]:
        share = entry["n_played"] / progress["n_games"] if progress["n_games"] else 0.0
        played = f"{entry['n_played']:,} {share:4.0%}" if is_wide else f"{share:4.0%}"
        won = _won(entry, is_wide)
        percentiles = [_cost(value) for value in entry["percentiles"] or [0.0] * 3] if entry["n_played"] else [""] * 3
        texts = [shortened(entry["name"], name_width), played, won, *percentiles]
        texts += [sparkline(entry["medians"], 24 if is_wide else 10), _faults(entry)]
        rows.append((entry["name"], [Text(texts[0]), *(Text(text, justify="right") for text in texts[1:])]))
    if not is_wide:
        heads[1], heads[6] = "played", "median"
    return heads, rows


def _won(entry: dict[str, Any], is_wide: bool) -> str:
    if not entry["n_played"]:
        return ""
    share = entry["n_won"] / entry["n_played"]
    if is_wide:
        return f"{share:.1%} ({100 * entry['low']:.1f}-{100 * entry['high']:.1f})"
    return f"{100 * entry['low']:.0f}-{100 * entry['high']:.0f}%"


def _cost(value: float | None) -> str:
    return "∞" if value is None else f"{value:g}"


def _faults(entry: dict[str, Any]) -> str:
    return f"{sum(entry['n_faults'].values()):,}"


def sparkline(values: list[float | None], width: int) -> str:
    """Return the newest values as blocks of different heights; None, an infinite value, is a cross.

    >>> sparkline([1.0, 2.0, 3.0, None], 8)
    '▁▅█×'
    """
    shown = values[-width:]
    finite = [value for value in shown if value is not None]
    if not finite:
        return LOST * len(shown)
    low, high = min(finite), max(finite)
    scale = (len(BLOCKS) - 1) / (high - low) if high > low else 0.0
    return "".join(LOST if value is None else BLOCKS[round((value - low) * scale + 1e-9)] for value in shown)


def fault_line(fault: dict[str, Any], width: int) -> Text:
    """Return a faulty game in one line."""
    first = next(iter(fault["message"].strip().splitlines()[-1:]), "")
    line = f"{fault['verdict']:<13} game {fault['game']:<7} {shortened(fault['entry'], 30):<30} {first}"
    return Text(sanitize_untrusted_text(line, max(20, width)))
