"""A game that a person is playing, what its clues reveal, and its result as text for sharing."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from wordpl.core import seeds
from wordpl.core.clues import MARKS
from wordpl.core.moves import Move, NoisyMove, Verdict, total_epsilon
from wordpl.games import Game, IllegalMoveError, Reply

if TYPE_CHECKING:
    from wordpl.kernels.posterior import Posterior

MIN_SHARE = 1e-7
"""Less probable words are left out of the probabilities of marks."""
SQUARES = {"c": "🟩", "i": "🟨", ".": "⬛"}


@dataclass
class Session:
    """A game in progress, with the moves and clues so far.

    Attributes:
        game: The rules.
        seed, number: The seed and the number of the game, which determine the noise and, unless it was chosen, the
            secret.
        secret: The secret.
        moves: The moves with their clues.
        verdict: How the game ended; None while it continues.
    """

    game: Game
    seed: str
    number: int
    secret: str
    moves: list[Move] = field(default_factory=list)
    verdict: Verdict | None = None

    def play(self, proposal: Any) -> Reply:
        """Make a move and return the reply.

        Raises:
            IllegalMoveError: The rules do not allow the move; the game is unchanged.
        """
        move = self.game.check(proposal)
        reply = self._reply(move)
        self.moves.append(move.with_clues(reply.clues))
        self.verdict = reply.verdict
        return reply

    def allows(self, guess: str) -> bool:
        """Return whether this word can be guessed now, in a game whose moves are guesses."""
        try:
            self._reply(self.game.check(guess))
        except IllegalMoveError:
            return False
        return True

    def _reply(self, move: Move) -> Reply:
        def draws() -> tuple[int, ...]:
            return seeds.noise(seeds.run_key(self.seed), self.number, len(self.moves) + 1, self.game.lists.length)

        return self.game.reply(self.secret, self.moves, move, draws)

    @property
    def has_epsilon(self) -> bool:
        """Whether guesses cost budget, and the answer is a move of its own."""
        return self.game.facts.has_epsilon

    @property
    def is_exact(self) -> bool:
        """Whether clues are shown as they are; otherwise they only change the probabilities of words."""
        return self.game.is_exact

    @property
    def spent(self) -> float:
        """The budget spent so far."""
        return total_epsilon(self.moves)

    @property
    def options_to_repeat(self) -> str:
        """The command-line options that start the same game again."""
        return f"--seed {shlex.quote(self.seed)}" + (f" --number {self.number}" if self.number else "")

    @property
    def moves_with_clues(self) -> list[Move]:
        """The moves with clues: all but a proposed answer."""
        return [move for move in self.moves if move.clues]

    @property
    def _is_found(self) -> bool:
        """Whether the last guess was the secret, which its clues need not say."""
        return self.verdict == Verdict.WON and not self.is_exact and not self.game.facts.has_answer_move

    def posterior(self) -> "Posterior":
        """Return the posterior over the answers, given the clues so far; without the clues of a guess that won."""
        from wordpl.kernels.posterior import Posterior  # slow to import, as it imports numba

        posterior = Posterior.of(self.game)
        for move in self.moves_with_clues[: -1 if self._is_found else None]:
            posterior.update(*move.arguments)
        return posterior

    def letter_chances(self) -> dict[str, float]:
        """Return the probability of each letter to be in the secret, given the clues so far."""
        posterior = self.posterior()
        chances = dict.fromkeys(ascii_lowercase, 0.0)
        for word, probability in zip(posterior.words, posterior.probabilities.tolist(), strict=True):
            for letter in set(word):
                chances[letter] += probability
        return chances

    def mark_chances(self) -> list[list[float]]:
        """Return for each guess with clues the probability of each mark to be true, given all clues so far."""
        posterior = self.posterior()
        shares = [(word, share) for word, share in zip(posterior.words, posterior.probabilities.tolist(), strict=True)
                  if share > MIN_SHARE]  # fmt: skip
        chances = []
        for move in self.moves_with_clues:
            own = [0.0] * len(move.clues)
            for word, share in shares:
                for place, mark in enumerate(self.game.clue(move.guess, word)):
                    own[place] += share * (mark == move.clues[place])
            chances.append([round(min(1.0, chance), 4) for chance in own])
        return chances

    def best_marks(self) -> dict[str, str]:
        """Return the most informative mark of each guessed letter; it is a fact only if clues are exact."""
        best: dict[str, str] = {}
        for move in self.moves_with_clues:
            for letter, mark in zip(move.guess, move.clues, strict=True):
                best[letter] = max(best.get(letter, "."), mark, key=MARKS.index)
        return best

    def candidates(self) -> list[str]:
        """Return the answers that are still possible after the clues so far."""
        if self._is_found:
            return [self.moves[-1].guess]
        return self.game.possible_answers(self.moves)

    def share_text(self, day: str = "", squares: Mapping[str, str] = SQUARES) -> str:
        """Return the text for a finished game.

        Args:
            day: The day of a daily puzzle; "" for other games.
            squares: The square for each mark.
        """
        title = " ".join(part for part in ("wordpl", self.game.facts.id, day) if part)
        return "\n".join([f"{title} {self._outcome()}", "", *emoji_rows(self.moves_with_clues, squares)])

    def _outcome(self) -> str:
        won, n_guesses = self.verdict == Verdict.WON, len(self.moves_with_clues)
        game = self.game
        if game.facts.has_epsilon:
            return f"{f'budget {self.spent:g}' if won else 'X'}, {n_guesses} guess{'' if n_guesses == 1 else 'es'}"
        limit = f"/{game.facts.limit}" if game.facts.limit else ""
        return f"{n_guesses if won else 'X'}{limit}{game.share_mark}"


def emoji_rows(moves: Sequence[Move], squares: Mapping[str, str] = SQUARES) -> list[str]:
    """Return the clues of each move as squares, followed by the epsilon in a noisy game."""
    return [_row(move, squares) for move in moves]


def _row(move: Move, squares: Mapping[str, str]) -> str:
    row = "".join(squares[mark] for mark in move.clues)
    return f"{row} ε{move.epsilon:g}" if isinstance(move, NoisyMove) else row
