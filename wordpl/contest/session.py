"""A game that a person is playing: its clues, its text for sharing, and advice for the next move."""

import shlex
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from math import log2
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

from wordpl.contest.referee import secret_of
from wordpl.core.clues import MARKS, keep_probability
from wordpl.core.moves import ClassicMove, Move, NoisyMove, Verdict, budget_text, total_epsilon
from wordpl.core.seeds import Draws, SingleKeyDraws
from wordpl.core.words import WordLists
from wordpl.games import Game, IllegalMoveError, Reply

if TYPE_CHECKING:
    import numpy as np

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
        scheme: How the seed gives the draws.
    """

    game: Game
    seed: str
    number: int
    secret: str
    moves: list[Move] = field(default_factory=list)
    verdict: Verdict | None = None
    scheme: type[Draws] = Draws

    @classmethod
    def stored(
        cls,
        game: Game,
        seed: str,
        number: int,
        secret: str,
        moves: Sequence[Move] = (),
        verdict: Verdict | None = None,
    ) -> "Session":
        """Return a game that was begun before, perhaps with release 1, whose noise it then keeps."""
        is_of_release_1 = secret == secret_of(game, number, SingleKeyDraws.of(seed))
        is_of_release_1 &= secret != secret_of(game, number, Draws.of(seed))
        return cls(game, seed, number, secret, [*moves], verdict, SingleKeyDraws if is_of_release_1 else Draws)

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
        def noise() -> tuple[int, ...]:
            return self.scheme.of(self.seed).game(self.number).noise(len(self.moves) + 1, self.game.lists.length)

        return self.game.reply(self.secret, self.moves, move, noise)

    @property
    def has_epsilon(self) -> bool:
        """Whether guesses cost budget, and the answer is a move of its own."""
        return self.game.facts.has_epsilon

    @property
    def is_exact(self) -> bool:
        """Whether clues are shown as they are; otherwise they only change the probabilities of words."""
        return self.game.is_exact

    @property
    def leaves_a_set(self) -> bool:
        """Whether clues leave a set of equally likely words; otherwise words have probabilities, see `posterior`."""
        return self.is_exact and not self.has_epsilon

    def proposal(self, word: str, epsilon: Any = None) -> Any:
        """Return the move in the form that the game expects; an epsilon that the game has not is left out."""
        return (word, epsilon) if self.has_epsilon else word

    def kept(self, clues: str = "", epsilon: float = 0.0) -> float:
        """Return the mean probability with which marks are shown unchanged.

        Args:
            clues: The true clues, which matter in some games; "" for those of a word without any right letter.
            epsilon: The budget spent on the guess, in a game whose guesses have one.
        """
        clues = clues or "." * self.game.lists.length
        move = NoisyMove("", epsilon, "") if self.has_epsilon else ClassicMove("", "")
        return self.game.channel.kept(clues, move)

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
            cost = f"budget {budget_text(self.spent)}" if won else "X"
            return f"{cost}, {n_guesses} guess{'' if n_guesses == 1 else 'es'}"
        limit = f"/{game.facts.limit}" if game.facts.limit else ""
        return f"{n_guesses if won else 'X'}{limit}{game.share_mark}"


def emoji_rows(moves: Sequence[Move], squares: Mapping[str, str] = SQUARES) -> list[str]:
    """Return the clues of each move as squares, followed by the epsilon in a noisy game."""
    return [_row(move, squares) for move in moves]


def _row(move: Move, squares: Mapping[str, str]) -> str:
    row = "".join(squares[mark] for mark in move.clues)
    return f"{row} ε{move.epsilon:g}" if isinstance(move, NoisyMove) else row


ANSWER_PROBABILITY = 0.9
"""The probability of the likeliest word from which to propose it as the answer."""
EPSILONS_PER_LETTER = (0.6, 0.8, 1.0, 1.2, 1.6, 2.0, 2.4, 2.8, 3.2, 3.6, 4.0)
"""The epsilons to try, divided by the number of letters, as the noise of a mark depends only on this quotient."""
TYPICAL_EPSILON_PER_LETTER = 2.4
MAX_CELLS = 25_000_000
"""The maximum number of guesses times clues to rate: all guesses for up to six letters, in a fraction of a second."""


@dataclass(frozen=True)
class Suggestion:
    """A suggested move of a noisy game.

    Attributes:
        guess: The word to guess.
        epsilon: The budget to spend on it.
        bits: The expected information of its clue, in bits.
        n_rated: The number of guesses that were rated.
    """

    guess: str
    epsilon: float
    bits: float
    n_rated: int


def suggestion(game: Game, posterior: "Posterior") -> Suggestion:
    """Return the most informative guess at the epsilon with the most information per unit of budget.

    Information per unit of epsilon is low for small epsilons, which buy mostly noise, and for large ones, which pay for
    certainty about marks that reveal nothing new. The best guess hardly depends on epsilon. So epsilon is optimized for
    one good guess, and then the guess for that epsilon.
    """
    from wordpl.core.clues import RandomizedResponse
    from wordpl.kernels.clue_matrix import matrix_of
    from wordpl.solvers.noisy.clue_entropy import best_guess

    if type(game.channel) is not RandomizedResponse:
        return _generic_suggestion(game, posterior)
    lists, probabilities = game.lists, posterior.probabilities
    matrix = matrix_of(lists, game.clue_rule)
    rows = _rated_rows(posterior, lists)
    matrix = matrix if len(rows) == len(matrix) else matrix[rows]
    with without_kernels():
        first = best_guess(matrix, probabilities, TYPICAL_EPSILON_PER_LETTER * lists.length, lists.length)
        row = matrix[first : first + 1]
        epsilons = [round(lists.length * x) for x in EPSILONS_PER_LETTER]
        epsilon = max(epsilons, key=lambda epsilon: expected_bits(row, posterior, epsilon) / epsilon)
        best = best_guess(matrix, probabilities, epsilon, lists.length)
        bits = expected_bits(matrix[best : best + 1], posterior, epsilon)
    return Suggestion(lists.guesses[rows[best]], epsilon, bits, len(rows))


def without_kernels() -> AbstractContextManager[None]:
    """Return a context that calls the plain twins of kernels, unless the process has used kernels already."""
    from wordpl.kernels.compiled import plain_for_small_work
    from wordpl.solvers.noisy.clue_entropy import scan_entropies

    return plain_for_small_work(True, scan_entropies)


def _generic_suggestion(game: Game, posterior: "Posterior") -> Suggestion:
    """Return what `suggestion` returns, for any channel."""
    import numpy as np

    from wordpl.solvers.channel_information import expected_information, likeliest_first, max_rated

    probabilities, length = posterior.probabilities, game.lists.length
    guesses = likeliest_first(game, probabilities)[: max_rated(game)]
    typical = expected_information(game, probabilities, guesses, TYPICAL_EPSILON_PER_LETTER * length)
    first = guesses[int(np.argmax(typical))]
    rates = {
        epsilon: float(expected_information(game, probabilities, [first], epsilon)[0]) / epsilon
        for epsilon in (round(length * x) for x in EPSILONS_PER_LETTER)
    }
    epsilon = max(rates, key=lambda epsilon: rates[epsilon])
    bits = expected_information(game, probabilities, guesses, epsilon)
    best = int(np.argmax(bits))
    return Suggestion(guesses[best], epsilon, float(bits[best]), len(guesses))


def most_informative(session: Session, posterior: "Posterior") -> tuple[str, float]:
    """Return the most informative guess in a game whose clues may be false, and its expected information in bits.

    It is 0 if the guess is the only word left.
    """
    import numpy as np

    from wordpl.solvers.channel_information import expected_information, likeliest_first, max_rated

    game, probabilities = session.game, posterior.probabilities
    best, probability = posterior.best()
    if probability == 1:
        return best, 0.0
    guesses = likeliest_first(game, probabilities)[: max_rated(game)]
    bits = expected_information(game, probabilities, guesses)
    for index in np.argsort(-bits, kind="stable"):
        if session.allows(guesses[index]):
            return guesses[index], float(bits[index])
    raise AssertionError("a possible answer can always be guessed")


def _rated_rows(posterior: "Posterior", lists: WordLists) -> "np.ndarray":
    """Return the rows of the guesses to rate: all guesses, or only the likeliest answers if words are long."""
    import numpy as np

    from wordpl.kernels.clue_matrix import answer_rows

    max_guesses = MAX_CELLS // 3**lists.length
    if len(lists.guesses) <= max_guesses:
        return np.arange(len(lists.guesses))
    return answer_rows(lists)[np.argsort(-posterior.probabilities, kind="stable")[:max_guesses]]


def expected_bits(row: "np.ndarray", posterior: "Posterior", epsilon: float) -> float:
    """Return the expected information of a guess's noisy clue in bits: its entropy minus the entropy of the noise.

    Args:
        row: The clue number of the guess for each answer, [1, n_answers].
        posterior: The probabilities of the answers.
        epsilon: The budget spent on the guess.
    """
    from wordpl.solvers.noisy.clue_entropy import clue_entropies

    length = len(posterior.words[0])
    keep = keep_probability(epsilon, length)
    noise = -keep * log2(keep) - (1 - keep) * log2((1 - keep) / 2) if keep < 1 else 0.0
    with without_kernels():
        return float(clue_entropies(row, posterior.probabilities, epsilon, length)[0]) - length * noise


def absurdle_guess(session: Session, left: list[str]) -> tuple[str, int]:
    """Return the guess that leaves the fewest words in Absurdle, and the number of words that it leaves."""
    import numpy as np

    from wordpl.kernels.clue_matrix import answer_rows, matrix_of
    from wordpl.solvers.absurdle import best_guess, largest_groups

    lists = session.game.lists
    matrix = matrix_of(lists, session.game.clue_rule)
    columns = _columns(left, lists)
    with without_kernels():
        row = best_guess(matrix, columns, answer_rows(lists)[columns])
        return lists.guesses[row], int(largest_groups(matrix, columns, np.array([row]))[0])


def _columns(left: list[str], lists: WordLists) -> "np.ndarray":
    import numpy as np

    columns = {word: column for column, word in enumerate(lists.answers)}
    return np.array([columns[word] for word in left])


def best_allowed(session: Session, left: list[str]) -> tuple[str, float]:
    """Return the most informative allowed guess and its information in bits; ties go to possible answers."""
    import numpy as np

    from wordpl.kernels.clue_matrix import guess_rows, matrix_of
    from wordpl.solvers.entropy import information

    lists = session.game.lists
    with without_kernels():
        bits = information(matrix_of(lists, session.game.clue_rule), _columns(left, lists))
    possible = np.zeros(len(bits), bool)
    possible[[guess_rows(lists)[word] for word in left]] = True
    for row in np.lexsort((~possible, -bits)):
        if session.allows(lists.guesses[row]):
            return lists.guesses[row], float(bits[row])
    raise AssertionError("a possible answer can always be guessed")
