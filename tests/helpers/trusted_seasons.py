"""Seasons whose rounds no process plays, which takes no time; their runs look like official ones."""

from itertools import count
from pathlib import Path
from textwrap import dedent

from msgspec.structs import replace

from tests.helpers.written_runs import BOT, write_games
from wordpl.apps.season.season import Season
from wordpl.contest import Observer, determinism, official, run_folder
from wordpl.core.seeds import Draws, new_official_seed
from wordpl.run import seal
from wordpl.run.bundle import STORE, BundleStore
from wordpl.run.config import PlayerKind
from wordpl.run.folder import Run

TERMS = """
title = "Cup"
game = "wordpl/1"
scores = ["p_win", "p05"]
games = 2
players = 4
leaders = 1
confirmations = 4
confirmation_games = 100
"""


class TrustedSeason(Season):
    """A season that makes the moves of BOT itself; seeds, commitments, clues, records and seals are genuine."""

    def contest(self, players, config, jobs=None):
        found = super().contest(players, _trusted(config), 1)
        found.open = lambda observer, taken=(): self._opened(found, config, taken)
        return found

    def _opened(self, contest, config, taken):
        info = run_folder.describe(config.resolved("A"), contest.entries)
        drawn = new_official_seed()
        info.commitment = seal.commitment(drawn, seal.terms_digest(info.facts()))
        names = (f"{number}-official" for number in count(1) if f"{number}-official" not in taken)
        free = (config.results / name for name in names)
        folder = next(path for path in free if not path.exists())  # as if all runs started in one second
        store = BundleStore(folder / STORE)
        store.copy_from(contest.found.store, [digest for entry in contest.entries for digest in entry.digests])
        official.write(drawn, info.commitment, folder)
        return Run.create(folder, info)

    def play(self, observer=None, *, beacon=None, jobs=None):
        if self.pending and self.run_of(self.pending).info.finished is None:
            _play(self.run_of(self.pending), beacon)  # as if it had been killed after the last game
        return super().play(observer or Observer())

    def play_round(self, **values):
        """Announce and play a round; return its event."""
        event = self.announce_round(Observer(), **values)
        self.play()
        return event


def _trusted(config):
    return replace(config, official=False, beacon_from=None, player=PlayerKind.TRUSTED)


def _play(run, beacon):
    info = run.info
    info.drawn_seed, info.beacon, info.repeats_seed = official.read(run), beacon, new_official_seed()
    info.seed = seal.games_seed(info.drawn_seed, beacon or "", [entry.sha256 for entry in info.entries])
    draws, info.n_repeats = Draws.of(info.seed), info.games_to_repeat
    write_games(run, repeated=determinism.games_to_repeat(draws, info.config.n_games, info.n_repeats))
    run.finish(run_folder.now())
    run.store.publish()
    official.remove_seed(run)


def season_in(folder: Path, terms: str = "", **values: object) -> TrustedSeason:
    """Return a season with these terms, or with these values in place of those of TERMS, and no versions."""
    (folder / "strategies").mkdir(parents=True)
    lines = [line for line in TERMS.strip().splitlines() if line.split(" =")[0] not in values]
    lines += [f"{name} = {value}" for name, value in values.items()]
    (folder / "season.toml").write_text("\n".join([*lines, terms, ""]))
    return TrustedSeason(folder)


def send(season: Season, *names: str, word: str = "crane", epsilon: float = 5.0) -> None:
    """Send a version of each of these names, all of which play a little differently."""
    for number, name in enumerate(names):
        path = season.folder / "strategies" / f"{name}.py"
        path.write_text(dedent(BOT.format(word=word, epsilon=epsilon + number / 8)))
        season.submit(path)
