"""What makes rounds of a season comparable, and the bridge from earlier conditions to those of today.

Conditions are the rules, what entries see and use, word lists and limits, each by its digest or value. If one of them
changes, recorded games are replayed under the new conditions. A version whose moves are all equal keeps its games, as
it would have played them like this; another one starts anew. No statistics lie in between.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

import msgspec

from wordpl.apps.season.log import MIN_REPLAYED, Bridged, Round
from wordpl.apps.season.periods import PRESENT
from wordpl.apps.season.terms import SeasonTerms
from wordpl.contest.isolation import ReaderTerms
from wordpl.contest.spot_check import spot_check
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.players.sandbox import probe
from wordpl.run.config import RunConfig, default_enforced_s
from wordpl.run.folder import Run

NAMES = {
    "wordpl": "the release of wordpl", "rules": "the code of the rules", "library": "the code that entries import",
    "python": "Python", "games": "the game", "lists": "the word lists", "limits": "the limits of a game",
}  # fmt: skip


def parts_of(versions: Mapping[str, str], config: RunConfig, games: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """Return the conditions of games by their names.

    Args:
        versions: The versions of the software; those of release 1.0.0 have no digests, and stand for its release.
        config: The configuration of the run, as it is resolved.
        games: The id and the digest of each game.
    """
    if "rules" in versions:
        software = {name: number for name, number in versions.items() if name != "wordpl"}
        software["python"] = ".".join(versions["python"].split(".")[:2])
    else:
        software = {"wordpl": versions.get("wordpl", "")}
    return software | {
        "games": sorted(set(games)),
        "lists": [file.sha256 for file in config.word_files.values()],
        "limits": [config.timeout_s, config.cpu_limit_s, config.warmup_s, config.memory_mb, config.limits],
    }


def digest(parts: Mapping[str, Any]) -> str:
    """Return the digest of conditions."""
    return sha256(msgspec.json.encode(parts, order="sorted")).hexdigest()


def parts_of_run(run: Run) -> dict[str, Any]:
    """Return the conditions of a run."""
    games = ((entry.game.id, entry.game.sha256) for entry in run.info.entries)
    return parts_of(run.info.versions, run.info.config, games)


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """Return the names of the conditions that differ; release 1.0.0 knew only releases."""
    if "rules" not in before:
        return NAMES["wordpl"]
    names = [name for name in dict.fromkeys([*before, *after]) if before.get(name) != after.get(name)]
    return ", ".join(NAMES.get(name, name) for name in names)


def era_of(label: str, conditions: str, present: str, bridges: Sequence[Bridged], order: Sequence[str]) -> int:
    """Return the era of a version's games under these conditions: PRESENT, or the place of the first equal ones.

    Args:
        label: The version.
        conditions: The digest of the conditions of the games.
        present: That of the present ones.
        bridges: The bridges of the season.
        order: The digests of all conditions.
    """
    equal = {conditions}
    for _ in bridges:  # each may connect two more
        for bridge in bridges:
            if bridge.keeps(label) and equal & {bridge.old, bridge.new}:
                equal |= {bridge.old, bridge.new}
    return PRESENT if present in equal else min(order.index(one) for one in equal if one in order)


def replayed(
    runs: Sequence[tuple[Round, Run]], labels: Iterable[str], terms: SeasonTerms, lists: WordLists,
    progress: Callable[[int], object],
) -> dict[str, tuple[int, int]]:  # fmt: skip
    """Return for each version how many of its recorded games were replayed as of today, and how many were equal.

    Args:
        runs: Rounds that are comparable with each other, in their order; the newest games are taken first.
        labels: The versions.
        terms: The terms of today.
        lists: The word lists of today.
        progress: Called with 1 after each game.

    Raises:
        UserError: This machine cannot isolate players.
    """
    found = dict.fromkeys(labels, (0, 0))
    level = probe.probe().level
    for event, run in reversed(runs):
        slugs = {
            slug: label
            for slug, label in event.players.items()
            if found.get(label, (MIN_REPLAYED, 0))[0] < MIN_REPLAYED
        }
        if not slugs:
            continue
        own = run.info.game_config
        config = msgspec.structs.replace(
            own, timeout_s=terms.timeout_s, enforced_s=default_enforced_s(terms.timeout_s), warmup_s=terms.warmup_s,
            memory_mb=terms.memory_mb, level=str(level),
        )  # fmt: skip
        if not level.is_official:
            raise UserError(f"this machine does not isolate players, so it replays no games. {probe.probe()}")
        check = spot_check(
            run.require_as_sealed(), MIN_REPLAYED, progress, terms=ReaderTerms(config, []), lists=lists, only=slugs,
        )  # fmt: skip
        for slug, (n_replayed, n_equal) in check.by_entry.items():
            n_before, equal_before = found[slugs[slug]]
            found[slugs[slug]] = n_before + n_replayed, equal_before + n_equal
    return found
