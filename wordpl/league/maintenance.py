"""Backup, restore and copy of a store, verified with a digest of its content."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from wordpl.core.messages import UserError
from wordpl.league.database import METADATA, open_database

BATCH_ROWS = 5_000


def backup(url: str, file: Path) -> str:
    """Copy the store to a SQLite file and return the digest of its content. The store may be in use.

    Args:
        url: The store.
        file: The backup, which must not exist yet.

    Raises:
        UserError: The file exists or cannot be written.
    """
    if file.exists():
        raise UserError(f"{file} already exists: give the backup another name.")
    draft = file.with_name(f".{file.name}.new")
    draft.unlink(missing_ok=True)
    try:
        digest = copy_store(url, f"sqlite:///{draft}")
        with closing(sqlite3.connect(draft)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # a single file, without a write-ahead log
        draft.replace(file)
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"cannot write {file}: {error}.") from None
    finally:
        for path in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            path.unlink(missing_ok=True)
    return digest


def restore(file: Path, url: str) -> str:
    """Copy a backup into an empty store and return the digest of its content.

    Raises:
        UserError: The backup cannot be read, or the store is not empty.
    """
    if not os.access(file, os.R_OK):
        raise UserError(f"cannot read the backup {file}.")
    return copy_store(f"sqlite:///{file}", url)


def copy_store(source: str, target: str) -> str:
    """Copy a store into an empty one and return the digest of their content.

    Each store may be a SQLite or a PostgreSQL database. The copy reads one snapshot and writes one transaction.

    Raises:
        UserError: The target is not empty, or the digests differ.
    """
    engines = open_database(source, create=False), open_database(target)
    try:
        return _copy(*engines)
    finally:
        for engine in engines:
            engine.dispose()


def digest(url: str) -> str:
    """Return the digest of a store's content, which is the same for the same leagues in SQLite and in PostgreSQL."""
    engine = open_database(url, create=False)
    try:
        with _snapshot(engine) as connection:
            return _digest(connection)
    finally:
        engine.dispose()


def _copy(source: Engine, target: Engine) -> str:
    with _snapshot(source) as source_connection, target.begin() as target_connection:
        for table in METADATA.sorted_tables:
            if target_connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one():
                raise UserError("the target store is not empty: give a new file or an empty database.")
        for table in METADATA.sorted_tables:
            _copy_table(source_connection, target_connection, table)
        _advance_sequences(target_connection)
        original, copied = _digest(source_connection), _digest(target_connection)
        if original != copied:
            raise UserError(
                f"the copy differs from the store (digest {copied[:12]}, not {original[:12]}): nothing was saved."
            )
    return original


def _snapshot(engine: Engine) -> Connection:
    """Return a connection that sees a snapshot of the store, unaffected by concurrent writes."""
    connection = engine.connect()
    if engine.dialect.name == "postgresql":
        return connection.execution_options(isolation_level="REPEATABLE READ")
    connection.exec_driver_sql("BEGIN")  # Python's driver would begin a transaction at the first write only
    return connection


def _copy_table(source_connection: Connection, target_connection: Connection, table: sa.Table) -> None:
    order = list(table.primary_key.columns)
    rows = source_connection.execution_options(yield_per=BATCH_ROWS).execute(sa.select(table).order_by(*order))
    for part in rows.mappings().partitions(BATCH_ROWS):
        target_connection.execute(sa.insert(table), [dict(row) for row in part])


def _advance_sequences(connection: Connection) -> None:
    """Make PostgreSQL number new rows after those that were copied."""
    if connection.dialect.name != "postgresql":
        return
    for table in METADATA.sorted_tables:
        columns = list(table.primary_key.columns)
        if [column.name for column in columns] == ["id"]:
            newest = f"SELECT COALESCE(MAX(id), 0) + 1 FROM {table.name}"
            connection.exec_driver_sql(
                f"SELECT setval(pg_get_serial_sequence('{table.name}', 'id'), ({newest}), false)"
            )


def _digest(connection: Connection) -> str:
    hash_state = blake2b(digest_size=16)
    for table in METADATA.sorted_tables:
        rows = sorted(msgspec.json.encode(row) for row in _rows(connection, table))
        hash_state.update(table.name.encode() + b"\n" + b"\n".join(rows) + b"\n\n")
    return hash_state.hexdigest()


def _rows(connection: Connection, table: sa.Table) -> Iterator[list[object]]:
    for row in connection.execution_options(yield_per=BATCH_ROWS).execute(sa.select(table)):
        yield [int(value) if isinstance(value, bool) else value for value in row]
