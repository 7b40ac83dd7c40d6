"""The ports of a cluster take nothing from whoever has no certificate of it, and its members still reach them."""

import socket
import ssl
import struct
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason='needs pip install "wordpl[cluster]"')
from distributed import Client

from tests.helpers.clusters import Cluster
from wordpl.contest.cluster import certificates

N_EACH = 20
"""Connections of each kind of attack; all of them are on loopback."""
MAX_GROWTH_MIB = 150


@pytest.fixture
def cluster(tmp_path):
    with Cluster(tmp_path) as started:
        started.start_scheduler()
        yield started


def resident_mib(process) -> int:
    """Return the memory of a process."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) >> 10


def context(folder: Path | None) -> ssl.SSLContext:
    """Return how an attacker connects: with the certificates in a folder, or without any."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    if folder is not None:
        context.load_cert_chain(folder / certificates.CERTIFICATE, folder / certificates.KEY)
    return context


def answer(port: int, data: bytes, how: ssl.SSLContext | None = None) -> bytes:
    """Return what the port answers to these bytes; nothing if it closes the connection."""
    try:
        plain = socket.create_connection(("127.0.0.1", port), timeout=20)
        with plain, plain if how is None else how.wrap_socket(plain) as connection:
            connection.sendall(data)
            received = b""
            while part := connection.recv(1 << 16):
                received += part
            return received
    except (OSError, ssl.SSLError):
        return b""


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_attackers_get_nothing_from_the_ports_of_a_cluster_and_stop_nobody(cluster, tmp_path):
    certificates.make(tmp_path / "others")
    forged, without = context(tmp_path / "others"), context(None)
    huge = struct.pack("<QQQ", 2, 1 << 62, 1 << 62) + b"x" * 1000  # frames of 4 EiB
    many = struct.pack("<Q", 1 << 60)
    before = resident_mib(cluster.scheduler)
    idle = [socket.create_connection(("127.0.0.1", cluster.port)) for _ in range(100)]
    try:
        for data in (huge, many, b"GET / HTTP/1.1\r\n\r\n", b"\x80" * 5000, b"\x16\x03\x01\xff\xff" + bytes(5000)):
            for how in (None, without, forged):
                replies = {answer(cluster.port, data, how) for _ in range(N_EACH // 5)}
                assert not [reply for reply in replies if b"scheduler" in reply or b"Traceback" in reply]
                if how is not None:
                    assert replies == {b""}
        with Client(
            f"tls://127.0.0.1:{cluster.port}", security=certificates.security(cluster.certificates), timeout=60
        ) as member:
            assert member.scheduler_info()["workers"] == {}
    finally:
        for connection in idle:
            connection.close()
    assert cluster.scheduler.poll() is None
    assert resident_mib(cluster.scheduler) < before + MAX_GROWTH_MIB
