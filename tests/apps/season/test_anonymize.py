"""The names of an author are replaced on request: nothing keeps them, results stay, and all is verified as before."""

import shutil

import pytest

from tests.apps.season.test_season import bot, isolated, new_season, own_folders, submit  # noqa: F401
from tests.helpers.cli import wordpl
from wordpl.apps.season.season import Season
from wordpl.verify import verify

PERSON = ("xantippe", "zenobia_bot", "Zenobia", "zeno-forge")
AUTHORS = """xantippe = ["zenobia_bot", "zenobia_two"]  # xantippe asked twice

[owners]
xantippe = ["zeno-forge"]
ben = ["ben-forge"]
"""
FAILS = '''
"""Zenobia's second one."""

class ZenobiaTwo:
    def first_move(self):
        raise ValueError("Zenobia")
'''


def places_with(folder, words):
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if ".git" not in path.relative_to(folder).parts
        and any(word.encode() in (path.read_bytes() if path.is_file() else b"") or word in path.name for word in words)
    )


def numbers(season):
    return [
        [(row.first_rank, row.last_rank, row.value, row.low, row.high, row.n_games) for row in table.rows]
        for table in season.standings().tables
    ]


@pytest.mark.long
@pytest.mark.timeout(900)
@isolated
def test_no_file_keeps_the_names_of_an_author_who_asked_for_that(tmp_path, own_folders):  # noqa: F811
    folder = tmp_path / "cup"
    season = new_season(folder, authors=AUTHORS)
    place = bot(folder / "strategies", "zenobia_bot")
    place.write_text(place.read_text().replace("Bot", "Zenobia"))
    season.submit(place)
    submit(season, "ben", "cleo", epsilon=6.0)
    for words in (["round"], ["confirm", "zenobia_bot", "--score", "p_win", "--value", "0.5"]):
        result = wordpl("season", *words, "-C", folder, "--quiet", "--jobs", "1")
        assert result.exit_code == 0, result.output
    (folder / "strategies" / "zenobia_two.py").write_text(FAILS)
    season = Season(folder)
    season.submit(folder / "strategies" / "zenobia_two.py")
    season.disqualify("zenobia_two@1", "zenobia_two@1 of xantippe fails.")
    assert wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1").exit_code == 0
    assert wordpl("season", "end", "-C", folder, "--games", "20", "--quiet", "--jobs", "1").exit_code == 0
    assert wordpl("season", "site", "-C", folder).exit_code == 0
    before, published = numbers(Season(folder)), list(Season(folder).log.digests)
    assert len(places_with(folder, PERSON)) > 20
    copy = shutil.copytree(folder, tmp_path / "copy")

    result = wordpl("season", "anonymize", "xantippe", "-C", folder)
    assert result.exit_code == 0, result.output
    assert "His results are those of author-1." in " ".join(result.output.split())
    assert places_with(folder, PERSON) == []
    assert numbers(Season(folder)) == before
    for digest in published:
        result = wordpl("season", "verify", "-C", folder, "--digest", digest)
        assert result.exit_code == 0, result.output
    assert "the names of author-1 were replaced on request" in " ".join(result.output.split())
    for event in Season(folder).played_rounds:
        run = Season(folder).run_of(event)
        assert verify(run, run.info.config.load_lists()).differences == []
    assert "author-1" in (folder / "standings.json").read_text()
    assert wordpl("season", "verify", "-C", copy).exit_code == 0

    # What was written anew is as fixed as before.
    (folder / "log.jsonl").write_text((folder / "log.jsonl").read_text().replace("author-1-1@1", "author-1-1@2", 1))
    assert wordpl("season", "verify", "-C", folder).exit_code == 1


@pytest.mark.slow
@pytest.mark.timeout(600)
@isolated
def test_a_season_goes_on_after_names_were_replaced_twice(tmp_path, own_folders):  # noqa: F811
    folder = tmp_path / "cup"
    submit(new_season(folder), "xantippe", "zenobia", "ben", "cleo")
    assert wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1").exit_code == 0
    digest = Season(folder).log.last_digest
    result = wordpl("season", "confirm", "xantippe", "--score", "p05", "--value", "30", "--announce", "-C", folder)
    assert result.exit_code == 0, result.output
    assert wordpl("season", "void", "--reason", "its machine was stolen", "-C", folder).exit_code == 0
    for name in ("xantippe", "zenobia"):
        result = wordpl("season", "anonymize", name, "-C", folder)
        assert result.exit_code == 0, result.output
        assert wordpl("season", "verify", "-C", folder, "--digest", digest).exit_code == 0
    assert places_with(folder, ("xantippe", "zenobia")) == []
    result = wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert wordpl("season", "verify", "-C", folder, "--digest", digest).exit_code == 0
    assert {version.name for version in Season(folder).versions if version.is_active} == {"ben", "cleo"}
    assert "no version of the season is by 'xantippe'" in wordpl("season", "anonymize", "xantippe", "-C", folder).output
