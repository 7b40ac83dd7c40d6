"""Worker tasks for runs: the progress of a run, lists of its games, and one game step by step."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

from wordpl import games as all_games
from wordpl.core.errors import UserError
from wordpl.core.intervals import proportion_interval
from wordpl.core.moves import NoisyMove
from wordpl.kernels.posterior import Posterior
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, cost
from wordpl.terminal.app.run_follower import FAULTS, FollowedEntry, RunFollower, find_games, read_game

Message = dict[str, Any]
POLL_S = 0.5
PERCENTILES = (0.05, 0.5, 0.95)
MAX_MESSAGE_CHARACTERS = 300
N_TOP = 5


def watch(folder: Path) -> Iterator[Message]:
    """Yield the progress of a run, first immediately and then after each change, until the run has ended."""
    follower, began = RunFollower(folder), time.monotonic()
    n_before, is_first = 0, True
    while True:
        n_new = follower.read()
        if n_new or is_first:
            yield _progress(follower, None if is_first else n_new / max(time.monotonic() - began, 1e-9))
            began, n_before = time.monotonic(), n_before + n_new
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
        "faults": [asdict(fault) | {"message": fault.message[:MAX_MESSAGE_CHARACTERS]} for fault in follower.faults],
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
    run = Run(folder)
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
    from wordpl.reports.blocks import blocks  # pandas and scipy, which the other tasks do not need
    from wordpl.reports.run_report import RunReport
    from wordpl.run.folder import RunRecords

    run = Run(folder)
    if run.info.finished is None:
        raise UserError("this run has not ended. Watch (F4) shows the results so far.")
    yield {"kind": "board", "blocks": blocks(RunReport(RunRecords(run)).sections())}


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
