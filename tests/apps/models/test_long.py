"""Games with faults on a tenth of the requests, and a run that is killed at 20 moments."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest

from tests.apps.models.conftest import contest, entry, games, lines
from tests.helpers.model_server import FAULTS, by_strategy, model_server
from tests.helpers.paths import HOME
from wordpl.apps.models import transcripts
from wordpl.apps.models.endpoints import HOST
from wordpl.core.moves import Verdict
from wordpl.reports.verification import check_games
from wordpl.run.folder import Run, RunRecords

pytestmark = [pytest.mark.long, pytest.mark.timeout(900)]
N_GAMES, N_KILLED_GAMES, N_KILLS = 200, 75, 5
RESUME = """
import sys
from wordpl.apps.models.endpoints import HOST
from wordpl.contest import Contest

HOST.bind("local", sys.argv[2])
HOST.in_flight = 16
Contest.resume(sys.argv[1], jobs=1, level="D").play()
"""


def test_200_games_with_faults_are_those_of_the_strategy(tmp_path):
    HOST.in_flight = 64
    with model_server(by_strategy(), fault_share=0.1) as server:
        run = contest(tmp_path, server, entry(tmp_path), "letter_frequency", n_games=N_GAMES).play()
    assert games(run) == games(run, 1)
    assert {record.verdict for record in run.entries[0].read()} <= {Verdict.WON, Verdict.UNSOLVED}
    assert set(server.faults) >= set(FAULTS)
    exchanges = list(transcripts.read(run, run.info.entries[0]))
    assert len(exchanges) == len({(one.game, one.move, one.ask) for one in exchanges})
    assert check_games(RunRecords(run), run.info.config.load_lists())[0].holds
    print({"requests": len(server.requests), "faults": dict(server.faults)})


@pytest.mark.parametrize("seed", range(4))
def test_a_run_that_is_killed_at_five_moments_is_the_same(seed, tmp_path):
    HOST.in_flight = 16
    chance = random.Random(seed)
    with model_server(by_strategy(), delay_s=0.02) as server:
        whole = contest(tmp_path, server, entry(tmp_path), n_games=N_KILLED_GAMES).play()
        n_whole = len(server.requests)
        run = contest(tmp_path, server, entry(tmp_path), n_games=N_KILLED_GAMES).open()
        del server.requests[:]
        n_kills = 0
        while True:
            before = len(server.requests)
            command = [sys.executable, "-c", RESUME, str(run.folder), server.url]
            child = subprocess.Popen(command, cwd=HOME, env=os.environ | {"PYTHONPATH": str(HOME)})
            target = before + chance.randrange(1, 2 * n_whole // N_KILLS)
            while n_kills < N_KILLS and child.poll() is None and len(server.requests) < target:
                time.sleep(0.002)
            if n_kills < N_KILLS and child.poll() is None:
                child.send_signal(signal.SIGKILL)
                child.wait()
                n_kills += 1
                continue
            assert child.wait() == 0
            break
        n_asked = len(server.requests)
    run = Run(run.folder)
    assert lines(run) == lines(whole)
    assert n_asked <= n_whole + n_kills * HOST.in_flight  # only what was on its way is asked again
    assert check_games(RunRecords(run), run.info.config.load_lists())[0].holds
    print({"kills": n_kills, "requests": n_asked, "in one go": n_whole})
