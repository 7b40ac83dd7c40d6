"""`wordpl tree`: check, show and compare decision trees."""

from pathlib import Path

import click

from wordpl.cli import _tree_text
from wordpl.cli._notation import read_hints
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES, read_clues
from wordpl.core.errors import UserError
from wordpl.core.messages import amount
from wordpl.solvers import trees

A_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
HARD_RULES = "wordle-hard/1"

file_argument = click.argument("file", type=A_FILE)
answers_option = click.option("--answers", type=A_FILE, help="Words that can be the secret. [default: answers.txt]")
guesses_option = click.option("--guesses", type=A_FILE, help="Words that can be guessed. [default: valid.txt]")


@click.group()
def command() -> None:
    """Check, show and compare decision trees.

    A decision tree defines the next guess after every clue. Trees are JSON files, or text files in the format that
    solvers publish; docs/trees.md describes both.
    """


@command.command()
@file_argument
@click.option("--hard", is_flag=True, help="Check the rules of hard mode. [default: if the file was made for it]")
@click.option(
    "--limit", default=6, show_default=True, type=click.IntRange(0), help="Maximum number of guesses; 0: no limit."
)
@click.option(
    "--after", "hints", multiple=True, metavar="GUESS:CLUE", help="Guess made before the tree starts. Repeatable."
)
@answers_option
@guesses_option
def check(
    file: Path, hard: bool, limit: int, hints: tuple[str, ...], answers: Path | None, guesses: Path | None
) -> None:
    """Check that the tree in FILE finds every answer.

    \b
    wordpl tree check salet.txt --hard
    wordpl tree check noily.json --after tares:.....

    Exit code 1: the tree has faults.
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
@click.option("--depth", default=2, show_default=True, type=click.IntRange(1), help="Number of guesses to show.")
def show(file: Path, clues: tuple[str, ...], depth: int) -> None:
    """Show the guesses of the tree in FILE.

    With CLUES, the clues of the tree's first guesses in order, show the guesses after them.

    \b
    wordpl tree show salet.txt
    wordpl tree show salet.txt ....i .c... --depth 3
    """
    tree, provenance = trees.load(file)
    if provenance:
        click.echo(_tree_text.origin(provenance))
    _tree_text.show(_after(tree, clues), depth)


def _after(tree: trees.Tree, clues: tuple[str, ...]) -> trees.Tree:
    """Return the subtree after these clues. Raises UserError if the tree has no branch for one of them."""
    for text in clues:
        guess = tree.guess
        follows = tree.after([read_clues(text.removeprefix(f"{guess}:"), len(guess))])
        if follows is None:
            known = ", ".join(sorted(tree.branches)[:8]) + (", ..." if len(tree.branches) > 8 else "")
            knows = f"it knows the clues {known}" if known else "it ends there"
            raise UserError(f"the tree has no guess after {guess} with the clue {text}; {knows}.")
        tree = follows
    return tree


@command.command()
@click.argument("first", type=A_FILE)
@click.argument("second", type=A_FILE)
@answers_option
@guesses_option
def compare(first: Path, second: Path, answers: Path | None, guesses: Path | None) -> None:
    """Compare two trees.

    Show which answers each tree finds sooner, and where their guesses differ.

    \b
    wordpl tree compare salet.txt crate.json
    """
    lists = words.load(answers, guesses)
    loaded = [trees.load(file)[0] for file in (first, second)]
    for file, tree in zip((first, second), loaded, strict=True):
        n_faults = len(trees.check(tree, lists, trees.TreeTerms(CLUE_RULES["counted"])).faults)
        if n_faults:
            click.echo(f"{file} has {amount(n_faults, 'fault')} for these word lists: see `wordpl tree check`.")
    names = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    _tree_text.show_comparison(names, loaded)
