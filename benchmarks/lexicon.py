"""Measure the prediction of answers, and check that the files in the package can be reproduced byte for byte.

Run `python benchmarks/lexicon.py`. Times are CPU seconds of one thread; a fit is the median over five folds.
"""

from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

import click
import numpy as np
from click.testing import CliRunner
from threadpoolctl import threadpool_limits

from wordpl.cli import main as wordpl
from wordpl.core import paths, words
from wordpl.lexicon import LIGHT_FEATURES, features, word_ranking

BUILT = ("answers-predicted.txt", "prior.csv")


def seconds(work):
    """Return the CPU seconds of a piece of work and its result."""
    start = process_time()
    result = work()
    return process_time() - start, result


def timed_fits(name, table, is_answer):
    """Return the median CPU seconds of a fit."""
    paces = []

    def fit(is_seen, rng):
        pace, scores = seconds(lambda: word_ranking.score(name, table, is_seen, rng))
        paces.append(pace)
        return scores

    word_ranking.hold_out(is_answer, fit, np.random.default_rng(0))
    return median(paces)


@click.command()
def main():
    modern = words.bundled("modern")
    is_answer = np.isin(modern, words.bundled("puzzle-order"))
    click.echo(f"| {len(modern):,} words | s |\n|---|---|")
    with threadpool_limits(1):
        pace, table = seconds(lambda: features.table(modern))
        click.echo(f"| features, {', '.join(LIGHT_FEATURES)} (libraries opened too) | {pace:.1f} |")
        for name in word_ranking.MODELS:
            click.echo(f"| {name}, a fit | {timed_fits(name, table.to_numpy(), is_answer):.2f} |")
    for file in BUILT:
        with TemporaryDirectory() as folder:
            built = Path(folder) / file
            CliRunner().invoke(wordpl, ["words", "build", str(built)], catch_exceptions=False)
            same = built.read_bytes() == (paths.DATA / file).read_bytes()
        click.echo(f"{file}: {'the same bytes' if same else 'OTHER BYTES'} as the package's")


if __name__ == "__main__":
    main()
