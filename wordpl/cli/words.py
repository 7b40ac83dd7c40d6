"""`wordpl words`: filter words and predict which can be the answer."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from wordpl.cli._command import SuggestingGroup, json_option
from wordpl.cli._output import new_console, print_json
from wordpl.core import priors, words
from wordpl.lexicon import LIGHT_FEATURES, MODEL_NAMES

FIRST_UNDATED = "2022-02-15"
PRIOR_TEXT = "the probability of each word as the answer"

to_file = click.Path(dir_okay=False, path_type=Path)
guesses_option = click.option(
    "--guesses",
    default="modern",
    show_default=True,
    metavar="LIST",
    help="Words to choose from: a file, or a name from `wordpl words lists`.",
)
known_option = click.option(
    "--known", type=to_file, help="A CSV file `date,word` of answers that are newer than the bundled ones."
)
features_option = click.option(
    "--features", "sets", multiple=True, default=LIGHT_FEATURES, metavar="SET",
    help="Feature set. Repeatable. [default: " + ", ".join(LIGHT_FEATURES) + "]",
)  # fmt: skip
model_option = click.option(
    "--model", default="blend", show_default=True, type=click.Choice(MODEL_NAMES), help="Model that ranks the words."
)
seed_option = click.option(
    "--seed", default=0, show_default=True, type=click.IntRange(0), help="Seed of the models and of the held-out folds."
)


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Predict which words can be the answer.

    The bundled word lists and the bundled prior work without further libraries. To build others, install
    "wordpl[lexicon]". `wordpl docs lexicon` explains the method.
    """


@command.command()
@click.argument("out", type=to_file)
@guesses_option
@click.option(
    "--filter", "texts", multiple=True, metavar="FILTER", help="zipf=2.5, inflection, suffix, whitelist=LIST or"
    " blacklist=LIST, where LIST is a file or a name. Repeatable; filters are applied in the given order. Past answers"
    " are kept unless you give blacklist=past-answers: since 2026-02-02, about 11 % of days repeat one.",
)  # fmt: skip
@click.option(
    "--model",
    default="blend",
    show_default=True,
    type=click.Choice([*MODEL_NAMES, "none"]),
    help="Model that ranks the words; none: apply only the filters.",
)
@features_option
@known_option
@click.option("--recall", type=click.FloatRange(0, 1), help="Keep the highest-ranked words that contain this share of"
              " the held-out answers. [default: 0.99]")  # fmt: skip
@click.option("--keep", type=click.IntRange(1), help="Keep this many of the highest-ranked words.")
@click.option(
    "--rate-known", is_flag=True, help="Treat known answers by their held-out rating instead of keeping all of them."
)
@click.option("--card", type=to_file, help="Also write a model card with the held-out recall to this file.")
@seed_option
def build(out: Path, **options: Any) -> None:
    """Write a list of answers or a prior to OUT.

    A file OUT that ends in .txt gets a list of answers, one that ends in .csv a prior, with their provenance.

    \b
    wordpl words build likely.txt --filter inflection --recall 0.994
    wordpl words build prior.csv --known answers-of-this-year.csv
    wordpl words build common.txt --model none --filter zipf=3 --filter suffix
    """
    from wordpl.cli import _word_predictions

    _word_predictions.build(out, _word_predictions.BuildOptions(**options))


@command.command()
@click.argument("file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--from-league", "store", metavar="STORE", help="Take the answers recorded in this league's store.")
@click.option(
    "-o",
    "--output",
    "folder",
    default="words",
    show_default=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the new files; answers that an earlier update left there are kept.",
)
@seed_option
def update(file: Path | None, store: str | None, folder: Path, seed: int) -> None:
    """Add the answers of later days, from FILE or a league, to the lists and the prior.

    FILE is a table with the header `date,word`, or `number,word` with the numbers of the puzzles. The folder gets
    later-answers.csv with all days, past-answers.txt, answers-predicted.txt and prior.csv, each with its provenance.
    Nothing is written if a word contradicts a known answer.

    \b
    wordpl words update july.csv
    wordpl words update --from-league league.sqlite
    wordpl suggest tares:....i --answers words/answers-predicted.txt --prior words/prior.csv
    """
    from wordpl.cli import _word_predictions

    _word_predictions.update(file, store, folder, seed)


@command.command()
@guesses_option
@model_option
@features_option
@known_option
@click.option("--until", default="2025-09-29", show_default=True, type=click.DateTime(["%Y-%m-%d"]),
              help="Predict from the answers up to this day.")  # fmt: skip
@seed_option
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
    from wordpl.cli import _word_predictions
    from wordpl.lexicon.word_ranking import Method

    _word_predictions.backtest(guesses, known, until.date(), Method(model, tuple(sets), seed), as_json)


@command.command()
@click.argument("word")
@guesses_option
@model_option
@features_option
@known_option
@seed_option
def explain(word: str, guesses: str, model: str, sets: tuple[str, ...], known: Path | None, seed: int) -> None:
    """Explain why WORD is a likely or unlikely answer.

    Show its probability, its features and its neighbours in the ranking.

    \b
    wordpl words explain crane
    """
    from wordpl.cli import _word_predictions
    from wordpl.lexicon.word_ranking import Method

    _word_predictions.explain(word, guesses, known, Method(model, tuple(sets), seed))


@command.command()
@guesses_option
@click.option(
    "--model", "models", multiple=True, type=click.Choice(MODEL_NAMES), help="Model. Repeatable. [default: all]"
)
@click.option(
    "--features", "groups", multiple=True, metavar="SETS", help="Feature sets joined by +, which are used together."
    " Repeatable. [default: the light sets for each model; for the first model also with each further set]",
)  # fmt: skip
@known_option
@click.option("--before", default=FIRST_UNDATED, show_default=True, type=click.DateTime(["%Y-%m-%d"]),
              help="Recall by time: fit to the answers before this day.")  # fmt: skip
@click.option("--plot", type=to_file, help="Draw the frontier into this .png, .svg or .pdf file.")
@seed_option
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
    from wordpl.cli import _word_predictions

    options = _word_predictions.EvaluationOptions(guesses, models or MODEL_NAMES, groups, known, before.date(), seed)
    _word_predictions.evaluate(options, plot)


@command.command()
@json_option
def lists(as_json: bool) -> None:
    """List the bundled word lists and priors."""
    if as_json:
        found = [
            {"name": name, "words": len(words.bundled(name)), "about": text, "until": _until(words.locate(name))}
            for name, text in words.BUNDLED.items()
        ]
        known = [{"name": name, "until": _until(priors.find(name))} for name in priors.BUNDLED]
        return print_json("words-lists", {"lists": found, "priors": known})
    from wordpl.reports.renderers import show_table
    from wordpl.reports.section import text_table

    rows = [
        [name, f"{len(words.bundled(name)):,}", _until(words.locate(name)) or "", text]
        for name, text in words.BUNDLED.items()
    ]
    rows += [[f"prior {name}", "", _until(priors.find(name)) or "", PRIOR_TEXT] for name in priors.BUNDLED]
    legend = "`wordpl words update` adds the answers of later days."
    heads = ["name", "words", "answers up to", "what it is"]
    show_table(
        text_table("Bundled word lists and priors", heads, rows, frozenset({"name", "what it is"}), legend),
        new_console(),
    )
    return None


def _until(path: Path) -> str | None:
    """Return the day up to which a file's answers were known, as text."""
    until = words.answers_until(path)
    return str(until) if until else None
