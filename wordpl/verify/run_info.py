"""Holds run.json against the files it names, its commitment, its beacon and its seal."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from wordpl.core import commitments, companions, entry_caches, entry_files, paths, record_files
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Run
from wordpl.core.words import WordLists
from wordpl.verify.difference import Difference, Findings
from wordpl.verify.rules import GAME_RULES

RUN_JSON = "run.json"
TABLES = (RUN_JSON, "scores.csv", "LEADERBOARD.md")
PARTS = ("records", "durations", "repeats", "fingerprints")


def check_terms(run: Run, lists: WordLists, findings: Findings) -> None:
    """Add to the findings what run.json says against what follows from the rest of it and from the files around it."""
    doubled: list[str] = []
    facts = json.loads((run.folder / RUN_JSON).read_bytes(), object_pairs_hook=lambda pairs: _object(pairs, doubled))
    for name in doubled:
        _differs(findings, f"the number of fields {name!r}", "2", "1: programs differ in which one they read")
    digests_hold = _committed(run, facts, findings), _sealed(run, facts, findings)
    _finished(run, findings)
    _word_lists(run, lists, findings)
    _entries(run, findings, edited=False in digests_hold and True not in digests_hold)


def require_files(run: Run) -> None:
    """Raise UserError where something in the run's folder is no file that can be read, but a folder or a pipe, say."""
    parts = [path for part in PARTS for path in (run.folder / part).glob("*")]
    for path in [*parts, *(run.folder / name for name in TABLES)]:
        if os.path.lexists(path) and not path.is_file():
            raise UserError(f"{path.relative_to(run.folder)} of {run.folder} is no file: it cannot be verified.")


def _object(pairs: list[tuple[str, Any]], doubled: list[str]) -> dict[str, Any]:
    """Return the object of a JSON file; note the names that it has twice."""
    found = dict(pairs)
    doubled += [name for name, count in Counter(name for name, _ in pairs).items() if count > 1]
    return found


def _committed(run: Run, facts: dict[str, Any], findings: Findings) -> bool | None:
    """Return whether the commitment is that of the seed and the terms; None where that cannot be told."""
    info = run.info
    if not info.commitment:
        for name in ("beacon_from", "beacon", "drawn_seed"):
            if getattr(info, name):
                _differs(findings, f"the {name}", getattr(info, name), "none, as there is no commitment")
        return None
    if not info.drawn_seed:
        findings.notes.append("the commitment: the seed is not revealed before the run has ended.")
        return None
    made = commitments.commitment(info.drawn_seed, commitments.terms(facts))
    if info.commitment != made:
        _differs(findings, "the commitment", info.commitment, f"{made}, by the drawn seed and all terms")
    if bool(info.beacon) != bool(info.beacon_from):
        _differs(findings, "the beacon", str(info.beacon or "none"), f"from {info.beacon_from or 'nowhere'}")
    seed = commitments.games_seed(info.drawn_seed, info.beacon or "", (entry.sha256 for entry in info.entries))
    if info.seed != seed:
        _differs(findings, "the seed", str(info.seed), f"{seed}, by the drawn seed, the beacon and the entries")
    return info.commitment == made


def _sealed(run: Run, facts: dict[str, Any], findings: Findings) -> bool | None:
    """Return whether the seal is that of run.json and the fingerprints; None where there is none."""
    files = [path for entry in run.info.entries if (path := commitments.fingerprints_path(run, entry)).exists()]
    if not run.info.seal:
        if files:
            _differs(findings, "the seal", "missing", "one, as there are fingerprints")
        elif run.info.finished and run.info.enforced_s:
            _differs(findings, "the seal", "missing", "one, as all runs with an enforced_s have")
        elif run.info.finished:
            findings.notes.append("edits that break no rule: this run has no seal, as it is older than seals are.")
        return None
    needed = [entry for entry in run.info.entries if not record_files.compressed_path(run.path(entry)).exists()]
    if len(files) < len(needed):
        _differs(findings, "the number of files in fingerprints/", str(len(files)), str(len(needed)))
        return False
    try:
        made = commitments.seal(run, facts)
    except UserError as error:
        _differs(findings, "a file of records", error.message, "one that can be read")
        return False
    if run.info.seal != made:
        _differs(findings, "the seal", run.info.seal, f"{made}, by run.json, fingerprints/ and repeats/")
    return run.info.seal == made


def _finished(run: Run, findings: Findings) -> None:
    if run.info.finished is None:
        _differs(findings, "the end of the run", "missing", "there: `wordpl evaluate --resume` plays the rest")


def _word_lists(run: Run, lists: WordLists, findings: Findings) -> None:
    for name in ("answers", "guesses"):
        said = run.info.lists.get(name, {})
        known = {"words": len(getattr(lists, name)), "sha256": lists.sha256[name]}
        for field, value in known.items():
            if said.get(field, "") != value and (field == "sha256" or field in said):
                _differs(findings, f"{name}, {field},", str(said.get(field)), f"{value}, as the file has it")


def _entries(run: Run, findings: Findings, *, edited: bool) -> None:
    """Hold each entry against its rules and its file.

    Args:
        edited: run.json is known not to be what it was; else another file is one that has changed since the run
    """
    for entry in run.info.entries:
        rules = GAME_RULES.get(entry.game_id)
        if rules is None:
            _differs(findings, f"the rules of {entry.name}", entry.game_id, f"one of {', '.join(GAME_RULES)}")
        elif entry.measure != rules.measure:
            _differs(findings, f"the measure of {entry.name}", entry.measure, rules.measure)
        file = paths.find_file(entry.file, run.folder.resolve().parent.parent)
        if not entry.file:
            findings.notes.append(f"the file of {entry.name}: it was given as an object.")
        elif not file.is_file():
            findings.notes.append(f"the file of {entry.name}: {entry.file} is not here.")
        elif (digest := _digest(file)) != entry.sha256:
            if edited:
                _differs(findings, f"the SHA-256 of {entry.name}", entry.sha256, f"{digest}, as {entry.file} has it")
            else:
                findings.notes.append(f"the file of {entry.name}: {entry.file} has changed since the run.")
        elif changed := companions.changed(file, entry.companions):
            findings.notes.append(f"files that {entry.file} names: {', '.join(changed)} changed since the run.")
        _cache(run, entry, findings)
    files = [run.path(entry) for entry in run.info.entries]
    for path in files:
        if path.exists() and (packed := record_files.compressed_path(path)).exists():
            _differs(findings, "the file of records", f"both {path.name} and {packed.name}", "one of them")
    known = {name for path in files for name in (path.name, record_files.compressed_path(path).name)}
    for path in sorted((run.folder / "records").glob("*")):
        if path.name not in known:
            _differs(findings, "the entry with the records", path.name, "one that run.json names")


def _cache(run: Run, entry: EntryInfo, findings: Findings) -> None:
    """Hold what the entry kept before the first game against the digest of it."""
    if not entry.cache:
        return
    folder = entry_caches.folder_of(run.folder, entry.cache)
    found = entry_caches.digest(folder) if folder.is_dir() else "none, as it is not there"
    if found != entry.cache:
        _differs(findings, f"the cache of {entry.name}", entry.cache, f"{found}, by the files of {folder}")


def _digest(file: Path) -> str:
    try:
        return entry_files.digest(file)
    except (UserError, OSError):
        return "none"


def _differs(findings: Findings, what: str, found: str, expected: str) -> None:
    findings.differences.append(Difference(RUN_JSON, "", what, found, expected))
