"""A database by its URL: SQLite or PostgreSQL, its tables brought up to date when it is opened."""

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

_Thing = TypeVar("_Thing")
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
BUSY_S = 60
MAX_KEYS = 5_000
"""Keys asked for in one statement; every SQLite since 3.32 takes 32,766."""
_LOCK = 0x776F7264


def open_database(url: str) -> Engine:
    """Return the database at this URL, made or brought up to date. Raises UserError where that cannot be.

    sqlite:///league.sqlite is a file of the working directory, postgresql://user@host/name a database on a server; a
    plain path is a SQLite file.
    """
    parsed = _parsed(url)
    try:
        return _opened(parsed)
    except (DBAPIError, ModuleNotFoundError, NoSuchModuleError) as error:
        cause = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        shown = parsed.render_as_string(hide_password=True)
        raise UserError(f"cannot open the store {shown}: {cause}. {_advice(parsed)}") from None


def _opened(url: URL) -> Engine:
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_S} if "sqlite" in url.drivername else {})
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _on_sqlite)
    try:
        with engine.begin() as connection:
            _bring_up_to_date(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _parsed(url: str) -> URL:
    try:
        parsed = sa.make_url(url if "://" in url else f"sqlite:///{url}")
        return parsed.set(drivername=DRIVERS[parsed.drivername.partition("+")[0]])
    except (ArgumentError, ValueError, KeyError):
        scheme = url.partition("://")[0]  # what follows may hold a password
        raise UserError(
            f"a store's address cannot begin with {scheme[:40]!r}: use a file's path, sqlite:///FILE or "
            "postgresql://USER@HOST/NAME."
        ) from None


def _advice(url: URL) -> str:
    if url.get_backend_name() == "sqlite":
        return "Its folder should exist, and the file be one that wordpl made."
    return "Say postgresql://USER@HOST/NAME, with the password in PGPASSWORD or ~/.pgpass."


def _on_sqlite(connection: DBAPIConnection, record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = NORMAL")
    cursor.close()


def scripts() -> ScriptDirectory:
    """Return the migrations."""
    return ScriptDirectory(str(Path(migrations.__path__[0])))


def _bring_up_to_date(connection: Connection) -> None:
    found, context = scripts(), MigrationContext.configure(connection)
    if context.get_current_revision() == found.get_current_head():
        return
    # Two programs that open a new store at once take turns, and the second finds the first one's tables.
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))

    def missing(at: tuple[str, ...], _: MigrationContext) -> list[RevisionStep]:
        newer = reversed(list(found.iterate_revisions("head", at or "base")))
        return [RevisionStep(found.revision_map, script, True) for script in newer]

    try:
        context = MigrationContext.configure(connection, opts={"fn": missing})
        with Operations.context(context):
            context.run_migrations()
    except RevisionError:
        raise UserError("this store was made by a newer version of wordpl: update wordpl.") from None


def insert(connection: Connection, table: sa.Table) -> "sqlite.Insert | postgresql.Insert":
    """Return an insert that knows what to do on a conflict, in the database's own words."""
    return sqlite.insert(table) if connection.dialect.name == "sqlite" else postgresql.insert(table)


def insert_new(
    connection: Connection, table: sa.Table, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]
) -> None:
    """Insert the rows that the table does not have.

    The driver gets them as they are: SQLAlchemy would take longer over each than SQLite does.
    """
    statement = insert(connection, table).on_conflict_do_nothing()
    compiled = statement.compile(dialect=connection.dialect, column_keys=list(columns))
    if compiled.positional:
        connection.exec_driver_sql(str(compiled), list(rows))
    else:
        connection.exec_driver_sql(str(compiled), [dict(zip(columns, row, strict=True)) for row in rows])


def parts(things: Iterable[_Thing], size: int = MAX_KEYS) -> Iterator[list[_Thing]]:
    """Yield the things in lists of at most this many."""
    rest = iter(things)
    while part := list(islice(rest, size)):
        yield part
