"""Measure how well the prior and the lists predict later answers: trained up to a day, scored on the days after it.

Run `python benchmarks/lexicon_by_time.py DATED.csv`, a file with lines `date,word` for each day from 2021-06-19 on. The
figures of docs/lexicon.md use the answers that github.com/georgevreilly/wordle lists in games.md (commit 86acb0d of
2026-08-22), which are not part of this package.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import click
import numpy as np

from wordpl.core import words as lists
from wordpl.core.intervals import proportion_interval
from wordpl.lexicon import answer_classes, known_answers
from wordpl.lexicon.answer_classes import HALF_LIFE_DAYS, TRAINED_COUNTS, TRAINED_UNTIL
from wordpl.lexicon.ranking import Method, rank

Days = Sequence[tuple[date, str]]


def days_of(path: Path) -> Days:
    """Return the days after TRAINED_UNTIL with their answers, including repeated ones."""
    rows = (line.split(",") for line in path.read_text().splitlines()[1:])
    return sorted((date.fromisoformat(day), word) for day, word in rows if date.fromisoformat(day) > TRAINED_UNTIL)


def probabilities(words: Sequence[str], chances: np.ndarray, days: Days, is_learning: bool) -> Iterator[float]:
    """Yield the probability of each day's answer, predicted from the days before it.

    Args:
        words: All words.
        chances: The probability of each word in the ranking.
        days: The days with their answers.
        is_learning: Whether the class weights are updated day by day.
    """
    place = {word: index for index, word in enumerate(words)}
    counts, played = np.array(TRAINED_COUNTS), set(lists.bundled("past-answers"))
    for _, word in days:
        yield float(answer_classes.prior(words, chances, played, tuple(counts))[place[word]])
        if is_learning:
            counts *= 0.5 ** (1 / HALF_LIFE_DAYS)
            counts[answer_classes.classes_of([word], played)[0]] += 1
        played.add(word)


def fixed(words: Sequence[str], file: Path, days: Days, share_of_played: float) -> Iterator[float]:
    """Yield the probability of each day's answer in a prior's file.

    Args:
        words: All words.
        file: The prior.
        days: The days with their answers.
        share_of_played: The factor applied to the weights of words played before.
    """
    rows = (line.split(",") for line in file.read_text().splitlines() if line[:1].islower())
    chances = {word: float(chance) for word, chance in rows if word != "word"}
    weights = np.array([chances.get(word, 0.0) for word in words])
    place, is_played = {word: index for index, word in enumerate(words)}, np.isin(words, lists.bundled("past-answers"))
    for _, word in days:
        now = np.where(is_played, share_of_played, 1.0) * weights
        yield float(now[place[word]] / now.sum())
        is_played[place[word]] = True


def show_lists(new: set[str], prior_order: Sequence[str]) -> None:
    """Print how many of the new answers each list contains."""
    listed, predicted = (set(lists.bundled(name)) for name in ("answers-2023", "answers-predicted"))
    named = {
        "answers-2023": listed,
        "answers-predicted": predicted,
        "either (union)": listed | predicted,
        "both": listed & predicted,
        f"the prior's first {len(listed):,} (ensemble)": set(prior_order[: len(listed)]),
        f"the prior's first {len(listed & predicted):,}": set(prior_order[: len(listed & predicted)]),
    }
    click.echo(f"\n| list | words | of {len(new)} new answers | 95 % interval |\n|---|--:|--:|--:|")
    for name, words_of_list in named.items():
        low, high = proportion_interval(len(new & words_of_list), len(new), 0.95)
        missing = ", ".join(sorted(new - words_of_list))
        cell = f"{len(new & words_of_list)}{f' (without {missing})' if missing else ''}"
        click.echo(f"| {name} | {len(words_of_list):,} | {cell} | {100 * float(low):.0f}–{100 * float(high):.0f} % |")


@click.command()
@click.argument("dated", type=click.Path(exists=True, path_type=Path))
@click.option("--prior", type=click.Path(exists=True, path_type=Path), help="Also score this prior, unchanged.")
def main(dated: Path, prior: Path | None) -> None:
    """Score the prior and the lists on the answers in the file that are later than the training period."""
    words, days = lists.bundled("modern"), days_of(dated)
    answers = known_answers.all_known(words, {})
    ranking = rank(words, answers, Method())
    click.echo(f"{len(days)} days, {days[0][0]} to {days[-1][0]}; {len(answers):,} answers known before\n")
    click.echo("| prior | bits a day | standard error |\n|---|--:|--:|")
    chances_of = {
        "weights from the days before each": list(probabilities(words, ranking.chances, days, True)),
        f"weights of {TRAINED_UNTIL} kept": list(probabilities(words, ranking.chances, days, False)),
        "all 14,855 words alike": [1 / len(words)] * len(days),
    }
    if prior:
        chances_of[prior.name] = list(fixed(words, prior, days, 1.0))
        chances_of[f"{prior.name}, words played before at a twentieth"] = list(fixed(words, prior, days, 0.05))
    for name, chances in chances_of.items():
        mean, error = answer_classes.bits(chances)
        click.echo(f"| {name} | {mean:.2f} | {error:.2f} |")
    new = {word for _, word in days} - answers
    before = answer_classes.prior(words, ranking.chances, lists.bundled("past-answers"), TRAINED_COUNTS)
    classes = answer_classes.classes_of(words, lists.bundled("past-answers"))
    order = [words[index] for index in np.lexsort((-before, classes == 0))]
    first = [word for word in order if word in answers] + [word for word in order if word not in answers]
    show_lists(new, first)


if __name__ == "__main__":
    main()
