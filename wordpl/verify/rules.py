"""A second implementation of the rules: the outcome of each move, given the secret and the noise of the game.

It uses nothing of `wordpl.games`, `wordpl.core.clues` and `wordpl.contest.referee`, so that it does not repeat their
mistakes. A property test compares both implementations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordpl.core import moves, seeds
from wordpl.core.messages import WordplError
from wordpl.core.moves import ClassicMove, GameFacts, Move, MoveForm, NoisyMove, Verdict
from wordpl.core.seeds import Draws
from wordpl.core.words import WordLists

NOISY_GUESSES = 1000
TOO_MANY = f"no answer within {NOISY_GUESSES} guesses"
FAILURES = (Verdict.ILLEGAL, Verdict.CRASHED, Verdict.LATE, Verdict.MEMORY, Verdict.FAULT, Verdict.UNPLAYED)
"""The verdicts of games that no move ended."""
MAX_KEPT_GAMES, MAX_KEPT_ROUNDS = 200_000, 8
"""The draws of so many games, and of so many rounds of them, are kept: 20 bytes each for words of five letters."""
OTHER_MARKS = {".": "ic", "i": "c.", "c": ".i"}
"""The two marks that noise can turn a mark into, in the order of the draws."""


@dataclass(frozen=True)
class GameRules:
    """The rules of a game, as far as games differ.

    Attributes:
        facts: What run.json must say of the game.
        max_guesses: The number of guesses after which a game ends.
        counted: Each letter of the secret accounts for at most one mark.
        hard: Every guess must use the revealed hints.
        evasive: There is no secret; each clue leaves as many words as possible.
    """

    facts: GameFacts
    max_guesses: int
    counted: bool = True
    hard: bool = False
    evasive: bool = False


GAME_RULES = {
    "wordpl/1": GameRules(GameFacts("wordpl/1", MoveForm.NOISY, "budget"), NOISY_GUESSES, counted=False),
    "wordpl-counted/1": GameRules(GameFacts("wordpl-counted/1", MoveForm.NOISY, "budget"), NOISY_GUESSES),
    "wordle/1": GameRules(GameFacts.of_guesses("wordle/1", 6), 6),
    "wordle-hard/1": GameRules(GameFacts.of_guesses("wordle-hard/1", 6), 6, hard=True),
    "absurdle/1": GameRules(
        GameFacts("absurdle/1", MoveForm.CLASSIC, "tries", loss_cost=101.0, has_secret=False), 100, evasive=True
    ),
}


class RedrawnGame(NamedTuple):
    """The random draws of one game.

    Attributes:
        draws: The draws that its key gives.
        secret: The secret drawn for the game.
    """

    draws: seeds.GameDraws
    secret: str

    def noise(self, round_: int) -> Sequence[int]:
        """Return one integer below 2^32 per letter, which determines the noise of this round."""
        return self.draws.noise(round_, len(self.secret))


class RunDraws:
    """The random draws of a run; those of many games at once are kept for other entries, which play the same games.

    Attributes:
        draws: The draws that the seed gives.
        fresh: The draws of repetitions that are played anew, if there are any.
        lists: The word lists.
    """

    def __init__(self, draws: Draws, lists: WordLists, fresh: Draws | None = None):
        """Create the draws; nothing is drawn yet."""
        self.draws, self.lists, self.fresh = draws, lists, fresh
        self._games: dict[int, seeds.GameDraws] = {}
        self._secrets: NDArray[np.int64] = np.zeros(MAX_KEPT_GAMES, np.int64)  # plus 1; 0 if not drawn
        self._repeated: Sequence[int] = []
        self._noise: dict[int, tuple[NDArray[np.bool_], NDArray[np.uint32]]] = {}

    def game(self, game: int) -> seeds.GameDraws:
        """Return the draws of this game without its secret."""
        if game not in self._games:
            is_of_run = not self.draws.n_answers or 0 <= game < self.draws.n_answers
            drawn = self.draws.game(game) if is_of_run else seeds.GameDraws(game, self.draws.game_key(game))
            if not 0 <= game < MAX_KEPT_GAMES:
                return drawn
            self._games[game] = drawn
        return self._games[game]

    def secret_index(self, game: int) -> int:
        """Return the index of the answer that is the secret of this game."""
        return self.game(game).secret_index(len(self.lists.answers))

    def of_game(self, game: int, *, is_anew: bool = False) -> RedrawnGame:
        """Return the draws of this game.

        Args:
            game: The number of the game.
            is_anew: Whether it is a repetition that was played anew.
        """
        drawn = self.fresh.game(game) if is_anew and self.fresh is not None else self.game(game)
        return RedrawnGame(drawn, self.lists.answers[self.secret_index(game)])

    def repeated(self, n_games: int) -> Sequence[int]:
        """Return the numbers of all games in the order in which they are chosen to be repeated."""
        if len(self._repeated) != n_games:
            self._repeated = self.draws.repeat_order(n_games)
        return self._repeated

    def secrets(self, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the index of the answer that is the secret of each of these games, int[n]."""
        if len(games) and games.max() >= MAX_KEPT_GAMES:
            return np.array([self.secret_index(game) for game in games.tolist()], np.int64)
        new = games[self._secrets[games] == 0]
        self._secrets[new] = [self.secret_index(game) + 1 for game in new.tolist()]
        return self._secrets[games] - 1

    def noise(self, games: NDArray[np.int64], round_: int) -> NDArray[np.uint32]:
        """Return `GameDraws.noise` of this round of each of these games, uint32[n, length]."""
        if round_ > MAX_KEPT_ROUNDS or (len(games) and games.max() >= MAX_KEPT_GAMES):
            return self._drawn(games, round_)
        if round_ not in self._noise:
            shape = MAX_KEPT_GAMES, self.lists.length
            self._noise[round_] = np.zeros(MAX_KEPT_GAMES, bool), np.zeros(shape, np.uint32)
        is_drawn, noise = self._noise[round_]
        new = games[~is_drawn[games]]
        noise[new], is_drawn[new] = self._drawn(new, round_), True
        return noise[games]

    def _drawn(self, games: NDArray[np.int64], round_: int) -> NDArray[np.uint32]:
        length = self.lists.length
        noise = seeds.GameDraws.noise_of(map(self.game, games.tolist()), round_, length)
        return np.frombuffer(noise, ">u4").astype(np.uint32).reshape(-1, length)


class GameEnd(NamedTuple):
    """How a game ends."""

    verdict: Verdict
    message: str = ""


class ForbiddenMoveError(WordplError):
    """A move that the rules forbid; the message says what is expected instead."""


Earlier = Sequence[tuple[str, str]]
Outcome = tuple[str, GameEnd | None]
"""The outcome of a move: its clues, and how the game ended if it did."""

SHAPES = {
    MoveForm.NOISY: '[guess, a finite epsilon above 0 with its decimal point, clues], or [answer, 0, ""]',
    MoveForm.CLASSIC: "[guess, clues]",
}


def read_move(rules: GameRules, value: Any) -> Move:
    """Return the move that a JSON value of a record represents.

    Raises:
        ForbiddenMoveError: The value is not a move of this game.
    """
    try:
        return moves.from_json(value, rules.facts.form)
    except ValueError:
        raise ForbiddenMoveError(SHAPES[rules.facts.form]) from None


def outcome(rules: GameRules, lists: WordLists, draws: RedrawnGame, earlier: Earlier, move: Move) -> Outcome:
    """Return the outcome of a recorded move.

    Args:
        rules: The rules of the game.
        draws: The draws of the game.
        earlier: The earlier guesses with their clues.
        move: The recorded move.

    Raises:
        ForbiddenMoveError: The rules do not allow the move.
    """
    if isinstance(move, NoisyMove):
        return _noisy(rules, lists, draws, len(earlier) + 1, move)
    return _classic(rules, lists, draws, earlier, move)


def _noisy(rules: GameRules, lists: WordLists, draws: RedrawnGame, number: int, move: NoisyMove) -> Outcome:
    guess, epsilon = move.proposal
    if type(epsilon) is int and epsilon == 0:
        if guess not in lists.answer_set:
            raise ForbiddenMoveError("a word of the answers")
        return "", GameEnd(Verdict.WON if guess == draws.secret else Verdict.WRONG)
    if type(epsilon) is not float or not 0 < epsilon < inf:
        raise ForbiddenMoveError("a finite epsilon above 0 with its decimal point, or 0")
    if guess not in lists.guess_set:
        raise ForbiddenMoveError("a word of the guesses")
    if number == rules.max_guesses:
        return "", GameEnd(Verdict.UNSOLVED, TOO_MANY)
    clue = counted(guess, draws.secret) if rules.counted else anywhere(guess, draws.secret)
    return noisy_clue(clue, epsilon, draws.noise(number)), None


def _classic(rules: GameRules, lists: WordLists, draws: RedrawnGame, earlier: Earlier, move: ClassicMove) -> Outcome:
    guess = move.guess
    if guess not in lists.guess_set:
        raise ForbiddenMoveError("a word of the guesses")
    if rules.hard:
        for hinted, clues in earlier:
            if not uses_hint(guess, hinted, clues):
                raise ForbiddenMoveError(f"a guess that uses what {hinted} {clues} revealed")
    if rules.evasive:
        clues, _ = adversary_clue(lists, (*(before for before, _ in earlier), guess))
    else:
        clues = counted(guess, draws.secret)
    if clues == "c" * len(guess):
        return clues, GameEnd(Verdict.WON)
    return clues, GameEnd(Verdict.UNSOLVED) if len(earlier) + 1 == rules.max_guesses else None


@lru_cache(maxsize=1 << 10)
def adversary_clue(lists: WordLists, guesses: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the clue for the last of these guesses that leaves the most words, and these words.

    Ties go to the clue with fewer `c`, then with fewer `i`, then to the first in the order `.`, `i`, `c`.
    """
    *before, guess = guesses
    groups: dict[str, list[str]] = {}
    for word in adversary_clue(lists, tuple(before))[1] if before else lists.answers:
        groups.setdefault(counted(guess, word), []).append(word)

    def preference(group: tuple[str, list[str]]) -> tuple[Any, ...]:
        clues, words = group
        return len(words), -clues.count("c"), -clues.count("i"), [-".ic".index(mark) for mark in clues]

    return max(groups.items(), key=preference)


@lru_cache(maxsize=1 << 16)
def anywhere(guess: str, secret: str) -> str:
    """Return the clue in which `i` marks every misplaced letter that occurs in the secret, however often."""
    marks = ["c" if a == b else "i" if a in secret else "." for a, b in zip(guess, secret, strict=True)]
    return "".join(marks)


@lru_cache(maxsize=1 << 16)
def counted(guess: str, secret: str) -> str:
    """Return the clue in which a letter is marked at most as often as the secret has it, right places first."""
    clue = ["c" if guess[place] == secret[place] else "." for place in range(len(guess))]
    unfound = [secret[place] for place in range(len(guess)) if clue[place] == "."]
    for place, letter in enumerate(guess):
        if clue[place] == "." and letter in unfound:
            clue[place] = "i"
            unfound.remove(letter)
    return "".join(clue)


def noisy_clue(clue: str, epsilon: float, numbers: Sequence[int]) -> str:
    """Return the clue after noise.

    A mark is kept if its number divided by 2^32 is below e^(epsilon/n) / (2 + e^(epsilon/n)). The rest of the range is
    divided equally between the two other marks.

    Args:
        clue: The true clue, n marks.
        epsilon: The budget spent on the guess.
        numbers: One integer below 2^32 per mark.
    """
    first, second = noise_thresholds(epsilon, len(clue))
    noisy = ""
    for mark, number in zip(clue, numbers, strict=True):
        noisy += mark if number < first else OTHER_MARKS[mark][0 if number < second else 1]
    return noisy


@lru_cache(maxsize=1 << 10)
def noise_thresholds(epsilon: float, length: int) -> tuple[int, int]:
    """Return the upper bounds of the numbers that keep a mark, and of those that show the first other mark."""
    keep = 1 / (2 * exp(-epsilon / length) + 1)
    return ceil(keep * 2.0**32), ceil((keep + 1) / 2 * 2.0**32)  # integers are compared faster


def uses_hint(guess: str, hinted: str, clues: str) -> bool:
    """Return whether the guess keeps letters marked `c` in place, and has each letter as often as it was marked."""
    if any(mark == "c" and guess[place] != hinted[place] for place, mark in enumerate(clues)):
        return False
    revealed = [letter for letter, mark in zip(hinted, clues, strict=True) if mark != "."]
    return all(guess.count(letter) >= revealed.count(letter) for letter in revealed)
