"""Many games at once in compiled code; `episodes.Episode` is the plain twin.

Kernels write into the arrays of `State`, for games `low` to `high` of them, so that threads share the games.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from wordpl.apps.envs.hashes import BLOCK, byte_of, fill_draw, fill_keyed, remainder
from wordpl.kernels.compiled import compiler
from wordpl.stats.clue_luck import MIN_SCALE, expected_top, fill_factors, fill_largest, multiply, total_of
from wordpl.stats.guess_luck import part_of
from wordpl.stats.set_values import fill_shares, split

bound_kernel = compiler(is_bound=True, uses=("stats",), cache=True, nogil=True)
"""Compiles again after a change of the kernels of `wordpl.stats`, too."""

ENDED, WON, ILLEGAL = 1, 2, 4
"""Flags of how a move ended; a game that ended without the others is lost by the rules."""
COST, WIN, LUCK_FREE = 0, 1, 2
"""Numbers of the rewards."""


class State(NamedTuple):
    """The games: an array for each fact, with a row for each game."""

    number: np.ndarray  # of the game, int64
    secret: np.ndarray  # as an answer, int32
    key: np.ndarray  # the state of the hash after the key of the game, uint64[n, 8]
    n_made: np.ndarray  # the moves made, int32
    paid: np.ndarray  # what they cost, float64
    letters: np.ndarray  # what the agent sees, uint8[n, rows, length]
    marks: np.ndarray
    epsilons: np.ndarray  # float64[n, rows]; [n, 0] without prices
    weight: np.ndarray  # the coefficient of the luck, float64
    worth: np.ndarray  # the expected cost after the last move, NaN before the first, float64
    total: np.ndarray  # the luck of all clues, float64
    credit: np.ndarray  # the expected cost at an answer, or the cost, float64
    members: np.ndarray  # the answers that are left, int32[n, answers], or their weights, float64
    size: np.ndarray  # how many they are, or the sum of their weights, float64
    reward: np.ndarray  # of the last move, float64
    luck: np.ndarray  # of its clue, float64
    flags: np.ndarray  # how it ended, uint8


class Tables(NamedTuple):
    """What all games share."""

    run: np.ndarray  # the state of the hash after the key of the run, uint64[8]
    guesses: np.ndarray  # letter codes, uint8[guesses, length]
    answers: np.ndarray  # uint8[answers, length]
    answer_of: np.ndarray  # the answer that a guess is, or -1, int32
    rows: np.ndarray  # clues of guesses for answers, [guesses, answers]; empty if luck is not measured
    own: np.ndarray  # clues of answers as guesses
    first: np.ndarray  # the expected cost after each clue of a first guess, float64[guesses, codes]
    first_mean: np.ndarray  # its expectation, float64[guesses]; NaN: not known yet
    gains: np.ndarray  # what a win within so many guesses saves, float64[rounds]
    logs: np.ndarray  # log2 of 0, 1, 2, ..., as `fill_shares` needs it
    weights: np.ndarray  # of `set_values`


class Rules(NamedTuple):
    """The numbers of a game."""

    reward: int
    has_luck: bool
    uses_hints: bool
    has_spares: bool  # whether repeated letters are counted
    max_guesses: int
    loss_cost: float


GAME, SECRET, NOISE = (np.frombuffer(text, np.uint8) for text in (b"game", b"secret", b"noise"))


@bound_kernel
def begin(state: State, tables: Tables, rules: Rules, chosen: np.ndarray) -> None:
    """Begin the games with these indices, whose numbers have been written."""
    block, digest = np.zeros(BLOCK, np.uint8), np.zeros(8, np.uint64)
    for game in chosen:
        fill_draw(tables.run, GAME, state.number[game], 0, block, digest)
        fill_keyed(digest, 64, state.key[game])
        fill_draw(state.key[game], SECRET, state.number[game], 0, block, digest)
        state.secret[game] = remainder(digest, len(tables.answers))
        state.n_made[game], state.paid[game] = 0, 0.0
        state.worth[game], state.total[game], state.credit[game] = np.nan, 0.0, 0.0
        state.letters[game] = 0
        state.marks[game] = 0
        state.epsilons[game] = 0.0
        state.size[game] = len(tables.answers)
        if rules.has_luck and len(tables.gains) == 0:
            state.members[game] = 1.0


@bound_kernel
def write_marks(guess: np.ndarray, secret: np.ndarray, has_spares: bool, marks: np.ndarray, spare: np.ndarray) -> bool:
    """Write the true clue with 1, 2, 3 for `.`, `i`, `c`, and return whether the guess is the secret.

    Args:
        guess, secret: Letter codes.
        has_spares: Whether repeated letters are counted.
        marks: The output.
        spare: Zeros, and zeros again afterwards, int8[26].
    """
    n_right = 0
    for place in range(len(guess)):
        if guess[place] == secret[place]:
            n_right += 1
            if not has_spares:
                spare[secret[place]] += 1
        else:
            spare[secret[place]] += 1
    for place in range(len(guess)):
        letter = guess[place]
        if letter == secret[place]:
            marks[place] = 3
        elif spare[letter] > 0:
            marks[place] = 2
            if has_spares:
                spare[letter] -= 1
        else:
            marks[place] = 1
    for place in range(len(secret)):
        spare[secret[place]] = 0
    return n_right == len(guess)


@bound_kernel
def uses_hints(guess: np.ndarray, earlier: np.ndarray, marks: np.ndarray) -> bool:
    """Return whether a guess uses all hints of an earlier one, whose letters are numbered from 1."""
    for place in range(len(guess)):
        if marks[place] == 3 and guess[place] + 1 != earlier[place]:
            return False
        if marks[place] == 2 or marks[place] == 3:
            n_revealed, n_has = 0, 0
            for other in range(len(guess)):
                n_revealed += earlier[other] == earlier[place] and marks[other] > 1
                n_has += guess[other] + 1 == earlier[place]
            if n_has < n_revealed:
                return False
    return True


@bound_kernel
def row_for(state: State, game: int) -> int:
    """Return the row of an observation for the next move, after moving the others up if it is full."""
    n_rows = state.letters.shape[1]
    if state.n_made[game] < n_rows:
        return state.n_made[game]
    for row in range(n_rows - 1):
        state.letters[game, row] = state.letters[game, row + 1]
        state.marks[game, row] = state.marks[game, row + 1]
        if state.epsilons.shape[1]:
            state.epsilons[game, row] = state.epsilons[game, row + 1]
    state.marks[game, n_rows - 1] = 0
    return n_rows - 1


@bound_kernel
def pay(state: State, rules: Rules, game: int, before: float, expected: float, now: float, is_answer: bool) -> None:
    """Write the reward and the luck of a move that has been made; see `values`.

    Args:
        before: What the game cost before the move.
        expected: The expected cost before its clue, given the move.
        now: The same after it; NaN if there is no clue.
        is_answer: Whether it is an answer to a noisy game.
    """
    cost, won = state.paid[game] - before, (state.flags[game] & WON) > 0
    state.luck[game] = expected - now
    if not is_answer and not np.isnan(now):
        state.total[game] += expected - now
    state.credit[game] = expected if is_answer else state.paid[game]
    if rules.reward == COST:
        state.reward[game] = -cost
    elif rules.reward == WIN:
        state.reward[game] = 1.0 if won else 0.0
    else:
        weight, worth = state.weight[game], state.worth[game]
        if is_answer:
            state.reward[game] = before - expected + (0.0 if np.isnan(worth) else weight * (worth - before))
        else:
            state.reward[game] = weight * ((0.0 if np.isnan(worth) else worth) - expected) - (1 - weight) * cost
    state.worth[game] = now


@bound_kernel
def lose(state: State, rules: Rules, game: int, flags: int) -> None:
    """End a game by a move that gets no clue."""
    before = state.paid[game]
    state.paid[game], state.flags[game] = rules.loss_cost, flags
    pay(state, rules, game, before, rules.loss_cost, np.nan, False)


@bound_kernel
def cost_of(shares: np.ndarray, gains: np.ndarray, n_made: int, loss_cost: float) -> float:
    """Return the expected cost of a game, given the chances to win within so many more guesses."""
    cost = loss_cost
    for place in range(n_made, len(gains)):
        cost -= gains[place] * shares[min(place - n_made, len(shares) - 1)]
    return cost


class Room(NamedTuple):
    """Space for `ask`, one for each thread."""

    parted: np.ndarray  # int32[answers]
    firsts: np.ndarray  # int64[answers + 1]
    codes: np.ndarray  # int64[answers]
    counts: np.ndarray  # int64[codes], zeros
    seen: np.ndarray  # int64[codes], zeros
    stamp: np.ndarray  # int64[1]
    shares: np.ndarray  # float64[rounds]
    costs: np.ndarray  # float64[codes]: the outcome


@bound_kernel
def ask(tables: Tables, rules: Rules, guess: int, some: np.ndarray, n_made: int, room: Room) -> tuple[float, int]:
    """Write the expected cost after each clue of a guess into `room.costs`, and return its mean and the parts.

    Args:
        guess: The guess.
        some: The answers that are left.
        n_made: The number of guesses before.
        room: Space, in which the parts of `some` are left.
    """
    n_parts = part_of(tables.rows[guess], some, room.parted, room.firsts, room.codes, room.counts)
    mean, n_codes = 0.0, len(room.counts)
    for part in range(n_parts):
        inside, code = room.parted[room.firsts[part] : room.firsts[part + 1]], room.codes[part]
        if code == n_codes - 1:
            for left in range(len(room.shares)):
                room.shares[left] = 1.0
        else:
            most, room.stamp[0] = split(tables.own, inside, room.seen, room.stamp[0])
            fill_shares(len(inside), most, tables.logs, tables.weights, room.shares)
        room.costs[code] = cost_of(room.shares, tables.gains, n_made, rules.loss_cost)
        mean += len(inside) / len(some) * room.costs[code]
    return mean, n_parts


@bound_kernel
def learn_first(tables: Tables, rules: Rules, chosen: np.ndarray, room: Room) -> None:
    """Find what these first guesses are worth, once for all games."""
    every = np.arange(len(tables.answers)).astype(np.int32)
    for guess in chosen:
        mean, n_parts = ask(tables, rules, guess, every, 0, room)
        for part in range(n_parts):
            tables.first[guess, room.codes[part]] = room.costs[room.codes[part]]
        tables.first_mean[guess] = mean


@bound_kernel
def play_guesses(
    state: State, tables: Tables, rules: Rules, actions: np.ndarray, games: np.ndarray, room: Room
) -> None:
    """Make a move in each of these games, which a right guess ends.

    Args:
        actions: The number of the guess of each game of `state`.
        games: The indices of the games.
        room: Space.
    """
    spare = np.zeros(26, np.int8)
    for game in games:
        guess, n_made = actions[game], state.n_made[game]
        if not 0 <= guess < len(tables.guesses):
            lose(state, rules, game, ENDED | ILLEGAL)
            continue
        word = tables.guesses[guess]
        if rules.uses_hints and n_made > 0:
            last = min(n_made, state.letters.shape[1]) - 1
            if not uses_hints(word, state.letters[game, last], state.marks[game, last]):
                lose(state, rules, game, ENDED | ILLEGAL)
                continue
        row = row_for(state, game)
        marks = state.marks[game, row]
        won = write_marks(word, tables.answers[state.secret[game]], rules.has_spares, marks, spare)
        code = 0
        for place in range(len(word)):
            state.letters[game, row, place] = word[place] + 1
            code = 3 * code + marks[place] - 1
        before = state.paid[game]
        state.n_made[game], state.paid[game] = n_made + 1, n_made + 1.0
        state.flags[game] = ENDED | WON if won else 0
        if not won and n_made + 1 == rules.max_guesses:
            state.flags[game], state.paid[game] = ENDED, rules.loss_cost
        expected, now = 0.0, np.nan
        if rules.has_luck and n_made == 0:
            expected, now = tables.first_mean[guess], tables.first[guess, code]
            size, clues = 0, tables.rows[guess]
            for answer in range(len(clues)):
                if clues[answer] == code:
                    state.members[game, size] = answer
                    size += 1
            state.size[game] = size
        elif rules.has_luck:
            some = state.members[game, : int(state.size[game])]
            expected, n_parts = ask(tables, rules, guess, some, n_made, room)
            now, part = room.costs[code], 0
            while part < n_parts and room.codes[part] != code:
                part += 1
            size = 0
            for place in range(room.firsts[part], room.firsts[part + 1]):
                state.members[game, size] = room.parted[place]
                size += 1
            state.size[game] = size
        pay(state, rules, game, before, expected, now, False)


@bound_kernel
def play_noisy(
    state: State, tables: Tables, rules: Rules, actions: np.ndarray, prices: np.ndarray, games: np.ndarray, room: Room
) -> None:
    """Make a move in each of these noisy games; see `play_guesses`.

    Args:
        prices: The epsilon of each game's move.
    """
    spare, block, digest = np.zeros(26, np.int8), np.zeros(BLOCK, np.uint8), np.zeros(8, np.uint64)
    length, loss = tables.guesses.shape[1], rules.loss_cost
    n_codes = 3**length
    largest, kept, factors = np.zeros(n_codes), np.zeros(n_codes), np.zeros(n_codes)
    for game in games:
        guess, price, n_made = actions[game], prices[game], state.n_made[game]
        if not (0 <= guess < len(tables.guesses) and 0 <= price < np.inf):
            lose(state, rules, game, ENDED | ILLEGAL)
            continue
        answer, word = tables.answer_of[guess], tables.guesses[guess]
        if price == 0 and answer < 0:
            lose(state, rules, game, ENDED | ILLEGAL)
            continue
        if price > 0 and n_made + 1 == rules.max_guesses:
            lose(state, rules, game, ENDED)
            continue
        before, row = state.paid[game], row_for(state, game)
        for place in range(length):
            state.letters[game, row, place] = word[place] + 1
        state.epsilons[game, row] = min(price, loss)
        state.n_made[game] = n_made + 1
        weights = state.members[game]
        if price == 0:
            won = answer == state.secret[game]
            chance = weights[answer] / state.size[game] if rules.has_luck else 0.0
            state.flags[game] = ENDED | WON if won else ENDED
            state.paid[game] = before if won else loss
            pay(state, rules, game, before, loss - (loss - before) * chance, before if won else loss, True)
            continue
        state.paid[game] = min(loss, np.round(before + price, 5))
        marks = state.marks[game, row]
        write_marks(word, tables.answers[state.secret[game]], rules.has_spares, marks, spare)
        keep = 1 / (1 + 2 * exp(-price / length))
        first, middle = keep * 4294967296.0, (1 + keep) / 2 * 4294967296.0
        fill_draw(state.key[game], NOISE, state.number[game], n_made + 1, block, digest)
        code = 0
        for place in range(length):
            drawn = 0
            for byte in range(4):
                drawn = 256 * drawn + byte_of(digest, 4 * place + byte)
            if drawn >= first:
                marks[place] = (marks[place] - 1 + (1 if drawn < middle else 2)) % 3 + 1
            code = 3 * code + marks[place] - 1
        state.flags[game] = 0
        expected, now = 0.0, np.nan
        if rules.has_luck:
            clues, left = tables.rows[guess], loss - state.paid[game]
            for place in range(n_codes):
                largest[place] = 0.0
            fill_largest(largest, weights, clues)
            for place in range(n_codes):
                kept[place] = largest[place]
            expected = loss - left * expected_top(kept, price / length, length) / state.size[game]
            fill_factors(factors, largest, code, price / length, length)
            top = multiply(weights, factors, clues, weights)
            if 0 < top < MIN_SCALE:
                for place in range(len(weights)):
                    weights[place] /= top
                top = 1.0
            state.size[game] = total_of(weights)
            now = loss - left * top / state.size[game]
        pay(state, rules, game, before, expected, now, False)
