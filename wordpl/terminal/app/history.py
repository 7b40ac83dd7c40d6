"""The games that a person has played, one line each in a file that is theirs, and what they come to."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec

from wordpl.core.files import append
from wordpl.core.records import Verdict
from wordpl.terminal.app import user_files

BAR = 20
MAX_LINES = 200_000


class PlayedGame(msgspec.Struct, frozen=True, omit_defaults=True):
    """A game that has ended.

    Attributes:
        time: when, in UTC.
        game_id: the game.
        verdict: how it ended.
        n_guesses: the guesses that got clues.
        budget: the sum of epsilons in a noisy game.
        seed: of the game; number: within the seed.
        puzzle: the day of a daily puzzle.
    """

    time: datetime
    game_id: str
    verdict: Verdict
    n_guesses: int
    budget: float = 0.0
    seed: str = ""
    number: int = 0
    puzzle: date | None = None


def path() -> Path:
    """Return the file of the games."""
    return user_files.folder() / "games.jsonl"


def add(game: PlayedGame) -> bool:
    """Append a game to the file; return whether it could be."""
    import os

    try:
        path().parent.mkdir(parents=True, exist_ok=True)
        file = os.open(path(), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            append(file, msgspec.json.encode(game) + b"\n")
        finally:
            os.close(file)
    except OSError:
        return False
    return True


def read() -> list[PlayedGame]:
    """Return all games in the order in which they ended; lines that are no games are left out."""
    try:
        lines = path().read_bytes().splitlines()[-MAX_LINES:]
    except OSError:
        return []
    return [game for line in lines if (game := _decoded(line)) is not None]


def _decoded(line: bytes) -> PlayedGame | None:
    try:
        return msgspec.json.decode(line, type=PlayedGame)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None


def now() -> datetime:
    """Return the time as a game's record has it."""
    return datetime.now(UTC).replace(microsecond=0)


def streaks(games: Sequence[PlayedGame]) -> tuple[int, int]:
    """Return how many games in a row were won up to now, and at most ever.

    Daily puzzles count by their days: a day that was left out ends a streak.
    """
    current = longest = 0
    before: date | None = None
    for game in games:
        follows = game.puzzle is None or before is None or game.puzzle - before == timedelta(1)
        current = (current + 1 if follows else 1) if game.verdict == Verdict.WON else 0
        longest, before = max(longest, current), game.puzzle
    return current, longest


def summary(games: Sequence[PlayedGame], game_id: str, dailies: bool) -> Iterator[str]:
    """Yield lines about the games of one kind: how many, won, streaks, the distribution of guesses or of budgets."""
    chosen = [game for game in games if game.game_id == game_id and (game.puzzle is not None) == dailies]
    name = "daily puzzles" if dailies else game_id
    if not chosen:
        yield f"No {name} played yet."
        return
    won = [game for game in chosen if game.verdict == Verdict.WON]
    current, longest = streaks(chosen)
    yield f"{len(chosen)} {name}, {len(won)} won; streak {current}, longest {longest}"
    if game_id.startswith("wordpl"):
        budgets = sorted(game.budget for game in won)
        if budgets:
            yield f"budgets won: least {budgets[0]:g}, middle {budgets[len(budgets) // 2]:g}, most {budgets[-1]:g}"
        return
    counts = Counter(game.n_guesses for game in won)
    lost = len(chosen) - len(won)
    most = max([*counts.values(), lost, 1])
    for n in range(min(counts, default=1), max(counts, default=0) + 1):
        yield _bar(str(n), counts[n], most)
    if lost:
        yield _bar("X", lost, most)


def _bar(label: str, n: int, most: int) -> str:
    return f"{label:>2} {'█' * round(BAR * n / most) or '▏'} {n}"
