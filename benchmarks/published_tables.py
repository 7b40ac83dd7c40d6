"""Turn marcpare's published tables into entries that play them: `python -m benchmarks.published_tables FOLDER OUT`.

FOLDER is a copy of https://github.com/marcpare/wordpl_lab. It has no licence, so its tables are not part of this
project. `d95/d95.json` and `g3/g3.json` state the second guess after each first clue, as numbers of the words in
`data/valid.txt`; a clue is a number to the base 3 with 0 for c, 1 for i and 2 for a point. The third guess of D95 is
the one after which the likeliest word is most often right, searched for during the game, and the answer is the
likeliest word: `Schedule` plays just that by a plan with these second guesses. `d95/d953.json` keeps 1,517 third
guesses, for two clues each; an entry whose name ends in `_thirds` plays them. To measure one: `wordpl estimate
OUT/schedule-published_d95_12.py`.
"""

import json
import sys
from itertools import product
from pathlib import Path

import click

from wordpl.core import words
from wordpl.core.files import write_atomically
from wordpl.solvers.plans import Plan, plan_file

MARKS = "ci."
TABLES = {
    "d95_12": ("d95/d95.json", "salet", (12.3, 12.3, 12.3)),
    "d95_25": ("d95/d95.json", "salet", (25.0, 25.0, 25.0)),
    "d95_27": ("d95/d95.json", "salet", (27.0, 27.0, 27.0)),
    "g3": ("g3/g3.json", "trace", (9.3, 5.3)),
}
THIRDS = "d95/d953.json"
WITH_THIRDS = '''"""Plays the plan of {plan} with the third guesses of {thirds}."""

import json
from pathlib import Path

from strategies.schedule import Schedule
from wordpl.solvers import plans

FOLDER = Path(__file__).parent


class PublishedThirds(Schedule):
    def __post_init__(self):
        self.made = plans.load(FOLDER / "{plan}")
        self.thirds = json.loads((FOLDER / "{thirds}").read_text())
        self.budget = self.made.budget
        self.epsilons = self.made.epsilons(self.budget)

    def next_move(self, guess, epsilon, clues):
        word, price = super().next_move(guess, epsilon, clues)
        if self.n_clues == 1:
            self.first_clues = clues
        elif self.n_clues == 2:
            word = self.thirds.get(self.first_clues + clues, word)
        return word, price


ENTRIES = [PublishedThirds("{name}")]
'''


def plan_of(folder: Path, table: str, first: str, epsilons: tuple[float, ...]) -> Plan:
    """Return the plan with the second guesses of a table."""
    lists, their_words = words.load(), words_of(folder)
    assert set(their_words) == lists.guess_set, "the table is about other words"
    seconds = json.loads((folder / table).read_text())
    clues = map("".join, product(MARKS, repeat=lists.length))
    return Plan(
        rule="anywhere",
        sha256=lists.sha256,
        first=first,
        budget=sum(epsilons),
        shares=tuple(epsilon / sum(epsilons) for epsilon in epsilons),
        second={clue: their_words[number] for clue, number in zip(clues, seconds, strict=True)},
    )


def words_of(folder: Path) -> list[str]:
    """Return the words that the tables number."""
    return (folder / "data" / "valid.txt").read_text().split()


def thirds_of(folder: Path) -> dict[str, str]:
    """Return the third guess that is kept for some pairs of clues, by both clues together."""
    their_words, clues = words_of(folder), list(map("".join, product(MARKS, repeat=words.load().length)))
    return {
        clues[int(first)] + clues[int(second)]: their_words[number]
        for first, numbers in json.loads((folder / THIRDS).read_text()).items()
        for second, number in numbers.items()
    }


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
def main(folder: Path, out: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, (table, first, epsilons) in TABLES.items():
        path = out / f"schedule-published_{name}.json"
        write_atomically(path, plan_file.to_json(plan_of(folder, table, first, epsilons)))
        click.echo(plan_file.write_strategy(path))
        if len(epsilons) == 3:
            strategy = path.with_name(f"{path.stem}_thirds.py")
            thirds, plan = (strategy.with_name(f"{strategy.stem}.{kind}.json") for kind in ("table", "plan"))
            write_atomically(thirds, json.dumps(thirds_of(folder)).encode())
            write_atomically(plan, path.read_bytes())
            text = WITH_THIRDS.format(plan=plan.name, thirds=thirds.name, name=f"published_{name}_thirds")
            write_atomically(strategy, text.encode())
            click.echo(strategy)


if __name__ == "__main__":
    sys.exit(main())
