"""A plot of the recall of predicted answer lists: hidden answers missed against words kept."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wordpl.core.errors import UserError
from wordpl.lexicon.recall_curve import REFERENCE, RecallCurve

SIZE_IN, DOTS_PER_INCH = (8, 5), 120
KINDS = (".png", ".svg", ".pdf")


def draw(curves: Sequence[RecallCurve], path: Path) -> None:
    """Write a plot of the curves to the file, whose suffix selects the format.

    The axis of answers missed is logarithmic, since the last percent costs the most words.
    """
    try:
        from matplotlib import rc_context  # slow to import, and an optional extra
        from matplotlib.figure import Figure
    except ImportError:
        raise UserError('a plot needs matplotlib: pip install "wordpl[plots]"') from None
    if path.suffix not in KINDS:
        raise UserError(f"the plot {path} must end in {', '.join(KINDS)}.")
    figure = Figure(SIZE_IN, DOTS_PER_INCH, layout="constrained")
    axes = figure.add_subplot()
    for curve in curves:
        ranks = np.sort(curve.held_out.ranks)
        missed = 1 - np.arange(1, len(ranks) + 1) / len(ranks)
        axes.step(ranks[:-1], 100 * missed[:-1], where="post", label=curve.name, linewidth=1.3)
    axes.plot(list(REFERENCE.values()), [100 * (1 - recall) for recall in REFERENCE], "kx", label="reference")
    axes.set(yscale="log", ylim=(0.2, 20), xlim=(1500, 7500))
    axes.set(xlabel=f"words kept of {curves[0].n_words:,}", ylabel=f"% of {len(ranks):,} hidden answers missed")
    axes.grid(color="#eeeeee")
    axes.legend(fontsize=8, frameon=False)
    date = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}, ".png": {"Software": None}}[path.suffix]
    try:
        with rc_context({"svg.hashsalt": "wordpl"}):
            figure.savefig(path, metadata=date)
    except OSError as error:
        raise UserError(f"cannot write the plot {path}: {error.strerror}.") from None
