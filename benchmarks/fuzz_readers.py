"""The readers of files that others make, each with a valid file, for the fuzzer."""

import gzip
import json
import os
import shutil
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from tests.helpers import messages
from wordpl.apps.league import share_text
from wordpl.apps.league.sources import ImportOptions, import_file
from wordpl.apps.league.store import LeagueStore
from wordpl.apps.season import check, terms
from wordpl.apps.season.season import Season
from wordpl.apps.season.terms import SeasonTerms
from wordpl.apps.tournament.scoring import load_rules
from wordpl.apps.tournament.tournament_file import Terms, read_tournament
from wordpl.apps.workbench.match import Match
from wordpl.apps.workbench.tune import Tuner
from wordpl.contest import evidence
from wordpl.core import words
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.run import records, seal
from wordpl.run.bundle import Bundle, Program, entries_in, shared_modules
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.solvers import trees
from wordpl.solvers.plans import plan_file
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.search.proof import open_log, prove
from wordpl.solvers.trees.tree_files import as_json, as_text
from wordpl.verify import proof, verify

HOME = Path(__file__).parent.parent
N_GAMES = 5


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


def readers(folder: Path) -> list[Reader]:
    """Return all readers, each of which accepts its valid input.

    Args:
        folder: An empty folder for files.
    """
    source = small_run(folder / "source")
    return [
        *run_readers(source, folder / "run"),
        *workbench_readers(source, folder / "workbench"),
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
    facts["entries"] = [entry for entry in facts["entries"] if entry["game"]["id"] == "wordpl/1"][:2]
    facts["config"] |= {"n_games": N_GAMES, "repeats": 0, "total_s": 5.0 * N_GAMES, "level": "A", "player": "process"}
    (folder / "run.json").write_text(json.dumps(facts))
    for name, ending, n_lines in (("records", "jsonl", 5), ("durations", "csv", 6), ("fingerprints", "txt", 5)):
        shutil.rmtree(folder / name)
        (folder / name).mkdir()
        for entry in facts["entries"]:
            file = Path(name, f"{entry['slug']}.{ending}")
            lines = b"".join(records.parts(kept / file, 100_000)).splitlines(keepends=True)
            (folder / file).write_bytes(b"".join(lines[:n_lines]))
    return folder


def replacing(source: Path, copy: Path, name: str, make: Callable[[Path], object]) -> Callable[[Path], object]:
    """Return a function that calls `make` with the copy of a run, in which a file takes the place of one of the run."""
    target, plain = copy / name, copy / name.removesuffix(".gz")
    original = source / plain.relative_to(copy)

    def read(path: Path) -> object:
        plain.unlink(missing_ok=True)
        shutil.copyfile(path, target)
        try:
            return make(copy)
        finally:
            target.unlink()
            if original.exists():
                shutil.copyfile(original, plain)

    return read


def read_run(folder: Path) -> object:
    """Read all files of a run."""
    run = Run(folder)
    for entry in run.entries:
        entry.read()
        entry.cpu_used_s()
        entry.repeats()
        entry.read_journals()
    return verify(run, words.load())


def run_readers(source: Path, copy: Path) -> Iterator[Reader]:
    """Yield the readers of the files of a run: each file is changed in a copy of the run."""
    shutil.copytree(source, copy)
    slug = Run(source).info.entries[0].slug
    lines = (source / f"records/{slug}.jsonl").read_bytes()
    for name, valid, form in (
        ("run.json", None, JSON),
        (f"records/{slug}.jsonl", None, JSON_LINES),
        (f"records/{slug}.jsonl.gz", gzip.compress(lines), PACKED),
        (f"repeats/{slug}.jsonl", lines, JSON_LINES),
        (f"durations/{slug}.csv", None, FIELDS),
        (f"fingerprints/{slug}.txt", None, TEXT),
        (f".begun/{slug}/1", b"0\n" + lines.splitlines(keepends=True)[0] + b"1\n", TEXT),
        ("scores.csv", b"strategy;p05\na;1\n", FIELDS),
    ):
        data = (source / name).read_bytes() if valid is None else valid
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        yield Reader(name.replace(slug, "ENTRY"), data, replacing(source, copy, name, read_run), form)


def workbench_readers(source: Path, copy: Path) -> Iterator[Reader]:
    """Yield the readers of the files of a match and a search for parameters, which are runs."""
    shutil.copytree(source, copy)
    match = json.dumps({"goal": "cost", "result": {"exact": False, "verdict": "open"}}).encode()
    read = replacing(source, copy, "match.json", lambda path: Match.resume(path, jobs=1).play())
    yield Reader("match.json", match, read, JSON)
    entry = HOME / "strategies" / "n_guess.py"
    config = msgspec.to_builtins(RunConfig(level="A"), enc_hook=str)
    facts = {"entry": f"{entry}:NGuess(8.4)", "parameters": ["epsilon=5:20"], "goal": "p50", "config": config}
    data = json.dumps(facts | {"sha256": Bundle.of(entry).digest}).encode()
    read = replacing(source, copy, "tune.json", lambda path: Tuner.resume(path, jobs=1))
    yield Reader("tune.json", data, read, JSON)


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
    plan = (HOME / "strategies" / "schedule" / "schedule-p50.json").read_bytes()
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

    export = (HOME / "tests" / "apps" / "league" / "data" / "ids_utc.json").read_text()
    for name, text in (("ids", export), ("names", messages.with_names(export))):
        yield Reader(f"chat export, {name}", text.encode(), imported, JSON)
    share = "Wordle 1,567 3/6\n\n⬛🟨⬛⬛⬛\n🟩⬛🟨⬛⬛\n🟩🟩🟩🟩🟩\n"
    chat = f"[04/10/2025, 07:01:02] Ada: {share}[04/10/2025, 07:05:00] Bo: Wordle 1.567 X/6*\n"
    yield Reader("chat of WhatsApp", chat.encode(), imported, TEXT)

    def text(path: Path) -> object:
        return [found.fault for found in share_text.find(path.read_bytes().decode(errors="replace"))]

    yield Reader("share text", share.encode(), text, TEXT)


def entry_readers(folder: Path) -> Iterator[Reader]:
    """Yield the readers of the files of entries."""
    program = b'game = "wordpl/1"\ncommand = ["node", "bot.js"]\nbuild = ["make"]\nname = "bot"\n'
    yield Reader("TOML of a program", program, lambda path: Program.parse(path.read_bytes(), path.name), TOML)
    place = folder / "strategies"
    place.mkdir()
    (place / "utils.py").touch()

    def shared(path: Path) -> object:
        shutil.copyfile(path, place / "shared.txt")
        return shared_modules(place)

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
