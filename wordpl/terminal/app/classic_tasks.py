"""Worker tasks for puzzles with true clues: suggestions, and the effect of a guess."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wordpl.core import words
from wordpl.core.clues import decode
from wordpl.core.errors import UserError
from wordpl.kernels.clue_matrix import guess_rows, matrix_of
from wordpl.solvers import trees
from wordpl.solvers.search import INFEASIBLE, Position, Search
from wordpl.solvers.search.position import promising
from wordpl.solvers.search.problem import RULE, Problem
from wordpl.solvers.search.ranking import best_guesses
from wordpl.terminal.app import defined_words, openings
from wordpl.terminal.app.contradictions import first_contradiction
from wordpl.terminal.app.setups import Setup, changed

Message = dict[str, Any]
Hints = Sequence[tuple[str, str]]
MAX_ANSWERS_SENT = 400
MAX_PARTS_SENT = 40
N_EXAMPLES = 6


def warm_up() -> None:
    """Load the compiled search and the clue matrix of the contest's words, by running a small search."""
    lists = words.here()
    position = Problem(lists, (("tares", "....i"),) if lists.length == 5 else ()).position()
    Search(position, 10).rate(int(promising(position)[0]))


def suggest(name: str, setup: Setup, hints: Hints) -> Iterator[Message]:
    """Yield the remaining answers, then each guess with its rating as soon as the search has found it.

    Args:
        name: The name under which the word lists were defined.
        setup: How the puzzle is solved.
        hints: The guesses so far with their clues.
    """
    defined, began = defined_words.get(name), time.process_time()
    if contradiction := first_contradiction(hints, RULE, defined.choice.answers, defined.choice.guesses):
        yield {"kind": "contradiction", "row": contradiction.row, "reason": contradiction.reason}
        return
    position = position_of(defined, setup, hints)
    yield from _remaining_answers(defined, position, setup)
    if setup.tree:
        yield {"kind": "tree", "guess": tree_guess(Path(setup.tree), hints)}
    if not hints and (cached := openings.load(setup, defined.choice)):
        yield from cached
        return
    yield from _search(position, defined, setup, began, saves_opening=not hints)


def _search(
    position: Position, defined: defined_words.DefinedWords, setup: Setup, began: float, saves_opening: bool
) -> Iterator[Message]:
    ratings = []
    search = Search(position, None if setup.exact else setup.width)
    guesses = search.promising()[: setup.top]
    for guess in guesses:
        rating = search.rate(int(guess))
        row = _row(defined.lists.guesses, position, int(guess), rating.bound)
        ratings.append({"kind": "rating", "n_wanted": len(guesses), **row})
        yield ratings[-1]
    ranking = best_guesses(search, setup.top)
    for best in ranking.ratings[:1]:  # the best guess may not be among the promising ones
        if best.guess not in guesses:
            row = _row(defined.lists.guesses, position, best.guess, best.bound)
            ratings.append({"kind": "rating", "n_wanted": len(guesses) + 1, **row})
            yield ratings[-1]
    effort = {"n_searched": search.n_searched, "cpu_s": time.process_time() - began}
    done = {"kind": "done", "is_optimal": ranking.is_optimal, **effort}
    if saves_opening:
        openings.save(setup, defined.choice, [*ratings, done])
    yield done


def position_of(defined: defined_words.DefinedWords, terms: Setup, hints: Hints) -> Position:
    """Return the position after these clues. Raises UserError if no guess or no answer is left."""
    limit = terms.limit or None
    if limit is not None and len(hints) >= limit:
        raise UserError(f"all {limit} guesses are used. Undo one, or raise the limit in the setup (0: no limit).")
    return Problem(defined.lists, tuple(hints), limit, terms.is_hard, defined.choice.prior()).position()


def tree_guess(path: Path, hints: Hints) -> str:
    """Return the next guess of the tree, or "" if earlier guesses were not the tree's or the tree ends here."""
    node: trees.Tree | None = trees.load(path)[0]
    for guess, clues in hints:
        if node is None or node.guess != guess:
            return ""
        node = node.branches.get(clues)
    return node.guess if node else ""


def _remaining_answers(defined: defined_words.DefinedWords, position: Position, setup: Setup) -> Iterator[Message]:
    weights = _weights(position)
    chances = weights / weights.sum()
    order = np.argsort(-chances, kind="stable") if setup.order == "probability" else np.arange(len(chances))
    answers = defined.choice.answers
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
    defined = defined_words.get(name)
    position = position_of(defined, changed(setup, limit=0, game="wordle/1"), hints)
    row = guess_rows(defined.lists)[guess]
    codes, weights = matrix_of(defined.lists, RULE)[row, position.candidates], _weights(position)
    shares, sizes = np.bincount(codes, weights) / weights.sum(), np.bincount(codes)
    parts = []
    for code in np.argsort(-shares, kind="stable")[: min(MAX_PARTS_SENT, np.count_nonzero(sizes))]:
        members = position.candidates[codes == code][:N_EXAMPLES]
        examples = [defined.choice.answers[column] for column in members]
        parts.append([decode(int(code), defined.lists.length), float(shares[code]), int(sizes[code]), examples])
    yield {
        "kind": "effect",
        "parts": parts,
        "n_parts": int(np.count_nonzero(sizes)),
        **{
            key: value
            for key, value in _row(defined.lists.guesses, position, row, INFEASIBLE).items()
            if key != "expected"
        },
    }
