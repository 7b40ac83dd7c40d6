"""How a list or prior was made: the comments at the head of the file, and the model card."""

from collections.abc import Iterable, Sequence
from datetime import date
from hashlib import sha256
from math import exp, log

from wordpl.apps.words import features
from wordpl.apps.words.features import WORDFREQ
from wordpl.apps.words.word_ranking import LaterRecall, Method, RecallShare, WordRanking, calibration
from wordpl.core.priors import HEADER
from wordpl.core.words import ANSWERS_UNTIL, as_text

SHARE_ALIKE = (
    "Licence: Creative Commons Attribution-ShareAlike 4.0, since it is derived from the frequencies of wordfreq "
    "(Robyn Speer), whose data carry it."
)
LOG_STEP = 0.02
EDGES = (0, 0.01, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.01)


def remarks(
    command: str, words: Sequence[str], known: Iterable[str], until: date, method: Method | None, facts: list[str]
) -> str:
    """Return the head of a file: the command, digests of its inputs, its sources and its licence, as comment lines.

    Args:
        words: The words from which the file's words were chosen.
        known: The known answers the model learned from.
        until: The day of the last of them.
        method: The ranking method; None if only filters were used.
        facts: Further lines, such as what the filters did.
    """
    lines = [f"Made by: {command}", f"Of {_described(words)}", f"Known answers: {_described(sorted(known))}"]
    lines += [f"{ANSWERS_UNTIL.removeprefix('# ')}{until}", *facts]
    sources = [WORDFREQ] if method is None else features.sources_of(method.sets)
    if method is not None:
        lines.append(f"Method: {method.name}, seed {method.seed}")
    lines += [f"Source: {source.package} {source.version}, {source.what} ({source.licence})" for source in sources]
    if WORDFREQ in sources:
        lines.append(SHARE_ALIKE)
    return "".join(f"# {line}\n" for line in lines)


def _described(words: Iterable[str]) -> str:
    word_list = list(words)
    return f"{len(word_list):,} words, SHA-256 of their lines {sha256(as_text(word_list).encode()).hexdigest()}"


def answer_file(head: str, words: Iterable[str]) -> bytes:
    """Return the content of a word list, sorted."""
    return (head + as_text(sorted(words))).encode()


def rounded(number: float) -> str:
    """Return a positive number rounded to a whole power of e ** LOG_STEP: none is known more precisely.

    >>> rounded(0.25), rounded(1), rounded(1.2345e-05)
    ('0.252', '1', '1.24e-05')
    """
    return f"{exp(round(log(number) / LOG_STEP) * LOG_STEP):.3g}"


def prior_file(head: str, chances: dict[str, float]) -> bytes:
    """Return the content of a prior: the words, sorted, with their probabilities, rounded by at most 1%."""
    rows = [f"{word},{rounded(chance)}\n" for word, chance in sorted(chances.items()) if chance > 0]
    return (head + ",".join(HEADER) + "\n" + "".join(rows)).encode()


def model_card(ranking: WordRanking, method: Method, n_kept: int, later: Sequence[LaterRecall]) -> str:
    """Return the model card as Markdown: recall, calibration, sources and leakage of a ranking.

    Recall counts hidden answers only, never those used for training.

    Args:
        method: The method that made it.
        n_kept: How many words of the ranking are kept.
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
            *(
                f"- {source.package} {source.version}: {source.what}; {source.licence}"
                for source in features.sources_of(method.sets)
            ),
            "",
            "Leakage, that is, what each feature set knows about the answers:",
            "",
            *(f"- {name}: {features.find(name).leakage}" for name in method.sets),
            "- feature sets and model settings were chosen by held-out recall on the 2,315 answers",
            "",
        ]
    )


def _row(name: str, n_kept: int, share: RecallShare) -> str:
    low, high = share.interval
    return f"| {name} | {n_kept:,} | {share.n_found:,} of {share.n:,} | {share.value:.4f} | {low:.4f}–{high:.4f} |"
