"""How lucky the clues were in games that a right guess ends, such as Wordle.

After each clue, some words are still possible, and this set is worth the chances of finding the secret within 1, 2, ...
more guesses (`set_values`); after the winning clue they are 1. The luck of a clue is what it left, minus the
expectation over all clues that the guess could have got from the set before. So it has mean zero given everything
before the guess, whatever the player does, remembers or draws, and can be subtracted from counted results without a
bias. There is a luck for each number of guesses within which a game may be won; that of the number of guesses is their
sum.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from wordpl.core.clues import MAX_TABLE_LENGTH, decode, encode
from wordpl.core.intervals import ROUNDING
from wordpl.core.moves import ClassicMove
from wordpl.core.words import WordLists, letters
from wordpl.games import Game, Wordle
from wordpl.kernels.clue_matrix import MAX_MATRIX_BYTES, clue_matrix, clue_row, clue_type
from wordpl.kernels.compiled import bound_kernel, is_loaded, kernel
from wordpl.run.frame import Moves
from wordpl.stats.clue_luck import GAMES_AT_ONCE, MAX_PLAIN_CLUES, MAX_SHARED, ClueLuck, Worth, sharing_of
from wordpl.stats.set_values import N_ROUNDS, WEIGHTS, fill_shares, plain_shares, posterior_shares, probes, split

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MAX_ROUNDS = 12
"""The largest number of guesses that has a luck of its own."""

WON = -1
"""Stands for the clue of the guess that wins where a false clue may look like it."""

ShownMoves: TypeAlias = tuple[np.ndarray, np.ndarray, np.ndarray]
Sharing: TypeAlias = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class GuessLuck(ClueLuck):
    """The luck of games that a right guess ends, in the order of play; `bet` and `paid` are not used.

    `answer` is 1 for a game that was won, otherwise 0; `spent` is its number of guesses; `luck` is how many guesses a
    clue saved.

    Attributes:
        within: What each clue added to the chance of winning within 1, 2, ... guesses, float32[m, number of rounds].
    """

    within: NDArray[np.float32]
    has_answer: ClassVar[bool] = False

    def terms(self, worth: Worth) -> Floats:
        """Return the luck of each clue in a game that is worth `worth` of the guesses within which it is won."""
        worths = worth(np.arange(1.0, self.within.shape[1] + 1))
        return np.asarray(self.within @ (worths - np.append(worths[1:], 0.0)).astype(np.float32), float)


class GuessMeter:
    """Computes the luck of games that a right guess ends.

    Attributes:
        game: The rules.
        n_rounds: The number of rounds that have a luck of their own.
    """

    def __init__(self, game: Game):
        """Create a meter for games with these rules and word lists; each answer is equally likely to be the secret."""
        self.game = game
        self.n_rounds = min(game.max_guesses, MAX_ROUNDS)

    def measure_moves(self, played: Moves, won: NDArray[np.bool_]) -> GuessLuck | None:
        """Return the luck of these games.

        A guess without clues, which can only be the last move of a game that was cut short, counts as not made.

        Args:
            played: The moves of each game.
            won: Whether it was won, bool[n].

        Returns:
            The luck; None if a game has clues that these rules do not allow.

        Raises:
            UserError: A guess is not in the list of guesses.
        """
        if len(played) > GAMES_AT_ONCE:
            ends = range(GAMES_AT_ONCE, len(played) + GAMES_AT_ONCE, GAMES_AT_ONCE)
            found = [self.measure_moves(played.part(end - GAMES_AT_ONCE, end), won[end - GAMES_AT_ONCE : end])
                     for end in ends]  # fmt: skip
            known = [part for part in found if part is not None]
            return GuessLuck.concatenate(known) if len(known) == len(found) else None
        clues, lengths = played.clue_codes, played.lengths
        is_shown = np.array([bool(text) for text in played.clues], bool)[clues]
        is_last = np.zeros(len(clues), bool)
        is_last[played.starts[1:][lengths > 0] - 1] = True
        if not (is_shown | is_last).all():
            return None
        starts = np.concatenate([[0], np.cumsum(is_shown)])[played.starts]
        used, guesses = np.unique(played.guess_codes[is_shown], return_inverse=True)
        codes = np.array([encode(text) for text in played.clues], np.int64)[clues[is_shown]]
        if not self.game.is_exact:
            codes[starts[1:][won] - 1] = WON
        within = self.measure([played.guesses[number] for number in used], guesses, codes, starts)
        if within is None:
            return None
        worths = np.ones(self.n_rounds)
        if self.game.facts.limit == self.n_rounds and self.game.facts.loss_cost is not None:
            worths[-1] = self.game.facts.loss_cost - self.n_rounds
        return GuessLuck(
            answer=won.astype(float),
            spent=lengths.astype(float),
            starts=starts,
            luck=within @ worths,
            bet=np.broadcast_to(0.0, len(codes)),
            paid=np.broadcast_to(0.0, len(codes)),
            within=within.astype(np.float32),
        )

    def luck_by_move(self, moves: Sequence[Sequence[str]], *, won: bool) -> list[float] | None:
        """Return how many guesses each clue of a game saved, compared with what its guess could expect.

        Args:
            moves: The guesses with their clues, as in record files.
            won: Whether the last guess won.
        """
        found = self.measure_moves(Moves.of_lists([moves]), np.array([won]))
        return None if found is None else [float(luck) for luck in found.luck]

    def measure(self, words: Sequence[str], guesses: Ints, codes: Ints, starts: Ints) -> Floats | None:
        """Return what each clue added to the chance of winning within 1, 2, ... guesses, float[m, n_rounds].

        Args:
            words: The guesses, each once.
            guesses: The guess of each move as a place in `words`, int[m].
            codes: The number of its clues, int[m]; WON if the guess is right and clues may be false.
            starts: The moves of game g have the indices starts[g] to starts[g + 1], int[n + 1].

        Returns:
            The luck; None if the clues of a game rule all answers out.
        """
        self.game.lists.require_guesses(words)
        if self._has_kernels and (len(guesses) > MAX_PLAIN_CLUES or is_loaded(_measure)):
            return self.measure_with_kernels(words, (guesses, codes, starts))
        return self.measure_plainly(words, (guesses, codes, starts))

    def measure_with_kernels(self, words: Sequence[str], moves: ShownMoves) -> Floats | None:
        """Do what `measure` does, for exact games whose clues alone say which answers are possible."""
        lists, (guesses, codes, starts) = self.game.lists, moves
        within = np.zeros((len(guesses), self.n_rounds))
        if not len(guesses):
            return within
        answers = letters(lists.answers)
        rows, own = (clue_matrix(asked, answers, self.game.clue_rule) for asked in (letters(words), answers))
        logs = np.log2(np.maximum(1, np.arange(len(answers) + 1)))
        sharing = sharing_of(guesses, np.zeros_like(guesses), codes, starts)
        is_right = _measure(rows, own, 3**lists.length, logs, WEIGHTS, (guesses, codes, starts), sharing, within)
        return within if is_right else None

    @property
    def _has_kernels(self) -> bool:
        """Whether clues are exact and alone say which answers are possible, and their table fits into memory."""
        kind = type(self.game)
        is_usual = kind.still_possible is Game.still_possible and kind.possible_answers is Game.possible_answers
        return self.game.is_exact and is_usual and table_fits(self.game)

    def measure_plainly(self, words: Sequence[str], moves: ShownMoves) -> Floats | None:
        """Do what `measure` does without kernels, for every game."""
        within = np.zeros((len(moves[0]), self.n_rounds))
        guesses, codes, starts = (array.tolist() for array in moves)
        states = ExactSets(self.game) if self.game.is_exact else Posteriors(self.game)
        games = [list(zip(guesses[i:j], codes[i:j], strict=True)) for i, j in pairwise(starts)]
        path: list[tuple[int, int]] = []
        reached, asked = [states.first()], [NOTHING]  # after each move of the path, and the last question from there
        for game in sorted(range(len(games)), key=games.__getitem__):
            n_same = 0
            while n_same < min(len(path), len(games[game])) and path[n_same] == games[game][n_same]:
                n_same += 1
            del path[n_same:], reached[n_same + 1 :], asked[n_same + 1 :]
            for place, (guess, code) in enumerate(games[game]):
                if asked[place].guess != guess:
                    past = [(words[number], shown) for number, shown in path[:place]]
                    asked[place] = states.ask(reached[place], past, words[guess], guess)
                found = asked[place].after(code)
                if found is None:
                    return None
                gained = found - asked[place].expected
                left = np.minimum(np.arange(self.n_rounds - place), len(gained) - 1)
                within[starts[game] + place, place:] = gained[left]
                if place == len(path):
                    path.append((guess, code))
                    reached.append(states.told(reached[place], asked[place], words[guess], code))
                    asked.append(NOTHING)
        return within


def is_measured(game: Game) -> bool:
    """Return whether the luck of such games is measured: they have a limit and, if clues may be false, short words."""
    has_end = game.facts.has_secret and not game.facts.has_answer_move and game.facts.limit is not None
    return has_end and (game.is_exact or game.lists.length <= MAX_TABLE_LENGTH)


def table_fits(game: Game) -> bool:
    """Return whether the clues of all answers as guesses for all answers fit into memory."""
    return len(game.lists.answers) ** 2 * clue_type(game.lists.length).itemsize <= MAX_MATRIX_BYTES


@dataclass(frozen=True, eq=False)
class GuessOutcomes:
    """The clues that a guess can get, with what they are worth.

    Attributes:
        guess: The number of the guess.
        codes: The numbers of the clues.
        chances: Their probabilities.
        shares: The chances of having won within 0, 1, ... more guesses after each, float[clues, rounds + 1].
        parts: What is known after each; empty if that is found out when it is needed.
    """

    guess: int
    codes: Sequence[int] = ()
    chances: Sequence[float] = ()
    shares: Sequence[Floats] = ()
    parts: Sequence[Any] = ()

    @cached_property
    def expected(self) -> Floats:
        """The expectation of `shares`."""
        return np.asarray(np.add.reduce(np.array(self.chances)[:, None] * np.array(self.shares), axis=0))

    def after(self, code: int) -> Floats | None:
        """Return the shares after these clues; None if they are impossible."""
        return self.shares[self.codes.index(code)] if code in self.codes else None


NOTHING = GuessOutcomes(-1)


class ExactSets:
    """What exact clues leave: sets of answers, as the game says it."""

    def __init__(self, game: Game):
        """Prepare for games with these rules."""
        self.game, lists = game, game.lists
        self.answers = np.arange(len(lists.answers))
        kind = type(game)
        self.asks_game = (kind.still_possible, kind.possible_answers) != (Game.still_possible, Game.possible_answers)

    def first(self) -> np.ndarray:
        """Return the answers that are possible at first, int[n]."""
        return np.flatnonzero(self.game.still_possible([])) if self.asks_game else self.answers

    def ask(self, members: np.ndarray, past: Sequence[tuple[str, int]], word: str, guess: int) -> GuessOutcomes:
        """Return the clues that a guess can get.

        Args:
            members: The answers that are possible, int[n].
            past: The guesses so far with the numbers of their clues.
            word: The guess.
            guess: Its number.
        """
        lists, told = self.game.lists, self._row(word)[members]
        codes, sizes = np.unique(told, return_counts=True)
        parts = [members[told == code] for code in codes]
        if self.asks_game:
            moves = [ClassicMove(earlier, decode(code, lists.length)) for earlier, code in past]
            after = ([*moves, ClassicMove(word, decode(code, lists.length))] for code in codes.tolist())
            parts = [part if code == 3**lists.length - 1 else np.flatnonzero(self.game.still_possible(one))
                     for code, one, part in zip(codes, after, parts, strict=True)]  # fmt: skip
        shares = [self._shares(part, code == 3**lists.length - 1) for code, part in zip(codes, parts, strict=True)]
        return GuessOutcomes(guess, codes.tolist(), (sizes / len(members)).tolist(), shares, parts)

    def _row(self, word: str) -> np.ndarray:
        return clue_row(self.game.lists, self.game.clue_rule, word)

    def _shares(self, part: Ints, is_win: bool) -> Floats:
        if is_win:
            return np.ones(N_ROUNDS + 1)
        rows = (self._own_row(int(part[place])) for place in probes(len(part)))
        return plain_shares(len(part), max(len(np.unique(row[part])) for row in rows))

    def _own_row(self, answer: int) -> np.ndarray:
        """Return the clues of an answer as a guess, from the table of all of them if it fits into memory."""
        if table_fits(self.game):
            row: np.ndarray = self._own[answer]
            return row
        return self._row(self.game.lists.answers[answer])

    @cached_property
    def _own(self) -> np.ndarray:
        answers = letters(self.game.lists.answers)
        return clue_matrix(answers, answers, self.game.clue_rule)

    def told(self, members: np.ndarray, question: GuessOutcomes, word: str, code: int) -> np.ndarray:
        """Return the answers that are possible after these clues, int[n]."""
        part: np.ndarray = question.parts[question.codes.index(code)]
        return part


class Posteriors:
    """What clues that may be false leave: the probability of each answer, float[answers]."""

    def __init__(self, game: Game):
        """Prepare for games with these rules."""
        self.game, self.rule = game, game.clue_rule
        self.right = 3**game.lists.length - 1
        self._table = game.channel.table(ClassicMove("", ""))  # [true, shown]
        with np.errstate(divide="ignore", invalid="ignore"):
            self._table_logs = np.nan_to_num(self._table * np.log2(self._table))

    def first(self) -> np.ndarray:
        """Return the probabilities at first."""
        n = len(self.game.lists.answers)
        return np.full(n, 1 / n)

    def ask(self, posterior: np.ndarray, past: Sequence[tuple[str, int]], word: str, guess: int) -> GuessOutcomes:
        """Return the clues that a guess can get; see `ExactSets.ask`."""
        possible = np.flatnonzero(posterior)
        true, chances = clue_row(self.game.lists, self.rule, word)[possible], posterior[possible]
        n = self.right + 1
        sums, tops = np.bincount(true, chances, n), np.zeros(n)
        logs = np.bincount(true, chances * np.log2(chances), n)
        np.maximum.at(tops, true, chances)
        wrong = np.flatnonzero(sums[: self.right])
        table = self._table[wrong]
        totals, likely = sums[wrong] @ table, (tops[wrong, None] * table).max(axis=0, initial=0.0)
        told = np.flatnonzero(totals)
        entropy = (logs[wrong] @ table + sums[wrong] @ self._table_logs[wrong])[told]
        totals, likely = totals[told], likely[told]
        shares = posterior_shares(np.log2(totals) - entropy / totals, likely / totals)
        if sums[self.right]:  # the guess may be right, and what is shown then is true
            told, totals = np.append(told, WON), np.append(totals, sums[self.right])
            shares = np.concatenate([shares, np.ones((1, shares.shape[1]))])
        return GuessOutcomes(guess, told.tolist(), totals.tolist(), list(shares))

    def told(self, posterior: np.ndarray, question: GuessOutcomes, word: str, code: int) -> np.ndarray:
        """Return the probabilities after these clues."""
        if code == WON:
            return posterior
        row = clue_row(self.game.lists, self.rule, word)
        likelihood = np.array(self.game.channel.likelihood(code, ClassicMove(word, "")), float)
        likelihood[self.right] = 0.0  # the game would have ended
        after = posterior * likelihood[row]
        return np.asarray(after / after.sum())


MAX_QUESTIONS = 4096
"""The most questions whose answers a `BoundedLuck` remembers."""


class BoundedLuck:
    """The luck of games that a right guess ends, read one after the other, between -MAX_TOTAL and MAX_TOTAL.

    Each clue's luck is scaled down as far as the sum needs that, before the clue is known. So it has mean zero given
    everything before, and an entry may be tested after every game.
    """

    MAX_TOTAL: ClassVar[float] = 0.6

    def __init__(self, game: Game, worth: Worth, *, are_different: bool = False):
        """Begin before the first game.

        Args:
            game: The rules.
            worth: What a game is worth, from 0 to 1, of the number of guesses in which it is won; a lost one: 0.
            are_different: Whether no two games have the same secret, so that those of earlier games are impossible.
        """
        self.game, self._states = game, ExactSets(game) if game.is_exact else Posteriors(game)
        worths = worth(np.arange(1.0, game.max_guesses + 1))
        self._gains = worths - np.append(worths[1:], 0.0)
        self._left = np.ones(len(game.lists.answers)) if are_different else None
        self._answers = {word: number for number, word in enumerate(game.lists.answers)}
        self._asked: dict[tuple[Any, ...], GuessOutcomes] = {}

    def of(self, moves: Sequence[ClassicMove], secret: str, *, won: bool) -> float:
        """Return the luck of the next game; 0 from a clue on that its rules do not allow."""
        total = 0.0
        state: Any = self._states.first()
        past: tuple[tuple[str, int], ...] = ()
        for place, move in enumerate(moves):
            if not move.clues or (self._left is not None and not self.game.is_exact):
                break
            code = WON if won and place == len(moves) - 1 and not self.game.is_exact else encode(move.clues)
            question = self._question(past, state, move.guess)
            chances = np.array(question.chances)
            if self._left is not None:
                chances = np.array([self._left[part].sum() for part in question.parts])
            if question.after(code) is None or not chances.sum():
                break
            values = self._values(question, place)
            expected = float(values @ chances / chances.sum())
            luck, possible = values[question.codes.index(code)] - expected, values[chances > 0] - expected
            highest, lowest = float(possible.max()), float(possible.min())
            if highest - lowest > ROUNDING:
                room = (self.MAX_TOTAL - total) / highest, (self.MAX_TOTAL + total) / -lowest
                total += float(luck) * min(1.0, *room)
            state, past = self._states.told(state, question, move.guess, code), (*past, (move.guess, code))
        if self._left is not None and secret in self._answers:
            self._left[self._answers[secret]] = 0.0
        return total

    def _question(self, past: tuple[tuple[str, int], ...], state: Any, guess: str) -> GuessOutcomes:
        key = (*past, guess)
        if key not in self._asked:
            if len(self._asked) >= MAX_QUESTIONS:
                self._asked.clear()
            self._asked[key] = self._states.ask(state, past, guess, 0)
        return self._asked[key]

    def _values(self, question: GuessOutcomes, place: int) -> Floats:
        """Return what the game is worth after each clue of a guess that follows `place` others, float[clues]."""
        shares = np.array(question.shares)
        left = np.minimum(np.arange(len(self._gains) - place), shares.shape[1] - 1)
        return np.asarray(shares[:, left] @ self._gains[place:])


def load_kernels(lists: WordLists) -> None:
    """Load the kernels, or compile them, by measuring a game."""
    use, word = GuessMeter(Wordle(lists)), lists.answers[0]
    use.measure_with_kernels([word], (np.zeros(1, np.int64), np.array([3**lists.length - 1]), np.array([0, 1])))


@bound_kernel
def _measure(
    rows: np.ndarray,
    own: np.ndarray,
    n_codes: int,
    logs: np.ndarray,
    weights: np.ndarray,
    moves: ShownMoves,
    sharing: Sharing,
    within: np.ndarray,
) -> bool:
    """Write the luck of each clue, and return whether all clues are possible.

    What the first moves of a game have in common with those of the game before is not computed again.

    Args:
        rows: The number of the clue of each guess for each answer, [guesses, answers].
        own: The same for each answer as a guess, [answers, answers].
        n_codes: The number of clues; the last one wins.
        logs: log2 of the numbers up to that of the answers.
        weights: As in `set_values`.
        moves: The guess of each move, the number of its clue, and `starts` as in `ClueLuck`.
        sharing: The order of games, and what each shares with the one before; see `sharing_of`.
        within: The output, [m, number of rounds].
    """
    guesses, shown, starts = moves
    order, shared = sharing
    n_answers, n_left, n_rounds, deepest = rows.shape[1], len(weights) + 2, within.shape[1], 0
    for game in range(len(order)):
        deepest = max(deepest, min(MAX_SHARED, starts[game + 1] - starts[game]))
    sets, sizes = np.zeros((deepest + 1, n_answers), np.int32), np.zeros(deepest + 1, np.int64)
    for answer in range(n_answers):
        sets[0, answer] = answer
    sizes[0] = n_answers
    # At each depth: the set in the order of its clues for the last guess, where those with each clue begin, and what
    # is left after each clue and on average.
    parted, firsts = np.zeros((deepest + 1, n_answers), np.int32), np.zeros((deepest + 1, n_answers + 1), np.int64)
    codes, n_parts = np.zeros((deepest + 1, n_answers), np.int64), np.zeros(deepest + 1, np.int64)
    shares, expected = np.zeros((deepest + 1, n_answers, n_left)), np.zeros((deepest + 1, n_left))
    seen, stamp, counts = np.zeros(n_codes, np.int64), 0, np.zeros(n_codes, np.int64)
    for number in range(len(order)):
        game, n_same = order[number], shared[number] // 2
        for move in range(n_same):  # those of the game before
            for k in range(n_rounds):
                within[starts[game] + move, k] = within[starts[order[number - 1]] + move, k]
        for place in range(n_same, starts[game + 1] - starts[game]):
            move, now, then = starts[game] + place, min(place, deepest), min(place + 1, deepest)
            if place > n_same or shared[number] % 2 == 0:
                some = sets[now, : sizes[now]]
                n_parts[now] = part_of(rows[guesses[move]], some, parted[now], firsts[now], codes[now], counts)
                for left in range(n_left):
                    expected[now, left] = 0.0
                for part in range(n_parts[now]):
                    members = parted[now, firsts[now, part] : firsts[now, part + 1]]
                    if codes[now, part] == n_codes - 1:
                        for left in range(n_left):
                            shares[now, part, left] = 1.0
                    else:
                        most, stamp = split(own, members, seen, stamp)
                        fill_shares(len(members), most, logs, weights, shares[now, part])
                    for left in range(n_left):
                        expected[now, left] += len(members) / sizes[now] * shares[now, part, left]
            part = 0
            while part < n_parts[now] and codes[now, part] != shown[move]:
                part += 1
            if part == n_parts[now]:
                return False
            for k in range(place, n_rounds):
                left = min(k - place, n_left - 1)
                within[move, k] = shares[now, part, left] - expected[now, left]
            sizes[then] = firsts[now, part + 1] - firsts[now, part]
            for member in range(sizes[then]):
                sets[then, member] = parted[now, firsts[now, part] + member]
    return True


@kernel
def part_of(
    row: np.ndarray, some: np.ndarray, parted: np.ndarray, firsts: np.ndarray, codes: np.ndarray, counts: np.ndarray
) -> int:
    """Sort a set by the clues of a guess, and return the number of different ones; ties keep their order.

    Args:
        row: The number of the clue of each answer.
        some: The set.
        parted: The output: the set in the order of its clues.
        firsts: The output: where those with each clue begin, and the end.
        codes: The output: the numbers of these clues.
        counts: Zeros, and zeros again afterwards, [n_codes].
    """
    n_parts = 0
    for answer in some:
        code = row[answer]
        if counts[code] == 0:
            place = n_parts
            while place > 0 and codes[place - 1] > code:
                codes[place] = codes[place - 1]
                place -= 1
            codes[place] = code
            n_parts += 1
        counts[code] += 1
    first = 0
    for part in range(n_parts):
        firsts[part] = first
        first += counts[codes[part]]
        counts[codes[part]] = firsts[part]
    firsts[n_parts] = first
    for answer in some:
        parted[counts[row[answer]]] = answer
        counts[row[answer]] += 1
    for part in range(n_parts):
        counts[codes[part]] = 0
    return n_parts
