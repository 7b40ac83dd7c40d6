"""The configuration of a run, which the command line, the runner, players and `verify` share."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from wordpl.core.errors import ConfigError
from wordpl.core.game_kinds import PlayerKind

GRACE = 1.1
"""The CPU time at which a game is stopped, as a multiple of the limit that is announced to entries."""
GRACE_DIGITS = 6
LEVELS = ("", "A", "B", "C", "D")
"""The sandbox levels, strongest first; "" stands for the strongest one that the machine supports."""


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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


def default_enforced_s(timeout_s: float) -> float:
    """Return the CPU time in seconds at which a game is stopped, if the announced limit is `timeout_s`.

    >>> default_enforced_s(5.0)
    5.5
    """
    return round(GRACE * timeout_s, GRACE_DIGITS)


class RunConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The configuration of a run, validated on creation.

    Attributes:
        n_games: The number of games that each entry plays.
        every_answer: Instead of `n_games` games, play each answer once, in classic games. Each game is played in a
            new process and with the same strategy seed, so that neither reveals anything about the secret.
        game_id: The game that all entries play, such as "wordle/1"; None: each entry plays its own.
        repeats: The number of games of each entry that are replayed in a new process.
        seed: Seed of all secrets and noise; any text. None: a seed is drawn.
        answers: The file of the words that can be the secret; None: the contest's answers.txt.
        guesses: The file of the words that can be guessed; None: the contest's valid.txt.
        timeout_s: The CPU time limit for one game that is announced to entries, in seconds.
        enforced_s: The CPU time at which a game is stopped, in seconds; None: 1.1 times `timeout_s`.
        warmup_s: The time that a new process has to start, in seconds.
        memory_mb: The memory limit of an entry in MiB.
        limits: Further limits.
        total_s: The CPU time of an entry for all its games, in seconds; later games count as lost without being
            played. None: `timeout_s` for each game.
        player: Where entries are executed.
        level: The sandbox level of entries, "A" to "D"; "": the strongest one that the machine supports.
        official: Whether the host commits to the seed before the first game and reveals it after the last one.
        beacon_from: For an official run: the source of a public text that is not yet known.
        loss_cost: The cost of a lost game in the mean cost of noisy games, and the maximum cost of any game.
        results: The folder in which runs are stored.

    Raises:
        ConfigError: A value is out of range or contradicts another one.
    """

    n_games: int = 1001
    every_answer: bool = False
    game_id: str | None = None
    repeats: int = 50
    seed: str | None = None
    answers: Path | None = None
    guesses: Path | None = None
    timeout_s: float = 5.0
    enforced_s: float | None = None
    warmup_s: float = 60.0
    memory_mb: int = 1024
    limits: Limits = Limits()
    total_s: float | None = None
    player: PlayerKind = PlayerKind.PROCESS
    level: str = ""
    official: bool = False
    beacon_from: str | None = None
    loss_cost: float = 100.0
    results: Path = Path("results")

    def __post_init__(self) -> None:
        """Validate the values, and convert paths given as strings and a seed given as a number."""
        for name in ("answers", "guesses", "results"):
            path = getattr(self, name)
            msgspec.structs.force_setattr(self, name, None if path is None else Path(path))
        if self.seed is not None:
            msgspec.structs.force_setattr(self, "seed", str(self.seed))
        for name, (low, high) in _RANGES.items():
            _check_range(name, getattr(self, name), low, high)
        if self.total_s is not None:
            _check_range("total_s", self.total_s, 0.001, 1e12)
        _check_choice("player", self.player, list(PlayerKind))
        _check_choice("level", self.level, LEVELS)
        if self.official and self.seed is not None:
            raise ConfigError("an official run takes no seed: it is drawn, so that nobody can choose it.")
        if self.official and self.is_trusted:
            raise ConfigError("an official run cannot have trusted entries: they could read the secrets.")
        if self.every_answer and self.is_trusted:
            raise ConfigError("playing every answer needs a new process for each game; trusted entries have none.")
        if self.beacon_from is not None and not (self.official and self.beacon_from.strip()):
            raise ConfigError("beacon_from is only for official runs, and must not be empty.")

    @property
    def is_trusted(self) -> bool:
        """Whether entries run in the process of the harness, where no time limit is enforced."""
        return self.player == PlayerKind.TRUSTED

    @property
    def cpu_limit_s(self) -> float:
        """The CPU time at which a game is stopped, in seconds."""
        return default_enforced_s(self.timeout_s) if self.enforced_s is None else self.enforced_s

    @property
    def total_limit_s(self) -> float:
        """The CPU time of an entry for all its games, in seconds."""
        return self.n_games * self.timeout_s if self.total_s is None else self.total_s

    def game_options(self) -> list[str]:
        """Return the command-line options that affect a single game, without those that have their default values.

        >>> RunConfig(game_id="wordle/1", seed="7", limits=Limits(wall_s=3.0), level="B").game_options()
        ['--game', 'wordle/1', '--seed', '7', '--limit', 'wall_s=3', '--isolation', 'B']
        """
        options = [word for name, option in _OPTIONS.items() for word in self._option(name, option)]
        flags = [*(["--games", "all"] if self.every_answer else []), *(["--trust"] if self.is_trusted else [])]
        return [*options, *flags]

    def _option(self, name: str, option: str) -> list[str]:
        value = getattr(self, name)
        if value == _DEFAULTS[name]:
            return []
        if isinstance(value, Limits):
            default = Limits()
            limits = {limit: getattr(value, limit) for limit in Limits.__struct_fields__}
            changed = [f"{limit}={number:g}" for limit, number in limits.items() if number != getattr(default, limit)]
            return [word for limit in changed for word in (option, limit)]
        return [option, f"{value:g}" if isinstance(value, float) else str(value)]


_RANGES: dict[str, tuple[float, float]] = {
    "n_games": (1, 10**9),
    "repeats": (0, 10**9),
    "timeout_s": (0.001, 86_400),
    "warmup_s": (0.001, 86_400),
    "memory_mb": (1, 10**7),
    "loss_cost": (0.001, 1e9),
}
_OPTIONS = {
    "game_id": "--game",
    "seed": "--seed",
    "timeout_s": "--timeout",
    "warmup_s": "--warmup",
    "memory_mb": "--memory",
    "limits": "--limit",
    "level": "--isolation",
    "answers": "--answers",
    "guesses": "--guesses",
}
_DEFAULTS: dict[str, Any] = {field.name: field.default for field in msgspec.structs.fields(RunConfig)}


def _check_range(name: str, value: Any, low: float, high: float) -> None:
    is_whole = isinstance(low, int)
    kind = int if is_whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kind) or not low <= value <= high:
        expected = "a whole number" if is_whole else "a number"
        raise ConfigError(f"{name} should be {expected} from {low:,} to {high:,}, got {value!r}.")


def _check_choice(name: str, value: Any, choices: Iterable[str]) -> None:
    if value not in choices:
        expected = ", ".join(repr(str(choice)) for choice in choices)
        raise ConfigError(f"{name} should be one of {expected}, got {value!r}.")
