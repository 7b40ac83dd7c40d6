"""The user's files: saved states as JSON, and the history of games, one per line, with its statistics."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core import paths
from wordpl.core.files import append, write_atomically
from wordpl.core.moves import Verdict


def folder() -> Path:
    """Return the folder of the user's games."""
    return paths.xdg_folder("data")


def read_json(path: Path) -> Any:
    """Return the contents of a JSON file, or None if it cannot be read."""
    try:
        return msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return None


def write_json(path: Path, value: Any) -> bool:
    """Write the value as indented JSON; return False if the file cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.format(msgspec.json.encode(value), indent=1) + b"\n")
    except OSError:
        return False
    return True


BAR = 20
MAX_LINES = 200_000


class HistoryGame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A finished game.

    Attributes:
        time: The end of the game, in UTC.
        n_guesses: The number of guesses that got a clue.
        budget: The sum of epsilons in a noisy game.
        number: The number of the game within the seed.
        puzzle: The day of a daily puzzle.
    """

    time: datetime
    game_id: str
    verdict: Verdict
    n_guesses: int
    budget: float = 0.0
    seed: str = ""
    number: int = 0
    puzzle: date | None = None


def history_path() -> Path:
    """Return the path of the history file."""
    return folder() / "games.jsonl"


def add_to_history(game: HistoryGame) -> bool:
    """Append a game to the file; return False if the file cannot be written."""
    try:
        history_path().parent.mkdir(parents=True, exist_ok=True)
        file = os.open(history_path(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            append(file, msgspec.json.encode(game) + b"\n")
        finally:
            os.close(file)
    except OSError:
        return False
    return True


def read_history() -> list[HistoryGame]:
    """Return all games in the order in which they ended; invalid lines are skipped."""
    try:
        lines = history_path().read_bytes().splitlines()[-MAX_LINES:]
    except OSError:
        return []
    return [game for line in lines if (game := _decoded(line)) is not None]


def _decoded(line: bytes) -> HistoryGame | None:
    try:
        return msgspec.json.decode(line, type=HistoryGame)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


def now() -> datetime:
    """Return the current time in UTC, in whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


def streaks(games: Sequence[HistoryGame]) -> tuple[int, int]:
    """Return the current and the longest streak of won games.

    For daily puzzles, a day without a puzzle ends a streak.
    """
    current = longest = 0
    previous_day: date | None = None
    for game in games:
        follows = game.puzzle is None or previous_day is None or game.puzzle - previous_day == timedelta(1)
        current = (current + 1 if follows else 1) if game.verdict == Verdict.WON else 0
        longest, previous_day = max(longest, current), game.puzzle
    return current, longest


def summary(games: Sequence[HistoryGame], game_id: str, dailies: bool) -> Iterator[str]:
    """Yield lines about the games of one kind: their number, wins, streaks, and the distribution of the cost."""
    kind_games = [game for game in games if game.game_id == game_id and (game.puzzle is not None) == dailies]
    name = "daily puzzles" if dailies else game_id
    if not kind_games:
        yield f"No {name} played yet."
        return
    won_games = [game for game in kind_games if game.verdict == Verdict.WON]
    current, longest = streaks(kind_games)
    yield f"{len(kind_games)} {name}, {len(won_games)} won; streak {current}, longest {longest}"
    if any(game.budget for game in won_games):
        budgets = sorted(game.budget for game in won_games)
        if budgets:
            middle = budgets[len(budgets) // 2]
            yield f"winning budgets: lowest {budgets[0]:g}, median {middle:g}, highest {budgets[-1]:g}"
        return
    counts = Counter(game.n_guesses for game in won_games)
    n_lost = len(kind_games) - len(won_games)
    max_count = max([*counts.values(), n_lost, 1])
    for n in range(min(counts, default=1), max(counts, default=0) + 1):
        yield _bar(str(n), counts[n], max_count)
    if n_lost:
        yield _bar("X", n_lost, max_count)


def _bar(label: str, n: int, max_count: int) -> str:
    return f"{label:>2} {'█' * round(BAR * n / max_count) or '▏'} {n}"
