"""`wordpl plan`: second guesses computed ahead, and ways to split a budget compared."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._echo import say
from wordpl.core import paths
from wordpl.core.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wordpl.core.words import WordLists
    from wordpl.solvers.plans.building import Recipe

MAX_ROUNDING = 0.002
"""How far shares may be from 1 in all, so that thirds can be written as .333/.333/.333."""


def read_shares(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> list[tuple[float, ...]]:
    """Return the shares that the user typed, as .7/.3, each with sum 1."""
    read = []
    for text in given:
        try:
            parts = [float(part) for part in text.split("/")]
        except ValueError:
            parts = []
        if len(parts) < 2 or min(parts) <= 0:
            raise click.BadParameter(f"{text!r} should be two or more parts of the budget, such as .7/.3")
        if abs(sum(parts) - 1) > MAX_ROUNDING:
            raise click.BadParameter(f"{text!r} adds up to {sum(parts):g}: the parts should add up to 1, such as .7/.3")
        read.append(tuple(part / sum(parts) for part in parts))
    return read


@click.command
@click.argument("names", nargs=-1)
@click.option(
    "--first", "firsts", multiple=True, metavar="WORD", help="The first word; may be given often to --splits."
)
@click.option("--budget", type=click.FloatRange(0.1, 1000), help="Spent on all guesses together.")
@click.option("--shares", multiple=True, callback=read_shares, help="Parts of the budget, a round each: .7/.3")
@click.option("--tried", type=click.IntRange(1), help="Second guesses tried where others follow.")
@click.option("--seed", type=click.IntRange(0), help="Of the games of --splits.")
@click.option(
    "--splits",
    "n_games",
    metavar="GAMES",
    type=click.IntRange(2),
    help="Compare first words and shares on so many games.",
)
@click.option("--folder", type=click.Path(file_okay=False, path_type=Path), help="Where it goes. [default: strategies]")
def command(
    names: tuple[str, ...],
    firsts: tuple[str, ...],
    budget: float | None,
    shares: list[tuple[float, ...]],
    tried: int | None,
    seed: int | None,
    n_games: int | None,
    folder: Path | None,
) -> None:
    """Compute the plans NAMES, strategies/schedule-NAME.json, which "Schedule('NAME')" then plays.

    Without NAMES, the plans that come with the project are made again, from the recipes in
    wordpl/solvers/plans/recipes.py.
    Another name starts from the first recipe with as many rounds. Ctrl-C keeps what is done: the same command goes on.

    \b
        wordpl plan                                    all committed plans
        wordpl plan mine --budget 15 --shares .68/.32  then: wordpl evaluate "Schedule('mine')"
        wordpl plan p95 --splits 400 --shares .25/.29/.253/.207 --shares .26/.28/.25/.21
        wordpl plan p95 --splits 3000 --first trace --first slate

    The second guess is the best of all valid words where it is the last (an exact figure). Where one or two more
    follow, it is the best of those tried: after each of its likeliest clues, the game is played on in all its ways.
    Where one more follows, part of the last epsilon may be moved to it, after some first clues more than after others.
    Where three follow, it is the one whose clue says most.
    """
    from wordpl.core import words
    from wordpl.solvers.plans import recipes

    lists = words.load()
    if n_games is None and len(firsts) > 1:
        raise click.UsageError("a plan has one first word; --splits GAMES compares several.")
    asked = [
        recipes.Changes(first or None, budget, some or None, tried, seed)
        for first in firsts or ("",)
        for some in shares or ((),)
    ]
    if n_games is not None:
        name = names[0] if names else next(iter(recipes.RECIPES))
        compare(lists, [recipes.recipe_for(name, changes, lists) for changes in asked], n_games)
        return
    jobs = {name: recipes.recipe_for(name, asked[0], lists) for name in names or recipes.RECIPES}
    target = folder or paths.strategy_folders()[0]
    if not target.is_dir():
        raise UserError(f"there is no folder {target}: make it first, or choose another one with --folder.")
    for name, recipe in jobs.items():
        make(lists, recipe, target / f"schedule-{name}.json")


def make(lists: "WordLists", recipe: "Recipe", path: Path) -> None:
    """Compute one plan under a progress bar."""
    import shlex
    import sys

    from tqdm import tqdm

    from wordpl.solvers.plans.building import build

    typed = shlex.join(["wordpl", *sys.argv[1:]])
    try:
        with tqdm(total=243, desc=path.stem, unit="clue", dynamic_ncols=True, mininterval=1) as bar:
            plan = build(lists, recipe, path, typed, lambda _: bar.update())
    except KeyboardInterrupt:
        say(f"What is done is kept. To go on:\n    {typed}", err=True)
        raise click.exceptions.Exit(130) from None
    say(f"{path}: {plan.provenance.figure}")


def compare(lists: "WordLists", found: "Sequence[Recipe]", n_games: int) -> None:
    """Show what the first word and the split of each recipe win on the same games."""
    from tqdm import tqdm

    from wordpl.solvers.plans import splits

    with tqdm(total=n_games * len(found), unit="game", dynamic_ncols=True, mininterval=1) as bar:
        table = splits.compare(lists, found, n_games, bar.update)
    say(table.to_string(index=False, float_format=lambda value: f"{value:.4f}"))
