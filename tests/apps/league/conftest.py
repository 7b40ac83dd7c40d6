"""Fixtures of the league's tests: a store in each kind of database."""

import os
import pwd
import shutil
import subprocess
from contextlib import closing
from pathlib import Path
from tempfile import mkdtemp

import pytest

from tests.helpers.messages import with_names
from wordpl.apps.league.store import LeagueStore

SWITCH = "WORDPL_POSTGRES"
SERVER_USER = "postgres"


def find_programs():
    """Return the folder of PostgreSQL's programs, or None."""
    initdb = shutil.which("initdb")
    folders = [Path(initdb).parent] if initdb else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders else None


@pytest.fixture(scope="session")
def postgresql(tmp_path_factory):
    """Return the URL of a database on a new local server, which runs as a user other than root."""
    folder = find_programs()
    if folder is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    if os.environ.get(SWITCH) != "1":
        pytest.skip(f"needs {SWITCH}=1, as in .ci/long")
    run_as, home = [], Path(mkdtemp(prefix="wordpl-"))  # the path of a socket must be short
    if os.geteuid() == 0:
        user = pwd.getpwnam(SERVER_USER)
        os.chown(home, user.pw_uid, user.pw_gid)
        run_as = ["runuser", "-u", SERVER_USER, "--"]
    data, log = home / "data", home / "log"
    start = [
        folder / "pg_ctl",
        "-D",
        data,
        "-l",
        log,
        "-w",
        "-t",
        "120",
        "start",
        "-o",
        f"-k {home} -c listen_addresses=",
    ]
    try:
        run([*run_as, folder / "initdb", "-D", data, "-A", "trust", "-U", "wordpl", "-E", "UTF8", "--no-sync"], home)
        run([*run_as, *start], home)
        yield f"postgresql://wordpl@/postgres?host={home}"
        run([*run_as, folder / "pg_ctl", "-D", data, "-m", "immediate", "stop"], home)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def run(command, folder):
    process = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=folder, timeout=180)
    assert process.returncode == 0, process.stdout + process.stderr


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    """Return the URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'league.sqlite'}"
    return empty(request.getfixturevalue("postgresql"))


def empty(url):
    """Empty a PostgreSQL database and return its URL."""
    import psycopg

    with psycopg.connect(url) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return url


@pytest.fixture(scope="session")
def one_store():
    with closing(LeagueStore("sqlite://")) as store:
        yield store


@pytest.fixture
def memory_store(one_store):
    """Return an empty store in memory, as a trial that is taken back: new stores compile each statement anew."""
    with one_store.trial() as store:
        yield store


@pytest.fixture
def store(request, url):
    if url.startswith("sqlite"):
        yield request.getfixturevalue("memory_store")
    else:
        with closing(LeagueStore(url)) as store:
            yield store


@pytest.fixture(scope="session")
def exports(tmp_path_factory):
    """Return a folder of exports; names_local_time.json is that of ids_utc.json with other options."""
    folder = shutil.copytree(Path(__file__).parent / "data", tmp_path_factory.mktemp("exports") / "data")
    (folder / "names_local_time.json").write_text(with_names((folder / "ids_utc.json").read_text()))
    return folder
