"""A league is whole after a power cut, a full disk or Ctrl-C, and the same command brings what is missing."""

from contextlib import suppress

import pytest
import sqlalchemy as sa

from tests.helpers.power_cuts import Recorder, full_from, recording, restore
from wordpl.apps.league import database
from wordpl.apps.league.imports import import_files
from wordpl.apps.league.site import MANIFEST, write_site
from wordpl.apps.league.sources import ImportOptions
from wordpl.apps.league.store import LeagueStore
from wordpl.core.messages import UserError

PUZZLES = range(1200, 1560)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("player,puzzle,guesses\n" + "".join(f"{name},{number},{n}\n" for number in PUZZLES
                                                        for name, n in (("Ann", 3), ("Ben", 4))))  # fmt: skip
    return path


def bring(store, table):
    import_files(store, [table], ImportOptions())


def results(store):
    return store.league("friends").resolved().results.to_csv()


@pytest.mark.slow
def test_an_import_stopped_at_any_commit_is_complete_when_it_is_repeated(tmp_path, table, monkeypatch):
    whole = LeagueStore(str(tmp_path / "whole.sqlite"))
    bring(whole, table)
    for number in range(1, 4):
        store, left = LeagueStore(str(tmp_path / f"{number}.sqlite")), [number]

        def stop(connection, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

        sa.event.listen(store._engine, "commit", stop)
        with suppress(KeyboardInterrupt):
            bring(store, table)
        sa.event.remove(store._engine, "commit", stop)
        bring(store, table)
        assert results(store) == results(whole)


def test_a_full_disk_is_named_and_the_store_stays_whole(tmp_path, table):
    whole, store = LeagueStore(str(tmp_path / "whole.sqlite")), LeagueStore(str(tmp_path / "full.sqlite"))
    bring(whole, table)

    def limit(connection, record):
        n_pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {n_pages}")

    sa.event.listen(store._engine, "checkout", lambda connection, record, proxy: limit(connection, record))
    with pytest.raises(UserError, match=r"full.sqlite: database or disk is full. Nothing of this step was stored"):
        bring(store, table)
    again = LeagueStore(str(tmp_path / "full.sqlite"))
    bring(again, table)
    assert results(again) == results(whole)


def test_what_was_committed_is_on_disk(tmp_path):
    with LeagueStore(str(tmp_path / "league.sqlite"))._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2  # FULL: each commit is synced
        assert connection.exec_driver_sql("PRAGMA secure_delete").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1


def test_a_backup_is_written_where_a_power_cut_has_left_half_of_one(tmp_path, table):
    url = str(tmp_path / "league.sqlite")
    bring(LeagueStore(url), table)
    (tmp_path / ".backup.sqlite.new").write_bytes(b"SQLite format 3\0 and no more")
    (tmp_path / ".backup.sqlite.new-wal").write_bytes(b"torn")
    assert database.backup(url, tmp_path / "backup.sqlite") == database.digest(url)
    assert not list(tmp_path.glob(".backup*"))


class Pages:
    """A site of a few pages."""

    def __init__(self, *names):
        self.names = names

    def files(self):
        return ((name, name.encode) for name in self.names)


def test_a_site_is_written_anew_after_any_power_cut_or_a_full_disk(tmp_path):
    with recording(tmp_path) as recorder:
        write_site(Pages("index.html", "days/1.html"), tmp_path / "site")
        write_site(Pages("index.html", "days/2.html"), tmp_path / "site")
    cuts = [restore(files, tmp_path / "cuts" / f"{number}") for number, (_, files) in enumerate(recorder.disks(20))]
    for place in range(0, len(recorder.kinds), 9):
        cuts.append(tmp_path / "cuts" / f"full-{place}")
        with Recorder(tmp_path, full_from(place)):
            try:
                write_site(Pages("index.html", "days/1.html"), cuts[-1] / "site")
            except UserError as error:
                assert "No space left" in error.message
    for folder in cuts:
        write_site(Pages("index.html", "days/3.html"), folder / "site")
        shown = {path.relative_to(folder / "site").as_posix() for path in folder.rglob("*") if path.suffix != ".new"}
        assert shown - {".", "days"} == {"index.html", "days/3.html", MANIFEST}
