"""An entry is named if chance explains its result too rarely for the number of tests of its board, and no earlier."""

from dataclasses import replace
from itertools import product
from math import exp

import numpy as np
import pytest
from msgspec import structs

from tests.helpers import written_runs
from tests.helpers.frames import FACTS, run_of
from tests.helpers.runs import new_run
from wordpl.core import words
from wordpl.core.clues import counted
from wordpl.core.intervals import MAX_FALSE_ALARM
from wordpl.core.messages import UserError
from wordpl.core.moves import ClassicMove, Verdict
from wordpl.run.folder import Run
from wordpl.run.records import Record, encode
from wordpl.stats import findings
from wordpl.stats.clue_luck import ClueLuck
from wordpl.stats.estimates import LuckCorrected
from wordpl.stats.findings import FindingKind
from wordpl.stats.guess_odds import GuessOdds
from wordpl.stats.scores import scores_for

QUANTILES = [score for score in scores_for(FACTS["budget"]) if score.name in ("p05", "p50")]


def odds_of(chances, right, rounds=None):
    n = len(chances)
    rounds = np.full(n, 2) if rounds is None else np.array(rounds)
    return GuessOdds(n, np.arange(n), rounds, np.array(chances, float), np.array(right, bool), np.zeros(n, bool))


def test_the_level_of_right_guesses_is_shared_by_the_tests_of_a_board():
    named = {}
    for n_right in range(20):
        odds = odds_of([0.02] * 40, [True] * n_right + [False] * (40 - n_right))
        p_value = exp(-findings.log_evidence(odds))
        for n_tests in (1, 2, 1000):
            named[n_right, n_tests] = bool(list(findings.guesses("bot", odds, n_tests)))
            assert named[n_right, n_tests] == (p_value < MAX_FALSE_ALARM / n_tests)
    at_1, at_1000 = (sum(named[n_right, n_tests] for n_right in range(20)) for n_tests in (1, 1000))
    assert 0 < at_1000 < at_1 < 20


def test_the_capital_of_bets_on_right_guesses_has_the_mean_one():
    chances, rounds = [0.1, 0.5, 0.25], [1, 2, 2]
    mean = 0.0
    for right in product([False, True], repeat=3):
        chance = np.prod([p if hit else 1 - p for p, hit in zip(chances, right, strict=True)])
        mean += chance * exp(findings.log_evidence(odds_of(chances, right, rounds)))
    assert mean == pytest.approx(1)


def test_an_entry_is_named_with_the_round_of_its_right_guesses_among_all_tests_of_the_board():
    run = run_of({"spy": [2.0] * 40, "honest": [5.0] * 40}, "guesses")
    odds = {"spy": odds_of([0.02] * 40, [True] * 40), "honest": odds_of([0.02] * 40, [False] * 40)}
    (found,) = findings.find(run, None, odds=odds)
    assert (found.entry, found.kind, found.seen, found.n_tests) == ("spy", FindingKind.GUESSES, 40, 4)
    assert found.allowed == pytest.approx(0.8)
    assert found.sentence("Spy").startswith(
        "Spy guessed the secret 40 times in its second guess, but its clues allow 0.8"
    )
    assert not findings.find(run[run["entry"] == "honest"], None, odds=odds), "it is not of these games"


def test_wins_are_tested_only_if_the_chance_of_every_game_is_known():
    run = run_of({"bot": [5.0] * 30}).assign(posterior=0.1)
    (found,) = findings.find(run, None)
    assert (found.kind, found.seen, found.allowed) == (FindingKind.WINS, 30, pytest.approx(3))
    for cost, text in ((5.0, "within 5.0,"), (4321.0, "within 4,321,"), (2e7, "within 2.0e+07,")):
        (found,) = findings.find(run.assign(cost=cost), None, QUANTILES)
        assert f"bot won 30 games {text} but its clues allow 3.0 on average" in found.sentence("bot")
    assert not findings.find(run.assign(posterior=[np.nan, *[0.1] * 29]), None)
    assert not findings.find(run.assign(posterior=0.99), None)
    assert found.text.endswith("It seems to know more than its clues.")
    (found,) = findings.find(run, None)
    assert found.text.startswith("{entry} won 30 games, but its clues allow 3.0")
    (fewer,) = findings.find(run.assign(posterior=0.9, cost=np.inf), None)
    assert (fewer.seen, fewer.allowed) == (0, pytest.approx(27))
    assert fewer.text.endswith("Its counts contradict P(win).")


def means_of(exact, **costs):
    """Return the findings about the means of entries, by their names."""
    run = run_of(costs, "guesses").assign(facts=FACTS["guesses"].as_text())
    odds = {name: odds_of([0.02] * 2, [False] * 2) for name in costs}
    return {found.entry: found for found in findings.find(run, words.load(), odds=odds, exact=exact)}


def test_a_smaller_mean_than_any_player_can_have_is_named_and_giving_up_is_no_way_to_it():
    found = means_of((), bot=[3.0] * 1001, quits=[3.0] * 950 + [np.inf] * 51)
    assert (list(found), found["bot"].seen, found["bot"].n_tests) == (["bot"], 3, 4)
    assert found["bot"].allowed == pytest.approx(7920 / 2315)
    assert "(p-value: below 1e-12; 4 tests)" in found["bot"].text
    lying = run_of({"bot": [3.0] * 1001}, "guesses")
    lying = lying.assign(facts=structs.replace(FACTS["guesses"], has_false_clues=True).as_text())
    assert not findings.find(lying, words.load(), odds={"bot": odds_of([0.02], [False])}), "nothing is proved of it"


def test_the_least_mean_of_a_list_without_a_proof_is_counted():
    few = words.of_words(("abide", "crane", "slate"), ("abide", "crane", "slate"))
    for costs, is_named in (([1.0] * 900, True), ([1.0, 2.0, 2.0] * 300, False)):
        run = run_of({"bot": costs}, "guesses").assign(facts=FACTS["guesses"].as_text())
        found = findings.find(run, few, odds={"bot": odds_of([0.3], [False])})
        assert bool(found) == is_named


def test_only_entries_of_the_game_are_named_for_their_luck():
    fields = np.ones(60), np.full(60, 20.0), np.arange(61), np.full(60, 0.5), np.zeros(60), np.ones(60)
    luck = {name: LuckCorrected(np.arange(60), ClueLuck(*fields)) for name in ("bot", "of another game")}
    found = findings.find(run_of({"bot": [20.0] * 60}), None, luck=luck)
    assert [(one.entry, one.kind, one.n_tests) for one in found] == [("bot", FindingKind.LUCK, 1)]
    assert "luckier than chance: by 0.5000 ± 0.0000 per game" in found[0].text


@pytest.mark.parametrize("number", [1, 6])
def test_right_guesses_of_each_of_six_rounds_have_a_bet_of_their_own(number):
    (found,) = findings.guesses("bot", odds_of([0.02] * 40, [True] * 40, [number] * 40), 2)
    assert f"40 times in its {['first', 'sixth'][number > 1]} guess, but" in found.text


def test_an_entry_without_chance_is_named_for_a_single_guess_less_than_the_best_tree():
    """The best trees of Wordle need 7,920 guesses for the 2,315 answers."""
    best, less = [3.0] * 1340 + [4.0] * 975, [3.0] * 1341 + [4.0] * 974
    assert not means_of(("best",), best=best)
    found = means_of(("best", "less"), best=best, less=less, lucky=[3.0] * 5)
    assert (list(found), found["less"].p_value) == (["less"], 0)
    assert "every answer was played once" in found["less"].text


def test_of_a_very_large_run_equally_many_games_of_each_entry_are_scored(tmp_path, monkeypatch):
    run = written_runs.new_run(tmp_path / "run")
    assert findings.n_scored(run) == 12
    monkeypatch.setattr(findings, "MAX_SCORED", 11)
    assert findings.n_scored(run) == 5
    monkeypatch.setattr("wordpl.core.bounded.CHUNK_BYTES", 100)  # so that records are read one by one
    for entry in (0, 1):
        written_runs.append(run, entry, range(11, -1, -1))  # in the order of play, as the run has not ended
    table = findings.ScoredGames.of(run, words.load()).table
    assert table["game"].tolist() == [*range(5), *range(5)]


def scored(folder, first_guesses, **fields):
    """Return the scored games of a run of Wordle, given the first guess of each game in the order of play."""
    run = new_run(folder, {"bot Bot wordle/1": "class Bot: pass"}, n_games=len(first_guesses), **fields)
    lists, draws = run.info.config.load_lists(), run.info.draws
    order, records = list(draws.order(len(first_guesses))), []
    for number in sorted(order):
        guess, secret = (
            first_guesses[order.index(number)],
            lists.answers[draws.game(number).secret_index(len(lists.answers))],
        )
        clues = counted(guess or secret, secret)
        records.append(Record(number, secret, [ClassicMove(guess or secret, clues)], Verdict.CRASHED))
    run.entries[0].records_path.write_bytes(b"".join(map(encode, records)))
    return findings.ScoredGames.of(Run(run.folder), lists), order


def test_a_guess_is_unusual_by_the_games_that_were_played_before_it(tmp_path):
    """It was guessed in less than a tenth of them: in none of 9, but in one of 10."""
    found, order = scored(tmp_path, [*["crane"] * 9, "slate", "slate", "crane"])
    odds = found.odds["bot"]
    assert odds.game[odds.is_unusual].tolist() == [order[9]]


@pytest.mark.parametrize("every_answer", [False, True])
def test_a_record_with_a_guess_that_is_not_in_the_list_is_refused(tmp_path, every_answer):
    (tmp_path / "words").write_text("crane\nslate\n")
    lists = dict.fromkeys(("answers", "guesses"), tmp_path / "words")
    with pytest.raises(UserError, match="a record has the guess 'zzzzz'"):
        scored(tmp_path, ["crane", "zzzzz"], every_answer=every_answer, **lists)


def test_right_guesses_where_an_entry_departs_from_its_usual_ones_are_more_evidence():
    chances, right = [0.05] * 400, np.arange(400) % 25 == 0
    usual = odds_of(chances, right)
    departs = replace(usual, is_unusual=right)
    assert findings.log_evidence(departs) > findings.log_evidence(usual) + 10
    (found,) = findings.guesses("bot", departs, 2)
    assert (found.seen, found.allowed) == (16, pytest.approx(0.8))
    assert "guessed the secret 16 times where it departed from its usual guess" in found.text


@pytest.mark.parametrize("every_answer", [False, True])
def test_an_answer_that_was_played_is_impossible_if_every_answer_is_played_once(tmp_path, every_answer):
    (tmp_path / "words").write_text("crane\nslate\nabide\nmoist\n")
    lists = dict.fromkeys(("answers", "guesses"), tmp_path / "words")
    found, order = scored(tmp_path, [""] * 4, every_answer=every_answer, **lists)
    chances = found.odds["bot"].chance[order]
    assert chances == pytest.approx([1 / 4, 1 / 3, 1 / 2, 1] if every_answer else [1 / 4] * 4)
    assert ("bot" in found.luck) != every_answer, "luck has no mean of zero if no answer comes twice"
