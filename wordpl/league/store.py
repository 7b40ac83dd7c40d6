"""The store: a database of leagues, which are isolated from each other."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from wordpl.core.errors import UserError
from wordpl.league.database import insert, open_database
from wordpl.league.names import Alias, NameResolver
from wordpl.league.posts import UNFINISHED, GuildMember, ResultPost, Sighting
from wordpl.league.queries import (
    read_aliases,
    read_members,
    read_names,
    read_reports,
    upsert_league,
    withdraw_missing,
    write_posts,
    write_sightings,
)
from wordpl.league.resolve import ResolvedLeague, resolve
from wordpl.league.schema import leagues, members, people, posts, progress, results, to_ms


@dataclass(frozen=True)
class ChannelProgress:
    """Which messages of a channel have been read.

    Attributes:
        newest: The id of the newest message read; 0 if none.
        oldest: The id of the oldest message read; 0 if none.
        complete: Whether the channel has no older messages.
    """

    newest: int
    oldest: int
    complete: bool


class LeagueStore:
    """A database of leagues."""

    def __init__(self, url: str):
        self._engine: Engine = open_database(url)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def leagues(self) -> dict[str, str]:
        """Return the names of the leagues by key: the id of a Discord server, or the name given on import."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(leagues.c.key, leagues.c.name).order_by(leagues.c.key))
            return {row.key: row.name for row in rows}

    def servers_of(self, id: str) -> list[str]:
        """Return the keys of the leagues of Discord servers in which this user has results."""
        query = sa.select(leagues.c.key).join(people).where(people.c.key == id, people.c.is_id).order_by(leagues.c.key)
        with self._engine.connect() as connection:
            return [key for key in connection.execute(query).scalars() if key.isdigit()]

    def league(self, key: str, name: str | None = None, named: datetime | None = None) -> "League":
        """Return the league with this key, after creating it if necessary.

        Args:
            key: The id of a Discord server, or any name.
            name: A new name for the league; the key by default.
            named: When the league had this name; an older name never replaces a newer one.
        """
        with self._engine.begin() as connection:
            when = to_ms(named) if named else -1
            return League(self._engine, key, upsert_league(connection, key, name or key, when))

    def find(self, key: str | None = None) -> "League":
        """Return the league with this key or name, by default the only one in the store.

        Raises:
            UserError: There is no such league, or there are several.
        """
        names = self.leagues()
        if not names:
            raise UserError("the store is empty: import results with `wordpl league import FILE`.")
        keys = [league_key for league_key, name in names.items() if key is None or key in (league_key, name)]
        if key in names:
            keys = [key]
        if len(keys) != 1:
            listed = ", ".join(
                f"{league_key} ({name})" if name != league_key else league_key for league_key, name in names.items()
            )
            fault = "the store has several leagues" if key is None else f"{len(keys)} leagues are called {key!r}"
            raise UserError(f"{fault}: use --league with one of {listed}.")
        with self._engine.connect() as connection:
            id = connection.execute(sa.select(leagues.c.id).where(leagues.c.key == keys[0])).scalar_one()
        return League(self._engine, keys[0], id)


class ReadRange(NamedTuple):
    """A range of a channel's messages that was read without gaps.

    Attributes:
        channel: The id of the channel.
        first: The smallest id of the range.
        last: The greatest id of the range.
        ids: The ids of all messages in the range that still exist.
    """

    channel: str
    first: int
    last: int
    ids: frozenset[str]


class League:
    """The results of one group.

    Attributes:
        key: The id of its Discord server, or the name given on import.
        id: The id of its row in the database.
    """

    def __init__(self, engine: Engine, key: str, id: int):
        self._engine, self.key, self.id = engine, key, id

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Open a transaction that locks the league for other writers; it is rolled back on any exception."""
        with self._engine.begin() as connection:
            connection.execute(sa.update(leagues).where(leagues.c.id == self.id).values(key=self.key))
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Open a connection for reading."""
        with self._engine.connect() as connection:
            yield connection

    def add(self, new_posts: Sequence[ResultPost], sightings: Iterable[Sighting] = ()) -> None:
        """Add posts and seen names in one transaction."""
        with self.transaction() as connection:
            write_posts(connection, self.id, new_posts)
            write_sightings(connection, self.id, sightings)

    def withdraw_missing(self, read: ReadRange) -> int:
        """Remove the results of stored messages in the range that no longer exist, and return how many there were."""
        with self.transaction() as connection:
            return withdraw_missing(connection, self.id, (read.channel, read.first, read.last), read.ids)

    def n_reports(self) -> int:
        """Return the number of reported results, repeated reports included."""
        n_results = sa.select(sa.func.count()).select_from(results.join(posts))
        is_result_here = (posts.c.league_id == self.id) & (results.c.guesses != UNFINISHED)
        with self.reading() as connection:
            return int(connection.execute(n_results.where(is_result_here)).scalar_one())

    def resolved(self, channel: str | None = None) -> ResolvedLeague:
        """Return the league's results, optionally only those posted in the channel with this id."""
        with self.reading() as connection:
            return resolve(read_reports(connection, self.id, channel), read_names(connection, self.id))

    def names(self) -> NameResolver:
        """Return the league's name resolver."""
        with self.reading() as connection:
            return read_names(connection, self.id)

    def aliases(self) -> list[Alias]:
        """Return the alias table, sorted by name and first puzzle."""
        with self.reading() as connection:
            return read_aliases(connection, self.id)

    def members(self) -> list[GuildMember]:
        """Return the server's members with their last known names."""
        with self.reading() as connection:
            return read_members(connection, self.id)

    def members_seen(self) -> int:
        """Return when the list of members was last read, in milliseconds since 1970; -1 for never."""
        newest = sa.select(sa.func.max(members.c.seen)).where(members.c.league_id == self.id)
        with self.reading() as connection:
            last_read = connection.execute(newest).scalar()
            return -1 if last_read is None else int(last_read)

    def save_members(self, listed: Sequence[GuildMember], seen: datetime) -> None:
        """Save the names of members. Members who have left are not removed, and neither are their results."""
        rows = [
            {"league_id": self.id, "person": member.id, "nickname": member.nickname, "global_name": member.global_name}
            | {"account": member.account, "seen": to_ms(seen)}
            for member in listed
        ]
        if not rows:
            return
        with self.transaction() as connection:
            statement = insert(connection, members)
            newer = {name: statement.excluded[name] for name in ("nickname", "global_name", "account", "seen")}
            keys = ["league_id", "person"]
            connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=newer), rows)
            write_sightings(connection, self.id, _sightings_of_members(listed, seen))

    def channels(self) -> list[str]:
        """Return the ids of the channels that have been read, which the bot follows."""
        with self.reading() as connection:
            query = sa.select(progress.c.channel).where(progress.c.league_id == self.id).order_by(progress.c.channel)
            return list(connection.execute(query).scalars())

    def progress(self, channel: str) -> ChannelProgress | None:
        """Return which messages of a channel have been read, or None if it was never read."""
        columns = (progress.c.newest, progress.c.oldest, progress.c.complete)
        where = (progress.c.league_id == self.id) & (progress.c.channel == channel)
        with self.reading() as connection:
            row = connection.execute(sa.select(*columns).where(where)).one_or_none()
            return ChannelProgress(*row) if row else None

    def save_progress(self, channel: str, read: ChannelProgress) -> None:
        """Save which messages of a channel have been read."""
        with self.transaction() as connection:
            statement = insert(connection, progress).values(league_id=self.id, channel=channel, **asdict(read))
            connection.execute(
                statement.on_conflict_do_update(index_elements=["league_id", "channel"], set_=asdict(read))
            )


def _sightings_of_members(listed: Sequence[GuildMember], seen: datetime) -> Iterator[Sighting]:
    for member in listed:
        for name, is_shown in {member.account: False, member.global_name: True, member.nickname: True}.items():
            if name:
                yield Sighting(member.id, name, seen, is_shown)
