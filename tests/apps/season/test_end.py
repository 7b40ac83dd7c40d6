"""The end of a season: who is first, how a tie is decided, what is published, and an archive that can be cited."""

import hashlib
import zipfile

import pytest
from msgspec.structs import replace

from tests.apps.season.test_season import isolated, new_season, own_folders, submit  # noqa: F401
from tests.helpers.cli import wordpl
from wordpl.apps.season import archive, check, log
from wordpl.apps.season.season import Season
from wordpl.core.messages import UserError
from wordpl.run.folder import LOCK


def run(folder, *words):
    result = wordpl("season", *words, "-C", folder, "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


@pytest.mark.long
@pytest.mark.timeout(600)
@isolated
def test_a_shared_first_place_is_decided_by_the_further_round_that_the_terms_announce(
    tmp_path,
    own_folders,  # noqa: F811
    monkeypatch,
):
    folder = tmp_path / "cup"
    season = new_season(folder, tie_games=30, first_prize='"300 EUR"')
    submit(season, "one", "two")
    run(folder, "round")
    said = run(folder, "end", "--games", "20")
    assert "share the first place. A further round of these decides, as the terms have announced" in said
    assert not (folder / "FINAL.md").exists()
    run(folder, "end")
    season = Season(folder)
    assert [(event.closing, event.decides) for event in season.played_rounds] == [
        (False, False),
        (True, False),
        (False, True),
    ]
    assert season.run_of(season.played_rounds[-1]).info.config.n_games == 30
    final = (folder / "FINAL.md").read_text()
    assert "shared the first place, and played the further round of 30 games" in final
    assert "The probability that any rank is wrong is at most 5%" in final
    assert "First prize: 300 EUR, " in final
    assert "the season has ended" in wordpl("season", "end", "-C", folder).output
    assert wordpl("season", "verify", "-C", folder).exit_code == 0

    # The archive has the same bytes whatever it is called and whichever release writes it; FINAL.md has its digest.
    said = run_archive(folder, tmp_path / "first.zip")
    monkeypatch.setattr(log, "own_release", lambda: "99.0")
    assert run_archive(folder, tmp_path / "second-name.zip") == said
    assert f"has the SHA-256 {said}." in final
    zipfile.ZipFile(tmp_path / "first.zip").extractall(tmp_path / "unpacked")
    result = wordpl("season", "site", "-C", tmp_path / "unpacked")
    assert result.exit_code == 0, result.output
    result = wordpl("season", "verify", "-C", tmp_path / "unpacked", "--digest", season.log.last_digest)
    assert result.exit_code == 0, result.output


def run_archive(folder, path):
    result = wordpl("season", "archive", path, "-C", folder)
    assert result.exit_code == 0, result.output
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    assert found in result.output
    return found


def test_an_archive_has_each_fact_of_a_season_and_nothing_that_follows_from_them(cup, tmp_path):
    (cup.folder / "answers.txt").write_text("crane\nslate\n")
    for place in (cup.folder, *(cup.folder / "rounds").iterdir()):
        (place / LOCK).write_text("1\n")
    (cup.folder / "docs").mkdir()
    (cup.folder / "docs" / "index.html").write_text("")
    digest = archive.write(cup, tmp_path / "one.zip")
    names = {name.split("/")[0] for name in zipfile.ZipFile(tmp_path / "one.zip").namelist()}
    assert names == {"season.toml", "log.jsonl", "versions", "rounds", "confirmations"}
    zipfile.ZipFile(tmp_path / "one.zip").extractall(tmp_path / "unpacked")
    assert list(check.problems(type(cup)(tmp_path / "unpacked"))) == []
    assert not list((tmp_path / "unpacked").rglob(LOCK))
    assert archive.digest(cup) == digest == hashlib.sha256((tmp_path / "one.zip").read_bytes()).hexdigest()
    cup.log.known_terms.clear()
    cup.written = replace(cup.written, answers="answers.txt")
    archive.write(cup, tmp_path / "other.zip")
    assert "answers.txt" in zipfile.ZipFile(tmp_path / "other.zip").namelist()
    (cup.folder / "rounds" / "link").symlink_to(tmp_path / "unpacked")  # which would be left out
    with pytest.raises(UserError, match="rounds/link is a link"):
        archive.write(cup, tmp_path / "two.zip")
