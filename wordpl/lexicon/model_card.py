"""The model card: recall on hidden answers, calibration, sources and leakage of a ranking."""

from collections.abc import Sequence

from wordpl.lexicon import features
from wordpl.lexicon.cross_validation import calibration
from wordpl.lexicon.ranking import Method, WordRanking
from wordpl.lexicon.recall_curve import LaterRecall, RecallShare, leakage_of

EDGES = (0, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01)


def write(ranking: WordRanking, method: Method, n_kept: int, later: Sequence[LaterRecall]) -> str:
    """Return the card as Markdown. Recall counts hidden answers only, never those used for training.

    Args:
        ranking: The ranking.
        method: The method that made it.
        n_kept: How many words of the ranking are kept.
        later: Recall on later answers.
    """
    recall = RecallShare(*ranking.held_out.recall(n_kept))
    return "\n".join(
        [
            f"# Which words are answers: {method.name}",
            "",
            f"Keeps {n_kept:,} of {len(ranking.words):,} words by rank, and all known answers.",
            "",
            "| hidden answers | words kept | found | recall | 95% interval |",
            "|---|--:|--:|--:|--:|",
            _row("in five parts", n_kept, recall),
            *(_row(f"all but: {row.name}", row.n_kept, row.share) for row in later),
            "",
            "Probabilities are held-out predictions. They are low, as answers nobody knows yet count as other words:",
            "",
            "| mean probability | words | known answers | share |",
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
            "Leakage, that is, what each feature set knows about the answers:",
            "",
            *(f"- {name}: {leakage_of(name)}" for name in method.sets),
            "- feature sets and model settings were chosen by held-out recall on the 2,315 answers",
            "",
        ]
    )


def _row(name: str, n_kept: int, share: RecallShare) -> str:
    low, high = share.interval
    return f"| {name} | {n_kept:,} | {share.n_found:,} of {share.n:,} | {share.value:.4f} | {low:.4f}–{high:.4f} |"
