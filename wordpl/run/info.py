"""The description of a run in its run.json.

The configuration, the entries and who wrote them, the workers and the state of the run.
"""

import sys
from enum import StrEnum
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET, UnsetType

from wordpl.core import bounded
from wordpl.core.messages import ConfigError, UserError, sanitize_untrusted_text
from wordpl.core.moves import GameFacts
from wordpl.core.seeds import Draws, SingleKeyDraws
from wordpl.run.config import RunConfig

MAX_AUTHOR_CHARACTERS, MAX_LINK_CHARACTERS, MAX_DESCRIPTION_CHARACTERS = 60, 200, 200
LINK_SCHEMES = ("https://", "http://")


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the author of an entry says about it. Nobody has checked it.

    Attributes:
        author: The author's name; "" if it is not given.
        link: An address that begins with https:// or http://; "" if it is not given.
        description: One sentence; "" if it is not given.
    """

    author: str = ""
    link: str = ""
    description: str = ""

    @classmethod
    def of_texts(cls, author: Any, link: Any, description: Any) -> "About | UnsetType":
        """Return these texts on one line each, without what is not a text or not a link; UNSET if nothing is left."""
        link = _line(link, MAX_LINK_CHARACTERS)
        about = cls(
            _line(author, MAX_AUTHOR_CHARACTERS),
            link if link.startswith(LINK_SCHEMES) else "",
            _line(description, MAX_DESCRIPTION_CHARACTERS),
        )
        return UNSET if about == cls() else about

    @classmethod
    def of_object(cls, strategy: Any) -> "About | UnsetType":
        """Return what the module and the class of a strategy say."""
        kind = type(strategy)
        module = sys.modules.get(kind.__module__)
        own = kind.__doc__ or ""
        is_generated = own.startswith(f"{kind.__name__}(")  # by dataclass
        return cls.of_texts(getattr(module, "AUTHOR", ""), getattr(module, "LINK", ""), "" if is_generated else own)


def _line(text: Any, most: int) -> str:
    """Return the first line of a text without what a terminal would interpret; "" if it is not a text."""
    lines = text.strip().splitlines() if isinstance(text, str) else []
    return sanitize_untrusted_text(lines[0].strip(), most) if lines else ""


FORMAT = "wordpl-run/3"
"""The format of runs that are written."""
FORMAT_OF_1 = "wordpl-run/2"
"""The format of runs of release 1, which are only read."""
TYPED_SEED = "The seed was typed: an entry could have known it."
MAX_SHORT_SEED = 10**12
NOT_STORED = ("seed", "results")
"""The fields of the configuration that are not in run.json: the seed has a field of its own, which may be secret."""
STORED_IF_SET = ("fresh",)
"""The fields of the configuration that run.json has only if they are set: release 1.0.0 had none of them."""


class WorkerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster worker that played games of a run of release 1.

    Attributes:
        machine: Its host name, system and type of processor.
        level: The strongest sandbox level that it supports.
        versions: The versions of the software that affects games.
        calibration_s: The CPU time of a fixed computation on it.
        slowness: Its `calibration_s` divided by that of the run; the CPU limits of players are multiplied by it.
    """

    machine: dict[str, str | int]
    level: str
    versions: dict[str, str]
    calibration_s: float
    slowness: float = 1.0


class EntryInfo(msgspec.Struct, frozen=True):
    """One entry of a run.

    Attributes:
        name: The name on the board.
        slug: The name of its record files without the suffix.
        game: The facts of the game that it plays.
        file: The path of its file or folder, relative if possible, see `paths.portable_name`; "" for an object.
        make: The expression that creates the strategy from that file.
        sha256: The digest of its bundle, see `wordpl.run.bundle`; "" for an object.
        written: The digest of what it wrote while it was loaded; "" if it wrote nothing.
        about: What its author says about it; UNSET if that is nothing.
        uses: The names of libraries and kernels that are loaded before it, see `shared_kernels`, so that it starts
            sooner; UNSET: unknown.
        kind: The kind of an entry without code, which the harness plays itself, such as "model"; UNSET for all others.
    """

    name: str
    slug: str
    game: GameFacts
    file: str
    make: str
    sha256: str
    written: str = ""
    about: About | UnsetType = UNSET
    uses: list[str] | UnsetType = UNSET
    kind: str | UnsetType = UNSET

    @property
    def is_hosted(self) -> bool:
        """Whether the harness plays it itself, see `wordpl.contest.hosted`: it has no code, and no game is repeated."""
        return self.kind is not UNSET

    @property
    def author(self) -> str:
        """The name that its author gives; "" if there is none."""
        return "" if self.about is UNSET else self.about.author

    @property
    def digests(self) -> list[str]:
        """The digests of its sources and of what it wrote, as far as there are any."""
        return [digest for digest in (self.sha256, self.written) if digest]


class Price(msgspec.Struct, frozen=True):
    """What a million tokens of an entry cost, in the currency of the host's own list."""

    tokens_in: float = 0.0
    tokens_out: float = 0.0


class SeedSource(StrEnum):
    """How the seed of a run came about."""

    TYPED = "typed"
    DRAWN = "drawn"
    OFFICIAL = "official"  # drawn, and combined with the beacon and the entries; see docs/fairness.md


MIN_REPEATS = 50
"""The smallest number of games of each entry that are repeated, unless the host chooses it."""


class Part(msgspec.Struct, frozen=True):
    """A part of a run: which of its games somebody plays in a folder of its own.

    The games of all entries, those of the first entry first, are cut into `of` pieces that differ by at most one game.

    Attributes:
        number: The number of the part, from 1.
        of: The number of parts.
        first: The number of the first game of its first entry.
        end: The number after that of the last game of its last entry.
    """

    number: int
    of: int
    first: int = 0
    end: int = 0

    def __str__(self) -> str:
        """Return the part as --part takes it, such as 3/40."""
        return f"{self.number}/{self.of}"


class RunInfo(msgspec.Struct, kw_only=True, omit_defaults=True, tag_field="format", tag=FORMAT):
    """The description of a run in run.json, whose field `format` is FORMAT.

    Fields that do not apply are missing from run.json. The fields `commitment`, `beacon` and `drawn_seed` belong to
    official runs; see docs/fairness.md.

    Attributes:
        config: The configuration, with everything filled in that was left open, see `RunConfig.resolved`. Its seed is
            None, and its results folder is the default one: run.json contains neither.
        seed: The seed of all secrets and noise; None until an official run has finished.
        seed_source: How the seed came about.
        repeats_seed: The seed of the repetitions that are played anew, drawn when the last game of the run had ended.
        n_repeats: The number of games of each entry that are repeated, if it was chosen by the time of the games.
        commitment: The commitment published before the first game.
        beacon: The text that was not yet known when the run was announced, see `RunConfig.beacon_from`.
        drawn_seed: The seed that the host committed to, revealed when the run has finished.
        entries: The entries.
        versions: The versions of the software that affects games.
        machine: The host's machine.
        started, finished: The times of the start and the end of the run.
        played_again: By the slug of an entry, the games that were restarted because the referee had been interrupted.
        part: The part of a run that the folder has; None: it is the run.
        parts: The seal of each part that was played elsewhere and joined.
        workers: By name, the cluster workers of release 1 that played games.
        calibration_s: The CPU time of a fixed computation on a machine for which their limits held as given.
        seal: The seal of a finished run, see `wordpl.run.seal`.
        added_to: The seal of the run whose games the first entries played, if entries were added to it later.
        after_seed: The slugs of the entries that were added: they played after the seed was known.
        replaced: The digest of the terms before names of authors were replaced on request; the commitment is to these.
        hosted: By the kind of entries without code, the terms on which they are played.
        prices: By the slug of an entry that is paid by tokens, its price.
    """

    scheme: ClassVar[type[Draws]] = Draws
    is_written: ClassVar[bool] = True
    config: RunConfig
    seed: str | None
    seed_source: SeedSource | None = None
    repeats_seed: str | None = None
    n_repeats: int | None = None
    entries: list[EntryInfo]
    versions: dict[str, str]
    machine: dict[str, str | int]
    started: str
    finished: str | None = None
    commitment: str | None = None
    beacon: str | None = None
    drawn_seed: str | None = None
    played_again: dict[str, list[int]] = {}
    part: Part | None = None
    parts: dict[str, str] = {}
    workers: dict[str, WorkerInfo] = {}
    calibration_s: float | None = None
    seal: str | None = None
    added_to: str | None = None
    after_seed: list[str] = []
    replaced: str | None = None
    hosted: dict[str, dict[str, Any]] = {}
    prices: dict[str, Price] = {}

    @classmethod
    def from_json(cls, text: bytes, source: str) -> "RunInfo":
        """Return the description in the text of a run.json.

        Args:
            text: The text.
            source: The name of the file in messages.

        Raises:
            UserError: It is not the description of a run, or has another format.
        """
        try:
            facts = bounded.parse_json(text, source)
            if not isinstance(facts, dict):
                raise UserError(f"{source} is not the description of a run: it is not a JSON object.")
            if facts.get("format") not in (FORMAT, FORMAT_OF_1):
                raise UserError(
                    f"{source} has format {facts.get('format')!r}, which only the version of wordpl that wrote it can "
                    f"read, or a newer one: this one reads {FORMAT!r} and {FORMAT_OF_1!r}."
                )
            info: RunInfo = msgspec.convert(facts, RunInfo | RunInfoOf1)
        except ConfigError as error:
            raise UserError(f"{source}: {error.message}") from None
        except msgspec.ValidationError as error:
            raise UserError(f"{source} is not the description of a run: {error}") from None
        return info

    def facts(self) -> dict[str, Any]:
        """Return the description as run.json holds it, as plain values."""
        facts: dict[str, Any] = msgspec.to_builtins(self, enc_hook=str)
        config = facts["config"]
        for name in [*NOT_STORED, *(name for name in STORED_IF_SET if not config[name])]:
            del config[name]
        return facts

    def to_json(self) -> bytes:
        """Return the text of run.json."""
        return msgspec.json.format(msgspec.json.encode(self.facts()), indent=2) + b"\n"

    def numbers(self, entry: EntryInfo) -> range:
        """Return the numbers of an entry's games: all of them, unless this is a part of a run."""
        n_games = self.config.n_games
        if self.part is None:
            return range(n_games)
        is_first, is_last = entry.slug == self.entries[0].slug, entry.slug == self.entries[-1].slug
        return range(self.part.first if is_first else 0, self.part.end if is_last else n_games)

    @property
    def game_config(self) -> RunConfig:
        """The configuration with the seed of the games."""
        return msgspec.structs.replace(self.config, official=False, beacon_from=None, seed=self.seed)

    @property
    def draws(self) -> Draws | None:
        """The draws of the run; None while its seed is secret."""
        return None if self.seed is None else self.draws_of(self.seed)

    def draws_of(self, seed: str) -> Draws:
        """Return the draws of the run if this is its seed; a match of every answer ends before it has played all."""
        return self.scheme.of(seed, self.config.word_files["answers"].words if self.config.every_answer else 0)

    @property
    def games_to_repeat(self) -> int:
        """The number of games of each entry that are repeated; the smallest one while it is not chosen."""
        chosen = self.config.repeats if self.config.repeats is not None else max(MIN_REPEATS, self.n_repeats or 0)
        return min(chosen, self.config.n_games)

    @property
    def fresh_draws(self) -> Draws | None:
        """The draws of the repetitions that are played anew; None if there are none."""
        return None if self.repeats_seed is None else Draws.of(self.repeats_seed)

    @property
    def seed_remark(self) -> str:
        """A sentence about a seed that an entry could have known; "" if none could."""
        return TYPED_SEED if self.seed_source == SeedSource.TYPED else ""

    def require_written_format(self, source: str) -> None:
        """Check that the run has the format that this release writes.

        Args:
            source: The name of the run in messages.

        Raises:
            UserError: It has one that is only read.
        """
        if not self.is_written:
            raise UserError(
                f"{source} has the format {FORMAT_OF_1!r}, which this release only reads: go on with wordpl 1.0.0, or "
                "start a new run."
            )


class RunInfoOf1(RunInfo, tag=FORMAT_OF_1):
    """The description of a run of release 1: all games have the key of the run, and how its seed came about is open."""

    scheme: ClassVar[type[Draws]] = SingleKeyDraws
    is_written: ClassVar[bool] = False

    @property
    def seed_remark(self) -> str:
        """A sentence about a seed that an entry could have known; "" if none could."""
        if self.commitment:
            return ""
        if self.seed is not None and self.seed.isdecimal() and int(self.seed) < MAX_SHORT_SEED:
            return "The seed has at most 40 bits: an entry could have known it or found it by a search."
        return TYPED_SEED
