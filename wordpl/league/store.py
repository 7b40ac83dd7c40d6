"""Where results are kept: a database, in it leagues that know nothing of each other."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime
from itertools import chain

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy.engine import Connection, Engine

from wordpl.core.errors import UserError
from wordpl.league.database import insert, open_database
from wordpl.league.names import Alias, KnownName, Names
from wordpl.league.posts import Person, Post, Sighting
from wordpl.league.puzzles import day_of
from wordpl.league.resolve import Reports, ResolvedLeague, resolve
from wordpl.league.tables import aliases, as_stored, leagues, people, posts, progress, results, sightings
from wordpl.league.upsert import lock_league, write_posts, write_sightings

FETCHED = 100_000


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
        """Let go of the database."""
        self._engine.dispose()

    def leagues(self) -> dict[str, str]:
        """Return the names of the leagues by their keys: a guild's id, or what was given when importing."""
        with self._engine.connect() as connection:
            rows = connection.execute(sa.select(leagues.c.key, leagues.c.name).order_by(leagues.c.key))
            return dict(map(tuple, rows))

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


class League:
    """One group's results."""

    def __init__(self, engine: Engine, key: str, id: int):
        self._engine, self.key, self._id = engine, key, id

    def add(self, read: Sequence[Post], seen: Iterable[Sighting] = ()) -> None:
        """Take in posts and names seen: all of them, or none if anything interrupts it."""
        with self._locked() as connection:
            write_posts(connection, self._id, read)
            write_sightings(connection, self._id, seen)

    @contextmanager
    def _locked(self) -> Iterator[Connection]:
        with self._engine.begin() as connection:
            connection.execute(sa.update(leagues).where(leagues.c.id == self._id).values(key=self.key))
            yield connection

    def n_said(self) -> int:
        """Return how many results the sources say, repetitions included."""
        said = sa.select(sa.func.count()).select_from(results.join(posts)).where(posts.c.league_id == self._id)
        with self._engine.connect() as connection:
            return connection.execute(said).scalar_one()

    def resolved(self, channel: str | None = None) -> ResolvedLeague:
        """Return the league's results; channel: only what was said in it, by its id."""
        with self._engine.connect() as connection:
            return resolve(self._said(connection, channel), self._names(connection))

    def names(self) -> Names:
        """Return who is called what."""
        with self._engine.connect() as connection:
            return self._names(connection)

    def _names(self, connection: Connection) -> Names:
        columns = (sightings.c.person, sightings.c.name, sightings.c.shown, sightings.c.seen)
        seen = connection.execute(sa.select(*columns).where(sightings.c.league_id == self._id))
        return Names([KnownName(*row) for row in seen], self._aliases(connection))

    def _said(self, connection: Connection, channel: str | None) -> Reports:
        mine = posts.c.league_id == self._id
        if channel is not None:
            mine &= posts.c.channel == channel
        found = _table(
            connection, sa.select(posts.c.id, posts.c.day_from, sa.func.coalesce(posts.c.posted, -1)).where(mine)
        )
        columns = (results.c.post_id, results.c.person_id, results.c.number, results.c.guesses)
        said = _table(connection, sa.select(*columns).where(results.c.post_id == posts.c.id, mine))
        whose = (people.c.id, people.c.key, people.c.is_id)
        known = connection.execute(sa.select(*whose).where(people.c.league_id == self._id).order_by(people.c.id)).all()
        found = found[found[:, 0].argsort()]
        return Reports(
            people=[Person(key, is_id) for _, key, is_id in known],
            posts=pd.DataFrame({"day_from": found[:, 1], "posted": found[:, 2]}),
            results=pd.DataFrame(
                {
                    "post": np.searchsorted(found[:, 0], said[:, 0]),
                    "person": np.searchsorted([id for id, *_ in known], said[:, 1]),
                    "number": said[:, 2],
                    "guesses": said[:, 3],
                }
            ),
        )

    def aliases(self) -> list[Alias]:
        """Return the alias table, by name and day."""
        with self._engine.connect() as connection:
            return self._aliases(connection)

    def _aliases(self, connection: Connection) -> list[Alias]:
        columns = (aliases.c.name, aliases.c.player, aliases.c.first_number, aliases.c.last_number)
        return sorted(
            Alias(*row) for row in connection.execute(sa.select(*columns).where(aliases.c.league_id == self._id))
        )

    def add_alias(self, alias: Alias) -> None:
        """Have a name stand for a player. Raises UserError where it stands for another in some of these puzzles."""
        with self._locked() as connection:
            for one in self._aliases(connection):
                overlaps = one.first_number <= alias.last_number and alias.first_number <= one.last_number
                if one.name == alias.name and overlaps and one != alias:
                    raise UserError(
                        f"{one.name!r} already stands for {one.player!r} from {day_of(one.first_number)}: "
                        "take that away with --remove, or give days that do not overlap."
                    )
            row = alias._asdict() | {"league_id": self._id}
            connection.execute(insert(connection, aliases).values(row).on_conflict_do_nothing())

    def remove_alias(self, name: str) -> int:
        """Take away what a name stands for; return how many entries that were."""
        with self._locked() as connection:
            where = (aliases.c.league_id == self._id) & (aliases.c.name == name)
            return connection.execute(sa.delete(aliases).where(where)).rowcount

    def progress(self, channel: str) -> ChannelProgress | None:
        """Return how far a channel has been read; None if it has not."""
        columns = (progress.c.newest, progress.c.oldest, progress.c.complete)
        where = (progress.c.league_id == self._id) & (progress.c.channel == channel)
        with self._engine.connect() as connection:
            row = connection.execute(sa.select(*columns).where(where)).one_or_none()
            return ChannelProgress(*row) if row else None

    def keep_progress(self, channel: str, read: ChannelProgress) -> None:
        """Note how far a channel has been read."""
        with self._locked() as connection:
            statement = insert(connection, progress).values(league_id=self._id, channel=channel, **asdict(read))
            connection.execute(
                statement.on_conflict_do_update(index_elements=["league_id", "channel"], set_=asdict(read))
            )


def _table(connection: Connection, columns: sa.Select) -> np.ndarray:
    """Return a selection of whole numbers as int64[n, columns]."""
    cursor = connection.execute(columns).cursor
    blocks = [np.empty(0, np.int64)]
    while rows := cursor.fetchmany(FETCHED):  # the driver's own rows: SQLAlchemy's take twice the time
        blocks.append(np.fromiter(chain.from_iterable(rows), np.int64))
    return np.concatenate(blocks).reshape(-1, len(columns.selected_columns))
