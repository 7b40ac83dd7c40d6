"""The texts of the screen Replay."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.text import Text

from wordpl.core.messages import amount, sanitize_untrusted_text
from wordpl.reports.names import shown
from wordpl.terminal.app.style import percent, shortened, word_tiles

LIST_HEADS = ("game", "secret", "verdict", "cost", "entry")
MAX_MESSAGE_CHARACTERS = 600


def head(folder: Path | None, found: dict[str, Any], failure: str) -> Text:
    """Return the heading: the run and the number of matching games."""
    if failure:
        return Text(failure, "bold red")
    if folder is None:
        return Text("No run yet.", "dim")
    n_shown, n_found = len(found["rows"]), found["n_found"]
    limit_note = f" (first {n_shown:,} shown)" if n_shown < n_found else ""
    return Text(f"{folder}: {amount(n_found, 'game')}{limit_note}", "bold")


def list_row(row: list[Any], short: Mapping[str, str]) -> list[Text]:
    """Return a row of the list of games: number, secret, verdict, cost, and the label of the entry."""
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
    text = Text(
        f"{game['entry']}\ngame {game['number']} of {game['game_id']}, {secret}: {game['verdict']}{spent}\n", "bold"
    )
    if game["message"]:
        text.append(sanitize_untrusted_text(game["message"], MAX_MESSAGE_CHARACTERS, keep="\n") + "\n", "red not bold")
    has_epsilon = any(step["epsilon"] is not None for step in game["steps"])
    if has_epsilon:
        text.append(f"\n  {'seen':<{_span(game)}}  {'true':<{_span(game)}}\n", "dim not bold")
    for number, step in enumerate(game["steps"]):
        text.append("› " if number == at else "  ", "bold")
        text.append_text(_move(step, theme, has_epsilon, _span(game)))
    if game["steps"]:
        text.append("\n").append_text(
            _noisy_state(game["steps"][at]) if has_epsilon else _classic_state(game["steps"][at], width)
        )
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
    return text.append(f"  ε {step['epsilon']:g}" + (f", {n_false} false" if n_false else "") + "\n")


def _noisy_state(step: dict[str, Any]) -> Text:
    before, after = step["before"], step["after"]
    text = Text().append(f"{'before this move':<22}after this move\n", "dim not bold")
    text.append(f"{before['bits']:<5.2f} bits            {after['bits']:.2f} bits\n", "not bold")
    for (word, chance), (later, later_chance) in zip(before["top"], after["top"], strict=True):
        text.append(f"{word} {percent(chance):<16}{later} {percent(later_chance)}\n", "not bold")
    was = f"{percent(before['secret'])}, rank {before['place']:,}"
    now = f"{percent(after['secret'])}, rank {after['place']:,}"
    return text.append(f"the secret: {was}; then {now}\n", "not bold")


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
