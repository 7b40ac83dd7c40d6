"""Evidence by enumeration: what is asked, what is found out, what is refused."""

import re

import msgspec
import pytest

from tests.contest.test_win_rate import ALLOWANCE, BOT
from wordpl.contest import evidence
from wordpl.contest.entries import find_entries
from wordpl.contest.enumeration import Branch, exact
from wordpl.contest.evidence import EvidenceKind
from wordpl.contest.evidence_log import EvidenceLog
from wordpl.core import words
from wordpl.core.errors import UserError
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.run_config import RunConfig
from wordpl.players.in_process import TrustedPlayer
from wordpl.players.workdir import working_folder

pytestmark = pytest.mark.timeout(600)  # the first test compiles the rating of guesses

WORDS = ["bad", "dab", "add", "cab", "ace", "bee", "ebb", "fed"]
LATE_LIAR = """
        def next_move(self, guess, epsilon, clues):
            word, price = super().next_move(guess, epsilon, clues)
            if price == 0 and {when}:
                return "ace" if word != "ace" else "bad", 0
            return word, price
"""


@pytest.fixture
def asked(tmp_path, write_entry):
    """Return a function that collects evidence of a bot on a few short words, as a run would play it."""
    files = {name: tmp_path / f"{name}.txt" for name in ("answers", "guesses")}
    for file in files.values():
        file.write_text("".join(f"{word}\n" for word in WORDS))
    config = RunConfig(**files, player=PlayerKind.TRUSTED)

    def collect(make, n_histories=400, source=BOT, **terms):
        path = write_entry(f"{source}\n    ENTRIES = [{make}]", name=f"bot{len(make)}").file
        (entry,) = find_entries((path,), config, "").entries
        return evidence.collect(entry, config, n_histories, **terms), config

    return collect


def test_two_guesses_are_asked_after_every_clue_and_nothing_is_subtracted(asked, write_entry, tmp_path):
    found, config = asked("Bot()")
    assert evidence.check(found, config) == []
    lists = words.load(config.answers, config.guesses)
    player = TrustedPlayer(write_entry(BOT, "Bot()"), working_folder(lists, tmp_path))
    chance, budget = exact(player, lists, "wordpl/1", ALLOWANCE, lambda: None)
    player.close()
    assert (found.kind, found.n_histories, found.n_guesses) == (EvidenceKind.EVERY_CLUE, 0, 2)
    assert found.chance == found.enumerated == pytest.approx(chance)
    assert found.budget == budget


@pytest.mark.slow
def test_three_guesses_are_95_percent_sure_and_three_over_n_is_subtracted(asked):
    found, config = asked("Bot(n_guesses=3)")
    assert (found.kind, found.n_histories) == (EvidenceKind.EVERY_LAST_GUESS, 400)
    assert found.chance == found.enumerated - 3 / 400
    assert evidence.check(found, config) == []
    assert evidence.check(found, config, sample=200) == []
    (far,) = evidence.check(msgspec.structs.replace(found, enumerated=0.99).sealed(), config, sample=200)
    assert far.startswith("the probability of winning: 0.990000 in the file, ")
    (said,) = evidence.check(msgspec.structs.replace(found, budget=5.0).sealed(), config, sample=200)
    assert "it spent 10, more than 5" in said
    mean, error = (float(one) for one in re.search(r"but (\S+) ± (\S+) in 200 games", far).groups())
    for n_errors, n_findings in [(-4.7, 1), (-4.3, 0), (4.3, 0), (4.7, 1)]:
        stated = msgspec.structs.replace(found, enumerated=mean + n_errors * error).sealed()
        assert len(evidence.check(stated, config, sample=200)) == n_findings, n_errors


def test_an_entry_that_lies_where_no_enumeration_looks_is_found_out_by_drawn_games(asked):
    # No word gives this clue truly, so that the enumeration, which shows a true one last, never does.
    lying = BOT + "\n    class Liar(Bot):" + LATE_LIAR.format(when='clues == "cci"')
    with pytest.raises(UserError, match=r"in drawn game .* which is not the likeliest word"):
        asked("Liar(n_guesses=3)", 2000, lying)


def test_an_entry_that_plays_by_chance_is_refused(asked):
    moody = BOT + "\n    class Moody(Bot):\n        def first_move(self):\n            super().first_move()\n"
    moody += '            return self.rng.choice(["bad", "cab"]), 2.0\n'
    with pytest.raises(UserError, match="with the same clues"):
        asked("Moody()", 400, moody)


class Stopped(Exception):
    pass


def stop_after(n):
    steps = iter(range(n))

    def step():
        if next(steps, None) is None:
            raise Stopped

    return evidence.Progress(step, step)


@pytest.mark.parametrize("n_steps", [9, 27 + 600], ids=["clues", "games"])
@pytest.mark.slow
def test_an_interrupted_collection_goes_on_with_its_seed_and_finds_the_same(asked, tmp_path, n_steps):
    log = tmp_path / ".bot.json.part"
    with pytest.raises(Stopped):
        asked("Bot(n_guesses=3)", 700, progress=stop_after(n_steps), log=log)
    seed = log.read_bytes().partition(b'"seed":"')[2][:64].decode()
    steps = []
    count = evidence.Progress(lambda: steps.append("clue"), lambda: steps.append("game"))
    found, config = asked("Bot(n_guesses=3)", 700, progress=count, log=log)
    whole, _ = asked("Bot(n_guesses=3)", 700)
    assert (found.seed, found.enumerated, found.budget) == (seed, whole.enumerated, whole.budget)
    assert (steps.count("clue"), steps.count("game"), log.exists()) == (27, 700, False)
    assert evidence.check(found, config) == []


def test_what_was_begun_for_another_entry_is_not_gone_on_with(asked, tmp_path):
    log = tmp_path / ".bot.json.part"
    with pytest.raises(Stopped):
        asked("Bot(n_guesses=3)", 700, progress=stop_after(20), log=log)
    before = log.read_bytes().partition(b'"seed":"')[2][:64].decode()
    found, _ = asked("Bot()", 700, log=log)
    assert (found.kind, found.seed != before) == (EvidenceKind.EVERY_CLUE, True)


def test_evidence_that_was_edited_is_refused(asked, tmp_path):
    found, config = asked("Bot()")
    path = tmp_path / "bot.json"
    evidence.save(path, found)
    assert evidence.load(path) == found
    path.write_bytes(path.read_bytes().replace(b'"n_guesses": 2', b'"n_guesses": 1'))
    with pytest.raises(UserError, match="was edited"):
        evidence.load(path)
    better = msgspec.structs.replace(found, enumerated=found.enumerated + 0.01).sealed()
    (said,) = evidence.check(better, config)
    assert said.startswith("the probability of winning:")


def test_a_log_of_evidence_goes_on_after_whole_lines_and_begins_anew_for_another_question(tmp_path):
    path, question = tmp_path / "log", {"n_histories": 2000, "entry": "bot"}
    branches = {clues: Branch(chance=0.1 * at, n_games=at) for at, clues in enumerate(["ccccc", "....i"], 1)}
    begun = EvidenceLog(path, question, "first")
    for clues, branch in branches.items():
        begun.add_branch(clues, branch)
        begun.add_branch(clues, Branch())  # is known
    for _ in range(1499):
        begun.add_game()
    with path.open("ab") as file:
        file.write(b'{"clues":"to')
    again = EvidenceLog(path, question, "second")
    assert (again.seed, again.branches, again.n_played) == ("first", branches, 1000)
    again.add_branch(".....", Branch(n_games=9))
    assert EvidenceLog(path, question, "third").branches == branches | {".....": Branch(n_games=9)}
    assert path.read_bytes().count(b"\n") == 1 + 2 + 2 + 1
    other = EvidenceLog(path, question | {"entry": "other"}, "fourth")
    assert (other.seed, other.branches, other.n_played) == ("fourth", {}, 0)
    other.remove()
    assert not path.exists()
    in_memory = EvidenceLog(None, question, "fifth")
    in_memory.add_branch("ccccc", Branch())
    in_memory.remove()
    assert (in_memory.seed, list(in_memory.branches)) == ("fifth", ["ccccc"])
