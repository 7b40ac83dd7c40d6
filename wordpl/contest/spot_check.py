"""Spot checks of a finished run: replay some games with their entries, and compare the moves with the records.

A verification from the seed cannot do this: a host could invent moves, or verdicts that depend on time, crashes and
memory.
"""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from wordpl import games
from wordpl.contest.hidden_files import player_pool
from wordpl.contest.match import GameComparison, compare, play
from wordpl.contest.run_folder import lists_of
from wordpl.core import entry_files, paths, seeds
from wordpl.core.errors import UserError
from wordpl.core.records import EntryInfo, Record, Run, Verdict
from wordpl.players.pool import PlayerPool
from wordpl.verify.difference import Difference

SKIPPED_VERDICTS = (Verdict.FAULT, Verdict.UNPLAYED)
"""Verdicts that do not depend on the entry's play in the game."""


@dataclass(frozen=True)
class SpotCheck:
    """The results of a spot check.

    Attributes:
        n_played: The number of replayed games.
        n_cut_short: The number of games that were cut short and could not be compared.
        differences: The differences from the records.
        missing: The entries that were skipped because their file is missing or has changed.
    """

    n_played: int
    n_cut_short: int
    differences: list[Difference]
    missing: list[EntryInfo]


def spot_check(run: Run, n_games: int, progress: Callable[[int], object] = lambda n_done: None) -> SpotCheck:
    """Replay games of a run in the sandbox, each in a new process, and compare them with their records.

    Args:
        run: A finished run.
        n_games: The number of games. They are drawn with this machine's randomness, which the host cannot predict.
        progress: Called with 1 after each game.

    Raises:
        UserError: The run has not finished, or its entries were trusted.
    """
    info = run.info
    if info.seed is None or info.finished is None:
        raise UserError("games can be replayed only after the run has finished and its seed is known.")
    if info.config.is_trusted:
        raise UserError(
            "the entries of this run were trusted, so they are not replayed: use `wordpl evaluate --replay`."
        )
    present = [entry for entry in run.entries if _is_unchanged(entry)]
    drawn = list(_sample(run, present, n_games))
    differences: list[Difference] = []
    n_cut_short = 0
    with TemporaryDirectory(prefix="wordpl-") as parent, player_pool(run, Path(parent)) as pool:
        for entry, record in drawn:
            replayed = _play(run, entry, record.game, pool)
            comparison = compare(record, replayed)
            if comparison == GameComparison.CHANGED or _ends_differently(record, replayed):
                differences.append(_difference(entry, record, replayed))
            n_cut_short += comparison == GameComparison.NOT_COMPARED
            progress(1)
    return SpotCheck(len(drawn), n_cut_short, differences, [entry for entry in run.entries if entry not in present])


def _is_unchanged(entry: EntryInfo) -> bool:
    file = paths.find_file(entry.file)
    try:
        if not (entry.file and file.is_file()):
            return False
        return entry_files.digest(file) == entry.sha256 and not entry_files.changed_companions(file, entry.companions)
    except (UserError, OSError):
        return False


def _sample(run: Run, entries: list[EntryInfo], n_games: int) -> Iterator[tuple[EntryInfo, Record]]:
    chance = random.SystemRandom()
    games_of = {
        entry.slug: [record for record in run.read(entry) if record.verdict not in SKIPPED_VERDICTS]
        for entry in entries
    }
    candidates = [(entry, record) for entry in entries for record in games_of[entry.slug]]
    yield from chance.sample(candidates, min(n_games, len(candidates)))


def _play(run: Run, entry: EntryInfo, number: int, pool: PlayerPool) -> Record:
    config = run.info.config
    player = pool.isolated(entry, config)
    try:
        game = games.make_game(entry.game_id, lists_of(run.info))
        return play(game, player, number, seeds.run_key(str(run.info.seed)), config)
    finally:
        player.close()


def _ends_differently(record: Record, replayed: Record) -> bool:
    """Return whether a game that was late, out of memory or crashed in the run has another verdict here."""
    return record.verdict in (Verdict.LATE, Verdict.MEMORY, Verdict.CRASHED) and record.verdict != replayed.verdict


def _difference(entry: EntryInfo, record: Record, replayed: Record) -> Difference:
    recorded, expected = (
        f"{msgspec.to_builtins(list(played.moves))} {played.verdict}" for played in (record, replayed)
    )
    return Difference(entry.name, f"game {record.game}", "the game", recorded, f"{expected}, as replayed here")
