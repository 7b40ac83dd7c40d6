"""Where results are kept: a database, in it leagues that know nothing of each other."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from wordpl.core.errors import UserError
from wordpl.league.database import insert, open_database
from wordpl.league.names import Alias, Names
from wordpl.league.posts import UNFINISHED, Member, Post, Sighting
from wordpl.league.resolve import ResolvedLeague, resolve
from wordpl.league.rows import read_aliases, read_members, read_names, read_reports
from wordpl.league.tables import as_stored, leagues, members, people, posts, progress, results
from wordpl.league.upsert import lock_league, withdraw_missing, write_posts, write_sightings


@dataclass(frozen=True)
class ChannelProgress:
    """Which messages of a channel have been read: all from `oldest` to `newest`, ids; complete: none are older."""

    newest: int
    oldest: int
    complete: bool


class Store:
    """A database of leagues."""

    def __init__(self, url: str):
        self._engine: Engine = open_database(url)

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def leagues(self) -> dict[str, str]:
        """Return the names of the leagues by their keys: a guild's id, or what was given when importing."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(leagues.c.key, leagues.c.name).order_by(leagues.c.key))
            return {row.key: row.name for row in rows}

    def servers_of(self, id: str) -> list[str]:
        """Return the keys of Discord servers' leagues in which this id has results."""
        found = sa.select(leagues.c.key).join(people).where(people.c.key == id, people.c.is_id).order_by(leagues.c.key)
        with self._engine.connect() as connection:
            return [key for key in connection.execute(found).scalars() if key.isdigit()]

    def league(self, key: str, name: str | None = None, named: datetime | None = None) -> "League":
        """Return the league with this key, made if there is none.

        name: what to call it from then on, unless it has a name given later than `named`.
        """
        with self._engine.begin() as connection:
            when = as_stored(named) if named else -1
            return League(self._engine, key, lock_league(connection, key, name or key, when))

    def find(self, key: str | None = None) -> "League":
        """Return the league with this key or name; the only one if none is given. Raises UserError if there is none."""
        names = self.leagues()
        if not names:
            raise UserError("the store holds no league yet: `wordpl league import FILE` brings results in.")
        found = [one for one, name in names.items() if key is None or key in (one, name)]
        if key in names:
            found = [key]
        if len(found) != 1:
            listed = ", ".join(f"{one} ({name})" if name != one else one for one, name in names.items())
            what = "the store holds several leagues" if key is None else f"{len(found)} leagues are called {key!r}"
            raise UserError(f"{what}: say --league with one of {listed}.")
        with self._engine.connect() as connection:
            id = connection.execute(sa.select(leagues.c.id).where(leagues.c.key == found[0])).scalar_one()
        return League(self._engine, found[0], id)


class ReadRange(NamedTuple):
    """Messages of a channel that were read without a gap: all with ids from `first` to `last` that still exist."""

    channel: str
    first: int
    last: int
    ids: frozenset[str]


class League:
    """One group's results.

    key: the id of its Discord server, or what was given when importing. id: of its row.
    """

    def __init__(self, engine: Engine, key: str, id: int):
        self._engine, self.key, self.id = engine, key, id

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """Give a connection that alone writes to this league; all is kept, or nothing where it fails."""
        with self._engine.begin() as connection:
            connection.execute(sa.update(leagues).where(leagues.c.id == self.id).values(key=self.key))
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """Give a connection to read with."""
        with self._engine.connect() as connection:
            yield connection

    def add(self, read: Sequence[Post], seen: Iterable[Sighting] = ()) -> None:
        """Take in posts and names seen: all of them, or none if anything interrupts it."""
        with self.transaction() as connection:
            write_posts(connection, self.id, read)
            write_sightings(connection, self.id, seen)

    def withdraw_missing(self, read: ReadRange) -> int:
        """Withdraw what deleted messages said, stored ones of the range that it lacks; return how many there were."""
        with self.transaction() as connection:
            return withdraw_missing(connection, self.id, (read.channel, read.first, read.last), read.ids)

    def n_reports(self) -> int:
        """Return how many results the sources say, repetitions included."""
        said = sa.select(sa.func.count()).select_from(results.join(posts))
        mine = (posts.c.league_id == self.id) & (results.c.guesses != UNFINISHED)
        with self.reading() as connection:
            return int(connection.execute(said.where(mine)).scalar_one())

    def resolved(self, channel: str | None = None) -> ResolvedLeague:
        """Return the league's results; channel: only what was said in it, by its id."""
        with self.reading() as connection:
            return resolve(read_reports(connection, self.id, channel), read_names(connection, self.id))

    def names(self) -> Names:
        """Return who is called what."""
        with self.reading() as connection:
            return read_names(connection, self.id)

    def aliases(self) -> list[Alias]:
        """Return the alias table, by name and day."""
        with self.reading() as connection:
            return read_aliases(connection, self.id)

    def members(self) -> list[Member]:
        """Return the server's members as they were last seen."""
        with self.reading() as connection:
            return read_members(connection, self.id)

    def members_seen(self) -> int:
        """Return when the list of members was last read, milliseconds since 1970; -1 for never."""
        newest = sa.select(sa.func.max(members.c.seen)).where(members.c.league_id == self.id)
        with self.reading() as connection:
            found = connection.execute(newest).scalar()
            return -1 if found is None else int(found)

    def keep_members(self, listed: Sequence[Member], seen: datetime) -> None:
        """Keep the names of members. Those who left stay known, as their results do."""
        rows = [
            {"league_id": self.id, "person": one.id, "nickname": one.nickname, "global_name": one.global_name}
            | {"account": one.account, "seen": as_stored(seen)}
            for one in listed
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
        """Return the ids of the channels that have been read: the bot follows them."""
        with self.reading() as connection:
            found = sa.select(progress.c.channel).where(progress.c.league_id == self.id).order_by(progress.c.channel)
            return list(connection.execute(found).scalars())

    def progress(self, channel: str) -> ChannelProgress | None:
        """Return how far a channel has been read; None if it has not."""
        columns = (progress.c.newest, progress.c.oldest, progress.c.complete)
        where = (progress.c.league_id == self.id) & (progress.c.channel == channel)
        with self.reading() as connection:
            row = connection.execute(sa.select(*columns).where(where)).one_or_none()
            return ChannelProgress(*row) if row else None

    def keep_progress(self, channel: str, read: ChannelProgress) -> None:
        """Note how far a channel has been read."""
        with self.transaction() as connection:
            statement = insert(connection, progress).values(league_id=self.id, channel=channel, **asdict(read))
            connection.execute(
                statement.on_conflict_do_update(index_elements=["league_id", "channel"], set_=asdict(read))
            )


def _sightings_of_members(listed: Sequence[Member], seen: datetime) -> Iterator[Sighting]:
    for one in listed:
        for name, shown in {one.account: False, one.global_name: True, one.nickname: True}.items():
            if name:
                yield Sighting(one.id, name, seen, shown)
