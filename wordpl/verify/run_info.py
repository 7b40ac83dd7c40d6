"""Checks run.json against the files of the run, its commitment, its beacon and its seal."""

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

from wordpl.core import commitments, entry_caches, entry_files, paths, record_files
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Run
from wordpl.core.words import WordLists
from wordpl.verify.difference import Difference, Findings
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
    facts = json.loads((run.folder / RUN_JSON).read_bytes(), object_pairs_hook=lambda pairs: _object(pairs, duplicates))
    for name in duplicates:
        _add_difference(findings, f"the number of fields {name!r}", "2", "1: programs differ in which one they read")
    digests_hold = _check_commitment(run, facts, findings), _check_seal(run, facts, findings)
    _check_finished(run, findings)
    _check_word_lists(run, lists, findings)
    _check_entries(run, findings, is_edited=False in digests_hold and True not in digests_hold)
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


def _check_commitment(run: Run, facts: dict[str, Any], findings: Findings) -> bool | None:
    """Return whether the commitment matches the seed and the terms; None if that cannot be checked."""
    info = run.info
    if not info.commitment:
        for name in ("beacon_from", "beacon", "drawn_seed"):
            if getattr(info, name):
                _add_difference(findings, f"the {name}", getattr(info, name), "none, as there is no commitment")
        return None
    if not info.drawn_seed:
        findings.notes.append("the commitment: the seed is not revealed before the run has finished.")
        return None
    expected = commitments.commitment(info.drawn_seed, commitments.terms_digest(facts))
    if info.commitment != expected:
        _add_difference(findings, "the commitment", info.commitment, f"{expected}, by the drawn seed and all terms")
    if bool(info.beacon) != bool(info.beacon_from):
        _add_difference(findings, "the beacon", str(info.beacon or "none"), f"from {info.beacon_from or 'nowhere'}")
    seed = commitments.games_seed(info.drawn_seed, info.beacon or "", (entry.sha256 for entry in info.entries))
    if info.seed != seed:
        _add_difference(findings, "the seed", str(info.seed), f"{seed}, by the drawn seed, the beacon and the entries")
    return info.commitment == expected


def _check_seal(run: Run, facts: dict[str, Any], findings: Findings) -> bool | None:
    """Return whether the seal matches run.json and the fingerprints; None if the run has no seal."""
    files = [path for entry in run.info.entries if (path := commitments.fingerprints_path(run, entry)).exists()]
    if not run.info.seal:
        if files:
            _add_difference(findings, "the seal", "missing", "one, as there are fingerprints")
        elif run.info.finished and run.info.enforced_s:
            _add_difference(findings, "the seal", "missing", "one, as all runs with an enforced_s have")
        elif run.info.finished:
            findings.notes.append("edits that break no rule: this run has no seal, as an older version played it.")
        return None
    needed = [entry for entry in run.info.entries if not record_files.compressed_path(run.path(entry)).exists()]
    if len(files) < len(needed):
        _add_difference(findings, "the number of files in fingerprints/", str(len(files)), str(len(needed)))
        return False
    try:
        expected = commitments.seal(run, facts)
    except UserError as error:
        _add_difference(findings, "a file of records", error.message, "one that can be read")
        return False
    if run.info.seal != expected:
        _add_difference(findings, "the seal", run.info.seal, f"{expected}, by run.json, fingerprints/ and repeats/")
    return run.info.seal == expected


def _check_finished(run: Run, findings: Findings) -> None:
    if run.info.finished is None:
        _add_difference(findings, "the end of the run", "missing", "one: `wordpl evaluate --resume` plays the rest")


def _check_word_lists(run: Run, lists: WordLists, findings: Findings) -> None:
    for name in ("answers", "guesses"):
        stored = run.info.lists.get(name, {})
        actual = {"words": len(getattr(lists, name)), "sha256": lists.sha256[name]}
        for field, value in actual.items():
            if stored.get(field, "") != value and (field == "sha256" or field in stored):
                _add_difference(findings, f"{name}, {field},", str(stored.get(field)), f"{value}, as the file has it")


def _check_entries(run: Run, findings: Findings, *, is_edited: bool) -> None:
    """Check each entry against its rules, its file and its cache.

    Args:
        findings: Receives the differences and notes.
        is_edited: Whether run.json is known to have been edited; if not, a file with another digest is assumed to have
            changed since the run.
    """
    for entry in run.info.entries:
        rules = GAME_RULES.get(entry.game_id)
        if rules is None:
            _add_difference(findings, f"the rules of {entry.name}", entry.game_id, f"one of {', '.join(GAME_RULES)}")
        elif entry.measure != rules.measure:
            _add_difference(findings, f"the measure of {entry.name}", entry.measure, rules.measure)
        file = paths.find_file(entry.file, run.folder.resolve().parent.parent)
        if not entry.file:
            findings.notes.append(f"the file of {entry.name}: the entry was an object, which has no file.")
        elif not file.is_file():
            findings.notes.append(f"the file of {entry.name}: {entry.file} was not found.")
        elif (digest := _digest(file)) != entry.sha256:
            if is_edited:
                _add_difference(
                    findings, f"the SHA-256 of {entry.name}", entry.sha256, f"{digest}, as {entry.file} has it"
                )
            else:
                findings.notes.append(f"the file of {entry.name}: {entry.file} has changed since the run.")
        elif changed := entry_files.changed_companions(file, entry.companions):
            findings.notes.append(f"files that {entry.file} uses: {', '.join(changed)} changed since the run.")
        _check_cache(run, entry, findings)


def _check_record_files(run: Run, findings: Findings) -> None:
    """Check that each record file belongs to an entry, and exists either plain or compressed."""
    files = [run.path(entry) for entry in run.info.entries]
    for path in files:
        if path.exists() and (compressed := record_files.compressed_path(path)).exists():
            _add_difference(findings, "the file of records", f"both {path.name} and {compressed.name}", "one of them")
    expected = {name for path in files for name in (path.name, record_files.compressed_path(path).name)}
    for path in sorted((run.folder / "records").glob("*")):
        if path.name not in expected:
            _add_difference(findings, "the entry with the records", path.name, "one that run.json names")


def _check_cache(run: Run, entry: EntryInfo, findings: Findings) -> None:
    """Check the entry's cache against its digest."""
    if not entry.cache:
        return
    folder = entry_caches.folder_of(run.folder, entry.cache)
    digest = entry_caches.digest(folder) if folder.is_dir() else "none, as it is missing"
    if digest != entry.cache:
        _add_difference(findings, f"the cache of {entry.name}", entry.cache, f"{digest}, by the files in {folder}")


def _digest(file: Path) -> str:
    try:
        return entry_files.digest(file)
    except (UserError, OSError):
        return "none"


def _add_difference(findings: Findings, what: str, found: str, expected: str) -> None:
    findings.differences.append(Difference(RUN_JSON, "", what, found, expected))
