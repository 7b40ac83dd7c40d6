"""The steps of `wordpl words evaluate`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import click
import numpy as np
from tqdm import tqdm

from wordpl.cli._console import console as new_console
from wordpl.core import words as lists
from wordpl.lexicon import LIGHT_FEATURES, features, filters, known, recall_curve
from wordpl.lexicon.ranking import Method
from wordpl.reports import plain_table, recall, recall_plot

NEEDS_A_FILE = "vectors"


@dataclass(frozen=True)
class Question:
    """What is to be compared: models, groups of feature sets written with +, and the words to choose from."""

    guesses: str
    models: Sequence[str]
    groups: Sequence[str]
    known: Path | None
    before: date
    seed: int

    def methods(self) -> Iterator[Method]:
        """Yield each model with each group; without groups, the light sets for all, and one more set for the first."""
        if self.groups:
            yield from (
                Method(model, tuple(group.split("+")), self.seed) for group in self.groups for model in self.models
            )
            return
        yield from (Method(model, seed=self.seed) for model in self.models)
        more = [name for name in features.names() if name not in (*LIGHT_FEATURES, NEEDS_A_FILE)]
        yield from (Method(self.models[0], (*LIGHT_FEATURES, name), self.seed) for name in more)


def evaluate(question: Question, plot: Path | None) -> None:
    """Print the frontier, the recall by time and Spy-EM's spies; draw the frontier if there is a file for it."""
    words, later = lists.find(question.guesses), known.read_later(question.known) if question.known else {}
    original = lists.bundled("puzzle-order")
    filters.check_subset(original, words, "the original answers")
    filters.check_subset(later, words, "the file of later answers")
    answers = np.isin(words, original)
    methods = list(question.methods())
    curves = [recall_curve.frequency_curve(words, answers)]
    curves += [recall_curve.curve(words, answers, one) for one in tqdm(methods, desc="methods", leave=False)]
    console = new_console()
    plain_table.show(recall.frontier(curves, question.seed), console)
    for leak in dict.fromkeys(leak for one in curves for leak in one.leakage):
        click.echo(f"  what it knows of the answers: {leak}")
    click.echo("  the choice of sets and settings saw held-out recall on these answers")
    plain_table.show(recall.later(recall_curve.recall_by_time(words, methods[0], later, question.before)), console)
    if "spy-em" in question.models:
        plain_table.show(recall.spies(recall_curve.spies(words, answers, methods[0].sets, question.seed)), console)
    if plot:
        recall_plot.draw(curves, plot)
        click.echo(f"{plot}: the frontier drawn.")
