"""The model card: how well a ranking finds answers that it was not told of, how big it is, what it is made from."""

from collections.abc import Sequence

from wordpl.lexicon import features
from wordpl.lexicon.cross_validation import calibration
from wordpl.lexicon.ranking import Method, WordRanking
from wordpl.lexicon.recall_curve import Later, RecallShare, leak_of

EDGES = (0, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01)


def write(ranking: WordRanking, method: Method, n_kept: int, later: Sequence[Later]) -> str:
    """Return the card as Markdown. Its recalls are of hidden answers alone; what a model was told is never counted.

    Args:
        n_kept: how many words of the ranking are kept
        later: recall by time
    """
    recall = RecallShare(*ranking.held_out.recall(n_kept))
    return "\n".join(
        [
            f"# Which words are answers: {method.name}",
            "",
            f"Keeps {n_kept:,} of {len(ranking.words):,} words by rank, and the known answers it is told.",
            "",
            "| answers hidden from it | words kept | found | recall | 95% interval |",
            "|---|--:|--:|--:|--:|",
            _row("in five parts", n_kept, recall),
            *(_row(f"all but: {row.name}", row.n_kept, row.share) for row in later),
            "",
            "Chances are of words the fit was not told of. An answer nobody knows yet counts as none, so they are low:",
            "",
            "| mean chance | words | known answers | share |",
            "|--:|--:|--:|--:|",
            *(
                f"| {mean:.3f} | {n:,} | {n_known:,} | {n_known / n:.3f} |"
                for mean, n_known, n in calibration(ranking.chances, ranking.known, EDGES)
            ),
            "",
            "Sources:",
            "",
            *(f"- {one.package} {one.version}: {one.what}; {one.licence}" for one in features.sources(method.sets)),
            "",
            "What each feature set knows of the answers:",
            "",
            *(f"- {name}: {leak_of(name)}" for name in method.sets),
            "- the choice of feature sets and of the models' settings saw held-out recall on the 2,315 answers",
            "",
        ]
    )


def _row(name: str, n_kept: int, share: RecallShare) -> str:
    low, high = share.interval
    return f"| {name} | {n_kept:,} | {share.n_found:,} of {share.n:,} | {share.value:.4f} | {low:.4f}–{high:.4f} |"
