"""A replay plays one game of an entry again, as it was in the run."""

import pytest

from tests.helpers.runs import DRAWS_ALL
from wordpl.contest import run_folder
from wordpl.contest.contest import play_one
from wordpl.contest.entries import find_entries
from wordpl.contest.referee import secret_of
from wordpl.core.messages import UserError
from wordpl.core.seeds import Draws
from wordpl.run.config import PlayerKind, RunConfig

TRUSTED = RunConfig(seed="7", player=PlayerKind.TRUSTED)


class SlateStrategy:
    def first_move(self):
        return "slate", 2.0

    def next_move(self, guess, epsilon, clues):
        return "abide", 0


def test_trusted_files_and_objects_are_replayed_in_this_process(write_entry):
    entry = write_entry(DRAWS_ALL)
    info = run_folder.describe(TRUSTED, [entry])
    replayed = play_one(entry, 3, info, TRUSTED)
    assert (replayed.entry, replayed.seed, replayed.record.game) == (entry, "7", 3)
    assert replayed.record.secret == secret_of(replayed.game, 3, Draws.of("7"))
    assert (replayed.duration.game, replayed.duration.cpu_s) == (3, None)  # the CPU time of this process is unknown
    assert play_one(entry, 3, info, TRUSTED).record == replayed.record
    assert play_one(entry, 4, info, TRUSTED).record != replayed.record
    found_entries = find_entries([SlateStrategy()], TRUSTED)
    replayed_object = play_one(found_entries.entries[0], 3, info, TRUSTED, found=found_entries)
    assert [move.guess for move in replayed_object.record.moves] == ["slate", "abide"]


def test_a_replay_is_refused_while_the_seed_is_secret(write_entry):
    entry = write_entry(DRAWS_ALL)
    info = run_folder.describe(RunConfig(official=True, level="A"), [entry])
    with pytest.raises(UserError, match="can be replayed when the run has finished and its seed is known"):
        play_one(entry, 3, info, TRUSTED)
