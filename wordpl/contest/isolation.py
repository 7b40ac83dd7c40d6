"""What protects this machine and the run from players.

The terms on which this machine plays the games of a run that others may have made, and the files that players must
not read.
"""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from wordpl.contest import official
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.players.pool import PlayerPool
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level
from wordpl.run.bundle import PROGRAM, main_of
from wordpl.run.config import PlayerKind, ReaderLimits, RunConfig
from wordpl.run.folder import DRAWS, LOCK, RUN_JSON, Run
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


def player_pool(run: Run, parent: Path, lists: WordLists | None = None) -> PlayerPool:
    """Return the player pool of a run, which plays the stored files, and hides all runs and the seeds of runs.

    Args:
        parent: The folder for the players' working directories.
        lists: The word lists; None: those that the run's configuration names.
    """
    other_runs = [path.parent for path in run.folder.parent.glob("*/run.json")]
    hidden = [run.folder, *other_runs, *_whole(run), *official.folders(run)]
    return PlayerPool(lists or run.info.config.load_lists(), parent, hidden, run.store)


def _whole(run: Run) -> list[Path]:
    """Return the folder of the run, if this is a part of it and lies in it."""
    return [folder for folder in run.folder.parents[1:2] if run.info.part and (folder / RUN_JSON).exists()]


def build_programs(run: Run, parent: Path) -> None:
    """Build all program entries before the first game, so that no information from games can reach a build.

    Args:
        parent: The folder for the players' working directories.
    """
    store = run.store
    programs = [
        entry
        for entry in run.info.entries
        if entry.file
        and not entry.is_hosted
        and main_of(store.path(entry.sha256), Path(entry.file).name).endswith(PROGRAM)
    ]
    if programs:
        with player_pool(run, parent) as pool:
            for entry in programs:
                pool.build(entry, run.info.config)


def require_hidden(run: Run, parent: Path) -> None:
    """Check that no player can open the run's files, if the sandbox level promises it: let a player try.

    Args:
        parent: The folder for the players' working directories.

    Raises:
        UserError: A player could read one of the files, or players cannot be started with the files hidden.
    """
    if not Level(run.info.config.level or Level.D).is_official:
        return
    files = [run.folder / "run.json", run.folder / LOCK, *run.folder.glob("records/*")]
    files += [folder / RUN_JSON for folder in _whole(run)]
    if run.info.seed is None:
        files.append(run.folder / DRAWS if run.info.part else official.find(run))
    with player_pool(run, parent) as pool:
        require_unreadable(run.info, pool, files, " With --results, choose a folder that players may not read.")


def require_unreadable(info: RunInfo, pool: PlayerPool, files: list[Path], advice: str = "") -> None:
    """Check that players cannot open these files: let one player try, as all of them may read the same folders.

    Args:
        pool: Creates the players.
        advice: A sentence to append to the message.

    Raises:
        UserError: A player could open one of the files.
    """
    for entry in [entry for entry in info.entries if entry.file and not entry.is_hosted][:1]:
        if opened := pool.opened(entry, info.config, files):
            raise UserError(f"a player of {entry.file} could read {opened[0]}, which must be hidden from it.{advice}")
