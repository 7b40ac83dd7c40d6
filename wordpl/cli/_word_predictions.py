"""Implements `wordpl words build`, `explain` and `evaluate`, whose imports are slow."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import click
import numpy as np

from wordpl.cli._output import new_console, print_json, progress_bar
from wordpl.core import paths
from wordpl.core import words as lists
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError, amount
from wordpl.lexicon import LIGHT_FEATURES, answer_prior, features, filters, known_answers, provenance, word_ranking
from wordpl.lexicon import answer_prior as backtests
from wordpl.lexicon.known_answers import UNDATED_UNTIL, Days
from wordpl.lexicon.word_ranking import DEFAULT_RECALL, N_FOLDS, Method, WordRanking, rank
from wordpl.reports import recall
from wordpl.reports.renderers import show_table

N_NEIGHBOURS = 3
FIRST_UNDATED = date(2022, 2, 15)


@dataclass(frozen=True)
class BuildOptions:
    """The options of `wordpl words build`.

    Attributes:
        guesses: The word list to choose from: a file, or the name of a bundled list.
        texts: The filters, in the order in which they are applied.
        model: The name of the model, or "none" to apply only the filters.
        sets: The names of the feature sets.
        known: A CSV file of later answers.
        recall: The share of hidden answers to keep.
        keep: The number of words to keep.
        rate_known: Treat known answers by their held-out rating instead of keeping all of them.
        card: The file of the model card to write.
        seed: The seed of the model.
    """

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
        """The ranking method; None if only the filters choose words."""
        return None if self.model == "none" else Method(self.model, tuple(self.sets), self.seed)

    def command(self, out: Path) -> str:
        """Return the command line that builds this, without options that have their default values."""
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


def build(out: Path, options: BuildOptions) -> None:
    """Write an answer list or a prior to `out`, and print the steps."""
    if out.suffix not in (".txt", ".csv"):
        raise UserError(f"{out} must end in .txt, for a list of answers, or in .csv, for a prior.")
    if options.keep is not None and options.recall is not None:
        raise UserError("--keep and --recall both set the number of words to keep: give only one of them.")
    if options.method is None and (out.suffix == ".csv" or options.card):
        raise UserError("a prior or a model card needs a model: remove --model none.")
    words = lists.find(options.guesses)
    days = _known_days(options.known, words)
    answers = known_answers.all_known(words, days)
    words_left, steps = filters.apply(words, [filters.find(text) for text in options.texts], answers)
    facts = [_step_text(step) for step in steps]
    for fact in facts:
        click.echo(fact)
    chances = dict.fromkeys(words_left, 1.0)
    if options.method is not None:
        ranking = rank(words_left, answers, options.method, _bar)
        is_prior = out.suffix == ".csv" and not (options.rate_known or options.keep or options.recall is not None)
        chances, fact = (
            _weights(ranking, days) if is_prior else _kept_words(ranking, options, is_whole=out.suffix == ".csv")
        )
        facts.append(fact)
        click.echo(fact)
        if options.card:
            later_recall = word_ranking.recall_by_time(words_left, options.method, days, FIRST_UNDATED)
            write_atomically(
                options.card,
                provenance.model_card(ranking, options.method, _n_kept(ranking, options), later_recall).encode(),
            )
    head = provenance.remarks(options.command(out), words, answers, known_answers.last_day(days), options.method, facts)
    data = provenance.answer_file(head, chances) if out.suffix == ".txt" else provenance.prior_file(head, chances)
    write_atomically(out, data)
    click.echo(f"{out}: {amount(len(chances), 'word')}.")


def _known_days(path: Path | None, guesses: Sequence[str]) -> Days:
    """Return the dated answers that are known: the bundled ones, and those of a user's file, which must be guesses."""
    bundled = known_answers.bundled()
    if path is None:
        return bundled
    days = known_answers.read(path)
    filters.check_subset(days.values(), guesses, str(path))
    return known_answers.merge(bundled, days, str(path))


def _bar(folds: Iterable[Any]) -> Iterable[Any]:
    with progress_bar(N_FOLDS, "fit", "held-out fits", leave=False) as bar:
        for fold in folds:
            yield fold
            bar.update()


def _step_text(step: filters.FilterStep) -> str:
    removed = f"{amount(step.n_removed, 'word')} removed"
    text = f"Filter {step.text}: {removed}, {step.n_back:,} brought back, {step.n_left:,} left"
    if not step.lost:
        return f"{text}; no known answer lost"
    ellipsis = ", ..." if len(step.lost) > 5 else ""
    return f"{text}; {len(step.lost):,} known answers lost: {', '.join(step.lost[:5])}{ellipsis}"


def _n_kept(ranking: WordRanking, options: BuildOptions) -> int:
    recall = DEFAULT_RECALL if options.recall is None else options.recall
    return min(options.keep, len(ranking.words)) if options.keep else ranking.held_out.kept(recall)


def _weights(ranking: WordRanking, days: Days) -> tuple[dict[str, float], str]:
    """Return the probability of each word as the next answer, relative to the likeliest word, and a summary line."""
    counts = answer_prior.counts_after(days)
    chances = answer_prior.class_prior(ranking.words, ranking.chances, known_answers.played(days), counts)
    weights = answer_prior.class_weights(counts)
    weights_text = ", ".join(f"{name} {weight:.1%}" for name, weight in zip(answer_prior.CLASSES, weights, strict=True))
    return dict(zip(ranking.words, chances / chances.max(), strict=True)), f"By class and rank: {weights_text}"


def _kept_words(ranking: WordRanking, options: BuildOptions, is_whole: bool) -> tuple[dict[str, float], str]:
    """Return the probability of each kept word, and a summary line.

    Args:
        ranking: The ranked words.
        options: The options.
        is_whole: Keep all words unless the options give a number or a recall.
    """
    n_kept = (
        len(ranking.words)
        if is_whole and options.keep is None and options.recall is None
        else _n_kept(ranking, options)
    )
    is_sure = np.zeros(len(ranking.words), bool) if options.rate_known else ranking.known
    is_kept = is_sure | (ranking.places <= n_kept)
    chances = np.where(is_sure, 1.0, ranking.chances)
    recall = word_ranking.RecallShare(*ranking.held_out.recall(n_kept))
    low, high = recall.interval
    description = f"with {recall.value:.2%} of {recall.n:,} hidden answers ({100 * low:.2f}–{100 * high:.2f}%)"
    if n_kept == len(ranking.words):
        description = "each with its probability"
    treatment = "treated by their rating" if options.rate_known else "all kept with probability 1"
    fact = f"By rank: {n_kept:,} of {len(ranking.words):,} words, {description}; known answers {treatment}"
    return {ranking.words[index]: float(chances[index]) for index in np.flatnonzero(is_kept)}, fact


def update(file: Path | None, store: str | None, folder: Path, seed: int) -> None:
    """Write the lists and the prior with later answers to `folder`, and print the steps."""
    if (file is None) == (store is None):
        raise UserError("give the later answers as a FILE, or a league's store with --from-league STORE.")
    source = str(file or store)
    new = known_answers.read(file) if file else _answers_of_league(source)
    guesses = lists.bundled("modern")
    known_answers.check(new, guesses, datetime.now(UTC).date(), source)
    days, kept_file = known_answers.bundled(), folder / known_answers.LATER.name
    if kept_file.is_file():
        days = known_answers.merge(days, known_answers.read(kept_file), str(kept_file))
    n_before = len(days)
    days = known_answers.merge(days, {day: word for day, word in new.items() if day > UNDATED_UNTIL}, source)
    until, played = known_answers.last_day(days), known_answers.played(days)
    click.echo(f"{source}: {amount(len(days) - n_before, 'new day')}; answers are known up to {until}.")
    if missing := known_answers.describe_missing(known_answers.missing_days(days)):
        click.echo(missing)
    folder.mkdir(parents=True, exist_ok=True)
    made = f"# Made by: wordpl words update\n{lists.ANSWERS_UNTIL}{until}\n"
    write_atomically(kept_file, known_answers.as_csv(days, made + known_answers.source_of_bundled()))
    past = folder / "past-answers.txt"
    write_atomically(past, provenance.answer_file(made, played & set(guesses)))
    click.echo(f"{past}: {amount(len(played), 'word')}.")
    known = None if folder.resolve() == paths.DATA else kept_file
    for name in ("answers-predicted.txt", "prior.csv"):
        build(folder / name, BuildOptions("modern", (), "blend", LIGHT_FEATURES, known, None, None, False, None, seed))


def _answers_of_league(url: str) -> Days:
    from wordpl.cli._league_options import open_store

    store = open_store(url)
    from wordpl.league.puzzles import day_of

    days: Days = {}
    for key, name in store.leagues().items():
        recorded = {day_of(number): word for number, word in store.find(key).answers().items()}
        days = known_answers.merge(days, recorded, f"the league {name}")
    if not days:
        raise UserError(f"no answer is recorded in {url}: record some with `wordpl league answers FILE`.")
    return days


def backtest(guesses: str, known: Path | None, until: date, method: Method, as_json: bool) -> None:
    """Print how well the prior and the lists of a day predicted the answers after it."""
    words = lists.find(guesses)
    result = backtests.backtest(words, _known_days(known, words), until, method, _bar)
    if as_json:
        return print_json("words-backtest", recall.backtest_fields(result))
    console = new_console()
    for table in recall.backtest_tables(result):
        show_table(table, console)
    return None


def explain(word: str, guesses: str, known: Path | None, method: Method) -> None:
    """Print a word's probability, its features and its neighbours in the ranking."""
    words, word = lists.find(guesses), word.lower()
    if word not in words:
        raise UserError(f"{word[:30]!r} is not one of the {len(words):,} words of {guesses}.")
    ranking = rank(words, known_answers.all_known(words, _known_days(known, words)), method, _bar)
    index, order = words.index(word), np.argsort(ranking.places)
    status = "a known answer, hidden from the model" if ranking.known[index] else "not a known answer"
    place = int(ranking.places[index])
    click.echo(f"{word}: probability {ranking.chances[index]:.3f}, rank {place:,} of {len(words):,}; {status}.")
    first = max(0, place - 1 - N_NEIGHBOURS)
    for neighbour in order[first : place + N_NEIGHBOURS]:
        mark = "*" if ranking.known[neighbour] else " "
        click.echo(f"  {ranking.places[neighbour]:6,} {words[neighbour]}{mark} {ranking.chances[neighbour]:.3f}")
    click.echo("  (* known answers)")
    shares = (ranking.table < ranking.table.loc[word]).mean()
    for name, value in ranking.table.loc[word].items():
        if value:
            click.echo(f"  {name:40} {value:8.2f}   more than {shares[str(name)]:4.0%} of words")


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
        further_sets = [name for name in features.names() if name not in LIGHT_FEATURES]
        yield from (Method(self.models[0], (*LIGHT_FEATURES, name), self.seed) for name in further_sets)


def evaluate(options: EvaluationOptions, plot: Path | None) -> None:
    """Print the frontier, the recall by time and the spies of Spy-EM; draw the frontier into `plot` if given."""
    words = lists.find(options.guesses)
    days = _known_days(options.known, words)
    original = lists.bundled("puzzle-order")
    filters.check_subset(original, words, "the original answers")
    answers = np.isin(words, original)
    methods = list(options.methods())
    curves = [word_ranking.frequency_curve(words, answers)]
    with progress_bar(len(methods), "method", "methods", leave=False) as bar:
        for method in methods:
            curves.append(word_ranking.curve(words, answers, method))
            bar.update()
    console = new_console()
    show_table(recall.frontier(curves, options.seed), console)
    for leak in dict.fromkeys(leak for curve in curves for leak in curve.leakage):
        click.echo(f"  known leakage of the answers: {leak}")
    click.echo("  feature sets and settings were chosen by their held-out recall on these answers")
    show_table(recall.later(word_ranking.recall_by_time(words, methods[0], days, options.before)), console)
    if "spy-em" in options.models:
        show_table(recall.spies(word_ranking.spies(words, answers, methods[0].sets, options.seed)), console)
    if plot:
        recall.plot(curves, plot)
        click.echo(f"Frontier: {plot}")
