"""Checks run.json against the files of the run, its commitment, its beacon and its seal."""

import json
import os
from collections import Counter
from typing import Any

from wordpl.core import bounded
from wordpl.core.messages import UserError
from wordpl.core.moves import GameFacts
from wordpl.core.words import WordLists
from wordpl.run import invariants, records, seal
from wordpl.run.bundle import STORE, BundleStore
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.verify.replay import Difference, Findings
from wordpl.verify.rules import GAME_RULES

RUN_JSON = "run.json"
TABLES = (RUN_JSON, "scores.csv", "LEADERBOARD.md")
PARTS = ("records", "durations", "repeats", "fingerprints")


def check_terms(run: Run, lists: WordLists, findings: Findings) -> None:
    """Check run.json for contradictions with itself and with the files of the run, and add what is wrong to `findings`.

    Args:
        lists: The word lists that it was played with.
        findings: Receives the differences and notes.
    """
    duplicates: list[str] = []
    text = bounded.read(bounded.RUN_JSON, run.folder / RUN_JSON)
    facts = json.loads(text, object_pairs_hook=lambda pairs: _object(pairs, duplicates))
    for name in duplicates:
        _add_difference(findings, f"the number of fields {name!r}", "2", "1: programs differ in which one they read")
    for violation in invariants.violations_of_official(run.info):
        _add_difference(findings, *violation)
    _check_commitment(run, facts, findings)
    _check_seal(run, facts, findings)
    if step := invariants.clock_step(run.info):
        findings.notes.append(f"the times: {step}")
    if run.info.finished is None:
        _add_difference(findings, "the end of the run", "missing", "one: `wordpl evaluate --resume` plays the rest")
    _check_word_lists(run, lists, findings)
    _check_entries(run, findings)
    _check_record_files(run, findings)


def require_files(run: Run) -> None:
    """Check that everything in the run's folder that should be a file is one.

    Raises:
        UserError: It is something else, such as a folder or a pipe.
    """
    parts = [path for part in PARTS for path in (run.folder / part).glob("*")]
    for path in [*parts, *(run.folder / name for name in TABLES)]:
        if os.path.lexists(path) and not path.is_file():
            raise UserError(
                f"{path.relative_to(run.folder)} in {run.folder} is not a file: the run cannot be verified."
            )


def _object(pairs: list[tuple[str, Any]], duplicates: list[str]) -> dict[str, Any]:
    """Return a JSON object, and append the names that occur more than once to `duplicates`."""
    content = dict(pairs)
    duplicates += [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    return content


def _check_commitment(run: Run, facts: dict[str, Any], findings: Findings) -> None:
    """Check the commitment against the seed and the terms."""
    info = run.info
    if not info.commitment:
        return
    if not info.drawn_seed:
        findings.notes.append("the commitment: the seed is not revealed before the run has finished.")
        return
    if info.replaced:
        findings.notes.append(
            "names of authors: they were replaced on request. The commitment is to the terms before, whose digest "
            "run.json has; only who has an earlier copy can compare them."
        )
    expected = seal.commitment(info.drawn_seed, info.replaced or seal.terms_digest(facts))
    if info.commitment != expected:
        _add_difference(findings, "the commitment", info.commitment, f"{expected}, by the drawn seed and all terms")
    seed = seal.games_seed(info.drawn_seed, info.beacon or "", (entry.sha256 for entry in info.entries))
    if info.seed != seed:
        _add_difference(findings, "the seed", str(info.seed), f"{seed}, by the drawn seed, the beacon and the entries")


def _check_seal(run: Run, facts: dict[str, Any], findings: Findings) -> None:
    """Check the seal against run.json and the fingerprints."""
    files = [path for entry in run.info.entries if (path := run.entry(entry).fingerprints_path).exists()]
    if not run.info.seal:
        if files:
            _add_difference(findings, "the seal", "missing", "one, as there are fingerprints")
        elif run.info.finished:
            _add_difference(findings, "the seal", "missing", "one, as all finished runs have")
        return
    needed = [entry for entry in run.entries if not entry.is_compressed]
    if len(files) < len(needed):
        _add_difference(findings, "the number of files in fingerprints/", str(len(files)), str(len(needed)))
        return
    try:
        expected = run.seal_of(facts)
    except UserError as error:
        _add_difference(findings, "a file of records", error.message, "one that can be read")
        return
    if run.info.seal != expected:
        _add_difference(findings, "the seal", run.info.seal, f"{expected}, by run.json, fingerprints/ and repeats/")


def _check_word_lists(run: Run, lists: WordLists, findings: Findings) -> None:
    for name, file in run.info.config.word_files.items():
        actual = {"words": len(getattr(lists, name)), "sha256": lists.sha256[name]}
        for field, value in actual.items():
            if getattr(file, field) != value:
                _add_difference(
                    findings, f"{name}, {field},", str(getattr(file, field)), f"{value}, as the file has it"
                )


def _check_game(entry: EntryInfo, findings: Findings) -> None:
    """Check what run.json says of an entry's game against the rules."""
    rules = GAME_RULES.get(entry.game.id)
    if rules is None and entry.game.sha256:
        return  # a host's own game, which has no second reading
    if rules is None:
        _add_difference(findings, f"the rules of {entry.name}", entry.game.id, f"one of {', '.join(GAME_RULES)}")
        return
    for field in GameFacts.__struct_fields__:
        stored, expected = getattr(entry.game, field), getattr(rules.facts, field)
        if stored != expected:
            _add_difference(findings, f"the {field} of the game of {entry.name}", f"{stored}", f"{expected}")


def _check_entries(run: Run, findings: Findings) -> None:
    """Check each entry against its rules and its stored files."""
    for entry in run.info.entries:
        _check_game(entry, findings)
        if entry.file:
            _check_files(run, entry, findings)
        else:
            findings.notes.append(f"the files of {entry.name}: the entry was an object, which has no file.")


def _check_record_files(run: Run, findings: Findings) -> None:
    """Check that each record file belongs to an entry, and exists either plain or compressed."""
    files = [entry.records_path for entry in run.entries]
    for path in files:
        if path.exists() and (compressed := records.compressed_path(path)).exists():
            _add_difference(findings, "the file of records", f"both {path.name} and {compressed.name}", "one of them")
    expected = {name for path in files for name in (path.name, records.compressed_path(path).name)}
    for path in sorted((run.folder / "records").glob("*")):
        if path.name not in expected:
            _add_difference(findings, "the entry with the records", path.name, "one that run.json names")


def _check_files(run: Run, entry: EntryInfo, findings: Findings) -> None:
    """Check the entry's stored files against their digests; the path in run.json is not opened."""
    store = BundleStore(run.folder / STORE)
    for what, digest in (("sources", entry.sha256), ("written files", entry.written)):
        if not digest:
            continue
        if not os.path.lexists(store.path(digest)):
            findings.notes.append(f"the {what} of {entry.name}: the run's folder does not have them.")
        elif not store.holds(digest):
            _add_difference(findings, f"the {what} of {entry.name}", digest, "another digest, by the stored files")


def _add_difference(findings: Findings, what: str, found: str, expected: str) -> None:
    findings.differences.append(Difference(RUN_JSON, "", what, found, expected))
