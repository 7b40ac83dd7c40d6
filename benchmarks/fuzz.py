"""Fuzz the readers of files that others make: none may fail with a traceback, hang, or use much memory.

Run `python -m benchmarks.fuzz --minutes 10`. Hypothesis draws the inputs from committed seeds: valid files of each kind
in which values were replaced, removed, repeated or nested, with digests that fit again in half of them, and files that
were cut or mixed. A reader may return or raise a UserError. It has MAX_S seconds of CPU time.
"""

import csv
import gzip
import json
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import click
import msgspec
import numpy as np
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from wordpl.contest import evidence
from wordpl.core import words
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.league import share_text
from wordpl.league.importing import import_file
from wordpl.league.sources import ImportOptions
from wordpl.league.store import LeagueStore
from wordpl.run import seal
from wordpl.run.bundle import Bundle, Program, Surroundings, entries_in
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.season import check, terms
from wordpl.season.season import Season
from wordpl.season.terms import SeasonTerms
from wordpl.solvers import trees
from wordpl.solvers.plans import plan_file
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.search.proof import open_log, prove
from wordpl.solvers.trees.tree_files import as_json, as_text
from wordpl.tournament.scoring import load_rules
from wordpl.tournament.tournament_file import Terms, read_tournament
from wordpl.verify import proof, verify
from wordpl.workbench import warm_up
from wordpl.workbench.match import Match
from wordpl.workbench.tune import Tuner

HOME = Path(__file__).parent.parent
SEEDS = (20261121, 20261122, 20261123)
"""The seeds of the inputs."""
MAX_S = 2.0
"""The CPU time within which a reader must end."""
MAX_WAIT_S = 60.0
"""The time within which it must end on a busy machine; a reader that waits for ever uses no CPU time."""
MAX_MIB = 500
N_GAMES = 5
MAX_REPEATED = 10_000_000
"""The characters that a repeated value may take: what a reader uses is measured, not the inputs that are drawn."""
PART = 50
"""The inputs that are drawn at a time; the clock is read between them."""
SPECIAL: tuple[Any, ...] = (
    None, True, -1, 0, 1, 2**31, 2**63, 10**30, 1e308, -1e308, 0.1, float("nan"), float("inf"), "", "\0", "../..",
    "/dev/zero", "a" * 5000, [], {}, "\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"), "🟩" * 50,
    "<script>", "=1+1", [[]], {"": None}, "crane", "wordpl/1", "2026-01-01T00:00:00+00:00", "0" * 64, "(" * 3000,
)  # fmt: skip
LEAVES = st.one_of(
    st.sampled_from(SPECIAL), st.sampled_from(SPECIAL), st.integers(), st.floats(), st.text(max_size=12), st.booleans()
)
PROCESSES = multiprocessing.get_context("fork")
Draw = Callable[[st.SearchStrategy[Any]], Any]


class SlowError(BaseException):
    """A reader took too long; no reader catches it."""


@dataclass(frozen=True)
class Form:
    """A form of files: how their content becomes plain values that can be changed, and back."""

    parse: Callable[[bytes], Any]
    write: Callable[[Any], bytes]


@dataclass(frozen=True)
class Reader:
    """A reader and a valid input for it.

    Attributes:
        name: What it reads.
        valid: The content of a valid file.
        read: Reads the file at a path.
        form: The form of the file.
        sealed: Returns changed values with digests that fit again.
    """

    name: str
    valid: bytes
    read: Callable[[Path], object]
    form: Form
    sealed: Callable[[Any], Any] | None = None


def as_toml(values: Any, top: bool = True) -> str:
    """Return plain values as TOML; what TOML does not have becomes a text."""
    if isinstance(values, dict):
        parts = [f"{json.dumps(str(name))} = {as_toml(value, top=False)}" for name, value in values.items()]
        return "\n".join(parts) + "\n" if top else "{" + ", ".join(parts) + "}"
    if isinstance(values, list):
        return "[" + ", ".join(as_toml(value, top=False) for value in values) + "]"
    return json.dumps(str(values) if values is None else values, default=str)


def as_lines(values: Any) -> bytes:
    """Return a list as lines, each of which is text or JSON."""
    parts = values if isinstance(values, list) else [values]
    return "".join(f"{part if isinstance(part, str) else json.dumps(part)}\n" for part in parts).encode(
        errors="replace"
    )


JSON = Form(json.loads, lambda value: json.dumps(value).encode())
TOML = Form(lambda data: tomllib.loads(data.decode()), lambda value: as_toml(value).encode(errors="replace"))
JSON_LINES = Form(lambda data: [json.loads(line) for line in data.splitlines()], as_lines)
TEXT = Form(lambda data: data.decode().splitlines(), as_lines)
FIELDS = Form(
    lambda data: [line.split(";") for line in data.decode().splitlines()],
    lambda value: as_lines([";".join(map(str, row)) if isinstance(row, list) else row for row in value]
                           if isinstance(value, list) else value),
)  # fmt: skip
PACKED = Form(lambda data: JSON_LINES.parse(gzip.decompress(data)), lambda value: gzip.compress(as_lines(value), 1))


def change(draw: Draw, value: Any) -> Any:
    """Return plain values with one of them replaced, removed, repeated or nested."""
    kind = draw(st.integers(0, 19))
    if isinstance(value, dict) and value and kind < 18:
        name = draw(st.sampled_from(sorted(value)))
        if kind < 2:
            return {other: part for other, part in value.items() if other != name}
        if kind < 3:
            return value | {draw(st.sampled_from(("x", "", "format", "__class__"))): draw(LEAVES)}
        return value | {name: change(draw, value[name])}
    if isinstance(value, list) and value and kind < 18:
        place = draw(st.integers(0, len(value) - 1))
        if kind < 2:
            return value[:place] + value[place + 1 :]
        if kind < 4:
            count = draw(st.sampled_from((1, 2, 100)))
            return value + [value[place]] * (count if len(repr(value[place])) * count < MAX_REPEATED else 1)
        return [*value[:place], change(draw, value[place]), *value[place + 1 :]]
    if isinstance(value, str) and value and kind < 8:
        place = draw(st.integers(0, len(value) - 1))
        return value[:place] + draw(st.sampled_from(("", "\0", "\n", "c", ".", "9", "/", "🟩"))) + value[place + 1 :]
    if kind == 19:
        nested: Any = value
        for _ in range(draw(st.sampled_from((5, 40, 400)))):
            nested = [nested]
        return nested
    return draw(LEAVES)


@st.composite
def inputs(draw: Draw, reader: Reader) -> bytes:
    """Draw an input made from a valid one: mostly of its structure, sometimes torn or mixed bytes."""
    kind = draw(st.integers(0, 9))
    if kind < 7:
        value = reader.form.parse(reader.valid)
        for _ in range(draw(st.sampled_from((1, 1, 2, 4)))):
            value = change(draw, value)
        if reader.sealed and draw(st.booleans()):
            with suppress(Exception):  # values that cannot be sealed are given as they are
                value = reader.sealed(value)
        try:
            return reader.form.write(value)
        except RecursionError:  # nested too deep to be written in this form
            return reader.valid
    data = reader.valid
    if kind == 7:
        lines = data.splitlines(keepends=True)
        place, count = draw(st.integers(0, len(lines) - 1)), draw(st.sampled_from((0, 2, 50)))
        return b"".join(lines[:place] + lines[place : place + 1] * count + lines[place + 1 :])
    if kind == 8:
        begin, end = sorted((draw(st.integers(0, len(data))), draw(st.integers(0, len(data)))))
        pieces = (b"", b"\0" * 100, b"[" * 3000, b"\xff\xfe", b"\n\n", b"9" * 5000, gzip.compress(bytes(1 << 16)))
        return data[:begin] + draw(st.sampled_from(pieces)) + data[end:]
    return draw(st.binary(max_size=200))


def run_readers(source: Path, folder: Path) -> Iterator[Reader]:
    """Yield the readers of the files of a run: each file is changed in a copy of the run."""
    lists = words.load()
    shutil.copytree(source, folder / "run")

    def of(name: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
        def read(path: Path) -> object:
            target, plain = folder / "run" / name, folder / "run" / name.removesuffix(".gz")
            plain.unlink(missing_ok=True)
            shutil.copyfile(path, target)
            try:
                return make(folder / "run")
            finally:
                target.unlink()
                if (source / plain.relative_to(folder / "run")).exists():
                    shutil.copyfile(source / plain.relative_to(folder / "run"), plain)

        return read

    def whole(run_folder: Path) -> object:
        run = Run(run_folder)
        findings = verify(run, lists)
        for entry in run.entries:
            entry.read()
            entry.cpu_used_s()
            entry.repeats()
            entry.read_journals()
        return findings

    slug = Run(source).info.entries[0].slug
    records = (source / f"records/{slug}.jsonl").read_bytes()
    for name, valid, form in (
        ("run.json", None, JSON),
        (f"records/{slug}.jsonl", None, JSON_LINES),
        (f"records/{slug}.jsonl.gz", gzip.compress(records), PACKED),
        (f"repeats/{slug}.jsonl", records, JSON_LINES),
        (f"durations/{slug}.csv", None, FIELDS),
        (f"fingerprints/{slug}.txt", None, TEXT),
        (f".begun/{slug}/1", b"0\n" + records.splitlines(keepends=True)[0] + b"1\n", TEXT),
        ("scores.csv", b"strategy;p05\na;1\n", FIELDS),
    ):
        data = (source / name).read_bytes() if valid is None else valid
        (folder / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        yield Reader(name.replace(slug, "ENTRY"), data, of(name, whole), form)
    match = json.dumps({"goal": "cost", "result": {"exact": False, "verdict": "open"}}).encode()
    yield Reader("match.json", match, of("match.json", lambda path: Match.resume(path, jobs=1).play()), JSON)
    entry = HOME / "strategies" / "n_guess.py"
    config = msgspec.to_builtins(RunConfig(level="A"), enc_hook=str)
    facts = {"entry": f"{entry}:NGuess(8.4)", "parameters": ["epsilon=5:20"], "goal": "p50", "config": config}
    facts["sha256"] = Bundle.of(entry).digest
    yield Reader(
        "tune.json", json.dumps(facts).encode(), of("tune.json", lambda path: Tuner.resume(path, jobs=1)), JSON
    )


def chained(values: Any) -> Any:
    """Return the lines of a season's log with the digests of the lines before them."""
    before, lines = "", []
    for event in values:
        line = json.dumps(event | {"before": before})
        lines.append(line)
        before = sha256(line.encode()).hexdigest()
    return lines


def chained_proof(values: Any) -> Any:
    """Return the lines of a proof's log with digests that fit."""
    chain, lines = "", []
    for fields in values:
        body = json.dumps({name: value for name, value in fields.items() if name != "chain"}, separators=(",", ":"))
        chain = sha256((chain + body).encode()).hexdigest()
        lines.append(f'{body[:-1]},"chain":"{chain}"}}')
    return lines


def sealed_cup(value: Any) -> Any:
    """Return a tournament with a commitment that fits."""
    return value | {"commitment": seal.commitment(value["seed"], seal.terms_digest(value["terms"]))}


def sealed_evidence(value: Any) -> Any:
    """Return evidence with its digest."""
    facts = {name: part for name, part in value.items() if name != "digest"}
    return facts | {"digest": sha256(seal.canonical_json(facts)).hexdigest()}


def season_readers(source: Path, folder: Path) -> Iterator[Reader]:
    """Yield the readers of the files of a season with a version, and a round whose run is `source`."""
    place = folder / "season"
    season = Season.new(place, "t", "wordpl/1", ["p50", "p_win"])
    (folder / "bot.py").write_text("class Bot: pass\n")
    for name in ("one", "two"):
        season.submit(folder / "bot.py", name, name)
    run = Run(source)
    shutil.copytree(source, place / "rounds" / "first")
    events = [json.loads(line) for line in (place / "log.jsonl").read_bytes().splitlines()]
    time_ = {"time": "2026-01-01T00:00:00+00:00"}
    players = {entry.slug: "one@1" for entry in run.info.entries}
    events += [
        {"event": "withdrawn", "version": "two@1"} | time_,
        {"event": "disqualified", "version": "two@1", "reason": "why"} | time_,
        {"event": "round", "number": 1, "run": "first", "commitment": "0", "players": players} | time_,
        {"event": "played", "run": "first", "seal": "0", "files": "0"} | time_,
    ]

    def read(path: Path) -> object:
        shutil.copyfile(path, place / "log.jsonl")
        found = Season(place)
        return found.ranked, found.pending, found.played_rounds, list(check.problems(found))

    yield Reader("log of a season", as_lines(chained(events)), read, JSON_LINES, chained)

    def read_terms(path: Path) -> object:
        (folder / "terms").mkdir(exist_ok=True)
        shutil.copyfile(path, folder / "terms" / terms.FILE)
        found = SeasonTerms.read(folder / "terms")
        return found.config(folder, "rounds", found.games), Season(folder / "terms").scores

    yield Reader("season.toml", (place / terms.FILE).read_bytes(), read_terms, TOML)


def tournament_readers(folder: Path) -> Iterator[Reader]:
    """Yield the readers of tournament files."""
    rules = (HOME / "wordpl" / "data" / "tournament.toml").read_bytes()
    yield Reader("rules of a tournament", rules, load_rules, TOML)
    guesses = [{"word": word, "time_s": 1.8e9 + second} for second, word in enumerate(("crane", "slate", "moist"))]
    cup = {"format": 2, "terms": msgspec.to_builtins(Terms.new(load_rules(None))), "seed": "seed", "commitment": ""}
    cup |= {"started_s": 1.8e9, "ended_s": 1.9e9}
    cup |= {"players": [{"player": "ada", "joined_s": 1.8e9, "guesses": guesses}]}
    yield Reader("tournament file", json.dumps(sealed_cup(cup)).encode(), read_tournament, JSON, sealed_cup)


def solver_readers(folder: Path) -> Iterator[Reader]:
    """Yield the readers of trees, plans, proofs and evidence."""
    leaves = {clues: trees.Tree(word, {}, True) for clues, word in ((".....", "mound"), ("....i", "north"))}
    tree = trees.Tree("salet", leaves | {"c....": trees.Tree("spiny", {"cc...": leaves["....."]}, True)}, False)
    yield Reader("tree as text", as_text(tree).encode(), trees.load, TEXT)
    provenance = trees.TreeProvenance("wordle/1", {"answers": "0", "guesses": "0"}, "by hand")
    yield Reader("tree as JSON", as_json(tree, provenance), trees.load, JSON)
    plan = (HOME / "strategies" / "schedule-p50.json").read_bytes()
    yield Reader("plan", plan, lambda path: plan_file.load(path).epsilons(), JSON)
    proved = (HOME / "results" / "evidence" / "p50.json").read_bytes()
    yield Reader("evidence", proved, evidence.load, JSON, sealed_evidence)
    few = tuple(sorted(words.load().answers[::120]))
    problem = Problem(WordLists(few, few))
    with open_log(folder / "proof.jsonl", problem, problem.position()) as log:
        prove(problem.position(), log, 1, lambda _: None)

    def read(path: Path) -> object:
        return proof.check(path, WordLists(few, few), (2, np.random.default_rng(1)))

    yield Reader("proof log", (folder / "proof.jsonl").read_bytes(), read, JSON_LINES, chained_proof)


def league_readers(folder: Path) -> Iterator[Reader]:
    """Yield the readers of what members of a league write."""

    def imported(path: Path) -> object:
        store = LeagueStore(f"sqlite:///{folder / 'league.sqlite'}")
        try:
            return import_file(store, path, ImportOptions(player="ada"))
        finally:
            store.close()
            (folder / "league.sqlite").unlink()

    for name in ("ids_utc", "names_local_time"):
        data = (HOME / "tests" / "league" / "data" / f"{name}.json").read_bytes()
        yield Reader(f"chat export, {name.replace('_', ' ')}", data, imported, JSON)
    share = "Wordle 1,567 3/6\n\n⬛🟨⬛⬛⬛\n🟩⬛🟨⬛⬛\n🟩🟩🟩🟩🟩\n"
    chat = f"[04/10/2025, 07:01:02] Ada: {share}[04/10/2025, 07:05:00] Bo: Wordle 1.567 X/6*\n"
    yield Reader("chat of WhatsApp", chat.encode(), imported, TEXT)

    def text(path: Path) -> object:
        return [found.fault for found in share_text.find(path.read_bytes().decode(errors="replace"))]

    yield Reader("share text", share.encode(), text, TEXT)


def entry_readers(folder: Path) -> Iterator[Reader]:
    """Yield the readers of the files of entries."""
    program = b'game = "wordpl/1"\ncommand = ["node", "bot.js"]\nbuild = ["make"]\nname = "bot"\n'
    yield Reader("TOML of a program", program, Program.read, TOML)
    place = folder / "strategies"
    place.mkdir()
    (place / "utils.py").touch()

    def shared(path: Path) -> object:
        shutil.copyfile(path, place / "shared.txt")
        return Surroundings(place).shared_files()

    yield Reader("shared.txt", b"utils.py\n# comment\n", shared, TEXT)

    def names(path: Path) -> object:
        shutil.rmtree(folder / "named", ignore_errors=True)
        (folder / "named").mkdir()
        try:
            for name, kind in json.loads(path.read_bytes()):
                _make(folder / "named", name, kind)
        except (OSError, ValueError, TypeError, AttributeError, RecursionError):
            pass  # no file system has such a name
        return [_digest(entry) for entry in entries_in(folder / "named")]

    listed = [["bot.py", "file"], ["bot.json", "file"], ["other", "folder"], ["other/bot.py", "file"], ["x.py", "link"],
              ["bot_2.py", "file"], ["bot_2.txt", "pipe"], ["bot", "folder"], ["shared.txt", "file"]]  # fmt: skip
    yield Reader("names of files", json.dumps(listed).encode(), names, JSON)
    yield Reader("word list", b"crane\nslate\n", words.read, TEXT)


def _make(folder: Path, name: str, kind: str) -> None:
    path = folder / name
    if not path.absolute().is_relative_to(folder) or ".." in path.parts:
        return
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "link":
        path.symlink_to("/dev/zero")
    else:
        path.open("x").close()  # not into a pipe that has this name already


def _digest(entry: Path) -> str:
    """Return the digest of an entry; one that is refused does not stop the others."""
    try:
        return Bundle.of(entry).digest
    except UserError as error:
        return error.message


def readers(folder: Path) -> list[Reader]:
    """Return all readers, each of which accepts its valid input.

    Args:
        folder: An empty folder for files.
    """
    source = small_run(folder / "source")
    return [
        *run_readers(source, folder),
        *season_readers(source, folder),
        *tournament_readers(folder),
        *solver_readers(folder),
        *league_readers(folder),
        *entry_readers(folder),
    ]


def small_run(folder: Path) -> Path:
    """Return the folder of a small run, copied from the runs that are kept."""
    kept = HOME / "results" / "bundled"
    shutil.copytree(kept, folder)
    facts = json.loads((folder / "run.json").read_bytes())
    noisy = [entry for entry in facts["entries"] if entry["game"]["id"] == "wordpl/1"][:2]
    facts["entries"] = noisy
    facts["config"] |= {"n_games": N_GAMES, "repeats": 0, "total_s": 5.0 * N_GAMES, "level": "A", "player": "process"}
    for name, ending in (("records", "jsonl"), ("durations", "csv"), ("fingerprints", "txt")):
        content = {}
        for entry in noisy:
            path = folder / name / f"{entry['slug']}.{ending}"
            packed = path.with_name(f"{path.name}.gz")
            data = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
            head = 1 if ending == "csv" else 0
            content[path] = b"".join(data.splitlines(keepends=True)[: N_GAMES + head])
        shutil.rmtree(folder / name)
        (folder / name).mkdir()
        for path, data in content.items():
            path.write_bytes(data)
    (folder / "run.json").write_text(json.dumps(facts))
    return folder


@contextmanager
def limited() -> Iterator[None]:
    """Raise SlowError in this thread after MAX_S seconds of CPU time, or after MAX_WAIT_S seconds."""

    def late(*args: object) -> None:
        raise SlowError

    timers = ((signal.SIGPROF, signal.ITIMER_PROF, MAX_S), (signal.SIGALRM, signal.ITIMER_REAL, MAX_WAIT_S))
    for number, timer, seconds in timers:
        signal.signal(number, late)
        signal.setitimer(timer, seconds)
    try:
        yield
    finally:
        for _, timer, _ in timers:
            signal.setitimer(timer, 0)


def attempt(reader: Reader, data: bytes, path: Path) -> str:
    """Return how a reader ended: "read", "refused", or what is wrong with it."""
    path.write_bytes(data)
    try:
        with limited():
            reader.read(path)
        outcome = "read"
    except UserError:
        outcome = "refused"
    except SlowError:
        return f"slower than {MAX_S:g} s"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:100]}"
    used = peak_mib()
    return outcome if used <= MAX_MIB else f"{used} MiB of memory"


def peak_mib() -> int:
    """Return the largest memory that this process has used, in MiB; the libraries of all readers take most of it."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) >> 10


Tried = list[tuple[bytes, str]]
"""Inputs with their outcomes; those that were read or refused are left out."""


def fuzz_reader(reader: Reader, n_inputs: int, number: int, path: Path, until: float) -> Iterator[tuple[Tried, int]]:
    """Yield parts of the inputs of a reader with their outcomes, and the largest memory in MiB.

    Each part has a process of its own, so that none has what the libraries keep of earlier ones.

    Args:
        reader: The reader.
        n_inputs: The number of inputs.
        number: The seed.
        path: The file to write them to.
        until: The time after which no more are tried.
    """
    for part in range(-(-n_inputs // PART)):
        if time.monotonic() > until:
            return
        code = zlib.crc32(f"{number} {reader.name} {part}".encode())
        receiver, sender = PROCESSES.Pipe(duplex=False)
        wanted = reader, min(PART, n_inputs - part * PART), code, path, sender
        process = PROCESSES.Process(target=_try_inputs, args=wanted)
        process.start()
        sender.close()
        try:
            yield receiver.recv()
        except EOFError:
            yield [(b"", "the process was killed")], 0
        process.join()


def _try_inputs(reader: Reader, n_inputs: int, code: int, path: Path, sender: Connection) -> None:
    """Send inputs of a reader that are drawn with this seed, with their outcomes."""
    tried: Tried = []

    @seed(code)
    @settings(max_examples=n_inputs, database=None, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))  # fmt: skip
    @given(inputs(reader))
    def one(data: bytes) -> None:
        outcome = attempt(reader, data, path)
        tried.append((data if outcome not in ("read", "refused") else b"", outcome))

    one()
    sender.send((tried, peak_mib()))


def read_valid(all_readers: list[Reader], path: Path) -> None:
    """Check that each reader accepts what its inputs are made from."""
    for reader in all_readers:
        reader_path = path.with_suffix(".json") if reader.form is JSON else path
        reader_path.write_bytes(reader.valid)
        reader.read(reader_path)


def draw_text() -> None:
    """Draw a text."""

    @settings(max_examples=1, database=None, phases=[Phase.generate])
    @given(st.text(min_size=1))
    def one(text: str) -> None:
        assert text

    one()


def prepare(all_readers: list[Reader], path: Path) -> None:
    """Let processes of their own fill caches: a compiler, or hypothesis's table of characters, keeps 200 MiB of one."""
    for target, arguments in ((warm_up.compile_all, ()), (read_valid, (all_readers, path)), (draw_text, ())):
        process = PROCESSES.Process(target=target, args=arguments)
        process.start()
        process.join()


def fuzz(
    n_inputs: int, minutes: float, numbers: tuple[int, ...], keep: Path | None
) -> tuple[Counter[tuple[str, str]], list[str], Counter[str]]:
    """Return how many inputs each reader read and refused, a line for each that failed, and the memory in MiB."""
    counts, failures, peaks = Counter[tuple[str, str]](), list[str](), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="wordpl-fuzz-") as name:
        path = Path(name) / "input"
        all_readers = readers(Path(name))
        prepare(all_readers, path)
        read_valid(all_readers, path)
        until = time.monotonic() + 60 * minutes
        share = -(-n_inputs // (len(all_readers) * len(numbers)))
        for number in numbers:
            for reader in all_readers:
                for tried, peak in fuzz_reader(reader, share, number, path, until):
                    peaks[reader.name] = max(peaks[reader.name], peak)
                    for data, outcome in tried:
                        is_fine = outcome in ("read", "refused")
                        counts[reader.name, outcome if is_fine else "failed"] += 1
                        if not is_fine:
                            failures.append(f"{reader.name}, seed {number}: {outcome}")
                            if keep:
                                keep.mkdir(exist_ok=True)
                                (keep / f"{len(failures)}-{reader.name.replace('/', '-')}").write_bytes(data)
    return counts, failures, peaks


@click.command()
@click.option("--minutes", default=10.0, show_default=True, help="Stop after this time.")
@click.option("--inputs", "n_inputs", default=20_000, show_default=True, help="Number of inputs of all seeds together.")
@click.option("--seed", "seeds", type=int, multiple=True, help="Seed of the inputs. [default: the committed ones]")
@click.option("--keep", type=click.Path(path_type=Path), help="Folder in which failing inputs are kept.")
@click.option("--save", type=click.Path(path_type=Path), help="CSV file for the number of inputs of each reader.")
def main(minutes: float, n_inputs: int, seeds: tuple[int, ...], keep: Path | None, save: Path | None) -> None:
    """Fuzz the readers of files that others make."""
    began, chosen = time.monotonic(), seeds or SEEDS
    counts, failures, peaks = fuzz(n_inputs, minutes, chosen, keep)
    table = [
        [name, *(counts[name, kind] for kind in ("read", "refused", "failed")), peaks[name]]
        for name in dict.fromkeys(name for name, _ in counts)
    ]
    for name, *shown in table:
        click.echo(f"{name:<40}" + "".join(f"{number:>9,}" for number in shown))
    for line in failures[:50]:
        click.echo(line)
    tried = f"{counts.total():,} inputs in {time.monotonic() - began:.0f} s, {len(failures)} failures"
    numbers = " ".join(map(str, chosen))
    facts = f"{datetime.now(UTC):%Y-%m-%d}: {tried}, peak memory {max(peaks.values())} MiB, seeds {numbers}."
    click.echo(facts)
    if save:
        with save.open("w", newline="") as file:
            file.write(f"# {facts}\n")
            csv.writer(file, lineterminator="\n").writerows(
                [["reader", "read", "refused", "failed", "peak_mib"], *table]
            )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "120")
    main()
