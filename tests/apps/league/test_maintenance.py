"""Backups and copies have the contents of the store, between both kinds of database."""

import sqlite3
from contextlib import closing
from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from tests.apps.league.test_resolve import ALICE, START, post
from wordpl.apps.league import alias_log, schedules
from wordpl.apps.league.database import backup, copy_store, digest, from_ms, restore, to_ms
from wordpl.apps.league.posts import DiscordUser, Person
from wordpl.apps.league.store import ChannelProgress, LeagueStore
from wordpl.core.messages import UserError


def filled_store(url):
    store = LeagueStore(url)
    league = store.league("91", "A Group")
    league.add([post(f"{n}", Person(f"Näme {n} 🔥", False), 1 + n % 7, number=1500 + n) for n in range(50)])
    league.add([post("90", ALICE, 3)])
    league.save_members([DiscordUser(ALICE.key, "Ally", "Alice", "alice")], START)
    league.save_progress("5", ChannelProgress(9, 2, False))
    alias_log.merge(league, "Näme 1 🔥", ALICE.key, "admin")
    daily = schedules.make_schedule(schedules.DAILY, "5", "09:30", "UTC", START)
    schedules.set_schedule(league, daily)
    schedules.claim_period(league, daily, "2025-10-05", START)
    return store


@pytest.mark.slow
def test_a_copy_has_the_same_contents_and_can_be_used(url, tmp_path):
    store = filled_store(url)
    copy_url = f"sqlite:///{tmp_path / 'other.sqlite'}"
    assert copy_store(url, copy_url) == digest(url) == digest(copy_url)
    with closing(LeagueStore(copy_url)) as copied_store:
        assert copied_store.find().resolved().results.equals(store.find().resolved().results)
        copied_store.find().add([post("91", Person("New", False), 2)])
        assert "New" in set(copied_store.find().resolved().results["player"])
    store.close()


def test_a_copy_from_sqlite_can_be_used(url, tmp_path):
    sqlite_url = f"sqlite:///{tmp_path / 'other.sqlite'}"
    filled_store(sqlite_url).close()
    copy_store(sqlite_url, url)
    with closing(LeagueStore(url)) as copied_store:
        copied_store.find().add([post("91", Person("New", False), 2)])
        assert "New" in set(copied_store.find().resolved().results["player"])


def test_a_backup_of_a_store_in_use_is_a_single_complete_file(tmp_path):
    url, backup_file = f"sqlite:///{tmp_path / 'league.sqlite'}", tmp_path / "backup.sqlite"
    with closing(filled_store(url)) as store:  # open, its latest results in the write-ahead log
        expected = backup(url, backup_file)
        assert sorted(path.name for path in tmp_path.glob("*backup*")) == ["backup.sqlite"]
        with closing(sqlite3.connect(backup_file)) as connection:
            assert connection.execute("SELECT count(*) FROM results").fetchone() == (store.find().n_reports(),)
    assert restore(backup_file, f"sqlite:///{tmp_path / 'new.sqlite'}") == expected


def test_backups_and_restores_overwrite_nothing(tmp_path):
    url, backup_file = f"sqlite:///{tmp_path / 'league.sqlite'}", tmp_path / "backup.sqlite"
    filled_store(url).close()
    backup(url, backup_file)
    with pytest.raises(UserError, match="already exists"):
        backup(url, backup_file)
    with pytest.raises(UserError, match="not empty"):
        restore(backup_file, url)


def test_a_copy_is_of_one_moment_although_others_write_meanwhile(tmp_path):
    url, left = f"sqlite:///{tmp_path / 'league.sqlite'}", ["once"]
    store = filled_store(url)
    before = digest(url)

    def write(connection, cursor, statement, parameters, context, executemany):
        if statement.startswith("INSERT INTO leagues") and left:
            left.clear()
            store.find().add([post("99", Person("New", False), 2)])

    sa.event.listen(sa.engine.Engine, "before_cursor_execute", write)
    try:
        assert copy_store(url, f"sqlite:///{tmp_path / 'other.sqlite'}") == before
    finally:
        sa.event.remove(sa.engine.Engine, "before_cursor_execute", write)
    assert digest(url) != before
    store.close()


def test_times_are_kept_to_the_millisecond():
    moment = datetime(2025, 10, 3, 9, 0, 0, 123_999, tzinfo=UTC)
    assert from_ms(to_ms(moment)) == moment.replace(microsecond=123_000)
