"""The configuration of a run, which the command line, the runner, players and `verify` share.

What is known of a field is said once, where the field is declared: its type and default, and in its `Setting` the range
of its values, its option on the command line, and the help of that option.
"""

from collections.abc import Iterable
from enum import StrEnum
from math import inf
from pathlib import Path
from typing import Annotated, Any, Self

import msgspec
from msgspec import UNSET, UnsetType

from wordpl.core import paths, words
from wordpl.core.messages import ConfigError, UserError
from wordpl.core.settings import Setting, documented, settings
from wordpl.core.words import WordLists

GRACE = 1.1
"""The CPU time at which a game is stopped, as a multiple of the limit that is announced to entries."""
GRACE_DIGITS = 6
MAX_GAMES = 10**9
MIN_S, MAX_S = 0.001, 86_400
"""The range of times for a single game, in seconds."""
RESULTS = Path("results")
SHARE_OF_TIME = 1 / 3
"""The time that repetitions of games may take, as a share of the time of the games."""
_CONTEST_LISTS = {"answers": "answers.txt", "guesses": "valid.txt"}
"""The file of each of the contest's own word lists."""


class PlayerKind(StrEnum):
    """Where the players of a run are executed."""

    PROCESS = "process"  # each in its own sandboxed process
    TRUSTED = "trusted"  # in the referee's process


class NumberedLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Limits that are given as NAME=NUMBER."""

    @classmethod
    def of(cls, texts: Iterable[str]) -> Self:
        """Return the limits in these texts, such as wall_s=3, with defaults for the others.

        Raises:
            ConfigError: A text is not of this form, or its name or number is not valid.
        """
        defaults = msgspec.structs.asdict(cls())
        numbers: dict[str, Any] = {}
        for text in texts:
            name, _, value = text.partition("=")
            try:
                number = float(value)
            except ValueError:
                number = -1.0
            if name not in defaults or not 0 < number < 1e9:
                raise ConfigError(
                    f"{text!r} must be NAME=NUMBER with a NUMBER above 0 and one of the names {', '.join(defaults)}."
                )
            numbers[name] = type(defaults[name])(number)
        return cls(**numbers)

    def texts(self, *, changed: bool = False) -> list[str]:
        """Return the limits as NAME=NUMBER; if `changed`, only those that differ from their defaults."""
        return [
            f"{field.name}={getattr(self, field.name):g}"
            for field in msgspec.structs.fields(self)
            if not changed or getattr(self, field.name) != field.default
        ]


class Limits(NumberedLimits, frozen=True, forbid_unknown_fields=True):
    """The limits of a player besides CPU time and memory.

    Attributes:
        wall_factor, wall_s: A game may take at most wall_factor * (its CPU time limit) + wall_s seconds of wall time.
        reply_bytes: The maximum length of a reply.
        open_files: The maximum number of open files.
    """

    wall_factor: float = 3.0
    wall_s: float = 1.0
    reply_bytes: int = 4096
    open_files: int = 256


class ReaderLimits(NumberedLimits, frozen=True, forbid_unknown_fields=True):
    """The most that a game which this machine replays may use, whatever its run allows.

    Attributes:
        cpu_s: The CPU time of a game in seconds.
        warmup_s: The time that a new process has to start, in seconds.
        memory_mb: The memory of an entry in MiB.
        wall_factor, wall_s, reply_bytes, open_files: See `Limits`.
    """

    cpu_s: float = 60.0
    warmup_s: float = 120.0
    memory_mb: int = 4096
    wall_factor: float = 10.0
    wall_s: float = 60.0
    reply_bytes: int = 1 << 16
    open_files: int = 1024

    def cap(self, config: "RunConfig") -> tuple["RunConfig", list[str]]:
        """Return the configuration within these limits, and the names of the limits that it exceeded."""
        own = {"cpu_s": config.cpu_limit_s, "warmup_s": config.warmup_s, "memory_mb": config.memory_mb}
        own |= msgspec.structs.asdict(config.limits)
        held: dict[str, Any] = {name: min(number, getattr(self, name)) for name, number in own.items()}
        capped_config = msgspec.structs.replace(
            config,
            enforced_s=held["cpu_s"],
            warmup_s=held["warmup_s"],
            memory_mb=held["memory_mb"],
            limits=Limits(**{name: held[name] for name in Limits.__struct_fields__}),
        )
        return capped_config, [name for name, number in own.items() if number > held[name]]


class WordFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file with a word list.

    Attributes:
        file: Its path; in a run, a name that is valid on other machines if possible, see `words.portable_name`.
        words: The number of words; 0 if the file has not been read.
        sha256: The digest of the words as a file with one word per line; "" if the file has not been read.
    """

    file: str
    words: int = 0
    sha256: str = ""


def default_enforced_s(timeout_s: float) -> float:
    """Return the CPU time in seconds at which a game is stopped, if the announced limit is `timeout_s`.

    >>> default_enforced_s(5.0)
    5.5
    """
    return round(GRACE * timeout_s, GRACE_DIGITS)


@documented
class RunConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of a run, validated on creation.

    With `every_answer`, each game is played in a new process and with the same strategy seed, so that neither reveals
    anything about the secret. A field of which the help says how its default is found has the default None.

    Raises:
        ConfigError: A value is out of range or contradicts another one.
    """

    n_games: Annotated[int, Setting("--games", "Number of games that each entry plays.", None, 1, MAX_GAMES)] = 1001
    every_answer: Annotated[bool, Setting("--games", "or `all`: each answer once (classic games)")] = False
    game_id: Annotated[
        str | None,
        Setting(
            "--game", "One of {games}, or FILE:CLASS for your own. [default: each entry's own]", "GAME", is_of_game=True
        ),
    ] = None
    repeats: Annotated[
        int | None,
        Setting(
            "--repeats",
            "How many games of each entry are repeated, each in a fresh process. [default: 50 to 1,000, as a third "
            "of the time of the run allows]",
            "N",
            0,
            MAX_GAMES,
        ),
    ] = None
    fresh: Annotated[
        bool, Setting("--fresh", "Play each game in a fresh process, so that nothing passes from one to the next.")
    ] = False
    seed: Annotated[
        str | None,
        Setting("--seed", "Seed of all secrets and noise; any text. [default: random, and shown]", is_of_game=True),
    ] = None
    answers: Annotated[
        WordFile | str | None,
        Setting(
            "--answers",
            "Words that can be the secret: a file, or a name from `wordpl words lists`. [default: answers.txt]",
            "LIST",
            is_word_list=True,
            is_of_game=True,
        ),
    ] = None
    guesses: Annotated[
        WordFile | str | None,
        Setting(
            "--guesses",
            "Words that can be guessed: a file, or a name from `wordpl words lists`. [default: valid.txt]",
            "LIST",
            is_word_list=True,
            is_of_game=True,
        ),
    ] = None
    timeout_s: Annotated[
        float,
        Setting("--timeout", "CPU time that an entry has for each game.", "SECONDS", MIN_S, MAX_S, is_of_game=True),
    ] = 5.0
    enforced_s: Annotated[
        float | None,
        Setting(help="CPU time at which a game is stopped. [default: 1.1 x --timeout]", low=MIN_S, high=2 * MAX_S),
    ] = None
    warmup_s: Annotated[
        float,
        Setting("--warmup", "Time that a fresh process has to start.", "SECONDS", MIN_S, MAX_S, is_of_game=True),
    ] = 60.0
    memory_mb: Annotated[
        int, Setting("--memory", "Memory that an entry may use.", "MIB", 64, 10**7, is_of_game=True)
    ] = 1024
    limits: Annotated[
        Limits,
        Setting(
            "--limit",
            "Change another limit. A game may last wall_factor x its CPU time + wall_s seconds.",
            "NAME=NUMBER",
            is_of_game=True,
        ),
    ] = Limits()
    total_s: Annotated[
        float | None,
        Setting(
            "--total",
            "CPU time that an entry has for all its games; games after that count as lost. "
            "[default: --timeout for each game]",
            "SECONDS",
            MIN_S,
            1e12,
        ),
    ] = None
    player: Annotated[
        PlayerKind,
        Setting(
            "--trust",
            "Run entries in this process without a sandbox: pdb works, and time limits are not enforced.",
            choices=tuple(map(str, PlayerKind)),
            is_of_game=True,
        ),
    ] = PlayerKind.PROCESS
    level: Annotated[
        str,
        Setting(
            "--isolation",
            "Sandbox level of the entries. [default: the best that this machine supports]",
            choices=("", "A", "B", "C", "D"),
            is_of_game=True,
        ),
    ] = ""
    official: Annotated[
        bool,
        Setting(
            "--official", "Play an official run, which commits to a secret seed first; see `wordpl docs fairness`."
        ),
    ] = False
    beacon_from: Annotated[
        str | None,
        Setting(
            "--beacon-from",
            "With --official: source of a future public text, the beacon. No game is played before it is known.",
            "WHERE",
        ),
    ] = None
    loss_cost: Annotated[
        float,
        Setting(
            "--loss-cost",
            "Cost of a lost game in the mean cost of noisy games, and the maximum cost of any game.",
            "L",
            0.001,
            1e9,
        ),
    ] = 100.0
    score: Annotated[
        str | UnsetType,
        Setting(
            "--score",
            "Score by which the board is ordered, such as p05, p95 or mean_cost. [default: p50; in classic games, the "
            "mean number of guesses]",
            "NAME",
        ),
    ] = UNSET
    results: Annotated[Path, Setting("--results", "Folder in which runs are kept.", "FOLDER")] = RESULTS

    def __post_init__(self) -> None:
        """Validate the values, and convert paths, texts and numbers to the types of the fields."""
        for name in ("answers", "guesses"):
            file: Any = getattr(self, name)
            if isinstance(file, str | Path):
                msgspec.structs.force_setattr(self, name, WordFile(str(file)))
        msgspec.structs.force_setattr(self, "results", Path(self.results))
        if self.seed is not None:
            msgspec.structs.force_setattr(self, "seed", str(self.seed))
        for name, setting in settings(RunConfig).items():
            setting.check(name, getattr(self, name))
        if self.official and self.seed is not None:
            raise ConfigError("an official run takes no seed: it is drawn, so that nobody can choose it.")
        if self.official and self.is_trusted:
            raise ConfigError("an official run cannot have trusted entries: they could read the secrets.")
        if self.every_answer and self.is_trusted:
            raise ConfigError("playing every answer needs a new process for each game; trusted entries have none.")
        if self.fresh and self.is_trusted:
            raise ConfigError("fresh processes are for entries in the sandbox; trusted entries have none.")
        if self.beacon_from is not None and not (self.official and self.beacon_from.strip()):
            raise ConfigError("beacon_from is only for official runs, and must not be empty.")

    @property
    def is_trusted(self) -> bool:
        """Whether entries run in the process of the harness, where no time limit is enforced."""
        return self.player == PlayerKind.TRUSTED

    @property
    def order(self) -> str:
        """The name of the score by which boards are ordered; "" for the usual one of each game."""
        return "" if self.score is UNSET else self.score

    @property
    def cpu_limit_s(self) -> float:
        """The CPU time at which a game is stopped, in seconds."""
        return default_enforced_s(self.timeout_s) if self.enforced_s is None else self.enforced_s

    @property
    def word_files(self) -> dict[str, WordFile]:
        """The files of the word lists, by the names "answers" and "guesses"."""
        files = zip(_CONTEST_LISTS.items(), (self.answers, self.guesses), strict=True)
        return {name: file if isinstance(file, WordFile) else WordFile(own) for (name, own), file in files}

    def load_lists(self) -> WordLists:
        """Return the word lists.

        Raises:
            UserError: A file is not a word list, or has changed since the run started. If the configuration is that of
                a run, whose host may have named any file, the message says nothing of the file's content.
        """
        try:
            lists = words.load(self.list_path("answers"), self.list_path("guesses"))
        except UserError:
            own = {name: file.file for name, file in self.word_files.items() if file.sha256}
            if missing := [file for name, file in own.items() if (path := self.list_path(name)) and not path.exists()]:
                raise UserError(
                    f"{missing[0]}, a word list of the run, is not here: use the folder in which the run was started, "
                    "or restore the file."
                ) from None
            if own:
                which = ", ".join(own.values())
                raise UserError(f"the word lists of the run have changed since it started: {which}.") from None
            raise
        for name, file in self.word_files.items():
            if file.sha256 not in ("", lists.sha256[name]):
                raise UserError(f"{file.file} has changed since the run started: start a new run.")
        return lists

    def list_path(self, name: str) -> Path | None:
        """Return the path of a word list, in a run that of the list with the recorded digest.

        None if it is the contest's own.
        """
        file = getattr(self, name)
        if file is None or (file.file == _CONTEST_LISTS[name] and file.sha256 == words.load().sha256[name]):
            return None
        return words.recorded_file(words.locate(file.file), file.sha256)

    def resolved(self, level: str) -> "RunConfig":
        """Return the configuration of a new run: all that was left open is filled in, without seed and results folder.

        Args:
            level: The strongest sandbox level that the machine supports.
        """
        lists = self.load_lists()
        n_games = len(lists.answers) if self.every_answer else self.n_games
        files = {name: self.list_path(name) or paths.bundled() / own for name, own in _CONTEST_LISTS.items()}
        return msgspec.structs.replace(
            self,
            n_games=n_games,
            repeats=0 if self.is_trusted else self.repeats,
            seed=None,
            enforced_s=self.cpu_limit_s,
            total_s=n_games * self.timeout_s if self.total_s is None else self.total_s,
            level="" if self.is_trusted else self.level or level,
            beacon_from=None if self.beacon_from is None else self.beacon_from.strip(),
            results=RESULTS,
            **{
                name: WordFile(words.portable_name(path), len(getattr(lists, name)), lists.sha256[name])
                for name, path in files.items()
            },
        )

    @property
    def repetitions_s(self) -> float:
        """The time in seconds that an entry's long repetitions may take, of which a share of their wall time counts.

        It is a third of the time for all its games, if the host has limited that; otherwise it is infinite.
        """
        limit_s = self.n_games * self.timeout_s
        return SHARE_OF_TIME * self.total_s if self.total_s is not None and self.total_s < limit_s else inf

    def game_options(self) -> list[str]:
        """Return the command-line options that affect a single game, without those that have their default values.

        >>> RunConfig(game_id="wordle/1", seed="7", limits=Limits(wall_s=3.0), level="B").game_options()
        ['--game', 'wordle/1', '--seed', '7', '--limit', 'wall_s=3', '--isolation', 'B']
        """
        described = settings(RunConfig)
        options = [
            word
            for field in msgspec.structs.fields(self)
            if described[field.name].is_of_game and getattr(self, field.name) != field.default
            for word in self._option(field.name, described[field.name].option)
        ]
        return [*options, *(["--games", "all"] if self.every_answer else [])]

    def _option(self, name: str, option: str) -> list[str]:
        value = getattr(self, name)
        if isinstance(value, Limits):
            return [word for text in value.texts(changed=True) for word in (option, text)]
        if isinstance(value, WordFile):
            path = self.list_path(name)
            if path is None:
                return []
            return [option, value.file if path == words.locate(value.file) else words.portable_name(path)]
        if isinstance(value, PlayerKind):
            return [option]
        return [option, f"{value:g}" if isinstance(value, float) else str(value)]
