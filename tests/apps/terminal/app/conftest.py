"""Fixtures of the app's tests: a worker for each file, and empty user folders."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from wordpl.apps.terminal.app.worker import WorkerClient

FOLDERS = ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME")


@pytest.fixture(autouse=True)
def _own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in FOLDERS:
        monkeypatch.setenv(name, str(tmp_path / name))


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkerClient]:
    log = tmp_path_factory.mktemp("worker") / "log"
    client = WorkerClient(log)
    yield client
    client.stop()
    errors = log.read_text()
    assert "Traceback" not in errors, errors
