"""The tables of the league store.

Times are stored as integers, in milliseconds since 1970 (UTC), because all databases store integers alike.
"""

from datetime import UTC, datetime, timedelta

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
