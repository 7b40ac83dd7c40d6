"""Evidence by enumeration: what it states, which differences a check reports, and what is refused."""

import json
import re
from hashlib import sha256

import msgspec
import pytest

from tests.contest.test_win_rate import ALLOWANCE
from tests.helpers.paths import HOME
from wordpl.contest import evidence, run_folder
from wordpl.contest.entries import find_entries
from wordpl.contest.enumeration import Branch, exact
from wordpl.contest.evidence import EvidenceKind, EvidenceLog
from wordpl.core import words
from wordpl.core.messages import UserError
from wordpl.games import game_class
from wordpl.players.process import TrustedPlayer
from wordpl.players.working_folder import linked_folder
from wordpl.run.bundle import Bundle
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.info import EntryInfo

pytestmark = pytest.mark.timeout(600)  # the first test compiles the rating of guesses

WORDS = ["bad", "dab", "cab", "ace", "fed"]
BOT = """
    import random
    from math import exp
    from pathlib import Path

    WORDS = Path("answers.txt").read_text().split()

    def clues_of(guess, word):
        return ["c" if a == b else "i" if a in word else "." for a, b in zip(guess, word)]

    class Bot:
        def __init__(self, n_guesses=2):
            self.n_guesses = n_guesses

        def first_move(self):
            self.weights, self.n = dict.fromkeys(WORDS, 1.0), 1
            return "bad", 2.0

        def next_move(self, guess, epsilon, clues):
            odds = exp(epsilon / 3)
            for word in WORDS:
                self.weights[word] *= odds ** sum(a == b for a, b in zip(clues, clues_of(guess, word)))
            word = max(WORDS, key=self.weights.get)
            self.n += 1
            return (word, 0) if self.n > self.n_guesses else (word, 4.0)
"""
"""Without kernels, whose import takes longer than all games."""
LATE_LIAR = """
        def next_move(self, guess, epsilon, clues):
            word, price = super().next_move(guess, epsilon, clues)
            if price == 0 and {when}:
                return "ace" if word != "ace" else "bad", 0
            return word, price
"""


@pytest.fixture
def collect_evidence(tmp_path, write_entry):
    """Return a function that collects evidence of a bot on a few short words, as a run would play it."""
    files = {name: tmp_path / f"{name}.txt" for name in ("answers", "guesses")}
    for file in files.values():
        file.write_text("".join(f"{word}\n" for word in WORDS))
    config = RunConfig(**files, player=PlayerKind.TRUSTED)

    def collect(expression, n_histories=400, source=BOT, settings=None, **options):
        path = write_entry(f"{source}\n    ENTRIES = [{expression}]", name=f"bot{len(expression)}").file
        (entry,) = find_entries((path,), config, "").entries
        own_config = msgspec.structs.replace(config, **settings or {})
        return evidence.collect(entry, own_config, n_histories, **options), own_config

    return collect


@pytest.mark.slow
def test_two_guesses_are_enumerated_for_every_clue_and_nothing_is_subtracted(collect_evidence, write_entry, tmp_path):
    collected, config = collect_evidence("Bot()")
    assert evidence.check(collected, config) == []
    lists = config.load_lists()
    player = TrustedPlayer(write_entry(BOT, "Bot()"), linked_folder(lists, tmp_path, tmp_path))
    chance, budget = exact(player, lists, "wordpl/1", ALLOWANCE, lambda: None)
    player.close()
    assert (collected.kind, collected.n_histories, collected.n_guesses) == (EvidenceKind.EVERY_CLUE, 0, 2)
    assert collected.chance == collected.enumerated == pytest.approx(chance)
    assert collected.budget == budget


@pytest.mark.slow
def test_three_guesses_are_95_percent_certain_with_three_over_n_subtracted(collect_evidence):
    collected, config = collect_evidence("Bot(n_guesses=3)")
    assert (collected.kind, collected.n_histories) == (EvidenceKind.EVERY_LAST_GUESS, 400)
    assert collected.chance == collected.enumerated - 3 / 400
    assert evidence.check(collected, config) == []
    assert evidence.check(collected, config, sample=200) == []
    (chance_message,) = evidence.check(msgspec.structs.replace(collected, enumerated=0.99).sealed(), config, sample=200)
    assert chance_message.startswith("the probability of winning: 0.990000 in the file, ")
    (budget_message,) = evidence.check(msgspec.structs.replace(collected, budget=5.0).sealed(), config, sample=200)
    assert "it spent 10.0, more than 5.0" in budget_message
    low, high = map(float, re.search(r"but (\S+) to (\S+) by 200 games", chance_message).groups())
    assert low < collected.enumerated < high
    for chance, n_findings in [(low - 1e-5, 1), (low + 1e-5, 0), (high - 1e-5, 0), (high + 1e-5, 1)]:
        edited = msgspec.structs.replace(collected, enumerated=chance).sealed()
        assert len(evidence.check(edited, config, sample=200)) == n_findings, chance


def test_drawn_games_detect_an_entry_that_deviates_outside_the_enumeration(collect_evidence, tmp_path):
    # No word gives this clue truly, so that the enumeration, which shows a true one last, never does.
    liar_source = BOT + "\n    class Liar(Bot):" + LATE_LIAR.format(when='clues == "cci"')
    log, messages = tmp_path / ".bot.json.part", set()
    for _ in range(2):
        with pytest.raises(UserError, match=r"in drawn game .* which is not the likeliest word") as error:
            collect_evidence("Liar(n_guesses=3)", 2000, liar_source, log=log)
        messages.add(error.value.message)
        header, lines = log.read_bytes().split(b"\n", 1)
        log.write_bytes(header[:-66] + b"5" * 64 + header[-2:] + b"\n" + lines)
    assert len(messages) == 2  # other games are drawn with another seed


def test_an_entry_that_plays_by_chance_is_refused(collect_evidence):
    moody_source = BOT + "\n    class Moody(Bot):\n        def first_move(self):\n            super().first_move()\n"
    moody_source += '            return random.choice(["bad", "cab"]), 2.0\n'
    with pytest.raises(UserError, match="with the same clues"):
        collect_evidence("Moody()", 400, moody_source)


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted((HOME / "results" / "evidence").glob("*.json")), ids=lambda path: path.stem)
def test_every_piece_of_evidence_in_the_repository_agrees_with_games_played_now(path):
    assert evidence.check(evidence.load(path), RunConfig(), sample=100) == []


@pytest.mark.slow
def test_a_budget_is_summed_alike_in_evidence_and_in_the_games_that_check_it(collect_evidence):
    source = BOT.replace("2.0", "10.023999214172363").replace("4.0", "4.2960004806518555")  # together 2^-20 below 14.32
    collected, config = collect_evidence("Bot()", source=source)
    assert collected.budget == 14.32
    assert evidence.check(collected, config, sample=40) == []
    below = msgspec.structs.replace(collected, budget=14.319999694824219).sealed()
    (message,) = evidence.check(below, config, sample=40)
    assert "it spent 14.32, more than 14.31999" in message


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
def test_an_interrupted_collection_is_resumed_with_its_seed_and_result(collect_evidence, tmp_path, n_steps):
    log = tmp_path / ".bot.json.part"
    with pytest.raises(Stopped):
        collect_evidence("Bot(n_guesses=3)", 700, progress=stop_after(n_steps), log=log)
    seed = log.read_bytes().partition(b'"seed":"')[2][:64].decode()
    steps = []
    progress = evidence.Progress(lambda: steps.append("clue"), lambda: steps.append("game"))
    resumed, config = collect_evidence("Bot(n_guesses=3)", 700, progress=progress, log=log)
    uninterrupted, _ = collect_evidence("Bot(n_guesses=3)", 700)
    assert (resumed.seed, resumed.enumerated, resumed.budget) == (seed, uninterrupted.enumerated, uninterrupted.budget)
    assert (steps.count("clue"), steps.count("game"), log.exists()) == (27, 700, False)
    assert evidence.check(resumed, config) == []


def test_evidence_that_was_edited_is_refused(collect_evidence, tmp_path):
    collected, config = collect_evidence("Bot()")
    path = tmp_path / "bot.json"
    evidence.save(path, collected)
    assert evidence.load(path) == collected
    path.write_bytes(path.read_bytes().replace(b'"n_guesses": 2', b'"n_guesses": 1'))
    with pytest.raises(UserError, match="was edited"):
        evidence.load(path)
    edited = msgspec.structs.replace(collected, enumerated=collected.enumerated + 0.01)
    digest_message, message = evidence.check(edited, config)
    assert digest_message.startswith("the digest does not match")
    assert message.startswith("the probability of winning:")


def test_an_evidence_log_resumes_after_whole_lines_and_restarts_for_another_entry(tmp_path):
    path, question = tmp_path / "log", {"n_histories": 2000, "entry": "bot"}
    branches = {clues: Branch(chance=0.1 * n, n_games=n) for n, clues in enumerate(["ccccc", "....i"], 1)}
    log = EvidenceLog(path, question, "first")
    for clues, branch in branches.items():
        log.add_branch(clues, branch)
        log.add_branch(clues, Branch())  # is known
    for _ in range(1499):
        log.add_game()
    with path.open("ab") as file:
        file.write(b'{"clues":"to')
    resumed_log = EvidenceLog(path, question, "second")
    assert (resumed_log.seed, resumed_log.branches, resumed_log.n_played) == ("first", branches, 1000)
    resumed_log.add_branch(".....", Branch(n_games=9))
    assert EvidenceLog(path, question, "third").branches == branches | {".....": Branch(n_games=9)}
    assert path.read_bytes().count(b"\n") == 1 + 2 + 2 + 1
    other_log = EvidenceLog(path, question | {"entry": "other"}, "fourth")
    assert (other_log.seed, other_log.branches, other_log.n_played) == ("fourth", {}, 0)
    other_log.remove()
    assert not path.exists()
    in_memory = EvidenceLog(None, question, "fifth")
    in_memory.add_branch("ccccc", Branch())
    in_memory.remove()
    assert (in_memory.seed, list(in_memory.branches)) == ("fifth", ["ccccc"])


LISTS = words.load()
STATED = evidence.Evidence(
    entry=EntryInfo("bot", "bot", game_class("wordpl/1").facts, "bot.py", "Bot()", "0" * 64),
    lists=LISTS.sha256,
    kind=EvidenceKind.EVERY_LAST_GUESS,
    n_guesses=3,
    budget=10.0,
    enumerated=0.5,
    n_histories=600,
    seed="5e",
    timeout_s=5.0,
    enforced_s=5.5,
    versions={},
    made="2026-11-22",
).sealed()


def test_three_over_n_is_subtracted_only_if_games_were_drawn():
    assert (STATED.subtracted, STATED.chance, STATED.certainty) == (0.005, 0.495, "proved, 95 % sure")
    enumerated = msgspec.structs.replace(STATED, kind=EvidenceKind.EVERY_CLUE, n_histories=0)
    assert (enumerated.subtracted, enumerated.chance, enumerated.certainty) == (0.0, 0.5, "proved")


def test_the_digest_of_evidence_covers_all_other_fields():
    assert STATED.sealed() == STATED == msgspec.structs.replace(STATED, digest="").sealed()
    fields = {name: value for name, value in msgspec.to_builtins(STATED).items() if name != "digest"}
    text = json.dumps(fields, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert STATED.digest == sha256(text.replace("10.0", "10").replace("5.0,", "5,").encode()).hexdigest()


def stated_with(**changes):
    return msgspec.structs.replace(STATED, **changes).sealed()


def evidence_with_file(tmp_path, source="class Bot: pass\n"):
    file = tmp_path / "bot.py"
    file.write_text(source)
    entry = msgspec.structs.replace(STATED.entry, file=str(file), sha256=Bundle.of(file).digest)
    return stated_with(entry=entry)


def test_evidence_that_cannot_be_checked_is_reported_with_the_reason(tmp_path):
    missing_message, edited_message = (
        "bot.py was not found, so the evidence cannot be checked.",
        "the digest does not match the content",
    )
    assert evidence.check(STATED, RunConfig()) == [missing_message]
    forged = msgspec.structs.replace(STATED, enumerated=0.6)
    assert evidence.check(forged, RunConfig()) == [f"{edited_message} of the file: it was edited.", missing_message]
    evidence_of_file = evidence_with_file(tmp_path)
    (tmp_path / "bot.py").write_text("changed = True\n")
    digest = evidence_of_file.entry.sha256
    expected = [f"{tmp_path}/bot.py has changed: its SHA-256 is no longer {digest}."]
    assert evidence.check(evidence_of_file, RunConfig()) == expected
    assert evidence.check(evidence_of_file, RunConfig(), sample=5) == expected
    other_evidence = evidence_with_file(tmp_path)
    other_evidence = msgspec.structs.replace(other_evidence, lists=other_evidence.lists | {"answers": "0"}).sealed()
    assert evidence.check(other_evidence, RunConfig()) == ["it was collected with other word lists."]


DIFFERENCES = [
    ({}, []),
    ({"enumerated": 0.1}, ["the probability of winning: 0.100000000000 in the file, "]),
    ({"kind": EvidenceKind.EVERY_LAST_GUESS}, ["kind: every last guess in the file, every clue found."]),
    ({"n_guesses": 1, "budget": 5.0}, ["n_guesses: 1 in the file, 2 found.", "budget: 5.0 in the file, 6.0 found."]),
    ({"n_histories": 7}, ["n_histories: 7 in the file, 0 found."]),
]


def test_each_figure_that_differs_when_recomputed_is_reported(collect_evidence):
    collected, config = collect_evidence("Bot()")
    rounded = [({"enumerated": collected.enumerated + difference}, expected) for difference, expected in
               ((5e-13, []), (3e-12, ["the probability of "]), (-3e-12, ["the probability of "]))]  # fmt: skip
    for facts, expected in DIFFERENCES + rounded:
        messages = evidence.check(msgspec.structs.replace(collected, **facts).sealed(), config)
        assert len(messages) == len(expected)
        assert all(message.startswith(start) for message, start in zip(messages, expected, strict=True)), messages
    assert (collected.timeout_s, collected.enforced_s, collected.format) == (config.timeout_s, config.cpu_limit_s, 2)
    assert collected.lists == config.load_lists().sha256
    assert (collected.versions, len(collected.seed)) == (run_folder.versions(), 64)
    assert collected.sealed() == collected


def test_files_that_are_not_evidence_are_refused_by_name(tmp_path):
    path = tmp_path / "one.json"
    with pytest.raises(UserError, match=r"one\.json is not a file of evidence: .*No such file"):
        evidence.load(path)
    path.write_text("{}")
    with pytest.raises(UserError, match=r"one\.json is not a file of evidence: "):
        evidence.load(path)
    evidence.save(path, stated_with(format=3))
    with pytest.raises(UserError, match=r"one\.json has format 3; this version of wordpl reads 1 and 2\."):
        evidence.load(path)
    evidence.save(path, stated_with(format=1))  # that of release 1
    assert evidence.load(path).format == 1
    evidence.save(path, msgspec.structs.replace(STATED, enumerated=0.6))
    with pytest.raises(UserError, match=r"one\.json was edited: its digest does not match its content\."):
        evidence.load(path)
    with pytest.raises(UserError, match=r"cannot write the evidence .*/no/where\.json: No such file or directory\."):
        evidence.save(tmp_path / "no" / "where.json", STATED)


def test_all_evidence_of_a_folder_is_loaded_in_the_order_of_names(tmp_path):
    (tmp_path / "folder").mkdir()
    for name, budget in (("folder/b", 2.0), ("folder/a", 1.0), ("alone", 3.0)):
        evidence.save(tmp_path / f"{name}.json", stated_with(budget=budget))
    (tmp_path / "folder" / "notes.txt").write_text("none")
    loaded = evidence.load_all([tmp_path / "alone.json", tmp_path / "folder"])
    assert [bot_evidence.budget for bot_evidence in loaded] == [3.0, 1.0, 2.0]
    assert (tmp_path / "alone.json").read_bytes().startswith(b'{\n  "format": 2,\n  "entry": {\n')
    assert (tmp_path / "alone.json").read_bytes().endswith(b"}\n")


def test_a_log_with_a_torn_or_foreign_first_line_starts_over(tmp_path):
    path, question = tmp_path / "log", {"n_histories": 9}
    for text in (b"", b'{"question":{"n_hist', b"nonsense\n", b'{"question":{"n_histories":8},"seed":"old"}\n'):
        path.write_bytes(text)
        assert EvidenceLog(path, question, "new").seed == "new"
        assert path.read_bytes() == b'{"question":{"n_histories":9},"seed":"new"}\n'
    assert EvidenceLog(path, question, "newer").seed == "new"
    assert EvidenceLog(path, question, "newer").n_histories == 9


def test_three_guesses_are_proved_by_drawn_games_and_found_to_differ_by_others(collect_evidence, tmp_path):
    log = tmp_path / ".bot.json.part"
    collected, config = collect_evidence("Bot(n_guesses=3)", 30, log=log)
    assert (collected.kind, collected.n_histories) == (EvidenceKind.EVERY_LAST_GUESS, 30)
    assert not log.exists()
    assert evidence.check(collected, config, sample=30) == []
    forged = msgspec.structs.replace(collected, budget=9.0)
    edited, spent = evidence.check(forged, config, sample=30)
    assert edited.startswith("the digest does not match") and "it spent 10.0, more than 9.0" in spent
    for chance, is_allowed in ((collected.enumerated, True), (1.0, False), (1e-9, False)):
        other = msgspec.structs.replace(collected, enumerated=chance).sealed()
        assert (evidence.check(other, config, sample=30) == []) == is_allowed


def test_a_log_is_not_resumed_for_another_question(collect_evidence, tmp_path, monkeypatch):
    log = tmp_path / ".bot.json.part"
    (tmp_path / "more.txt").write_text("".join(f"{word}\n" for word in [*WORDS, "gag"]))

    def seed_after(n_histories=30, expression="Bot(n_guesses=3)", **settings):
        with pytest.raises(Stopped):
            collect_evidence(expression, n_histories, settings=settings, progress=stop_after(1), log=log)
        return log.read_bytes().partition(b'"seed":"')[2][:64].decode()

    same = seed_after()
    assert seed_after() == same
    changes = [{"n_histories": 31}, {"timeout_s": 9.0}, {"expression": "Bot(3)"}]
    for change in [*changes, {"guesses": tmp_path / "more.txt"}]:
        assert seed_after(**change) != seed_after(), change
    same = seed_after()
    monkeypatch.setattr(run_folder, "versions", dict)
    assert seed_after() != same


def test_the_files_of_an_entry_are_stored_only_as_they_were_proved(tmp_path):
    proved = evidence_with_file(tmp_path)
    evidence.save(tmp_path / "bot.json", proved)
    store = tmp_path / "bundles"
    assert [path.name for path in store.iterdir()] == [proved.entry.sha256]
    assert store.stat().st_mode & 0o777 == 0o755
    (tmp_path / "bot.py").write_text("class Bot: changed = True\n")
    evidence.save(tmp_path / "again.json", proved)
    assert [path.name for path in store.iterdir()] == [proved.entry.sha256]
