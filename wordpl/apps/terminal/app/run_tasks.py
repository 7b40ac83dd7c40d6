"""Worker tasks for runs: the progress of a run as its files grow, lists of its games, and one game step by step."""

import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from math import inf, isfinite
from pathlib import Path
from typing import Any

import msgspec

from wordpl import games as all_games
from wordpl.core import bounded
from wordpl.core.intervals import proportion_interval
from wordpl.core.messages import UserError
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.kernels.posterior import Posterior
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import MAX_RECORDS, Record, blocks, cost, decode

Message = dict[str, Any]
CHUNK_BYTES = 1 << 20
MAX_POINTS = 64
"""The maximum number of points of a running share; when there are more, every other point is dropped."""
MAX_FAULTS = 200
FAULTS = (Verdict.CRASHED, Verdict.ILLEGAL, Verdict.LATE, Verdict.MEMORY, Verdict.FAULT)
COST_STEP = 0.01
MAX_GAMES = 500


class GrowingFile:
    """Reads the complete lines of a growing file, each line once.

    A file that was replaced or truncated is read from its start again. If the file was compressed at the end of the
    run, its .gz is read instead.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._compressed = path, path.with_name(f"{path.name}.gz")
        self._offset, self._identity = 0, (0, 0)

    def lines(self) -> Iterator[bytes]:
        """Yield the complete lines that were added since the last call."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            yield from self._compressed_lines()
            return
        identity = (status.st_dev, status.st_ino)
        if identity != self._identity or status.st_size < self._offset:
            self._identity, self._offset = identity, 0
        with bounded.open_file(bounded.RECORDS, self._path) as file:
            file.seek(self._offset)
            while data := file.read(CHUNK_BYTES):
                whole_lines = data[: data.rfind(b"\n") + 1]
                if not whole_lines:
                    return  # an incomplete line, or one that is longer than any record
                self._offset += len(whole_lines)
                file.seek(self._offset)
                yield from whole_lines.splitlines()

    def _compressed_lines(self) -> Iterator[bytes]:
        try:
            status = self._compressed.stat()
        except FileNotFoundError:
            return
        identity = (status.st_dev, status.st_ino)
        if identity == self._identity:
            return
        self._identity = identity
        lines = chain.from_iterable(blocks(self._path, MAX_RECORDS))
        yield from (line for line in lines if line.endswith(b"\n"))


@dataclass
class FollowedEntry:
    """The results of an entry so far.

    Attributes:
        verdicts: The number of games with each verdict.
        costs: The number of games won at each cost, in units of COST_STEP.
        shares: The share of games won after increasing, equally spaced numbers of games.
    """

    entry: EntryInfo
    n_games: int
    verdicts: Counter[Verdict] = field(default_factory=Counter)
    costs: Counter[int] = field(default_factory=Counter)
    shares: list[float] = field(default_factory=list)
    _stride: int = 1
    _seen: bytearray = field(default_factory=bytearray)

    def __post_init__(self) -> None:
        self._seen = bytearray((self.n_games + 7) // 8)

    @property
    def n_played(self) -> int:
        """The number of games that have ended."""
        return self.verdicts.total()

    @property
    def n_won(self) -> int:
        """The number of games won."""
        return self.verdicts[Verdict.WON]

    def add(self, record: Record) -> bool:
        """Count a game; return whether it is new."""
        byte, bit = record.game >> 3, 1 << (record.game & 7)
        if byte >= len(self._seen) or self._seen[byte] & bit:
            return False
        self._seen[byte] |= bit
        self.verdicts[record.verdict] += 1
        spent = cost(record, self.entry.game)
        if isfinite(spent):
            self.costs[round(spent / COST_STEP)] += 1
        if self.n_played % self._stride == 0:
            self._sample()
        return True

    def _sample(self) -> None:
        self.shares.append(self.n_won / self.n_played)
        if len(self.shares) > MAX_POINTS:
            self.shares, self._stride = self.shares[1::2], 2 * self._stride

    def percentiles(self, shares: tuple[float, ...]) -> list[float]:
        """Return the costs within which these shares of all games were won; infinite if fewer were won.

        Args:
            shares: The shares, in ascending order.
        """
        ranks = [max(1, -int(-share * self.n_played // 1)) for share in shares]
        percentile_costs, n_within, next_ranks = [], 0, iter(ranks)
        rank = next(next_ranks, None)
        for value in sorted(self.costs):
            n_within += self.costs[value]
            while rank is not None and n_within >= rank:
                percentile_costs.append(value * COST_STEP)
                rank = next(next_ranks, None)
        return percentile_costs + [inf] * (len(shares) - len(percentile_costs))


class RunFollower:
    """Follows a run while it is played.

    Attributes:
        run: The run; its description is reloaded when its file changes.
        entries: The progress of each entry, in the order of the run.
        faults: The entry, number, verdict and message of the newest games that ended by a fault of the player.
    """

    def __init__(self, folder: Path) -> None:
        self.run = Run(folder)
        self.entries = [FollowedEntry(entry, self.run.info.config.n_games) for entry in self.run.info.entries]
        self.faults: deque[Message] = deque(maxlen=MAX_FAULTS)
        self._files = [GrowingFile(self.run.entry(entry).records_path) for entry in self.run.info.entries]
        self._last_modified_ns = self._modified_ns()

    def read(self) -> int:
        """Read new games, and return their number."""
        stamp = self._modified_ns()
        if stamp != self._last_modified_ns:
            self._last_modified_ns = stamp
            self.run = Run(self.run.folder)
        return sum(self._read(file, progress) for file, progress in zip(self._files, self.entries, strict=True))

    def _modified_ns(self) -> int:
        try:
            return (self.run.folder / "run.json").stat().st_mtime_ns
        except OSError:
            raise UserError(f"the run {self.run.folder} does not exist any more.") from None

    def _read(self, file: GrowingFile, progress: FollowedEntry) -> int:
        n_new = 0
        for record in _decoded(file.lines(), progress.entry):
            if progress.add(record):
                n_new += 1
                if record.verdict in FAULTS:
                    facts = {"entry": progress.entry.name, "game": record.game, "verdict": record.verdict}
                    self.faults.append(facts | {"message": record.message[:MAX_MESSAGE_CHARACTERS]})
        return n_new


def find_games(
    run: Run, entry: str = "", verdict: str = "", secret: str = ""
) -> tuple[list[tuple[EntryInfo, Record]], int]:
    """Return the first matching games, entry by entry and at most MAX_GAMES, and the number of all matching ones.

    Args:
        run: The run.
        entry: The name of an entry; "" for all.
        verdict: A verdict; "" for all.
        secret: The secret or its first letters; "" for all.
    """
    games: list[tuple[EntryInfo, Record]] = []
    n_found = 0
    entries = [info for info in run.info.entries if entry in ("", info.name)]
    share = max(1, MAX_GAMES // max(1, len(entries)))
    for info in entries:
        n_kept = 0
        for record in _decoded(GrowingFile(run.entry(info).records_path).lines(), info):
            if verdict in ("", record.verdict) and record.secret.startswith(secret):
                n_found += 1
                if n_kept < share:
                    n_kept += 1
                    games.append((info, record))
    return games, n_found


def read_game(run: Run, entry: EntryInfo, number: int) -> Record:
    """Return one game of an entry. Raises UserError if it has not been played."""
    start = b'{"game":%d,' % number
    lines = (line for line in GrowingFile(run.entry(entry).records_path).lines() if line.startswith(start))
    for record in _decoded(lines, entry):
        return record
    raise UserError(f"{entry.name} has no game {number} in this run.")


def _decoded(lines: Iterable[bytes], entry: EntryInfo) -> Iterator[Record]:
    for line in lines:
        try:
            yield decode(line, entry.game.form)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue  # an incomplete line of a killed process


POLL_S = 0.5
PERCENTILES = (0.05, 0.5, 0.95)
MAX_MESSAGE_CHARACTERS = 300
N_TOP = 5


def watch(folder: Path) -> Iterator[Message]:
    """Yield the progress of a run, first immediately and then after each change, until the run has ended."""
    follower, began = RunFollower(folder), time.monotonic()
    is_first = True
    while True:
        n_new = follower.read()
        if n_new or is_first:
            yield _progress(follower, None if is_first else n_new / max(time.monotonic() - began, 1e-9))
            began = time.monotonic()
        if follower.run.info.finished and not n_new and not is_first:
            yield {"kind": "finished", "time": follower.run.info.finished}
            return
        is_first = False
        time.sleep(POLL_S)


def _progress(follower: RunFollower, pace: float | None) -> Message:
    info = follower.run.info
    return {
        "kind": "progress",
        "started": info.started,
        "finished": info.finished,
        "n_games": info.config.n_games,
        "pace": pace,
        "entries": [_row(progress) for progress in follower.entries],
        "faults": list(follower.faults),
    }


def _row(progress: FollowedEntry) -> Message:
    n, n_won = progress.n_played, progress.n_won
    low, high = proportion_interval(n_won, n) if n else (0.0, 1.0)
    return {
        "name": progress.entry.name,
        "game_id": progress.entry.game.id,
        "measure": progress.entry.game.unit,
        "n_played": n,
        "n_won": n_won,
        "low": float(low),
        "high": float(high),
        "percentiles": [value if isfinite(value) else None for value in progress.percentiles(PERCENTILES)] if n else [],
        "shares": progress.shares,
        "n_faults": {str(verdict): progress.verdicts[verdict] for verdict in FAULTS if progress.verdicts[verdict]},
    }


def games(folder: Path, entry: str = "", verdict: str = "", secret: str = "") -> Iterator[Message]:
    """Yield the games of a run with this entry, verdict and start of the secret; "" matches all."""
    run = Run(folder).require_as_sealed()
    found, n_found = find_games(run, entry, verdict, secret)
    rows = [
        [info.name, record.game, record.secret, str(record.verdict), _finite(cost(record, info.game))]
        for info, record in found
    ]
    yield {
        "kind": "games",
        "rows": rows,
        "n_found": n_found,
        "entries": [info.name for info in run.info.entries],
    }


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def board(folder: Path) -> Iterator[Message]:
    """Yield the sections of the report of a run that has ended, as blocks of text."""
    from wordpl.reports.renderers import blocks  # pandas and scipy, which the other tasks do not need
    from wordpl.reports.run_report import RunReport

    run = Run(folder)
    if run.info.finished is None:
        raise UserError("this run has not ended. Watch (F4) shows the results so far.")
    yield {"kind": "board", "blocks": blocks(RunReport.of(run).sections())}


def game(folder: Path, entry: str, number: int, *, with_others: bool = True) -> Iterator[Message]:
    """Yield a game step by step, then, if asked to, the games of the other entries with the same secret."""
    run = Run(folder)
    info = next((info for info in run.info.entries if info.name == entry), None)
    if info is None:
        raise UserError(f"this run has no entry called {entry!r}.")
    record = read_game(run, info, number)
    yield {"kind": "game", "entry": entry, **_summary(info, record), "steps": list(_steps(run, info, record))}
    others = [other for other in run.info.entries if other.game.id == info.game.id and other.name != entry]
    for other in others if with_others else ():
        try:
            other_record = read_game(run, other, number)
        except UserError:
            continue  # not played yet
        moves = [[move.guess, move.clues] for move in other_record.moves]
        yield {"kind": "other", "entry": other.name, **_summary(other, other_record), "moves": moves}


def _summary(info: EntryInfo, record: Record) -> Message:
    return {
        "number": record.game,
        "secret": record.secret,
        "verdict": str(record.verdict),
        "cost": _finite(cost(record, info.game)),
        "message": record.message,
        "game_id": info.game.id,
    }


def _steps(run: Run, info: EntryInfo, record: Record) -> Iterator[Message]:
    lists = run.info.config.load_lists()
    game = all_games.make_game(info.game, lists)
    posterior = None if game.is_exact else Posterior.of(game)
    remaining = list(lists.answers)
    for move in record.moves:
        guess, clues = move.guess, move.clues
        step: Message = {"guess": guess, "seen": clues, "epsilon": None}
        if posterior is not None:
            true = game.clue(guess, record.secret) if clues else ""
            step |= {"true": true, "before": _state(posterior, record.secret)}
            step["epsilon"] = move.epsilon if isinstance(move, NoisyMove) else None
            if clues and (game.facts.has_answer_move or guess != record.secret):
                posterior.update(*move.arguments)
            step["after"] = _state(posterior, record.secret)
        else:
            n_before = len(remaining)
            remaining = [word for word in remaining if game.clue(guess, word) == clues]
            step |= {"true": clues, "n_before": n_before, "n_after": len(remaining), "left": remaining[:20]}
        yield step


def _state(posterior: Posterior, secret: str) -> Message:
    chances = dict(zip(posterior.words, posterior.probabilities.tolist(), strict=True))
    place = sum(chance > chances[secret] for chance in chances.values()) + 1
    return {"bits": posterior.bits, "top": posterior.top(N_TOP), "secret": chances[secret], "place": place}
