"""What a league's tables hold, read in one transaction of the caller's."""

from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from wordpl.league.names import Alias, KnownName, Names
from wordpl.league.posts import Member, Person
from wordpl.league.resolve import IntArray, Reports
from wordpl.league.tables import aliases, members, people, posts, results, sightings

FETCHED = 100_000


def read_aliases(connection: Connection, league_id: int) -> list[Alias]:
    """Return the alias table, by name and day."""
    columns = (aliases.c.name, aliases.c.player, aliases.c.first_number, aliases.c.last_number)
    rows = connection.execute(sa.select(*columns).where(aliases.c.league_id == league_id))
    return sorted(Alias(*row) for row in rows)


def read_members(connection: Connection, league_id: int) -> list[Member]:
    """Return the server's members as they were last seen."""
    columns = (members.c.person, members.c.nickname, members.c.global_name, members.c.account)
    rows = connection.execute(sa.select(*columns).where(members.c.league_id == league_id).order_by(members.c.person))
    return [Member(*row) for row in rows]


def read_names(connection: Connection, league_id: int) -> Names:
    """Return who is called what: by members' names of today, and by all names that were ever seen."""
    columns = (sightings.c.person, sightings.c.name, sightings.c.shown, sightings.c.seen)
    rows = connection.execute(sa.select(*columns).where(sightings.c.league_id == league_id))
    seen = [KnownName(*row) for row in rows]
    for one in read_members(connection, league_id):
        others = {one.account: False, one.global_name: True, one.nickname or one.global_name or one.account: True}
        shown = one.nickname or one.global_name or one.account
        seen += [KnownName(one.id, name, is_shown, 0, name == shown) for name, is_shown in others.items() if name]
    return Names(seen, read_aliases(connection, league_id))


def read_reports(connection: Connection, league_id: int, channel: str | None = None) -> Reports:
    """Return what the league's sources say; channel: only those posted in it."""
    mine = posts.c.league_id == league_id
    if channel is not None:
        mine &= posts.c.channel == channel
    posted = sa.func.coalesce(posts.c.posted, -1)
    found = _numbers(connection, sa.select(posts.c.id, posts.c.day_from, posted).where(mine).order_by(posts.c.id))
    channels = connection.execute(sa.select(posts.c.channel).where(mine).order_by(posts.c.id)).scalars().all()
    columns = (results.c.post_id, results.c.person_id, results.c.number, results.c.guesses)
    said = _numbers(connection, sa.select(*columns).where(results.c.post_id == posts.c.id, mine))
    whose = (people.c.id, people.c.key, people.c.is_id)
    known = connection.execute(sa.select(*whose).where(people.c.league_id == league_id).order_by(people.c.id)).all()
    return Reports(
        people=[Person(key, is_id) for _, key, is_id in known],
        posts=pd.DataFrame(
            {"day_from": found[:, 1], "posted": found[:, 2], "channel": pd.factorize(np.array(channels, object))[0]}
        ),
        results=pd.DataFrame(
            {
                "post": np.searchsorted(found[:, 0], said[:, 0]),
                "person": np.searchsorted([id for id, *_ in known], said[:, 1]),
                "number": said[:, 2],
                "guesses": said[:, 3],
            }
        ),
    )


def _numbers(connection: Connection, columns: sa.Select[Any]) -> IntArray:
    """Return a selection of whole numbers as int64[n, columns]."""
    cursor = connection.execute(columns).cursor
    assert cursor is not None  # a SELECT has one
    blocks = [np.empty(0, np.int64)]
    while rows := cursor.fetchmany(FETCHED):  # the driver's own rows: SQLAlchemy's take twice the time
        blocks.append(np.fromiter(chain.from_iterable(rows), np.int64))
    return np.concatenate(blocks).reshape(-1, len(columns.selected_columns))
