"""Every hostile strategy gets its verdict at every level of this machine, and gains nothing at isolating levels.

WORDPL_WRITE_OUTCOMES=1 writes the outcomes into docs/data/attacks.csv; otherwise the test compares them with that file.
Unless it is set, levels without isolation are tested only with exploits that reach outside the process: the referee
judges the others in the same way at every level.
"""

import csv
import ctypes
import os
import py_compile
import secrets
import socket
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.helpers.paths import HOME
from tests.hostile.exploits import Exploit, all_exploits
from tests.hostile.exploits.counters import REMAINS
from wordpl.contest import official, runner
from wordpl.games import game_class
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.run.bundle import Bundle
from wordpl.run.config import Limits, RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, RunInfo, SeedSource

EXPLOITS = all_exploits()
TABLE = HOME / "docs" / "data" / "attacks.csv"
JOBS = 4  # most exploits sleep
REACHING = ("channels", "counters", "theft", "resources")  # kinds of exploits
WRITES = bool(os.environ.get("WORDPL_WRITE_OUTCOMES"))
THROUGH = "got through"
STRICT = {"timeout_s": 0.25, "enforced_s": 0.25, "warmup_s": 1.5, "limits": Limits(wall_factor=2, wall_s=1.2)}
"""Limits for many exploits that hang."""
ROOMY = {"timeout_s": 10.0, "enforced_s": 10.0, "warmup_s": 60.0, "limits": Limits(wall_factor=2, wall_s=60.0)}
"""Limits within which a busy machine does not make an exploit late that is not late by itself."""
ORDINARY = ", user"
USER = "" if os.geteuid() == 0 else ORDINARY
"""The user: root, or an ordinary user, whose outcomes have columns of their own."""
HONEST = """
class Bot:
    def first_move(self): return "crane", 2.0
    def next_move(self, guess, epsilon, clues): return ("salet", 3.0) if guess == "crane" else ("abide", 0)
"""
_buffer = ctypes.create_string_buffer(secrets.token_hex(8).encode())
MARK = _buffer.value.decode()


def levels() -> list[Level]:
    """Return the levels that this machine supports."""
    return [level for level in Level if level >= probe.probe().level]


def exploits_at(level: Level) -> list[Exploit]:
    """Return the exploits that are tried at this level."""
    return [exploit for exploit in EXPLOITS if level.is_official or WRITES or exploit.kind in REACHING]


@pytest.fixture(scope="module")
def play_level(tmp_path_factory):
    """Return a function that plays a level once and returns outcomes, the honest entry's records, and traces."""
    folder = tmp_path_factory.mktemp("hostile")
    os.environ["WORDPL_TEST_TOKEN"] = "token"
    results: dict[Level, tuple[dict[str, str], bytes, list[str]]] = {}

    def play(level: Level):
        if level not in results:
            results[level] = _play(level, folder / level)
        return results[level]

    return play


def _play(level: Level, folder: Path) -> tuple[dict[str, str], bytes, list[str]]:
    """Play all exploits; those that are unexpectedly late, as they can be on a busy machine, are played again alone."""
    exploits = exploits_at(level)
    outcomes, honest, left = _play_together(level, folder, exploits, STRICT)
    late = [exploit for exploit in exploits if outcomes[exploit.name].startswith(f"{THROUGH}: late")]
    if late:
        again, _, more = _play_together(level, folder / "again", late, ROOMY)
        outcomes, left = outcomes | again, left + more
    return outcomes, honest, left


def _play_together(
    level: Level, folder: Path, exploits: Sequence[Exploit], limits: Mapping[str, Any]
) -> tuple[dict[str, str], bytes, list[str]]:
    bots, outside = folder / "bots", folder / "outside"
    for path in (folder, bots, outside):
        path.mkdir()
    outside.chmod(0o777)
    with socket.create_server(("127.0.0.1", 0)) as server:
        facts = {"RUN": str(folder / "run"), "REFEREE": os.getpid(), "ADDRESS": ctypes.addressof(_buffer), "MARK": MARK,
                 "PORT": server.getsockname()[1], "OUTSIDE": str(outside), "STATE": str(folder / "state")}  # fmt: skip
        entries = [write(bots, f"exploit{number}", exploit.source(facts)) for number, exploit in enumerate(exploits)]
        run = Run.create(folder / "run", info(level, [write(bots, "honest", HONEST), *entries], limits))
        store(run)
        (run.folder / "durations" / "decoy.csv").touch()
        (run.folder / "records" / "decoy.jsonl").touch()
        _set_traps(folder, bots)
        before = traces(folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tempfile, "tempdir", str(folder))  # so that players' working folders are there
            runner.play_run(run, official.draws(run), JOBS)
    records = {entry.slug: run.entry(entry).read()[0] for entry in run.info.entries}
    outcomes = {exploit.name: outcome(exploit, records[f"exploit{number}"]) for number, exploit in enumerate(exploits)}
    new_traces = sorted(traces(folder) - before)
    for path in [*Path("/dev/shm").glob(f"*{MARK}*"), *Path("/var/tmp").glob(f"*{MARK}*")]:
        path.unlink()
    return outcomes, run.entry(run.info.entries[0]).records_path.read_bytes(), new_traces


def _set_traps(folder: Path, bots: Path) -> None:
    """Put secrets where players may look for them: the seed of an official run, a link, a hidden file."""
    (folder / ".seeds").mkdir()
    (folder / ".seeds" / "run").write_text("seed")
    (folder / "state" / "wordpl" / "seeds").mkdir(parents=True)
    (folder / "state" / "wordpl" / "seeds" / "commitment").write_text("seed")
    (folder / "earlier").mkdir()
    (folder / "earlier" / "run.json").write_text("{}")
    (bots / "link").symlink_to(folder / "run")
    (bots / ".env").write_text("secret")
    (bots / "kept.py").write_text("words = []")
    (bots / "honest.json").write_text("[]")
    py_compile.compile(str(bots / "honest.py"))


def honest_records(folder: Path) -> bytes:
    """Return the honest entry's records of a trusted run without other entries."""
    run_info = info(Level.D, [write(folder, "honest", HONEST)], ROOMY)
    run_info.config = replace(run_info.config, player="trusted", level="")
    run = Run.create(folder / "alone", run_info)
    store(run)
    runner.play_run(run, official.draws(run))
    return run.entry(run.info.entries[0]).records_path.read_bytes()


def write(folder: Path, name: str, source: str) -> EntryInfo:
    path = folder / f"{name}.py"
    path.write_text(source)
    return EntryInfo(name, name, game_class("wordpl/1").facts, str(path), "Bot()", Bundle.of(path).digest, uses=[])


def store(run: Run) -> None:
    """Store the files of all entries in the folder of the run."""
    for entry in run.info.entries:
        run.store.add(Bundle.of(Path(entry.file)))


def info(level: Level, entries: list[EntryInfo], limits: Mapping[str, Any]) -> RunInfo:
    config = RunConfig(n_games=1, repeats=0, memory_mb=512, level=str(level), **limits)
    facts = {"seed": "hostile", "seed_source": SeedSource.TYPED, "versions": {}, "machine": {}, "started": ""}
    return RunInfo(config=config.resolved(str(level)), entries=entries, **facts)


def outcome(exploit: Exploit, record) -> str:
    """Return the verdict of an exploit, or THROUGH if it succeeded: it returned GOT_IN, which the rules refuse.

    Another verdict than the expected one is also a success, and is appended.
    """
    if "'got in'" in record.message:
        return THROUGH
    verdict = str(record.verdict)
    return verdict if verdict == exploit.verdict else f"{THROUGH}: {verdict}, {record.message[-200:]}"


def traces(folder: Path) -> set[str]:
    """Return possible traces of exploits: files, processes, shared memory, semaphores, queues."""
    names = {str(path) for path in [*folder.glob("outside/*"), *folder.glob("bots/*")] if path.suffix != ".py"}
    names |= {str(path) for place in ("/dev/shm", "/var/tmp") for path in Path(place).glob(f"*{MARK}*")}
    for kind in ("shm", "sem", "msg"):
        table = Path(f"/proc/sysvipc/{kind}")
        lines = table.read_text().splitlines()[1:] if table.exists() else []
        names |= {f"{kind} {line}" for line in lines if line.split()[0] == "7"}  # the key that exploits use
    return names | {f"process {process.name}" for process in Path("/proc").glob("[0-9]*") if works_in(process, folder)}


def works_in(process: Path, folder: Path) -> bool:
    """Return whether the process works in a folder below this one, which may have been removed."""
    try:
        return str((process / "cwd").readlink()).startswith(f"{folder}/")
    except OSError:
        return False


def each_level():
    """Yield the levels of this machine; all but the best one are marked as long."""
    for number, level in enumerate(levels()):
        yield pytest.param(level, marks=pytest.mark.long if number else pytest.mark.slow)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("level", list(each_level()))
def test_no_exploit_succeeds_at_isolating_levels_except_known_ones(play_level, level, tmp_path):
    outcomes, honest, traces_left = play_level(level)
    assert honest == honest_records(tmp_path)
    if level.is_official:
        remaining = {name for name, levels in REMAINS.items() if level in levels}
        through = {name: verdict for name, verdict in outcomes.items() if verdict.startswith(THROUGH)}
        assert {name: verdict for name, verdict in through.items() if name not in remaining} == {}
        assert traces_left == []


@pytest.mark.timeout(900)
@pytest.mark.parametrize("level", list(each_level()))
def test_the_published_table_has_these_outcomes(play_level, level):
    if not (level.is_official or WRITES):
        pytest.skip("the table has an earlier outcome for levels without isolation")
    table, column = published_outcomes(), f"{level}{USER}"
    outcomes = {name: verdict.partition(":")[0] for name, verdict in play_level(level)[0].items()}
    if WRITES:
        write_table({name: table.get(name, {}) | {column: verdict} for name, verdict in outcomes.items()})
    for name, verdict in outcomes.items():
        cell = published_outcomes().get(name, {}).get(column, "missing")
        assert cell == verdict or ({cell, verdict} == {THROUGH, "wrong"} and name in REMAINS), name


KINDS = {
    "channels": "pass information to another entry or another game",
    "counters": "learn of other processes by numbers of the whole machine",
    "endings": "end, kill or confuse the referee or another player",
    "protocol": "break the protocol between player and referee",
    "publication": "harm whoever reads the results",
    "resources": "use more than the limits allow",
    "theft": "read secrets, seeds, files of others or the referee's memory",
    "time": "take longer than allowed",
    "values": "return values that break the referee",
}


def counts() -> str:
    """Return the sentence of the page on threats, counted from the published outcomes for root."""
    table = published_outcomes()
    through = {level: sum(row[level] == THROUGH for row in table.values()) for level in Level}
    shown = ", ".join(f"{number} at {level}" for level, number in through.items())
    return f"Of {len(table)} hostile strategies, this many got through: {shown}.\n"


def test_the_page_on_threats_counts_these_outcomes():
    assert set(KINDS) == {exploit.kind for exploit in EXPLOITS}
    path = HOME / "docs" / "threat-model.md"
    start, begin, rest = path.read_text().partition("<!-- attacks -->\n")
    inside, end, after = rest.partition("<!-- end of attacks -->")
    if WRITES:
        path.write_text(f"{start}{begin}{counts()}{end}{after}")
    else:
        assert inside == counts(), "WORDPL_WRITE_OUTCOMES=1 writes it anew"


def published_outcomes() -> dict[str, dict[str, str]]:
    """Return the published table: outcome by exploit and column, which is a level and a user."""
    with TABLE.open(newline="") as file:
        (_, _, *columns), *rows = csv.reader(file)
    return {name: dict(zip(columns, cells, strict=True)) for name, _, *cells in rows}


def write_table(table: Mapping[str, Mapping[str, str]]) -> None:
    """Write the published table, one column for each level and user that were tried."""
    columns = [f"{level}{user}" for user in ("", ORDINARY) for level in Level]
    columns = [column for column in columns if any(column in row for row in table.values())]
    with TABLE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["strategy", "attempts to", *columns])
        for exploit in EXPLOITS:
            cells = [table[exploit.name].get(column, "") for column in columns]
            writer.writerow([exploit.name, KINDS[exploit.kind], *cells])
