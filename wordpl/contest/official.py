"""Official runs: the host draws the seed and commits to it before the first game, and reveals it after the last."""

from pathlib import Path

import msgspec

from wordpl.contest import seed_store
from wordpl.core import commitments, seeds
from wordpl.core.errors import UserError
from wordpl.core.records import Run, RunInfo
from wordpl.players.sandbox import probe
from wordpl.players.sandbox.levels import Level

HOW_TO_USE_A_BEACON = (
    "A beacon is only useful if nobody knew it when the host committed to the seed:\n"
    '    1. wordpl evaluate --official --beacon-from "where the text will come from, and when"\n'
    "    2. publish the commitment that this prints\n"
    "    3. when the text is known: wordpl evaluate --resume results/RUN --beacon TEXT"
)


def require_isolation(level: str) -> None:
    """Check that this machine supports the sandbox level, and that it is strong enough for an official run.

    Raises:
        UserError: It is not.
    """
    isolation = probe.probe()
    if not (level and Level(level).is_official and isolation.level <= level):
        raise UserError(f"an official run needs isolation level A or B, got {level or 'none'}. {isolation}")


def new_run(folder: Path, info: RunInfo, beacon_from: str | None) -> Run:
    """Draw and store a secret seed, commit to it, and create the folder of the run.

    Args:
        folder: The folder of the run.
        info: The description of the run, which receives the commitment.
        beacon_from: The source of the beacon; None: the run has no beacon.
    """
    require_isolation(info.level)
    if beacon_from:
        info.beacon_from = beacon_from.strip()
    drawn = seeds.new_official_seed()
    info.commitment = commitments.commitment(drawn, commitments.terms_digest(msgspec.to_builtins(info)))
    seed_store.write(drawn, info.commitment, folder, info.entries)
    return Run.create(folder, info)


def run_key(run: Run, beacon: str | None = None) -> bytes:
    """Return the key of the run's draws, after writing the beacon of an official run to its run.json.

    Raises:
        UserError: The beacon is missing, differs from the one given before, or was not announced; or run.json does not
            match the commitment.
    """
    info = run.info
    if beacon is not None and not info.beacon_from:
        raise UserError(
            f"{run.folder} did not announce a beacon before its seed was drawn, so it cannot use one.\n"
            f"{HOW_TO_USE_A_BEACON}"
        )
    drawn = ""
    if info.seed is None:
        require_isolation(info.level)
        drawn = seed_store.read(run)
        if commitments.commitment(drawn, commitments.terms_digest(msgspec.to_builtins(info))) != info.commitment:
            raise UserError(
                f"{run.folder / 'run.json'} does not match its commitment {info.commitment}: start a new run."
            )
    if info.beacon_from:
        _record_beacon(run, beacon)
    return seeds.run_key(info.seed or _games_seed(info, drawn))


def reveal(run: Run) -> None:
    """Set the secret seeds in the run's info. Call `remove_seed` after the info has been written to disk."""
    if run.info.seed is None:
        run.info.drawn_seed = seed_store.read(run)
        run.info.seed = _games_seed(run.info, run.info.drawn_seed)


def remove_seed(run: Run) -> None:
    """Remove the secret seed of a run whose run.json reveals it."""
    if run.info.drawn_seed:
        seed_store.remove(run)


def facts(info: RunInfo) -> dict[str, str]:
    """Return the commitment and the beacon of an official run as text; empty for other runs."""
    if not info.commitment:
        return {}
    if not info.beacon_from:
        beacon = "none: the host could have drawn several seeds and chosen one"
    else:
        beacon = f"{info.beacon}, from {info.beacon_from}" if info.beacon else f"to come from {info.beacon_from}"
    return {"commitment": info.commitment, "beacon": beacon}


def _games_seed(info: RunInfo, drawn: str) -> str:
    return commitments.games_seed(drawn, info.beacon or "", (entry.sha256 for entry in info.entries))


def is_waiting_for_beacon(info: RunInfo) -> bool:
    """Return whether the beacon of the run is not known yet."""
    return bool(info.beacon_from) and not info.beacon


def _record_beacon(run: Run, beacon: str | None) -> None:
    """Write the beacon to run.json, unless it is already there.

    Raises:
        UserError: The beacon is missing, or differs from the one in run.json.
    """
    recorded, announced = run.info.beacon, (beacon or "").strip()
    if not (recorded or announced):
        raise UserError(f"{run.folder} waits for its beacon, {run.info.beacon_from}: give it with --beacon TEXT.")
    if recorded and announced and recorded != announced:
        raise UserError(f"the beacon of {run.folder} is already {recorded!r}; it cannot be changed to {announced!r}.")
    if not recorded:
        run.info.beacon = announced
        run.write_info()
