"""Where a cluster's scheduler is, and the certificates that prove who belongs to it."""

import os
import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from wordpl.core.errors import UserError

DEFAULT_PORT = 8786
_ADDRESS = re.compile(r"(?:tls://)?(?P<host>\[[0-9a-fA-F:]+\]|[A-Za-z0-9._-]+)(?::(?P<port>\d{1,5}))?")


def default_certificates() -> Path:
    """Return the folder in which certificates are kept unless another is named."""
    config = os.environ.get("XDG_CONFIG_HOME", "")
    return (Path(config) if config and Path(config).is_absolute() else Path.home() / ".config") / "wordpl" / "cluster"


@dataclass(frozen=True)
class ClusterAddress:
    """Where a cluster's scheduler is.

    Attributes:
        text: Host and port, such as "10.0.0.5:8786" or "tls://10.0.0.5".
        certificates: The folder that `wordpl cluster certificates` made.
    """

    text: str
    certificates: Path = field(default_factory=default_certificates)

    def __post_init__(self) -> None:
        """Check the address; raise UserError where it is none."""
        match = _ADDRESS.fullmatch(self.text)
        if match is None or int(match["port"] or DEFAULT_PORT) > 65_535:
            raise UserError(
                f"{self.text!r} is no address of a scheduler: it should be HOST:PORT, such as 10.0.0.5:{DEFAULT_PORT}. "
                "Connections are always encrypted, by tls://."
            )

    @property
    def url(self) -> str:
        """The address as dask writes it."""
        match = _ADDRESS.fullmatch(self.text)
        assert match is not None  # checked when it was made
        return f"tls://{match['host']}:{match['port'] or DEFAULT_PORT}"


def require_extra() -> None:
    """Raise UserError unless what the extra brings is installed."""
    missing = [name for name in ("distributed", "cryptography") if find_spec(name) is None]
    if missing:
        raise UserError(f'a cluster needs {" and ".join(missing)}: pip install "wordpl[cluster]"')
