"""The options --cluster and --certificates."""

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar

import click

from wordpl.core.errors import UserError

Command = TypeVar("Command", bound=Callable[..., Any])
CERTIFICATES_HELP = "Folder of the cluster's certificates. [default: ~/.config/wordpl/cluster]"

certificates_option = click.option(
    "--certificates", metavar="FOLDER", type=click.Path(file_okay=False, path_type=Path), help=CERTIFICATES_HELP
)
cluster_option = click.option(
    "--cluster", metavar="ADDRESS", help="Play on the workers of this scheduler; see `wordpl cluster --help`."
)


def options(command: Command) -> Command:
    """Add --cluster and --certificates to a command, which gets a `ClusterAddress` or None as its `cluster`."""

    @wraps(command)
    def with_address(cluster: str | None, certificates: Path | None, **chosen: Any) -> Any:
        if certificates and not cluster:
            raise UserError("--certificates needs --cluster, the address of a scheduler.")
        return command(cluster=address(cluster, certificates) if cluster else None, **chosen)

    decorated: Any = certificates_option(with_address)
    return cluster_option(decorated)  # type: ignore[no-any-return]  # click decorates what wraps() made


def address(text: str, certificates: Path | None) -> Any:
    """Return the `ClusterAddress` of a scheduler such as "10.0.0.5:8786"."""
    from wordpl.contest.cluster.address import ClusterAddress, default_certificates

    return ClusterAddress(text, (certificates or default_certificates()).absolute())
