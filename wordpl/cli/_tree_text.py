"""The output of `wordpl tree`: totals and distributions, a tree as text, and the comparison of two trees."""

from collections.abc import Sequence

import click

from wordpl.core.messages import amount
from wordpl.core.words import WordLists
from wordpl.solvers import trees

MAX_FAULTS = 20
MAX_PARTINGS = 12
MAX_WORDS = 12
BAR = 40


def origin(provenance: trees.TreeProvenance, lists: WordLists | None = None) -> str:
    """Return where a tree comes from, and whether it was made for other lists than these."""
    text = f"Made for {provenance.rules}: {provenance.obtained}."
    if lists is not None and dict(provenance.sha256) != lists.sha256:
        text += " It was made for other word lists than these."
    return text


def verdict(found: trees.TreeCheck, terms: trees.TreeTerms) -> str:
    """Return the result of a check: the number of guesses that answers take, and the faults."""
    lines = []
    if found.n_guesses:
        lines += [totals(list(found.n_guesses.values())), *distribution(list(found.n_guesses.values()))]
    lines += [f"wrong: {fault}" for fault in found.faults[:MAX_FAULTS]]
    if len(found.faults) > MAX_FAULTS:
        lines.append(f"... and {len(found.faults) - MAX_FAULTS:,} more")
    if not found.faults and not found.n_guesses:
        lines.append("No answer fits these clues.")
    elif not found.faults:
        mode = ", in hard mode" if terms.unused_hint else ""
        within = f" within {amount(terms.limit, 'guess', 'guesses')}" if terms.limit else ""
        lines.append(f"Correct: the tree finds every answer once{within}, with allowed guesses only{mode}.")
    return "\n".join(lines)


def totals(n_guesses: Sequence[int]) -> str:
    """Return the total, the mean and the maximum number of guesses that the answers take.

    >>> totals([2, 3, 3])
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


def show(tree: trees.Tree, depth: int) -> None:
    """Print the first `depth` guesses of the tree; clues that leave most answers come first."""
    from rich.console import Console  # imported here and below so that --help stays fast
    from rich.tree import Tree as Branches

    def grow(branches: Branches, node: trees.Tree, left: int) -> None:
        sizes = {clues: sum(rest.counts().values()) for clues, rest in node.branches.items()}
        if left == 0:
            return
        for clues in sorted(sizes, key=lambda clues: (-sizes[clues], clues)):
            grow(branches.add(f"{clues}  {_node(node.branches[clues])}"), node.branches[clues], left - 1)

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


def show_comparison(names: tuple[str, str], two: Sequence[trees.Tree]) -> None:
    """Print how two trees differ: totals, the answers that each finds sooner, and where their guesses differ."""
    found = trees.compare(*two)
    for name, tree in zip(names, two, strict=True):
        click.echo(f"{name}: {totals([len(path) for path in tree.paths()])}" if tree.depth else f"{name}: no answers")
    for name, words in zip(names, found.only, strict=True):
        if words:
            click.echo(f"Only {name} finds {_some(words)}.")
    click.echo(_sooner(found, -1, f"sooner by {names[0]}"))
    click.echo(_sooner(found, 1, f"sooner by {names[1]}"))
    click.echo(f"{_answers(len(found.answers(0)))} found equally soon by both.")
    if found.divergences:
        n_places = amount(len(found.divergences), "place")
        click.echo(f"The trees guess differently at {n_places}; the total numbers of guesses from there on:")
    for divergence in found.divergences[:MAX_PARTINGS]:
        sides = ", ".join(
            f"{guess} {total:,}" for guess, total in zip(divergence.guesses, divergence.totals, strict=True)
        )
        click.echo(
            f"  {divergence.totals[0] - divergence.totals[1]:+d}  after {trees.path_text(divergence.path)}: {sides}"
        )
    if len(found.divergences) > MAX_PARTINGS:
        click.echo(f"  ... and {amount(len(found.divergences) - MAX_PARTINGS, 'more place')}")


def _sooner(found: trees.TreeComparison, sign: int, what: str) -> str:
    answers = found.answers(sign)
    shown = [f"{word} {found.n_guesses[word][0]}:{found.n_guesses[word][1]}" for word in answers]
    return f"{_answers(len(answers))} found {what}" + (f": {_some(shown)}." if shown else ".")


def _some(words: Sequence[str]) -> str:
    return ", ".join(words[:MAX_WORDS]) + (f" and {len(words) - MAX_WORDS:,} more" if len(words) > MAX_WORDS else "")
