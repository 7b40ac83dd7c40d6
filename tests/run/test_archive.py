"""Archives of runs: the same bytes for the same run, and nothing outside of the reader's folder or limits."""

import stat
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from tests.helpers.written_runs import finished_run, new_run
from wordpl.core.messages import UserError
from wordpl.run import archive
from wordpl.run.folder import Run

PRIVATE = (".lock", "diary.txt", "transcripts/model.jsonl")
LISTS = {"answers": b"crane\n", "guesses": b"crane\nslate\n"}


@pytest.fixture
def run(tmp_path):
    finished = finished_run(tmp_path)
    bundle = finished.folder / "bundles" / ("0" * 64)
    bundle.mkdir(parents=True)
    (bundle / "bot.py").write_text("secret sauce")
    (finished.folder / ".lock").write_text("1234\n")
    return finished


def write(run, path, **options):
    return archive.write(run, path, "Read me.", b"<p>", LISTS, **{"with_entries": True} | options)


def files_of(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_an_archive_holds_the_run_its_page_and_its_lists_and_nothing_else(run, tmp_path):
    (run.folder / "diary.txt").write_text("private")
    (run.folder / "transcripts").mkdir()
    (run.folder / "transcripts" / "model.jsonl").write_text("what it was asked")
    n_files = write(run, tmp_path / "run.zip")
    before = files_of(run.folder)
    with archive.opened(tmp_path / "run.zip") as folder:
        found = {name: content for name, content in files_of(folder.parent).items() if name != ".owner"}
        assert Run(folder).info.seal == run.info.seal
        assert archive.list_beside(folder, "guesses").read_bytes() == LISTS["guesses"]
    assert not folder.exists()
    expected = {f"run/{name}": content for name, content in before.items() if name not in PRIVATE}
    expected |= {f"lists/{name}.txt": content for name, content in LISTS.items()}
    assert found == expected | {"README.md": b"Read me.", "run/report.html": b"<p>"}
    assert n_files == len(found)


def test_the_files_of_entries_are_left_out_on_request(run, tmp_path):
    (run.folder / "transcripts").mkdir()
    (run.folder / "transcripts" / "model.jsonl").write_text("what it was asked")
    write(run, tmp_path / "run.zip", with_entries=False, with_transcripts=True)
    assert b"transcripts/model.jsonl" in (tmp_path / "run.zip").read_bytes()
    assert b"bundles" not in (tmp_path / "run.zip").read_bytes()
    with archive.opened(tmp_path / "run.zip") as folder:
        assert not (folder / "bundles").exists()


def test_a_file_of_an_entry_that_is_too_large_is_named_and_no_archive_is_left(run, tmp_path):
    with (run.folder / "bundles" / ("0" * 64) / "bot.py").open("wb") as file:
        file.truncate(3 << 30)
    with pytest.raises(UserError, match=r"bot\.py is larger than 128 MiB"):
        write(run, tmp_path / "run.zip")
    assert not list(tmp_path.glob("*.zip*"))
    assert not list(tmp_path.glob(".*.new"))


def test_the_same_run_gives_the_same_bytes(run, tmp_path):
    for name in ("a.zip", "b.zip"):
        write(run, tmp_path / name)
        (run.folder / "run.json").touch()
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    for described in ZipFile(tmp_path / "a.zip").infolist():  # nor does it tell when, where and by whom it was written
        assert described.date_time == (1980, 1, 1, 0, 0, 0)
        assert (described.create_system, described.external_attr >> 16) == (3, stat.S_IFREG | 0o644)


def test_only_the_run_of_an_archive_has_word_lists_beside_it(run, tmp_path):
    (tmp_path / "lists").mkdir()
    (tmp_path / "lists" / "answers.txt").write_text("crane\n")
    assert archive.list_beside(tmp_path / "run", "answers") == tmp_path / "lists" / "answers.txt"
    assert archive.list_beside(tmp_path / "other", "answers") is None
    assert archive.list_beside(tmp_path / "run", "guesses") is None


def test_only_a_finished_run_is_archived_and_a_failure_leaves_no_file(run, tmp_path):
    with pytest.raises(UserError, match="has not finished"):
        write(new_run(tmp_path / "other"), tmp_path / "run.zip")
    records = next((run.folder / "records").iterdir())
    target = records.rename(tmp_path / "elsewhere")
    records.symlink_to(target)
    write(run, tmp_path / "run.zip")
    with archive.opened(tmp_path / "run.zip") as folder:
        assert not (folder / "records" / records.name).exists()  # a link is not followed
    (run.folder / "run.json").unlink()
    with pytest.raises(OSError, match="No such file"):
        write(run, tmp_path / "again.zip")
    assert not list(tmp_path.glob("*again*"))


def zipped(path, files, **attributes):
    with ZipFile(path, "w", ZIP_DEFLATED) as target:
        for name, content in files:
            described = ZipInfo(name)
            described.compress_type = ZIP_DEFLATED
            for attribute, value in attributes.items():
                setattr(described, attribute, value)
            target.writestr(described, content)
    return path


RUN_JSON = ("run/run.json", b"{}")


@pytest.mark.parametrize(
    "name",
    [
        "../outside.txt", "/etc/outside.txt", "run/../../outside.txt", "run//outside.txt", "run/./outside.txt",
        "outside.txt", "other/outside.txt", "run\\outside.txt", "run/\x1b[2J", "run/" + "x" * 400, "README.md/x", "run",
    ],
)  # fmt: skip
def test_a_path_that_is_not_plain_is_refused(tmp_path, name):
    path = zipped(tmp_path / "evil.zip", [RUN_JSON, (name, b"x")])
    with pytest.raises(UserError, match="does not belong into the archive of a run"), archive.opened(path):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {"evil.zip"}


@pytest.mark.parametrize(("kind", "shown"), [(stat.S_IFLNK, "a link"), (stat.S_IFIFO, "a pipe"), (stat.S_IFCHR, "a")])
def test_only_regular_files_are_unpacked(tmp_path, kind, shown):
    path = zipped(tmp_path / "evil.zip", [RUN_JSON], external_attr=(kind | 0o777) << 16)
    with pytest.raises(UserError, match=f"run.json is {shown}"), archive.opened(path):
        pass


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("names", [("run/a", "run/a"), ("run/a", "run/A"), ("run/a", "run/a/b")])
def test_two_files_of_one_name_are_refused(tmp_path, names):
    path = zipped(tmp_path / "evil.zip", [RUN_JSON, *((name, b"x") for name in names)])
    with pytest.raises(UserError, match="two files of one name"), archive.opened(path):
        pass


def test_the_number_and_the_size_of_files_are_limited(tmp_path, monkeypatch):
    path = zipped(tmp_path / "evil.zip", [RUN_JSON, ("run/zeros", bytes(100_000))])
    monkeypatch.setattr(archive, "MAX_BYTES", 100_001)
    with pytest.raises(UserError, match="unpacks to 100,002 bytes, and readers accept 100,001"), archive.opened(path):
        pass
    monkeypatch.setattr(archive, "MAX_BYTES", 100_002)
    monkeypatch.setattr(archive, "MAX_FILES", 2)
    with archive.opened(path) as folder:
        assert (folder / "zeros").stat().st_size == 100_000
    monkeypatch.setattr(archive, "MAX_FILES", 1)
    with pytest.raises(UserError, match="has 2 files, and readers accept 1"), archive.opened(path):
        pass


def test_an_archive_that_understates_a_size_is_refused(tmp_path):
    path = zipped(tmp_path / "evil.zip", [RUN_JSON, ("run/zeros", bytes(100_000))])
    true_size, false_size = (size.to_bytes(4, "little") for size in (100_000, 10))
    path.write_bytes(path.read_bytes().replace(true_size, false_size))
    with pytest.raises(UserError, match="is not a ZIP archive, or is damaged"), archive.opened(path):
        pass


@pytest.mark.parametrize("cut", [0, 10, -30, -3])
def test_a_cut_archive_is_refused(run, tmp_path, cut):
    write(run, tmp_path / "run.zip")
    path = tmp_path / "run.zip"
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(UserError, match="is not a ZIP archive, or is damaged"), archive.opened(path):
        pass


def test_every_flipped_byte_gives_a_sentence_or_the_same_files(run, tmp_path):
    write(run, tmp_path / "run.zip")
    path, content = tmp_path / "run.zip", (tmp_path / "run.zip").read_bytes()
    for position in range(0, len(content), max(1, len(content) // 60)):
        path.write_bytes(content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :])
        try:
            with archive.opened(path) as folder:
                assert (folder / "run.json").is_file()
        except UserError as error:
            assert str(path) in error.message


def test_an_archive_without_a_run_is_refused(tmp_path):
    path = zipped(tmp_path / "other.zip", [("README.md", b"")])
    with pytest.raises(UserError, match="it has no run/run\\.json"), archive.opened(path):
        pass
