"""The probability with which each guess of a game was right, given the clues before it, in games of any channel.

A player that knows only its clues guesses the secret with the posterior probability of its guess: 1 / |S| if |S| words
are still possible and the guess is one of them. This holds whatever the player does, so that a bet on a guess at these
odds gains nothing on average.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isnan

import numpy as np
from numpy.typing import NDArray

from wordpl.core.clues import encode
from wordpl.core.moves import ClassicMove, NoisyMove
from wordpl.core.words import letters
from wordpl.games import Game
from wordpl.kernels.clue_matrix import clue_matrix
from wordpl.run.frame import Moves

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

MIN_SHARE = 0.1
"""The share of earlier games from which a guess is usual."""
MIN_CHANCE = 1e-12
"""A smaller probability that is left is a rounding error."""
MAX_AT_ONCE = 1 << 22
"""The number of possible words that are looked at together; more take more memory."""


@dataclass(frozen=True, eq=False)
class GuessOdds:
    """The guesses of n games, in the order of play.

    Attributes:
        n_games: The number of games.
        game: The game of each guess, in ascending order, int[m].
        round: The number of the guess in its game, from 1, int[m].
        chance: The probability that the guess is right, given the clues before it, float[m].
        is_right: Whether it is the secret, bool[m].
        is_unusual: Whether the player has guessed it in less than a tenth of the games that it played before with the
            same guesses and clues so far, and there was one, bool[m].
    """

    n_games: int
    game: Ints
    round: Ints
    chance: Floats
    is_right: NDArray[np.bool_]
    is_unusual: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class _States:
    """What is known after different moves: which answers are possible, and how likely.

    Attributes:
        n: The number of states.
        owners: The state of each possible answer, in ascending order, int[k].
        answers: Its number among the answers, in ascending order within a state, int[k].
        chances: Its probability, float[k].
    """

    n: int
    owners: Ints
    answers: Ints
    chances: Floats

    @cached_property
    def starts(self) -> Ints:
        """The answers of state s have the indices starts[s] to starts[s + 1], int[n + 1]."""
        return np.searchsorted(self.owners, np.arange(self.n + 1))

    def chance_of(self, states: Ints, answers: Ints, n_answers: int) -> Floats:
        """Return the probability of an answer in each of these states; 0 for the answer -1."""
        if not len(self.owners):
            return np.zeros(len(states))
        keys, wanted = self.owners * n_answers + self.answers, states * n_answers + answers
        places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where((keys[places] == wanted) & (answers >= 0), self.chances[places], 0.0)

    def chance_of_used(self, states: Ints, times: Ints, used: Ints) -> Floats:
        """Return the probability of all answers in each of these states that were secrets before a time.

        Args:
            states: The states, int[n].
            times: The time for each, int[n].
            used: When each answer was a secret, int[number of answers].
        """
        span = int(used.max()) + 1
        keys = self.owners * span + used[self.answers]
        order = np.argsort(keys)
        sums = np.concatenate([[0.0], np.cumsum(self.chances[order])])
        ends = np.searchsorted(keys[order], states * span + np.minimum(times, span))
        return np.asarray(sums[ends] - sums[self.starts[states]])

    def expanded(self, states: Ints) -> Iterator[tuple[Ints, Ints, Floats]]:
        """Yield the answers of these states in parts: the place in `states`, the answer and its probability."""
        counts = np.diff(self.starts)[states]
        ends, first = np.cumsum(counts), 0
        while first < len(states):
            done = ends[first] - counts[first]
            last = max(first + 1, int(np.searchsorted(ends, done + MAX_AT_ONCE, side="right")))
            owners = np.repeat(np.arange(first, last), counts[first:last])
            places = np.arange(len(owners)) + (self.starts[states] - ends + counts)[owners] + done
            yield owners, self.answers[places], self.chances[places]
            first = last


def guess_odds(
    game: Game, played: Moves, secrets: Sequence[str], times: Ints, *, are_different: bool = False
) -> GuessOdds | None:
    """Return the odds of all guesses of these games.

    Args:
        game: The rules.
        played: The moves of each game.
        secrets: The secret of each game.
        times: When each game was played, a different number for each.
        are_different: Whether no two games have the same secret. An answer that was a secret before is then impossible.

    Returns:
        The odds; None if the clues of a game rule its secret out, or if a guess before the last one has none, so that
        more happens in it than these rules say.
    """
    lengths, starts = played.lengths, played.starts[:-1]
    if not len(played.guess_codes):
        none, never = np.zeros(0, np.int64), np.zeros(0, bool)
        return GuessOdds(len(lengths), none, none, np.zeros(0), never, never)
    words, prices, texts = played.guesses, played.epsilons, played.clues
    guesses, epsilons, clues = (
        codes.astype(np.int64) for codes in (played.guess_codes, played.epsilon_codes, played.clue_codes)
    )
    n = len(game.lists.answers)
    answers = {word: number for number, word in enumerate(game.lists.answers)}
    targets = np.array([answers.get(word, -1) for word in words], np.int64)
    hidden = np.array([answers.get(secret, -1) for secret in secrets], np.int64)
    is_shown = np.array([bool(text) for text in texts], bool)[clues]
    is_answer = (prices == 0)[epsilons]
    if np.delete(is_shown, starts[lengths > 0] + lengths[lengths > 0] - 1).min(initial=True) < 1:
        return None
    codes = np.array([encode(text) for text in texts], np.int64)
    told = codes[clues] if game.is_exact else epsilons * len(texts) + clues
    size = 3**game.lists.length if game.is_exact else int(told.max(initial=0)) + 1
    rows = clue_matrix(letters(words), letters(game.lists.answers), game.clue_rule)

    def likelihood(number: int) -> Floats:
        price, text = float(prices[number // len(texts)]), texts[number % len(texts)]
        move = ClassicMove(words[0], text) if isnan(price) else NoisyMove(words[0], price, text)
        chances = np.array(game.channel.likelihood(encode(text), move), float)
        if not game.facts.has_answer_move:
            chances[-1] = 0.0  # the game would have ended
        return chances

    used = np.full(n, len(lengths))
    times = np.argsort(np.argsort(times))  # from 0
    if are_different:
        used[hidden] = times
    chances, is_unusual = np.zeros(len(guesses)), np.zeros(len(guesses), bool)
    states, now = _States(1, np.zeros(n, np.int64), np.arange(n), np.full(n, 1 / n)), np.zeros(len(lengths), np.int64)
    for number in range(int(lengths.max(initial=0))):
        games = np.flatnonzero(lengths > number)
        moves = starts[games] + number
        if not states.chance_of(now[games], hidden[games], n).all():
            return None
        chances[moves] = states.chance_of(now[games], targets[guesses[moves]], n)
        if are_different:
            left = 1 - states.chance_of_used(now[games], times[games], used)
            is_possible = used[targets[guesses[moves]]] >= times[games]
            chances[moves] = np.where(is_possible, np.minimum(1.0, chances[moves] / np.maximum(left, MIN_CHANCE)), 0.0)
        same = _n_before(now[games], times[games])
        is_unusual[moves] = MIN_SHARE * same > _n_before(now[games] * len(words) + guesses[moves], times[games])
        goes_on = (lengths[games] > number + 1) & is_shown[moves]
        games, moves = games[goes_on], moves[goes_on]
        asked, of_game = np.unique(now[games] * len(words) + guesses[moves], return_inverse=True)
        before, asked = np.divmod(asked, len(words))
        children, now[games] = np.unique(of_game * size + told[moves], return_inverse=True)
        parents, kinds = np.divmod(children, size)
        parts = []
        if game.is_exact:
            for owners, possible, weights in states.expanded(before):
                keys = owners * size + rows[asked[owners], possible]
                kept = np.flatnonzero(np.isin(keys, children))
                parts.append((np.searchsorted(children, keys[kept]), possible[kept], weights[kept]))
        for kind in () if game.is_exact else np.unique(kinds):
            same, shown = np.flatnonzero(kinds == kind), likelihood(kind)
            for owners, possible, weights in states.expanded(before[parents[same]]):
                weights = weights * shown[rows[asked[parents[same]][owners], possible]]
                kept = weights > 0
                parts.append((same[owners[kept]], possible[kept], weights[kept]))
        if not parts:
            continue
        owners, possible, weights = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        order = np.argsort(owners, kind="stable")
        totals = np.bincount(owners, weights, len(children))
        states = _States(len(children), owners[order], possible[order], (weights / totals[owners])[order])
    counted = np.flatnonzero(is_shown | is_answer)
    of_game = np.repeat(np.arange(len(lengths)), lengths)[counted]
    is_right = targets[guesses[counted]] == hidden[of_game]
    rounds = counted - starts[of_game] + 1
    return GuessOdds(len(lengths), of_game, rounds, chances[counted], is_right, is_unusual[counted])


def _n_before(groups: Ints, times: Ints) -> Ints:
    """Return the number of earlier members of each member's group, int[n]."""
    order = np.lexsort((times, groups))
    first = np.flatnonzero(np.diff(groups[order], prepend=-1))
    found = np.empty(len(groups), np.int64)
    found[order] = np.arange(len(groups)) - np.repeat(first, np.diff(first, append=len(groups)))
    return found
