"""A match ends when its result is significant, can be resumed, and compares Git revisions."""

import json
import subprocess
from itertools import chain, islice
from pathlib import Path

import pytest

from tests.helpers.cli import wordpl
from wordpl import RunConfig, load_run
from wordpl.apps.workbench.goals import ValueReader
from wordpl.apps.workbench.match import Match, MatchObserver, MatchTerms
from wordpl.apps.workbench.match_result import without_early_luck
from wordpl.core import words
from wordpl.core.messages import UserError
from wordpl.run.folder import Run

OFFICIAL = Path(__file__).parents[3] / "results" / "official"

BOT = """
from dataclasses import dataclass
from wordpl import Posterior, Strategy

@dataclass
class Bot(Strategy):
    epsilon: float = 9.0

    def first_move(self):
        self.posterior, self.n = Posterior.uniform(self.lists, self.clue_rule), 0
        return "crane", self.epsilon

    def next_move(self, guess, epsilon, clues):
        self.posterior.update(guess, epsilon, clues)
        self.n += 1
        return ("split", self.epsilon) if self.n < 2 else (self.posterior.best()[0], 0)
"""
CLASSIC = """
from wordpl import Strategy, clues

class {name}(Strategy):
    game = "wordle/1"

    def first_move(self):
        self.left = list(self.answers)
        return "{first}"

    def next_move(self, guess, seen):
        self.left = [word for word in self.left if clues.counted(guess, word) == seen]
        return self.left[0]
"""


@pytest.fixture
def bot_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "bot.py").write_text(BOT)
    return tmp_path


def config(bot_folder, **settings):
    return RunConfig(**{"seed": "1", "level": "D", "results": bot_folder / "results"} | settings)


@pytest.mark.long
def test_a_match_finds_the_better_entry_and_writes_a_run(bot_folder):
    match = Match.new("bot.py:Bot(14.0)", "bot.py:Bot(9.0)", config(bot_folder), MatchTerms(goal="won"), jobs=1)
    results = []
    observer = MatchObserver()
    observer.progress = results.append
    result = match.play(observer)
    assert (result.verdict, results[-1]) == ("better", result)
    assert result.low < result.difference < result.high
    assert 0 < result.after <= result.n_games < 2000
    games = load_run(match.folder)
    assert games.groupby("entry")["game"].apply(list).map(len).to_list() == [result.n_games] * 2
    secrets = games.pivot(index="game", columns="entry", values="secret")
    assert (secrets.iloc[:, 0] == secrets.iloc[:, 1]).all()
    assert wordpl("verify", match.folder).exit_code == 0
    assert json.loads((match.folder / "match.json").read_text())["result"]["verdict"] == "better"


@pytest.mark.long
def test_a_resumed_match_has_the_same_result_as_an_uninterrupted_one(bot_folder):
    def new_match(name):
        terms = MatchTerms(goal="won", max_games=150)
        return Match.new(
            "bot.py:Bot(10.0)", "bot.py:Bot(9.9)", config(bot_folder, results=bot_folder / name), terms, jobs=1
        )

    uninterrupted = new_match("whole").play()
    stopped, observer = new_match("stopped"), MatchObserver()

    def stop(result):
        if result.n_games > 20:
            raise KeyboardInterrupt

    observer.progress = stop
    with pytest.raises(KeyboardInterrupt):
        stopped.play(observer)
    n_kept = sum(len(stopped.run.entry(entry).read()) for entry in stopped.run.info.entries)
    assert 40 < n_kept < 300
    resumed = Match.resume(stopped.folder, jobs=2, level="D").play()
    assert uninterrupted.to_json() == resumed.to_json()
    assert Match.resume(stopped.folder).play().verdict == resumed.verdict


@pytest.mark.long
def test_each_answer_is_played_once_in_a_classic_match(bot_folder):
    for name, first in (("crane", "crane"), ("fuzzy", "fuzzy")):
        (bot_folder / f"{name}.py").write_text(CLASSIC.format(name=name.title(), first=first))
    match = Match.new("crane.py", "fuzzy.py", config(bot_folder), jobs=1)
    result = match.play()
    assert (result.verdict, result.goal.kind) == ("better", "guesses")
    assert load_run(match.folder).groupby("entry")["secret"].nunique().to_list() == [result.n_games] * 2


@pytest.mark.long
def test_all_clues_are_enumerated_if_that_takes_fewer_games(bot_folder, monkeypatch):
    one_guess = BOT.replace("if self.n < 2", "if self.n < 1")
    (bot_folder / "one.py").write_text(one_guess)
    match = Match.new("one.py:Bot(9.0)", "one.py:Bot(8.9999)", config(bot_folder), MatchTerms(goal="won"), jobs=1)
    result = match.play()
    assert (result.is_exact, result.verdict) == (True, "better")
    assert result.low == result.high == pytest.approx(result.difference)
    assert result.n_games < 2000
    resumed = Match.resume(match.folder).play()
    assert (resumed.is_exact, resumed.difference) == (True, pytest.approx(result.difference, rel=1e-6))


def git(folder, *arguments):
    author = ["-c", "user.name=An Author", "-c", "user.email=author@example.org"]
    subprocess.run(["git", *author, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.mark.long
def test_a_file_plays_against_its_last_commit(bot_folder):
    git(bot_folder, "init", "-q")
    git(bot_folder, "add", "bot.py")
    git(bot_folder, "commit", "-q", "-m", "first")
    same = wordpl("match", "bot.py", "--isolation", "D")
    assert (same.exit_code, "are the same in both revisions" in same.stderr) == (1, True)
    (bot_folder / "bot.py").write_text(BOT.replace("9.0", "6.0"))
    options = ["--isolation", "D", "--seed", 1, "--goal", "won", "--jobs", 1, "--results", bot_folder / "results"]
    result = wordpl("match", "bot.py", *options, "--json")
    output = json.loads(result.stdout)
    assert (result.exit_code, output["verdict"]) == (1, "worse")
    assert output["new"].startswith("Bot(epsilon=6.0)")
    assert output["old"].startswith("Bot(epsilon=9.0)")
    assert "there is no Git revision 'nothing'" in wordpl("match", "bot.py", "bot.py@nothing").stderr
    assert "is not in revision HEAD" in wordpl("match", "bot.py", f"{bot_folder}/other.py@HEAD").stderr


@pytest.mark.slow
def test_a_file_with_several_entries_does_not_say_which_one_plays(bot_folder):
    result = wordpl("match", "n_guess", "bot.py", "--isolation", "D")
    assert (result.exit_code, "n_guess declares 3 entries. Choose one" in result.stderr) == (1, True)


class Answers:
    """A strategy that answers one word at once."""

    def __init__(self, word):
        self.word = word

    def first_move(self):
        return self.word, 0

    def next_move(self, *observation):
        return self.word, 0

    def __repr__(self):
        return f"Answers({self.word})"


class Opens(Answers):
    game = "wordle/1"


@pytest.mark.parametrize(
    ("pair", "terms", "complaint"),
    [
        ((Answers("crane"), Opens("crane")), {}, "plays wordpl/1 and"),
        ((Answers("crane"), Answers("abide")), {"goal": "guesses"}, "goal guesses is not for games measured in budget"),
        (
            (Answers("crane"), Answers("abide")),
            {"goal": "cost", "budget": 9.0},
            "a budget can be used only with the goal won",
        ),
        ((Answers("crane"), "bot.py"), {}, "give either files or objects"),
    ],
)
def test_incompatible_entries_and_goals_are_refused(bot_folder, pair, terms, complaint):
    with pytest.raises(UserError, match=complaint):
        Match.new(*pair, config(bot_folder, level=""), MatchTerms(**{"goal": ""} | terms))


@pytest.mark.slow
def test_strategy_objects_play_in_this_process(bot_folder):
    exec(compile(BOT, "bot", "exec"), namespace := {"__name__": "bot"})
    bot, results, observer = namespace["Bot"], [], MatchObserver()
    observer.progress = results.append
    match = Match.new(bot(14.0), bot(9.0), config(bot_folder, level=""), MatchTerms(goal="won"))
    result = match.play(observer)
    assert (result.verdict, results[-1]) == ("better", result)
    assert (result.kinds[0], 0 < result.after <= result.n_games < 500) == ("before the last clue", True)
    assert result.low < result.difference < result.high
    assert all(partial.n_more > 0 for partial in results[:-1])


def test_entries_within_the_margin_are_equal(bot_folder):
    terms = MatchTerms(goal="won", max_games=2000, margin=20.0)
    result = Match.new(Answers("crane"), Answers("abide"), config(bot_folder, level=""), terms).play()
    assert result.verdict == "equal"
    with pytest.raises(UserError, match="is not a run"):
        Match.resume(bot_folder)


@pytest.mark.slow
def test_early_luck_is_bounded_and_explains_most_of_the_variance_of_equal_budgets():
    run = Run(OFFICIAL)
    entry = next(entry for entry in run.info.entries if "p50" in entry.name)
    records = list(islice((record for block in run.entry(entry).record_blocks() for record in block), 500))
    reader = ValueReader(entry, words.load())
    values, early = reader.read(records).chances(), reader.early_luck(records)
    assert early.min() >= -1.1
    assert (early <= values + 1e-12).all()
    reduced = without_early_luck(values, early)
    assert reduced.var() < 0.5 * values.var()
    assert reduced.mean() == pytest.approx(values.mean(), abs=4 * values.std() / 500**0.5)
    assert (without_early_luck(values[:100], early[:100]) == reduced[:100]).all()  # later games change nothing
    assert (reduced[:20] == values[:20]).all()


@pytest.mark.slow
def test_a_match_does_not_depend_on_how_fast_its_games_are_played(bot_folder, monkeypatch):
    exec(compile(BOT, "bot", "exec"), namespace := {"__name__": "bot"})
    outcomes = set()
    for step_s in (1e-9, 0.02, 100.0):
        monkeypatch.setattr("wordpl.apps.workbench.match.STEP_S", step_s)
        results = bot_folder / f"results-{step_s}"
        match = Match.new(
            namespace["Bot"](14.0), namespace["Bot"](10.0), config(bot_folder, level="", results=results),
            MatchTerms(goal="won"),
        )  # fmt: skip
        result = match.play()
        kept = sorted(path.read_bytes() for path in (match.folder / "records").glob("*.jsonl"))
        outcomes.add((repr(result), json.dumps(result.to_json()), (match.folder / "match.json").read_bytes(), *kept))
    assert result.verdict == "better"
    assert len(outcomes) == 1


@pytest.mark.slow
def test_a_match_of_wordle_is_decided_without_the_luck_of_clues(bot_folder):
    for name, first in (("better", "salet"), ("worse", "fuzzy")):
        (bot_folder / f"{name}.py").write_text(CLASSIC.format(name=name.title(), first=first))
    settings = config(bot_folder, player="trusted", level="", game_id="wordle/1")
    match = Match.new("better.py", "worse.py", settings, MatchTerms(goal=""))
    result = match.play()
    assert result.verdict == "better"
    assert [*result.kinds] == ["without luck", "without luck"]
    assert "scores are estimated without the luck of the clues" in repr(result)
    readers = [ValueReader(entry, words.load(), match.goal) for entry in match.run.info.entries]
    played = [[*chain.from_iterable(match.run.entry(entry).record_blocks())] for entry in match.run.info.entries]
    values = [match.goal.values(reader.read(records)) for reader, records in zip(readers, played, strict=True)]
    luck = [reader.early_luck(records) for reader, records in zip(readers, played, strict=True)]
    gaps, without = values[0] - values[1], values[0] - luck[0] - (values[1] - luck[1])
    assert without.var() < 0.6 * gaps.var()
