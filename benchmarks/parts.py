"""What a run in parts costs its host: cutting, checking, joining; and the time of a part, from which a model follows.

    python -m benchmarks.parts [--games 1000000] [--parts 1000]

Records are synthetic: games of three moves each, as many as `benchmarks.million` writes. CPU seconds of this process.
"""

import argparse
import resource
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from wordpl.contest import parts, run_folder
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.core.seeds import Draws
from wordpl.games import game_class
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import Duration, Record, encode, encode_duration

MOVES = [NoisyMove("crane", 7.25, ".ic.."), NoisyMove("pouty", 7.25, "i...c"), NoisyMove("abide", 0, "")]


def measured(what: str, n: int, work):
    began, wall = time.process_time(), time.perf_counter()
    result = work()
    cpu = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what:34} {cpu:8.2f} CPU s {time.perf_counter() - wall:8.2f} s  {1e6 * cpu / n:9.2f} us each "
          f"{n / cpu:12,.0f} /s {peak:6.0f} MiB", flush=True)  # fmt: skip
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000, help="games of all entries together")
    parser.add_argument("--entries", type=int, default=20)
    parser.add_argument("--parts", type=int, default=100)
    chosen = parser.parse_args()
    facts = game_class("wordpl/1").facts
    entries = [
        EntryInfo(f"entry {number}", f"entry_{number}", facts, "", f"Entry({number})", "")
        for number in range(chosen.entries)
    ]
    n_games = chosen.games // chosen.entries
    config = RunConfig(n_games=n_games, seed="7", repeats=0, player=PlayerKind.TRUSTED).resolved(level="")
    with TemporaryDirectory() as folder:
        info = run_folder.describe(config, entries)
        run = Run.create(Path(folder, "run"), info)
        numbers = range(1, chosen.parts + 1)
        places = measured(
            "prepare a part", chosen.parts, lambda: [parts.prepare(run, n, chosen.parts) for n in numbers]
        )
        measured("play (synthetic), seal", chosen.games, lambda: [write(place) for place in places])
        with parts.Join(run, lambda progress: None) as join:
            measured("join, per game", chosen.games, lambda: [join.take(place) for place in places])
        measured("order of play of all games", n_games, lambda: Draws.of("seven").order(n_games))
        print(f"{len(run.info.parts)} parts of {chosen.games // chosen.parts:,} games in {chosen.entries} entries")


def write(place: Path) -> None:
    part = Run(place, None, may_be_part=True)
    for entry in part.entries:
        lines = [encode(Record(number, "abide", MOVES, Verdict.WON)) for number in entry.numbers]
        entry.records_path.write_bytes(b"".join(lines))
        durations = [encode_duration(Duration(number, 0.001, 0.001)) for number in entry.numbers]
        with entry.durations_path.open("ab") as file:
            file.write(b"".join(durations))
    part.finish(run_folder.now())


if __name__ == "__main__":
    main()
