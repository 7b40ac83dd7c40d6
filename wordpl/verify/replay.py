"""Replays the records of an entry: each line against what the seed and the rules make of its moves."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core import commitments, record_files, seeds
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Record, Run, UncheckedRecord, Verdict, encode
from wordpl.core.words import WordLists
from wordpl.verify.difference import Difference
from wordpl.verify.rules import GAME_RULES, Deal, ForbiddenMoveError, GameEnd, GameRules, outcome, read_move

FAULTS = (Verdict.ILLEGAL, Verdict.CRASHED, Verdict.LATE, Verdict.MEMORY, Verdict.FAULT, Verdict.UNPLAYED)
STEP = 500  # games between two calls of `progress`
Wrong = tuple[str, str, str]
"""What is wrong, what it is and what it should be."""

_decode = msgspec.json.Decoder(UncheckedRecord).decode
_as_json = msgspec.json.Encoder().encode


@dataclass(frozen=True)
class RunDraws:
    """What decides every game of a run."""

    key: bytes
    lists: WordLists
    every_answer: bool = False

    def deal(self, game: int) -> Deal:
        """Return what the seed gives this game."""
        n_answers = len(self.lists.answers)
        if self.every_answer and 0 <= game < n_answers:
            index = seeds.answer_order(self.key, n_answers)[game]
        else:
            index = seeds.secret_index(self.key, game, n_answers)
        return Deal(self.key, game, self.lists.answers[index])


def replay(run: Run, entry: EntryInfo, draws: RunDraws, progress: Callable[[int], Any]) -> list[Difference]:
    """Return what is wrong with the entry's records; `progress` gets the number of games read since its last call."""
    found: list[Difference] = []
    numbers: list[int] = []
    rules, fingerprints = GAME_RULES[entry.game_id], _fingerprints(run, entry)
    for line, record in _records(run, entry, run.path(entry), found):
        numbers.append(record.game)
        if len(numbers) % STEP == 0:
            progress(STEP)
        wrong = _of_line(record, line, fingerprints)
        if 0 <= record.game < run.info.n_games:
            wrong += of_record(record, rules, draws)
        if record.verdict == Verdict.UNPLAYED and not run.info.total_s:
            wrong.append(("the verdict", record.verdict, "another, as the run had no time for all games (total_s)"))
        found += [Difference(entry.name, f"game {record.game}", *one) for one in wrong]
    progress(len(numbers) % STEP)
    return [*found, *_of_numbers(run, entry, numbers)]


def replay_repeated(run: Run, entry: EntryInfo, draws: RunDraws) -> list[Difference]:
    """Return what is wrong with the games that the entry played again, whose numbers the seed chooses."""
    path = run.folder / "repeats" / f"{entry.slug}.jsonl"
    found: list[Difference] = []
    numbers = set()
    for _, record in _records(run, entry, path, found):
        numbers.add(record.game)
        wrong = of_record(record, GAME_RULES[entry.game_id], draws)
        found += [Difference(entry.name, f"repeated game {record.game}", *one) for one in wrong]
    drawn = sorted(range(run.info.n_games), key=lambda game: seeds.draw(draws.key, b"repeat", game))
    chosen = set(drawn[: run.info.repeats])
    if run.info.finished is not None and numbers != chosen:
        said = [f"{sorted(games)}" for games in (numbers - chosen, chosen - numbers)]
        found.append(Difference(entry.name, "", "the choice of repeated games", f"with {said[0]}", f"with {said[1]}"))
    return found


def _records(run: Run, entry: EntryInfo, path: Path, found: list[Difference]) -> Iterator[tuple[bytes, Record]]:
    """Yield each line of the file with its record; lines that are no records go to what was found."""
    try:
        data = record_files.content(path, run.info.n_games)
    except UserError as error:
        found.append(Difference(entry.name, path.parent.name, "the file", error.message, "one that can be read"))
        return
    *lines, torn = data.split(b"\n")
    for at, line in enumerate(lines, 1):
        try:
            yield line + b"\n", _decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            place = f"{path.parent.name}, line {at}"
            found.append(Difference(entry.name, place, "the line", repr(line[:60])[1:], f"a record ({error})"))
    if torn:
        place = f"{path.parent.name}, line {len(lines) + 1}"
        found.append(Difference(entry.name, place, "the line", f"torn, {repr(torn[:60])[1:]}", "whole"))


def _fingerprints(run: Run, entry: EntryInfo) -> list[str]:
    path = commitments.fingerprints_path(run, entry)
    return path.read_text(errors="replace").split("\n")[:-1] if path.exists() else []


def _of_line(record: Record, line: bytes, fingerprints: Sequence[str]) -> list[Wrong]:
    wrong = []
    if encode(record) != line:
        wrong.append(("the line", _shown(line), f"{_shown(encode(record))}, as a run writes it"))
    if 0 <= record.game < len(fingerprints) and commitments.fingerprint(line) != fingerprints[record.game]:
        expected = f"{fingerprints[record.game]}: it was edited"
        wrong.append(("the line's fingerprint", commitments.fingerprint(line), expected))
    return wrong


def of_record(record: Record, rules: GameRules, draws: RunDraws) -> list[Wrong]:
    """Return what of the record is wrong."""
    deal = draws.deal(record.game)
    secret = "" if rules.evasive else deal.secret
    wrong = [] if record.secret == secret else [("the secret", _shown(record.secret), _shown(secret))]
    if record.first_try is not None:
        ended = _of_moves(record.first_try.moves, rules, draws.lists, deal, wrong)
        if ended is not None:
            wrong.append(("the end of the first try", ended.verdict, f"{Verdict.LATE}, as the game was played again"))
    ended = _of_moves(record.moves, rules, draws.lists, deal, wrong)
    if ended is None:
        if record.verdict not in FAULTS:
            expected = f"{', '.join(FAULTS[:-1])} or {FAULTS[-1]}, as no move ended the game"
            wrong.append(("the verdict", record.verdict, expected))
        elif record.verdict == Verdict.UNPLAYED and record.moves:
            wrong.append(("the number of its moves", str(len(record.moves)), "0, as the game was not played"))
    elif (record.verdict, record.message) != ended:
        wrong.append(("the verdict", f"{record.verdict} {record.message}".strip(), " ".join(ended).strip()))
    return wrong


def _of_moves(
    moves: Sequence[Any], rules: GameRules, lists: WordLists, deal: Deal, wrong: list[Wrong]
) -> GameEnd | None:
    """Return how the moves ended the game, None if they did not; add what of them is wrong."""
    earlier: list[tuple[str, str]] = []
    ended = None
    for number, value in enumerate(moves, 1):
        if ended is not None:
            wrong.append((f"move {number}", _shown(value), f"none, as the game ended with move {number - 1}"))
            break
        try:
            move = read_move(rules, value)
            clues, ended = outcome(rules, lists, deal, earlier, move)
        except ForbiddenMoveError as allowed:
            wrong.append((f"move {number}", _shown(value), str(allowed)))
            break
        if move.clues != clues:
            wrong.append((f"the clue of move {number}", _shown(move.clues), _shown(clues)))
        earlier.append((move.guess, clues))
    return ended


def _of_numbers(run: Run, entry: EntryInfo, numbers: Sequence[int]) -> Iterator[Difference]:
    """Yield which games are missing, doubled or strange, and whether the others stand in order."""
    n_games, times = run.info.n_games, Counter(numbers)
    for game in sorted(times):
        if times[game] > 1:
            yield Difference(entry.name, f"game {game}", "the number of its records", str(times[game]), "1")
        if not 0 <= game < n_games:
            yield Difference(entry.name, f"game {game}", "its number", str(game), f"one of 0 to {n_games - 1}")
    if run.info.finished is None:  # still in the order of play
        return
    for game in range(n_games):
        if game not in times:
            yield Difference(entry.name, f"game {game}", "the number of its records", "0", "1")
    for line, (before, game) in enumerate(pairwise(numbers), 2):
        if game < before:
            found = f"line {line}, after game {before}"
            yield Difference(entry.name, f"game {game}", "its place", found, "in the order of games")


def _shown(value: Any) -> str:
    return (value if isinstance(value, bytes) else _as_json(value)).decode(errors="replace").rstrip("\n")
