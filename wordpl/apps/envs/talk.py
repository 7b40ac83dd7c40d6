"""A game in words: one conversation, whichever trainer of language models holds it.

Prompts and the reader of replies are those of the app `models`, where it is installed; without it, a guess is a plain
word.
"""

from functools import cache
from typing import Any

from wordpl.apps.envs.episodes import Episode, Episodes
from wordpl.apps.envs.tasks import Task
from wordpl.core import apps
from wordpl.core.messages import WordplError
from wordpl.games import IllegalMoveError

MARKS = {"c": "right place", "i": "elsewhere", ".": "absent"}


@cache
def _shared(arguments: tuple[tuple[str, Any], ...]) -> Episodes:
    """Return the games of a task, whose lists and coefficient all conversations of a process share."""
    own = dict(arguments)
    second_asks, coefficient = own.pop("second_asks", 0), own.pop("coefficient", None)
    return Episodes(Task.of(**own), second_asks=second_asks, coefficient=coefficient)


class Conversation:
    """A game, told in words that do not grow with the number of games.

    Attributes:
        paid: The sum of the rewards so far.
    """

    def __init__(self, **arguments: Any):
        """Prepare; arguments: those of `Task.of`, `second_asks` and `coefficient`."""
        own = {name: tuple(value) if isinstance(value, list) else value for name, value in arguments.items()}
        self._episodes = _shared(tuple(sorted(own.items()))).copy()
        self._episode: Episode | None = None
        self.paid = 0.0

    @property
    def task(self) -> Task:
        """What is learned."""
        return self._episodes.task

    @property
    def is_over(self) -> bool:
        """Whether no game is being played."""
        return self._episode is None or self._episode.verdict is not None

    @property
    def won(self) -> bool:
        """Whether the last game was won."""
        return self._episode is not None and self._episode.won

    def begin(self, seed: str | int | None, number: int | None) -> str:
        """Begin a game, and return its rules; see `Episodes.begin`."""
        self._episode, self.paid = self._episodes.begin(seed, number), 0.0
        return f"{self._rules()}\nMake your first guess."

    def tell(self, word: Any, epsilon: float | None = None) -> tuple[str, float]:
        """Make a move; return what the agent is told, and its reward.

        Args:
            word: The word, or a reply that has it.
            epsilon: Its price, in games whose guesses have one; 0 proposes the answer.
        """
        episode = self._episode
        if episode is None or episode.verdict is not None:
            return "The game is over.", 0.0
        n_made = len(episode.moves)
        result = episode.play(self._proposal(word, epsilon))
        self.paid += result.reward
        if len(episode.moves) == n_made:
            said = f"That is no legal move: {episode.message}."
            return (f"{said} Guess again." if episode.verdict is None else f"{said} The game is lost."), result.reward
        told = self._clue() if episode.moves[-1].clues else ""
        if episode.verdict is not None:
            told = f"{told} {'You won' if episode.won else 'You lost'}; the game cost {episode.spent:g}.".strip()
        return told, result.reward

    def total(self) -> float:
        """Return the sum of the rewards; a game that has not ended is counted as lost, as after an illegal move."""
        while not self.is_over:
            self.tell(None)
        return self.paid

    def _proposal(self, word: Any, epsilon: float | None) -> Any:
        has_epsilon = self.task.has_epsilon
        if isinstance(word, str) and apps.is_installed("models"):
            replies = apps.module("models", "replies")
            try:
                word = replies.proposal(word, "text", priced=False)
            except WordplError as error:
                return IllegalMoveError(str(error))
        elif isinstance(word, str):
            word = word.strip().lower()
        return (word, epsilon) if has_epsilon else word

    def _rules(self) -> str:
        if apps.is_installed("models"):
            rules: str = apps.module("models", "prompts").rules(self.task.game)
            return rules
        facts, lists = self.task.game.facts, self.task.lists
        limit = "" if facts.limit is None else f" You have {facts.limit} guesses."
        return (
            f"You play {self.task.game.title or facts.id}: find the secret word of {lists.length} letters.{limit} "
            "After a guess you are told of each of its letters: right place, elsewhere in the word, or absent."
        )

    def _clue(self) -> str:
        """Return the last clue letter by letter, since tokens hide letters."""
        assert self._episode is not None
        move = self._episode.moves[-1]
        told = ", ".join(f"{letter} {MARKS[mark]}" for letter, mark in zip(move.guess, move.clues, strict=True))
        return f"{move.guess}: {told}."
