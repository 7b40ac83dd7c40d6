"""Replaying one game of an entry."""

from dataclasses import dataclass
from pathlib import Path

from wordpl import games
from wordpl.contest.entries import FoundEntries
from wordpl.contest.match import play
from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.core.temporary import temporary_folder
from wordpl.games import Game
from wordpl.players.base import Player
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.pool import PlayerPool
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.run.records import Duration, Record


@dataclass(frozen=True)
class ReplayedGame:
    """A replayed game.

    Attributes:
        entry: The entry that played.
        game: The rules.
        seed: The seed of the run.
        record: The record of the game.
        duration: The time that it took.
    """

    entry: EntryInfo
    game: Game
    seed: str
    record: Record
    duration: Duration


def play_one(
    entry: EntryInfo,
    number: int,
    config: RunConfig,
    output: int | None = None,
    found: FoundEntries | None = None,
) -> ReplayedGame:
    """Play one game of an entry under the terms of a run.

    Args:
        number: The number of the game.
        config: The configuration of the run, with its seed.
        output: The file descriptor that receives what the entry prints.
        found: The entries among which it was found, with their files and with strategies passed as objects.

    Raises:
        UserError: The configuration has no seed.
    """
    if config.seed is None:
        raise UserError("a replay needs the seed of the run.")
    lists = config.load_lists()
    game = games.make_game(entry.game, lists)
    strategies, store = (found.strategies, found.store) if found else ({}, None)
    with (
        temporary_folder() as parent,
        PlayerPool(lists, Path(parent), store=store) as pool,
    ):
        player: Player
        if entry.slug in strategies:
            player = TrustedPlayer(entry, pool.folder, strategies[entry.slug])
        elif config.is_trusted:
            player = pool.player(entry, config)
        else:
            player = pool.isolated(entry, config, output=output)
        try:
            record = play(game, player, number, seeds.run_key(config.seed), config)
            return ReplayedGame(entry, game, config.seed, record, player.duration(number))
        finally:
            player.close()
