"""A program in any language plays by the same lines, in the same jail."""

import shutil

import msgspec
import pytest

from tests.conftest import CONFIG
from tests.helpers.paths import HOME
from wordpl import games
from wordpl.contest.entries import load_all
from wordpl.contest.referee import play
from wordpl.core.seeds import Draws
from wordpl.players import discovery

DRAWS = Draws.of("programs")
ANSWERER = r"""
#include <stdio.h>
int main(void) {
    char line[4096];
    while (fgets(line, sizeof line, stdin)) { puts("{\"move\":[\"abide\",0]}"); fflush(stdout); }
    return 0;
}
"""


ROOMY = msgspec.structs.replace(CONFIG, timeout_s=5.0, warmup_s=30.0, memory_mb=1024, enforced_s=None)


def play_program(path, pool, lists):
    (entry,) = discovery.resolve_entries(
        discovery.entries_of(load_all(discovery.find_sources([str(path)]), pool, ROOMY)), None
    )
    player = pool.player(entry, ROOMY)
    records = [play(games.make_game(entry.game.id, lists), player, number, DRAWS, ROOMY) for number in range(5)]
    player.close()
    return entry, records


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="the example is JavaScript, and Node.js is not installed")
def test_the_javascript_example_wins_its_games(pool, lists):
    entry, records = play_program(HOME / "examples" / "letters", pool, lists)
    assert (entry.name, entry.game.id) == ("letters.js", "wordle/1")
    assert [str(record.verdict) for record in records] == ["won"] * 5


@pytest.mark.skipif(shutil.which("gcc") is None, reason="there is no C compiler")
def test_a_program_is_built_once_and_plays(tmp_path, pool, lists):
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.c").write_text(ANSWERER)
    (tmp_path / "bot" / "bot.toml").write_text(
        'game = "wordpl/1"\nbuild = ["gcc", "-o", "{build}/bot", "bot.c"]\ncommand = ["{build}/bot"]\n'
    )
    _, records = play_program(tmp_path / "bot", pool, lists)
    assert {str(record.verdict) for record in records} <= {"won", "wrong"}


def test_a_failed_build_is_reported_with_its_command(tmp_path, pool):
    (tmp_path / "bot.toml").write_text('game = "wordpl/1"\nbuild = ["no-such-compiler"]\ncommand = ["{build}/bot"]\n')
    (fault,) = load_all(discovery.find_sources([str(tmp_path / "bot.toml")]), pool, ROOMY)
    assert "its build failed: no-such-compiler" in fault.message
