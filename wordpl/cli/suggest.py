"""`wordpl suggest`: suggest the next guess; guesses with clues, the problem, and sentences on what is known of it."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl import games
from wordpl.cli._arguments import answers_option, guesses_option, prior_option
from wordpl.cli._command import bind_game, json_option
from wordpl.cli._output import compile_meanwhile, print_json, say_wrapped, working
from wordpl.core import words
from wordpl.core.clues import read_clues
from wordpl.core.messages import UserError, amount, sanitize_untrusted_text
from wordpl.core.words import WordLists
from wordpl.games import Game, Wordle
from wordpl.games.classic import unused_hint

if TYPE_CHECKING:
    from wordpl.solvers.search import ClassicSearch, GuessRanking, Position, Rating
    from wordpl.solvers.search.problem import Problem

SHOWN_ANSWERS = 20


@click.command(name="suggest")
@click.argument("hints", nargs=-1, metavar="GUESS:CLUE...")
@click.option(
    "--width", default=50, show_default=True, type=click.IntRange(1), help="Number of guesses tried at each step."
)
@click.option("--exact", is_flag=True, help="Try all guesses at each step, including the next one.")
@click.option("--hard", is_flag=True, help="Hard mode: guesses must use all revealed hints.")
@click.option(
    "--game",
    "game_id",
    metavar="GAME",
    default=Wordle.facts.id,
    show_default=True,
    callback=bind_game,
    help="Game with a secret and true clues as in Wordle; your own: FILE:CLASS.",
)
@click.option(
    "--max-guesses",
    "limit",
    type=click.IntRange(1, 63),
    help="Maximum number of guesses. [default: that of the game]",
)
@prior_option
@click.option("--top", default=10, show_default=True, type=click.IntRange(1), help="Number of guesses to show.")
@answers_option
@guesses_option
@json_option
def command(
    hints: tuple[str, ...],
    width: int,
    exact: bool,
    hard: bool,
    game_id: str,
    limit: int | None,
    prior: str | None,
    top: int,
    answers: Path | None,
    guesses: Path | None,
    as_json: bool,
) -> None:
    """Suggest the next guess, given the clues so far.

    Each argument is a guess with its clue. A clue has one mark per letter: c for the correct place, i for a wrong
    place, . for a letter that is not in the word. You can also use G, Y and B, or the coloured squares that the game
    shares.

    \b
    wordpl suggest tares:....i crony:..c..
    wordpl suggest tares:BBBBY crony:⬛⬛🟩⬛⬛ --exact
    wordpl suggest tares ....i crony ..c..

    The first line of the table is the best guess that the search finds. It tries the --width most promising guesses;
    with --exact it tries all, so that no guess is better. The other lines are the next most promising guesses.

    \b
    guesses  expected number of further guesses, including this one
    bits     expected information of the clue
    worst    largest number of answers that can remain
    """
    game = _solved_game(game_id)
    hard, limit = hard or game.uses_hints, limit or game.facts.limit
    lists = words.load(answers, guesses)
    past_turns = read_hints(hints, lists)
    n_used = solved_by(past_turns)
    beyond = None if prior else lists.with_fitting_guesses(past_turns)
    problem, position = make_problem(past_turns, prior, beyond or lists, limit=None if n_used else limit, is_hard=hard)
    from wordpl.reports.as_json import suggestions
    from wordpl.solvers.search import ClassicSearch, best_guesses

    if n_used:
        answer = past_turns[n_used - 1][0]
        if as_json:
            solved = {"solved": True, "answers": [answer], "n_guesses_used": n_used, "suggestions": []}
            return print_json("suggest", solved)
        return click.echo(f"Solved: {answer} is the answer, found with guess {n_used}.")
    outside = (
        f"None of the {len(lists.answers):,} answers gives these clues, so all words that can be guessed count as "
        "answers; --answers FILE names another list."
    )
    if not as_json:
        if beyond:
            say_wrapped(outside)
        say_wrapped(_what_is_left(problem, position, is_from_list=beyond is None), indent=2)
    search = ClassicSearch(position, None if exact else width)
    with working("searching"):
        ranking = best_guesses(search, top)
    notes = what_is_known(problem, search, ranking, 0)
    if as_json:
        notes = [*([outside] if beyond else []), *notes]
        return print_json("suggest", suggestions(problem, position, ranking, notes))
    if ranking.ratings:
        _show(problem, position, ranking, exact)
    for line in notes:
        click.echo(line)
    if search.lacks_kernels:
        compile_meanwhile()
    return None


def _solved_game(game_id: str) -> type[Game]:
    """Return the game. Raises UserError if the search does not know its clues."""
    game = games.game_class(game_id)
    why = (
        "its clues may be false"
        if not game.facts.is_exact
        else "its guesses have a price"
        if game.facts.has_epsilon
        else "it draws no secret"
        if not game.facts.has_secret
        else "it marks repeated letters in another way than Wordle"
        if game.clue_rule != Wordle.clue_rule
        else ""
    )
    if why:
        raise UserError(
            f"suggest cannot rate guesses of {game_id}: {why}. `wordpl play --game {games.option_of(game_id)}` plays "
            "it, with hints."
        )
    return game


def _what_is_left(problem: "Problem", position: "Position", *, is_from_list: bool) -> str:
    n = len(position.candidates)
    words_shown = [problem.lists.answers[column] for column in position.candidates[:SHOWN_ANSWERS]]
    remainder = f" and {n - SHOWN_ANSWERS:,} more" if n > SHOWN_ANSWERS else ""
    given = f"{n:,} of {len(problem.lists.answers):,} answers" if is_from_list else amount(n, "word")
    answers_text = given + (" are" if n > 1 else " is")
    guesses_text = f"{position.left} guess{'es' if position.left != 1 else ''}"
    return f"{answers_text} left, and {guesses_text}: {', '.join(words_shown)}{remainder}."


def _show(problem: "Problem", position: "Position", ranking: "GuessRanking", is_exact: bool) -> None:
    from wordpl.solvers.search.position import spread

    rows = []
    for rating in ranking.ratings:
        total, mean = total_text(position, rating, is_exact)
        bits, worst = spread(position, rating.guess)
        expected = mean or total if total != INFINITE else "too few left"
        is_possible = "yes" if rating.guess in position.own else ""
        rows.append([problem.lists.guesses[rating.guess], expected, f"{max(0.0, bits):.3f}", f"{worst:,}", is_possible])
    show_ratings(["guess", "guesses", "bits", "worst", "possible answer"], rows)


def show_ratings(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table of guesses, of which the first column is text."""
    from rich import box
    from rich.table import Table

    from wordpl.cli._output import new_console

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for head in heads:
        table.add_column(head, justify="left" if head == heads[0] else "right")
    for row in rows:
        table.add_row(*row)
    new_console().print(table)


SHOWN_CHARACTERS = 60
Hints = tuple[tuple[str, str], ...]
"""The (guess, clue) pairs of a game."""


def read_hints(texts: Sequence[str], lists: WordLists) -> Hints:
    """Return (guess, clue) pairs from arguments such as `tares:....i`, or `tares` and `....i`.

    Raises:
        UserError: An argument is not a guess with its clue.
    """
    hints = []
    for guess, clues in _pairs(texts):
        if guess.lower() not in lists.guess_set:
            raise UserError(f"{_shown(guess)} is not a word of the guesses.")
        hints.append((guess.lower(), read_clues(clues, lists.length)))
    return tuple(hints)


def solved_by(hints: Sequence[tuple[str, str]]) -> int:
    """Return the number of the guess that solved the game, counted from 1; 0 if it is not solved.

    >>> solved_by([("tares", "....."), ("crony", "ccccc")]), solved_by([("tares", ".....")])
    (2, 0)
    """
    return next((number for number, (_, clues) in enumerate(hints, 1) if set(clues) == {"c"}), 0)


def _pairs(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    remaining_texts = iter(texts)
    for text in remaining_texts:
        guess, colon, clues = text.partition(":")
        if not colon:
            clues = next(remaining_texts, "")
            if not clues or ":" in clues:
                raise UserError(f"{_shown(text)} must be a guess with its clue, as in tares:....i")
        yield guess, clues


def _shown(text: str) -> str:
    return repr(sanitize_untrusted_text(text, SHOWN_CHARACTERS))


def make_problem(
    hints: Hints, prior: str | None, lists: WordLists, *, limit: int | None, is_hard: bool
) -> "tuple[Problem, Position]":
    """Return the problem after these (guess, clue) pairs, and its position; loads the kernels of the search.

    Raises:
        UserError: The hints contradict each other or break hard mode, no guess is left, or the prior cannot be read.
    """
    from wordpl.core import priors
    from wordpl.kernels import compiled

    for (earlier, clues), (guess, _) in pairwise(hints if is_hard else ()):
        if hint := unused_hint(guess, earlier, clues):
            raise UserError(f"{guess!r} breaks hard mode: {hint}")
    weights = priors.load(priors.find(prior), lists.answers) if prior else None
    with compiled.quick_imports():
        from wordpl.solvers.search.problem import Problem

        problem = Problem(lists, hints, limit, is_hard, weights)
        return problem, problem.position()


INFINITE = "∞"


def total_text(position: "Position", rating: "Rating", is_exact: bool) -> tuple[str, str]:
    """Return the total and the mean number of guesses after a first guess; "∞" if no tree is proved to exist."""
    from wordpl.solvers.search import INFEASIBLE

    if rating.bound >= INFEASIBLE:
        return (INFINITE, INFINITE) if is_exact else (f"none found within {position.left}", "")
    return guesses_text(position, rating.bound), f"{rating.bound / _weight(position):.4f}"


def guesses_text(position: "Position", bound: int) -> str:
    """Return a total as a number of guesses; with a prior, as many as the mean makes for all answers together."""
    if position.weights is None:
        return f"{bound:,}"
    return f"{bound / _weight(position) * len(position.candidates):,.1f}"


def _weight(position: "Position") -> int:
    return len(position.candidates) if position.weights is None else int(position.weights.sum())


def within(left: int | None) -> str:
    """Return the limit on guesses as the end of a sentence."""
    return "" if left is None else f" of at most {left} guess{'es' if left != 1 else ''}"


def what_is_known(problem: "Problem", search: "ClassicSearch", ranking: "GuessRanking", n_asked: int) -> list[str]:
    """Return sentences that say what a ranking proves and what it does not prove.

    Args:
        problem: The problem that was searched.
        search: The search that rated the guesses.
        ranking: The rated guesses.
        n_asked: The number of guesses that the user named; 0 if the search looked for the best ones.
    """
    from wordpl.solvers.search import INFEASIBLE

    words, left = problem.lists.guesses, search.position.left
    failed = [words[rating.guess] for rating in ranking.ratings if rating.bound >= INFEASIBLE]
    if search.width is not None:
        lines = [
            f"Best of {len(ranking.ratings)} tried at width {search.width}; a better guess may exist (use --exact)."
        ]
        if failed:
            lines.append(
                f"A tree within {left} guesses may still exist: width {search.width} does not try all guesses."
            )
        return lines
    if ranking.is_optimal and not ranking.ratings:
        return [f"Exact: no tree{within(left)} exists here."]
    lines = [f"Exact: no tree{within(left)} exists after {', '.join(failed)}."] if failed else []
    if ranking.is_optimal:
        best = words[ranking.best.guess]
        return [*lines, f"{best} is optimal: every other first guess was solved or refuted by a bound."]
    if len(failed) < len(ranking.ratings):
        lines.append(f"Exact for {'these openers' if n_asked > 1 else 'this opener'}; others were not tried.")
    return lines
