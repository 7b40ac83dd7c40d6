"""The terms on which this machine plays games of a run that others may have made.

Nothing inside a run's folder decides how its entries run here: not the sandbox level, not the place of a file, and not
how much time or memory they get. The rules of the games come from the run. Its limits hold up to the reader's own.
"""

from dataclasses import dataclass

import msgspec

from wordpl.core.errors import UserError
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.run.config import PlayerKind, ReaderLimits, RunConfig
from wordpl.run.info import RunInfo

UNCONFINED = "--replay-without-isolation"
"""The option that lets entries play on a machine that does not isolate them."""
_CONSEQUENCES = {
    Level.C: "read your files, though not change them",
    Level.D: "read and change your files, and reach the network",
}


@dataclass(frozen=True)
class ReaderTerms:
    """The terms on which this machine replays games of a run.

    Attributes:
        config: The configuration to play with: the rules of the run, at this machine's level and within its limits.
        capped: The names of the run's limits that exceed the reader's, which hold instead.
    """

    config: RunConfig
    capped: list[str]

    @classmethod
    def of(
        cls, info: RunInfo, limits: ReaderLimits | None = None, *, level: str = "", unconfined: bool = False
    ) -> "ReaderTerms":
        """Return the terms for a run.

        Args:
            info: The description of the run; its sandbox level and its kind of players are not used.
            limits: The reader's own limits.
            level: The sandbox level that the reader chooses; "": the strongest one that this machine supports.
            unconfined: Whether the reader lets entries play at a level that does not isolate them, if this machine
                supports no better one.

        Raises:
            UserError: This machine cannot isolate the entries, and the reader has not allowed to play without.
        """
        chosen = Level(level) if level else probe.probe().level
        if not (chosen.is_official or level or unconfined):
            raise UserError(
                "this machine does not isolate players, so the entries of a run are not played on it: their code could "
                f"{_CONSEQUENCES[chosen]}. {probe.probe()} {UNCONFINED}, or --isolation {chosen} where there is that "
                "option, plays them all the same."
            )
        config, capped = (limits or ReaderLimits()).cap(info.game_config)
        return cls(msgspec.structs.replace(config, level=str(chosen), player=PlayerKind.PROCESS), capped)


def require_own_choice(config: RunConfig, level: str, *, trusted: bool) -> None:
    """Check that whoever resumes a run has chosen that its entries play without isolation, if they do.

    Args:
        config: The configuration of the run.
        level: The sandbox level that the reader gives; "": none.
        trusted: Whether the reader trusts the entries.

    Raises:
        UserError: The run plays without isolation and the reader did not choose that, or chose something else.
    """
    if trusted != config.is_trusted:
        if trusted:
            raise UserError("the entries of this run are not trusted, and a run keeps its settings: leave out --trust.")
        raise UserError(
            "the run says that its entries are trusted, which only you can decide: they would play in this process, "
            "without a sandbox. If this is your own run, resume it with --trust."
        )
    if level and level != config.level:
        raise UserError(f"the run is played at level {config.level or 'none'}, and keeps it: leave out --isolation.")
    if config.level and not (level or trusted or Level(config.level).is_official):
        raise UserError(
            f"the run says that its entries play at level {config.level}, which does not isolate them. Only you can "
            f"decide that: if it is your own run, resume it with --isolation {config.level}."
        )
