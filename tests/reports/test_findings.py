"""Results that clues do not allow are named wherever a run is shown, and honest ones are not."""

import json
import shutil
from textwrap import dedent

import numpy as np
import pytest

from tests.helpers.apps import needed
from tests.helpers.cli import wordpl
from tests.helpers.frames import FACTS, run_of
from wordpl.core import words
from wordpl.reports.html.run_page import run_page
from wordpl.reports.run_report import RunReport
from wordpl.run.folder import Run
from wordpl.solvers.optima import PROVED, counted_mean, digest_of, proved_mean
from wordpl.stats import findings
from wordpl.stats.findings import FindingKind

LOOKS = """
    import sys

    class {name}:
        def __repr__(self):
            return "{name}"

        game = "{game}"

        def first_move(self):
            self.played = 1
            return {first}

        def next_move(self, *move):
            self.played += 1
            frame = sys._getframe()
            while "secret" not in frame.f_locals:
                frame = frame.f_back
            return {later}
"""
WORDLE = {
    "spy": LOOKS.format(name="Spy", game="wordle/1", first='"salet"', later='frame.f_locals["secret"]'),
    "honest": LOOKS.format(
        name="Honest", game="wordle/1", first='"salet"', later='"crony" if self.played == 2 else "gazed"'
    ),
}


def evaluated(folder, sources, **options):
    """Return the finished run of these entries, which play in this process."""
    paths = []
    for name, source in sources.items():
        paths.append(folder / f"{name}.py")
        paths[-1].write_text(dedent(source))
    named = [text for name, value in options.items() for text in (f"--{name}", str(value))]
    result = wordpl("evaluate", *paths, "--trust", "--repeats", "0", "--results", folder / "results", *named)
    assert result.exit_code == 0, result.output
    (path,) = (folder / "results").iterdir()
    return Run(path), result.output


@pytest.fixture(scope="module")
def wordle_run(tmp_path_factory):
    """A finished run of 40 games of Wordle, which one of the entries wins with its second guess."""
    return evaluated(tmp_path_factory.mktemp("wordle"), WORDLE, games=40, seed="wordle")


@pytest.mark.slow
def test_an_entry_that_knows_the_secret_of_a_classic_game_is_named_everywhere(wordle_run):
    wordle_run, board = wordle_run
    report = RunReport.of(wordle_run.folder)
    sentences = list(report.findings())
    assert sentences[0].startswith("Spy guessed the secret 40 times in its second guess, but its clues allow ")
    assert sentences[1].startswith("The clues of Spy were luckier than chance: by ")
    for text in (board, report.markdown()):
        assert all(sentence in " ".join(text.split()) for sentence in sentences)
    assert "guessed the secret 40 times" in run_page([report.results()])
    shown = wordpl("verify", wordle_run.folder)
    assert shown.exit_code == 1
    assert "Results that clues do not allow: 2." in shown.output
    assert "All holds" not in shown.output
    verified = json.loads(wordpl("verify", wordle_run.folder, "--json").output)
    assert (verified["holds"], verified["differences"], verified["unexplained"]) == (False, [], sentences)


def test_a_page_without_a_finding_that_is_made_later_has_no_other_difference(wordle_run):
    wordle_run, _ = wordle_run
    page = wordle_run.folder / "LEADERBOARD.md"
    text = page.read_text()
    try:
        page.write_text("\n\n".join(part for part in text.split("\n\n") if "guessed the secret" not in part))
        assert len(page.read_text()) < len(text) - 100
        assert json.loads(wordpl("verify", wordle_run.folder, "--json").output)["differences"] == []
    finally:
        page.write_text(text)


@pytest.mark.slow
def test_matches_name_an_entry_that_knows_the_secret(tmp_path):
    for name, source in WORDLE.items():
        (tmp_path / f"{name}.py").write_text(dedent(source))
    sides = tmp_path / "spy.py", tmp_path / "honest.py"
    result = wordpl("match", *sides, "--trust", "--games", "30", "--results", tmp_path / "results", "--json")
    guessed = json.loads(result.stdout)["unexplained"][0]
    assert guessed.startswith("Spy guessed the secret")


@pytest.mark.slow
def test_a_season_names_a_version_until_it_is_disqualified(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    site, log, seasons = needed("season.site"), needed("season.log"), needed("season.season")
    answers_it = LOOKS.format(name="Spy", game="wordpl/1", first='"crane", 1e-9', later='frame.f_locals["secret"], 0')
    run, _ = evaluated(tmp_path, {"spy": answers_it}, games=40)
    wordpl("season", "new", tmp_path / "cup", "--no-bundled")
    season = seasons.Season(tmp_path / "cup")
    version, _ = season.submit(tmp_path / "spy.py")
    shutil.copytree(run.folder, season.folder / "rounds" / "one")
    players = {entry.slug: version.label for entry in run.info.entries}
    season.log.add(log.Round(time=seasons.now(), number=1, run="one", commitment="", players=players))
    season.log.add(log.RunPlayed(time=seasons.now(), run="one", seal="", files=""))
    named = "one: spy@1 won 40 games"
    assert named in wordpl("season", "standings", "-C", season.folder).output
    assert (
        named in json.loads(wordpl("season", "standings", "-C", season.folder, "--json").output)["findings"][0]["text"]
    )
    site.publish(season)
    assert any(named in page for page in site.pages(season, season.standings()).values())
    season.disqualify("spy@1", "knew the secrets")
    assert list(season.named()) == []


@pytest.mark.parametrize("names", list(PROVED))
def test_the_proved_minimum_of_lists_is_that_of_their_proof(names):
    from benchmarks.check_proofs import LISTS, PROOFS

    (lists,) = (found for found in LISTS if (digest_of(found.answers), digest_of(found.guesses)) == names[:2])
    claims = [json.loads(path.read_text()) for path in PROOFS.glob("*.json")]
    (proved,) = (
        proof["proved"]
        for proof in claims
        if (proof["claim"]["answers"], proof["claim"]["guesses"]) == tuple(lists.set_sha256.values())
        and proof["claim"]["is_hard"] == names[2]
    )
    assert f"less than {PROVED[names]:,} guesses" in proved
    shuffled = words.of_words(lists.answers[::-1], lists.guesses[::-1])
    assert proved_mean(shuffled, "counted", is_hard=names[2]) == PROVED[names] / len(lists.answers)


def test_no_player_is_below_the_mean_that_follows_from_the_clues_of_a_first_guess():
    answers = ("aba", "abc", "bab", "bca", "cab", "cca")
    lists = words.of_words(answers, (*answers, "abd"))
    # cca gets six different clues, so that it is right at once or the second guess is
    assert counted_mean(lists, "counted") == pytest.approx(11 / 6)
    assert proved_mean(lists, "counted", is_hard=False) is None


def costs_of(guesses):
    return run_of({"bot": guesses}, "guesses").assign(facts=FACTS["guesses"].as_text())


@pytest.mark.parametrize(
    ("guesses", "is_exact", "is_named"),
    [
        pytest.param([3.0] * 800 + [4.0] * 201, False, True, id="far below the minimum"),
        pytest.param([3.0] * 600 + [4.0] * 401, False, False, id="a little below the minimum, as chance has it"),
        pytest.param([3.0] * 1341 + [4.0] * 974, True, True, id="every answer, below the minimum by a guess"),
        pytest.param([3.0] * 1340 + [4.0] * 975, True, False, id="every answer, with the minimum"),
        pytest.param([3.0] * 800 + [np.inf] * 201, False, False, id="gives up what takes long"),
    ],
)
def test_only_a_mean_significantly_below_the_minimum_is_a_finding(guesses, is_exact, is_named):
    found = list(findings.mean_of_guesses("bot", costs_of(guesses), words.load(), 2, is_exact=is_exact))
    assert [one.kind for one in found] == [FindingKind.MEAN] * is_named
