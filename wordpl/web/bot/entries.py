"""A guesser that asks an entry of the contest, which runs in a separate process as in a run."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import structs

from wordpl.contest.entries import load_all
from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.core.moves import Move
from wordpl.core.words import WordLists
from wordpl.games import IllegalMoveError, game_class, make_game
from wordpl.players import clock, discovery
from wordpl.players.base import Player, PlayerError
from wordpl.players.pool import PlayerPool
from wordpl.run.bundle import STORE, BundleStore
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.web.bot.errors import NoGuessError
from wordpl.web.bot.guessers import Guesser, without_refused

GAME_S = 60.0
"""The CPU time for a game, in seconds, which is longer than in a run."""


class EntryGuesser(Guesser):
    """An entry that plays one game at a time.

    If the page refuses a word, the entry restarts with lists without the word, and the earlier moves are replayed. The
    moves that it receives are always those on the page, which may differ from the entry's own.
    """

    def __init__(self, entry: str, lists: WordLists, seed: str, is_hard: bool = False):
        """Create the guesser for an entry, named as on the command line. Raises UserError unless it names one entry."""
        super().__init__(is_hard)
        self._lists, self._seed = lists, seed
        self._config = RunConfig(timeout_s=GAME_S)
        self._folder = tempfile.TemporaryDirectory(prefix="wordpl-bot-")
        self._store = BundleStore(Path(self._folder.name) / STORE)
        self._pool: PlayerPool | None = None
        self._player: Player | None = None
        self._known_moves: tuple[str, tuple[str, ...], tuple[Move, ...]] = ("", (), ())
        self._playing: tuple[str, tuple[str, ...]] = ("", ())
        self._next: Any = None
        self._entry = self._find_entry(entry)

    def proposal(self, game_id: str, moves: Sequence[Move], refused: Sequence[str]) -> tuple[Any, ...]:
        """Return the entry's next move. Raises NoGuessError if it fails or makes an illegal move."""
        game_id = self.game_id(game_id)
        lists, _ = without_refused(self._lists, refused)
        try:
            self._catch_up(game_id, lists, moves, tuple(refused))
            checked = make_game(game_id, lists).check(self._next)
        except (PlayerError, IllegalMoveError) as error:
            raise NoGuessError(f"{self._entry.name} has no next guess: {error}") from None
        return tuple(checked.proposal)

    def close(self) -> None:
        """Stop the entry's process."""
        self._end_player()
        self._folder.cleanup()

    def _catch_up(self, game_id: str, lists: WordLists, moves: Sequence[Move], refused: tuple[str, ...]) -> None:
        """Replay the moves that the entry does not know yet, from the start if necessary."""
        known_moves = (game_id, refused, tuple(moves[: len(self._known_moves[2])]))
        if self._player is None or known_moves != self._known_moves:
            self._start(game_id, lists, refused)
            self._known_moves = (game_id, refused, ())
        assert self._player is not None
        for move in moves[len(self._known_moves[2]) :]:
            self._next = self._player.next_move(move)
        self._known_moves = (game_id, refused, tuple(moves))

    def _start(self, game_id: str, lists: WordLists, refused: tuple[str, ...]) -> None:
        """Start a game; the entry's process is reused while the game and the words are the same."""
        if self._player is None or self._playing != (game_id, refused):
            self._end_player()
            self._player = self._new_player(game_id, lists)
            self._playing = (game_id, refused)
        self._player.prepare()
        key = seeds.run_key(self._seed)
        self._next = self._player.first_move(seeds.strategy_seed(key, 0), clock.allowance(self._config))

    def _new_player(self, game_id: str, lists: WordLists) -> Player:
        kind = game_class(game_id).facts.form
        if kind != self._entry.game.form:
            raise UserError(f"{self._entry.name} plays {self._entry.game.id}, but the game of the page is {kind}.")
        entry = structs.replace(self._entry, game=game_class(game_id).facts)
        self._pool = PlayerPool(lists, Path(tempfile.mkdtemp(dir=self._folder.name)), store=self._store)
        return self._pool.isolated(entry, self._config)

    def _end_player(self) -> None:
        if self._player is not None:
            self._player.close()
        if self._pool is not None:
            self._pool.close()
        self._player = self._pool = None

    def _find_entry(self, name: str) -> EntryInfo:
        sources = discovery.find_sources([name])
        with PlayerPool(self._lists, Path(tempfile.mkdtemp(dir=self._folder.name)), store=self._store) as pool:
            replies = load_all(sources, pool, self._config)
        faults = [reply for reply in replies if not isinstance(reply, EntryInfo)]
        if faults:
            raise UserError(f"{name} is not a working entry: {faults[0].message}")
        entries = discovery.entries_of(replies)
        if len(entries) != 1:
            raise UserError(
                f"{name} declares {len(entries)} entries: {', '.join(entry.name for entry in entries)}. Choose one."
            )
        return entries[0]
