"""The ports of a cluster take nothing from whoever has no certificate of it, and its members still reach them."""

import socket
import ssl
import struct
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("distributed", reason='needs pip install "wordpl[cluster]"')
from distributed import Client

from tests.helpers.clusters import Cluster, first_line
from wordpl.contest.cluster import certificates

N_EACH = 20
"""Connections of each kind of attack, at the same time; all of them are on loopback."""
WAIT_S = 1.5
REFUSALS = (b"HTTP/1.1 4", b"\x15\x03")
"""What a port may answer to whom it does not know: a page that is not there, or an alert of TLS."""
MAX_GROWTH_MIB = 150


LISTENS = "0A"
"""The state of a listening socket in /proc/net/tcp."""


@pytest.fixture
def cluster(tmp_path):
    with Cluster(tmp_path) as started:
        started.start_scheduler()
        first_line(started.start_worker("one"))
        yield started


def listening(process) -> dict[int, str]:
    """Return the ports on which a process listens, with their addresses as the kernel writes them."""
    sockets = set()
    for descriptor in Path(f"/proc/{process.pid}/fd").iterdir():
        with suppress(OSError):
            sockets.add(str(descriptor.readlink()).removeprefix("socket:[").removesuffix("]"))
    found = {}
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{process.pid}/net/{table}").read_text().splitlines()[1:]:
            (
                _,
                local,
                _,
                state,
                *_,
            ) = line.split()
            if state == LISTENS and line.split()[9] in sockets:
                address, _, port = local.partition(":")
                found[int(port, 16)] = address
    return found


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
    """Return what the port answers to these bytes within WAIT_S; nothing if it closes the connection."""
    received = b""
    with suppress(OSError, ssl.SSLError):
        plain = socket.create_connection(("127.0.0.1", port), timeout=WAIT_S)
        with plain, plain if how is None else how.wrap_socket(plain) as connection:
            connection.sendall(data)
            while part := connection.recv(1 << 16):
                received += part
    return received


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_attackers_get_nothing_from_the_ports_of_a_cluster_and_stop_nobody(cluster, tmp_path):
    certificates.make(tmp_path / "others")
    forged, without = context(tmp_path / "others"), context(None)
    huge = struct.pack("<QQQ", 2, 1 << 62, 1 << 62) + b"x" * 1000  # frames of 4 EiB
    many = struct.pack("<Q", 1 << 60)
    request = b"GET /info/main/workers.html HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    processes = [cluster.scheduler, cluster.workers["one"]]
    before = [resident_mib(process) for process in processes]
    ports = [port for process in processes for port in listening(process)]
    assert len(ports) >= 2, "one of the scheduler and one of the worker"
    idle = [socket.create_connection(("127.0.0.1", port)) for port in ports for _ in range(100)]
    try:
        for port, pool in ((port, ThreadPoolExecutor(N_EACH)) for port in ports):
            for data in (huge, many, request, b"\x80" * 5000, b"\x16\x03\x01\xff\xff" + bytes(5000)):
                for how in (None, without, forged):
                    for reply in set(pool.map(answer, [port] * N_EACH, [data] * N_EACH, [how] * N_EACH)):
                        assert not reply or (how is None and reply.startswith(REFUSALS)), port
                        assert not [word for word in (b"scheduler", b"Traceback", b"tls://") if word in reply]
        with Client(
            f"tls://127.0.0.1:{cluster.port}", security=certificates.security(cluster.certificates), timeout=60
        ) as member:
            assert len(member.scheduler_info()["workers"]) == 1
            assert member.submit(sum, [1, 2]).result(timeout=60) == 3
    finally:
        for connection in idle:
            connection.close()
    assert [process.poll() for process in processes] == [None, None]
    for process, start in zip(processes, before, strict=True):
        assert resident_mib(process) < start + MAX_GROWTH_MIB


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_ports_without_certificates_are_open_to_the_same_machine_only(cluster):
    for process in (cluster.scheduler, cluster.workers["one"]):
        ports = listening(process)
        encrypted = []
        for port, address in ports.items():
            with (
                suppress(OSError, ssl.SSLError),
                socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as plain,
            ):
                context(cluster.certificates).wrap_socket(plain).close()
                encrypted.append(port)
            assert port in encrypted or address == "0100007F", f"{port} listens on {address}"
        assert encrypted
