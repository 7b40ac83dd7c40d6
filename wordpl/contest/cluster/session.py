"""A run that is played by a cluster, from the connection to the end of the last player."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from wordpl.contest.cluster import calibration, certificates, manifest
from wordpl.contest.cluster.address import ClusterAddress, require_extra
from wordpl.contest.cluster.admission import Admission
from wordpl.contest.cluster.crew import LEAVE_S, Crew
from wordpl.contest.cluster.service import SETTINGS
from wordpl.contest.observer import Observer
from wordpl.core.errors import UserError
from wordpl.core.records import Run

CONNECT_S = 10


@contextmanager
def crew(run: Run, key: bytes, address: ClusterAddress, observer: Observer) -> Iterator[Crew]:
    """Give the workers of a cluster; when the context is left, their players have ended.

    Args:
        run: The run that they play.
        key: The key of all draws. Every worker gets it.
        address: The scheduler's.
        observer: Is told who joins, who is refused and who is lost.

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

    needed, files = manifest.of_run(run)
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what a user can act on, the crew says
    with warnings.catch_warnings(), dask.config.set(SETTINGS):
        warnings.simplefilter("ignore")  # of versions that differ: workers with others are refused, with a reason
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
            client.close(timeout=LEAVE_S)


def _check(run: Run) -> None:
    if run.info.commitment:
        raise UserError(
            "an official run is not played by a cluster: each worker holds the key of all secrets, and what it returns "
            "is believed. Leave out --cluster."
        )
    if run.info.config.is_trusted:
        raise UserError(
            "trusted entries run in the host's own process, not on a cluster: leave out --trust or --cluster."
        )
