"""The database of the server survives whatever ends the server."""

import secrets

import pytest

from wordpl.apps.web.store import GameStore
from wordpl.core.messages import UserError


def test_only_the_host_can_read_the_database(tmp_path):
    path = tmp_path / "games.sqlite"
    store = GameStore(path)
    assert {file.stat().st_mode & 0o777 for file in tmp_path.iterdir()} == {0o600}
    store.close()
    with pytest.raises(UserError, match="cannot use the database"):
        GameStore(tmp_path / "none" / "games.sqlite")


def test_a_server_that_is_killed_while_it_creates_its_database_can_be_started_again(tmp_path, monkeypatch):
    path = tmp_path / "games.sqlite"

    def killed(n_bytes):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(secrets, "token_hex", killed)
        GameStore(path)
    store = GameStore(path)
    key = store.key
    store.close()
    store = GameStore(path)
    assert store.key == key
    store.close()
