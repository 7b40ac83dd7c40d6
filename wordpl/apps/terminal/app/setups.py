"""The setup of Solve and what follows from it: words with their probabilities, and cached first guesses."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from wordpl import games
from wordpl.core import apps, paths, priors, words
from wordpl.core.clues import RandomizedResponse
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists

if TYPE_CHECKING:
    import numpy as np

CONTEST = "contest"
"""The name of the contest's own lists, answers.txt and valid.txt."""
DEFAULT_GAME = "wordpl/1"
"""The game of Play if only a seed is given."""
LAST = "last"
"""The name of the setup that was used last, which is saved automatically."""
_BUNDLED = sorted(map(games.game_class, games.names()), key=lambda game: game.facts.has_epsilon)
GAMES = tuple(
    game.facts.id
    for game in _BUNDLED
    if game.facts.has_secret
    and (game.channel_type is RandomizedResponse if game.facts.has_epsilon else game.clue_rule == "counted")
)
"""The games whose puzzles the searches of Solve know: with a secret, and clues as in Wordle or noisy ones."""
MAX_GUESSES, MAX_WIDTH, MAX_TOP = 63, 20_000, 200
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
_REMARKS = {
    "answers": "words that can be the secret: contest, a bundled list, or a file",
    "guesses": "words that can be guessed",
    "filters": "filters of the answers, applied in order, as in wordpl words build --filter",
    "prior": "probability of each answer: empty, default, or a CSV file",
    "past": "answers of earlier puzzles: keep, strike, or weigh (multiply their probability by past_weight)",
    "order": "order of the remaining answers: probability or alphabet",
    "limit": "maximum number of guesses; 0 is no limit",
    "width": "number of guesses tried at each step of the search",
    "top": "number of guesses to rate",
    "tree": "decision tree to follow, such as one from wordpl solve",
}


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How puzzles are solved. The comments in a setup's file describe the fields."""

    game: str = "wordle/1"
    answers: str = CONTEST
    guesses: str = CONTEST
    filters: tuple[str, ...] = ()
    prior: str = ""
    past: Literal["keep", "strike", "weigh"] = "keep"
    past_answers: str = "past-answers"
    past_weight: float = 0.05
    order: Literal["probability", "alphabet"] = "probability"
    limit: int = 6
    width: int = 50
    exact: bool = False
    top: int = 20
    tree: str = ""

    @property
    def has_epsilon(self) -> bool:
        """Whether guesses have an epsilon, so that clues may be false."""
        return games.game_class(self.game).facts.has_epsilon

    @property
    def is_hard(self) -> bool:
        """Whether guesses must use all revealed hints."""
        return games.game_class(self.game).uses_hints

    @property
    def clue_rule(self) -> str:
        """How clues treat repeated letters: a key of `clues.CLUE_RULES`."""
        return games.game_class(self.game).clue_rule


def check(setup: Setup) -> Setup:
    """Return the setup. Raises UserError if a field is out of bounds."""
    if setup.game not in GAMES:
        raise UserError(
            f"game must be one of {', '.join(GAMES)} to be solved, not {setup.game!r}. `wordpl play` plays any game, "
            "with hints."
        )
    bounds = {"limit": (0, MAX_GUESSES), "width": (1, MAX_WIDTH), "top": (1, MAX_TOP), "past_weight": (0, 1)}
    for name, (min_value, max_value) in bounds.items():
        if not min_value <= getattr(setup, name) <= max_value:
            raise UserError(f"{name} must be a number from {min_value} to {max_value}, not {getattr(setup, name)!r}.")
    return setup


def changed(setup: Setup, **fields: Any) -> Setup:
    """Return the setup with these fields changed. Raises UserError for an invalid value."""
    try:
        values = {name: getattr(setup, name) for name in setup.__struct_fields__}
        return check(msgspec.convert(values | fields, Setup))
    except msgspec.ValidationError as error:
        raise UserError(f"invalid setup: {error}.") from None


def folder() -> Path:
    """Return the folder of the setups: wordpl/setups in XDG_CONFIG_HOME, by default in ~/.config."""
    return paths.xdg_folder("config") / "setups"


def names() -> list[str]:
    """Return the names of the saved setups, in alphabetical order."""
    return sorted(path.stem for path in folder().glob("*.toml")) if folder().is_dir() else []


def load(name: str) -> Setup:
    """Return the setup of this name. Raises UserError if there is none, or its file is invalid."""
    path = _path(name)
    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        available = f" Setups: {', '.join(names())}." if names() else ""
        raise UserError(f"there is no setup called {name!r} in {folder()}.{available}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"cannot read the setup {path}: {error}.") from None
    try:
        return check(msgspec.convert(fields, Setup))
    except (msgspec.ValidationError, UserError) as error:
        raise UserError(f"{path} is not a valid setup: {error}") from None


def save(name: str, setup: Setup) -> Path:
    """Save the setup under this name, and return its file. Raises UserError if it cannot be written."""
    path = _path(name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, as_toml(setup).encode())
    except OSError as error:
        raise UserError(f"cannot write the setup {path}: {error.strerror}.") from None
    return path


def as_toml(setup: Setup) -> str:
    """Return the setup as TOML, with comments.

    >>> print(as_toml(Setup()).splitlines()[0])
    game = "wordle/1"
    """
    lines = []
    for name in setup.__struct_fields__:
        if remark := _REMARKS.get(name):
            lines.append(f"# {remark}")
        value = msgspec.json.encode(getattr(setup, name)).decode()  # TOML writes these values as JSON does
        lines.append(f"{name} = {value}")
    return "\n".join(lines) + "\n"


def _path(name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise UserError(
            f"the name of a setup must be at most 40 letters, digits, dots, dashes and underscores, not {name[:40]!r}."
        )
    return folder() / f"{name}.toml"


SCREENS = ("solve", "play")


@dataclass(frozen=True)
class AppOptions:
    """The first screen and its contents.

    Attributes:
        screen: One of SCREENS.
        hints: The first rows of Solve: guess, clue and epsilon.
        game_id: The first game of Play; "" for the saved game or the daily puzzle.
        answers, guesses: The word lists of Play, see `lists_of`.
        seed: The seed of Play; "" for a random one.
        number: The number of the first game of the seed.
        theme: One of `widgets.THEMES`.
    """

    screen: str = "solve"
    setup: Setup = field(default_factory=Setup)
    hints: tuple[tuple[str, str, float | None], ...] = ()
    game_id: str = ""
    answers: str = CONTEST
    guesses: str = CONTEST
    seed: str = ""
    number: int = 0
    theme: str = "dark"


MAX_OPENINGS = 24
OPENING_FIELDS = {
    "rating": {"guess", "expected", "bits", "chance", "worst", "n_wanted"},
    "done": {"is_optimal", "n_searched", "cpu_s"},
}
"""The required fields of the messages of a search, by kind; files of other versions may have different ones."""


def openings_folder() -> Path:
    """Return the folder of the cache: wordpl/openings in XDG_CACHE_HOME, by default in ~/.cache."""
    return paths.xdg_folder("cache") / "openings"


def load_opening(setup: Setup, words: object) -> list[dict[str, Any]]:
    """Return the cached messages of the search for the first guess with this setup and these words.

    The list is empty if nothing is cached. Damaged files and files of other versions are ignored.

    Args:
        setup: The setup.
        words: The words, which belong to the key of the cache.
    """
    try:
        messages = msgspec.json.decode(_opening_path(setup, words).read_bytes())
    except (OSError, msgspec.DecodeError):
        return []
    return messages if isinstance(messages, list) and all(map(_is_message, messages)) else []


def save_opening(setup: Setup, words: object, messages: list[dict[str, Any]]) -> None:
    """Cache the messages of this search, and delete the oldest files. Errors of the disk are ignored."""
    path = _opening_path(setup, words)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, msgspec.json.encode(messages))
        for old_file in sorted(path.parent.glob("*.json"), key=lambda file: -file.stat().st_mtime)[MAX_OPENINGS:]:
            old_file.unlink(missing_ok=True)
    except OSError:
        return


def _is_message(message: object) -> bool:
    return isinstance(message, dict) and OPENING_FIELDS.get(str(message.get("kind")), {""}) <= message.keys()


def _opening_path(setup: Setup, words: object) -> Path:
    """Return the file for this setup, these words with their weights, and this version."""
    key = [setup, words, _version()]
    return openings_folder() / f"{blake2b(msgspec.json.encode(key), digest_size=16).hexdigest()}.json"


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # slow to import, and only needed here

    try:
        return version("wordpl")
    except PackageNotFoundError:
        return ""


@dataclass(frozen=True)
class WordChoice:
    """The answers, the allowed guesses, and the weights of the answers.

    Attributes:
        answers: The words that can be the secret, in the order of their list.
        weights: The unnormalized probability of each answer; None if all are equal.
    """

    answers: tuple[str, ...]
    guesses: tuple[str, ...]
    weights: tuple[float, ...] | None = None

    @property
    def lists(self) -> WordLists:
        """The words as lists: equal words give the same object, whose clue matrix is built only once."""
        own = words.here()
        if (self.answers, self.guesses) == (own.answers, own.guesses):
            return own
        return words.of_words(self.answers, self.guesses)

    def prior(self) -> "np.ndarray | None":
        """Return the probability of each answer as float64[n_answers]; None if all are equal."""
        if self.weights is None:
            return None
        import numpy as np

        weights = np.array(self.weights)
        prior: np.ndarray = weights / weights.sum()
        return prior


class Step(NamedTuple):
    """What reduced the answers of a setup, and the number of words that are left after it."""

    text: str
    n_left: int


def filter_examples() -> Sequence[str]:
    """Return an example of each filter, none if the app that has the filters is not installed."""
    examples: Sequence[str] = apps.module("words", "filters").EXAMPLES if apps.is_installed("words") else ()
    return examples


def choose(setup: Setup) -> tuple[WordChoice, list[Step]]:
    """Return the words of a setup, and the result of each filter; removing past answers is the last step.

    Raises:
        UserError: A list, filter or prior cannot be read, or no answer is left.
    """
    answers, guesses = named(setup.answers, "answers"), named(setup.guesses, "guesses")
    if len(answers[0]) != len(guesses[0]):
        raise UserError(
            f"the answers ({setup.answers}) have {len(answers[0])} letters, the guesses ({setup.guesses}) "
            f"{len(guesses[0])}: choose lists with words of the same length."
        )
    remaining, steps = list(answers), []
    if setup.filters:
        apps.check_installed("words", "a setup's filter")
        filters = apps.module("words", "filters")  # imported only in the worker, not in the app
        remaining, found = filters.apply(answers, [filters.find(text) for text in setup.filters], ())
        steps = [Step(step.text, step.n_left) for step in found]
    remaining, steps = _strike(remaining, steps, setup)
    if missing := sorted(set(remaining) - set(guesses)):
        raise UserError(
            f"{len(missing):,} of {len(remaining):,} answers are not among the guesses ({setup.guesses}): "
            f"{', '.join(missing[:5])}{', ...' if len(missing) > 5 else ''}. Choose a longer list, such as modern."
        )
    return WordChoice(tuple(remaining), guesses, _weights(remaining, setup)), steps


def named(name: str, role: str) -> tuple[str, ...]:
    """Return the word list of this name: the contest's list, a bundled one, or a file."""
    if name == CONTEST:
        lists = words.here()
        return lists.answers if role == "answers" else lists.guesses
    return words.find(name)


def lists_of(answers: str, guesses: str) -> WordLists:
    """Return the word lists with these names; see `named`.

    Raises:
        UserError: A list cannot be read, or they do not belong together.
    """
    if answers == guesses == CONTEST:
        return words.here()
    return words.of_words(named(answers, "answers"), named(guesses, "guesses"))


def _strike(remaining: list[str], steps: list[Step], setup: Setup) -> tuple[list[str], list[Step]]:
    if setup.past != "strike":
        return remaining, steps
    past = set(words.find(setup.past_answers))
    unplayed = [word for word in remaining if word not in past]
    if not unplayed:
        raise UserError(f"all {len(remaining):,} remaining answers are in {setup.past_answers}: use `weigh` instead.")
    return unplayed, [*steps, Step(f"strike {setup.past_answers}", len(unplayed))]


def _weights(answers: Sequence[str], setup: Setup) -> tuple[float, ...] | None:
    if not setup.prior and setup.past != "weigh":
        return None
    weights = priors.load(priors.find(setup.prior), answers).tolist() if setup.prior else [1.0] * len(answers)
    if setup.past == "weigh":
        past = set(words.find(setup.past_answers))
        weights = [w * setup.past_weight if word in past else w for word, w in zip(answers, weights, strict=True)]
    if not sum(weights) > 0:
        raise UserError("no answer has a probability: choose another prior, or a larger past_weight.")
    return tuple(weights)


def task(setup: Setup) -> Iterator[dict[str, Any]]:
    """Yield the words of a setup, the words left after each filter, and the cached ratings of first guesses."""
    choice, steps = choose(setup)
    yield {
        "kind": "words",
        "words": choice,
        "steps": [(step.text, step.n_left) for step in steps],
        "rule": setup.clue_rule,
        "opening": [] if setup.has_epsilon else load_opening(setup, choice),
    }
