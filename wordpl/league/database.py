"""Opening the league database, SQLite or PostgreSQL, and statements in their dialects."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from wordpl.core.errors import UserError
from wordpl.league.schema import METADATA

_Item = TypeVar("_Item")
FORMAT = "wordpl_league_2"
"""The name of an empty table that marks a store of this schema."""
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
BUSY_S = 60
MAX_KEYS = 5_000
"""The maximum number of keys in one statement; SQLite 3.32 and later accept 32,766 parameters."""
_CREATION_LOCK = 0x776F7264


def open_database(url: str, create: bool = True) -> Engine:
    """Open the database at this URL.

    Args:
        url: `sqlite:///league.sqlite` (a file in the working directory), `postgresql://user@host/name` (a database on
            a server), or the path of a SQLite file.
        create: Whether to create a SQLite file that does not exist.

    Raises:
        UserError: The database cannot be opened.
    """
    parsed = _parse_url(url)
    if not create and is_missing_file(url):
        raise UserError(f"there is no store {parsed.database}: `wordpl league import FILE` creates one.")
    try:
        return _connect(parsed)
    except (DBAPIError, ModuleNotFoundError, NoSuchModuleError) as error:
        cause = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        url_shown = parsed.render_as_string(hide_password=True)
        raise UserError(f"cannot open the store {url_shown}: {cause}. {_advice(parsed)}") from None


def is_missing_file(url: str) -> bool:
    """Return whether the URL names a SQLite file that does not exist."""
    parsed = _parse_url(url)
    is_file = parsed.get_backend_name() == "sqlite" and parsed.database not in (None, "", ":memory:")
    return is_file and not Path(str(parsed.database)).exists()


def _connect(url: URL) -> Engine:
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_S} if "sqlite" in url.drivername else {})
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _configure_sqlite)
    try:
        with engine.begin() as connection:
            _create_tables(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _parse_url(url: str) -> URL:
    try:
        parsed = sa.make_url(url if "://" in url else f"sqlite:///{url}")
        return parsed.set(drivername=DRIVERS[parsed.drivername.partition("+")[0]])
    except (ArgumentError, ValueError, KeyError):
        scheme = url.partition("://")[0]  # the rest may contain a password
        raise UserError(
            f"a store's address cannot begin with {scheme[:40]!r}: use the path of a file, sqlite:///FILE or "
            "postgresql://USER@HOST/NAME."
        ) from None


def _advice(url: URL) -> str:
    if url.get_backend_name() == "sqlite":
        return "Its folder must exist, and the file must have been created by wordpl."
    return "Use postgresql://USER@HOST/NAME, with the password in PGPASSWORD or ~/.pgpass."


def _configure_sqlite(connection: DBAPIConnection, record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.execute("PRAGMA secure_delete = ON")  # what `forget` removes is overwritten
    cursor.close()


def _create_tables(connection: Connection) -> None:
    if sa.inspect(connection).has_table(FORMAT):
        return
    # If two programs open a new store at the same time, the second waits and finds the tables of the first.
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_CREATION_LOCK)))
    tables = sa.inspect(connection).get_table_names()
    if FORMAT not in tables and set(tables) & set(METADATA.tables):
        raise UserError("this store was created by another version of wordpl: read it with that version.")
    METADATA.create_all(connection)
    connection.exec_driver_sql(f"CREATE TABLE IF NOT EXISTS {FORMAT} (id INTEGER)")


def overwrite_deleted(engine: Engine) -> None:
    """Remove deleted rows from the files of the database, where they could still be found."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM")
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")


def insert(connection: Connection, table: sa.Table) -> "sqlite.Insert | postgresql.Insert":
    """Return an INSERT statement of the database's dialect, which supports ON CONFLICT clauses."""
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


def insert_all(connection: Connection, statement: sa.Insert, rows: Iterable[tuple[Any, ...]]) -> None:
    """Insert rows with a statement.

    Rows go to the driver directly: SQLAlchemy would spend more time on each than SQLite does.

    Args:
        connection: A connection in a transaction.
        statement: An INSERT statement with a bind parameter for each value of a row, in their order.
        rows: The rows, as tuples of values.
    """
    columns = [column.name for column in statement.table.columns]
    compiled = statement.compile(dialect=connection.dialect, column_keys=columns)
    if compiled.positional:
        connection.exec_driver_sql(str(compiled), list(rows))
    else:
        connection.exec_driver_sql(str(compiled), [dict(zip(columns, row, strict=True)) for row in rows])


def batched(items: Iterable[_Item], size: int = MAX_KEYS) -> Iterator[list[_Item]]:
    """Yield the items in lists of at most `size`."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
