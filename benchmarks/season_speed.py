"""Measure the standings of a large season, in CPU seconds. `python -m benchmarks.season_speed`

300 versions of 40 authors in 52 rounds of 17 players and 1,000 games, with the scores p50, p05, p95 and P(win). Games
are drawn, not played. The digest of the records of each player and round is computed, and its credits are read from the
cache, as `Season.standings` does.
"""

import os
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from wordpl import games
from wordpl.season import scores as cache
from wordpl.season import standings
from wordpl.season.log import Version
from wordpl.season.scores import Credits, SeasonScore
from wordpl.season.standings import Games

N_AUTHORS, N_VERSIONS, N_ROUNDS, N_LEADERS, N_PLAYERS, N_GAMES = 40, 300, 52, 11, 17, 1000
SCORES = ("p50", "p05", "p95", "p_win")
RECORD_BYTES = 600


def versions() -> list[Version]:
    """Return all versions, the later ones of half of the authors."""
    owners = [number if number < N_AUTHORS else number % (N_AUTHORS // 2) for number in range(N_VERSIONS)]
    return [Version(i, f"bot{owner}", 1 + owners[:i].count(owner), f"bot{owner}", "", "bot.py", "", "2026-01-01")
            for i, owner in enumerate(owners)]  # fmt: skip


def rounds(rng: np.random.Generator) -> list[Games]:
    """Return the rounds: the same leaders, whose order is open, in each of them, and others at random."""
    found = []
    leaders = range(N_AUTHORS // 2, N_AUTHORS // 2 + N_LEADERS)
    for now in range(N_ROUNDS):
        known = max(N_AUTHORS, N_VERSIONS * (now + 1) // N_ROUNDS)
        others = np.setdiff1d(np.arange(known), leaders)
        players = sorted([*leaders, *rng.choice(others, N_PLAYERS - N_LEADERS, replace=False).tolist()])
        spent = np.round(rng.gamma(5, 8, (N_PLAYERS, N_GAMES)) * (1 + np.array(players)[:, None] / 600), 1)
        found.append(Games(players, [Credits(row, np.clip(rng.beta(8, 1, N_GAMES), 0, 1)) for row in spent]))
    return found


def read_seconds(folder: Path, rng: np.random.Generator) -> float:
    """Return the CPU seconds for the digests of all records, and for reading all credits from the cache."""
    record = folder / "records.jsonl"
    record.write_bytes(b"".join(rng.bytes(RECORD_BYTES // 2).hex().encode()[:-1] + b"\n" for _ in range(N_GAMES)))
    stored = folder / "credits.npy"
    np.save(stored, np.zeros((2, N_GAMES)))
    run = SimpleNamespace(
        info=SimpleNamespace(config=SimpleNamespace(n_games=N_GAMES)),
        entry=lambda entry: SimpleNamespace(records_path=record),
    )
    before = time.process_time()
    for _ in range(N_ROUNDS * N_PLAYERS):
        cache.digest_of(run, None)
        np.load(stored, allow_pickle=False)
    return time.process_time() - before


def main() -> None:
    """Print the CPU seconds."""
    rng = np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as name:
        print(f"digests of the records, credits from the cache {read_seconds(Path(name), rng):6.1f} CPU s")
    facts = games.game_class("wordpl/1").facts
    known, played = versions(), rounds(rng)
    ranked = sorted({version.author: version.index for version in known}.values())
    for score in SCORES:
        before = time.process_time()
        standings.compute(known, ranked, played, [SeasonScore.of(score, facts)])
        print(f"standings by {score:34} {time.process_time() - before:6.1f} CPU s")


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
