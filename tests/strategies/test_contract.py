"""Contract tests for every file in strategies/."""

import ast
from pathlib import Path

import msgspec
import pytest

from tests.conftest import CONFIG
from wordpl import games
from wordpl.contest.entries import load_all
from wordpl.contest.referee import play
from wordpl.core import words
from wordpl.core.seeds import Draws
from wordpl.players import discovery
from wordpl.players.pool import PlayerPool
from wordpl.run.bundle import main_of
from wordpl.run.info import EntryInfo

DRAWS = Draws.of("contract")
FILES = discovery.strategy_files()


CONTEST_CONFIG = msgspec.structs.replace(CONFIG, timeout_s=5.0, warmup_s=120.0, memory_mb=1024, enforced_s=None)
"""The limits of the contest, with time for the first compilation."""


@pytest.fixture(scope="module")
def entries(pool: PlayerPool) -> dict[Path, list[EntryInfo | discovery.Fault]]:
    return {path: load_all([discovery.EntrySource(path)], pool, CONTEST_CONFIG) for path in FILES}


def test_there_are_strategies():
    assert len(FILES) >= 5


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_strategy_file_has_a_docstring(path):
    main = path.parent / main_of(path.parent, path.name)
    assert len(ast.get_docstring(ast.parse(main.read_text())) or "") > 40


@pytest.mark.timeout(240)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_entries_play_by_the_rules_and_do_not_depend_on_earlier_games(path, entries, pool):
    resolved = discovery.resolve_entries(discovery.entries_of(entries[path]), None)
    assert resolved, entries[path]
    for entry in resolved:
        game = games.make_game(entry.game.id, words.load())
        first, second = (pool.player(entry, CONTEST_CONFIG) for _ in range(2))
        in_order = [play(game, first, number, DRAWS, CONTEST_CONFIG) for number in range(4)]
        backwards = [play(game, second, number, DRAWS, CONTEST_CONFIG) for number in reversed(range(4))]
        first.close()
        second.close()
        assert {str(record.verdict) for record in in_order} <= {"won", "wrong", "unsolved"}, in_order
        assert in_order == backwards[::-1]


@pytest.mark.timeout(240)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_entries_play_every_game_of_their_kind(path, entries, pool):
    entry = discovery.entries_of(entries[path])[0]
    kind = games.game_class(entry.game.id).facts.form
    for rules in (name for name in games.names() if games.game_class(name).facts.form == kind):
        (other,) = discovery.resolve_entries([entry], rules)
        player = pool.player(other, CONTEST_CONFIG)
        record = play(games.make_game(rules, words.load()), player, 0, DRAWS, CONTEST_CONFIG)
        player.close()
        assert str(record.verdict) in ("won", "wrong", "unsolved"), record
