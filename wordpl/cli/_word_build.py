"""The steps of `wordpl words build` and `explain`."""

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import click
import numpy as np
from tqdm import tqdm

from wordpl.core import words as lists
from wordpl.core.amounts import amount
from wordpl.core.errors import UserError
from wordpl.core.files import write_atomically
from wordpl.lexicon import LIGHT_FEATURES, answer_classes, filters, known, model_card, provenance, recall_curve
from wordpl.lexicon.cross_validation import N_FOLDS
from wordpl.lexicon.ranking import Method, WordRanking, rank

RECALL = 0.99
N_NEIGHBOURS = 3
FIRST_UNDATED = date(2022, 2, 15)


@dataclass(frozen=True)
class Order:
    """What the user asked to be built."""

    guesses: str
    texts: tuple[str, ...]
    model: str
    sets: tuple[str, ...]
    known: Path | None
    recall: float | None
    keep: int | None
    rate_known: bool
    card: Path | None
    seed: int

    @property
    def method(self) -> Method | None:
        """How words are ranked, None where filters alone choose."""
        return None if self.model == "none" else Method(self.model, tuple(self.sets), self.seed)

    def command(self, out: Path) -> str:
        """Return the command that builds this, without what is the default."""
        parts = ["wordpl", "words", "build", out.name]
        parts += ["--guesses", self.guesses] if self.guesses != "modern" else []
        parts += [part for text in self.texts for part in ("--filter", text)]
        parts += ["--model", self.model] if self.model != "blend" else []
        parts += (
            [part for name in self.sets for part in ("--features", name)] if tuple(self.sets) != LIGHT_FEATURES else []
        )
        for name, value in (("--known", self.known), ("--recall", self.recall), ("--keep", self.keep)):
            parts += [name, str(value)] if value is not None else []
        parts += ["--rate-known"] if self.rate_known else []
        parts += ["--seed", str(self.seed)] if self.seed else []
        return shlex.join(parts)


def build(out: Path, order: Order) -> None:
    """Write the answer set or the prior that was ordered, and say what was done."""
    if out.suffix not in (".txt", ".csv"):
        raise UserError(f"{out} should end in .txt, for a set of answers, or in .csv, for a prior.")
    if order.keep is not None and order.recall is not None:
        raise UserError("--keep and --recall both say how many words to keep: give one of them.")
    if order.method is None and (out.suffix == ".csv" or order.card):
        raise UserError("filters alone give neither probabilities nor a model card: leave out --model none.")
    words, later = lists.find(order.guesses), _later(order.known)
    answers = known.all_known(words, later)
    left, steps = filters.apply(words, [filters.find(text) for text in order.texts], answers)
    facts = [_said(step) for step in steps]
    for fact in facts:
        click.echo(fact)
    chances = dict.fromkeys(left, 1.0)
    if order.method is not None:
        ranking = rank(left, answers, order.method, _bar)
        is_prior = out.suffix == ".csv" and not (order.rate_known or order.keep or order.recall is not None)
        chances, fact = _weigh(ranking, later) if is_prior else _choose(ranking, order, whole=out.suffix == ".csv")
        facts.append(fact)
        click.echo(fact)
        if order.card:
            later_recall = recall_curve.recall_by_time(left, order.method, later, FIRST_UNDATED)
            write_atomically(
                order.card, model_card.write(ranking, order.method, _n_kept(ranking, order), later_recall).encode()
            )
    head = provenance.remarks(order.command(out), words, answers, order.method, facts)
    data = provenance.answer_file(head, chances) if out.suffix == ".txt" else provenance.prior_file(head, chances)
    write_atomically(out, data)
    click.echo(f"{out}: {amount(len(chances), 'word')}.")


def _later(path: Path | None) -> dict[str, date]:
    return known.read_later(path) if path else {}


def _bar(folds: Iterable[Any]) -> Iterable[Any]:
    bar: Iterable[Any] = tqdm(folds, total=N_FOLDS, desc="held-out fits", leave=False)
    return bar


def _said(step: filters.FilterStep) -> str:
    removed = f"{amount(step.n_removed, 'word')} removed"
    text = f"Filter {step.text}: {removed}, {step.n_back:,} brought back, {step.n_left:,} left"
    if not step.lost:
        return f"{text}; no known answer lost"
    more = ", ..." if len(step.lost) > 5 else ""
    return f"{text}; {len(step.lost):,} known answers lost: {', '.join(step.lost[:5])}{more}"


def _n_kept(ranking: WordRanking, order: Order) -> int:
    recall = RECALL if order.recall is None else order.recall
    return min(order.keep, len(ranking.words)) if order.keep else ranking.held_out.kept(recall)


def _weigh(ranking: WordRanking, later: dict[str, date]) -> tuple[dict[str, float], str]:
    """Return each word's probability to be the next answer relative to the likeliest, and what to say of it."""
    counts = answer_classes.counts_after(ranking.words, later)
    played = {*lists.bundled("past-answers"), *later}
    found = answer_classes.prior(ranking.words, ranking.chances, played, counts)
    weights = answer_classes.class_weights(counts)
    said = ", ".join(f"{name} {weight:.1%}" for name, weight in zip(answer_classes.CLASSES, weights, strict=True))
    return dict(zip(ranking.words, found / found.max(), strict=True)), f"By class and rank: {said}"


def _choose(ranking: WordRanking, order: Order, whole: bool) -> tuple[dict[str, float], str]:
    """Return the chance of each word that is kept, and what to say of it; whole: keep all words, unless told a size."""
    n_kept = len(ranking.words) if whole and order.keep is None and order.recall is None else _n_kept(ranking, order)
    sure = np.zeros(len(ranking.words), bool) if order.rate_known else ranking.known
    kept = sure | (ranking.places <= n_kept)
    chances = np.where(sure, 1.0, ranking.chances)
    recall = recall_curve.RecallShare(*ranking.held_out.recall(n_kept))
    low, high = recall.interval
    said = f"with {recall.value:.2%} of {recall.n:,} hidden answers ({100 * low:.2f}–{100 * high:.2f}%)"
    if n_kept == len(ranking.words):
        said = "each with its chance"
    treated = "as rated" if order.rate_known else "all kept, as sure"
    fact = f"By rank: {n_kept:,} of {len(ranking.words):,} words, {said}; known answers {treated}"
    return {ranking.words[at]: float(chances[at]) for at in np.flatnonzero(kept)}, fact


def explain(word: str, guesses: str, later: Path | None, method: Method) -> None:
    """Show a word's chance, its features and its neighbours."""
    words, word = lists.find(guesses), word.lower()
    if word not in words:
        raise UserError(f"{word[:30]!r} is none of the {len(words):,} words of {guesses}: give a word of that list.")
    ranking = rank(words, known.all_known(words, _later(later)), method, _bar)
    at, order = words.index(word), np.argsort(ranking.places)
    status = "a known answer, hidden for this" if ranking.known[at] else "no known answer"
    place = int(ranking.places[at])
    click.echo(f"{word}: probability {ranking.chances[at]:.3f}, place {place:,} of {len(words):,}; {status}.")
    first = max(0, place - 1 - N_NEIGHBOURS)
    for near in order[first : place + N_NEIGHBOURS]:
        mark = "*" if ranking.known[near] else " "
        click.echo(f"  {ranking.places[near]:6,} {words[near]}{mark} {ranking.chances[near]:.3f}")
    click.echo("  (* known answers)")
    shares = (ranking.table < ranking.table.loc[word]).mean()
    for name, value in ranking.table.loc[word].items():
        if value:
            click.echo(f"  {name:40} {value:8.2f}   more than {shares[str(name)]:4.0%} of words")
