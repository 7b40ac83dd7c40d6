"""Implements `wordpl words evaluate`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import click
import numpy as np
from tqdm import tqdm

from wordpl.cli._console import console as new_console
from wordpl.core import words as lists
from wordpl.lexicon import LIGHT_FEATURES, features, filters, known_answers, recall_curve
from wordpl.lexicon.ranking import Method
from wordpl.reports import plain_table, recall, recall_plot

NEEDS_A_FILE = "vectors"


@dataclass(frozen=True)
class EvaluationOptions:
    """The methods to compare.

    Attributes:
        guesses: The word list to choose from: a file, or the name of a bundled list.
        models: The names of the models.
        groups: Groups of feature sets, the names of a group joined by +.
        known: A CSV file of later answers.
        before: For the recall by time, models are fitted to the answers before this day.
        seed: The seed of the models.
    """

    guesses: str
    models: Sequence[str]
    groups: Sequence[str]
    known: Path | None
    before: date
    seed: int

    def methods(self) -> Iterator[Method]:
        """Yield the methods: each model with each group of feature sets.

        Without groups, each model gets the light feature sets, and the first model also each further set.
        """
        if self.groups:
            yield from (
                Method(model, tuple(group.split("+")), self.seed) for group in self.groups for model in self.models
            )
            return
        yield from (Method(model, seed=self.seed) for model in self.models)
        more = [name for name in features.names() if name not in (*LIGHT_FEATURES, NEEDS_A_FILE)]
        yield from (Method(self.models[0], (*LIGHT_FEATURES, name), self.seed) for name in more)


def evaluate(options: EvaluationOptions, plot: Path | None) -> None:
    """Print the frontier, the recall by time and the spies of Spy-EM; draw the frontier into `plot` if given."""
    words, later = lists.find(options.guesses), known_answers.read_later(options.known) if options.known else {}
    original = lists.bundled("puzzle-order")
    filters.check_subset(original, words, "the original answers")
    filters.check_subset(later, words, "the file of later answers")
    answers = np.isin(words, original)
    methods = list(options.methods())
    curves = [recall_curve.frequency_curve(words, answers)]
    curves += [recall_curve.curve(words, answers, one) for one in tqdm(methods, desc="methods", leave=False)]
    console = new_console()
    plain_table.show(recall.frontier(curves, options.seed), console)
    for leak in dict.fromkeys(leak for one in curves for leak in one.leakage):
        click.echo(f"  known leakage of the answers: {leak}")
    click.echo("  feature sets and settings were chosen by their held-out recall on these answers")
    plain_table.show(recall.later(recall_curve.recall_by_time(words, methods[0], later, options.before)), console)
    if "spy-em" in options.models:
        plain_table.show(recall.spies(recall_curve.spies(words, answers, methods[0].sets, options.seed)), console)
    if plot:
        recall_plot.draw(curves, plot)
        click.echo(f"Frontier: {plot}")
