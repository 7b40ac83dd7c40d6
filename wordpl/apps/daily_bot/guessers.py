"""The guessers of the bot: a tree, a search, or an entry of the contest in its own process."""

import re
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import structs

from wordpl.apps.daily_bot import NoGuessError
from wordpl.contest.entries import load_all
from wordpl.core import paths, seeds
from wordpl.core.messages import UserError
from wordpl.core.moves import Move
from wordpl.core.words import WordLists
from wordpl.games import IllegalMoveError, game_class, make_game
from wordpl.players import base, discovery
from wordpl.players.base import Player, PlayerError
from wordpl.players.pool import PlayerPool
from wordpl.run.bundle import STORE, BundleStore
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo

if TYPE_CHECKING:
    import numpy as np

    from wordpl.solvers.trees import Tree

HARD_MODE_MESSAGE = re.compile(r"\bmust\b", re.IGNORECASE)
"""Matches the message of a page when a guess does not use a hint."""
OPENERS = ("salet", "tares", "crane", "slate")
"""First guesses of the search, since searching for the best one takes minutes."""
WIDTH, MANY_ANSWERS = 10, 200
"""The number of guesses tried at each step, and the number of remaining answers from which on it is halved."""


class Guesser(ABC):
    """Chooses guesses for a page, which may refuse words and may turn out to play in hard mode."""

    def __init__(self, is_hard: bool = False):
        self.is_hard = is_hard

    @abstractmethod
    def proposal(self, game_id: str, moves: Sequence[Move], refused: Sequence[str]) -> tuple[Any, ...]:
        """Return the next move, without clues.

        Args:
            game_id: The game of the page.
            moves: The moves so far, which another player may have made.
            refused: The words that the page has refused.

        Raises:
            NoGuessError: No word fits the clues.
        """

    def refused(self, why: str) -> None:
        """Detect hard mode from the message with which the page refused a word."""
        self.is_hard = self.is_hard or bool(HARD_MODE_MESSAGE.search(why))

    def game_id(self, game_id: str) -> str:
        """Return the game that is played, which in hard mode differs from that of the page."""
        return (self.is_hard and game_class(game_id).hard_mode) or game_id

    def close(self) -> None:  # noqa: B027 - most guessers have nothing to stop
        """Stop processes of the guesser."""


class SearchGuesser(Guesser):
    """Chooses the best guess of a search, which `wordpl suggest` shows first."""

    def __init__(self, lists: WordLists, is_hard: bool = False, prior: "np.ndarray | None" = None):
        super().__init__(is_hard)
        self._lists, self._prior = lists, prior

    def proposal(self, game_id: str, moves: Sequence[Move], refused: Sequence[str]) -> tuple[Any, ...]:
        """Return the best guess of the search."""
        lists, prior = without_refused(self._lists, refused, self._prior)
        if not moves and (opener := next((word for word in OPENERS if word in lists.guess_set), None)):
            return (opener,)
        limit = game_class(game_id).max_guesses
        for choice, weights in ((lists, prior), (WordLists(lists.guesses, lists.guesses), None)):
            if (best_word := self._best(choice, weights, moves, limit)) is not None:
                return (best_word,)
        raise NoGuessError(f"no word fits these clues: {', '.join(f'{move.guess}:{move.clues}' for move in moves)}.")

    def _best(self, lists: WordLists, prior: "np.ndarray | None", moves: Sequence[Move], limit: int) -> str | None:
        from wordpl.solvers.search import ClassicSearch
        from wordpl.solvers.search.problem import Problem

        hints = tuple((move.guess, move.clues) for move in moves if move.guess in lists.guess_set)
        problem = Problem(lists, hints, min(limit, len(moves) + 6), self.is_hard, prior)
        try:
            position = problem.position()
        except UserError:
            return None
        width = WIDTH if len(position.candidates) < MANY_ANSWERS else WIDTH // 2
        return lists.guesses[ClassicSearch(position, width).best().guess]


class TreeGuesser(SearchGuesser):
    """Follows an optimal tree, and falls back to a search after moves that are not in the tree."""

    def __init__(self, lists: WordLists, files: tuple[Path, Path], is_hard: bool = False):
        """Create the guesser; `files` are the trees for normal and for hard mode."""
        super().__init__(lists, is_hard)
        self._files = files
        self._trees: dict[Path, Tree] = {}

    def proposal(self, game_id: str, moves: Sequence[Move], refused: Sequence[str]) -> tuple[Any, ...]:
        """Return the guess of the tree, or of the search."""
        node: Tree | None = self._tree()
        for move in moves:
            node = node.branches.get(move.clues) if node and node.guess == move.guess else None
        if node is not None and node.guess not in refused:
            return (node.guess,)
        return super().proposal(game_id, moves, refused)

    def _tree(self) -> "Tree":
        from wordpl.solvers import trees

        file = self._files[self.is_hard]
        if file not in self._trees:
            self._trees[file] = trees.load(file)[0]
        return self._trees[file]


def without_refused(
    lists: WordLists, refused: Sequence[str], prior: "np.ndarray | None" = None
) -> "tuple[WordLists, np.ndarray | None]":
    """Return the lists and the prior without the words that a page refused."""
    refused_words = set(refused) & lists.guess_set
    if not refused_words:
        return lists, prior
    remaining_indices = [i for i, word in enumerate(lists.answers) if word not in refused_words]
    answers = tuple(lists.answers[i] for i in remaining_indices)
    guesses = tuple(word for word in lists.guesses if word not in refused_words)
    if not answers:
        raise NoGuessError("the page has refused all answers.")
    return WordLists(answers, guesses), None if prior is None else prior[remaining_indices]


def tree_files() -> tuple[Path, Path]:
    """Return the bundled optimal trees for normal and for hard mode."""
    folder = paths.bundled() / "strategies" / "tree"
    return folder / "tree-salet.json", folder / "tree-salet-hard.json"


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
            raise NoGuessError(self._why_not(game_id, moves, str(error))) from None
        return tuple(checked.proposal)

    def _why_not(self, game_id: str, moves: Sequence[Move], failure: str) -> str:
        """Return why the entry has no guess, and what helps."""
        game = make_game(game_id, self._lists)
        if game.is_exact and not game.possible_answers([move for move in moves if move.guess in self._lists.guess_set]):
            return (
                f"{self._entry.name} has no next guess: none of the {len(self._lists.answers):,} answers fits the "
                f"clues ({' '.join(f'{move.guess}:{move.clues}' for move in moves)}). The page has other answers: name "
                "newer ones, --answers answers-predicted --guesses modern, or use --strategy suggest, which tries all "
                "guesses."
            )
        lines = [line.strip() for line in failure.splitlines() if line.strip()]
        return f"{self._entry.name} has no next guess: {lines[-1] if lines else 'it ended'}"

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
        strategy_seed = seeds.Draws.of(self._seed).game(0).strategy_seed
        self._next = self._player.first_move(strategy_seed, base.allowance(self._config))

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
