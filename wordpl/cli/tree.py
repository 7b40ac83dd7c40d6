"""`wordpl tree`: what a decision tree is worth, what it says, and how it differs from another."""

from pathlib import Path

import click

from wordpl.cli import _tree_text
from wordpl.cli._notation import read_hints
from wordpl.core import words
from wordpl.core.clue_notation import read_clues
from wordpl.core.clues import CLUE_RULES
from wordpl.core.errors import UserError
from wordpl.solvers import trees

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
HARD_RULES = "wordle-hard/1"

file_argument = click.argument("file", type=A_FILE)
answers_option = click.option("--answers", type=A_FILE, help="The words that can be the secret. [default: answers.txt]")
guesses_option = click.option("--guesses", type=A_FILE, help="The words that can be guessed. [default: valid.txt]")


@click.group()
def command() -> None:
    """Check, show and compare decision trees: what to guess after every clue.

    A tree is a JSON file, or one in the text form that solvers publish; docs/trees.md tells of both.
    """


@command.command()
@file_argument
@click.option("--hard", is_flag=True, help="Hold it to hard mode. [default: if the file says so]")
@click.option("--limit", default=6, show_default=True, type=click.IntRange(0), help="The most guesses; 0: any number.")
@click.option("--after", "hints", multiple=True, metavar="GUESS:CLUE", help="Where the tree begins, for each guess.")
@answers_option
@guesses_option
def check(
    file: Path, hard: bool, limit: int, hints: tuple[str, ...], answers: Path | None, guesses: Path | None
) -> None:
    """Check that the tree in FILE finds every answer, and count its guesses; exit code 1 if something is wrong.

    \b
    wordpl tree check salet.txt --hard
    wordpl tree check noily.json --after tares:.....
    """
    from wordpl.games.classic import unused_hint

    lists = words.load(answers, guesses)
    tree, provenance = trees.load(file)
    hard = hard or bool(provenance and provenance.rules == HARD_RULES)
    given = read_hints(hints, lists)
    terms = trees.TreeTerms(CLUE_RULES["counted"], unused_hint if hard else None, limit or None, given)
    found = trees.check(tree, lists, terms)
    if provenance:
        click.echo(_tree_text.origin(provenance, lists))
    click.echo(_tree_text.verdict(found, terms))
    if found.faults or not found.n_guesses:
        raise click.exceptions.Exit(1)


@command.command()
@file_argument
@click.argument("clues", nargs=-1)
@click.option("--depth", default=2, show_default=True, type=click.IntRange(1), help="How many guesses deep to look.")
def show(file: Path, clues: tuple[str, ...], depth: int) -> None:
    """Show what the tree in FILE guesses, from its beginning or after CLUES, one for each guess of the tree.

    \b
    wordpl tree show salet.txt
    wordpl tree show salet.txt ....i .c... --depth 3
    """
    tree, provenance = trees.load(file)
    if provenance:
        click.echo(_tree_text.origin(provenance))
    _tree_text.show(_after(tree, clues), depth)


def _after(tree: trees.Tree, clues: tuple[str, ...]) -> trees.Tree:
    """Return what follows after these clues. Raises UserError where the tree knows nothing of them."""
    for text in clues:
        guess = tree.guess
        follows = tree.after([read_clues(text.removeprefix(f"{guess}:"), len(guess))])
        if follows is None:
            known = ", ".join(sorted(tree.branches)[:8]) + (", ..." if len(tree.branches) > 8 else "")
            raise UserError(f"the tree ends where {guess} gets {text}: it knows {known or 'no clue there'}.")
        tree = follows
    return tree


@command.command()
@click.argument("first", type=A_FILE)
@click.argument("second", type=A_FILE)
@answers_option
@guesses_option
def compare(first: Path, second: Path, answers: Path | None, guesses: Path | None) -> None:
    """Compare two trees answer by answer: which finds it sooner, and where the two part.

    \b
    wordpl tree compare salet.txt crate.json
    """
    lists = words.load(answers, guesses)
    loaded = [trees.load(file)[0] for file in (first, second)]
    for file, tree in zip((first, second), loaded, strict=True):
        n_faults = len(trees.check(tree, lists, trees.TreeTerms(CLUE_RULES["counted"])).faults)
        if n_faults:
            click.echo(f"Not right for these words, in {n_faults:,} places (wordpl tree check says where): {file}")
    names = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    _tree_text.show_comparison(names, loaded)
