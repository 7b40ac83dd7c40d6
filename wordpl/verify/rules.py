"""The rules read a second time: what becomes of a game's moves when its secret and its noise are known.

Nothing of `wordpl.games`, `wordpl.core.clues` and `wordpl.contest.match` is used here, so that
a mistake there is found and not repeated. A property test holds both readings together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, exp, inf
from typing import Any, NamedTuple

from wordpl.core import moves, seeds
from wordpl.core.errors import WordplError
from wordpl.core.game_kinds import GameKind, Measure
from wordpl.core.moves import ClassicMove, Move, NoisyMove
from wordpl.core.records import Verdict
from wordpl.core.words import WordLists

NOISY_GUESSES = 1000
TOO_MANY = f"no answer within {NOISY_GUESSES} guesses"
TURNED = {".": "ic", "i": "c.", "c": ".i"}
"""What noise makes of a mark: the next in the circle of the three, or the one after that."""


@dataclass(frozen=True)
class GameRules:
    """What a game's rules are, in the few things in which games differ.

    Attributes:
        counted: each letter of the secret explains one mark
        hard: what was revealed must be used
        evasive: there is no secret, and each clue leaves as many words as it can
    """

    measure: Measure
    max_guesses: int
    counted: bool = True
    hard: bool = False
    evasive: bool = False


GAME_RULES = {
    "wordpl/1": GameRules(Measure.BUDGET, NOISY_GUESSES, counted=False),
    "wordpl-counted/1": GameRules(Measure.BUDGET, NOISY_GUESSES),
    "wordle/1": GameRules(Measure.GUESSES, 6),
    "wordle-hard/1": GameRules(Measure.GUESSES, 6, hard=True),
    "absurdle/1": GameRules(Measure.TRIES, 100, evasive=True),
}


class Deal(NamedTuple):
    """What the run's key gives a game: its secret, and the numbers that blur its clues."""

    key: bytes
    game: int
    secret: str

    def noise(self, round_: int) -> Sequence[int]:
        """Return a number below 2^32 for each letter of this round's guess."""
        return seeds.noise(self.key, self.game, round_, len(self.secret))


class GameEnd(NamedTuple):
    """How a game ends."""

    verdict: Verdict
    message: str = ""


class ForbiddenMoveError(WordplError):
    """A move that no referee lets pass; the message says what would be right."""


Earlier = Sequence[tuple[str, str]]
Brought = tuple[str, GameEnd | None]
"""What a move brings: clues, and the end of the game if it is one."""

SHAPES = {
    GameKind.NOISY: '[guess, a finite epsilon above 0 with its decimal point, clues], or [answer, 0, ""]',
    GameKind.CLASSIC: "[guess, clues]",
}


def read_move(rules: GameRules, value: Any) -> Move:
    """Return the move that a record says was made.

    Raises:
        ForbiddenMoveError: where it has another shape.
    """
    try:
        return moves.from_json(value, rules.measure.kind)
    except ValueError:
        raise ForbiddenMoveError(SHAPES[rules.measure.kind]) from None


def outcome(rules: GameRules, lists: WordLists, deal: Deal, earlier: Earlier, move: Move) -> Brought:
    """Return what a recorded move brings after the earlier ones, each a guess and its clues.

    Raises:
        ForbiddenMoveError: for a move that is not allowed.
    """
    if isinstance(move, NoisyMove):
        return _noisy(rules, lists, deal, len(earlier) + 1, move)
    return _classic(rules, lists, deal, earlier, move)


def _noisy(rules: GameRules, lists: WordLists, deal: Deal, number: int, move: NoisyMove) -> Brought:
    guess, epsilon = move.proposal
    if type(epsilon) is int and epsilon == 0:
        if guess not in lists.answer_set:
            raise ForbiddenMoveError("a word of the answers")
        return "", GameEnd(Verdict.WON if guess == deal.secret else Verdict.WRONG)
    if type(epsilon) is not float or not 0 < epsilon < inf:
        raise ForbiddenMoveError("a finite epsilon above 0 with its decimal point, or 0")
    if guess not in lists.guess_set:
        raise ForbiddenMoveError("a word of the guesses")
    if number == rules.max_guesses:
        return "", GameEnd(Verdict.UNSOLVED, TOO_MANY)
    clue = counted(guess, deal.secret) if rules.counted else anywhere(guess, deal.secret)
    return seen_clue(clue, epsilon, deal.noise(number)), None


def _classic(rules: GameRules, lists: WordLists, deal: Deal, earlier: Earlier, move: ClassicMove) -> Brought:
    guess = move.guess
    if guess not in lists.guess_set:
        raise ForbiddenMoveError("a word of the guesses")
    if rules.hard:
        for hinted, clues in earlier:
            if not uses_hint(guess, hinted, clues):
                raise ForbiddenMoveError(f"a guess that uses what {hinted} {clues} revealed")
    if rules.evasive:
        clues, _ = evaded(lists, (*(before for before, _ in earlier), guess))
    else:
        clues = counted(guess, deal.secret)
    if clues == "c" * len(guess):
        return clues, GameEnd(Verdict.WON)
    return clues, GameEnd(Verdict.UNSOLVED) if len(earlier) + 1 == rules.max_guesses else None


@lru_cache(maxsize=1 << 10)
def evaded(lists: WordLists, guesses: tuple[str, ...]) -> tuple[str, list[str]]:
    """Return the clue that leaves the most words after these guesses, and these words.

    Of two that leave as many, the one with fewer `c`, then with fewer `i`, then the first in the order `.`, `i`, `c`.
    """
    *before, guess = guesses
    left: dict[str, list[str]] = {}
    for word in evaded(lists, tuple(before))[1] if before else lists.answers:
        left.setdefault(counted(guess, word), []).append(word)
    return max(
        left.items(),
        key=lambda kept: (len(kept[1]), -kept[0].count("c"), -kept[0].count("i"), [-".ic".index(m) for m in kept[0]]),
    )


@lru_cache(maxsize=1 << 16)
def anywhere(guess: str, secret: str) -> str:
    """Return the clue in which `i` says that the secret has the letter, wherever and however often."""
    marks = ["c" if a == b else "i" if a in secret else "." for a, b in zip(guess, secret, strict=True)]
    return "".join(marks)


@lru_cache(maxsize=1 << 16)
def counted(guess: str, secret: str) -> str:
    """Return the clue in which a letter is marked only as often as the secret has it, those in their place first."""
    clue = ["c" if guess[at] == secret[at] else "." for at in range(len(guess))]
    unfound = [secret[at] for at in range(len(guess)) if clue[at] == "."]
    for at, letter in enumerate(guess):
        if clue[at] == "." and letter in unfound:
            clue[at] = "i"
            unfound.remove(letter)
    return "".join(clue)


def seen_clue(clue: str, epsilon: float, numbers: Sequence[int]) -> str:
    """Return the clue as noise shows it.

    A mark is kept while its number lies in the first part of the range, as large as the chance e^(epsilon/n) / (2 +
    e^(epsilon/n)); in the first half of the rest it becomes the next mark, in the second half the one after that.
    """
    stays, turns = _parts(epsilon, len(clue))
    seen = ""
    for mark, number in zip(clue, numbers, strict=True):
        seen += mark if number < stays else TURNED[mark][0 if number < turns else 1]
    return seen


@lru_cache(maxsize=1 << 10)
def _parts(epsilon: float, length: int) -> tuple[int, int]:
    """Return where the range of numbers ends in which a mark stays, and that in which it becomes the next."""
    keep = 1 / (2 * exp(-epsilon / length) + 1)
    return ceil(keep * 2.0**32), ceil((keep + 1) / 2 * 2.0**32)  # whole numbers, which are compared faster


def uses_hint(guess: str, hinted: str, clues: str) -> bool:
    """Return whether the guess keeps each letter found in its place, and has each letter as often as it was shown."""
    if any(mark == "c" and guess[at] != hinted[at] for at, mark in enumerate(clues)):
        return False
    shown = [letter for letter, mark in zip(hinted, clues, strict=True) if mark != "."]
    return all(guess.count(letter) >= shown.count(letter) for letter in shown)
