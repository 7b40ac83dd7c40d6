"""The digests that pin a run: what a host commits to before the first game, and what shows any edit after the last.

All are SHA-256 of lines of ASCII text, so that a shell can compute them again; docs/fairness.md shows how. Facts about
a run enter as the canonical JSON of run.json, without the fields that are not known yet when the digest is made.
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core import record_files
from wordpl.core.files import write_safely
from wordpl.core.records import EntryInfo, Run

LATER = frozenset({"seed", "drawn_seed", "commitment", "beacon", "finished", "played_again", "seal"})
"""The fields of run.json that come after the commitment, or follow from it; whatever else stands there is a term."""
FINGERPRINT_CHARACTERS = 32
SEALED = ("fingerprints", "repeats")


def canonical(facts: Mapping[str, Any]) -> bytes:
    """Return the facts as JSON with sorted names and no blanks, a whole number without a decimal point.

    This is the form of RFC 8785 for what run.json holds.

    >>> canonical({"timeout_s": 5.0, "entries": [{"name": "é"}]}).decode()
    '{"entries":[{"name":"é"}],"timeout_s":5}'
    """
    return json.dumps(_whole(facts), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _whole(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _whole(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def terms(facts: Mapping[str, Any]) -> str:
    """Return the digest of a run's terms: its rules, word lists, limits, entries and number of games."""
    return sha256(canonical({name: value for name, value in facts.items() if name not in LATER})).hexdigest()


def commitment(drawn_seed: str, terms: str) -> str:
    """Return what a host publishes before an official run: it fixes the seed and the terms, and shows no seed."""
    return _of_lines("wordpl/commitment/1", drawn_seed, terms)


def games_seed(drawn_seed: str, beacon: str, entries: Iterable[str]) -> str:
    """Return the seed that an official run is played with.

    Args:
        beacon: a public text that nobody knew when the host drew, so that the host could not choose among seeds; or ""
        entries: the SHA-256 of each entry's file, so that no entry can be made for the seed
    """
    return _of_lines("wordpl/official/1", drawn_seed, sha256(beacon.encode()).hexdigest(), *sorted(entries))


def fingerprint(line: bytes) -> str:
    """Return the fingerprint of one line of a file of records, its end included."""
    return sha256(line).hexdigest()[:FINGERPRINT_CHARACTERS]


def fingerprints_path(run: Run, entry: EntryInfo) -> Path:
    """Return the file that has the fingerprint of each of the entry's records, in the order of games, one a line."""
    return run.folder / "fingerprints" / f"{entry.slug}.txt"


def seal(run: Run, facts: Mapping[str, Any]) -> str:
    """Return the digest of a finished run: of the facts in its run.json, its fingerprints and its repeated games.

    It covers the files as `sha256sum fingerprints/* repeats/*` lists them, in the order of their names' bytes. The
    fingerprints of compressed records need no file: they are computed again from the records.
    """
    said = canonical({name: value for name, value in facts.items() if name != "seal"})
    files = {
        f"{path.parent.name}/{path.name}": path.read_bytes()
        for part in SEALED
        for path in (run.folder / part).glob("*")
    }
    for entry in run.info.entries:
        path = fingerprints_path(run, entry)
        if not path.exists() and record_files.compressed_path(run.path(entry)).exists():
            files[f"{path.parent.name}/{path.name}"] = fingerprints(run, entry)
    listed = (f"{sha256(files[name]).hexdigest()}  {name}" for name in sorted(files))
    return _of_lines("wordpl/seal/1", sha256(said).hexdigest(), *listed)


def fingerprints(run: Run, entry: EntryInfo) -> bytes:
    """Return the fingerprints of the entry's records, one a line."""
    blocks = record_files.blocks(run.path(entry), run.info.n_games)
    return b"".join("".join(f"{fingerprint(line)}\n" for line in lines).encode() for lines in blocks)


def finish(run: Run, time: str) -> None:
    """Note that all games have been played, and pin what was played: every record, and all that run.json says."""
    for entry in run.info.entries:
        path = fingerprints_path(run, entry)
        path.parent.mkdir(exist_ok=True)
        write_safely(path, fingerprints(run, entry))
    run.info.seal = seal(run, msgspec.to_builtins(run.info) | {"finished": time})
    run.finish(time)


def compress(run: Run) -> None:
    """Compress the large files of records of a finished run, and the durations with them; its seal stays what it was.

    Fingerprints of records that are compressed are removed: they do not compress, and follow from the records.
    """
    for entry in run.info.entries:
        record_files.compress(run.path(entry))
        if record_files.compressed_path(run.path(entry)).exists():
            record_files.compress(run.durations_path(entry), min_bytes=0)
            fingerprints_path(run, entry).unlink(missing_ok=True)


def _of_lines(*lines: str) -> str:
    return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
