"""An official run of every game, played with few words so that it is played fast, for the tests to spoil."""

import shutil
from pathlib import Path

import msgspec
import pytest

from wordpl import games
from wordpl.contest import determinism, run_folder, run_worker, runner
from wordpl.core import words
from wordpl.core.seeds import Draws
from wordpl.reports.run_report import RunReport
from wordpl.run import seal
from wordpl.run.bundle import STORE, Bundle, BundleStore
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run, RunRecords
from wordpl.run.info import EntryInfo, RunInfo, SeedSource
from wordpl.verify import verify
from wordpl.verify.rules import GAME_RULES

N_GAMES = 30
DRAWN, BEACON = "5e" * 32, "00ff"
BOT = """
from wordpl import Strategy


class Bot(Strategy):
    def first_move(self):
        self.plan, self.n_moves = int(self.rng.integers(5)), 0
        self.left = list(self.answers)
        return self.move(self.guesses)

    def next_move(self, guess, *epsilon_and_clues):
        if self.plan == 0:
            raise ValueError("no idea")
        clues = epsilon_and_clues[-1]
        self.left = [word for word in self.left if agrees(guess, word, clues)] or list(self.answers)
        return self.move(["nonsense"] if self.plan == 1 else self.left)

    def move(self, words):
        self.n_moves += 1
        word = self.rng.choice(words)
        if "wordle" in self.rules or "absurdle" in self.rules:
            return word
        ends = self.n_moves > 2 and word in self.answers
        return word, 0 if ends else float(self.rng.choice([2.5, 14.5, 400.0]))


def agrees(guess, word, clues):
    marks = zip(guess, word, clues)
    return all((a == b) == (mark == "c") for a, b, mark in marks) or word[0] == guess[0] == "s"
"""


def lists_of(run: Run) -> words.WordLists:
    """Return the word lists that the run names, whether or not their digests hold."""
    return words.load(*map(run.info.config.list_path, ("answers", "guesses")))


def differences_in(run: Run) -> list[str]:
    """Return all that is wrong with the run's folder as it is now."""
    run = Run(run.folder)
    return [str(difference) for difference in verify(run, lists_of(run)).differences]


def entry_named(run: Run, name: str) -> EntryInfo:
    """Return the entry with this name; each entry is named after its game."""
    return next(entry for entry in run.info.entries if entry.name == name)


@pytest.fixture(scope="session")
def few_words(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    lists, folder = words.load(), tmp_path_factory.mktemp("words")
    answers = lists.answers[::60]
    selected = {"answers": answers, "guesses": (*answers, *(set(lists.guesses[::200]) - set(answers)))}
    for name, list_words in selected.items():
        (folder / name).write_text(words.as_text(sorted(list_words)))
    return {name: folder / name for name in selected}


@pytest.fixture(scope="session")
def played_run(tmp_path_factory: pytest.TempPathFactory, few_words: dict[str, Path]) -> Path:
    """Return the run's folder, which tests leave as it is."""
    parent = tmp_path_factory.mktemp("played")
    file = parent / "bot.py"
    file.write_text(BOT)
    digest = BundleStore(parent / "run" / STORE).add(Bundle.of(file))
    entries = [
        {"name": name, "slug": name.split("/")[0], "game": msgspec.to_builtins(games.game_class(name).facts),
         "file": str(file), "make": "Bot()", "sha256": digest}
        for name in GAME_RULES
    ]  # fmt: skip
    config = RunConfig(
        n_games=N_GAMES, repeats=N_GAMES, memory_mb=512, official=True, beacon_from="round 5", **few_words
    ).resolved("A")
    info = RunInfo(
        config=config, seed=None, entries=msgspec.convert(entries, list[EntryInfo]), versions=run_folder.versions(),
        machine={"system": "Linux x86_64", "processors": 2}, started="2026-11-21", seed_source=SeedSource.OFFICIAL,
    )  # fmt: skip
    info.commitment = seal.commitment(DRAWN, seal.terms_digest(info.facts()))
    info.beacon, info.drawn_seed = BEACON, DRAWN
    info.seed = seal.games_seed(DRAWN, BEACON, [digest] * len(entries))
    trusted = msgspec.structs.replace(config, player="trusted", official=False, beacon_from=None)
    run = Run.create(parent / "run", msgspec.structs.replace(info, config=trusted, seed_source=SeedSource.TYPED))
    with run_worker.local(run, Draws.of(info.seed), 1) as workers:
        runner.play_remaining(run, workers, lambda progress: None)
        determinism.play_repeats(run, workers, lambda n_done, total: None)
    run.info.config, run.info.seed_source = (
        config,
        SeedSource.OFFICIAL,
    )  # in fact the games were trusted, which is faster
    run.finish("2026-11-21")
    RunReport(RunRecords(run)).write()
    return run.folder


@pytest.fixture
def run(played_run: Path, tmp_path: Path) -> Run:
    """A copy of the run, to be spoilt."""
    return Run(shutil.copytree(played_run, tmp_path / "run"))
