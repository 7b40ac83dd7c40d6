"""Environments for TRL's `GRPOTrainer(environment_factory=...)`, which calls the public methods of one as tools.

    GRPOTrainer(..., train_dataset=Dataset.from_list(rows(1000)), environment_factory=partial(WordGame, reward="cost"))

A group of rollouts has one row, and so one secret and one noise: the row says which game it is.
"""

from typing import Any

from wordpl.apps.envs.talk import Conversation

PROMPT = "Play the game by calling the tool `guess` until it is over."


def rows(n_games: int, seed: str | int = 0, first: int = 0) -> list[dict[str, Any]]:
    """Return the rows of a data set: the games of a run, from number `first` on."""
    prompt = [{"role": "user", "content": PROMPT}]
    return [{"prompt": prompt, "seed": str(seed), "game": number} for number in range(first, first + n_games)]


class WordGame:
    """A game whose guesses are words; see `NoisyGame` for those that have a price."""

    def __init__(self, **arguments: Any):
        """Prepare a game; arguments: those of `Task.of`, `second_asks` and `coefficient`."""
        self._conversation = Conversation(**arguments)

    def reset(self, **columns: Any) -> str:
        """Begin the game of a row.

        Args:
            columns: The columns of the row, of which `seed` and `game` say which game it is.
        """
        return self._conversation.begin(columns.get("seed"), columns.get("game"))

    def guess(self, word: str) -> str:
        """Guess a word.

        Args:
            word: The word that you guess.

        Returns:
            What is known of each letter of the guess, or how the game ended.
        """
        return self._conversation.tell(word)[0]

    def get_reward(self) -> float:
        """Return what the game is worth; one that was given up counts as lost."""
        return self._conversation.total()


class NoisyGame(WordGame):
    """A game whose guesses have a price."""

    def __init__(self, game: str = "wordpl/1", **arguments: Any):
        super().__init__(game=game, **arguments)

    def guess(self, word: str, epsilon: float) -> str:  # type: ignore[override]  # another tool
        """Buy a clue for a word, or answer.

        Args:
            word: The word that you guess.
            epsilon: What you pay for the clue; 0 to answer with the word, which ends the game.

        Returns:
            What is shown of each letter of the guess, or how the game ended.
        """
        return self._conversation.tell(word, epsilon)[0]
