"""The address of a cluster's scheduler, and the certificates by which host, scheduler and workers know each other."""

import os
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wordpl.core.messages import UserError

if TYPE_CHECKING:
    from cryptography import x509
    from distributed import Security

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


AUTHORITY, CERTIFICATE, KEY = "ca.pem", "cluster.pem", "cluster-key.pem"
NAME = "wordpl-cluster"
DAYS = 90
CLOCK_DIFFERENCE = timedelta(hours=1)


def make(folder: Path, days: int = DAYS) -> datetime:
    """Create the certificates of a new cluster, and return when they expire.

    Args:
        folder: The folder for the certificates.
        days: The number of days until they expire.

    Raises:
        UserError: The folder already has certificates, or is not writable.
    """
    require_extra()
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    until = (datetime.now(UTC) + timedelta(days=days)).replace(microsecond=0)
    authority = _certificate("wordpl cluster authority", authority_key, None, until)
    certificate = _certificate(NAME, key, (authority, authority_key), until)
    form = serialization.Encoding.PEM
    private = key.private_bytes(form, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, content in (
            (KEY, private),
            (CERTIFICATE, certificate.public_bytes(form)),
            (AUTHORITY, authority.public_bytes(form)),
        ):
            file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(file, "wb") as opened:
                opened.write(content)
    except FileExistsError:
        raise UserError(
            f"{folder} already has certificates. Use them, or remove the folder or choose another one to create new "
            "ones."
        ) from None
    except OSError as error:
        raise UserError(f"cannot write certificates to {folder}: {error.strerror}.") from None
    return until


def _certificate(name: str, key: Any, issuer: "tuple[x509.Certificate, Any] | None", until: datetime) -> Any:
    """Return a signed certificate.

    Args:
        name: The common name.
        key: The private key of the subject.
        issuer: The authority's certificate and key; None for the authority itself.
        until: The time of expiry.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import NameOID

    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    is_authority = issuer is None
    signer, signing_key = (subject, key) if issuer is None else (issuer[0].subject, issuer[1])
    usage = dict.fromkeys(
        (
            "content_commitment",
            "key_encipherment",
            "data_encipherment",
            "key_agreement",
            "encipher_only",
            "decipher_only",
        ),
        False,
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(datetime.now(UTC) - CLOCK_DIFFERENCE)
        .not_valid_after(until)
        .add_extension(x509.BasicConstraints(ca=is_authority, path_length=0 if is_authority else None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(signing_key.public_key()), critical=False)
        .add_extension(
            x509.KeyUsage(
                digital_signature=not is_authority, key_cert_sign=is_authority, crl_sign=is_authority, **usage
            ),
            critical=True,
        )
    )
    if not is_authority:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(NAME)]), critical=False)
    return builder.sign(signing_key, hashes.SHA256())


def security(folder: Path) -> "Security":
    """Return dask's security settings: all connections are encrypted and mutually authenticated.

    Raises:
        UserError: The folder has no certificates, other users may read the key, or the certificates have expired.
    """
    require_extra()
    from distributed import Security

    _check(folder)
    certificate, key = str(folder / CERTIFICATE), str(folder / KEY)
    roles = {f"tls_{role}_{part}": path for role in ("client", "scheduler", "worker")
             for part, path in (("cert", certificate), ("key", key))}  # fmt: skip
    return Security(tls_ca_file=str(folder / AUTHORITY), require_encryption=True, tls_min_version=771, **roles)


def _check(folder: Path) -> None:
    from cryptography import x509

    try:
        mode = (folder / KEY).stat().st_mode
        certificate = x509.load_pem_x509_certificate((folder / CERTIFICATE).read_bytes())
        (folder / AUTHORITY).read_bytes()
    except (OSError, ValueError) as error:
        raise UserError(
            f"{folder} has no cluster certificates ({error}): create them once with `wordpl cluster certificates`, and "
            "copy the folder to each machine."
        ) from None
    if mode & 0o077:
        raise UserError(f"other users can read {folder / KEY}: run `chmod 600` on it, or create new certificates.")
    if certificate.not_valid_after_utc < datetime.now(UTC):
        raise UserError(
            f"the certificates in {folder} expired on {certificate.not_valid_after_utc:%Y-%m-%d}: create new ones in "
            "another folder with `wordpl cluster certificates`, and copy it to each machine."
        )
