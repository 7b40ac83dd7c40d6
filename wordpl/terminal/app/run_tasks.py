"""Worker tasks for runs: the progress of a run, lists of its games, and one game step by step."""

import time
from collections.abc import Iterator
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

from wordpl import games as all_games
from wordpl.core import words
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import GameKind
from wordpl.core.intervals import proportion_interval
from wordpl.core.moves import NoisyMove
from wordpl.core.posterior import Posterior
from wordpl.core.records import EntryInfo, Record, Run, cost
from wordpl.core.words import WordLists
from wordpl.terminal.app.run_follower import FAULTS, FollowedEntry, GameFilter, RunFollower, find_games, read_game

Message = dict[str, Any]
POLL_S = 0.5
PERCENTILES = (0.05, 0.5, 0.95)
MAX_MESSAGE_CHARACTERS = 300
N_TOP = 5


def watch(folder: str) -> Iterator[Message]:
    """Yield the progress of a run, first immediately and then after each change, until the run has ended."""
    follower, began = RunFollower(Path(folder)), time.monotonic()
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
        "n_games": info.n_games,
        "pace": pace,
        "entries": [_row(progress) for progress in follower.entries],
        "faults": [asdict(fault) | {"message": fault.message[:MAX_MESSAGE_CHARACTERS]} for fault in follower.faults],
    }


def _row(progress: FollowedEntry) -> Message:
    n, n_won = progress.n_played, progress.n_won
    low, high = proportion_interval(n_won, n) if n else (0.0, 1.0)
    return {
        "name": progress.entry.name,
        "game_id": progress.entry.game_id,
        "measure": progress.entry.measure,
        "n_played": n,
        "n_won": n_won,
        "low": float(low),
        "high": float(high),
        "percentiles": [value if isfinite(value) else None for value in progress.percentiles(PERCENTILES)] if n else [],
        "medians": [value if isfinite(value) else None for value in progress.medians],
        "n_faults": {str(verdict): progress.verdicts[verdict] for verdict in FAULTS if progress.verdicts[verdict]},
    }


def games(folder: str, entry: str = "", verdict: str = "", secret: str = "") -> Iterator[Message]:
    """Yield the games of a run with this entry, verdict and start of the secret; "" matches all."""
    run = Run(Path(folder))
    matches = find_games(run, GameFilter(entry, verdict, secret))
    rows = [
        [info.name, record.game, record.secret, str(record.verdict), _finite(cost(record, info.measure))]
        for info, record in matches.games
    ]
    yield {
        "kind": "games",
        "rows": rows,
        "n_found": matches.n_found,
        "entries": [info.name for info in run.info.entries],
    }


def _finite(value: float) -> float | None:
    return value if isfinite(value) else None


def game(folder: str, entry: str, number: int) -> Iterator[Message]:
    """Yield a game step by step, then the games of the other entries with the same secret."""
    run = Run(Path(folder))
    info = next((info for info in run.info.entries if info.name == entry), None)
    if info is None:
        raise UserError(f"this run has no entry called {entry!r}.")
    record = read_game(run, info, number)
    yield {"kind": "game", "entry": entry, **_summary(info, record), "steps": list(_steps(run, info, record))}
    others = [other for other in run.info.entries if other.game_id == info.game_id and other.name != entry]
    for other in others:
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
        "cost": _finite(cost(record, info.measure)),
        "message": record.message,
        "game_id": info.game_id,
    }


def _lists(run: Run) -> WordLists:
    """Return the word lists of the run. Raises UserError if they are missing or have changed."""
    lists = words.load(run.info.config.answers, run.info.config.guesses)
    if any(run.info.lists[name]["sha256"] != digest for name, digest in lists.sha256.items()):
        raise UserError("the word lists have changed since this run, so its games cannot be replayed.")
    return lists


def _steps(run: Run, info: EntryInfo, record: Record) -> Iterator[Message]:
    lists = _lists(run)
    game = all_games.make_game(info.game_id, lists)
    posterior = Posterior.uniform(lists, game.clue_rule) if game.kind == GameKind.NOISY else None
    remaining = list(lists.answers)
    for move in record.moves:
        guess, clues = move.guess, move.clues
        step: Message = {"guess": guess, "seen": clues, "epsilon": None}
        if posterior is not None and isinstance(move, NoisyMove):
            true = game.clue(guess, record.secret) if clues else ""
            step |= {"epsilon": move.epsilon, "true": true, "before": _state(posterior, record.secret)}
            if clues:
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
