"""Rounds are comparable by digests of what players see; a bridge of replayed games connects them after an upgrade."""

from dataclasses import replace
from textwrap import dedent

import numpy as np
import pytest

from tests.apps.season.test_periods import VERSIONS, computed
from tests.apps.season.test_season import isolated, new_season, own_folders, problems, submit  # noqa: F401
from tests.helpers.cli import wordpl
from wordpl.apps.season import bridge
from wordpl.apps.season.bridge import differences, digest, era_of, parts_of
from wordpl.apps.season.credits import Credits
from wordpl.apps.season.log import Bridged
from wordpl.apps.season.periods import PRESENT, RoundGames
from wordpl.apps.season.season import Season
from wordpl.contest import run_folder
from wordpl.core import words
from wordpl.core.messages import UserError
from wordpl.run.config import RunConfig

BY_CHANCE = """
    import os

    class Bot:
        def first_move(self):
            return ("crane", "slate", "abide")[os.urandom(1)[0] % 3], 5.0

        def next_move(self, guess, epsilon, clues):
            return "slate", 0
"""


def test_digests_decide_what_is_comparable_and_release_numbers_do_not():
    config, game = RunConfig().resolved("A"), [("wordpl/1", "")]
    own = run_folder.versions()
    same = digest(parts_of(own, config, game))
    assert digest(parts_of(own | {"wordpl": "99.0"}, config, game)) == same
    for name in ("rules", "library", "numpy", "numba"):
        assert digest(parts_of(own | {name: "0"}, config, game)) != same
    of_1_0 = {name: own[name] for name in ("python", "wordpl", "numpy", "numba")}
    assert digest(parts_of(of_1_0, config, game)) != same


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"timeout_s": 4.0}, "the limits of a game"), ({"memory_mb": 64}, "the limits of a game"),
        ({"warmup_s": 4.0}, "the limits of a game"), ({"answers": "few.txt"}, "the word lists"),
        ({"guesses": "few.txt"}, "the word lists"), ({}, ""),
    ],
)  # fmt: skip
def test_games_under_other_limits_or_word_lists_are_not_comparable(tmp_path, monkeypatch, change, named):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "few.txt").write_text(f"{words.as_text(words.load().answers)}aahed\n")
    own, game = run_folder.versions(), [("wordpl/1", "")]
    before, after = (parts_of(own, RunConfig(**values).resolved("A"), game) for values in ({}, change))
    assert differences(before, after) == named
    assert (digest(before) == digest(after)) is not bool(change)


def test_games_of_a_host_s_own_game_are_comparable_if_its_file_is_the_same():
    own, config = run_folder.versions(), RunConfig().resolved("A")
    first, second = (digest(parts_of(own, config, [("fibble/1", sha256)])) for sha256 in ("0" * 64, "1" * 64))
    assert first != second
    assert first == digest(parts_of(own, config, 2 * [("fibble/1", "0" * 64)]))
    python = own["python"].split(".")
    later = {name: ".".join([*python[:-1], number]) for name, number in (("python", "99"),)}
    assert first == digest(parts_of(own | later, config, [("fibble/1", "0" * 64)]))
    for other in ("2.7.18", "3.8.1"):
        assert first != digest(parts_of(own | {"python": other}, config, [("fibble/1", "0" * 64)]))


def bridged(old, new, **games):
    return Bridged(time="", old=old, new=new, games={f"{name}@1": found for name, found in games.items()})


def test_a_version_keeps_its_games_over_bridges_on_which_all_replays_were_equal():
    first = bridged("a", "b", one=(60, 60), two=(60, 59), few=(59, 59))
    bridges = [first, bridged("b", "c", one=(60, 60), two=(60, 60))]
    eras = {name: [era_of(f"{name}@1", held, "c", bridges, ["a", "b", "c"]) for held in "abc"]
            for name in ("one", "two", "few", "absent")}  # fmt: skip
    assert eras["one"] == [PRESENT] * 3
    assert eras["two"] == [0, PRESENT, PRESENT]
    assert eras["few"] == eras["absent"] == [0, 1, PRESENT]
    assert era_of("one@1", "a", "c", bridges[::-1], ["a", "b", "c"]) == PRESENT, "in whatever order they are given"


def test_the_present_conditions_are_those_of_the_newest_round_or_bridge(cup):
    before = cup.present_conditions()
    cup.log.add(bridged(before, "new"))
    assert cup.present_conditions() == "new"
    assert cup.until(len(cup.log.events) - 1).present_conditions() == before


@pytest.mark.parametrize("change", [{"answers": slice(None, None, -1)}, {"guesses": slice(1, None)}], ids=str)
def test_games_with_other_words_or_another_order_of_answers_are_not_replayed(cup, monkeypatch, change):
    lists = cup.terms.lists(cup.folder)
    then = replace(lists, **{name: getattr(lists, name)[part] for name, part in change.items()})
    monkeypatch.setattr(cup, "lists_of", lambda run: then)
    monkeypatch.setattr(cup, "what_changed", lambda: "numpy")
    monkeypatch.setattr(bridge, "replayed", lambda *_: {})
    with pytest.raises(UserError, match="no recorded game can be replayed: all versions start anew"):
        cup.bridge()


def rounds_of(shares, eras, n=400):
    """Equal rounds in which versions win these shares of games, in these eras."""
    won = [(np.random.default_rng(5).random(n) < share).astype(float) for share in shares]
    return [RoundGames(range(3), [Credits(np.full(n, 10.0), credit) for credit in won], 0, era) for era in eras]


@pytest.mark.parametrize("name", ["p_win", "p50"])
def test_games_of_an_earlier_era_count_as_asked_questions_and_order_nobody(name):
    versions = VERSIONS[:3]
    alone = computed(rounds_of([0.3, 0.6, 0.9], [[PRESENT] * 3]), name, versions=versions)
    before = computed(rounds_of([0.3, 0.6, 0.9], [[0] * 3, [PRESENT] * 3]), name, versions=versions)
    assert before.n_rounds == 1
    assert before.n_games.tolist() == [400] * 3
    assert before.periods.questions == [[0, 1, 2], [3, 4, 5]]
    widths = [[row.high - row.low for row in found.tables[0].rows] for found in (alone, before)]
    if name == "p_win":
        assert all(after > first for first, after in zip(*widths, strict=True))  # more questions share the 5%
    only_old = computed(rounds_of([0.3, 0.6, 0.9], [[0] * 3]), name, versions=versions).tables[0]
    assert [(row.n_games, row.first_rank, row.last_rank) for row in only_old.rows] == [(0, 1, 3)] * 3


@pytest.mark.long
@pytest.mark.timeout(600)
@isolated
def test_after_an_upgrade_versions_that_play_as_before_keep_their_games(tmp_path, own_folders, monkeypatch):  # noqa: F811
    folder = tmp_path / "cup"
    season = new_season(folder, games=60)
    submit(season, "one")
    (folder / "strategies" / "chance.py").write_text(dedent(BY_CHANCE))
    season.submit(folder / "strategies" / "chance.py")
    assert wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1").exit_code == 0
    assert "nothing has changed" in wordpl("season", "bridge", "-C", folder).output

    monkeypatch.setattr(run_folder, "_digest_of", lambda parts: "0" * 16)
    result = wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1")
    assert result.exit_code == 1
    assert "the code that entries import changed since the last round" in result.output
    assert "2 versions would no longer be comparable" in result.output
    assert Season(folder).pending is None
    result = wordpl("season", "bridge", "-C", folder)
    assert "one@1 keeps its games: 60 of 60 replayed games equal" in result.output, result.output
    assert "chance@1 starts anew" in result.output
    result = wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    rows = Season(folder).standings().tables[0].rows
    assert {row.version.label: row.n_games for row in rows} == {"one@1": 120, "chance@1": 60}
    assert problems(folder) == []

    result = wordpl("season", "void", "-C", folder, "--machine", "no such one", "--reason", "bad memory")
    assert "Machines of the season: " in result.output
    machine = next(iter(Season(folder).ends.values())).machine
    wordpl("season", "void", "-C", folder, "--machine", machine, "--reason", "bad memory")
    assert Season(folder).played_rounds == []
    assert all(not row.n_games for row in Season(folder).standings().tables[0].rows)
    assert problems(folder) == []
