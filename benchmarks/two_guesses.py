"""Compute how often two guesses win at best with a first word: by trying every second word after each clue.

    python -m benchmarks.two_guesses [--budget 14.3] [--first 10]

The words are the first ones of docs/data/records-two-guesses.csv, which lists 1,000 first words with the share of the
budget for the first guess that is best for each. That table was enumerated on a GPU for all 12,972 first words; this
computes some of its rows again on a processor, and fails if one differs by more than a unit of its last digit.
"""

import csv
from itertools import islice

import click

from wordpl.core import paths
from wordpl.core import words as word_lists
from wordpl.solvers import ClueTable
from wordpl.solvers.noisy.final_guess import win_chances
from wordpl.solvers.plans.search import after_first

TABLE = paths.bundled() / "docs" / "data" / "records-two-guesses.csv"
LAST_DIGIT = 1e-6


def chance(words: ClueTable, row: int, epsilons: tuple[float, float]) -> float:
    """Return the probability of winning with a first guess and the best second guess after each of its clues."""
    first, second = epsilons
    return sum(
        state.chance * win_chances(words.columns, state.posterior, second, words.length).max()
        for state in after_first(words, row, first)
    )


@click.command(help=__doc__.partition("\n")[0])
@click.option("--budget", default=14.3, show_default=True, help="The budget of both guesses.")
@click.option("--first", "n_rows", default=10, show_default=True, help="The number of rows of the table.")
def main(budget: float, n_rows: int) -> None:
    """Compute rows of the table again."""
    lists = word_lists.load()
    words = ClueTable.of(lists, "anywhere")
    with TABLE.open() as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        for row in islice(rows, n_rows):
            first = float(row["share"]) * budget
            found = chance(words, lists.guesses.index(row["first"]), (first, budget - first))
            click.echo(f"{row['first']}  share {row['share']}  {found:.7f}  table {row['probability']}")
            if abs(found - float(row["probability"])) > LAST_DIGIT:
                raise SystemExit("The table has another value.")


if __name__ == "__main__":
    main()
