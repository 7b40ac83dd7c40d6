"""`wordpl plan`: compute second guesses in advance, and compare ways to split a budget."""

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wordpl.cli._command import json_option
from wordpl.cli._output import print_json, progress_bar, say, stoppable
from wordpl.core import paths, words
from wordpl.core.messages import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wordpl.core.words import WordLists
    from wordpl.solvers.plans.recipes import Changes, Recipe

MAX_ROUNDING = 0.002
"""How far the sum of shares may be from 1, so that thirds can be written as .333/.333/.333."""


def read_shares(context: click.Context, option: click.Parameter, given: tuple[str, ...]) -> list[tuple[float, ...]]:
    """Return the shares given as .7/.3, scaled so that each split has the sum 1."""
    shares = []
    for text in given:
        try:
            parts = [float(part) for part in text.split("/")]
        except ValueError:
            parts = []
        if len(parts) < 2 or min(parts) <= 0:
            raise click.BadParameter(f"{text!r} must be two or more parts of the budget, such as .7/.3")
        if abs(sum(parts) - 1) > MAX_ROUNDING:
            raise click.BadParameter(f"{text!r} adds up to {sum(parts):g}: the parts must add up to 1, such as .7/.3")
        shares.append(tuple(part / sum(parts) for part in parts))
    return shares


@click.command
@click.argument("names", nargs=-1)
@click.option(
    "--opener",
    "firsts",
    multiple=True,
    metavar="WORD",
    help="First guess. With --splits, repeat it to compare several.",
)
@click.option("--budget", type=click.FloatRange(0.1, 1000), help="Total budget of all guesses.")
@click.option(
    "--shares",
    multiple=True,
    callback=read_shares,
    help="Shares of the budget for each round, such as .7/.3. With --splits, repeat it to compare several.",
)
@click.option("--tried", type=click.IntRange(1), help="Number of second guesses to try if further guesses follow.")
@click.option("--seed", type=click.IntRange(0), help="Seed of the games of --splits.")
@click.option(
    "--splits",
    "n_games",
    metavar="GAMES",
    type=click.IntRange(2),
    help="Compute no plan; compare first guesses and shares on this number of games.",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the plans and of bot.py, which plays them. [default: a new one in strategies for each plan]",
)
@json_option
def command(
    names: tuple[str, ...],
    firsts: tuple[str, ...],
    budget: float | None,
    shares: list[tuple[float, ...]],
    tried: int | None,
    seed: int | None,
    n_games: int | None,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Compute plans of second guesses for the strategy Schedule.

    A plan contains the best second guess after each first clue. The plan NAME is written to schedule-NAME.json in the
    folder strategies/schedule-NAME, with a strategy that plays it, schedule-NAME.py. In a checkout, it is written to
    strategies/schedule, and "Schedule('NAME')" plays it. Without NAMES, the bundled plans are recomputed from the
    recipes in wordpl/solvers/plans/recipes.py. A new name starts from the first recipe with the same number of rounds.
    After Ctrl-C, the same command resumes the computation.

    \b
    wordpl plan
    wordpl plan mine --budget 15 --shares .68/.32
    wordpl evaluate schedule-mine
    wordpl plan p50 --splits 400 --shares .5/.3/.2 --shares .4/.3/.3
    wordpl plan p95 --splits 3000 --opener trace --opener slate

    How the second guess is chosen depends on the number of guesses that follow it:

    \b
    none    the best of all allowed guesses, computed exactly
    1 or 2  the best of those tried, computed by playing every continuation
            after each of its likeliest clues. With 1, part of the last epsilon
            may be moved to the second guess, depending on the first clue.
    3       the guess with the most informative clue
    """
    from wordpl.solvers.plans import recipes

    if n_games is None and len(firsts) > 1:
        raise click.UsageError("a plan has one first word; use --splits GAMES to compare several.")
    variants = [
        recipes.Changes(first or None, budget, some or None, tried, seed)
        for first in firsts or ("",)
        for some in shares or ((),)
    ]
    if n_games is not None:
        compare(names[0] if names else next(iter(recipes.RECIPES)), variants, n_games, as_json=as_json)
    else:
        made = make_all(names or tuple(recipes.RECIPES), variants[0], folder, quiet=as_json)
        if as_json:
            print_json("plan", {"plans": made})


def make_all(names: "Sequence[str]", changes: "Changes", folder: Path | None, *, quiet: bool) -> list[dict[str, str]]:
    """Compute the plans with these changes of their recipes, each into its file of the folder.

    Args:
        names: The names of the plans.
        changes: The changes.
        folder: An existing folder; None for one in strategies/ of the current folder, which is created.
        quiet: Print nothing.

    Returns:
        For each plan its name, its file, its figure, and the strategy that plays it, if there is one.
    """
    from wordpl.solvers.plans import recipes
    from wordpl.solvers.plans.plan_file import write_strategy

    lists = words.load()
    jobs = {name: recipes.recipe_for(name, changes, lists) for name in names}
    if folder is not None and not folder.is_dir():
        raise UserError(f"there is no folder {folder}: create it, or choose another folder with --folder.")
    bundled = paths.bundled() / "strategies"
    made = []
    for name, recipe in jobs.items():
        is_bundled = (folder or Path("strategies")).resolve() in (bundled, bundled / "schedule")
        place = Path("strategies", "schedule" if is_bundled else f"schedule-{name}") if folder is None else folder
        place.mkdir(parents=True, exist_ok=True)
        path = place / f"schedule-{name}.json"
        figure = make(lists, recipe, path)
        made.append({"name": name, "file": str(path), "figure": figure})
        if not quiet:
            say(f"{path}: {figure}")
        if not is_bundled:
            made[-1]["strategy"] = str(write_strategy(path))
            say(f"Play it with\n    wordpl evaluate {shlex.quote(made[-1]['strategy'])}", err=True)
    return made


def make(lists: "WordLists", recipe: "Recipe", path: Path) -> str:
    """Compute one plan with a progress bar, and return its figure."""
    from wordpl.solvers.plans.recipes import build

    typed = shlex.join(["wordpl", *sys.argv[1:]])
    with (
        stoppable(f"Partial results are kept. To resume:\n    {typed}"),
        progress_bar(243, "clue", path.stem, mininterval=1) as bar,
    ):
        return build(lists, recipe, path, typed, lambda _: bar.update()).provenance.figure


def compare(name: str, variants: "Sequence[Changes]", n_games: int, *, as_json: bool) -> None:
    """Print how often each variant of a recipe, with its first word and its shares, wins on the same games."""
    from wordpl.solvers.plans import recipes

    lists = words.load()
    variant_recipes = [recipes.recipe_for(name, changes, lists) for changes in variants]
    with progress_bar(n_games * len(variant_recipes), "game", mininterval=1) as bar:
        table = recipes.compare(lists, variant_recipes, n_games, bar.update)
    if as_json:
        from wordpl.reports.as_json import frame

        print_json("plan-splits", {"n_games": n_games, "splits": frame(table)})
        return
    say(table.to_string(index=False, float_format=lambda value: f"{value:.4f}"))
