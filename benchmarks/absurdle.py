"""Find the shortest sequences of guesses that win Absurdle: `python benchmarks/absurdle.py`.

The adversary is deterministic, so a sequence that wins once always wins. That no shorter sequence exists follows by
counting: the first guess leaves at least as many words as the largest group of the best opener, and the second guess
cannot distinguish more words than it has clues.
"""

import sys
from pathlib import Path
from time import process_time

import click
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from wordpl import games
from wordpl.core import words
from wordpl.core.moves import ClassicMove
from wordpl.kernels.clue_matrix import answer_rows, matrix_of
from wordpl.solvers import absurdle

MAX_GUESSES = 6


def won_with(lists, rows, places):
    """Return the words that win: the guesses with these rows, and the only word that is left."""
    matrix, left = matrix_of(lists, "counted"), np.arange(len(lists.answers))
    for row in rows:
        left = absurdle.kept(matrix, row, left, places)
    return [*(lists.guesses[row] for row in rows), lists.answers[left[0]]]


def held_to_the_rules(lists, guesses):
    """Return the clues that the game gives to these guesses, the last of which wins."""
    game, moves = games.make_game("absurdle/1", lists), []
    for guess in guesses:
        reply = game.reply("", moves, ClassicMove(guess, ""), list)
        moves.append(ClassicMove(guess, reply.clues))
    assert reply.verdict == "won"
    return [move.clues for move in moves]


@click.command()
@click.option("--width", default=20, show_default=True, help="Guesses tried at each step.")
@click.option("--answers", type=Path, help="File of the words that can be the secret. [default: answers.txt]")
@click.option("--guesses", type=Path, help="File of the words that can be guessed. [default: valid.txt]")
def main(width, answers, guesses):
    lists = words.load(answers, guesses)
    matrix, left, places = matrix_of(lists, "counted"), np.arange(len(lists.answers)), absurdle.in_order(lists.length)
    for either in (matrix, matrix[np.arange(9)]):  # for the compiler, a writable array is another type
        absurdle.cornered(either, left[:9], 2, places, 1)
    start = process_time()
    largest = absurdle.largest_groups(matrix, left)
    print(f"{len(lists.answers):,} answers, {len(lists.guesses):,} guesses")
    print(f"rating all first guesses: {process_time() - start:.3f} CPU s")
    most_clues = max(len(np.unique(row)) for row in matrix)
    print(f"every first guess leaves {largest.min():,} words or more; no guess has more than {most_clues} clues")
    if largest.min() > most_clues:
        print("so two guesses never leave one word alone, and four are needed")
    own = answer_rows(lists)
    for name, rows in (("all guesses", np.arange(len(matrix))), ("answers only", own)):
        start = process_time()
        for n_guesses in range(MAX_GUESSES):
            if best_rows := absurdle.cornered(matrix[rows], left, n_guesses, places, width):
                sequence = won_with(lists, rows[list(best_rows)], places)
                clues = held_to_the_rules(lists, sequence)
                told = ", ".join(f"{guess} {clue}" for guess, clue in zip(sequence, clues, strict=True))
                print(f"{name}: {len(sequence)} guesses, {told}; found in {process_time() - start:.3f} CPU s")
                break


if __name__ == "__main__":
    main()
