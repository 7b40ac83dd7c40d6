"""`wordpl words`: filter words and predict which can be the answer."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wordpl.apps.words.options import MODEL_NAMES, BuildOptions
from wordpl.cli._command import SuggestingGroup, json_option
from wordpl.cli._options import option, options
from wordpl.cli._output import print_json, progress_bar, say, show_result, show_tables
from wordpl.core import apps, known_answers, priors, words
from wordpl.core.messages import UserError

if TYPE_CHECKING:  # the models are slow to import, also in the commands below
    from wordpl.core.known_answers import Days

N_NEIGHBOURS = 3
PRIOR_TEXT = "the probability of each word as the answer"

to_file = click.Path(dir_okay=False, path_type=Path)
model_option = option(BuildOptions, "model", type=click.Choice(MODEL_NAMES), help="Model that ranks the words.")


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Predict which words can be the answer.

    The bundled word lists and the bundled prior work without further libraries. To build others, install
    "wordpl[lexicon]". `wordpl docs lexicon` explains the method.
    """


def _bar(folds: Iterable[Any]) -> Iterable[Any]:
    from wordpl.apps.words.word_ranking import N_FOLDS

    with progress_bar(N_FOLDS, "fit", "held-out fits", leave=False) as bar:
        for fold in folds:
            yield fold
            bar.update()


@command.command()
@click.argument("out", type=to_file)
@options(
    BuildOptions,
    *("guesses", "texts", "model", "sets", "known", "recall", "keep", "rate_known", "card", "seed"),
)
def build(out: Path, **chosen: Any) -> None:
    """Write a list of answers or a prior to OUT.

    A file OUT that ends in .txt gets a list of answers, one that ends in .csv a prior, with their provenance.

    \b
    wordpl words build likely.txt --filter inflection --recall 0.994
    wordpl words build prior.csv --known answers-of-this-year.csv
    wordpl words build common.txt --model none --filter zipf=3 --filter suffix
    """
    from wordpl.apps.words import prediction

    prediction.build(out, BuildOptions(**chosen), say, _bar)


@command.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--from-league", "store", metavar="STORE", help="Take the answers recorded in this league's store.")
@click.option(
    "--from-web",
    "url",
    metavar="URL",
    is_flag=False,
    flag_value=known_answers.PUBLISHED,
    help="Take those that a page publishes, by default the newspaper's own. {day} in URL is replaced by each day.",
)
@click.option(
    "-o",
    "--output",
    "folder",
    default="words",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the new files; answers that an earlier update left there are kept.",
)
@option(BuildOptions, "seed")
def update(file: Path | None, store: str | None, url: str | None, folder: Path, seed: int) -> None:
    """Add the answers of later days, from FILE, a league or the web, to the lists and the prior.

    FILE is a table with the header `date,word`, or `number,word` with the numbers of the puzzles. The folder gets
    later-answers.csv with all days, past-answers.txt, answers-predicted.txt and prior.csv, each with its provenance.
    Nothing is written if a word contradicts a known answer.

    \b
    wordpl words update july.csv
    wordpl words update --from-league league.sqlite
    wordpl suggest tares:....i --answers words/answers-predicted.txt --prior words/prior.csv
    """
    from wordpl.apps.words import prediction

    if sum(source is not None for source in (file, store, url)) != 1:
        raise UserError(
            "give the later answers as a FILE, or a league's store with --from-league STORE, or read them with "
            "--from-web."
        )
    if url:
        known = prediction.known_in(folder)
        new = known_answers.published(url, known_answers.last_day(known), datetime.now(UTC).date())
    else:
        new = known_answers.read(file) if file else _answers_of_league(str(store))
    prediction.update(new, str(file or store or url), folder, seed, say, _bar)


def _answers_of_league(url: str) -> "Days":
    apps.check_installed("league", "--from-league")
    store = apps.module("league", "command_output").open_store(url)
    from wordpl.core.puzzles import day_of

    days: Days = {}
    for key, name in store.leagues().items():
        recorded = {day_of(number): word for number, word in store.find(key).answers().items()}
        days = known_answers.merge(days, recorded, f"the league {name}")
    if not days:
        raise UserError(f"no answer is recorded in {url}: record some with `wordpl league answers FILE`.")
    return days


@command.command()
@option(BuildOptions, "guesses")
@model_option
@option(BuildOptions, "sets")
@option(BuildOptions, "known")
@click.option("--until", default="2025-09-29", show_default=True, type=click.DateTime(["%Y-%m-%d"]),
              help="Predict from the answers up to this day.")  # fmt: skip
@option(BuildOptions, "seed")
@json_option
def backtest(
    guesses: str, model: str, sets: tuple[str, ...], known: Path | None, until: datetime, seed: int, as_json: bool
) -> None:
    """Score the prior and the lists on answers that came later.

    The prediction is made from the answers up to a day, and scored on all known days after it: the surprise of each
    day's answer, and how many of the new answers each list contains.

    \b
    wordpl words backtest
    wordpl words backtest --known july.csv --until 2026-06-30
    """
    from wordpl.apps.words import answer_prior, recall
    from wordpl.apps.words.word_ranking import Method

    listed = words.find(guesses)
    days = known_answers.with_file(known, listed)
    result = answer_prior.backtest(listed, days, until.date(), Method(model, sets, seed), _bar)
    show_result("words-backtest", recall.backtest_fields(result), recall.backtest_tables(result), as_json=as_json)


@command.command()
@click.argument("word")
@option(BuildOptions, "guesses")
@model_option
@option(BuildOptions, "sets")
@option(BuildOptions, "known")
@option(BuildOptions, "seed")
def explain(word: str, guesses: str, model: str, sets: tuple[str, ...], known: Path | None, seed: int) -> None:
    """Explain why WORD is a likely or unlikely answer.

    Show its probability, its features and its neighbours in the ranking.

    \b
    wordpl words explain crane
    """
    import numpy as np

    from wordpl.apps.words.word_ranking import Method, rank

    listed, word = words.find(guesses), word.lower()
    if word not in listed:
        raise UserError(f"{word[:30]!r} is not one of the {len(listed):,} words of {guesses}.")
    answers = known_answers.all_known(listed, known_answers.with_file(known, listed))
    ranking = rank(listed, answers, Method(model, sets, seed), _bar)
    index, order = listed.index(word), np.argsort(ranking.places)
    status = "a known answer, hidden from the model" if ranking.known[index] else "not a known answer"
    place = int(ranking.places[index])
    say(f"{word}: probability {ranking.chances[index]:.3f}, rank {place:,} of {len(listed):,}; {status}.")
    for neighbour in order[max(0, place - 1 - N_NEIGHBOURS) : place + N_NEIGHBOURS]:
        mark = "*" if ranking.known[neighbour] else " "
        say(f"  {ranking.places[neighbour]:6,} {listed[neighbour]}{mark} {ranking.chances[neighbour]:.3f}")
    say("  (* known answers)")
    shares = (ranking.table < ranking.table.loc[word]).mean()
    for name, value in ranking.table.loc[word].items():
        if value:
            say(f"  {name:40} {value:8.2f}   more than {shares[str(name)]:4.0%} of words")


@command.command()
@option(BuildOptions, "guesses")
@click.option(
    "--model", "models", multiple=True, type=click.Choice(MODEL_NAMES), help="Model. Repeatable. [default: all]"
)
@click.option(
    "--features", "groups", multiple=True, metavar="SETS", help="Feature sets joined by +, which are used together."
    " Repeatable. [default: all sets for each model]",
)  # fmt: skip
@option(BuildOptions, "known")
@click.option("--before", default="2022-02-15", show_default=True, type=click.DateTime(["%Y-%m-%d"]),
              help="Recall by time: fit to the answers before this day.")  # fmt: skip
@click.option("--plot", type=to_file, help="Draw the frontier into this .png, .svg or .pdf file.")
@option(BuildOptions, "seed")
def evaluate(
    models: tuple[str, ...],
    groups: tuple[str, ...],
    known: Path | None,
    before: datetime,
    plot: Path | None,
    guesses: str,
    seed: int,
) -> None:
    """Compare methods by their held-out recall.

    The table shows how many words each method must keep for a given recall.

    \b
    wordpl words evaluate --model blend --plot recall.png
    wordpl words evaluate --features frequency --features frequency+spelling
    """
    import numpy as np

    from wordpl.apps.words import recall, word_ranking
    from wordpl.apps.words.word_ranking import methods_of

    listed, original = words.find(guesses), words.bundled("puzzle-order")
    days = known_answers.with_file(known, listed)
    words.check_subset(original, listed, "the original answers")
    answers = np.isin(listed, original)
    methods = methods_of(models or MODEL_NAMES, groups, seed)
    curves = [word_ranking.frequency_curve(listed, answers)]
    with progress_bar(len(methods), "method", "methods", leave=False) as bar:
        for method in methods:
            curves.append(word_ranking.curve(listed, answers, method))
            bar.update()
    show_tables([recall.frontier(curves, seed)])
    for leak in dict.fromkeys(leak for curve in curves for leak in curve.leakage):
        say(f"  known leakage of the answers: {leak}")
    say("  feature sets and settings were chosen by their held-out recall on these answers")
    tables = [recall.later(word_ranking.recall_by_time(listed, methods[0], days, before.date()))]
    if "spy-em" in (models or MODEL_NAMES):
        tables.append(recall.spies(word_ranking.spies(listed, answers, methods[0].sets, seed)))
    show_tables(tables)
    if plot:
        recall.plot(curves, plot)
        say(f"Frontier: {plot}")


@command.command()
@json_option
def lists(as_json: bool) -> None:
    """List the bundled word lists and priors."""
    found = [
        {"name": name, "words": len(words.bundled(name)), "about": text, "until": _until(words.locate(name))}
        for name, text in words.BUNDLED.items()
    ]
    known = [{"name": name, "until": _until(priors.find(name))} for name in priors.BUNDLED]
    if as_json:
        return print_json("words-lists", {"lists": found, "priors": known})
    from wordpl.reports.elements import text_table

    rows = [[str(each["name"]), f"{each['words']:,}", each["until"] or "", str(each["about"])] for each in found]
    rows += [[f"prior {each['name']}", "", each["until"] or "", PRIOR_TEXT] for each in known]
    heads, texts = ["name", "words", "answers up to", "what it is"], frozenset({"name", "what it is"})
    legend = "`wordpl words update` adds the answers of later days."
    return show_tables([text_table("Bundled word lists and priors", heads, rows, texts, legend)])


def _until(path: Path) -> str | None:
    """Return the day up to which a file's answers were known, as text."""
    until = words.answers_until(path)
    return str(until) if until else None
