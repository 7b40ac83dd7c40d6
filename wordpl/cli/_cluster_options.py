"""The options that name a cluster."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from wordpl.core.errors import UserError

Command = TypeVar("Command", bound=Callable[..., Any])
CERTIFICATES_HELP = "The certificates of the cluster. [default: ~/.config/wordpl/cluster]"

certificates_option = click.option(
    "--certificates", metavar="FOLDER", type=click.Path(file_okay=False, path_type=Path), help=CERTIFICATES_HELP
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Have the workers of this scheduler play; see `wordpl cluster --help`."
)


def options(command: Command) -> Command:
    """Add --cluster and --certificates; the command gets the address as its parameter `cluster`, None where none."""

    @wraps(command)
    def with_address(cluster: str | None, certificates: Path | None, **chosen: Any) -> Any:
        if certificates and not cluster:
            raise UserError("--certificates goes with --cluster, the address of a scheduler.")
        return command(cluster=address(cluster, certificates) if cluster else None, **chosen)

    decorated: Any = certificates_option(with_address)
    return cluster_option(decorated)  # type: ignore[no-any-return]  # click decorates what wraps() made


def address(text: str, certificates: Path | None) -> Any:
    """Return the address of a scheduler."""
    from wordpl.contest.cluster.address import ClusterAddress, default_certificates

    return ClusterAddress(text, (certificates or default_certificates()).absolute())
