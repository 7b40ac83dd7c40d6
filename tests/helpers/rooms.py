"""Tournament rooms for tests: their words, and a scoring of their own that reads like the published rules."""

from pathlib import Path
from typing import Any

import msgspec

from wordpl.apps.tournament import Room, RoomStore, Terms, load_rules
from wordpl.core.clues import counted

POINTS = (100, 400, 200, 100, 50, 25)
BANK_S, BREAK_S = 60.0, 30.0


def new_room(
    database: Path, now_s: float, bank_s: float = BANK_S, break_s: float = BREAK_S, **terms: Any
) -> tuple[Room, str, list[str]]:
    """Return a new room of 3 rounds of 2 puzzles, the host's token, and the words."""
    rules = msgspec.structs.replace(
        load_rules(), rounds=3, puzzles=2, bank_minutes=bank_s / 60, break_minutes=break_s / 60
    )
    store = RoomStore(database)
    room, token = store.create(Terms.new(rules, **terms), now_s)
    store.close()
    return room, token, room.terms.secrets(room.seed, room.terms.game())


def micro_points(words: list[str], secret: str) -> float:
    """Return the micro points of a puzzle: 5 for a new green place, 2 for a new yellow letter there, 1 for a grey."""
    seen, total = set(), 0
    for word in words:
        for place, (letter, mark) in enumerate(zip(word, counted(word, secret), strict=True)):
            tile = (mark, place, letter)
            if mark == "." and letter not in secret:
                total += 1
            elif mark in "ic" and tile not in seen:
                total += 5 if mark == "c" else 2
            seen.add(tile)
    return total / 10


def reference(rounds: list[list[tuple[list[tuple[str, float]], str]]]) -> tuple[float, int, float]:
    """Return the total, the number of solved puzzles and the time used of one player.

    Args:
        rounds: The puzzles of each round: the guesses with the seconds since the clock started, and the secret. A
            puzzle whose last guess is neither the secret nor the sixth ran out of time.
    """
    total, n_solved, used_s = 0.0, 0, 0.0
    for puzzles in rounds:
        bank_s = BANK_S
        for guesses, secret in puzzles:
            words = [word for word, _ in guesses]
            total += micro_points(words, secret)
            if secret in words:
                total += POINTS[len(words) - 1]
                n_solved += 1
            spent_s = guesses[-1][1] if secret in words or len(words) == 6 else bank_s
            used_s, bank_s = used_s + spent_s, bank_s - spent_s
    return total, n_solved, used_s
