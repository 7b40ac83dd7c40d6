"""Worker tasks for puzzles: suggestions and the effect of a guess, with true or false clues, and why no answer fits."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wordpl import games
from wordpl.apps.terminal import display as game_hints
from wordpl.apps.terminal.app import setups
from wordpl.apps.terminal.app.setups import Setup, WordChoice, changed
from wordpl.contest.session import ANSWER_PROBABILITY, Session, Suggestion, expected_bits, suggestion, without_kernels
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES, decode, keep_probability
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.kernels.clue_matrix import clue_row, guess_rows, matrix_fits, matrix_of
from wordpl.kernels.posterior import Posterior
from wordpl.solvers import trees
from wordpl.solvers.channel_information import expected_information
from wordpl.solvers.noisy.clue_entropy import channel, clue_entropies
from wordpl.solvers.search import INFEASIBLE, ClassicSearch, Position, best_guesses
from wordpl.solvers.search.position import promising
from wordpl.solvers.search.problem import RULE, Problem

Hint = tuple[str, str]
N_EXAMPLE_WORDS = 4


def first_contradiction(
    hints: Sequence[Hint], rule: str, answers: Sequence[str], guesses: Sequence[str]
) -> tuple[int, str] | None:
    """Return the row, counted from 0, after which no answer is left, and the reason; None if there is none.

    Args:
        hints: The guesses with their clues.
        rule: A key of `clues.CLUE_RULES`.
        answers: The words that can be the secret.
        guesses: The words to search for a fitting one if no answer fits.
    """
    remaining: Sequence[str] = answers
    for row, hint in enumerate(hints):
        fitting_words = _fitting(remaining, [hint], rule)
        if not fitting_words:
            return row, _reason(hints[: row + 1], rule, remaining, guesses)
        remaining = fitting_words
    return None


def _fitting(words: Sequence[str], hints: Sequence[Hint], rule: str) -> list[str]:
    clue = CLUE_RULES[rule]
    for guess, clues in hints:
        words = [word for word in words if clue(guess, word) == clues]
    return list(words)


def _reason(hints: Sequence[Hint], rule: str, remaining: Sequence[str], guesses: Sequence[str]) -> str:
    if conflict := letter_conflict(hints, rule):
        return conflict
    other_words = _fitting(guesses, hints, rule)
    if other_words:
        examples = ", ".join(other_words[:N_EXAMPLE_WORDS]) + (", ..." if len(other_words) > N_EXAMPLE_WORDS else "")
        return f"No answer in the list gives this clue, but other words do: {examples}."
    guess, clues = hints[-1]
    given = ((CLUE_RULES[rule](guess, word), word) for word in remaining)
    nearest = min((sum(a != b for a, b in zip(marks, clues, strict=True)), word) for marks, word in given)
    marks = "marks" if nearest[0] > 1 else "mark"
    above = " after the rows above" if len(hints) > 1 else ""
    return f"No word gives this clue{above}; the closest is {nearest[1].upper()}, with {nearest[0]} different {marks}."


def letter_conflict(hints: Sequence[Hint], rule: str) -> str:
    """Return a sentence about marks that cannot be true together for any word; "" if none are found.

    A reported conflict is always real, but conflicts that involve several letters may be missed.
    """
    placed: dict[int, tuple[str, int]] = {}
    for row, (guess, clues) in enumerate(hints):
        for place, (letter, mark) in enumerate(zip(guess, clues, strict=True)):
            if mark != "c":
                continue
            placed_letter, source = placed.setdefault(place, (letter, row))
            if placed_letter != letter:
                return (
                    f"Letter {place + 1} can't be both {placed_letter.upper()} (row {source + 1}) and {letter.upper()}."
                )
    return _misplaced(hints, placed) or _miscounted(hints, rule)


def _misplaced(hints: Sequence[Hint], placed: dict[int, tuple[str, int]]) -> str:
    for row, (guess, clues) in enumerate(hints):
        for place, (letter, mark) in enumerate(zip(guess, clues, strict=True)):
            placed_letter, source = placed.get(place, ("", 0))
            if mark != "c" and placed_letter == letter:
                return (
                    f"{letter.upper()} is in place {place + 1} according to row {source + 1}, "
                    f"but row {row + 1} says that it is not."
                )
    return ""


def _miscounted(hints: Sequence[Hint], rule: str) -> str:
    min_counts: dict[str, tuple[int, int]] = {}
    max_counts: dict[str, tuple[int, int]] = {}
    for row, (guess, clues) in enumerate(hints):
        for letter in dict.fromkeys(guess):
            marks = [mark for own, mark in zip(guess, clues, strict=True) if own == letter]
            revealed = sum(mark != "." for mark in marks)
            if rule != "counted":  # repeated letters are marked independently
                if 0 < revealed < len(marks):
                    return f"Row {row + 1} says both that {letter.upper()} is in the word and that it is not."
                revealed = min(revealed, 1)
            min_counts[letter] = max(min_counts.get(letter, (0, row)), (revealed, row), key=lambda count: count[0])
            if "." in marks:
                max_counts[letter] = min(max_counts.get(letter, (99, row)), (revealed, row), key=lambda count: count[0])
    for letter, (n_least, source) in min_counts.items():
        n_most, max_source = max_counts.get(letter, (99, 0))
        if n_least > n_most:
            return (
                f"Row {source + 1} says that the word has {_times(letter, n_least)}, "
                f"row {max_source + 1} that it has {_times(letter, n_most, at_most=True)}."
            )
    n_needed, length = sum(n for n, _ in min_counts.values()), len(hints[0][0]) if hints else 0
    return (
        f"The rows mark {n_needed} different letters, more than the {length} of the word." if n_needed > length else ""
    )


def _times(letter: str, n: int, at_most: bool = False) -> str:
    if n == 0:
        return f"no {letter.upper()}"
    times = "" if n == 1 else f" {n} times"
    return f"{letter.upper()}{times}" + (" at most once" if at_most and n == 1 else " at most" if at_most else "")


_DEFINED: dict[str, WordChoice] = {}


def define_words(name: str, choice: WordChoice, rule: str) -> None:
    """Define words under a name, with their clue matrix, and replace those that had the name before.

    Args:
        name: The name.
        choice: The words.
        rule: The rule of clues, a key of `clues.CLUE_RULES`.
    """
    _DEFINED[name] = choice
    if matrix_fits(choice.lists):
        matrix_of(choice.lists, rule)


Message = dict[str, Any]
Hints = Sequence[tuple[str, str]]
MAX_ANSWERS_SENT = 400
MAX_PARTS_SENT = 40
N_EXAMPLES = 6


def warm_up() -> None:
    """Load the compiled search and the clue matrix of the contest's words, by running a small search."""
    lists = words.here()
    position = Problem(lists, (("tares", "....i"),) if lists.length == 5 else ()).position()
    ClassicSearch(position, 10).rate(int(promising(position)[0]))


def suggest(name: str, setup: Setup, hints: Hints) -> Iterator[Message]:
    """Yield the remaining answers, then each guess with its rating as soon as the search has found it.

    Args:
        name: The name under which the word lists were defined.
        setup: How the puzzle is solved.
        hints: The guesses so far with their clues.
    """
    choice, began = _DEFINED[name], time.process_time()
    if contradiction := first_contradiction(hints, RULE, choice.answers, choice.guesses):
        yield {"kind": "contradiction", "row": contradiction[0], "reason": contradiction[1]}
        return
    position = position_of(choice, setup, hints)
    yield from _remaining_answers(choice, position, setup)
    if setup.tree:
        yield {"kind": "tree", "guess": tree_guess(Path(setup.tree), hints)}
    if not hints and (cached := setups.load_opening(setup, choice)):
        yield from cached
        return
    yield from _search(position, choice, setup, began, saves_opening=not hints)


def _search(
    position: Position, choice: WordChoice, setup: Setup, began: float, saves_opening: bool
) -> Iterator[Message]:
    ratings = []
    search = ClassicSearch(position, None if setup.exact else setup.width)
    guesses = search.promising()[: setup.top]
    for guess in guesses:
        rating = search.rate(int(guess))
        row = _row(choice.lists.guesses, position, int(guess), rating.bound)
        ratings.append({"kind": "rating", "n_wanted": len(guesses), **row})
        yield ratings[-1]
    ranking = best_guesses(search, setup.top)
    for best in ranking.ratings[:1]:  # the best guess may not be among the promising ones
        if best.guess not in guesses:
            row = _row(choice.lists.guesses, position, best.guess, best.bound)
            ratings.append({"kind": "rating", "n_wanted": len(guesses) + 1, **row})
            yield ratings[-1]
    effort = {"n_searched": search.n_searched, "cpu_s": time.process_time() - began}
    done = {"kind": "done", "is_optimal": ranking.is_optimal, **effort}
    if saves_opening:
        setups.save_opening(setup, choice, [*ratings, done])
    yield done


def position_of(choice: WordChoice, terms: Setup, hints: Hints) -> Position:
    """Return the position after these clues. Raises UserError if no guess or no answer is left."""
    limit = terms.limit or None
    if limit is not None and len(hints) >= limit:
        raise UserError(f"all {limit} guesses are used. Undo one, or raise the limit in the setup (0: no limit).")
    return Problem(choice.lists, tuple(hints), limit, terms.is_hard, choice.prior()).position()


def tree_guess(path: Path, hints: Hints) -> str:
    """Return the next guess of the tree, or "" if earlier guesses were not the tree's or the tree ends here."""
    node: trees.Tree | None = trees.load(path)[0]
    for guess, clues in hints:
        if node is None or node.guess != guess:
            return ""
        node = node.branches.get(clues)
    return node.guess if node else ""


def _remaining_answers(choice: WordChoice, position: Position, setup: Setup) -> Iterator[Message]:
    weights = _weights(position)
    chances = weights / weights.sum()
    order = np.argsort(-chances, kind="stable") if setup.order == "probability" else np.arange(len(chances))
    answers = choice.answers
    top_answers = [[answers[position.candidates[index]], float(chances[index])] for index in order[:MAX_ANSWERS_SENT]]
    bits = float(-(chances * np.log2(chances)).sum()) + 0.0
    yield {"kind": "left", "n": len(chances), "n_all": len(answers), "bits": bits, "answers": top_answers}


def _weights(position: Position) -> np.ndarray:
    if position.weights is None:
        return np.ones(len(position.candidates))
    return position.weights.astype(float)


def _row(guesses: Sequence[str], position: Position, guess: int, bound: int) -> Message:
    weights, clues = _weights(position), position.matrix[guess, position.candidates]
    shares = np.bincount(clues, weights) / weights.sum()
    likely = shares[shares > 0]
    return {
        "guess": guesses[guess],
        "expected": float(bound / weights.sum()) if bound < INFEASIBLE else None,
        "bits": float(-(likely * np.log2(likely)).sum()) + 0.0,
        "chance": float(weights[position.own == guess].sum() / weights.sum()),
        "worst": int(np.bincount(clues).max()),
    }


def effect(name: str, setup: Setup, hints: Hints, guess: str) -> Iterator[Message]:
    """Yield how a guess splits the remaining answers: each clue's probability, number of answers and examples."""
    choice = _DEFINED[name]
    position = position_of(choice, changed(setup, limit=0, game="wordle/1"), hints)
    row = guess_rows(choice.lists)[guess]
    codes, weights = matrix_of(choice.lists, RULE)[row, position.candidates], _weights(position)
    shares, sizes = np.bincount(codes, weights) / weights.sum(), np.bincount(codes)
    parts = []
    for code in np.argsort(-shares, kind="stable")[: min(MAX_PARTS_SENT, np.count_nonzero(sizes))]:
        members = position.candidates[codes == code][:N_EXAMPLES]
        examples = [choice.answers[column] for column in members]
        parts.append([decode(int(code), choice.lists.length), float(shares[code]), int(sizes[code]), examples])
    yield {
        "kind": "effect",
        "parts": parts,
        "n_parts": int(np.count_nonzero(sizes)),
        **{
            key: value
            for key, value in _row(choice.lists.guesses, position, row, INFEASIBLE).items()
            if key != "expected"
        },
    }


N_CLUES_SENT = 12
N_LIKELIEST = 30
Rows = Sequence[tuple[str, float, str]]
EPSILONS = (2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0)


def posterior_after(choice: WordChoice, rule: str, rows: Rows) -> Posterior:
    """Return the posterior of the answers after guesses with their epsilons and clues."""
    prior = choice.prior()
    if prior is None:
        posterior = Posterior.uniform(choice.lists, rule)
    else:
        with np.errstate(divide="ignore"):  # an answer with probability 0 has the log weight -inf
            posterior = Posterior(choice.lists, rule, np.log(prior / prior.max()))
    for guess, epsilon, clues in rows:
        posterior.update(guess, epsilon, clues)
    return posterior


def suggest_noisy(name: str, setup: Setup, rows: Rows) -> Iterator[Message]:
    """Yield the posterior, the guess and epsilon with the most information for its price, and the next best guesses.

    Args:
        name: The name under which the word lists were defined.
        setup: How the puzzle is solved.
        rows: The guesses so far with their epsilons and clues.
    """
    choice = _DEFINED[name]
    rule = setup.clue_rule
    posterior = posterior_after(choice, rule, rows)
    probabilities = posterior.probabilities
    top_answers = [[word, chance] for word, chance in posterior.top(MAX_ANSWERS_SENT)]
    n_likely = int(np.count_nonzero(probabilities >= 0.001))
    yield {"kind": "left", "n": n_likely, "n_all": len(probabilities), "bits": posterior.bits, "answers": top_answers}
    best, chance = posterior.best()
    move = suggestion(games.make_game(setup.game, choice.lists), posterior)
    yield {"kind": "suggestion", "guess": move.guess, "epsilon": move.epsilon, "best": best, "chance": chance,
           "is_answer": chance >= ANSWER_PROBABILITY}  # fmt: skip
    yield from _rated(choice.lists, rule, posterior, move, setup.top)
    yield {"kind": "done"}


def _rated(lists: WordLists, rule: str, posterior: Posterior, move: Suggestion, n: int) -> Iterator[Message]:
    probabilities, length = posterior.probabilities, lists.length
    matrix = matrix_of(lists, rule)
    with without_kernels():
        bits = clue_entropies(matrix, probabilities, move.epsilon, length) - _noise_bits(move.epsilon, length)
    chances = dict(zip(posterior.words, probabilities.tolist(), strict=True))
    suggested_row = guess_rows(lists)[move.guess]
    order = [suggested_row, *(int(row) for row in np.argsort(-bits, kind="stable")[:n] if row != suggested_row)][:n]
    for row in order:
        word = lists.guesses[row]
        yield {"kind": "rating", "n_wanted": len(order), "guess": word, "epsilon": move.epsilon,
               "bits": float(bits[row]), "chance": chances.get(word, 0.0)}  # fmt: skip


def _noise_bits(epsilon: float, length: int) -> float:
    keep = keep_probability(epsilon, length)
    return float(length * -(keep * np.log2(keep) + (1 - keep) * np.log2((1 - keep) / 2)))


def noisy_effect(name: str, setup: Setup, rows: Rows, guess: str, epsilon: float) -> Iterator[Message]:
    """Yield the expected information of a guess at this epsilon, and the most likely clues with their probabilities."""
    choice = _DEFINED[name]
    rule, length = setup.clue_rule, choice.lists.length
    posterior = posterior_after(choice, rule, rows)
    probabilities, row = posterior.probabilities, clue_row(choice.lists, rule, guess)
    bits = expected_bits(row[None, :], posterior, epsilon)
    joint = channel(epsilon, length)[:, row] * probabilities
    code_chances = joint.sum(axis=1)
    parts = []
    for code in np.argsort(-code_chances, kind="stable")[:N_CLUES_SENT]:
        chances_after = joint[code] / code_chances[code]
        leading = [posterior.words[column] for column in np.argsort(-chances_after, kind="stable")[:3]]
        parts.append(
            [decode(int(code), length), float(code_chances[code]), int((chances_after >= 0.001).sum()), leading]
        )
    yield {"kind": "effect", "parts": parts, "n_parts": 3**length, "guess": guess, "bits": bits,
           "keep": keep_probability(epsilon, length), "chance": dict(posterior.top(len(probabilities))).get(guess, 0.0),
           "sure": float(joint.max(axis=1).sum())}  # fmt: skip


def session_of(name: str, game: str, seed: str, number: int, secret: str, proposals: Sequence[Any]) -> Session:
    """Return the game after these moves. The same seed gives the same clues as before."""
    session = Session.stored(games.make_game(game, _DEFINED[name].lists), seed, number, secret)
    for proposal in proposals:
        session.play(proposal)
    return session


def letters(name: str, **game: Any) -> Iterator[Message]:
    """Yield the probability that each letter is in the secret, and the remaining bits."""
    session = session_of(name, **game)
    posterior = session.posterior()
    chances = session.letter_chances()
    yield {"kind": "letters", "chances": chances, "bits": posterior.bits, "top": posterior.top(N_LIKELIEST)}


def hints(name: str, **game: Any) -> Iterator[Message]:
    """Yield the hints as lines."""
    yield {"kind": "hints", "lines": game_hints.hints(session_of(name, **game))}


def review(name: str, **game: Any) -> Iterator[Message]:
    """Yield what each move of a game that has ended was worth, if such games are reviewed."""
    from wordpl.reports.game_reviews import review_lines, review_of  # pandas, which no other task needs

    session = session_of(name, **game)
    found = review_of(session.game, session.moves, session.secret, session.verdict)
    if found is not None and found.moves:
        yield {"kind": "review", "lines": review_lines(found)}


def price(name: str, guess: str, **game: Any) -> Iterator[Message]:
    """Yield, for some epsilons, the probability that a mark is true and the expected bits of this guess."""
    session = session_of(name, **game)
    probabilities, rows = session.posterior().probabilities, []
    for epsilon in EPSILONS:
        with without_kernels():
            (bits,) = expected_information(session.game, probabilities, [guess], epsilon)
        rows.append([epsilon, session.kept(epsilon=epsilon), float(bits)])
    yield {"kind": "price", "guess": guess, "rows": rows}
