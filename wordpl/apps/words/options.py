"""The options of `wordpl words build`, some of which other commands share."""

import dataclasses
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from wordpl.core.settings import Setting, settings

ALL_FEATURES = ("frequency", "dictionary", "inflection", "spelling")
"""The feature sets, all of which are used by default."""
MODEL_NAMES = ("blend", "spy-em")
"""Names of the models in `word_ranking.MODELS`, listed here so that a command's help does not import them."""


@dataclass(frozen=True)
class BuildOptions:
    """The options of `wordpl words build`, in the order in which they are written."""

    guesses: Annotated[
        str, Setting("--guesses", "Words to choose from: a file, or a name from `wordpl words lists`.", "LIST")
    ] = "modern"
    texts: Annotated[
        tuple[str, ...],
        Setting(
            "--filter",
            "zipf=2.5, inflection, suffix, whitelist=LIST, restore=LIST or blacklist=LIST, where LIST is a file or a "
            "name. Repeatable; filters are applied in the given order. Past answers are kept unless you give "
            "blacklist=past-answers: since 2026-02-02, about 11 % of days repeat one.",
            "FILTER",
        ),
    ] = ()
    model: Annotated[
        str,
        Setting("--model", "Model that ranks the words; none: apply only the filters.", choices=(*MODEL_NAMES, "none")),
    ] = "blend"
    sets: Annotated[
        tuple[str, ...],
        Setting("--features", f"Feature set. Repeatable. [default: {', '.join(ALL_FEATURES)}]", "SET"),
    ] = ALL_FEATURES
    known: Annotated[
        Path | None,
        Setting("--known", "A CSV file `date,word` of answers that are newer than the bundled ones.", "FILE"),
    ] = None
    recall: Annotated[
        float | None,
        Setting(
            "--recall",
            "Keep the highest-ranked words that contain this share of the held-out answers. [default: 0.99]",
            low=0.0,
            high=1.0,
        ),
    ] = None
    keep: Annotated[int | None, Setting("--keep", "Keep this many of the highest-ranked words.", low=1)] = None
    rate_known: Annotated[
        bool, Setting("--rate-known", "Treat known answers by their held-out rating instead of keeping all of them.")
    ] = False
    card: Annotated[
        Path | None, Setting("--card", "Also write a model card with the held-out recall to this file.", "FILE")
    ] = None
    seed: Annotated[int, Setting("--seed", "Seed of the models and of the held-out folds.", low=0)] = 0

    def command(self, out: Path) -> str:
        """Return the command line that builds this, without the card and options that have their default values."""
        parts = ["wordpl", "words", "build", out.name]
        for field in dataclasses.fields(self):
            option, value = settings(BuildOptions)[field.name].option, getattr(self, field.name)
            if value == field.default or field.name == "card":
                continue
            values: tuple[Any, ...] = value if isinstance(value, tuple) else (value,)
            parts += [option] if value is True else [part for each in values for part in (option, str(each))]
        return shlex.join(parts)
