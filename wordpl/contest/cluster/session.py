"""The connection of a run to a cluster, from connecting until the last player has been stopped."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from wordpl.contest.cluster import calibration, certificates, manifest
from wordpl.contest.cluster.address import ClusterAddress, require_extra
from wordpl.contest.cluster.admission import Admission
from wordpl.contest.cluster.crew import SHUTDOWN_S, Crew
from wordpl.contest.cluster.service import SETTINGS
from wordpl.contest.observer import Observer
from wordpl.core.errors import UserError
from wordpl.core.records import Run

CONNECT_S = 10


@contextmanager
def crew(run: Run, key: bytes, address: ClusterAddress, observer: Observer) -> Iterator[Crew]:
    """Yield the workers of a cluster; when the context ends, their players have been stopped.

    Args:
        run: The run.
        key: The key of all draws, which is sent to every worker.
        address: The address of the scheduler.
        observer: Receives the events of workers.

    Raises:
        UserError: The scheduler cannot be reached, the run is official, or its entries are trusted.
    """
    require_extra()
    _check(run)
    if not run.info.calibration_s:
        run.info.calibration_s = calibration.calibrate()
        run.write_info()
    import dask
    from distributed import Client

    needed, files = manifest.make_manifest(run)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # the crew reports what users need to know
    with warnings.catch_warnings(), dask.config.set(SETTINGS):
        warnings.simplefilter("ignore")  # about different versions: such workers are refused with a reason
        try:
            client = Client(
                address.url,
                security=certificates.security(address.certificates),
                timeout=CONNECT_S,
                set_as_default=False,
            )
        except (OSError, TimeoutError) as error:
            raise UserError(
                f"no scheduler answers at {address.url} with the certificates in {address.certificates} ({error}): "
                "start one with `wordpl cluster scheduler`, or try `wordpl cluster local`."
            ) from None
    admission = Admission(address.url, client, needed, files, run.info, key)
    workers = Crew(run, key, client, admission, observer)
    try:
        yield workers
    finally:
        try:
            workers.close()
        finally:
            admission.close()
            client.close(timeout=SHUTDOWN_S)


def _check(run: Run) -> None:
    if run.info.commitment:
        raise UserError(
            "an official run cannot be played on a cluster, because each worker has the key of all secrets and its "
            "results are trusted. Leave out --cluster."
        )
    if run.info.config.is_trusted:
        raise UserError(
            "trusted entries run in the host's own process, not on a cluster: leave out --trust or --cluster."
        )
