"""The league database, SQLite or PostgreSQL: its tables, how it is opened, and verified copies and backups of it."""

import os
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.types import TypeEngine

from wordpl.core.files import draft_of, put_in_place, temporary_folder
from wordpl.core.messages import UserError

METADATA = sa.MetaData()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_Columns = dict[str, type[TypeEngine[Any]]]
_PUZZLES: _Columns = {"first_number": sa.Integer, "last_number": sa.Integer}


def _league_id(**settings: Any) -> sa.Column[Any]:
    return sa.Column("league_id", sa.ForeignKey("leagues.id"), **settings)


def _key_columns(names: _Columns) -> Iterator[sa.Column[Any]]:
    return (sa.Column(name, kind, primary_key=True) for name, kind in names.items())


def _value_columns(names: _Columns) -> Iterator[sa.Column[Any]]:
    return (sa.Column(name, kind, nullable=False) for name, kind in names.items())


def _table(name: str, keys: _Columns, values: _Columns | None = None) -> sa.Table:
    """Return a table whose rows belong to a league, in which the keys identify them."""
    return sa.Table(name, METADATA, _league_id(primary_key=True), *_key_columns(keys), *_value_columns(values or {}))


leagues = sa.Table(
    "leagues",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("key", sa.Text, nullable=False, unique=True),
    *_value_columns({"name": sa.Text, "named": sa.BigInteger}),
    sa.Column(
        "changes", sa.BigInteger, nullable=False, server_default="0"
    ),  # how often anything in the league was written
    sa.Column("zone", sa.Text, nullable=False, server_default=""),  # "": not chosen yet
    sa.Column("x_is_seven", sa.Boolean, nullable=False, server_default=sa.true()),
    sa.Column("deadline_days", sa.SmallInteger, nullable=False, server_default="1"),
    sa.Column("missed", sa.SmallInteger, nullable=False, server_default="0"),  # guesses that a missed day counts as
    sa.Column("salt", sa.Text, nullable=False),  # of the digests in `forgotten`
)
people = sa.Table(
    "people",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _league_id(nullable=False),
    *_value_columns({"key": sa.Text, "is_id": sa.Boolean}),
    sa.UniqueConstraint("league_id", "key", "is_id", name="one_person"),
)
posts = sa.Table(
    "posts",
    METADATA,
    sa.Column("id", sa.Integer, primary_key=True),
    _league_id(nullable=False),
    *_value_columns({"source": sa.Text, "key": sa.Text, "channel": sa.Text}),
    sa.Column("posted", sa.BigInteger),
    *_value_columns({"version": sa.Text, "day_from": sa.Integer}),
    sa.Column("number", sa.Integer),  # of a summary's picture or title
    sa.Column("number_version", sa.Text, nullable=False),  # version of the post from which the number was read
    sa.Column("is_local", sa.Boolean, nullable=False),  # whether results.reported is a wall-clock time
    sa.Column("import_number", sa.Integer),  # of the import that brought it
    sa.UniqueConstraint("league_id", "source", "key", name="one_post"),
)
results = sa.Table(
    "results",
    METADATA,
    sa.Column("post_id", sa.ForeignKey("posts.id"), primary_key=True),
    sa.Column("person_id", sa.ForeignKey("people.id"), primary_key=True),
    *_key_columns({"number": sa.Integer, "guesses": sa.SmallInteger}),
    *_value_columns({"hard": sa.Boolean, "grid": sa.Text}),
    sa.Column("reported", sa.BigInteger),  # when a version of the post first said so; set only for share texts
    sa.Column("is_current", sa.Boolean, nullable=False),  # whether the newest version of the post says so
    sa.Column("import_number", sa.Integer),
    sqlite_with_rowid=False,
)
unread = _table("unread", {"channel": sa.Text, "message": sa.BigInteger})
for _name in ("author", "why"):
    unread.append_column(sa.Column(_name, sa.Text, nullable=False, server_default=""))
progress = _table(
    "progress", {"channel": sa.Text}, {"newest": sa.BigInteger, "oldest": sa.BigInteger, "complete": sa.Boolean}
)
accepted = _table(
    "accepted",
    {"person": sa.Text, "is_id": sa.Boolean, "number": sa.Integer},
    {"actor": sa.Text, "made": sa.BigInteger},
)
sightings = _table("sightings", {"person": sa.Text, "name": sa.Text, "shown": sa.Boolean}, {"seen": sa.BigInteger})
sightings.append_column(sa.Column("import_number", sa.Integer))
members = _table(
    "members",
    {"person": sa.Text},
    {"nickname": sa.Text, "global_name": sa.Text, "account": sa.Text, "seen": sa.BigInteger},
)
choices = _table("choices", {"person": sa.Text, "is_id": sa.Boolean, "choice": sa.Text})
forgotten = _table("forgotten", {"digest": sa.Text}, _PUZZLES)
aliases = _table(
    "aliases", {"name": sa.Text, "first_number": sa.Integer}, {"last_number": sa.Integer, "player": sa.Text}
)
alias_changes = _table(
    "alias_changes",
    {"number": sa.Integer},
    {
        "made": sa.BigInteger,
        "actor": sa.Text,
        "action": sa.Text,
        "added": sa.Boolean,
        "name": sa.Text,
        "player": sa.Text,
    }
    | _PUZZLES
    | {"undone": sa.Boolean},
)
answers = _table("answers", {"number": sa.Integer}, {"word": sa.Text})
schedules = _table(  # `minute` is that of the day in the time zone
    "schedules", {"kind": sa.Text}, {"channel": sa.Text, "minute": sa.Integer, "zone": sa.Text, "since": sa.BigInteger}
)
announcements = _table(
    "announcements",
    {"kind": sa.Text, "period": sa.Text},
    {"state": sa.Text, "channel": sa.Text, "claimed": sa.BigInteger, "message": sa.Text},
)
imports = _table(
    "imports",
    {"number": sa.Integer},
    {"made": sa.BigInteger, "actor": sa.Text, "files": sa.Text, "undone": sa.Boolean},
)
replaced = _table(  # what an import changed in posts that were there: JSON, see `imports.py`
    "replaced", {"number": sa.Integer, "post_id": sa.Integer}, {"before": sa.Text}
)


def to_ms(moment: datetime) -> int:
    """Return a time in milliseconds since 1970, as the tables store it."""
    return (moment - _EPOCH) // timedelta(milliseconds=1)


def from_ms(stored: int) -> datetime:
    """Return the time of a stored number of milliseconds since 1970, in UTC."""
    return _EPOCH + timedelta(milliseconds=stored)


_Item = TypeVar("_Item")
FORMAT = "wordpl_league_2"
"""The name of an empty table that marks a store of this schema."""
DRIVERS = {"sqlite": "sqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
BUSY_S = 60
DAMAGE = ("malformed", "file is not a database", "file is encrypted", "database corruption", "unsupported file format")
"""What SQLite says of a damaged file."""
UNWRITTEN = ("database or disk is full", "disk I/O error")
"""What SQLite says of a disk that takes nothing more."""
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
    except UnicodeDecodeError as error:
        raise_damaged(str(error), parsed.database or "")
    except (DBAPIError, ModuleNotFoundError, NoSuchModuleError) as error:
        cause = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        url_shown = parsed.render_as_string(hide_password=True)
        advice = "Use postgresql://USER@HOST/NAME, with the password in PGPASSWORD or ~/.pgpass."
        if parsed.get_backend_name() == "sqlite":
            advice = "Its folder must exist, and the file must have been created by wordpl."
        raise UserError(f"cannot open the store {url_shown}: {cause}. {advice}") from None


def raise_if_damaged(error: BaseException, database: str) -> None:
    """Raise UserError if a SQLite file is damaged or cannot be written: it says what to do."""
    cause = str(error).strip().partition("\n")[0]
    if any(sign in cause for sign in DAMAGE):
        raise_damaged(cause, database)
    if any(sign in cause for sign in UNWRITTEN):
        raise UserError(
            f"cannot write the store {database}: {cause}. Nothing of this step was stored, and all before it was: "
            "free some disk space, or check the disk, and repeat the command."
        ) from None


def raise_damaged(cause: str, database: str) -> NoReturn:
    """Raise the UserError that says what to do about a damaged file."""
    raise UserError(
        f"cannot open the store {database}: {cause}. It is damaged, or no store. Restore your newest backup into a "
        "new file: `wordpl league restore BACKUP --store new.sqlite`. Without a backup, `wordpl league backup FILE "
        f"--store {database}` saves the store if all of it can still be read; if not, import the exports into a "
        "new store, or run /sync again."
    ) from None


def is_missing_file(url: str) -> bool:
    """Return whether the URL names a SQLite file that does not exist."""
    parsed = _parse_url(url)
    is_file = parsed.get_backend_name() == "sqlite" and parsed.database not in (None, "", ":memory:")
    return is_file and not Path(str(parsed.database)).exists()


def _connect(url: URL) -> Engine:
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_S} if "sqlite" in url.drivername else {})
    if engine.dialect.name == "sqlite":
        sa.event.listen(engine, "connect", _configure_sqlite)
        sa.event.listen(
            engine, "handle_error", lambda context: raise_if_damaged(context.original_exception, url.database or "")
        )
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


def _configure_sqlite(connection: DBAPIConnection, record: object) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA foreign_keys = ON")
    cursor.execute("PRAGMA journal_mode = WAL")
    cursor.execute("PRAGMA synchronous = FULL")  # what was forgotten or announced stays so after a power cut
    cursor.execute("PRAGMA secure_delete = ON")  # what `forget` removes is overwritten
    cursor.close()


def _create_tables(connection: Connection) -> None:
    """Create the tables of a new store, and add to an older store what it lacks."""
    tables = sa.inspect(connection).get_table_names()
    if {FORMAT, replaced.name} <= set(tables):
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
    for table in METADATA.sorted_tables if FORMAT in tables else ():
        present = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
        for column in table.columns:
            if column.name not in present:
                declaration = sa.schema.CreateColumn(column).compile(dialect=connection.dialect)
                connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {declaration}")
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


def upsert(connection: Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows with the same columns; each replaces the values of a stored row with the same key."""
    if rows:
        statement, keys = insert(connection, table), [column.name for column in table.primary_key]
        values = {name: statement.excluded[name] for name in rows[0] if name not in keys}
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=values), rows)


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
    named = (row if compiled.positional else dict(zip(columns, row, strict=True)) for row in rows)
    connection.exec_driver_sql(str(compiled), list(named))


def batched(items: Iterable[_Item]) -> Iterator[list[_Item]]:
    """Yield the items in lists of at most MAX_KEYS."""
    remaining = iter(items)
    while batch := list(islice(remaining, MAX_KEYS)):
        yield batch


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
    draft = draft_of(file)
    own = [draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")]
    try:
        for path in own:  # of a power cut
            path.unlink(missing_ok=True)
        digest = copy_store(url, f"sqlite:///{draft}")
        with closing(sqlite3.connect(draft)) as connection:
            connection.execute("PRAGMA journal_mode = DELETE")  # a single file, without a write-ahead log
        put_in_place(draft, file)
    except (OSError, sqlite3.Error) as error:
        raise UserError(f"cannot write {file}: {error}.") from None
    finally:
        for path in own:
            path.unlink(missing_ok=True)
    return digest


def restore(file: Path, url: str) -> str:
    """Copy a backup into an empty store and return the digest of its content.

    Raises:
        UserError: The backup cannot be read, or the store is not empty.
    """
    if not os.access(file, os.R_OK):
        raise UserError(f"cannot read the backup {file}.")
    with temporary_folder() as folder:  # opening a store changes its file
        return copy_store(f"sqlite:///{shutil.copyfile(file, folder / 'backup.sqlite')}", url)


def copy_store(source: str, target: str) -> str:
    """Copy a store into an empty one and return the digest of their content.

    Each store may be a SQLite or a PostgreSQL database. The copy reads one snapshot and writes one transaction.

    Raises:
        UserError: The target is not empty, or the digests differ.
    """
    engines = open_database(source, create=False), open_database(target)
    try:
        return _copy(*engines)
    except IntegrityError as error:
        raise_damaged(str(error.orig), source.removeprefix("sqlite:///"))
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
            rows = _rows(source_connection, table, *table.primary_key.columns)
            for part in rows.mappings().partitions(BATCH_ROWS):
                target_connection.execute(sa.insert(table), [dict(row) for row in part])
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
        values = (
            [int(value) if isinstance(value, bool) else value for value in row] for row in _rows(connection, table)
        )
        rows = sorted(map(msgspec.json.encode, values))
        hash_state.update(table.name.encode() + b"\n" + b"\n".join(rows) + b"\n\n")
    return hash_state.hexdigest()


def _rows(connection: Connection, table: sa.Table, *order: sa.Column[Any]) -> sa.CursorResult[Any]:
    return connection.execution_options(yield_per=BATCH_ROWS).execute(sa.select(table).order_by(*order))
