"""A round in which half of the players are hostile takes little longer than an honest one, as it was announced."""

import re
import time
from textwrap import dedent

import pytest

from tests.apps.season.test_season import isolated, new_season, own_folders  # noqa: F401
from tests.helpers.cli import wordpl
from wordpl.apps.season.season import Season
from wordpl.core.messages import UserError
from wordpl.core.moves import Verdict

HONEST = """
    import time

    class Bot:
        def first_move(self):
            until = time.thread_time() + 0.06
            while time.thread_time() < until:
                pass
            return "crane", {epsilon}

        def next_move(self, guess, epsilon, clues):
            return "slate", 0
"""
HOSTILE = {
    "sleeper": "def first_move(self): import time; time.sleep(60); return 'crane', 5.1",
    "at_times": "def first_move(self): import time, random; time.sleep((random.random() < 7 / 16) * 0.9); "
    "return 'crane', 5.2",
    "at_its_start": "import time; time.sleep(2)\n    def first_move(self): return 'crane', 5.3",
    "fork_bomb": "def first_move(self):\n        import os\n        while True: os.fork()",
    "spinner": "def first_move(self):\n        while True: pass",
}
NEXT = "\n    def next_move(self, guess, epsilon, clues): return 'slate', 0\n"
TERMS = {"games": 100, "players": 12, "timeout_s": 0.5, "warmup_s": 10, "entry_s": 8}


def seconds_of_a_round(season, n_players):
    """Play a round, and return how long it took and how long it was announced to take at most."""
    started = time.monotonic()
    result = wordpl("season", "round", "-C", season.folder, "--quiet", "--jobs", "1")
    took_s = time.monotonic() - started
    assert result.exit_code == 0, result.output
    assert wordpl("season", "verify", "-C", season.folder).exit_code == 0
    minutes = re.search(rf"at most (\d+) min for {n_players} versions", result.output)[1]
    return took_s, 60 * int(minutes)


@pytest.mark.long
@pytest.mark.timeout(1800)
@isolated
def test_a_round_with_half_hostile_players_takes_at_most_twice_as_long_as_an_honest_one(tmp_path, own_folders):  # noqa: F811
    honest, hostile = (new_season(tmp_path / name, **TERMS) for name in ("honest", "hostile"))
    for number in range(12):
        for season in (honest, hostile)[: 1 + (number < 6)]:
            place = season.folder / "strategies" / f"honest{number}.py"
            place.write_text(dedent(HONEST.format(epsilon=5 + number / 16)))
            season.submit(place)
    for name, body in HOSTILE.items():
        place = hostile.folder / "strategies" / f"{name}.py"
        place.write_text(f"class Bot:\n    {body}\n{NEXT}")
        hostile.submit(place)
    copy = hostile.folder / "strategies" / "copy.py"
    copy.write_text(dedent(HONEST.format(epsilon=5.0)).replace("until", "later"))
    with pytest.raises(UserError, match="has the source of honest0@1"):
        hostile.submit(copy)

    alone_s, _ = seconds_of_a_round(honest, 12)
    with_hostile_s, announced_s = seconds_of_a_round(hostile, 11)
    print(f"honest {alone_s:.0f} s, half hostile {with_hostile_s:.0f} s")
    assert with_hostile_s <= 2 * alone_s
    assert with_hostile_s <= announced_s
    (event,) = Season(hostile.folder).played_rounds
    run = hostile.run_of(event)
    verdicts = {entry.slug: {record.verdict for record in run.entry(entry).read()} for entry in run.info.entries}
    of_honest = [found for slug, found in verdicts.items() if event.players[slug].startswith("honest")]
    assert len(of_honest) == 6
    assert not any(Verdict.UNPLAYED in found for found in of_honest)
