"""The texts of the screen Replay."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.text import Text
from textual.widgets import DataTable

from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.reports.names import shown
from wordpl.terminal.app.data_table import fill
from wordpl.terminal.app.style import percent, shortened, word_tiles

LIST_HEADS = ("game", "secret", "verdict", "cost", "entry")
BORDER_AND_SCROLLBAR = 3
MAX_HALF = 22
MAX_MESSAGE_CHARACTERS = 600


def head(folder: Path | None, found: dict[str, Any]) -> str:
    """Return the heading: the run and the number of matching games."""
    if folder is None:
        return "No run yet"
    n_shown, n_found = len(found["rows"]), found["n_found"]
    return f"{folder.name}: {f'{n_shown:,} of ' if n_shown < n_found else ''}{amount(n_found, 'game')}"


def fill_list(table: "DataTable[Text]", games: list[list[Any]], short: Mapping[str, str], room: int) -> int:
    """Show a list of games in a table, with their entries if they differ and fit; return the width of the panel.

    Args:
        table: The table.
        games: The entry, number, secret, verdict and cost of each game.
        short: The labels of entries.
        room: The number of columns for the panel.
    """
    rows = [_list_row(game, short) for game in games]
    widths = [max([len(head), *(row[index].cell_len for row in rows)]) for index, head in enumerate(LIST_HEADS)]
    n_columns = len(LIST_HEADS)
    if len({game[0] for game in games}) < 2 or _panel_width(widths) > room:
        n_columns -= 1
    fill(table, LIST_HEADS[:n_columns], [(str(index), row[:n_columns]) for index, row in enumerate(rows)])
    return _panel_width(widths[:n_columns])


def _panel_width(widths: list[int]) -> int:
    return sum(widths) + 2 * len(widths) + BORDER_AND_SCROLLBAR


def _list_row(row: list[Any], short: Mapping[str, str]) -> list[Text]:
    entry, number, secret, verdict, cost = row
    spent = "" if cost is None else f"{cost:.6g}"
    return [
        Text(str(number), justify="right"),
        Text(secret),
        Text(verdict),
        Text(spent, justify="right"),
        Text(shown(short.get(entry, entry))),
    ]


def game_text(
    game: dict[str, Any] | None,
    others: list[dict[str, Any]],
    at: int,
    theme: str,
    width: int,
    short: Mapping[str, str],
) -> Text:
    """Return the game with move `at` highlighted, and below it the same game of the other entries."""
    if game is None:
        return Text("Select a game: Enter shows it, Left and Right step through it.", "dim")
    secret = f"secret {game['secret'].upper()}" if game["secret"] else "no secret was drawn"
    spent = "" if game["cost"] is None else f", cost {game['cost']:.6g}"
    text = Text(f"game {game['number']} of {game['game_id']}, {secret}: {game['verdict']}{spent}\n", "bold")
    if game["message"]:
        text.append(sanitize_untrusted_text(game["message"], MAX_MESSAGE_CHARACTERS, keep="\n") + "\n", "red not bold")
    has_epsilon = any(step["epsilon"] is not None for step in game["steps"])
    if has_epsilon:
        text.append(f"\n  {'seen':<{_span(game)}}  {'true':<{_span(game)}}  epsilon\n", "dim not bold")
    for number, step in enumerate(game["steps"]):
        text.append("› " if number == at else "  ", "bold")
        text.append_text(_move(step, theme, has_epsilon, _span(game)))
    if at < len(game["steps"]):
        step = game["steps"][at]
        text.append("\n").append_text(_noisy_state(step, width) if has_epsilon else _classic_state(step, width))
    return text.append_text(_others(others, theme, width, short))


def _span(game: dict[str, Any]) -> int:
    return 2 * len(game["steps"][0]["guess"]) if game["steps"] else 10


def _move(step: dict[str, Any], theme: str, has_epsilon: bool, span: int) -> Text:
    text = word_tiles(step["guess"], step["seen"], theme)
    if not has_epsilon:
        return text.append("\n")
    if not step["seen"]:
        return text.append(" " * (span - text.cell_len)).append("  answered\n")
    n_false = sum(a != b for a, b in zip(step["seen"], step["true"], strict=True))
    text.append("  ").append_text(word_tiles(step["guess"], step["true"], theme))
    return text.append(f"  {step['epsilon']:g}" + (f", {n_false} false" if n_false else "") + "\n")


def _noisy_state(step: dict[str, Any], width: int) -> Text:
    before, after, half = step["before"], step["after"], min(MAX_HALF, width // 2)
    text = Text().append(f"{'before this move':<{half}}after this move\n", "dim not bold")
    lines = [(f"{before['bits']:.2f} bits", f"{after['bits']:.2f} bits")]
    for (word, chance), (later, later_chance) in zip(before["top"], after["top"], strict=True):
        lines.append((f"{word} {percent(chance)}", f"{later} {percent(later_chance)}"))
    lines.append((f"secret {percent(before['secret'])}", f"secret {percent(after['secret'])}"))
    lines.append((f"  rank {before['place']:,}", f"  rank {after['place']:,}"))
    return text.append("".join(f"{left:<{half}}{right}\n" for left, right in lines), "not bold")


def _classic_state(step: dict[str, Any], width: int) -> Text:
    text = Text(f"{amount(step['n_before'], 'answer')} before, {step['n_after']:,} after: ", "not bold")
    words = " ".join(step["left"])
    ellipsis = " ..." if step["n_after"] > len(step["left"]) else ""
    return text.append(f"{words}{ellipsis}\n")


def _others(others: list[dict[str, Any]], theme: str, width: int, short: Mapping[str, str]) -> Text:
    text = Text("\nOther entries, the same game\n", "bold") if others else Text()
    for other in others:
        spent = "" if other["cost"] is None else f" {other['cost']:.6g}"
        name = shortened(shown(short.get(other["entry"], other["entry"])), width - 20)
        text.append(f"{name}: {other['verdict']}{spent}\n", "not bold")
        line = Text("  ")
        for move in other["moves"]:
            line.append_text(word_tiles(move[0], move[-1], theme)).append(" ")
        line.truncate(width, overflow="ellipsis")
        text.append_text(line).append("\n")
    return text
