"""Digests of runs: the host's commitment before the first game, and the seal that reveals any later edit.

Each is the SHA-256 of lines of ASCII text, so that it can be recomputed in a shell; docs/fairness.md shows how. The
facts of a run are hashed as the canonical JSON of run.json, without the fields that are not yet known at that time.
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

AFTER_COMMITMENT = frozenset(
    {
        *("seed", "drawn_seed", "commitment", "beacon", "finished", "seal"),
        *("played_again", "parts", "repeats_seed", "n_repeats", "replaced"),
    }
)
"""The fields of run.json that are set with or after the commitment; all other fields are terms of the run."""
FINGERPRINT_CHARACTERS = 32
SEALED_FOLDERS = ("fingerprints", "repeats")


def canonical_json(facts: Mapping[str, Any]) -> bytes:
    """Return the facts as JSON with sorted names, without spaces, and with whole numbers as integers.

    For the values that occur in run.json, this is the canonical form of RFC 8785.

    >>> canonical_json({"timeout_s": 5.0, "entries": [{"name": "é"}]}).decode()
    '{"entries":[{"name":"é"}],"timeout_s":5}'
    """
    return json.dumps(_with_integers(facts), sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _with_integers(value: Any) -> Any:
    """Return the value with all whole floats replaced by integers."""
    if isinstance(value, Mapping):
        return {name: _with_integers(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_with_integers(part) for part in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def terms_digest(facts: Mapping[str, Any]) -> str:
    """Return the digest of a run's terms, such as its rules, word lists, limits, entries and number of games."""
    return sha256(
        canonical_json({name: value for name, value in facts.items() if name not in AFTER_COMMITMENT})
    ).hexdigest()


def commitment(drawn_seed: str, terms: str) -> str:
    """Return the commitment that a host publishes before an official run: it fixes the seed without revealing it.

    Args:
        drawn_seed: The seed that the host drew.
        terms: The digest of the run's terms, see `terms_digest`.
    """
    return _digest_of_lines("wordpl/commitment/1", drawn_seed, terms)


def games_seed(drawn_seed: str, beacon: str, entries: Iterable[str]) -> str:
    """Return the seed that the games of an official run are drawn from.

    Args:
        drawn_seed: The seed that the host drew and committed to.
        beacon: A public text that was unknown when the host drew, so that the host could not choose among seeds; or "".
        entries: The SHA-256 of each entry's file, so that no entry can be tailored to the seed.
    """
    return _digest_of_lines("wordpl/official/1", drawn_seed, sha256(beacon.encode()).hexdigest(), *sorted(entries))


def fingerprint(line: bytes) -> str:
    """Return the fingerprint of one line of a record file, including its newline."""
    return sha256(line).hexdigest()[:FINGERPRINT_CHARACTERS]


def fingerprints(lines: Iterable[bytes]) -> bytes:
    """Return the content of the file with the fingerprints of these lines."""
    return "".join([f"{sha256(line).hexdigest()[:FINGERPRINT_CHARACTERS]}\n" for line in lines]).encode()


def digest(facts: Mapping[str, Any], files: Mapping[str, str]) -> str:
    """Return the seal of a finished run, which covers run.json, the records' fingerprints and the repeated games.

    It covers the files as `sha256sum fingerprints/* repeats/*` lists them, sorted by the bytes of their names.

    Args:
        facts: The facts of run.json.
        files: The SHA-256 of each file by its path, in SEALED_FOLDERS.
    """
    info = canonical_json({name: value for name, value in facts.items() if name != "seal"})
    lines = (f"{files[name]}  {name}" for name in sorted(files))
    return _digest_of_lines("wordpl/seal/1", sha256(info).hexdigest(), *lines)


def _digest_of_lines(*lines: str) -> str:
    return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()
