"""Official runs: the host draws the seed and commits to it before the first game, and reveals it after the last.

Seeds of unfinished runs are stored outside all folders that players may read, in files named after the commitment of
their run, so that a seed is found even if the run's folder has been moved.
"""

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from wordpl.core import paths, seeds
from wordpl.core.files import make_folders, write_atomically
from wordpl.core.messages import UserError
from wordpl.core.seeds import Draws, PartDraws
from wordpl.players.sandbox import levels, probe
from wordpl.players.sandbox.levels import Level
from wordpl.run import invariants, seal
from wordpl.run.folder import DRAWS, Run
from wordpl.run.info import RunInfo

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


def new_run(folder: Path, info: RunInfo) -> Run:
    """Draw and store a secret seed, commit to it, and create the folder of the run.

    Args:
        folder: The folder of the run.
        info: The description of the run, which receives the commitment.

    Raises:
        UserError: This machine is not isolated well enough, or the terms contradict an invariant of official runs.
    """
    require_isolation(info.config.level)
    drawn = seeds.new_official_seed()
    info.commitment = seal.commitment(drawn, seal.terms_digest(info.facts()))
    invariants.require_official(info)
    place = write(drawn, info.commitment, folder)
    try:
        return Run.create(folder, info)
    except BaseException:
        place.unlink(missing_ok=True)
        raise


def draws(run: Run, beacon: str | None = None) -> Draws:
    """Return the draws of the run, after writing the beacon of an official run to its run.json.

    Raises:
        UserError: The beacon is missing, differs from the one given before, or was not announced; or run.json does not
            match the commitment.
    """
    info = run.info
    if info.part is not None and info.seed is None:
        require_isolation(info.config.level)
        return PartDraws(b"", file=run.folder / DRAWS)
    if beacon is not None and not info.config.beacon_from:
        raise UserError(
            f"{run.folder} did not announce a beacon before its seed was drawn, so it cannot use one.\n"
            f"{HOW_TO_USE_A_BEACON}"
        )
    drawn = ""
    if info.seed is None:
        require_isolation(info.config.level)
        drawn = read(run)
        if seal.commitment(drawn, seal.terms_digest(info.facts())) != info.commitment:
            raise UserError(
                f"{run.folder / 'run.json'} does not match its commitment {info.commitment}: start a new run."
            )
        invariants.require_official(info)
    if info.config.beacon_from:
        _record_beacon(run, beacon)
    return info.draws_of(info.seed or _games_seed(info, drawn))


def reveal(run: Run) -> None:
    """Set the secret seeds in the run's info. Call `remove_seed` after the info has been written to disk."""
    if run.info.seed is None:
        run.info.drawn_seed = read(run)
        run.info.seed = _games_seed(run.info, run.info.drawn_seed)


def remove_seed(run: Run) -> None:
    """Remove the secret seed of a run whose run.json reveals it."""
    if run.info.drawn_seed:
        remove(run)


def facts(info: RunInfo) -> dict[str, str]:
    """Return the commitment and the beacon of an official run as text; empty for other runs."""
    if not info.commitment:
        return {}
    if not info.config.beacon_from:
        beacon = "none: the host could have drawn several seeds and chosen one"
    else:
        source = info.config.beacon_from
        beacon = f"{info.beacon}, from {source}" if info.beacon else f"to come from {source}"
    return {"commitment": info.commitment, "beacon": beacon}


def _games_seed(info: RunInfo, drawn: str) -> str:
    return seal.games_seed(drawn, info.beacon or "", (entry.sha256 for entry in info.entries))


def is_waiting_for_beacon(info: RunInfo) -> bool:
    """Return whether the beacon of the run is not known yet."""
    return bool(info.config.beacon_from) and not info.beacon


def _record_beacon(run: Run, beacon: str | None) -> None:
    """Write the beacon to run.json, unless it is already there.

    Raises:
        UserError: The beacon is missing, or differs from the one in run.json.
    """
    recorded, announced = run.info.beacon, (beacon or "").strip()
    if not (recorded or announced):
        raise UserError(
            f"{run.folder} waits for its beacon, {run.info.config.beacon_from}: give it with --beacon TEXT."
        )
    if recorded and announced and recorded != announced:
        raise UserError(f"the beacon of {run.folder} is already {recorded!r}; it cannot be changed to {announced!r}.")
    if not recorded:
        run.info.beacon = announced
        run.write_info()


FOLDER = Path("wordpl", "seeds")


def write(drawn: str, commitment: str, run_folder: Path) -> Path:
    """Write the seed to a new file that only this user can read, and return its path.

    Args:
        drawn: The seed.
        commitment: The run's commitment.
        run_folder: The run's folder. The seed is stored elsewhere, as results are often published.

    Raises:
        UserError: Players may read all possible folders, or none of them is writable.
    """
    readable = levels.roots()
    problems = []
    for folder in _possible_folders():
        if problem := _problem_with(folder, readable, run_folder.parent):
            problems.append(problem)
            continue
        try:
            _make_private(folder)
            return _write(folder / commitment, drawn)
        except OSError as error:
            problems.append(f"{folder}: {error.strerror or error}")
    raise UserError(
        "there is no folder to store the seed of an official run that players cannot read. "
        f"{'. '.join(problems)}. Set the environment variable XDG_STATE_HOME to another folder."
    )


def find(run: Run) -> Path:
    """Return the path of the file with the run's seed.

    Raises:
        UserError: There is no such file.
    """
    tried = _candidates(run)
    for path in tried:
        if os.path.lexists(path):
            return path
    raise UserError(
        f"the seed of {run.folder} is in none of {', '.join(str(path.parent) for path in tried)}: resume the run as "
        "the user who started it, on the same machine."
    )


def read(run: Run) -> str:
    """Return the run's seed.

    Raises:
        UserError: It cannot be read.
    """
    path = find(run)
    try:
        return path.read_text().strip()
    except OSError as error:
        raise UserError(f"cannot read the seed of {run.folder} in {path}: {error.strerror}.") from None


def copy_seed(run: Run, folder: Path) -> Path:
    """Write a second copy of the run's seed into a folder that the host keeps elsewhere, and return its path.

    Raises:
        UserError: The folder cannot be written, or may be published with the run.
    """
    drawn = read(run)
    target = folder.absolute() / str(run.info.commitment)
    if target.resolve().is_relative_to(run.folder.parent.parent.resolve()):
        raise UserError(f"{folder} is in {run.folder.parent.parent}, which may be published: choose another folder.")
    try:
        make_folders(folder, 0o700)
        return _write(target, drawn) if not os.path.lexists(target) else target
    except OSError as error:
        raise UserError(f"{target}: {error.strerror}.") from None


def restore_seed(run: Run, folder: Path) -> Path:
    """Store the run's seed on this machine from a folder with a copy of it, and return its path.

    Raises:
        UserError: The folder has no copy of this seed.
    """
    source = folder.absolute() / str(run.info.commitment)
    try:
        drawn = source.read_text().strip()
    except (OSError, UnicodeDecodeError):
        raise UserError(f"{folder} has no copy of the seed of {run.folder}: {source.name} is missing.") from None
    if seal.commitment(drawn, seal.terms_digest(run.info.facts())) != run.info.commitment:
        raise UserError(f"{source} is not the seed of {run.folder}: the commitment is another one.")
    return write(drawn, str(run.info.commitment), run.folder)


def remove(run: Run) -> None:
    """Remove the run's seed from all possible folders."""
    for path in _candidates(run):
        if os.path.lexists(path):  # false for folders that only another user can read
            path.unlink(missing_ok=True)


def folders(run: Run) -> list[Path]:
    """Return the folders that may contain seeds, all of which are hidden from players."""
    return list(dict.fromkeys(path.parent for path in _candidates(run)))


def _candidates(run: Run) -> list[Path]:
    """Return the possible paths of the run's seed."""
    return [folder / str(run.info.commitment) for folder in _possible_folders()]


def _possible_folders() -> Iterator[Path]:
    """Yield the folders that can store seeds, in order of preference; none of them is cleared on reboot.

    The first two follow the XDG Base Directory Specification: a run may be resumed without the variable of its start.
    """
    with suppress(RuntimeError):  # the user has no home directory
        yield paths.xdg_folder("state") / FOLDER.name
        yield Path.home() / ".local" / "state" / FOLDER
    yield Path("/var/lib") / FOLDER
    yield Path(f"/var/tmp/wordpl-{os.getuid()}") / FOLDER


def _problem_with(folder: Path, readable: Iterable[Path], results: Path) -> str:
    """Return why the folder, or an alias of it, must not contain a seed; "" if it may."""
    for path in levels.aliases([folder]):
        for root in readable:
            if path.is_relative_to(root.resolve()):
                return f"{folder} is {'' if path == folder else f'{path}, '}in {root}, which players may read"
        if path.is_relative_to(results.resolve()):
            return f"{folder} is in {results}, which may be published"
    return ""


def _make_private(folder: Path) -> None:
    """Create the folder with access for this user only.

    Raises:
        OSError: It cannot be created, or another user owns it.
    """
    make_folders(folder, 0o700)
    for path in (folder, folder.parent):
        status = path.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            raise PermissionError(f"{path} belongs to another user")
    folder.chmod(0o700)


def _write(path: Path, drawn: str) -> Path:
    if os.path.lexists(path):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    write_atomically(path, f"{drawn}\n".encode(), 0o600)
    return path
