"""Requests suggestions for the current puzzle from the worker, and collects the results."""

import math
import time
from typing import Any, Protocol

from wordpl.terminal.app.puzzle import Puzzle
from wordpl.terminal.app.setups import Setup, WordChoice
from wordpl.terminal.app.worker import WorkerClient

WORDS = "solve"
DEFAULT_EPSILON = 8.0
MAX_ANSWERS = 400
Message = dict[str, Any]


class SearchOwner(Protocol):
    """The screen that a search serves: it holds the setup, its words and the puzzle."""

    setup: Setup
    choice: WordChoice
    puzzle: Puzzle

    @property
    def client(self) -> WorkerClient:
        """The client of the worker process."""

    def words_loaded(self, choice: WordChoice) -> None:
        """Handle that the words of the setup are known."""

    def redraw(self) -> None:
        """Show what has changed."""


class SolveSearch:
    """Requests suggestions and effects, and collects the results.

    Attributes:
        left: The remaining answers: their number, the most likely ones, and the bits.
        ranked: The guesses rated so far, the best first.
        effect: The effect of the selected guess.
        contradiction: The row and the reason if no answer is left.
        failure: The message of another error.
        epsilon: The epsilon of the next row in a noisy game.
    """

    def __init__(self, screen: SearchOwner) -> None:
        self._screen = screen
        self.guess_set: frozenset[str] = frozenset()
        self._opening: list[Message] = []
        self.epsilon = DEFAULT_EPSILON
        self.first_rating_s: float | None = None
        self._clear()

    def _clear(self) -> None:
        self.left: Message | None = None
        self.ranked: list[Message] = []
        self.effect: Message | None = None
        self.contradiction: Message | None = None
        self.suggestion: Message | None = None
        self.tree_guess: str | None = None
        self.done: Message | None = None
        self.failure = ""
        self.is_running = False
        self.n_wanted = 0

    @property
    def best(self) -> str:
        """The best guess: that of the tree if one is followed, otherwise the best so far; "" if there is none yet."""
        if self.tree_guess:
            return self.tree_guess
        if self.suggestion is not None:
            best: str = self.suggestion["best"] if self.suggestion["is_answer"] else self.suggestion["guess"]
            return best
        return self.ranked[0]["guess"] if self.ranked else ""

    def load_words(self) -> None:
        """Load the words of the setup; calls `words_loaded` of the screen afterwards."""
        self._clear()
        self.is_running = True
        self._screen.client.cancel("solve-effect")
        self._screen.client.submit("solve", "words", self._receive_words, setup=self._screen.setup)

    def _receive_words(self, message: Message) -> None:
        if message["kind"] == "words":
            choice: WordChoice = message["words"]
            self.guess_set, self._opening = frozenset(choice.guesses), message["opening"]
            self._screen.client.define(WORDS, choice, message["rule"])
            self._screen.words_loaded(choice)
        elif message["kind"] == "error":
            self.is_running, self.failure = False, message["message"]
            self._screen.redraw()

    def start(self) -> None:
        """Search for the next guess of the puzzle; cancels an earlier search."""
        if not self.guess_set:
            return
        self._clear()
        client, puzzle, setup = self._screen.client, self._screen.puzzle, self._screen.setup
        client.cancel("solve-effect")
        if puzzle.is_solved:
            client.cancel("solve")
        elif self._opening and not puzzle.hints and not setup.tree:
            client.cancel("solve")
            self.left = self._left_at_first()
            for message in self._opening:
                self._receive(message)
        else:
            self.is_running = True
            task, moves = self._moves()
            client.submit("solve", task, self._receive, name=WORDS, setup=setup, **moves)

    def _moves(self) -> tuple[str, dict[str, Any]]:
        """Return the task that suggests guesses, and its argument with the moves so far."""
        puzzle = self._screen.puzzle
        return ("noisy", {"rows": puzzle.noisy_hints}) if self._has_epsilon else ("classic", {"hints": puzzle.hints})

    @property
    def _has_epsilon(self) -> bool:
        return self._screen.setup.has_epsilon

    def _left_at_first(self) -> Message:
        answers = self._screen.choice.answers
        weights = self._screen.choice.weights or (1.0,) * len(answers)
        pairs = [(word, weight / sum(weights)) for word, weight in zip(answers, weights, strict=True) if weight > 0]
        if self._screen.setup.order == "probability":
            pairs.sort(key=lambda pair: -pair[1])
        bits = -sum(chance * math.log2(chance) for _, chance in pairs)
        return {"n": len(pairs), "n_all": len(answers), "bits": bits, "answers": pairs[:MAX_ANSWERS]}

    def _receive(self, message: Message) -> None:
        match message["kind"]:
            case "left":
                self.left = message
            case "rating":
                self._add(message)
            case "tree":
                self.tree_guess = message["guess"]
                self.show_effect("", None)
            case "suggestion":
                self.suggestion, self.epsilon = message, message["epsilon"]
            case "contradiction":
                self.contradiction = message
            case "error":
                self.failure = message["message"]
            case "done":
                self.done, self.is_running = message, False
                self.show_effect(self._screen.puzzle.row.word, None)
            case "end":
                self.is_running = False
        self._screen.redraw()

    def _add(self, rating: Message) -> None:
        if self.first_rating_s is None:
            self.first_rating_s = time.monotonic()
        self.n_wanted = rating["n_wanted"]
        self.ranked.append(rating)
        if not self._has_epsilon:
            self.ranked.sort(key=rank)
        if len(self.ranked) == 1:
            self.show_effect(self._screen.puzzle.row.word, None)

    def show_effect(self, word: str, epsilon: float | None) -> None:
        """Request the effect of a guess, or of the best guess if `word` is not a complete one."""
        if word not in self.guess_set:
            word = self.best
        if not word or self.left is None or not self._screen.client.is_ready:
            return
        task, moves = self._moves()
        if self._has_epsilon:
            moves["epsilon"] = epsilon or self.epsilon
        self._screen.client.submit("solve-effect", f"{task}-effect", self._receive_effect,
                                   name=WORDS, setup=self._screen.setup, guess=word, **moves)  # fmt: skip

    def _receive_effect(self, message: Message) -> None:
        if message["kind"] == "effect":
            self.effect = message
            self._screen.redraw()

    def worker_changed(self) -> None:
        """Request the effect, which needs a worker that is ready."""
        if self.effect is None:
            self.show_effect(self._screen.puzzle.row.word, None)


def rank(rating: Message) -> tuple[float, bool]:
    """Return the sort key of a guess: its expected number of guesses; at equal numbers possible answers come first."""
    expected = rating["expected"]
    return (math.inf if expected is None else round(expected, 9)), not rating["chance"]
