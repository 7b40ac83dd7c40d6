"""What holds of every run, and of every official run: the evaluator and `wordpl verify` check the same list.

An invariant of every run is checked whenever a run.json is read, because readers rely on it. An invariant of official
runs is checked before an official run is created, and by whoever verifies one.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from math import isfinite
from typing import NamedTuple

from wordpl.core import paths
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.core.seeds import is_drawn
from wordpl.run.config import default_enforced_s
from wordpl.run.info import RunInfo, SeedSource

ISOLATING = ("A", "B")
"""The sandbox levels at which players cannot reach anything outside of their sandbox."""
MAX_ENTRIES = 1000
"""Each entry has two files that the seal covers, see MAX_SEALED, and a row in every table that people read. A larger
field is held in heats."""
MAX_SLUG_BYTES = 200
MAX_MOVES = 1000
"""The maximum number of guesses of a game, and of bins of its histogram."""
MAX_COST = 1e9
MIN_WALL_FACTOR = 1.0
VERSIONS = ("python", "wordpl", "numpy", "numba")
MAX_SHOWN = 80
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Violation(NamedTuple):
    """What is wrong with a run: what it is, the value found and the value expected."""

    what: str
    found: str
    expected: str


@dataclass(frozen=True)
class Invariant:
    """Something that holds of runs.

    Attributes:
        name: A short name.
        sentence: What holds, as a sentence.
        violations: Yields what contradicts it in the description of a run.
    """

    name: str
    sentence: str
    violations: Callable[[RunInfo], Iterator[Violation]]


def require(info: RunInfo, source: str) -> None:
    """Check the invariants of every run.

    Args:
        info: The description of a run.
        source: The name of its file in messages.

    Raises:
        UserError: One does not hold.
    """
    for invariant in OF_EVERY_RUN:
        for violation in invariant.violations(info):
            found = sanitize_untrusted_text(violation.found, MAX_SHOWN)
            raise UserError(f"{source}: {violation.what} is {found}, but should be {violation.expected}.")


def violations_of_official(info: RunInfo) -> Iterator[Violation]:
    """Yield what contradicts the invariants of official runs; nothing if the run does not claim to be official."""
    is_called_official = info.config.official or info.seed_source == SeedSource.OFFICIAL
    if is_called_official or info.commitment or info.drawn_seed or info.beacon:
        for invariant in OF_OFFICIAL_RUNS:
            yield from invariant.violations(info)


def require_official(info: RunInfo) -> None:
    """Check the invariants of official runs.

    Raises:
        UserError: One does not hold.
    """
    for violation in violations_of_official(info):
        raise UserError(
            f"an official run cannot have these terms: {violation.what} is {violation.found}, but should be "
            f"{violation.expected}."
        )


def _own_names(info: RunInfo) -> Iterator[Violation]:
    if len(info.entries) > MAX_ENTRIES:
        yield Violation("the number of entries", f"{len(info.entries):,}", f"at most {MAX_ENTRIES:,}")
    for slug, count in Counter(entry.slug for entry in info.entries).items():
        is_name = paths.is_plain(slug) and slug[0] != "." and "/" not in slug and len(slug.encode()) <= MAX_SLUG_BYTES
        if not is_name:
            yield Violation("a slug", repr(slug), "a name for the files of an entry")
        if count > 1:
            yield Violation(f"the number of entries with the files {slug!r}", str(count), "1")
    for name, count in Counter(entry.name for entry in info.entries).items():
        if count > 1:
            yield Violation(f"the number of entries that are called {name!r}", str(count), "1")
    for slug in info.played_again:
        if slug not in {entry.slug for entry in info.entries}:
            yield Violation("an entry with restarted games", repr(slug), "one of the run")


def _digests(info: RunInfo) -> Iterator[Violation]:
    for entry in info.entries:
        for digest in (*entry.digests, *filter(None, [entry.game.sha256])):
            if not _DIGEST.fullmatch(digest):
                yield Violation(f"a digest of {entry.name}", repr(digest), "64 hexadecimal digits")


def _numbers(info: RunInfo) -> Iterator[Violation]:
    config = info.config
    for name in config.limits.__struct_fields__:
        if not 0 < getattr(config.limits, name) < MAX_COST:
            yield Violation(f"the limit {name}", f"{getattr(config.limits, name)}", "a number above 0")
    for entry in info.entries:
        for name, number in (("limit", entry.game.limit or 0), ("bins", entry.game.bins)):
            if not 0 <= number <= MAX_MOVES:
                yield Violation(f"the {name} of the game of {entry.name}", str(number), f"at most {MAX_MOVES:,}")
        cost = entry.game.loss_cost
        if cost is not None and not (isfinite(cost) and 0 <= cost <= MAX_COST):
            yield Violation(f"the cost of a lost game of {entry.name}", str(cost), "a number of at least 0")
    for name, worker in info.workers.items():
        if not (isfinite(worker.slowness) and worker.slowness > 0):
            yield Violation(f"the slowness of the worker {name}", str(worker.slowness), "a number above 0")
    for slug, numbers in info.played_again.items():
        if any(not 0 <= number < config.n_games for number in numbers) or len(numbers) > config.n_games:
            yield Violation(f"the restarted games of {slug}", "outside of the run", f"below {config.n_games:,}")


def _resolved(info: RunInfo) -> Iterator[Violation]:
    config = info.config
    if not (config.level or config.is_trusted):
        yield Violation("the sandbox level", "missing", "A, B, C or D")
    for name, value in (("enforced_s", config.enforced_s), ("total_s", config.total_s)):
        if value is None:
            yield Violation(name, "missing", "a number of seconds")
    for name, file in config.word_files.items():
        if file.words < 1 or not _DIGEST.fullmatch(file.sha256):
            yield Violation(f"the word list of {name}", f"{file.words} words, digest {file.sha256!r}", "complete")


def _seed_source(info: RunInfo) -> Iterator[Violation]:
    if not info.is_written:
        return
    if info.seed_source is None:
        yield Violation("the source of the seed", "missing", ", ".join(SeedSource))
    elif info.seed_source == SeedSource.DRAWN and not is_drawn(info.seed or ""):
        yield Violation("a drawn seed", repr(info.seed), "one of 128 bits")


def _times(info: RunInfo) -> Iterator[Violation]:
    for name, text in (("start", info.started), ("end", info.finished)):
        if text and _time(text) is None:
            yield Violation(f"the time of the {name}", repr(text), "a date and time as 2026-01-31T12:00:00+00:00")


def _official_commitment(info: RunInfo) -> Iterator[Violation]:
    if not info.config.official:
        yield Violation("official", "false", "true, as there is a commitment, a drawn seed or a beacon")
    if info.commitment is None:
        yield Violation("the commitment", "missing", "one, as the run is official")
    for name, digest in (("commitment", info.commitment), ("drawn seed", info.drawn_seed)):
        if digest is not None and not _DIGEST.fullmatch(digest):
            yield Violation(f"the {name}", repr(digest), "64 hexadecimal digits")


def _official_seed(info: RunInfo) -> Iterator[Violation]:
    is_finished = info.finished is not None
    if info.is_written and info.seed_source != SeedSource.OFFICIAL:
        yield Violation("the source of the seed", str(info.seed_source), SeedSource.OFFICIAL)
    for name, value in (("seed", info.seed), ("drawn seed", info.drawn_seed), ("seal", info.seal)):
        if (value is not None) != is_finished:
            expected = "known, as the run has finished" if is_finished else "secret, as the run has not finished"
            yield Violation(f"the {name}", "missing" if value is None else "known", expected)


def _official_level(info: RunInfo) -> Iterator[Violation]:
    if info.config.level not in ISOLATING:
        yield Violation("the sandbox level", info.config.level or "none", " or ".join(ISOLATING))


def _official_players(info: RunInfo) -> Iterator[Violation]:
    if info.config.is_trusted:
        yield Violation("the kind of players", info.config.player, "process")
    for entry in info.entries:
        if not (entry.file and entry.sha256):
            yield Violation(f"the files of {entry.name}", "unknown", "a bundle with its digest")


def _official_workers(info: RunInfo) -> Iterator[Violation]:
    if info.workers or info.calibration_s is not None:
        names = ", ".join(info.workers) or "some"
        yield Violation("the cluster workers", names, "none, as each would have known the key of all secrets")


def _official_limits(info: RunInfo) -> Iterator[Violation]:
    config = info.config
    expected = default_enforced_s(config.timeout_s)
    if config.enforced_s is not None and config.enforced_s != expected:
        found = f"{config.enforced_s:g} s, with {config.timeout_s:g} s announced"
        yield Violation("the enforced time of a game", found, f"{expected:g} s")
    if config.limits.wall_factor < MIN_WALL_FACTOR:
        yield Violation("the limit wall_factor", f"{config.limits.wall_factor:g}", f"at least {MIN_WALL_FACTOR:g}")
    if config.total_s is not None and config.total_s < config.timeout_s:
        yield Violation("the time for all games", f"{config.total_s:g} s", f"at least {config.timeout_s:g} s")


def _official_games(info: RunInfo) -> Iterator[Violation]:
    for entry in info.entries:
        if info.config.game_id not in (None, entry.game.id):
            yield Violation(f"the game of {entry.name}", entry.game.id, f"{info.config.game_id}")


def _official_machine(info: RunInfo) -> Iterator[Violation]:
    processors = info.machine.get("processors")
    if not info.machine.get("system") or not isinstance(processors, int) or processors < 1:
        yield Violation("the machine", "incomplete", "its system and its number of processors")
    if missing := [name for name in VERSIONS if not info.versions.get(name)]:
        yield Violation("the versions", f"without {', '.join(missing)}", f"those of {', '.join(VERSIONS)}")


def _official_beacon(info: RunInfo) -> Iterator[Violation]:
    if info.beacon and not info.config.beacon_from:
        yield Violation("the beacon", repr(info.beacon), "none, as none was announced")
    if info.config.beacon_from and not info.beacon and info.finished is not None:
        yield Violation("the beacon", "missing", f"from {info.config.beacon_from}")


def _official_times(info: RunInfo) -> Iterator[Violation]:
    if _time(info.started) is None:
        yield Violation("the time of the start", repr(info.started), "a date and time")


def clock_step(info: RunInfo) -> str:
    """Return a sentence if the clock was set back during the run; "" if nothing shows that.

    It contradicts nothing: that a run starts before it ends is shown by its commitment and its seal.
    """
    started, finished = _time(info.started), _time(info.finished or "")
    if started is None or finished is None or finished >= started:
        return ""
    return f"the clock was set back: the end, {info.finished}, is before the start, {info.started}."


def _time(text: str) -> datetime | None:
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        return None
    return time.replace(tzinfo=time.tzinfo or UTC)


OF_EVERY_RUN = (
    Invariant("files", "Each entry has a name of its own, and files of its own with a plain name.", _own_names),
    Invariant("digests", "Digests are SHA-256 in hexadecimal digits.", _digests),
    Invariant("numbers", "Limits, costs and counts are in their ranges.", _numbers),
    Invariant("resolved", "Nothing of the configuration is left open.", _resolved),
    Invariant("seed", "It says whether its seed was typed, drawn, or committed to.", _seed_source),
    Invariant("times", "Times are dates with a time.", _times),
)
OF_OFFICIAL_RUNS = (
    Invariant("commitment", "It is called official, and has a commitment.", _official_commitment),
    Invariant("secret seed", "Its seed is secret until it has finished, and known and sealed then.", _official_seed),
    Invariant("isolation", "Its entries play at sandbox level A or B.", _official_level),
    Invariant("players", "Each entry plays from a stored bundle, in processes of its own.", _official_players),
    Invariant("one key", "Nobody but the host has the key of all secrets before the end.", _official_workers),
    Invariant("limits", "The limits that are enforced follow from those that are announced.", _official_limits),
    Invariant("games", "Each entry plays the game of the run, if it is the same for all.", _official_games),
    Invariant("machine", "It names the machine and the versions of the software.", _official_machine),
    Invariant("beacon", "It has a beacon if it announced one, and only then.", _official_beacon),
    Invariant("start", "It has the time of its start.", _official_times),
)
