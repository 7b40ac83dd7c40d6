"""The league database, SQLite or PostgreSQL: its tables, how it is opened, and statements in its dialect."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

import sqlalchemy as sa
from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Integer,
    MetaData,
    SmallInteger,
    Table,
    Text,
    UniqueConstraint,
    true,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, Engine
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError

from wordpl.core.messages import UserError

METADATA = MetaData()
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

leagues = Table(
    "leagues",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("named", BigInteger, nullable=False),
    Column("changes", BigInteger, nullable=False, server_default="0"),  # how often anything in the league was written
    Column("zone", Text, nullable=False, server_default=""),  # "": not chosen yet
    Column("x_is_seven", Boolean, nullable=False, server_default=true()),
    Column("deadline_days", SmallInteger, nullable=False, server_default="1"),
    Column("salt", Text, nullable=False),  # of the digests in `forgotten`
)

people = Table(
    "people",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("league_id", ForeignKey("leagues.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("is_id", Boolean, nullable=False),
    UniqueConstraint("league_id", "key", "is_id", name="one_person"),
)

sightings = Table(
    "sightings",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("person", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    Column("shown", Boolean, primary_key=True),
    Column("seen", BigInteger, nullable=False),
)

aliases = Table(
    "aliases",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("first_number", Integer, primary_key=True),
    Column("last_number", Integer, nullable=False),
    Column("player", Text, nullable=False),
)

posts = Table(
    "posts",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("league_id", ForeignKey("leagues.id"), nullable=False),
    Column("source", Text, nullable=False),
    Column("key", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("posted", BigInteger),
    Column("version", Text, nullable=False),
    Column("day_from", Integer, nullable=False),
    Column("number", Integer),  # of a summary's picture or title
    Column("number_version", Text, nullable=False),  # version of the post from which the number was read
    Column("is_local", Boolean, nullable=False),  # whether results.reported is a wall-clock time
    UniqueConstraint("league_id", "source", "key", name="one_post"),
)

results = Table(
    "results",
    METADATA,
    Column("post_id", ForeignKey("posts.id"), primary_key=True),
    Column("person_id", ForeignKey("people.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("guesses", SmallInteger, primary_key=True),
    Column("hard", Boolean, nullable=False),
    Column("grid", Text, nullable=False),
    Column("reported", BigInteger),  # when a version of the post first said so; set only for share texts
    Column("is_current", Boolean, nullable=False),  # whether the newest version of the post says so
    sqlite_with_rowid=False,
)

unread = Table(
    "unread",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("channel", Text, primary_key=True),
    Column("message", BigInteger, primary_key=True),
)

accepted = Table(
    "accepted",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("person", Text, primary_key=True),
    Column("is_id", Boolean, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("actor", Text, nullable=False),
    Column("made", BigInteger, nullable=False),
)

forgotten = Table(
    "forgotten",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("digest", Text, primary_key=True),
    Column("first_number", Integer, nullable=False),
    Column("last_number", Integer, nullable=False),
)

choices = Table(
    "choices",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("person", Text, primary_key=True),
    Column("is_id", Boolean, primary_key=True),
    Column("choice", Text, primary_key=True),
)

progress = Table(
    "progress",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("channel", Text, primary_key=True),
    Column("newest", BigInteger, nullable=False),
    Column("oldest", BigInteger, nullable=False),
    Column("complete", Boolean, nullable=False),
)

members = Table(
    "members",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("person", Text, primary_key=True),
    Column("nickname", Text, nullable=False),
    Column("global_name", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("seen", BigInteger, nullable=False),
)

alias_changes = Table(
    "alias_changes",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("made", BigInteger, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("added", Boolean, nullable=False),
    Column("name", Text, nullable=False),
    Column("player", Text, nullable=False),
    Column("first_number", Integer, nullable=False),
    Column("last_number", Integer, nullable=False),
    Column("undone", Boolean, nullable=False),
)

answers = Table(
    "answers",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("word", Text, nullable=False),
)

schedules = Table(
    "schedules",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("channel", Text, nullable=False),
    Column("minute", Integer, nullable=False),  # of the day, in the time zone
    Column("zone", Text, nullable=False),
    Column("since", BigInteger, nullable=False),
)

announcements = Table(
    "announcements",
    METADATA,
    Column("league_id", ForeignKey("leagues.id"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("period", Text, primary_key=True),
    Column("state", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("claimed", BigInteger, nullable=False),
    Column("message", Text, nullable=False),
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
