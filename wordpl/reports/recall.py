"""The recall of predicted answer sets as tables: words kept for a share of hidden answers, methods side by side."""

from collections.abc import Sequence

import numpy as np

from wordpl.lexicon.recall_curve import RECALLS, REFERENCE, LaterRecall, RecallCurve, RecallShare
from wordpl.lexicon.spy_em import CLAIM, THRESHOLD, SpyEmFit
from wordpl.reports.plain_table import PlainTable


def frontier(curves: Sequence[RecallCurve], seed: int) -> PlainTable:
    """Return the table of words kept, with 95% intervals by drawing hidden answers with replacement."""
    heads = ["method", *(f"{100 * recall:g} %" for recall in RECALLS)]
    rows = [["reference: spaCy's large vectors", *(f"{REFERENCE[recall]:,}" for recall in RECALLS)]]
    for curve in curves:
        rows.append([curve.name, *(f"{curve.held_out.kept(recall):,}" for recall in RECALLS)])
        rows.append(["  95% interval", *(_interval(curve, recall, seed) for recall in RECALLS)])
    n_answers, n_words = len(curves[0].held_out.ranks), curves[0].n_words
    legend = (
        f"Words of {n_words:,} to keep for that recall of {n_answers:,} answers, each hidden when its fold was "
        "ranked. The reference's figures are without intervals."
    )
    return PlainTable("Words kept for held-out recall", heads, rows, frozenset({"method"}), legend)


def _interval(curve: RecallCurve, recall: float, seed: int) -> str:
    low, high = curve.held_out.kept_interval(recall, np.random.default_rng(seed))
    return f"{low:,}–{high:,}"


def later(rows: Sequence[LaterRecall]) -> PlainTable:
    """Return the table of recall on answers that came later."""
    heads = ["told the answers", "told", "recall of later ones", "missed"]
    lines = [[row.name, f"{row.n_training:,}", share(row.share), " ".join(row.missed)] for row in rows]
    legend = "Recall on known answers that the model was not told of; the original order was laid down in one piece."
    title = f"Recall on later answers, {rows[0].n_kept:,} words kept"
    return PlainTable(title, heads, lines, frozenset({"told the answers", "missed"}), legend)


def share(counted: RecallShare) -> str:
    """Return the share with its interval and count.

    >>> share(RecallShare(23, 25))
    '92.0% (74.0–99.0%; 23 of 25)'
    """
    low, high = counted.interval
    return f"{counted.value:.1%} ({100 * low:.1f}–{100 * high:.1f}%; {counted.n_found:,} of {counted.n:,})"


def spies(draws: Sequence[SpyEmFit]) -> PlainTable:
    """Return the table of Spy-EM's draws of spies, with all together, beside what the reference says of itself."""
    rows = [[str(at), f"{one.n_kept:,}", share(RecallShare(*one.spies_kept)), str(one.n_rounds)] for at, one in
            enumerate(draws, 1)]  # fmt: skip
    found, n = (sum(one.spies_kept[at] for one in draws) for at in (0, 1))
    sizes = [one.n_kept for one in draws]
    rows.append(["together", f"{min(sizes):,}–{max(sizes):,}", share(RecallShare(found, n)), ""])
    title = f"Spy-EM at a threshold of {THRESHOLD:.0%}"
    legend = f"Recall of spies, which were hidden. The reference claims {CLAIM}, mostly of answers it was told."
    return PlainTable(title, ["spies drawn", "words kept", "spies kept", "rounds"], rows, frozenset(), legend)
