"""Replaying one game of an entry."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from wordpl import games
from wordpl.contest.entries import FoundEntries
from wordpl.contest.match import play
from wordpl.core import seeds, words
from wordpl.core.errors import UserError
from wordpl.core.records import Duration, EntryInfo, Record
from wordpl.core.run_config import RunConfig
from wordpl.games import Game
from wordpl.players.base import Player
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.pool import PlayerPool


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
        found: The entries among which it was found, with strategies passed as objects and with caches.

    Raises:
        UserError: The configuration has no seed.
    """
    if config.seed is None:
        raise UserError("a replay needs the seed of the run.")
    lists = words.load(config.answers, config.guesses)
    game = games.make_game(entry.game_id, lists)
    strategies, caches = (found.strategies, found.caches.folder) if found else ({}, None)
    with (
        TemporaryDirectory(ignore_cleanup_errors=True) as parent,
        PlayerPool(lists, Path(parent), caches=caches) as pool,
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
