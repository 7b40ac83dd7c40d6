"""Many games at once in compiled code; `episodes.Episode` is the plain twin.

Kernels write into the arrays of `GameStates`, for games `low` to `high` of them, so that threads share the games.
"""

from math import exp
from typing import NamedTuple

import numpy as np

from wordpl.apps.envs.hashes import BLOCK, byte_of, fill_draw, fill_keyed, remainder
from wordpl.apps.envs.tasks import REWARDS, Task, gains
from wordpl.core.words import letters
from wordpl.kernels.clue_matrix import answer_rows, matrix_of
from wordpl.kernels.compiled import Bool, Float, Int, compiler, step
from wordpl.stats.clue_luck import MIN_SCALE, expected_top, fill_factors, fill_largest, multiply, total_of
from wordpl.stats.guess_luck import part_of
from wordpl.stats.set_values import WEIGHTS, fill_shares, split

bound_kernel = compiler(is_bound=True, uses=("stats",), cache=True, nogil=True)
"""Compiles again after a change of the kernels of `wordpl.stats`, too."""

ENDED, WON, ILLEGAL = 1, 2, 4
"""Flags of how a move ended; a game that ended without the others is lost by the rules."""
COST, WIN, LUCK_FREE = 0, 1, 2
"""Numbers of the rewards."""


class GameStates(NamedTuple):
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


GAME, SECRET, NOISE = (np.frombuffer(bytearray(text), np.uint8) for text in (b"game", b"secret", b"noise"))


@bound_kernel
def begin(state: GameStates, tables: Tables, rules: Rules, chosen: np.ndarray) -> None:
    """Begin the games with these indices, whose numbers have been written."""
    block, digest = np.zeros(BLOCK, np.uint8), np.zeros(8, np.uint64)
    numbers, secrets, n_made, paid = state.number, state.secret, state.n_made, state.paid
    letters, marks, epsilons, members, size = state.letters, state.marks, state.epsilons, state.members, state.size
    worth, total, credit, n_answers = state.worth, state.total, state.credit, len(tables.answers)
    sets_weights = rules.has_luck and len(tables.gains) == 0
    for game in chosen:
        fill_draw(tables.run, GAME, numbers[game], 0, block, digest)
        fill_keyed(digest, 64, state.key[game])
        fill_draw(state.key[game], SECRET, numbers[game], 0, block, digest)
        secrets[game] = remainder(digest, n_answers)
        n_made[game], paid[game], size[game] = 0, 0.0, n_answers
        worth[game], total[game], credit[game] = np.nan, 0.0, 0.0
        for row in range(letters.shape[1]):
            for place in range(letters.shape[2]):
                letters[game, row, place], marks[game, row, place] = 0, 0
        for row in range(epsilons.shape[1]):
            epsilons[game, row] = 0.0
        if sets_weights:
            for answer in range(n_answers):
                members[game, answer] = 1.0


@step
def write_clue(
    guesses: np.ndarray, guess: Int, answers: np.ndarray, answer: Int, has_spares: Bool, marks: np.ndarray, game: Int,
    row: Int, spare: np.ndarray,
) -> Int:  # fmt: skip
    """Write the true clue with 1, 2, 3 for `.`, `i`, `c` into a row of marks, and return its number.

    Args:
        guesses, guess: Letter codes, and which ones.
        answers, answer: The same for the secret.
        has_spares: Whether repeated letters are counted.
        marks, game, row: The output.
        spare: Zeros, and zeros again afterwards, int8[26].
    """
    code = 0
    for place in range(guesses.shape[1]):
        if guesses[guess, place] != answers[answer, place] or not has_spares:
            spare[answers[answer, place]] += 1
    for place in range(guesses.shape[1]):
        letter, mark = guesses[guess, place], 1
        if letter == answers[answer, place]:
            mark = 3
        elif spare[letter] > 0:
            mark = 2
            if has_spares:
                spare[letter] -= 1
        marks[game, row, place] = mark
        code = 3 * code + mark - 1
    for place in range(guesses.shape[1]):
        spare[answers[answer, place]] = 0
    return code


@bound_kernel
def uses_hints(guesses: np.ndarray, guess: int, letters: np.ndarray, marks: np.ndarray, game: int, row: int) -> bool:
    """Return whether a guess uses all hints of an earlier one, whose letters are numbered from 1."""
    fits = True
    for place in range(guesses.shape[1]):
        earlier, mark = letters[game, row, place], marks[game, row, place]
        if mark == 3 and guesses[guess, place] + 1 != earlier:
            fits = False
        if mark > 1:
            n_revealed, n_has = 0, 0
            for other in range(guesses.shape[1]):
                n_revealed += letters[game, row, other] == earlier and marks[game, row, other] > 1
                n_has += guesses[guess, other] + 1 == earlier
            if n_has < n_revealed:
                fits = False
    return fits


@bound_kernel
def move_up(letters: np.ndarray, marks: np.ndarray, epsilons: np.ndarray, game: int) -> None:
    """Make room for a row of an observation by moving all others up."""
    n_rows = letters.shape[1]
    for row in range(n_rows):
        for place in range(letters.shape[2]):
            letters[game, row, place] = letters[game, row + 1, place] if row + 1 < n_rows else 0
            marks[game, row, place] = marks[game, row + 1, place] if row + 1 < n_rows else 0
        if epsilons.shape[1]:
            epsilons[game, row] = epsilons[game, row + 1] if row + 1 < n_rows else 0.0


@step
def reward_of(
    rules: Rules, cost: Float, won: Bool, weight: Float, worth: Float, before: Float, expected: Float, is_answer: Bool
) -> Float:
    """Return the reward of a move; see `values`.

    Args:
        rules: Which reward it is.
        cost: What the move cost, with what a loss costs.
        won: Whether it won.
        weight: The coefficient of the luck.
        worth: The expected cost of the game before the move; NaN at first.
        before: What the game cost before the move.
        expected: The expected cost before its clue, given the move.
        is_answer: Whether it is an answer to a noisy game.
    """
    reward = -cost
    if rules.reward == WIN:
        reward = 1.0 if won else 0.0
    elif rules.reward == LUCK_FREE:
        is_first = np.isnan(worth)
        if is_answer:
            reward = before - expected + (0.0 if is_first else weight * (worth - before))
        else:
            reward = weight * ((0.0 if is_first else worth) - expected) - (1 - weight) * cost
    return reward


@bound_kernel
def cost_of(shares: np.ndarray, gains: np.ndarray, n_made: int, loss_cost: float) -> float:
    """Return the expected cost of a game, given the chances to win within so many more guesses."""
    cost = loss_cost
    for place in range(n_made, len(gains)):
        cost -= gains[place] * shares[min(place - n_made, len(shares) - 1)]
    return cost


class Workspace(NamedTuple):
    """Space for `ask`, one for each thread."""

    parted: np.ndarray  # int32[answers]
    firsts: np.ndarray  # int64[answers + 1]
    codes: np.ndarray  # int64[answers]
    counts: np.ndarray  # int64[codes], zeros
    seen: np.ndarray  # int64[codes], zeros
    stamp: np.ndarray  # int64[1]
    shares: np.ndarray  # float64[rounds]
    costs: np.ndarray  # float64[codes]: the outcome


def tables_of(task: Task, *, has_luck: bool) -> Tables:
    """Return what all games of a task share; `has_luck`: whether the luck of clues is measured."""
    lists, game, asks = task.lists, task.game, has_luck and not task.has_epsilon
    of_answer = answer_rows(lists)
    answer_of = np.full(len(lists.guesses), -1, np.int32)
    answer_of[of_answer] = np.arange(len(lists.answers))
    matrix = matrix_of(lists, game.clue_rule) if has_luck else np.zeros((0, 0), np.uint8)
    return Tables(
        run=np.zeros(8, np.uint64),
        guesses=letters(lists.guesses),
        answers=letters(lists.answers),
        answer_of=answer_of,
        rows=matrix,
        own=np.ascontiguousarray(matrix[of_answer]) if asks else np.zeros((0, 0), matrix.dtype),
        first=np.zeros((len(lists.guesses), 3**lists.length) if asks else (0, 0)),
        first_mean=np.full(len(lists.guesses) if asks else 0, np.nan),
        gains=np.zeros(0) if task.has_epsilon else gains(task),
        logs=np.log2(np.maximum(1, np.arange(len(lists.answers) + 1))),
        weights=WEIGHTS,
    )


def rules_of(task: Task, *, has_luck: bool) -> Rules:
    """Return the numbers of a task's game."""
    game = task.game
    is_counted = game.clue_rule == "counted"
    reward = REWARDS.index(task.reward)
    return Rules(reward, has_luck, game.uses_hints, is_counted, game.max_guesses, task.loss_cost)


def room_of(task: Task) -> Workspace:
    """Return space for `ask`."""
    n_answers, n_codes = len(task.lists.answers), 3**task.lists.length
    return Workspace(
        parted=np.zeros(n_answers, np.int32),
        firsts=np.zeros(n_answers + 1, np.int64),
        codes=np.zeros(n_answers, np.int64),
        counts=np.zeros(n_codes, np.int64),
        seen=np.zeros(n_codes, np.int64),
        stamp=np.zeros(1, np.int64),
        shares=np.zeros(WEIGHTS.shape[0] + 2),
        costs=np.zeros(n_codes),
    )


@bound_kernel
def ask(
    tables: Tables, rules: Rules, guess: int, some: np.ndarray, n_made: int, shown: int, room: Workspace
) -> tuple[float, int]:
    """Write the expected cost after each clue of a guess into `room.costs`, and return its mean and the shown part.

    Args:
        guess: The guess.
        some: The answers that are left.
        n_made: The number of guesses before.
        shown: The clue that was shown.
        room: Space, in which the parts of `some` are left.
    """
    parted, firsts, codes, shares, costs = room.parted, room.firsts, room.codes, room.shares, room.costs
    n_parts, mean, found = part_of(tables.rows[guess], some, parted, firsts, codes, room.counts), 0.0, 0
    own, logs, weights, gains, seen, stamp = (
        tables.own, tables.logs, tables.weights, tables.gains, room.seen, room.stamp[0]
    )  # fmt: skip
    for part in range(n_parts):
        size, code, most = firsts[part + 1] - firsts[part], codes[part], 1
        if code == len(room.counts) - 1:
            for left in range(len(shares)):
                shares[left] = 1.0
        else:
            if size > 1:
                most, stamp = split(own, parted[firsts[part] : firsts[part + 1]], seen, stamp)
            fill_shares(size, most, logs, weights, shares)
        costs[code] = cost_of(shares, gains, n_made, rules.loss_cost)
        mean += size / len(some) * costs[code]
        if code == shown:
            found = part
    room.stamp[0] = stamp
    return mean, found


@bound_kernel
def learn_first(tables: Tables, rules: Rules, chosen: np.ndarray, room: Workspace) -> None:
    """Find what these first guesses are worth, once for all games."""
    every = np.arange(len(tables.answers)).astype(np.int32)
    for guess in chosen:
        tables.first_mean[guess] = ask(tables, rules, guess, every, 0, 0, room)[0]
        for code in range(len(room.costs)):
            tables.first[guess, code] = room.costs[code]


@bound_kernel
def play_guesses(
    state: GameStates, tables: Tables, rules: Rules, actions: np.ndarray, games: np.ndarray, room: Workspace
) -> None:
    """Make a move in each of these games, which a right guess ends.

    Args:
        actions: The number of the guess of each game of `state`.
        games: The indices of the games.
        room: Space.
    """
    spare = np.zeros(26, np.int8)
    letters, marks, members, size = state.letters, state.marks, state.members, state.size
    n_made, paid, flags, secret, worth = state.n_made, state.paid, state.flags, state.secret, state.worth
    reward, luck, total, credit, weight = state.reward, state.luck, state.total, state.credit, state.weight
    guesses, answers, rows, loss = tables.guesses, tables.answers, tables.rows, rules.loss_cost
    has_spares, has_luck, winning = rules.has_spares, rules.has_luck, 3 ** guesses.shape[1] - 1
    for game in games:
        guess, row, before = actions[game], n_made[game], paid[game]
        legal = 0 <= guess < len(guesses)
        if legal and rules.uses_hints and row > 0:
            legal = uses_hints(guesses, guess, letters, marks, game, row - 1)
        flag, spent, expected, now = ENDED | ILLEGAL, loss, loss, np.nan
        if legal:
            for place in range(guesses.shape[1]):
                letters[game, row, place] = guesses[guess, place] + 1
            code = write_clue(guesses, guess, answers, secret[game], has_spares, marks, game, row, spare)
            n_made[game], spent, flag = row + 1, row + 1.0, 0
            if code == winning:
                flag = ENDED | WON
            elif row + 1 == rules.max_guesses:
                flag, spent = ENDED, loss
            if has_luck and row == 0:
                expected, now = tables.first_mean[guess], tables.first[guess, code]
                n_left = 0
                for answer in range(len(answers)):
                    if rows[guess, answer] == code:
                        members[game, n_left] = answer
                        n_left += 1
                size[game] = n_left
            elif has_luck:
                expected, part = ask(tables, rules, guess, members[game, : int(size[game])], row, code, room)
                now, first = float(room.costs[code]), room.firsts[part]
                n_left = room.firsts[part + 1] - first
                for place in range(n_left):
                    members[game, place] = room.parted[first + place]
                size[game] = n_left
        reward[game] = reward_of(rules, spent - before, flag & WON, weight[game], worth[game], before, expected, False)
        paid[game], flags[game], credit[game], worth[game] = spent, flag, spent, now
        luck[game] = 0.0 if np.isnan(now) else expected - now
        total[game] += luck[game]


@bound_kernel
def play_noisy(
    state: GameStates, tables: Tables, rules: Rules, actions: np.ndarray, prices: np.ndarray, games: np.ndarray
) -> None:
    """Make a move in each of these noisy games; see `play_guesses`.

    Args:
        prices: The epsilon of each game's move.
    """
    spare, block, digest = np.zeros(26, np.int8), np.zeros(BLOCK, np.uint8), np.zeros(8, np.uint64)
    letters, marks, epsilons, members, size = state.letters, state.marks, state.epsilons, state.members, state.size
    n_made, paid, flags, secret, worth = state.n_made, state.paid, state.flags, state.secret, state.worth
    reward, luck, total, credit, weight = state.reward, state.luck, state.total, state.credit, state.weight
    guesses, answers, rows, loss = tables.guesses, tables.answers, tables.rows, rules.loss_cost
    length, n_rows, n_codes = guesses.shape[1], letters.shape[1], 3 ** guesses.shape[1]
    largest, kept, factors = np.zeros(n_codes), np.zeros(n_codes), np.zeros(n_codes)
    for game in games:
        guess, price, before = actions[game], prices[game], paid[game]
        legal = 0 <= guess < len(guesses) and 0 <= price < np.inf
        answer = tables.answer_of[guess] if legal else -1
        is_answer = legal and price == 0
        if is_answer and answer < 0:
            legal, is_answer = False, False
        flag, spent, expected, now = ENDED | ILLEGAL, loss, loss, np.nan
        if legal and not is_answer and n_made[game] + 1 == rules.max_guesses:
            flag, legal = ENDED, False
        if legal:
            row = n_made[game]
            if row >= n_rows:
                move_up(letters, marks, epsilons, game)
                row = n_rows - 1
            for place in range(length):
                letters[game, row, place] = guesses[guess, place] + 1
            epsilons[game, row] = min(price, loss)
            n_made[game] += 1
        if is_answer:
            won = answer == secret[game]
            flag, spent, now = ENDED | WON if won else ENDED, before if won else loss, before if won else loss
            if rules.has_luck:
                expected = loss - (loss - before) * members[game, answer] / size[game]
        elif legal:
            flag, spent = 0, min(loss, np.round(before + price, 5))
            write_clue(guesses, guess, answers, secret[game], rules.has_spares, marks, game, row, spare)
            keep = 1 / (1 + 2 * exp(-price / length))
            first, middle = keep * 4294967296.0, (1 + keep) / 2 * 4294967296.0
            fill_draw(state.key[game], NOISE, state.number[game], n_made[game], block, digest)
            code = 0
            for place in range(length):
                drawn = 0
                for byte in range(4):
                    drawn = 256 * drawn + byte_of(digest, 4 * place + byte)
                if drawn >= first:
                    marks[game, row, place] = (marks[game, row, place] - 1 + (1 if drawn < middle else 2)) % 3 + 1
                code = 3 * code + marks[game, row, place] - 1
            if rules.has_luck:
                weights, clues, left = members[game], rows[guess], loss - spent
                for place in range(n_codes):
                    largest[place] = 0.0
                fill_largest(largest, weights, clues)
                for place in range(n_codes):
                    kept[place] = largest[place]
                expected = loss - left * expected_top(kept, price / length, length) / size[game]
                fill_factors(factors, largest, code, price / length, length)
                top = multiply(weights, factors, clues, weights)
                if 0 < top < MIN_SCALE:
                    for place in range(len(weights)):
                        weights[place] /= top
                    top = 1.0
                size[game] = total_of(weights)
                now = loss - left * top / size[game]
        reward[game] = reward_of(
            rules, spent - before, flag & WON, weight[game], worth[game], before, expected, is_answer
        )
        paid[game], flags[game], worth[game] = spent, flag, now
        luck[game] = 0.0 if np.isnan(now) else expected - now
        credit[game] = expected if is_answer and rules.has_luck else spent
        if not is_answer:
            total[game] += luck[game]
