"""The names of an author are replaced on request: nothing keeps them, results stay, and all is verified as before."""

import shutil
from hashlib import sha256

import pytest
from msgspec.structs import replace

from tests.apps.season.test_season import bot, isolated, new_season, own_folders, submit  # noqa: F401
from tests.helpers import trusted_seasons
from tests.helpers.cli import wordpl
from wordpl.apps.season.anonymize import anonymize, close, resume
from wordpl.apps.season.check import problems
from wordpl.apps.season.doctor import examine
from wordpl.apps.season.log import Anonymized
from wordpl.apps.season.season import Season
from wordpl.contest import Observer
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict
from wordpl.run.records import encode
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


@pytest.fixture(scope="module")
def xantippe_cup(played_cup, tmp_path_factory):
    """The folder of a season with an author of two entries, who has played, and whose record was not shown."""
    folder = shutil.copytree(played_cup / "cup", tmp_path_factory.mktemp("author") / "cup")
    terms = folder / "season.toml"
    own = '[authors]\nxantippe = ["xantippe_bot", "other_bot"]\n[owners]\nxantippe = ["zeno-forge"]\n'
    terms.write_text(f"{terms.read_text()}# xantippe has asked twice\n{own}")
    season = trusted_seasons.TrustedSeason(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(folder.parent / "state"))
        patch.setenv("XDG_CACHE_HOME", str(played_cup / "cache"))
        trusted_seasons.send(season, "xantippe_bot", "other_bot", epsilon=30.0)
        season.play_round()
        season.announce_confirmation("other_bot", "p05", 30.0, Observer())
        season.play()
        season.withdraw("other_bot")
        season.play_round()
        season.disqualify("other_bot@1", "xantippe sent other_bot twice")
    return folder


@pytest.fixture
def with_xantippe(xantippe_cup, cup):
    """A copy of that season."""
    return type(cup)(shutil.copytree(xantippe_cup, cup.folder.parent / "with_author"))


def totals(season):
    """Return what each version won in each round."""
    return [
        (games.players, [(own.spent.sum(), own.credit.sum()) for own in games.credits])
        for games in season.games_of_rounds()
    ]


def test_an_author_s_names_and_sources_leave_each_file_and_all_follows_as_before(with_xantippe):
    season, folder = with_xantippe, with_xantippe.folder
    before, published, runs = totals(season), season.log.digests, [season.run_of(event) for event in season.announced]
    facts = [(run.info.seed, run.info.commitment, run.info.drawn_seed) for run in runs]
    others = {run.folder: {path.name for path in (run.folder / "bundles").iterdir()} for run in runs[:3]}
    (folder / "docs").mkdir()
    (folder / "docs" / "entry-other_bot.html").write_text("")
    request = anonymize(season, "xantippe")
    pseudonym, salt = request.author, request.salt
    close(folder)
    assert places_with(folder, ("xantippe", "other_bot", "zeno-forge")) == []
    season = type(season)(folder)
    assert totals(season) == before
    assert season.log.digests[:-1] == published  # an earlier digest is still one of this season
    assert list(problems(season)) == []
    assert [(run.info.seed, run.info.commitment, run.info.drawn_seed) for run in
            map(season.run_of, season.announced)] == facts  # fmt: skip
    names = [version.name for version in season.versions if version.author == pseudonym]
    assert names == [f"{pseudonym}-1", f"{pseudonym}-2"]
    assert not any(version.is_active for version in season.versions if version.author == pseudonym)
    (event,) = (event for event in season.log.events if isinstance(event, Anonymized))
    assert event.digest == sha256(f"{salt}/xantippe".encode()).hexdigest()
    for run, bundles in others.items():
        assert {path.name for path in (run / "bundles").iterdir()} == bundles  # of others
    for event in season.announced[3:]:
        assert len(list((season.run_of(event).folder / "bundles").iterdir())) == len(
            [entry for entry in season.run_of(event).info.entries if not entry.name.startswith(pseudonym)]
        )


def test_what_was_written_anew_is_as_fixed_as_before_and_a_second_request_keeps_that(with_xantippe):
    season = with_xantippe
    lost = season.announce_confirmation("xantippe_bot", "p05", 20.0, Observer())
    season.void("", "its machine was lost")
    published = list(season.log.digests)
    anonymize(season, "xantippe")
    with pytest.raises(UserError, match="repeat the command with his name first"):
        resume(season.folder, "two")
    close(season.folder)
    assert not (season.folder / "confirmations" / lost.run).exists()
    assert resume(season.folder, "two") is None
    assert anonymize(season, "two").author.startswith("author-")
    season = type(season)(season.folder)
    assert season.log.digests[: len(published)] == published
    assert list(problems(season)) == []
    assert not any("The files of" in sentence for sentence in examine(season).missing), "they are gone for good"
    path = season.folder / "log.jsonl"
    path.write_text(path.read_text().replace("sent author", "send author", 1))
    with pytest.raises(UserError, match="has changed since a name was replaced in it"):
        type(season)(season.folder)


def test_a_request_waits_for_an_announced_round_and_for_names_that_are_free(with_xantippe):
    season = with_xantippe
    trusted_seasons.send(season, "author-5", epsilon=50.0)
    with pytest.raises(UserError, match="author-5 is taken: somebody sends entries by this name"):
        anonymize(season, "xantippe")
    with pytest.raises(UserError, match="no version of the season is by 'nobody'"):
        anonymize(season, "nobody")
    season.announce_round(Observer())
    with pytest.raises(UserError, match="is not played to its end yet"):
        anonymize(season, "two")


def test_a_name_that_is_a_value_of_the_terms_cannot_be_replaced(with_xantippe):
    path = with_xantippe.folder / "season.toml"
    path.write_text('answers = "two"\n' + path.read_text())
    with pytest.raises(UserError, match="a name is also a value of"):
        anonymize(with_xantippe, "two")


def test_the_message_of_a_failure_is_removed_as_it_has_names(with_xantippe):
    season = with_xantippe
    place = season.folder / "strategies" / "xantippe_bot.py"
    place.write_text("raise ValueError('Xantippe failed')")
    season.submit(place)
    assert "Xantippe failed" in season.play_round().faults["xantippe_bot@2"]
    event = season.played_rounds[-2]
    run = season.run_of(event)
    entry = next(entry for entry in run.entries if "xantippe" in entry.info.file)
    (record, *_) = entry.read()
    lost = replace(record, verdict=Verdict.CRASHED, moves=[], message="xantippe.py, line 3: Xantippe failed")
    entry.records_path.write_bytes(encode(lost) * run.info.config.n_games)
    entry.repeats_path.write_bytes(b"")
    run.info.played_again, run.info.after_seed = {entry.info.slug: [1]}, [entry.info.slug]
    run.finish(run.info.finished)
    anonymize(season, "xantippe")
    close(season.folder)
    assert places_with(season.folder, ("antippe",)) == []
    (slug,) = season.run_of(event).info.after_seed
    assert season.run_of(event).info.played_again == {slug: [1]}
    ((own, *_),) = [entry.read() for entry in season.run_of(event).entries if entry.info.slug.startswith("author")]
    assert (own.verdict, own.message) == (Verdict.CRASHED, "")
