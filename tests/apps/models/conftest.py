"""A model that plays through a scripted server, and a contest of it with a bundled strategy."""

from pathlib import Path

import msgspec
import pytest

from tests.helpers.model_server import ModelServer
from wordpl.apps.models import client
from wordpl.apps.models.endpoints import HOST, HostTerms
from wordpl.contest import Contest
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run

ENTRY = 'game = "{game}"\n[model]\nendpoint = "local"\nmodel = "m"\ntemperature = 0\n'


@pytest.fixture(autouse=True)
def host(monkeypatch, tmp_path):
    """The host of this process, who has said nothing yet."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setattr(client, "FIRST_DELAY_S", 0.01)  # no test waits for an endpoint to recover
    for name, value in vars(HostTerms()).items():
        monkeypatch.setattr(HOST, name, value)
    return HOST


def entry(folder: Path, more: str = "", game: str = "wordle/1", name: str = "my_model") -> Path:
    """Return the file of a model."""
    file = folder / f"{name}.toml"
    file.write_text(ENTRY.format(game=game) + more)
    return file


def contest(folder: Path, server: ModelServer, *entries, n_games: int = 20, **config) -> Contest:
    """Return a contest of models and strategies, whose endpoint is this server."""
    HOST.bind("local", server.url, **config.pop("endpoint", {}))
    settings = {"n_games": n_games, "seed": "seven", "repeats": 0, "level": "D", "results": folder / "results"}
    return Contest(RunConfig(**settings | config), [str(one) for one in entries], jobs=1)


def lines(run: Run, number: int = 0) -> list[bytes]:
    """Return the lines of the records of an entry."""
    return run.entries[number].records_path.read_bytes().splitlines()


def games(run: Run, number: int = 0) -> list[tuple]:
    """Return what happened in the games of an entry, without what an endpoint counted."""
    return [msgspec.structs.astuple(record)[:5] for record in run.entries[number].read()]
