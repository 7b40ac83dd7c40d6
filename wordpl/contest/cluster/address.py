"""The address of a cluster's scheduler, with the certificates of the cluster."""

import os
import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from wordpl.core.errors import UserError

DEFAULT_PORT = 8786
_ADDRESS = re.compile(r"(?:tls://)?(?P<host>\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+)(?::(?P<port>\d{1,5}))?")


def default_certificates() -> Path:
    """Return the default folder for certificates."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(config) if config and Path(config).is_absolute() else Path.home() / ".config") / "wordpl" / "cluster"


@dataclass(frozen=True)
class ClusterAddress:
    """The address of a cluster's scheduler.

    Attributes:
        text: Host and port, such as "10.0.0.5:8786" or "tls://10.0.0.5".
        certificates: The folder with the certificates that `wordpl cluster certificates` created.
    """

    text: str
    certificates: Path = field(default_factory=default_certificates)

    def __post_init__(self) -> None:
        """Check the address.

        Raises:
            UserError: It is not valid.
        """
        match = _ADDRESS.fullmatch(self.text)
        if match is None or int(match["port"] or DEFAULT_PORT) > 65_535:
            raise UserError(
                f"{self.text!r} is not the address of a scheduler: it should be HOST:PORT, such as "
                f"10.0.0.5:{DEFAULT_PORT}. Connections are always encrypted (tls://)."
            )

    @property
    def url(self) -> str:
        """The address as a URL for dask."""
        match = _ADDRESS.fullmatch(self.text)
        assert match is not None  # checked on creation
        return f"tls://{match['host']}:{match['port'] or DEFAULT_PORT}"


def require_extra() -> None:
    """Check that the packages of the extra `cluster` are installed.

    Raises:
        UserError: A package is missing.
    """
    missing = [name for name in ("distributed", "cryptography") if find_spec(name) is None]
    if missing:
        raise UserError(f'a cluster needs {" and ".join(missing)}: pip install "wordpl[cluster]"')
