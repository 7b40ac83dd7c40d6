"""Reviews a finished game: what it was worth after each move, what each move cost, and the luck of each clue.

**What a game is worth.** In a noisy game, it is the chance to win: without a further guess, the largest probability of
an answer; otherwise a logistic function of the entropy of the answers, of their largest probability, and of what is
left of the budget, as the capacity in bits of the guesses that were still made (C. Shannon, "A mathematical theory of
communication", 1948). Its weights were fitted by `python -m benchmarks.win_chances` to games with near-optimal guesses.
In a game that a right guess ends, it is the expected number of all its guesses by the value model of `set_values`.

**Price and luck.** The clue of a guess is not known when it is chosen, so a guess is worth the expectation over its
clues. Its price is what the best of some candidates is worth more; the luck of a clue is what the game is worth after
it, minus what its guess was worth. So luck has mean zero given everything before, whatever the player does; it is that
of `guess_luck` and, for the last clue of a noisy game, of `clue_luck`. An answer costs what another word is likelier.

**Candidates.** The N_LIKELIEST likeliest answers and, of all guesses, the N_INFORMATIVE whose true clues are most
likely to tell two words apart, as far as the rules allow them, and the guess itself. Longer words have fewer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from wordpl.core.clues import MAX_TABLE_LENGTH, RandomizedResponse, decode, encode, keep_probability
from wordpl.core.moves import ClassicMove, NoisyMove
from wordpl.core.words import letters
from wordpl.games import Game
from wordpl.games.base import IllegalMoveError
from wordpl.kernels.clue_matrix import clue_counts, clue_matrix, clue_row, guess_rows, matrix_fits, matrix_of
from wordpl.stats.clue_luck import spread_largest
from wordpl.stats.guess_luck import MAX_ROUNDS, ExactSets, is_measured
from wordpl.stats.set_values import N_PROBES, N_ROUNDS, plain_shares, posterior_shares

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

N_LIKELIEST = 100
N_INFORMATIVE = 100
MAX_POOL = 4_000_000
"""The most pairs of a guess and a clue that are rated to find the guesses that tell most words apart."""
MAX_PRODUCTS = 12_000_000
"""The most products of a candidate, a true clue and a shown clue."""
MAX_MOVES = 60
"""The most moves of a game that is reviewed: each takes up to a tenth of a second."""
N_NAMED = 5
"""The number of likely words that a review names after each move."""
NEGLIGIBLE = 1e-9
"""Answers that are less likely than this share of the likeliest one are left out."""
MAX_RATED = 200
"""The answers for which guesses are searched; of more, a systematic sample by their probability."""
ROUNDING, DIGITS = 1e-9, 9
"""Prices below this are 0, and of candidates that differ by less, the first one is the best."""
MAX_PRICES = 64
"""The most prices whose channels are remembered."""
MAX_POSITIONS = 4096
"""The most positions whose best candidates are remembered, and the most guesses whose worths are."""

LEAST_DOUBT = 1e-12
"""The probability that the likeliest answer is wrong is not taken to be smaller."""
MAX_LEFT = 3
"""The number of guesses left from which on more of them have the same weights."""
WIN_WEIGHTS = np.array([
    (0.9964, -0.3135, 0.3298, 0.3495),
    (0.8155, -0.3715, 0.3056, 0.1068),
    (1.0281, -0.4611, 0.2923, -0.0458),
])  # fmt: skip
"""The weights of `win_features` for 1, 2, ... guesses left."""


def capacity(epsilon: float, length: int) -> float:
    """Return the most bits that a clue of randomized response can tell.

    Args:
        epsilon: The budget spent on its guess.
        length: The number of letters of a word.

    >>> round(capacity(13.5, 5), 2)
    4.71
    """
    keep = keep_probability(epsilon, length)
    other = (1 - keep) / 2
    noise = -keep * np.log2(keep) - (2 * other * np.log2(other) if other > 0 else 0.0)
    return float(length * (np.log2(3) - noise))


def win_features(entropy: Floats, top: Floats, bits_to_come: float) -> Floats:
    """Return what the chance to win depends on, float[n, 4]: 1, the entropy, the bits to come, and the log odds.

    Args:
        entropy: The entropy of the answers in bits, float[n].
        top: The largest probability of an answer, float[n].
        bits_to_come: The sum of the capacities of the guesses that follow.
    """
    odds = np.log(top) - np.log(np.maximum(1 - top, LEAST_DOUBT))
    return np.array([np.ones_like(top), entropy, np.full_like(top, bits_to_come), odds]).T


def win_chances(entropy: Floats, top: Floats, epsilons: Sequence[float], length: int) -> Floats:
    """Return the chance to win with guesses at these prices still to come, float[n].

    Args:
        entropy: The entropy of the answers in bits, float[n].
        top: The largest probability of an answer, float[n].
        epsilons: The budget that is spent on each guess that follows.
        length: The number of letters of a word.
    """
    if not epsilons:
        return top
    weights = WIN_WEIGHTS[min(len(epsilons), MAX_LEFT) - 1]
    score = win_features(entropy, top, sum(capacity(one, length) for one in epsilons)) @ weights
    return np.asarray(np.maximum(top, 1 / (1 + np.exp(-score))))


class ReviewedMove(msgspec.Struct, frozen=True):
    """A move of a finished game, with what it was worth.

    A worth is a chance to win from 0 to 1 or, in games that a right guess ends, the expected number of all guesses of
    the game; prices and luck have the same unit.

    Attributes:
        guess: The word.
        seen: The clues that the player saw; "" for the answer of a noisy game.
        true: The clues without noise; those seen where the secret is not known.
        epsilon: The price of the guess, 0 for an answer; None in games without one.
        spent: What the game had cost after the move: the sum of its epsilons, or its number of guesses.
        before: What the game was worth before the move.
        expected: What the move was worth, before its clue was known.
        best: The best candidate; the word itself if no other one is better.
        best_expected: What the best candidate was worth.
        n_candidates: The number of words with which it was compared; 0 if that was not asked for.
        price: How much less the move was worth than the best candidate, at least 0.
        after: What the game was worth after the clue.
        luck: What the clue added to what the move was worth; positive is good for the player. 0 for an answer.
        likeliest: The likeliest words after the move with their probabilities, at most N_NAMED; none after a win.
        n_possible: The number of words that are still possible or, where clues may be false, that have at least 1%.
    """

    guess: str
    seen: str
    true: str
    epsilon: float | None
    spent: float
    before: float
    expected: float
    best: str
    best_expected: float
    n_candidates: int
    price: float
    after: float
    luck: float
    likeliest: list[tuple[str, float]]
    n_possible: int


class GameReview(msgspec.Struct, frozen=True):
    """The review of a finished game.

    Attributes:
        unit: "chance" if worths are chances to win, "guesses" if they are numbers of guesses.
        secret: The secret; "" if it is not known.
        won: Whether the game was won.
        start: What the game was worth before the first move.
        moves: The moves.
        candidates: A sentence that says with which words each move was compared.
    """

    unit: str
    secret: str
    won: bool
    start: float
    moves: list[ReviewedMove]
    candidates: str

    @property
    def dearest(self) -> int | None:
        """The index of the move with the highest price, of equal ones the first; None if no move cost anything."""
        prices = [move.price for move in self.moves]
        return int(np.argmax(prices)) if prices and max(prices) > 0 else None

    @property
    def skill(self) -> float:
        """What all moves cost together, as a number that is negative or 0."""
        return -sum(move.price for move in self.moves)

    @property
    def luck(self) -> float:
        """The luck of all clues together."""
        return sum(move.luck for move in self.moves)


@dataclass(frozen=True)
class _Left:
    """What is still to come when a move is made.

    Attributes:
        n_made: The number of moves before it.
        price: What the guess costs; None in games without epsilons.
        epsilons: What the later guesses of the game cost.
    """

    n_made: int
    price: float | None = None
    epsilons: tuple[float, ...] = ()


Past: TypeAlias = tuple[tuple[Any, ...], ...]
"""The moves before a position: guess, clues and, in games that have it, epsilon in between."""


class Reviewer:
    """Reviews games with the same rules and word lists.

    Attributes:
        game: The rules.
        sign: 1 if more is better, -1 if less is.
    """

    def __init__(self, game: Game):
        """Create a reviewer.

        Raises:
            ValueError: Such games are not reviewed, see `is_reviewed`.
        """
        if not is_reviewed(game):
            raise ValueError(f"games of {game.facts.id} are not reviewed")
        self.game, lists = game, game.lists
        self.sign = 1 if game.facts.has_epsilon else -1
        n_codes = 3**lists.length
        few = 1 if game.is_exact else max(2, min(N_LIKELIEST + N_INFORMATIVE, MAX_PRODUCTS // n_codes**2))
        self._n_likeliest, self._n_informative = (
            (N_LIKELIEST, N_INFORMATIVE) if few == 1 else (few // 2, few - few // 2)
        )
        n_rated = min(len(lists.guesses), max(N_INFORMATIVE, MAX_POOL // n_codes))
        self._pool = np.arange(n_rated) * len(lists.guesses) // n_rated
        self._states: _Positions = _Sets(game) if game.is_exact else _Beliefs(game)
        self._best: dict[tuple[Past, _Left], tuple[str, float, int]] = {}
        self._asked: dict[Past, list[str]] = {}
        self._worths: dict[tuple[Past, _Left, str], float] = {}

    @property
    def candidates(self) -> str:
        """A sentence that says with which words each move is compared."""
        n_guesses, n_pool = len(self.game.lists.guesses), len(self._pool)
        pool = f"all {n_guesses:,} guesses" if n_pool == n_guesses else f"{n_pool:,} of {n_guesses:,} guesses"
        allowed = " that the rules allow" if self.game.uses_hints else ""
        return (
            f"Each move is compared with the {self._n_likeliest} likeliest words and, of {pool}, the "
            f"{self._n_informative} whose true clues tell most words apart{allowed}."
        )

    def review(self, moves: Sequence[Sequence[Any]], secret: str, *, won: bool) -> GameReview:
        """Return the review of a game that has ended.

        Args:
            moves: The moves as in record files.
            secret: The secret; "" if it is not known.
            won: Whether the game was won.

        Raises:
            ValueError: The rules do not allow these clues, a guess is not in the list, or over MAX_MOVES moves.
        """
        return self._reviewed(moves, secret, won=won, compares=True)

    def estimated_price(self, moves: Sequence[Sequence[Any]], *, won: bool) -> float:
        """Return about what the dearest move of a game cost, without comparing it with other words.

        What the game was worth before a move stands for what the best move was worth.
        """
        reviewed = self._reviewed(moves, "", won=won, compares=False)
        return max((self.sign * (move.before - move.expected) for move in reviewed.moves), default=0.0)

    def _reviewed(self, moves: Sequence[Sequence[Any]], secret: str, *, won: bool, compares: bool) -> GameReview:
        if len(moves) > MAX_MOVES:
            raise ValueError(f"a game of {len(moves)} moves is too long to be reviewed")
        states, has_epsilon = self._states, self.game.facts.has_epsilon
        prices = tuple(float(move[1]) for move in moves if move[-1] and has_epsilon)
        state: Any = states.first()
        worth = start = states.worth(state, 0, prices)
        past: Past = ()
        spent, reviewed = 0.0, list[ReviewedMove]()
        for place, (guess, *rest, clues) in enumerate(moves):
            price = float(rest[0]) if has_epsilon else None
            is_last = place == len(moves) - 1
            if not clues and not (price == 0 and is_last):
                break  # the guess of a game that was cut short
            if guess not in self.game.lists.guess_set:
                raise ValueError(f"{guess!r} is not in the list of guesses")
            spent += 1.0 if price is None else price
            if price == 0:
                reviewed.append(self._answer(guess, secret, worth, spent, state))
                break
            left = _Left(place, price, prices[place + 1 :])
            expected, code = self._expected(past, state, guess, left), encode(clues)
            best, best_worth, n_candidates = guess, expected, 0
            if compares:
                best, best_worth, n_candidates = self._best_of(past, state, left)
                if self.sign * (best_worth - expected) <= ROUNDING:
                    best, best_worth = guess, expected
            is_right = won and is_last and not has_epsilon
            after_state = None if is_right else states.told(state, past, guess, code, left)
            after = float(place + 1) if is_right else states.worth(after_state, place + 1, left.epsilons)
            true = self.game.clue(guess, secret) if secret and not self.game.is_exact else clues
            likely = [] if is_right else states.likeliest(after_state, N_NAMED)
            reviewed.append(
                ReviewedMove(
                    guess, clues, true, price, round(spent, 9), worth, expected, best, best_worth, n_candidates,
                    abs(best_worth - expected), after, self.sign * (after - expected), likely,
                    1 if is_right else states.n_possible(after_state),
                )
            )  # fmt: skip
            past, state, worth = (*past, (guess, *rest, clues)), after_state, after
        return GameReview("chance" if has_epsilon else "guesses", secret, won, start, reviewed, self.candidates)

    def _answer(self, word: str, secret: str, worth: float, spent: float, posterior: Floats) -> ReviewedMove:
        """Return the review of an answer, which is right with its posterior probability."""
        answers = self.game.lists.answers
        chance = float(posterior[answers.index(word)]) if word in answers else 0.0
        top = int(posterior.argmax())
        best, likely = float(posterior[top]), self._states.likeliest(posterior, N_NAMED)
        price = best - chance if best - chance > ROUNDING else 0.0
        best_word = answers[top] if price else word
        return ReviewedMove(
            word, "", "", 0.0, round(spent, 9), worth, chance, best_word, best, len(answers), price, chance, 0.0,
            likely, self._states.n_possible(posterior),
        )  # fmt: skip

    def _expected(self, past: Past, state: Any, guess: str, left: _Left) -> float:
        key = past, left, guess
        if key not in self._worths:
            if len(self._worths) >= MAX_POSITIONS:
                self._worths.clear()
            self._worths[key] = float(self._states.expected(state, past, [guess], left)[0])
        return self._worths[key]

    def _best_of(self, past: Past, state: Any, left: _Left) -> tuple[str, float, int]:
        """Return the best candidate in a position, what it is worth, and the number of candidates."""
        key = past, left
        if key not in self._best:
            if len(self._best) >= MAX_POSITIONS:
                self._best.clear()
                self._asked.clear()
            if past not in self._asked:
                self._asked[past] = self._candidates(past, state)
            words = self._asked[past]
            worths = self._states.expected(state, past, words, left)
            best = int(np.argmax(self.sign * worths >= (self.sign * worths).max() - ROUNDING))
            self._best[key] = words[best], float(worths[best]), len(words)
        return self._best[key]

    def _candidates(self, past: Past, state: Any) -> list[str]:
        lists = self.game.lists
        indices, chances = self._states.support(state)
        order = np.argsort(-chances, kind="stable")
        indices, chances = indices[order], chances[order]
        likely = [lists.answers[index] for index in indices[: self._n_likeliest]]
        if len(indices) > MAX_RATED:
            points = (np.arange(MAX_RATED) + 0.5) / MAX_RATED
            indices = indices[np.searchsorted((np.cumsum(chances) / chances.sum()).round(DIGITS), points)]
            chances = np.full(MAX_RATED, 1 / MAX_RATED)
        n_codes = 3**lists.length
        alike = np.empty(len(self._pool))
        for some, sums in clue_counts(self._matrix, indices, np.arange(len(self._pool)), n_codes, chances):
            alike[some] = np.einsum("ij,ij->i", sums, sums).round(DIGITS)
        informative = list[str]()
        for row in np.argsort(alike, kind="stable"):
            word = lists.guesses[self._pool[row]]
            if self._allows(past, word):
                informative.append(word)
                if len(informative) == self._n_informative:
                    break
        return list(dict.fromkeys([*(word for word in likely if self._allows(past, word)), *informative]))

    def _allows(self, past: Past, word: str) -> bool:
        if not past or not self.game.uses_hints:
            return True
        moves = [ClassicMove(guess, clues) for guess, clues in past]
        try:
            self.game.reply(self.game.lists.answers[0], moves, ClassicMove(word, ""), lambda: [0] * len(word))
        except IllegalMoveError:
            return False
        return True

    @cached_property
    def _matrix(self) -> NDArray[Any]:
        """The clues of the pool for all answers."""
        lists, rule = self.game.lists, self.game.clue_rule
        if len(self._pool) == len(lists.guesses) and matrix_fits(lists):
            return matrix_of(lists, rule)
        return clue_matrix(letters([lists.guesses[row] for row in self._pool]), letters(lists.answers), rule)


def is_reviewed(game: Game) -> bool:
    """Return whether such games can be reviewed: a secret is drawn, and the table of false clues is small enough."""
    if game.facts.has_epsilon:
        return game.facts.has_secret and not game.is_exact and game.lists.length <= MAX_TABLE_LENGTH
    return is_measured(game)


def _clues(game: Game, words: Sequence[str], indices: Ints) -> Ints:
    """Return the number of the true clue of each word for these answers, int[n_words, n_answers]."""
    lists, rule = game.lists, game.clue_rule
    if matrix_fits(lists):
        rows = np.array([guess_rows(lists)[word] for word in words])
        return np.asarray(matrix_of(lists, rule)[np.ix_(rows, indices)], np.int64)
    answers = letters([lists.answers[index] for index in indices])
    return np.asarray(clue_matrix(letters(words), answers, rule), np.int64)


class _Positions(Protocol):
    """What is known after some moves of a game, and what it is worth."""

    def first(self) -> Any:
        """Return the position before the first move."""

    def worth(self, state: Any, n_made: int, epsilons: tuple[float, ...], /) -> float:
        """Return what the game is worth in a position, with guesses at these prices to come."""

    def support(self, state: Any, /) -> tuple[Ints, Floats]:
        """Return the indices of the answers that are not negligible, and their probabilities."""

    def expected(self, state: Any, past: Past, words: Sequence[str], left: _Left, /) -> Floats:
        """Return what each word is worth as the next guess, float[n_words]."""

    def told(self, state: Any, past: Past, guess: str, code: int, left: _Left, /) -> Any:
        """Return the position after these clues. Raises ValueError if no answer can have led to them."""

    def likeliest(self, state: Any, n: int, /) -> list[tuple[str, float]]:
        """Return the likeliest answers with their probabilities, at most n."""

    def n_possible(self, state: Any, /) -> int:
        """Return the number of answers that count as possible, see `ReviewedMove`."""


class _Beliefs:
    """Positions of games whose clues may be false: the probability of each answer, float[answers]."""

    def __init__(self, game: Game):
        self.game, lists = game, game.lists
        self._length, self._n_codes = lists.length, 3**lists.length
        self._ends = not game.facts.has_answer_move
        self._is_response = type(game.channel) is RandomizedResponse
        self._of_price: dict[float | None, tuple[Floats, Floats]] = {}
        self._cost = _cost_of(game)

    def first(self) -> Floats:
        n = len(self.game.lists.answers)
        return np.full(n, 1 / n)

    def worth(self, posterior: Floats, n_made: int, epsilons: tuple[float, ...]) -> float:
        positive = posterior[posterior > 0]
        entropy = np.array([-(positive * np.log2(positive)).sum()])
        return float(self._worths(entropy, np.array([posterior.max()]), n_made, epsilons)[0])

    def _worths(self, entropy: Floats, top: Floats, n_made: int, epsilons: tuple[float, ...]) -> Floats:
        if self._ends:
            return self._cost(posterior_shares(entropy, top), n_made)
        return win_chances(entropy, top, epsilons, self._length)

    def support(self, posterior: Floats) -> tuple[Ints, Floats]:
        indices = np.flatnonzero(posterior > NEGLIGIBLE * posterior.max())
        return indices, posterior[indices]

    def expected(self, posterior: Floats, past: Past, words: Sequence[str], left: _Left) -> Floats:
        indices, chances = self.support(posterior)
        ascending = np.argsort(chances, kind="stable")
        indices, chances = indices[ascending], chances[ascending]
        true, n, n_codes = _clues(self.game, words, indices), len(words), self._n_codes
        cells = (true + n_codes * np.arange(n)[:, None]).ravel()
        weights, bits = (np.broadcast_to(one, true.shape).ravel() for one in (chances, chances * np.log2(chances)))
        sums = np.asarray(np.bincount(cells, weights, n * n_codes), float).reshape(n, -1)
        logs = np.asarray(np.bincount(cells, bits, n * n_codes), float).reshape(n, -1)
        tops: Floats = np.zeros((n, n_codes))
        tops.reshape(-1)[cells] = weights  # the chances ascend, so that the largest one stays
        ends = np.zeros(n)
        if self._ends:  # the guess may be right
            ends = sums[:, -1].copy()
            sums[:, -1] = logs[:, -1] = tops[:, -1] = 0.0
        table, noise = self._tables(left.price)
        shown = sums @ table
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = np.nan_to_num(np.log2(shown) - (logs @ table + sums @ noise) / shown)
            if self._is_response and left.price is not None:
                likely = spread_largest(tops.ravel(), left.price / self._length, n_codes).reshape(shown.shape)
            else:
                likely = np.zeros_like(shown)
                for code in np.flatnonzero(tops.any(axis=0)):
                    np.maximum(likely, tops[:, code, None] * table[code], out=likely)
            likely = np.clip(np.nan_to_num(likely / shown), np.finfo(float).tiny, 1.0)
        worths = self._worths(np.maximum(entropy, 0).ravel(), likely.ravel(), left.n_made + 1, left.epsilons)
        return np.asarray((shown * worths.reshape(shown.shape)).sum(axis=1) + ends * (left.n_made + 1))

    def _tables(self, price: float | None) -> tuple[Floats, Floats]:
        """Return the probability p of each shown clue for each true clue, and p log2 p, float[true, shown]."""
        if price not in self._of_price:
            if len(self._of_price) >= MAX_PRICES:
                self._of_price.clear()
            move = ClassicMove("", "") if price is None else NoisyMove("", price, "")
            table = np.asarray(self.game.channel.table(move))
            with np.errstate(divide="ignore", invalid="ignore"):
                self._of_price[price] = table, np.nan_to_num(table * np.log2(table))
        return self._of_price[price]

    def told(self, posterior: Floats, past: Past, guess: str, code: int, left: _Left) -> Floats:
        likelihood = np.array(self._tables(left.price)[0][:, code])
        if self._ends:
            likelihood[-1] = 0.0  # the game would have ended
        true = clue_row(self.game.lists, self.game.clue_rule, guess)
        after = posterior * likelihood[true]
        if not after.sum() > 0:
            raise ValueError("no answer can have led to these clues")
        return np.asarray(after / after.sum())

    def likeliest(self, posterior: Floats, n: int) -> list[tuple[str, float]]:
        places = np.argsort(-posterior, kind="stable")[:n]
        answers = self.game.lists.answers
        return [(answers[place], float(posterior[place])) for place in places.tolist() if posterior[place] > 0]

    def n_possible(self, posterior: Floats) -> int:
        return int((posterior >= 0.01).sum())


class _Sets:
    """Positions of games with exact clues: the answers that are possible, as ascending indices."""

    def __init__(self, game: Game):
        self.game, self._sets = game, ExactSets(game)
        self._n_answers, self._n_codes = len(game.lists.answers), 3**game.lists.length
        self._cost = _cost_of(game)
        self._shares: dict[tuple[int, int], Floats] = {}

    def first(self) -> Ints:
        return np.asarray(self._sets.first(), np.int64)

    def worth(self, members: Ints, n_made: int, epsilons: tuple[float, ...]) -> float:
        return float(self._cost(self._own_shares(members) if n_made else self._first_shares, n_made)[0])

    @cached_property
    def _first_shares(self) -> Floats:
        return self._own_shares(self.first())

    def _own_shares(self, members: Ints) -> Floats:
        most = self._n_parts(members, np.zeros((1, len(members)), np.int64))
        return self._shares_of(np.array([len(members)]), most)

    def support(self, members: Ints) -> tuple[Ints, Floats]:
        return members, np.full(len(members), 1 / len(members))

    def expected(self, members: Ints, past: Past, words: Sequence[str], left: _Left) -> Floats:
        if self._sets.asks_game:
            return np.array([self._asked(members, past, word, left.n_made + 1) for word in words])
        found, n_at_once = np.empty(len(words)), max(1, 200_000 // len(members))
        for start in range(0, len(words), n_at_once):
            some = words[start : start + n_at_once]
            cells = _clues(self.game, some, members) + self._n_codes * np.arange(len(some))[:, None]
            codes, part, sizes = np.unique(cells, return_inverse=True, return_counts=True)
            most = self._n_parts(members, part.reshape(cells.shape))
            costs = self._cost(self._shares_of(sizes, most), left.n_made + 1)
            costs = np.where(codes % self._n_codes == self._n_codes - 1, left.n_made + 1.0, costs)
            found[start : start + n_at_once] = np.bincount(codes // self._n_codes, sizes * costs, len(some))
        return found / len(members)

    def _asked(self, members: Ints, past: Past, word: str, n_made: int) -> float:
        """Return what `expected` does for a word, in a game that says itself which answers are possible."""
        found = self._sets.ask(members, [(guess, encode(clues)) for guess, clues in past], word, 0)
        costs = self._cost(np.array(found.shares), n_made)
        is_right = np.array(found.codes) == self._n_codes - 1
        return float((np.where(is_right, n_made, costs) * found.chances).sum())

    def _n_parts(self, members: Ints, part: Ints) -> Ints:
        """Return the largest number of different clues that a probed word of each part gets from it, int[n_parts].

        Args:
            members: The possible answers, int[m].
            part: The number of the part of each member for each guess, int[n_words, m].
        """
        own = _clues(self.game, [self.game.lists.answers[member] for member in members.tolist()], members)
        flat = part.ravel()
        order = np.argsort(flat, kind="stable")  # the members of a part stay in ascending order
        sizes = np.bincount(flat)
        first = np.concatenate([[0], np.cumsum(sizes)])[:-1]
        which, place = order % len(members), flat[order]
        most, size = np.zeros(len(sizes), np.int64), sizes[place]
        for number in range(N_PROBES):
            at = np.where(sizes <= N_PROBES, number, number * sizes // N_PROBES)
            is_probed = number < sizes
            probe = which[np.minimum(first + at, len(which) - 1)]
            told = own[probe[place], which] + self._n_codes * place
            seen = np.zeros(len(sizes) * self._n_codes, bool) if len(sizes) * self._n_codes < MAX_PRODUCTS else None
            if seen is None:
                different = np.bincount(np.unique(told) // self._n_codes, minlength=len(sizes))
            else:
                seen[told] = True
                different = seen.reshape(len(sizes), -1).sum(axis=1)
            most = np.maximum(most, np.where(is_probed, different, 0))
            if (size <= number + 1).all():
                break
        return most

    def _shares_of(self, sizes: Ints, most: Ints) -> Floats:
        pairs, which = np.unique(sizes * (self._n_answers + 1) + most, return_inverse=True)
        for pair in pairs.tolist():
            key = divmod(pair, self._n_answers + 1)
            if key not in self._shares:
                self._shares[key] = plain_shares(*key)
        table = np.array([self._shares[divmod(pair, self._n_answers + 1)] for pair in pairs.tolist()])
        return np.asarray(table.reshape(-1, N_ROUNDS + 1)[which])

    def told(self, members: Ints, past: Past, guess: str, code: int, left: _Left) -> Ints:
        if self._sets.asks_game:
            moves = [ClassicMove(*move) for move in (*past, (guess, decode(code, self.game.lists.length)))]
            after = np.flatnonzero(self.game.still_possible(moves))
        else:
            after = members[clue_row(self.game.lists, self.game.clue_rule, guess)[members] == code]
        if not len(after):
            raise ValueError("no answer can have led to these clues")
        return np.asarray(after, np.int64)

    def likeliest(self, members: Ints, n: int) -> list[tuple[str, float]]:
        return [(self.game.lists.answers[member], 1 / len(members)) for member in members[:n].tolist()]

    def n_possible(self, members: Ints) -> int:
        return len(members)


def _cost_of(game: Game) -> Callable[[Floats, int], Floats]:
    """Return a function that returns the expected numbers of guesses of games, a lost one counting as `loss_cost`.

    Its arguments are the chances of winning within 0, 1, ... more guesses, float[n, k], and the number of those made.
    """
    n_rounds = min(game.max_guesses, MAX_ROUNDS)
    worths = np.ones(n_rounds)
    if game.facts.limit == n_rounds and game.facts.loss_cost is not None:
        worths[-1] = game.facts.loss_cost - n_rounds

    def cost(shares: Floats, n_made: int) -> Floats:
        within = np.arange(1, n_rounds + 1) - n_made
        chances = np.where(within > 0, shares[:, np.clip(within, 0, shares.shape[1] - 1)], 0.0)
        return np.asarray(1 + (1 - chances) @ worths)

    return cost
