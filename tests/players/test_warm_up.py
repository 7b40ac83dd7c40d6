"""Which kernels are compiled before an entry plays."""

import subprocess
import sys

import pytest

from tests.helpers.paths import HOME
from wordpl.players import discovery

FILES = [path for path in discovery.strategy_files() if path.is_relative_to(HOME / "strategies")]
SLOW = ("n_guess", "entropy")
"""Strategies of the slow part: one of noisy games and one of others; the long part has all others."""
PROGRAM = """
import sys
from pathlib import Path

from wordpl import games
from wordpl.contest.entries import load_all
from wordpl.contest.referee import play
from wordpl.core import words
from wordpl.core.seeds import Draws
from wordpl.kernels import compiled
from wordpl.players import discovery, shared_kernels, source_facts
from wordpl.players.pool import PlayerPool
from wordpl.run.bundle import Bundle
from wordpl.run.config import PlayerKind, RunConfig


def used():
    kernels = {kernel.py_func.__qualname__: kernel for kernel in compiled.kernels()}
    return {f"{name} {signature}" for name, kernel in kernels.items() for signature in kernel.overloads}


folder, file = map(Path, sys.argv[1:])
bundle = Bundle.of(file)
(uses,) = source_facts.uses_of(source_facts.read([source_facts.Sources.of_tree(bundle, bundle.main, "")]))
shared_kernels.preload_for_entry(uses)
before, config = used(), RunConfig(player=PlayerKind.TRUSTED)
with PlayerPool(words.load(), folder) as pool:
    for entry in load_all([discovery.EntrySource(file)], pool, config):
        game, player = games.make_game(entry.game.id, words.load()), pool.player(entry, config)
        for number in range(3):
            assert play(game, player, number, Draws.of("kernels"), config).message == "", entry
print(*(used() - before), sep="\\n", end="")
"""


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "file",
    [pytest.param(file, id=file.stem, marks=pytest.mark.slow if file.stem in SLOW else pytest.mark.long)
     for file in FILES],
)  # fmt: skip
def test_games_of_a_bundled_strategy_use_only_kernels_that_its_groups_have_loaded(file, tmp_path):
    command = [sys.executable, "-c", PROGRAM, tmp_path, file]
    done = subprocess.run(command, cwd=HOME, capture_output=True, text=True, timeout=500)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
