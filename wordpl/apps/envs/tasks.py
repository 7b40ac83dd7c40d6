"""What an agent learns: a game with its words, what is paid for a move, and what an agent sees.

Nothing here needs Gymnasium, so that a trained policy plays as an entry without it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl import games
from wordpl.core import seeds, words
from wordpl.core.clues import MARKS
from wordpl.core.messages import UserError
from wordpl.core.moves import Move, NoisyMove, budget_of
from wordpl.core.words import WordLists
from wordpl.games import Game, IllegalMoveError
from wordpl.games.classic import unused_hint
from wordpl.run.config import RunConfig

MAX_ROWS = 32
"""The most moves that an observation holds; of a longer game, it holds the last ones."""
REWARDS = ("cost", "win", "luck-free")
PARTS = ("all", "train", "test")
FORMS = ("index", "text")

Arrays = dict[str, NDArray[Any]]
"""An observation: the letters and marks of each move and, where guesses have a price, the epsilons."""


def split(lists: WordLists, part: str, seed: str | int = 0, test_share: float = 0.2) -> WordLists:
    """Return the lists whose answers are those of one part; all guesses stay legal.

    To which part an answer belongs depends on the word and the seed alone, not on the list it is in.

    Args:
        lists: The words.
        part: "train", "test", or "all".
        seed: The seed of the split.
        test_share: The share of answers that are for tests, on average.

    Raises:
        UserError: The part is unknown or has no answer.
    """
    if part not in PARTS:
        raise UserError(f"a part of the answers is one of {', '.join(PARTS)}, not {part!r}.")
    if part == "all":
        return lists
    key = seeds.run_key(seed)
    draws = (int.from_bytes(seeds.draw(key, b"split/" + word.encode(), 0)[:8], "big") for word in lists.answers)
    is_test = [draw < test_share * 2**64 for draw in draws]
    answers = [word for word, tests in zip(lists.answers, is_test, strict=True) if tests == (part == "test")]
    if not answers:
        raise UserError(f"the part {part!r} of {len(lists.answers)} answers has none: change test_share.")
    return words.of_words(tuple(answers), lists.guesses)


@dataclass(frozen=True, eq=False)
class Task:
    """What an agent learns.

    Attributes:
        game: The rules with their word lists.
        reward: One of REWARDS.
        loss_cost: What a lost game costs, and the most that a game costs.
    """

    game: Game
    reward: str
    loss_cost: float

    @classmethod
    def of(
        cls,
        game: str = "wordle/1",
        *,
        answers: str | Path | Sequence[str] | None = None,
        guesses: str | Path | Sequence[str] | None = None,
        part: str = "all",
        split_seed: str | int = 0,
        test_share: float = 0.2,
        reward: str = "cost",
        loss_cost: float = 100.0,
    ) -> "Task":
        """Return a task.

        Args:
            game: The id of a game or, for a game of your own, FILE:CLASS.
            answers, guesses: Words, a file of words, or the name of a bundled list; None: those of the contest.
            part, split_seed, test_share: See `split`.
            reward: "cost": minus what the contest counts; "win": 1 for a win; "luck-free": see `rewards`.
            loss_cost: The cost of a lost game, if the game leaves it to the host.

        Raises:
            UserError: A value is not valid.
        """
        if reward not in REWARDS:
            raise UserError(f"a reward is one of {', '.join(REWARDS)}, not {reward!r}.")
        kind = games.game_class(games.named(game))
        whole = _lists(answers, guesses)
        cost = loss_cost if kind.facts.loss_cost is None else kind.facts.loss_cost
        return cls(kind(split(whole, part, split_seed, test_share)), reward, cost)

    @property
    def lists(self) -> WordLists:
        """The words."""
        return self.game.lists

    @property
    def has_epsilon(self) -> bool:
        """Whether a move is a pair of a guess and its epsilon."""
        return self.game.facts.has_epsilon

    @cached_property
    def n_rows(self) -> int:
        """The number of moves that an observation holds."""
        return min(self.game.max_guesses, MAX_ROWS)

    def spent(self, moves: Sequence[Move]) -> float:
        """Return what these moves cost: the sum of their epsilons, or their number; at most `loss_cost`."""
        own = budget_of([move.epsilon for move in moves if isinstance(move, NoisyMove)]) if self.has_epsilon else None
        return min(float(len(moves)) if own is None else own, self.loss_cost)

    def proposal(self, action: Any, form: str) -> Any:
        """Return what the game is asked, given an action: a word, or a pair of a word and its epsilon.

        Args:
            action: The number of a guess, or a word; with its epsilon in a mapping or a pair where it has one.
            form: One of FORMS.

        Raises:
            IllegalMoveError: It is no action.
        """
        if not self.has_epsilon:
            return action if form == "text" else self._word(action)
        try:
            guess, price = (action["guess"], action["epsilon"]) if isinstance(action, Mapping) else action
            epsilon = float(np.asarray(price).reshape(()))
        except (KeyError, TypeError, ValueError, OverflowError):
            raise IllegalMoveError("a move has a guess and an epsilon") from None
        return guess if form == "text" else self._word(guess), epsilon

    def _word(self, number: Any) -> str:
        try:
            place = int(number)
        except (TypeError, ValueError, OverflowError):
            raise IllegalMoveError("a guess is the number of a word") from None
        if not 0 <= place < len(self.lists.guesses):
            raise IllegalMoveError(f"there are guesses 0 to {len(self.lists.guesses) - 1}, not {place}")
        return self.lists.guesses[place]

    def arrays(self, moves: Sequence[Move]) -> Arrays:
        """Return what an agent sees, as arrays.

        `letters` holds 1 to 26 for a to z and `marks` 1 for `.`, 2 for `i` and 3 for `c`, uint8[rows, length] each, and
        0 where there is nothing; `epsilons` the prices, at most `loss_cost`, float64[rows].
        """
        length = self.lists.length
        seen: Arrays = {name: np.zeros((self.n_rows, length), np.uint8) for name in ("letters", "marks")}
        if self.has_epsilon:
            seen["epsilons"] = np.zeros(self.n_rows)
        for row, move in enumerate(moves[-self.n_rows :]):
            self.write_row(seen, row, move)
        return seen

    def write_row(self, seen: Arrays, row: int, move: Move) -> None:
        """Write a move into a row of an observation."""
        seen["letters"][row] = np.frombuffer(move.guess.encode(), np.uint8) - (ord("a") - 1)
        if move.clues:
            seen["marks"][row] = [MARKS.index(mark) + 1 for mark in move.clues]
        if isinstance(move, NoisyMove):
            seen["epsilons"][row] = min(move.epsilon, self.loss_cost)

    def text(self, moves: Sequence[Move]) -> str:
        """Return what an agent sees, as one line for each move: guess, epsilon, clues."""
        return "".join(map(line_of, moves[-self.n_rows :]))

    def mask(self, moves: Sequence[Move]) -> NDArray[np.int8]:
        """Return for each guess whether it is legal now, int8[guesses]; 1 for legal.

        Where guesses have an epsilon, the answers are a second row, int8[2, guesses]: legal with epsilon 0.
        """
        lists = self.lists
        if self.has_epsilon:
            return np.array([np.ones(len(lists.guesses)), self._is_answer], np.int8)
        legal = np.ones(len(lists.guesses), np.int8)
        if self.game.uses_hints and moves:
            guess, clues = moves[-1].guess, moves[-1].clues
            legal[:] = [not unused_hint(word, guess, clues) for word in lists.guesses]
        return legal

    @cached_property
    def _is_answer(self) -> list[bool]:
        return [word in self.lists.answer_set for word in self.lists.guesses]


def line_of(move: Move) -> str:
    """Return a move as a line of text."""
    return " ".join([move.guess, *([f"{move.epsilon:g}"] if isinstance(move, NoisyMove) else []), move.clues]) + "\n"


def name_of(game: str) -> str:
    """Return the name of a bundled game among the environments, made from its title.

    >>> name_of("wordle-hard/1"), name_of("wordpl/1")
    ('WordleHardMode', 'WORDPL')
    """
    parts = re.findall(r"\w+", games.game_class(game).title or game)
    return "".join(part[0].upper() + part[1:] for part in parts)


def _lists(answers: Any, guesses: Any) -> WordLists:
    own = [words for words in (answers, guesses) if words is not None and not isinstance(words, str | Path)]
    if not own:
        return RunConfig(answers=answers, guesses=guesses).load_lists()
    if len(own) != sum(words is not None for words in (answers, guesses)):
        raise UserError("give answers and guesses both as words, or both as files or names.")
    legal = guesses if guesses is not None else words.load().guesses
    return words.of_words(tuple(answers if answers is not None else guesses), tuple(legal))


def gains(task: Task) -> np.ndarray:
    """Return what a win within 1, 2, ... guesses saves of the cost, compared with a win one guess later."""
    saved = np.ones(task.game.max_guesses)
    saved[-1] = task.loss_cost - task.game.max_guesses
    return saved
