"""Plays some games of a finished run again: whether an entry really makes the moves, and ends as the records say.

A replay from the seed cannot show that: a host could invent moves, or verdicts that hang on time, crashes and memory.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from wordpl import games
from wordpl.contest.determinism import Comparison, compare
from wordpl.contest.hidden_files import pool_of
from wordpl.contest.match import play
from wordpl.contest.run_folder import lists_of
from wordpl.core import companions, entry_files, paths, seeds
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Record, Run, Verdict
from wordpl.players.pool import PlayerPool
from wordpl.verify.difference import Difference

NOT_PLAYED = (Verdict.FAULT, Verdict.UNPLAYED)
"""Verdicts that tell nothing of the entry's own doing in this game."""


@dataclass(frozen=True)
class SpotCheck:
    """What came of the games that were played again.

    Attributes:
        n_played: How many they are.
        n_cut_short: How many of them were cut short, so that nothing could be compared.
        differences: What differs from the records.
        missing: Entries whose file is not here or has changed since, so that none of their games was played.
    """

    n_played: int
    n_cut_short: int
    differences: list[Difference]
    missing: list[EntryInfo]


def spot_check(run: Run, n_games: int, progress: Callable[[int], object] = lambda n_done: None) -> SpotCheck:
    """Play games of the run again, in the sandbox, each in a fresh process, and compare them with their records.

    Args:
        run: A finished run.
        n_games: How many games. They are drawn by randomness of this machine, which the host could not know.
        progress: Called with 1 after each of them.

    Raises:
        UserError: The seed is not known yet, or entries were trusted.
    """
    info = run.info
    if info.seed is None or info.finished is None:
        raise UserError("games can be played again when the run has ended, and its seed is known.")
    if info.config.is_trusted:
        raise UserError("entries of this run were trusted, and are not played here: use `wordpl evaluate --replay`.")
    present = [entry for entry in run.entries if _is_unchanged(entry)]
    drawn = list(_drawn(run, present, n_games))
    found: list[Difference] = []
    n_cut_short = 0
    with TemporaryDirectory(prefix="wordpl-") as parent, pool_of(run, Path(parent)) as pool:
        for entry, record in drawn:
            again = _play(run, entry, record.game, pool)
            shown = compare(record, again)
            if shown == Comparison.CHANGED or _ends_otherwise(record, again):
                found.append(_difference(entry, record, again))
            n_cut_short += shown == Comparison.NOT_COMPARED
            progress(1)
    return SpotCheck(len(drawn), n_cut_short, found, [entry for entry in run.entries if entry not in present])


def _is_unchanged(entry: EntryInfo) -> bool:
    file = paths.find_file(entry.file)
    try:
        if not (entry.file and file.is_file()):
            return False
        return entry_files.digest(file) == entry.sha256 and not companions.changed(file, entry.companions)
    except (UserError, OSError):
        return False


def _drawn(run: Run, entries: list[EntryInfo], n_games: int) -> Iterator[tuple[EntryInfo, Record]]:
    chance = random.SystemRandom()
    games_of = {entry.slug: [one for one in run.read(entry) if one.verdict not in NOT_PLAYED] for entry in entries}
    every = [(entry, record) for entry in entries for record in games_of[entry.slug]]
    yield from chance.sample(every, min(n_games, len(every)))


def _play(run: Run, entry: EntryInfo, number: int, pool: PlayerPool) -> Record:
    config = run.info.config
    player = pool.isolated(entry, config)
    try:
        game = games.make_game(entry.game_id, lists_of(run.info))
        return play(game, player, number, seeds.run_key(str(run.info.seed)), config)
    finally:
        player.close()


def _ends_otherwise(record: Record, again: Record) -> bool:
    """Return whether a game that was late, out of memory or crashed in the run ends by a move of its own here."""
    return record.verdict in (Verdict.LATE, Verdict.MEMORY, Verdict.CRASHED) and record.verdict != again.verdict


def _difference(entry: EntryInfo, record: Record, again: Record) -> Difference:
    found, expected = (f"{msgspec.to_builtins(list(one.moves))} {one.verdict}" for one in (record, again))
    return Difference(entry.name, f"game {record.game}", "the game", found, f"{expected}, as it went here")
