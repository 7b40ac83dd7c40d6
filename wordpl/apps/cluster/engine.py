"""The engine behind `wordpl evaluate --cluster ADDRESS`: parts of a run as tasks of dask, taken as they come."""

import logging
import os
import platform
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Any

from wordpl.core.messages import UserError, WordplError

if TYPE_CHECKING:
    from distributed import Client

    from wordpl.run.folder import Run

METAVAR = "ADDRESS"
HELP = "Play on the workers of the dask scheduler at ADDRESS, such as tcp://10.0.0.5:8786; see `wordpl docs cluster`."
CONNECT_S, NO_WORKER_S = 10.0, 60.0
PARTS_PER_WORKER, MAX_GAMES_PER_PART = 4, 50_000
"""A part takes seconds to start; a lost one is played again, and the last ones keep only some workers busy."""
RETRIES = 2
RESULTS = ("run.json", "records", "durations", "fingerprints")
"""What of a part's folder a worker sends back."""
BEGUN = "wordpl-parts"
"""The topic of events that tell which part a worker begins to play, since dask plays that of a lost worker again."""
CHILD = "from wordpl.apps.cluster.engine import play_folder; play_folder()"


def parts(run: "Run", address: str) -> Iterator[Path]:
    """Yield the folders of the parts of a run, as workers of a dask scheduler have played them.

    Each folder is removed when the next one is asked for.

    Raises:
        UserError: There is no scheduler or no worker, a worker cannot play, or the connection is lost.
    """
    from wordpl.contest.parts import found_in, games_of, given, left, list_again, prepare
    from wordpl.run.folder import Run

    for folder in found_in(run):  # of an earlier attempt
        if Run(folder, None, may_be_part=True).info.finished is not None:
            yield folder
            rmtree(folder, ignore_errors=True)
    with _connected(address) as client:
        n_games = run.info.config.n_games * len(run.info.entries)
        n_workers = sum(client.nthreads().values())
        n_parts = max(PARTS_PER_WORKER * n_workers, -(-n_games // MAX_GAMES_PER_PART))
        of = next((int(name.partition("/")[2]) for name in run.info.parts), min(n_games, n_parts))
        folders, before = {}, given(run)
        for number in left(run, of):
            if (name := f"{number}/{of}") in before:  # a worker may have begun to play it in an earlier attempt
                list_again(run, games_of(run, name))
            folder = prepare(run, number, of)
            files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in _files(folder)}
            future = client.submit(play_part, files, run.info.versions, pure=False, retries=RETRIES)
            folders[future] = folder
        names = {future.key: Path(folder).name for future, folder in folders.items()}
        yield from _as_completed(client, folders, address)
        events: Any = ()
        with suppress(OSError):  # the scheduler has just ended
            events = client.get_events(BEGUN)
        begun = Counter(event["part"] for _, event in events if event["part"] in names)
        for key in (key for key, n_times in begun.items() if n_times > 1):  # its worker was lost
            list_again(run, games_of(run, names[key].replace("-of-", "/")))


def _as_completed(client: "Client", folders: dict[Any, Path], address: str) -> Iterator[Path]:
    """Yield the folder of each part when its future is done."""
    from distributed import as_completed

    from wordpl.core import paths
    from wordpl.core.files import write_atomically
    from wordpl.run.folder import RUN_JSON

    for future in as_completed(folders, loop=client.loop):
        if future.status != "finished":
            raise UserError(_problem(future, address))
        folder = folders.pop(future)
        for name, content in sorted(future.result().items(), key=lambda item: item[0] == RUN_JSON):
            path = paths.inside(folder, name)
            path.parent.mkdir(exist_ok=True)
            write_atomically(path, content)
        future.release()
        yield folder
        rmtree(folder, ignore_errors=True)


def _problem(future: Any, address: str) -> str:
    """Return why a part could not be played, as a sentence."""
    error = future.exception() if future.status == "error" else None
    if error is None:
        return f"lost the connection to the scheduler at {address}: start it and its workers again."
    if isinstance(error, WordplError):
        return str(error)
    if type(error).__name__ == "KilledWorker":
        return "several workers in a row ended while they played the same part, perhaps as memory ran out."
    if isinstance(error, ImportError):
        return f"a worker cannot play ({error}): install the same release of wordpl on each machine."
    return f"a worker cannot play: {type(error).__name__}: {error}"


@contextmanager
def _connected(address: str) -> Iterator["Client"]:
    """Yield a client of the scheduler at this address, which has a worker."""
    if find_spec("distributed") is None:
        raise UserError('--cluster needs distributed: pip install "wordpl[cluster]"')
    from distributed import Client

    for name in list(logging.root.manager.loggerDict):
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):  # wordpl says once what users need to know
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about versions, which workers compare
        try:
            client = Client(address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise UserError(
                f"no scheduler answers at {address} ({error or 'it takes too long'}): start one with `dask scheduler`, "
                f"and workers with `dask worker {address} --nthreads 1`."
            ) from None
        try:
            client.wait_for_workers(1, timeout=NO_WORKER_S)
            yield client
        except TimeoutError:
            raise UserError(
                f"the scheduler at {address} has no worker: start one with `dask worker {address} --nthreads 1`."
            ) from None
        finally:
            client.close(timeout=1)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and path.name != ".lock")


def play_part(files: dict[str, bytes], versions: dict[str, str]) -> dict[str, bytes]:
    """Play a part on a worker, in a process of its own, and return its files.

    Args:
        files: The files of the folder of a part.
        versions: The versions of the software that the run is played with.

    Raises:
        UserError: It cannot be played here.
    """
    from distributed import get_worker

    from wordpl.contest import run_folder
    from wordpl.core import paths
    from wordpl.core.files import temporary_folder

    if (own := run_folder.versions()) != versions:
        raise UserError(f"the worker on {platform.node()} has {own}, but the run is played with {versions}.")
    get_worker().log_event(BEGUN, {"part": get_worker().get_current_task()})
    with temporary_folder() as parent:
        (parent / "part" / "records").mkdir(parents=True)
        for name, content in files.items():
            path = paths.inside(parent / "part", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        command = [sys.executable, "-P", "-c", CHILD, str(parent / "part"), str(os.getpid())]
        ended = subprocess.run(command, cwd=parent, capture_output=True, text=True, errors="replace", check=False)
        if ended.returncode:
            last = (ended.stderr.strip().splitlines() or [f"it ended with code {ended.returncode}"])[-1]
            raise UserError(f"the worker on {platform.node()} cannot play a part: {last}")
        results = [path for path in _files(parent / "part") if path.relative_to(parent / "part").parts[0] in RESULTS]
        return {path.relative_to(parent / "part").as_posix(): path.read_bytes() for path in results}


def play_folder() -> None:
    """Play the part in the folder that this process was given, and end with the process that was named."""
    from wordpl.contest import Contest
    from wordpl.players.sandbox.processes import die_with_parent
    from wordpl.run.folder import Run

    folder = Path(sys.argv[1])
    die_with_parent(int(sys.argv[2]))
    try:
        run = Run(folder, None, may_be_part=True)
        config = run.info.config
        for entry in run.info.entries if config.is_trusted else ():  # which are played from their files
            if not (place := Path(entry.file)).is_absolute() and not place.exists():
                run.store.copy(entry.sha256, place.parent)
        Contest.resume(folder, jobs=1, level=config.level, trusted=config.is_trusted, max_games=None).play()
    except WordplError as error:
        sys.exit(str(error))
