"""Requests suggestions for the current puzzle from the worker, and collects the results."""

import math
import time
from typing import Any, Protocol

import msgspec

from wordpl.terminal.app.puzzle import Puzzle
from wordpl.terminal.app.setups import Setup, WordChoice
from wordpl.terminal.app.worker import WorkerClient

WORDS = "solve"
DEFAULT_EPSILON = 8.0
MAX_ANSWERS = 400
Message = dict[str, Any]


class SearchOwner(Protocol):
    """What a search needs of the screen that it serves."""

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
        self._setup = Setup()
        self._choice = WordChoice((), ())
        self._puzzle = Puzzle(5)
        self.steps: list[list[Any]] = []
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

    @property
    def is_worker_alive(self) -> bool:
        """Whether the worker process is running."""
        return self._screen.client.is_alive

    @property
    def is_worker_ready(self) -> bool:
        """Whether the worker has loaded its words and kernels."""
        return self._screen.client.is_ready

    @property
    def compiles(self) -> bool:
        """Whether the worker searches without kernels, which are compiled in the background."""
        return self._screen.client.compiles

    def load_words(self, setup: Setup) -> None:
        """Load the words of a setup; calls `words_loaded` of the screen afterwards."""
        self._setup = setup
        self._clear()
        self.is_running = True
        self._screen.client.cancel("solve-effect")
        self._screen.client.submit("solve", "words", self._receive_words, setup=msgspec.to_builtins(setup))

    def _receive_words(self, message: Message) -> None:
        if message["kind"] == "words":
            self._choice = WordChoice.from_message(message["words"])
            self.guess_set, self.steps = frozenset(self._choice.guesses), message["steps"]
            self._opening = message["opening"]
            self._screen.client.define(WORDS, message["words"], message["rule"])
            self._screen.words_loaded(self._choice)
        elif message["kind"] == "error":
            self.is_running, self.failure = False, message["message"]
            self._screen.redraw()

    def start(self, puzzle: Puzzle) -> None:
        """Search for the next guess of this puzzle; cancels an earlier search."""
        if not self._choice.answers:
            return
        self._clear()
        self._puzzle = puzzle
        client = self._screen.client
        client.cancel("solve-effect")
        if puzzle.is_solved:
            client.cancel("solve")
        elif self._opening and not puzzle.hints and not self._setup.tree:
            client.cancel("solve")
            self.left = self._left_at_first()
            for message in self._opening:
                self._receive(message)
        else:
            self.is_running = True
            self._submit(puzzle)

    def _submit(self, puzzle: Puzzle) -> None:
        client, setup = self._screen.client, msgspec.to_builtins(self._setup)
        if self._setup.has_epsilon:
            client.submit("solve", "noisy", self._receive, name=WORDS, setup=setup, rows=puzzle.noisy_hints)
        else:
            client.submit("solve", "classic", self._receive, name=WORDS, setup=setup, hints=puzzle.hints)

    def _left_at_first(self) -> Message:
        answers, weights = self._choice.answers, self._choice.weights or (1.0,) * len(self._choice.answers)
        pairs = [(word, weight / sum(weights)) for word, weight in zip(answers, weights, strict=True) if weight > 0]
        if self._setup.order == "probability":
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
        if not self._setup.has_epsilon:
            self.ranked.sort(key=rank)
        if len(self.ranked) == 1:
            self.show_effect(self._screen.puzzle.row.word, None)

    def show_effect(self, word: str, epsilon: float | None) -> None:
        """Request the effect of a guess, or of the best guess if `word` is not a complete one."""
        if word not in self.guess_set:
            word = self.best
        if not word or self.left is None or not self.is_worker_ready:
            return
        client, setup = self._screen.client, msgspec.to_builtins(self._setup)
        common = {"name": WORDS, "setup": setup, "guess": word}
        if self._setup.has_epsilon:
            price = epsilon or self.epsilon
            client.submit(
                "solve-effect",
                "noisy-effect",
                self._receive_effect,
                rows=self._puzzle.noisy_hints,
                epsilon=price,
                **common,
            )
        else:
            client.submit("solve-effect", "classic-effect", self._receive_effect, hints=self._puzzle.hints, **common)

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
