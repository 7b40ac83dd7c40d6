"""Replaying an entry's records: compare each line with what the seed and the rules imply for its moves."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core import bounded
from wordpl.core.errors import UserError
from wordpl.core.moves import Verdict
from wordpl.core.words import WordLists
from wordpl.run import records, seal
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, UncheckedRecord, encode
from wordpl.verify.columns import ColumnReader
from wordpl.verify.difference import Difference
from wordpl.verify.rules import (
    FAILURES,
    GAME_RULES,
    ForbiddenMoveError,
    GameDraws,
    GameEnd,
    GameRules,
    RunDraws,
    outcome,
    read_move,
)

SPARE_LINES = 1000
"""The lines that a file of fingerprints may have in excess, to be reported as differences."""
Mismatch = tuple[str, str, str]
"""What is wrong, the value found and the value expected."""

_decode = msgspec.json.Decoder(UncheckedRecord).decode
_as_json = msgspec.json.Encoder().encode


def replay(run: Run, entry: EntryInfo, draws: RunDraws, progress: Callable[[int], Any]) -> list[Difference]:
    """Return what is wrong with the entry's records.

    Args:
        draws: The draws of the run.
        progress: Called with the number of games read since the last call.
    """
    differences: list[Difference] = []
    numbers: list[int] = []
    rules, fingerprints = GAME_RULES[entry.game.id], _fingerprints(run, entry)
    reader = ColumnReader(rules, draws, run.info.config.n_games)
    for first, lines in _blocks(run, entry, run.entry(entry).records_path, differences):
        games = reader.games_that_hold(lines)
        if games is not None and _have_fingerprints(lines, games, fingerprints):
            numbers += games
            progress(len(games))
            continue
        for line, record in _records(entry, "records", first, lines, differences):
            numbers.append(record.game)
            wrong = _check_line(record, line, fingerprints)
            if 0 <= record.game < run.info.config.n_games:
                wrong += check_record(record, rules, draws)
            differences += [Difference(entry.name, f"game {record.game}", *problem) for problem in wrong]
            progress(1)
    return [*differences, *_check_numbers(run, entry, numbers)]


def replay_repeated(run: Run, entry: EntryInfo, draws: RunDraws) -> list[Difference]:
    """Return what is wrong with the entry's repeated games, whose numbers are drawn from the seed."""
    path = run.folder / "repeats" / f"{entry.slug}.jsonl"
    differences: list[Difference] = []
    numbers = set()
    for first, lines in _blocks(run, entry, path, differences):
        for _, record in _records(entry, path.parent.name, first, lines, differences):
            numbers.add(record.game)
            wrong = check_record(record, GAME_RULES[entry.game.id], draws)
            differences += [Difference(entry.name, f"repeated game {record.game}", *problem) for problem in wrong]
    expected = set(draws.repeated(run.info.config.n_games)[: run.info.config.repeats])
    if run.info.finished is not None and numbers != expected:
        extra, missing = (f"with {sorted(games)}" for games in (numbers - expected, expected - numbers))
        differences.append(Difference(entry.name, "", "the choice of repeated games", extra, missing))
    return differences


def _blocks(run: Run, entry: EntryInfo, path: Path, differences: list[Difference]) -> Iterator[tuple[int, list[bytes]]]:
    """Yield the lines of a file in blocks, without their newlines, each with the number of its first line.

    A file that cannot be read, or ends with a torn line, is reported in `differences`.
    """
    torn, first = b"", 1
    try:
        for part in records.parts(path, records.MAX_LINES_PER_GAME * run.info.config.n_games):
            *lines, torn = (torn + part).split(b"\n")
            yield first, lines
            first += len(lines)
    except UserError as error:
        differences.append(Difference(entry.name, path.parent.name, "the file", error.message, "one that can be read"))
        return
    if torn:
        place = f"{path.parent.name}, line {first}"
        differences.append(Difference(entry.name, place, "the line", f"torn, {repr(torn[:60])[1:]}", "whole"))


def _records(
    entry: EntryInfo, part: str, first: int, lines: Sequence[bytes], differences: list[Difference]
) -> Iterator[tuple[bytes, Record]]:
    """Yield each line with its newline and its record; report lines without a record in `differences`."""
    for number, line in enumerate(lines, first):
        try:
            yield line + b"\n", _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            place, expected = f"{part}, line {number}", f"a record ({error})"
            differences.append(Difference(entry.name, place, "the line", repr(line[:60])[1:], expected))


def _fingerprints(run: Run, entry: EntryInfo) -> list[str]:
    path = run.entry(entry).fingerprints_path
    if not path.exists():
        return []
    parts = bounded.read_parts(bounded.FINGERPRINTS, path, run.info.config.n_games + SPARE_LINES)
    return b"".join(parts).decode(errors="replace").split("\n")[:-1]


def _have_fingerprints(lines: Sequence[bytes], games: Sequence[int], fingerprints: Sequence[str]) -> bool:
    """Return whether these lines have their fingerprints, as far as there are any."""
    return not fingerprints or all(
        game >= len(fingerprints) or seal.fingerprint(line + b"\n") == fingerprints[game]
        for game, line in zip(games, lines, strict=True)
    )


def _check_line(record: Record, line: bytes, fingerprints: Sequence[str]) -> list[Mismatch]:
    wrong: list[Mismatch] = []
    if record.replay is not None:
        wrong.append(("the replay", record.replay, "none, in a game of the run"))
    if encode(record) != line:
        wrong.append(("the line", _shown(line), f"{_shown(encode(record))}, as a run writes it"))
    if 0 <= record.game < len(fingerprints) and seal.fingerprint(line) != fingerprints[record.game]:
        expected = f"{fingerprints[record.game]}: it was edited"
        wrong.append(("the line's fingerprint", seal.fingerprint(line), expected))
    return wrong


def check_record(record: Record, rules: GameRules, draws: RunDraws) -> list[Mismatch]:
    """Return what is wrong with a record."""
    game_draws = draws.of_game(record.game)
    secret = "" if rules.evasive else game_draws.secret
    wrong = [] if record.secret == secret else [("the secret", _shown(record.secret), _shown(secret))]
    ended = _check_moves(record.moves, rules, draws.lists, game_draws, wrong)
    if ended is None:
        if record.verdict not in FAILURES:
            expected = f"{', '.join(FAILURES[:-1])} or {FAILURES[-1]}, as no move ended the game"
            wrong.append(("the verdict", record.verdict, expected))
        elif record.verdict == Verdict.UNPLAYED and record.moves:
            wrong.append(("the number of its moves", str(len(record.moves)), "0, as the game was not played"))
    elif (record.verdict, record.message) != ended:
        wrong.append(("the verdict", f"{record.verdict} {record.message}".strip(), " ".join(ended).strip()))
    return wrong


def _check_moves(
    moves: Sequence[Any], rules: GameRules, lists: WordLists, game_draws: GameDraws, wrong: list[Mismatch]
) -> GameEnd | None:
    """Return how the moves ended the game, or None if they did not; append to `wrong` what is wrong with them."""
    earlier: list[tuple[str, str]] = []
    ended = None
    for number, value in enumerate(moves, 1):
        if ended is not None:
            wrong.append((f"move {number}", _shown(value), f"none, as the game ended with move {number - 1}"))
            break
        try:
            move = read_move(rules, value)
            clues, ended = outcome(rules, lists, game_draws, earlier, move)
        except ForbiddenMoveError as allowed:
            wrong.append((f"move {number}", _shown(value), str(allowed)))
            break
        if move.clues != clues:
            wrong.append((f"the clue of move {number}", _shown(move.clues), _shown(clues)))
        earlier.append((move.guess, clues))
    return ended


def _check_numbers(run: Run, entry: EntryInfo, numbers: Sequence[int]) -> Iterator[Difference]:
    """Yield the games that are missing, duplicate, out of range or, in a finished run, out of order."""
    n_games = run.info.config.n_games
    if numbers == list(range(n_games)):
        return
    times = Counter(numbers)
    for game in sorted(times):
        if times[game] > 1:
            yield Difference(entry.name, f"game {game}", "the number of its records", str(times[game]), "1")
        if not 0 <= game < n_games:
            yield Difference(entry.name, f"game {game}", "its number", str(game), f"one of 0 to {n_games - 1}")
    if run.info.finished is None:  # the records are not sorted yet
        return
    for game in range(n_games):
        if game not in times:
            yield Difference(entry.name, f"game {game}", "the number of its records", "0", "1")
    for line, (before, game) in enumerate(pairwise(numbers), 2):
        if game < before:
            position = f"line {line}, after game {before}"
            yield Difference(entry.name, f"game {game}", "its place", position, "in the order of games")


def _shown(value: Any) -> str:
    return (value if isinstance(value, bytes) else _as_json(value)).decode(errors="replace").rstrip("\n")
