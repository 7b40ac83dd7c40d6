"""`wordpl words`: which words can be the answer, filtered and predicted."""

from datetime import datetime
from pathlib import Path
from typing import Any

import click

from wordpl.core import priors, words
from wordpl.lexicon import LIGHT_FEATURES, MODEL_NAMES

FIRST_UNDATED = "2022-02-15"

to_file = click.Path(dir_okay=False, path_type=Path)
guesses_option = click.option(
    "--guesses", default="modern", show_default=True, metavar="LIST", help="The words to choose from: a file or a name."
)
known_option = click.option(
    "--known", type=to_file, help="A CSV `date,word` of later answers, which join those that are known."
)
features_option = click.option(
    "--features", "sets", multiple=True, default=LIGHT_FEATURES, metavar="SET", help="A feature set, or a file of word"
    " vectors; several by repeating. [default: " + ", ".join(LIGHT_FEATURES) + "]",
)  # fmt: skip
model_option = click.option("--model", default="blend", show_default=True, type=click.Choice(MODEL_NAMES))
seed_option = click.option("--seed", default=0, show_default=True, type=click.IntRange(0))


@click.group()
def command() -> None:
    """Predict which words can be the answer.

    The lists and the prior that come with wordpl need nothing more; making others needs
    pip install "wordpl[lexicon]". docs/lexicon.md tells what is behind it.
    """


@command.command()
@click.argument("out", type=to_file)
@guesses_option
@click.option(
    "--filter", "texts", multiple=True, metavar="FILTER", help="zipf=2.5, inflection, suffix, whitelist=LIST or"
    " blacklist=LIST, a LIST being a file or a name; several in the order given. Past answers stay unless"
    " blacklist=past-answers takes them out: since 2026-02-02 about 11 % of days repeat one.",
)  # fmt: skip
@click.option(
    "--model", default="blend", show_default=True, type=click.Choice([*MODEL_NAMES, "none"]), help="none: filters"
)
@features_option
@known_option
@click.option("--recall", type=click.FloatRange(0, 1), help="Keep the words that hold this share of hidden answers."
              " [default: 0.99]")  # fmt: skip
@click.option("--keep", type=click.IntRange(1), help="Keep this many words by the ranking.")
@click.option("--rate-known", is_flag=True, help="Treat known answers by their held-out rating, not as sure.")
@click.option("--card", type=to_file, help="Write the model card, held-out recall alone, to this file.")
@seed_option
def build(out: Path, **options: Any) -> None:
    """Write a set of answers (OUT ends in .txt) or a prior (.csv), with its provenance.

    \b
    wordpl words build likely.txt --filter inflection --recall 0.994
    wordpl words build prior.csv --known answers-of-this-year.csv
    wordpl words build common.txt --model none --filter zipf=3 --filter suffix
    """
    from wordpl.cli import _word_build

    _word_build.build(out, _word_build.Order(**options))


@command.command()
@click.argument("word")
@guesses_option
@model_option
@features_option
@known_option
@seed_option
def explain(word: str, guesses: str, model: str, sets: tuple[str, ...], known: Path | None, seed: int) -> None:
    """Show why WORD is likely or not: its probability, its features and its neighbours in the ranking.

    \b
    wordpl words explain crane
    """
    from wordpl.cli import _word_build
    from wordpl.lexicon.ranking import Method

    _word_build.explain(word, guesses, known, Method(model, tuple(sets), seed))


@command.command()
@guesses_option
@click.option("--model", "models", multiple=True, type=click.Choice(MODEL_NAMES), help="Repeatable. [default: all]")
@click.option(
    "--features", "groups", multiple=True, metavar="SETS", help="Feature sets joined by +, a method each. [default: the"
    " light ones, without and with each other set]",
)  # fmt: skip
@known_option
@click.option("--before", default=FIRST_UNDATED, show_default=True, type=click.DateTime(["%Y-%m-%d"]),
              help="Recall by time: told the answers before this day.")  # fmt: skip
@click.option("--plot", type=to_file, help="Draw the frontier into this file (.png, .svg or .pdf).")
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
    """Show how many words must be kept for which held-out recall, methods side by side.

    \b
    wordpl words evaluate --model blend --plot recall.png
    wordpl words evaluate --model logistic --features frequency --features frequency+spelling
    """
    from wordpl.cli import _word_evaluation

    question = _word_evaluation.Question(guesses, models or MODEL_NAMES, groups, known, before.date(), seed)
    _word_evaluation.evaluate(question, plot)


@command.command()
def lists() -> None:
    """Show the lists and priors that come with wordpl."""
    for name, what in words.BUNDLED.items():
        click.echo(f"{name:18} {len(words.bundled(name)):6,} words: {what}")
    for name in priors.BUNDLED:
        click.echo(f"{name:18} a prior of how likely each word is the answer: --prior {name}")
