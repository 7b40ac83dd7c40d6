"""Opening the league database, SQLite or PostgreSQL, and migrating its schema to the current version."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext, RevisionStep
from alembic.script import ScriptDirectory
from alembic.script.revision import RevisionError
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from wordpl.core.errors import UserError
from wordpl.league import migrations

_Item = TypeVar("_Item")
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
BUSY_S = 60
MAX_KEYS = 5_000
"""The maximum number of keys in one statement; SQLite 3.32 and later accept 32,766 parameters."""
_MIGRATION_LOCK = 0x776F7264


def open_database(url: str) -> Engine:
    """Open the database at this URL, after creating it or migrating it to the current schema.

    Args:
        url: `sqlite:///league.sqlite` (a file in the working directory), `postgresql://user@host/name` (a database on
            a server), or the path of a SQLite file.

    Raises:
        UserError: The database cannot be opened.
    """
    parsed = _parse_url(url)
    try:
        return _connect(parsed)
    except (DBAPIError, ModuleNotFoundError, NoSuchModuleError) as error:
        cause = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        url_shown = parsed.render_as_string(hide_password=True)
        raise UserError(f"cannot open the store {url_shown}: {cause}. {_advice(parsed)}") from None


def _connect(url: URL) -> Engine:
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_S} if "sqlite" in url.drivername else {})
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _configure_sqlite)
    try:
        with engine.begin() as connection:
            _migrate(connection)
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
    cursor.close()


def migration_scripts() -> ScriptDirectory:
    """Return the schema migrations."""
    return ScriptDirectory(str(Path(migrations.__path__[0])))


def _migrate(connection: Connection) -> None:
    scripts, context = migration_scripts(), MigrationContext.configure(connection)
    if context.get_current_revision() == scripts.get_current_head():
        return
    # If two programs open a new store at the same time, the second waits and finds the tables of the first.
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_MIGRATION_LOCK)))

    def missing(revisions: tuple[str, ...], _: MigrationContext) -> list[RevisionStep]:
        newer = reversed(list(scripts.iterate_revisions("head", revisions or "base")))
        return [RevisionStep(scripts.revision_map, script, True) for script in newer]

    try:
        context = MigrationContext.configure(connection, opts={"fn": missing})
        with Operations.context(context):
            context.run_migrations()
    except RevisionError:
        raise UserError("this store was created by a newer version of wordpl: update wordpl.") from None


def insert(connection: Connection, table: sa.Table) -> "sqlite.Insert | postgresql.Insert":
    """Return an INSERT statement of the database's dialect, which supports ON CONFLICT clauses."""
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


def insert_new(
    connection: Connection, table: sa.Table, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """Insert rows and skip those whose primary key is already in the table.

    Rows go to the driver directly: SQLAlchemy would spend more time on each than SQLite does.

    Args:
        connection: A connection in a transaction.
        table: The table.
        columns: The names of the columns of each row.
        rows: The rows, as tuples of values.
    """
    statement = insert(connection, table).on_conflict_do_nothing()
    compiled = statement.compile(dialect=connection.dialect, column_keys=list(columns))
    if compiled.positional:
        connection.exec_driver_sql(str(compiled), list(rows))
    else:
        connection.exec_driver_sql(str(compiled), [dict(zip(columns, row, strict=True)) for row in rows])


def batched(items: Iterable[_Item], size: int = MAX_KEYS) -> Iterator[list[_Item]]:
    """Yield the items in lists of at most `size`."""
    remaining = iter(items)
    while batch := list(islice(remaining, size)):
        yield batch
