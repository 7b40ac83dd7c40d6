"""What decides the bot's guesses: a tree, a search, or an entry of the contest."""

import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordpl.core import paths
from wordpl.core.errors import UserError
from wordpl.core.moves import Move
from wordpl.core.words import WordLists
from wordpl.games import game_class
from wordpl.web.bot.errors import NoGuessError

if TYPE_CHECKING:
    import numpy as np

    from wordpl.solvers.trees import Tree

HARD = "wordle-hard/1"
HARD_MODE_MESSAGE = re.compile(r"\bmust\b", re.IGNORECASE)
"""How a page words that a hint was not used."""
OPENERS = ("salet", "tares", "crane", "slate")
"""First guesses of the search: looking for the best takes minutes."""
WIDE, MANY = 10, 200
"""Guesses tried a step, and the number of answers left from which on half of them are enough."""


class Guesser(ABC):
    """Chooses guesses for a page; the page may refuse words, and may turn out to play hard mode."""

    def __init__(self, is_hard: bool = False):
        self.is_hard = is_hard

    @abstractmethod
    def proposal(self, game_id: str, moves: Sequence[Move], refused: Sequence[str]) -> tuple[Any, ...]:
        """Return the next move, without clues.

        Args:
            game_id: the game that the page plays.
            moves: what has been played, whoever chose it.
            refused: words that the page does not take.

        Raises:
            NoGuessError: no word of the lists gives these clues.
        """

    def refused(self, why: str) -> None:
        """Take in why a word was refused: a hint that must be used means hard mode."""
        self.is_hard = self.is_hard or bool(HARD_MODE_MESSAGE.search(why))

    def game_id(self, game_id: str) -> str:
        """Return the game that is being played, given the one that the page names."""
        return HARD if self.is_hard and game_id == "wordle/1" else game_id

    def close(self) -> None:  # noqa: B027 - most guessers start nothing
        """End what the guesser has started."""


class SearchGuesser(Guesser):
    """The best guess that a search finds, which is what `wordpl suggest` shows first."""

    def __init__(self, lists: WordLists, is_hard: bool = False, prior: "np.ndarray | None" = None):
        super().__init__(is_hard)
        self._lists, self._prior = lists, prior

    def proposal(self, game_id: str, moves: Sequence[Move], refused: Sequence[str]) -> tuple[Any, ...]:
        """Return the best guess found."""
        lists, prior = without(self._lists, refused, self._prior)
        if not moves and (opener := next((word for word in OPENERS if word in lists.guess_set), None)):
            return (opener,)
        limit = game_class(game_id).max_guesses or 6
        for choice, weights in ((lists, prior), (WordLists(lists.guesses, lists.guesses), None)):
            if (found := self._best(choice, weights, moves, limit)) is not None:
                return (found,)
        raise NoGuessError(f"no word gives these clues: {', '.join(f'{m.guess}:{m.clues}' for m in moves)}.")

    def _best(self, lists: WordLists, prior: "np.ndarray | None", moves: Sequence[Move], limit: int) -> str | None:
        from wordpl.solvers.search import Search
        from wordpl.solvers.search.problem import Problem

        hints = tuple((move.guess, move.clues) for move in moves if move.guess in lists.guess_set)
        problem = Problem(lists, hints, min(limit, len(moves) + 6), self.is_hard, prior)
        try:
            position = problem.position()
        except UserError:
            return None
        width = WIDE if len(position.candidates) < MANY else WIDE // 2
        return lists.guesses[Search(position, width).best().guess]


class TreeGuesser(SearchGuesser):
    """An optimal tree; where the page has left it, by a refused word or other clues, the search."""

    def __init__(self, lists: WordLists, files: tuple[Path, Path], is_hard: bool = False):
        """Make the guesser; files: the tree for normal and that for hard mode."""
        super().__init__(lists, is_hard)
        self._files = files
        self._trees: dict[Path, Tree] = {}

    def proposal(self, game_id: str, moves: Sequence[Move], refused: Sequence[str]) -> tuple[Any, ...]:
        """Return the tree's guess, or the search's."""
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


def without(
    lists: WordLists, refused: Sequence[str], prior: "np.ndarray | None" = None
) -> "tuple[WordLists, np.ndarray | None]":
    """Return the lists without the words that a page refused, and the prior of the answers that are left."""
    gone = set(refused) & lists.guess_set
    if not gone:
        return lists, prior
    kept = [i for i, word in enumerate(lists.answers) if word not in gone]
    answers = tuple(lists.answers[i] for i in kept)
    guesses = tuple(word for word in lists.guesses if word not in gone)
    if not answers:
        raise NoGuessError("the page has refused every word of the answers.")
    return WordLists(answers, guesses), None if prior is None else prior[kept]


def tree_files() -> tuple[Path, Path]:
    """Return the best trees that come with wordpl: for normal and for hard mode."""
    folder = paths.bundled() / "strategies"
    return folder / "salet.json", folder / "salet-hard.json"
