"""Writes lists of answers and priors: filters, the ranking of words, and the answers that are known so far."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np

from wordpl.apps.words import answer_prior, filters, provenance, word_ranking
from wordpl.apps.words.options import BuildOptions
from wordpl.apps.words.word_ranking import DEFAULT_RECALL, Method, Progress, WordRanking, rank
from wordpl.core import known_answers, paths
from wordpl.core import words as lists
from wordpl.core.files import write_atomically
from wordpl.core.known_answers import UNDATED_UNTIL, Days
from wordpl.core.messages import UserError, amount

FIRST_UNDATED = date(2022, 2, 15)
Say = Callable[[str], object]
"""Called with each step, as a sentence."""


def build(out: Path, options: BuildOptions, say: Say, progress: Progress = iter) -> None:
    """Write a list of answers (.txt) or a prior (.csv).

    Args:
        out: The file.
        options: What it is made of.
        say: Called with each step.
        progress: Wraps the fits to show progress, like tqdm.

    Raises:
        UserError: The options contradict each other, or a filter or a file is wrong.
    """
    if out.suffix not in (".txt", ".csv"):
        raise UserError(f"{out} must end in .txt, for a list of answers, or in .csv, for a prior.")
    if options.keep is not None and options.recall is not None:
        raise UserError("--keep and --recall both set the number of words to keep: give only one of them.")
    method = None if options.model == "none" else Method(options.model, options.sets, options.seed)
    if method is None and (out.suffix == ".csv" or options.card):
        raise UserError("a prior or a model card needs a model: remove --model none.")
    words = lists.find(options.guesses)
    days = known_answers.with_file(options.known, words)
    answers = known_answers.all_known(words, days)
    words_left, steps = filters.apply(words, [filters.find(text) for text in options.texts], answers)
    facts = [step.in_words for step in steps]
    for fact in facts:
        say(fact)
    chances = dict.fromkeys(words_left, 1.0)
    if method is not None:
        ranking = rank(words_left, answers, method, progress)
        is_prior = out.suffix == ".csv" and not (options.rate_known or options.keep or options.recall is not None)
        chances, fact = (
            answer_prior.next_answer(ranking, days) if is_prior else kept_words(ranking, options, out.suffix == ".csv")
        )
        facts.append(fact)
        say(fact)
        if options.card:
            later = word_ranking.recall_by_time(words_left, method, days, FIRST_UNDATED)
            card = provenance.model_card(ranking, method, n_kept(ranking, options), later)
            write_atomically(options.card, card.encode())
    head = provenance.remarks(options.command(out), words, answers, known_answers.last_day(days), method, facts)
    data = provenance.answer_file(head, chances) if out.suffix == ".txt" else provenance.prior_file(head, chances)
    write_atomically(out, data)
    say(f"{out}: {amount(len(chances), 'word')}.")


def n_kept(ranking: WordRanking, options: BuildOptions) -> int:
    """Return how many words of a ranking the options keep."""
    recall = DEFAULT_RECALL if options.recall is None else options.recall
    return min(options.keep, len(ranking.words)) if options.keep else ranking.held_out.kept(recall)


def kept_words(ranking: WordRanking, options: BuildOptions, is_whole: bool) -> tuple[dict[str, float], str]:
    """Return the probability of each kept word, and a summary line.

    Args:
        ranking: The ranked words.
        options: The options.
        is_whole: Keep all words unless the options give a number or a recall.
    """
    is_whole = is_whole and options.keep is None and options.recall is None
    n_best = len(ranking.words) if is_whole else n_kept(ranking, options)
    is_sure = np.zeros(len(ranking.words), bool) if options.rate_known else ranking.known
    is_kept = is_sure | (ranking.places <= n_best)
    chances = np.where(is_sure, 1.0, ranking.chances)
    recall = word_ranking.RecallShare(*ranking.held_out.recall(n_best))
    low, high = recall.interval
    description = f"with {recall.value:.2%} of {recall.n:,} hidden answers ({100 * low:.2f}–{100 * high:.2f}%)"
    if n_best == len(ranking.words):
        description = "each with its probability"
    treatment = "treated by their rating" if options.rate_known else "all kept with probability 1"
    fact = f"By rank: {n_best:,} of {len(ranking.words):,} words, {description}; known answers {treatment}"
    return {ranking.words[index]: float(chances[index]) for index in np.flatnonzero(is_kept)}, fact


def known_in(folder: Path) -> Days:
    """Return the answers by day that come with the package, and those that an earlier update left in the folder."""
    kept_file = folder / known_answers.LATER.name
    kept = known_answers.read(kept_file) if kept_file.is_file() else {}
    return known_answers.merge(known_answers.bundled(), kept, str(kept_file))


def update(new: Days, source: str, folder: Path, seed: int, say: Say, progress: Progress = iter) -> None:
    """Write the lists and the prior with later answers.

    Args:
        new: The later answers; the others are those that come with the package and those kept in the folder.
        source: Where they are from, for messages.
        folder: The folder of the new files.
        seed: The seed of the model.
        say: Called with each step.
        progress: Wraps the fits to show progress, like tqdm.

    Raises:
        UserError: An answer contradicts a known one, or cannot be one.
    """
    guesses = lists.bundled("modern")
    known_answers.check(new, guesses, datetime.now(UTC).date(), source)
    days, kept_file = known_in(folder), folder / known_answers.LATER.name
    n_before = len(days)
    days = known_answers.merge(days, {day: word for day, word in new.items() if day > UNDATED_UNTIL}, source)
    until, played = known_answers.last_day(days), known_answers.played(days)
    say(f"{source}: {amount(len(days) - n_before, 'new day')}; answers are known up to {until}.")
    if missing := known_answers.describe_missing(known_answers.missing_days(days)):
        say(missing)
    folder.mkdir(parents=True, exist_ok=True)
    made = f"# Made by: wordpl words update\n{lists.ANSWERS_UNTIL}{until}\n"
    write_atomically(kept_file, known_answers.as_csv(days, made + known_answers.source_of_bundled()))
    past = folder / "past-answers.txt"
    write_atomically(past, provenance.answer_file(made, played & set(guesses)))
    say(f"{past}: {amount(len(played), 'word')}.")
    options = BuildOptions(known=None if folder.resolve() == paths.DATA else kept_file, seed=seed)
    for name in ("answers-predicted.txt", "prior.csv"):
        build(folder / name, options, say, progress)
