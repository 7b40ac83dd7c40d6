"""Official runs: the seed is drawn and committed to before the first game, kept from everybody until the last."""

from pathlib import Path

import msgspec

from wordpl.contest import seed_store
from wordpl.core import commitments, seeds
from wordpl.core.errors import UserError
from wordpl.core.records import Run, RunInfo
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level

HOW_TO_USE_A_BEACON = (
    "A beacon is worth something only if nobody knew it when the host was bound:\n"
    '    1. wordpl evaluate --official --beacon-from "where the text will come from, and when"\n'
    "    2. publish the commitment that this shows\n"
    "    3. when the text is known: wordpl evaluate --resume results/RUN --beacon TEXT"
)


def require_isolation(level: str) -> None:
    """Raise UserError unless this machine holds entries at this level, and the level is enough for an official run."""
    found = probe.probe()
    if not (level and Level(level).is_official and found.level <= level):
        raise UserError(f"an official run needs isolation level B or A, chosen was {level or 'none'}. {found}")


def new_run(folder: Path, info: RunInfo, beacon_from: str | None) -> Run:
    """Return a new run whose seed is drawn, committed to and withheld."""
    require_isolation(info.level)
    if beacon_from:
        info.beacon_from = beacon_from.strip()
    drawn = seeds.new_official_seed()
    info.commitment = commitments.commitment(drawn, commitments.terms(msgspec.to_builtins(info)))
    seed_store.keep(drawn, info.commitment, folder, info.entries)
    return Run.create(folder, info)


def run_key(run: Run, beacon: str | None = None) -> bytes:
    """Return the key of the run's draws; an official run takes note of its beacon first.

    Raises UserError for a beacon that is missing, not the one given before, or given to a run that announced none.
    """
    info = run.info
    if beacon is not None and not info.beacon_from:
        raise UserError(
            f"{run.folder} announced no beacon before its seed was drawn, and so can't take one.\n{HOW_TO_USE_A_BEACON}"
        )
    drawn = ""
    if info.seed is None:
        require_isolation(info.level)
        drawn = seed_store.read(run)
        if commitments.commitment(drawn, commitments.terms(msgspec.to_builtins(info))) != info.commitment:
            raise UserError(f"{run.folder / 'run.json'} is not what {info.commitment} committed to: begin a new run.")
    if info.beacon_from:
        _take(run, beacon)
    return seeds.run_key(info.seed or _games_seed(info, drawn))


def reveal(run: Run) -> None:
    """Tell the run's info the seeds that were withheld while it went on; `forget` follows when they are on disk."""
    if run.info.seed is None:
        run.info.drawn_seed = seed_store.read(run)
        run.info.seed = _games_seed(run.info, run.info.drawn_seed)


def forget(run: Run) -> None:
    """Remove the withheld seed of a run whose run.json tells it."""
    if run.info.drawn_seed:
        seed_store.forget(run)


def facts(info: RunInfo) -> dict[str, str]:
    """Return what to check an official run by; nothing of others."""
    if not info.commitment:
        return {}
    if not info.beacon_from:
        beacon = "none: the host could draw until it was pleased"
    else:
        beacon = f"{info.beacon}, from {info.beacon_from}" if info.beacon else f"to come from {info.beacon_from}"
    return {"commitment": info.commitment, "beacon": beacon}


def _games_seed(info: RunInfo, drawn: str) -> str:
    return commitments.games_seed(drawn, info.beacon or "", (entry.sha256 for entry in info.entries))


def is_waiting(info: RunInfo) -> bool:
    """Return whether the run waits for its beacon."""
    return bool(info.beacon_from) and not info.beacon


def _take(run: Run, beacon: str | None) -> None:
    """Note the beacon in run.json, once."""
    known, given = run.info.beacon, (beacon or "").strip()
    if not (known or given):
        raise UserError(f"{run.folder} waits for its beacon, {run.info.beacon_from}: give it with --beacon TEXT.")
    if known and given and known != given:
        raise UserError(f"the beacon of {run.folder} is {known!r} already, and stays so; {given!r} comes too late.")
    if not known:
        run.info.beacon = given
        run.write_info()
