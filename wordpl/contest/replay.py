"""One game of an entry, played once more to be looked at."""

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
class PlayedGame:
    """A game with what decided it, what happened and how long it took."""

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
) -> PlayedGame:
    """Play one game of the entry under the terms of a run.

    Args:
        entry: The entry.
        number: The number of the game.
        config: The terms, with the seed.
        output: An open file for what the entry prints.
        found: What the entry was found among: the strategies that were given as objects, and the caches.
    """
    if config.seed is None:
        raise UserError("a game is decided by a seed: choose one.")
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
            return PlayedGame(entry, game, config.seed, record, player.duration(number))
        finally:
            player.close()
