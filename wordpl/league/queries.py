"""Queries of a league's data, which run on a connection of the caller."""

from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import sqlalchemy as sa
from sqlalchemy.engine import Connection

from wordpl.league.names import Alias, KnownName, NameResolver
from wordpl.league.posts import GuildMember, Person
from wordpl.league.resolve import IntArray, LeagueReports
from wordpl.league.schema import aliases, members, people, posts, results, sightings

FETCH_SIZE = 100_000
"""Rows fetched at a time."""


def read_aliases(connection: Connection, league_id: int) -> list[Alias]:
    """Return the alias table, sorted by name and first puzzle."""
    columns = (aliases.c.name, aliases.c.player, aliases.c.first_number, aliases.c.last_number)
    rows = connection.execute(sa.select(*columns).where(aliases.c.league_id == league_id))
    return sorted(Alias(*row) for row in rows)


def read_members(connection: Connection, league_id: int) -> list[GuildMember]:
    """Return the server's members with their last known names."""
    columns = (members.c.person, members.c.nickname, members.c.global_name, members.c.account)
    rows = connection.execute(sa.select(*columns).where(members.c.league_id == league_id).order_by(members.c.person))
    return [GuildMember(*row) for row in rows]


def read_names(connection: Connection, league_id: int) -> NameResolver:
    """Return the league's name resolver, built from the members' names, all names ever seen, and the aliases."""
    columns = (sightings.c.person, sightings.c.name, sightings.c.shown, sightings.c.seen)
    rows = connection.execute(sa.select(*columns).where(sightings.c.league_id == league_id))
    seen = [KnownName(*row) for row in rows]
    for member in read_members(connection, league_id):
        shown = member.nickname or member.global_name or member.account
        names = {member.account: False, member.global_name: True, shown: True}
        seen += [KnownName(member.id, name, is_shown, 0, name == shown) for name, is_shown in names.items() if name]
    return NameResolver(seen, read_aliases(connection, league_id))


def read_reports(connection: Connection, league_id: int, channel: str | None = None) -> LeagueReports:
    """Return everything that the league's sources report.

    Args:
        connection: A connection.
        league_id: The id of the league's row.
        channel: The id of a channel, to return only what was posted there.
    """
    mine = posts.c.league_id == league_id
    if channel is not None:
        mine &= posts.c.channel == channel
    posted = sa.func.coalesce(posts.c.posted, -1)
    found = _fetch_integers(
        connection, sa.select(posts.c.id, posts.c.day_from, posted).where(mine).order_by(posts.c.id)
    )
    channels = connection.execute(sa.select(posts.c.channel).where(mine).order_by(posts.c.id)).scalars().all()
    columns = (results.c.post_id, results.c.person_id, results.c.number, results.c.guesses)
    said = _fetch_integers(connection, sa.select(*columns).where(results.c.post_id == posts.c.id, mine))
    whose = (people.c.id, people.c.key, people.c.is_id)
    known = connection.execute(sa.select(*whose).where(people.c.league_id == league_id).order_by(people.c.id)).all()
    return LeagueReports(
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


def _fetch_integers(connection: Connection, columns: sa.Select[Any]) -> IntArray:
    """Return the rows of a query of integers, as int64[n, columns]."""
    cursor = connection.execute(columns).cursor
    assert cursor is not None  # a SELECT has one
    blocks = [np.empty(0, np.int64)]
    while rows := cursor.fetchmany(FETCH_SIZE):  # rows of the driver: SQLAlchemy's take twice the time
        blocks.append(np.fromiter(chain.from_iterable(rows), np.int64))
    return np.concatenate(blocks).reshape(-1, len(columns.selected_columns))
