"""Tables and a plot of the recall of predicted answer lists: the words to keep for a given recall, by method."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from wordpl.apps.words.answer_prior import Backtest
from wordpl.apps.words.word_ranking import (
    CLAIM,
    RECALLS,
    REFERENCE,
    THRESHOLD,
    LaterRecall,
    RecallCurve,
    RecallShare,
    SpyEmFit,
)
from wordpl.core import current_folder
from wordpl.core.messages import UserError, amount
from wordpl.reports.elements import Table, text_table

SIZE_IN, DOTS_PER_INCH = (8, 5), 120
KINDS = (".png", ".svg", ".pdf")


def frontier(curves: Sequence[RecallCurve], seed: int) -> Table:
    """Return the table of words kept, with 95% bootstrap intervals over the hidden answers."""
    heads = ["method", *(f"{100 * recall:g} %" for recall in RECALLS)]
    rows = [["reference: spaCy's large vectors", *(f"{REFERENCE[recall]:,}" for recall in RECALLS)]]
    for curve in curves:
        rows.append([curve.name, *(f"{curve.held_out.kept(recall):,}" for recall in RECALLS)])
        rows.append(["  95% interval", *(_interval(curve, recall, seed) for recall in RECALLS)])
    n_answers, n_words = len(curves[0].held_out.ranks), curves[0].n_words
    legend = (
        f"The number of words, of {n_words:,}, to keep for this recall of {n_answers:,} answers, each of which was "
        "held out when its fold was ranked. The reference has no intervals."
    )
    return text_table("Words kept for held-out recall", heads, rows, frozenset({"method"}), legend)


def _interval(curve: RecallCurve, recall: float, seed: int) -> str:
    low, high = curve.held_out.kept_interval(recall, np.random.default_rng(seed))
    return f"{low:,}–{high:,}"


def later(rows: Sequence[LaterRecall]) -> Table:
    """Return the table of the recall on later answers."""
    heads = ["fitted to answers", "answers", "recall of later answers", "missed"]
    lines = [[row.name, f"{row.n_training:,}", share(row.share), " ".join(row.missed)] for row in rows]
    legend = "Recall on known answers that the model had not seen. The original order was fixed all at once."
    title = f"Recall on later answers, {rows[0].n_kept:,} words kept"
    return text_table(title, heads, lines, frozenset({"fitted to answers", "missed"}), legend)


def backtest_tables(result: Backtest) -> list[Table]:
    """Return the table of the priors' surprise, and that of the lists if there were new answers."""
    first, last = min(result.days), max(result.days)
    about = f"{amount(len(result.days), 'day')} from {first} to {last}; {result.n_known:,} answers were known before."
    priors = [[each.name, f"{each.bits:.2f}", f"{each.standard_error:.2f}"] for each in result.priors]
    legend = f"{about} Mean surprise at each day's answer; lower is better."
    heads = ["prior", "bits a day", "standard error"]
    tables = [text_table("How the prior predicted", heads, priors, frozenset({"prior"}), legend)]
    if result.lists:
        rows = [[each.name, f"{each.n_words:,}", share(each.share), " ".join(each.missing)] for each in result.lists]
        heads, texts = ["list", "words", "new answers in it", "missing"], frozenset({"list", "missing"})
        title = f"Which lists contain the {amount(len(result.new), 'new answer')}"
        tables.append(text_table(title, heads, rows, texts, "The intervals are exact 95% intervals of a proportion."))
    return tables


def backtest_fields(result: Backtest) -> dict[str, Any]:
    """Return a backtest as values for JSON."""
    return {
        "until": str(result.until),
        "n_days": len(result.days),
        "n_known": result.n_known,
        "new": list(result.new),
        "priors": [asdict(each) for each in result.priors],
        "lists": [
            {"name": each.name, "n_words": each.n_words, "n_found": each.share.n_found, "n": each.share.n,
             "interval": list(each.share.interval), "missing": list(each.missing)}
            for each in result.lists
        ],
    }  # fmt: skip


def share(counted: RecallShare) -> str:
    """Return the share with its interval and counts.

    >>> share(RecallShare(23, 25))
    '92.0% (74.0–99.0%; 23 of 25)'
    """
    low, high = counted.interval
    return f"{counted.value:.1%} ({100 * low:.1f}–{100 * high:.1f}%; {counted.n_found:,} of {counted.n:,})"


def spies(draws: Sequence[SpyEmFit]) -> Table:
    """Return the table of Spy-EM's draws of spies and their total, with the claim of the reference."""
    rows = [[str(number), f"{draw.n_kept:,}", share(RecallShare(*draw.spies_kept)), str(draw.n_rounds)]
            for number, draw in enumerate(draws, 1)]  # fmt: skip
    n_recalled, n_spies = (sum(draw.spies_kept[index] for draw in draws) for index in (0, 1))
    sizes = [draw.n_kept for draw in draws]
    rows.append(["together", f"{min(sizes):,}–{max(sizes):,}", share(RecallShare(n_recalled, n_spies)), ""])
    title = f"Spy-EM at a threshold of {THRESHOLD:.0%}"
    legend = f"Recall of spies, which were held out. The reference claims {CLAIM}, mostly of answers it had seen."
    return text_table(title, ["spies drawn", "words kept", "spies kept", "rounds"], rows, frozenset(), legend)


def plot(curves: Sequence[RecallCurve], path: Path) -> None:
    """Write a plot of the curves to the file, whose suffix selects the format.

    The axis of answers missed is logarithmic, since the last percent costs the most words.
    """
    try:
        with current_folder.no_settings("matplotlibrc"):
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
        share_missed = 1 - np.arange(1, len(ranks) + 1) / len(ranks)
        axes.step(ranks[:-1], 100 * share_missed[:-1], where="post", label=curve.name, linewidth=1.3)
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
