"""Golden games as readable text: a change of rules, of noise or of seeds shows up as a diff.

To accept a change of rules (which is a new version of the game), run with WORDPL_WRITE_TRANSCRIPTS=1 and read the diff.
"""

import os
from pathlib import Path

import pytest

from tests.conftest import CONFIG
from wordpl import games
from wordpl.contest.referee import play
from wordpl.core.seeds import Draws
from wordpl.players.base import Player
from wordpl.reports.author_texts import ending, move_lines, secret_of
from wordpl.run.info import EntryInfo
from wordpl.run.records import Duration

TRANSCRIPTS = sorted((Path(__file__).parents[1] / "transcripts").glob("*.txt"))


class ScriptedPlayer(Player):
    """Makes the moves of a script, whatever the clues."""

    def __init__(self, moves):
        self._moves = iter(moves)

    def prepare(self):
        return False

    def first_move(self, seed, limit_s):
        return next(self._moves)

    def next_move(self, move):
        return next(self._moves)

    def duration(self, game):
        return Duration(game, None, 0.0)

    def close(self):
        pass


def parsed_move(text):
    word, *epsilon = text.split()
    return (word, float(epsilon[0])) if epsilon else word


def transcript_of(header, lists):
    """Return the game described by a transcript's header, as text."""
    game = games.make_game(header["game"], lists)
    moves = [parsed_move(text) for text in header["moves"].split(",")]
    record = play(game, ScriptedPlayer(moves), int(header["number"]), Draws.of(header["seed"]), CONFIG)
    entry = EntryInfo("", "", game.facts, "", "", "")
    return "\n".join([secret_of(record), *move_lines(record, game), ending(record, entry)]).rstrip() + "\n"


@pytest.mark.parametrize("path", TRANSCRIPTS, ids=lambda path: path.stem)
def test_each_golden_game_equals_its_transcript(path, lists):
    header_text, _, body = path.read_text().partition("\n\n")
    header = dict(line.split(": ", 1) for line in header_text.splitlines())
    if os.environ.get("WORDPL_WRITE_TRANSCRIPTS"):
        path.write_text(f"{header_text}\n\n{transcript_of(header, lists)}")
    assert transcript_of(header, lists) == body


def test_a_transcript_is_of_a_game_and_the_noisy_ones_have_one():
    games_with_transcript = {path.read_text().split("\n", 1)[0].removeprefix("game: ") for path in TRANSCRIPTS}
    assert {"wordpl/1", "wordpl-counted/1"} < games_with_transcript <= set(games.names())
