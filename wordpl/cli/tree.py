"""`wordpl tree`: check, show and compare decision trees."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from wordpl.cli._arguments import answers_option, guesses_option
from wordpl.cli._command import A_FILE, SuggestingGroup, json_option
from wordpl.cli._output import print_json
from wordpl.cli.suggest import read_hints
from wordpl.core import words
from wordpl.core.clues import CLUE_RULES, read_clues
from wordpl.core.messages import UserError, amount
from wordpl.games import Wordle, game_class
from wordpl.solvers import trees

MAX_FAULTS = 20
MAX_DIVERGENCES = 12
MAX_WORDS = 12
BAR = 40

file_argument = click.argument("file", type=A_FILE)


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Check, show and compare decision trees.

    A decision tree defines the next guess after every clue. Trees are JSON files, or text files in the format that
    solvers publish; `wordpl docs trees` describes both.
    """


@command.command()
@file_argument
@click.option("--hard", is_flag=True, help="Check the rules of hard mode. [default: if the file was made for it]")
@click.option(
    "--max-guesses",
    "limit",
    default=Wordle.facts.limit,
    show_default=True,
    type=click.IntRange(0),
    help="Maximum number of guesses; 0: no limit.",
)
@click.option(
    "--after", "hints", multiple=True, metavar="GUESS:CLUE", help="Guess made before the tree starts. Repeatable."
)
@answers_option
@guesses_option
@json_option
def check(
    file: Path,
    hard: bool,
    limit: int,
    hints: tuple[str, ...],
    answers: Path | None,
    guesses: Path | None,
    as_json: bool,
) -> None:
    """Check that the tree in FILE finds every answer.

    \b
    wordpl tree check salet.txt --hard
    wordpl tree check noily.json --after tares:.....

    Exit code 1: the tree has faults.
    """
    from wordpl.games.classic import unused_hint
    from wordpl.verify.tree import TreeError, play_all

    lists = words.load(answers, guesses)
    tree, provenance = trees.load(file)
    hard = hard or bool(provenance and game_class(provenance.rules).uses_hints)
    past_turns = read_hints(hints, lists)
    terms = trees.TreeTerms(CLUE_RULES["counted"], unused_hint if hard else None, limit or None, past_turns)
    findings = trees.check(tree, lists, terms)
    if not past_turns and not findings.faults:
        try:
            play_all(trees.packed(tree), lists.answers, lists.guesses, is_hard=hard, limit=limit or None)
        except TreeError as error:
            findings = replace(findings, faults=(f"by a second reading of the rules, {error}",))
    if as_json:
        correct = bool(findings.n_guesses) and not findings.faults
        print_json("tree-check", {"correct": correct, **totals(findings.n_guesses), "faults": findings.faults})
    else:
        if provenance:
            click.echo(origin_text(provenance, lists))
        click.echo(check_text(findings, terms))
    if findings.faults or not findings.n_guesses:
        raise click.exceptions.Exit(1)


@command.command()
@file_argument
@click.argument("clues", nargs=-1)
@click.option("--depth", default=2, show_default=True, type=click.IntRange(1), help="Number of guesses to show.")
@json_option
def show(file: Path, clues: tuple[str, ...], depth: int, as_json: bool) -> None:
    """Show the guesses of the tree in FILE.

    With CLUES, the clues of the tree's first guesses in order, show the guesses after them.

    \b
    wordpl tree show salet.txt
    wordpl tree show salet.txt ....i .c... --depth 3
    """
    tree, provenance = trees.load(file)
    if as_json:
        print_json("tree-show", {"made": origin_text(provenance) if provenance else None,
                                 "tree": shown_tree(_after(tree, clues), depth)})  # fmt: skip
        return
    if provenance:
        click.echo(origin_text(provenance))
    print_tree(_after(tree, clues), depth)


def _after(tree: trees.Tree, clues: tuple[str, ...]) -> trees.Tree:
    """Return the subtree after these clues. Raises UserError if the tree has no branch for one of them."""
    for text in clues:
        guess = tree.guess
        follows = tree.after([read_clues(text.removeprefix(f"{guess}:"), len(guess))])
        if follows is None:
            clues_known = ", ".join(sorted(tree.branches)[:8]) + (", ..." if len(tree.branches) > 8 else "")
            hint = f"it knows the clues {clues_known}" if clues_known else "it ends there"
            raise UserError(f"the tree has no guess after {guess} with the clue {text}; {hint}.")
        tree = follows
    return tree


@command.command()
@click.argument("first", type=A_FILE)
@click.argument("second", type=A_FILE)
@answers_option
@guesses_option
@json_option
def compare(first: Path, second: Path, answers: Path | None, guesses: Path | None, as_json: bool) -> None:
    """Compare two trees.

    Show which answers each tree finds sooner, and where their guesses differ.

    \b
    wordpl tree compare salet.txt crate.json
    """
    lists = words.load(answers, guesses)
    loaded = [trees.load(file)[0] for file in (first, second)]
    if as_json:
        print_json("tree-compare", comparison_values((first, second), loaded))
        return
    for file, tree in zip((first, second), loaded, strict=True):
        n_faults = len(trees.check(tree, lists, trees.TreeTerms(CLUE_RULES["counted"])).faults)
        if n_faults:
            click.echo(f"{file} has {amount(n_faults, 'fault')} for these word lists: see `wordpl tree check`.")
    names = (first.name, second.name) if first.name != second.name else (str(first), str(second))
    print_comparison(names, loaded)


def origin_text(provenance: trees.TreeProvenance, lists: words.WordLists | None = None) -> str:
    """Return where a tree comes from, and whether it was made for other lists than these."""
    text = f"Made for {provenance.rules}: {provenance.obtained}."
    if lists is not None and not lists.has_words_of(provenance.sha256):
        text += " It was made for other word lists than these."
    return text


def check_text(found: trees.TreeCheck, terms: trees.TreeTerms) -> str:
    """Return the result of a check: the number of guesses that answers take, and the faults."""
    lines = []
    if found.n_guesses:
        lines += [totals_text(list(found.n_guesses.values())), *distribution(list(found.n_guesses.values()))]
    lines += [f"wrong: {fault}" for fault in found.faults[:MAX_FAULTS]]
    if len(found.faults) > MAX_FAULTS:
        lines.append(f"... and {len(found.faults) - MAX_FAULTS:,} more")
    if not found.faults and not found.n_guesses:
        lines.append("No answer fits these clues.")
    elif not found.faults:
        mode = ", in hard mode" if terms.unused_hint else ""
        limit_text = f" within {amount(terms.limit, 'guess', 'guesses')}" if terms.limit else ""
        lines.append(f"Correct: the tree finds every answer once{limit_text}, with allowed guesses only{mode}.")
    return "\n".join(lines)


def totals(n_guesses: Mapping[str, int]) -> dict[str, Any]:
    """Return for programs how many guesses the answers take; `by_guesses` counts those found with 1, 2, ... guesses."""
    counts = list(n_guesses.values())
    return {
        "n_answers": len(counts),
        "total": sum(counts),
        "mean": sum(counts) / len(counts) if counts else None,
        "worst": max(counts, default=None),
        "by_guesses": [counts.count(n) for n in range(1, max(counts, default=0) + 1)],
    }


def shown_tree(node: trees.Tree, depth: int) -> dict[str, Any]:
    """Return the first `depth` guesses of a tree for programs, with `after`: what follows each clue."""
    n = sum(node.counts().values())
    shown = {
        "guess": node.guess,
        "may_be_the_answer": node.is_answer,
        "n_answers": n,
        "mean": node.total / n if n else None,
        "worst": node.depth,
    }
    if depth > 1:
        shown["after"] = {clues: shown_tree(branch, depth - 1) for clues, branch in sorted(node.branches.items())}
    return shown


def comparison_values(files: Sequence[Path], both: Sequence[trees.Tree]) -> dict[str, Any]:
    """Return for programs how two trees differ."""
    found = trees.compare(*both)
    return {
        "trees": [
            {"file": str(file), **totals({path[-1][0]: len(path) for path in tree.paths()}), "only": only}
            for file, tree, only in zip(files, both, found.only, strict=True)
        ],
        "guesses": {word: list(pair) for word, pair in found.n_guesses.items()},
        "divergences": [
            {"after": trees.path_text(one.path), "guesses": one.guesses, "totals": one.totals}
            for one in found.divergences
        ],
    }


def totals_text(n_guesses: Sequence[int]) -> str:
    """Return the total, the mean and the maximum number of guesses that the answers take.

    >>> totals_text([2, 3, 3])
    '3 answers in 8 guesses: mean 2.6667, worst 3'
    """
    n, total = len(n_guesses), sum(n_guesses)
    return f"{_answers(n)} in {amount(total, 'guess', 'guesses')}: mean {total / n:.4f}, worst {max(n_guesses)}"


def _answers(n: int) -> str:
    return f"{n:,} answer{'' if n == 1 else 's'}"


def distribution(n_guesses: Sequence[int]) -> list[str]:
    """Return a line for each number of guesses, with the number of answers that take it."""
    counts = [n_guesses.count(n) for n in range(1, max(n_guesses) + 1)]
    width = len(f"{max(counts):,}")
    return [
        f"  {n:2}  {count:{width},}  {'▪' * round(BAR * count / max(counts))}".rstrip()
        for n, count in enumerate(counts, 1)
    ]


def print_tree(tree: trees.Tree, depth: int) -> None:
    """Print the first `depth` guesses of the tree; clues that leave most answers come first."""
    from rich.console import Console  # imported here and below so that --help stays fast
    from rich.tree import Tree as Branches

    def grow(branches: Branches, node: trees.Tree, levels_left: int) -> None:
        sizes = {clues: sum(subtree.counts().values()) for clues, subtree in node.branches.items()}
        if levels_left == 0:
            return
        for clues in sorted(sizes, key=lambda clues: (-sizes[clues], clues)):
            grow(branches.add(f"{clues}  {_node(node.branches[clues])}"), node.branches[clues], levels_left - 1)

    root = Branches(_node(tree))
    grow(root, tree, depth - 1)
    console = Console(markup=False, emoji=False, highlight=False)
    console.print(root)
    console.print("=: the guess can be the answer.")


def _node(node: trees.Tree) -> str:
    counts = node.counts()
    n = sum(counts.values())
    if n == 1 and node.is_answer:
        return f"{node.guess} ="
    may = " =" if node.is_answer else ""
    return f"{node.guess}{may}  {_answers(n)}, mean {node.total / n:.2f}, worst {node.depth}" if n else node.guess


def print_comparison(names: tuple[str, str], both: Sequence[trees.Tree]) -> None:
    """Print how two trees differ: totals, the answers that each finds sooner, and where their guesses differ."""
    differences = trees.compare(*both)
    for name, tree in zip(names, both, strict=True):
        n_guesses = [len(path) for path in tree.paths()]
        click.echo(f"{name}: {totals_text(n_guesses) if tree.depth else 'no answers'}")
    for name, found_words in zip(names, differences.only, strict=True):
        if found_words:
            click.echo(f"Only {name} finds {_listed(found_words)}.")
    click.echo(_sooner(differences, -1, f"sooner by {names[0]}"))
    click.echo(_sooner(differences, 1, f"sooner by {names[1]}"))
    click.echo(f"{_answers(len(differences.answers(0)))} found equally soon by both.")
    if differences.divergences:
        n_places = amount(len(differences.divergences), "place")
        click.echo(f"The trees guess differently at {n_places}; the total numbers of guesses from there on:")
    for divergence in differences.divergences[:MAX_DIVERGENCES]:
        sides = ", ".join(
            f"{guess} {total:,}" for guess, total in zip(divergence.guesses, divergence.totals, strict=True)
        )
        click.echo(
            f"  {divergence.totals[0] - divergence.totals[1]:+d}  after {trees.path_text(divergence.path)}: {sides}"
        )
    if len(differences.divergences) > MAX_DIVERGENCES:
        click.echo(f"  ... and {amount(len(differences.divergences) - MAX_DIVERGENCES, 'more place')}")


def _sooner(comparison: trees.TreeComparison, sign: int, timing: str) -> str:
    answers = comparison.answers(sign)
    solved_words = [f"{word} {comparison.n_guesses[word][0]}:{comparison.n_guesses[word][1]}" for word in answers]
    return f"{_answers(len(answers))} found {timing}" + (f": {_listed(solved_words)}." if solved_words else ".")


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:MAX_WORDS]) + (f" and {len(words) - MAX_WORDS:,} more" if len(words) > MAX_WORDS else "")
