"""`wordpl cluster`: a scheduler and workers on other machines, which `wordpl evaluate --cluster` has play."""

from pathlib import Path

import click

from wordpl.cli._cluster_options import address, certificates_option
from wordpl.cli._echo import say

A_FOLDER = click.Path(file_okay=False, path_type=Path)
store_option = click.option(
    "--store",
    metavar="FOLDER",
    type=A_FOLDER,
    help="Where workers keep the files they are sent. [default: ~/.cache/wordpl/cluster]",
)


@click.group()
def command() -> None:
    """Spread runs over machines that are yours, by dask.

    \b
    wordpl cluster certificates                    once; copy ~/.config/wordpl/cluster to each machine
    wordpl cluster scheduler --host 10.0.0.5       on one machine
    wordpl cluster worker 10.0.0.5                 for each processor of the others
    wordpl evaluate --cluster 10.0.0.5             on the machine that keeps the results
    wordpl cluster local --workers 2               all of it on this machine, for trying

    A worker gets the key of all secrets, and what it returns is believed: every machine has to be under your control.
    docs/cluster.md tells what is sent, what is encrypted, and what happens when a machine is lost.
    """


@command.command()
@click.argument("folder", required=False, type=A_FOLDER)
@click.option("--days", default=90, show_default=True, type=click.IntRange(1, 3650), help="How long they are valid.")
def certificates(folder: Path | None, days: int) -> None:
    """Make the certificates of a new cluster in FOLDER, by default ~/.config/wordpl/cluster.

    Host, scheduler and workers prove by them that they belong together, and encrypt all that they send. Copy the folder
    to each machine, by ssh say: whoever has it can join the cluster.
    """
    from wordpl.contest.cluster import certificates as files
    from wordpl.contest.cluster.address import default_certificates

    chosen = folder or default_certificates()
    until = files.make(chosen, days)
    say(f"{chosen}: valid until {until:%Y-%m-%d}. Copy the folder to each machine of the cluster.")


@command.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8786, show_default=True, type=click.IntRange(0, 65_535), help="0: any that is free.")
@certificates_option
def scheduler(host: str, port: int, certificates: Path | None) -> None:
    """Run the scheduler of a cluster until Ctrl-C; it prints its address when workers can join."""
    from wordpl.contest.cluster import service

    where = address("localhost", certificates)
    service.run_scheduler(where.certificates, host, port, click.echo)


@command.command()
@click.argument("scheduler")
@click.option("--name", default="", help="The name in run.json. [default: made from host name and process]")
@click.option("--host", default="", help="The address under which the scheduler reaches this machine.")
@store_option
@certificates_option
def worker(scheduler: str, name: str, host: str, store: Path | None, certificates: Path | None) -> None:
    """Run a worker until Ctrl-C or until the SCHEDULER, such as 10.0.0.5:8786, has ended.

    It plays one game at a time: start one for each processor. It prints its name when it has joined.
    """
    from wordpl.contest.cluster import service
    from wordpl.contest.cluster.store import default_folder

    options = service.WorkerOptions((store or default_folder()).absolute(), name, host)
    service.run_worker(address(scheduler, certificates), options, click.echo)


@command.command()
@click.option("--workers", default=2, show_default=True, type=click.IntRange(1, 256), help="How many workers.")
@click.option("--port", default=8786, show_default=True, type=click.IntRange(0, 65_535), help="0: any that is free.")
@store_option
@certificates_option
def local(workers: int, port: int, store: Path | None, certificates: Path | None) -> None:
    """Run a scheduler and workers on this machine until Ctrl-C, for trying; certificates are made if there are none."""
    from wordpl.contest.cluster import certificates as files
    from wordpl.contest.cluster import service
    from wordpl.contest.cluster.store import default_folder

    folder = address("localhost", certificates).certificates
    if not folder.exists():
        files.make(folder)
    with service.local(workers, folder, (store or default_folder()).absolute(), port) as where:
        more = f" --certificates {folder}" if certificates else ""
        say(f"{workers} workers play for\n    wordpl evaluate --cluster {where.text}{more}")
        service.wait_for_interrupt()
