"""`wordpl cluster`: run a scheduler and workers on several machines, which play for `wordpl evaluate --cluster`."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from wordpl.cli._command import NEW_FOLDER, SuggestingGroup
from wordpl.cli._output import say
from wordpl.core.messages import UserError, amount

Command = TypeVar("Command", bound=Callable[..., Any])
store_option = click.option(
    "--cache",
    "store",
    metavar="FOLDER",
    type=NEW_FOLDER,
    help="Folder in which workers keep the files that they receive. [default: ~/.cache/wordpl/cluster]",
)
port_option = click.option(
    "--port",
    default=8786,
    show_default=True,
    type=click.IntRange(0, 65_535),
    help="Port of the scheduler; 0 selects a free one.",
)
certificates_option = click.option(
    "--certificates",
    metavar="FOLDER",
    type=NEW_FOLDER,
    help="Folder of the cluster's certificates. [default: ~/.config/wordpl/cluster]",
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Play on the workers of this scheduler; see `wordpl cluster --help`."
)


def cluster_options(command: Command) -> Command:
    """Add --cluster and --certificates to a command, which gets a `ClusterAddress` or None as its `cluster`."""

    @wraps(command)
    def with_address(cluster: str | None, certificates: Path | None, **options: Any) -> Any:
        if certificates and not cluster:
            raise UserError("--certificates needs --cluster, the address of a scheduler.")
        return command(cluster=address(cluster, certificates) if cluster else None, **options)

    return cluster_option(certificates_option(with_address))  # type: ignore[return-value]  # click gives the parameters


def address(text: str, certificates: Path | None) -> Any:
    """Return the `ClusterAddress` of a scheduler such as "10.0.0.5:8786"."""
    from wordpl.contest.cluster.certificates import ClusterAddress, default_certificates

    return ClusterAddress(text, (certificates or default_certificates()).absolute())


@click.group(cls=SuggestingGroup)
def command() -> None:
    """Play runs on several of your own machines with dask.

    \b
    wordpl cluster certificates               once; copy ~/.config/wordpl/cluster
                                              to each machine
    wordpl cluster scheduler --host 10.0.0.5  on one machine
    wordpl cluster worker 10.0.0.5            on the others, once per processor
    wordpl evaluate --cluster 10.0.0.5        on the machine for the results
    wordpl cluster local --workers 2          on one machine, as a trial

    Workers receive the key of all secrets, and their results are not checked: use only machines that you control.
    `wordpl docs cluster` describes what is sent, what is encrypted, and what happens when a machine is lost.
    """


@command.command()
@click.argument("folder", required=False, type=NEW_FOLDER)
@click.option("--days", default=90, show_default=True, type=click.IntRange(1, 3650), help="Days of validity.")
def certificates(folder: Path | None, days: int) -> None:
    """Create the certificates of a new cluster in FOLDER, by default ~/.config/wordpl/cluster.

    Host, scheduler and workers use the certificates to authenticate each other and to encrypt everything they send.
    Copy the folder to each machine over a secure channel such as ssh: anybody who has it can join the cluster.
    """
    from wordpl.contest.cluster import certificates as files
    from wordpl.contest.cluster.certificates import default_certificates

    target = folder or default_certificates()
    expiry = files.make(target, days)
    say(f"{target}: valid until {expiry:%Y-%m-%d}. Copy the folder to each machine of the cluster.")


@command.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@port_option
@certificates_option
def scheduler(host: str, port: int, certificates: Path | None) -> None:
    """Run the scheduler of a cluster until Ctrl-C.

    The scheduler prints its address when it is ready for workers.
    """
    from wordpl.contest.cluster import service

    local_address = address("localhost", certificates)
    service.run_scheduler(local_address.certificates, host, port, click.echo)


@command.command()
@click.argument("scheduler")
@click.option("--name", default="", help="Name of the worker in run.json. [default: host name and process id]")
@click.option("--host", default="", help="Address at which the scheduler reaches this machine.")
@store_option
@certificates_option
def worker(scheduler: str, name: str, host: str, store: Path | None, certificates: Path | None) -> None:
    """Run a worker of SCHEDULER, such as 10.0.0.5:8786, until Ctrl-C or until the scheduler ends.

    A worker plays one game at a time: start one for each processor. It prints its name when it has joined.
    """
    from wordpl.contest.cluster import service
    from wordpl.contest.cluster.tasks import default_store

    options = service.WorkerOptions((store or default_store()).absolute(), name, host)
    service.run_worker(address(scheduler, certificates), options, click.echo)


@command.command()
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1, 256), help="Number of workers.")
@port_option
@store_option
@certificates_option
def local(workers: int, port: int, store: Path | None, certificates: Path | None) -> None:
    """Run a scheduler and workers on this machine until Ctrl-C, to try out a cluster.

    Certificates are created if the folder does not exist.
    """
    from wordpl.contest.cluster import certificates as files
    from wordpl.contest.cluster import service
    from wordpl.contest.cluster.tasks import default_store

    folder = address("localhost", certificates).certificates
    if not folder.exists():
        files.make(folder)
    with service.local(workers, folder, (store or default_store()).absolute(), port) as cluster:
        workers_text = amount(workers, "worker is", "workers are")
        certificate_option = f" --certificates {folder}" if certificates else ""
        say(f"{workers_text} ready. To use them:\n    wordpl evaluate --cluster {cluster.text}{certificate_option}")
        service.wait_for_interrupt()
