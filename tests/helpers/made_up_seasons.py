"""Seasons whose rounds have made-up games, so that standings of any kind take no time to play."""

from datetime import date, timedelta

import numpy as np

from wordpl.apps.season import log
from wordpl.apps.season.credits import Credits
from wordpl.apps.season.periods import RoundGames
from wordpl.apps.season.season import Season
from wordpl.games import game_class
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, RunInfo, SeedSource

OPENED = date(2026, 3, 2)
N_GAMES = 300


class MadeUpSeason(Season):
    """A season that counts the games it is given instead of those of its runs.

    Attributes:
        made_up: The games of each version in a round, by the name of the run and the label of the version.
        names: The names of versions that clues do not allow, with a sentence.
    """

    made_up: dict[str, dict[str, Credits]]

    def games_of_rounds(self):
        index = {version.label: version.index for version in self.versions}
        found = []
        for event in self.played_rounds:
            games = self.made_up[event.run]
            found.append(RoundGames([index[label] for label in games], list(games.values()), event.number))
        return found

    def named(self):
        return iter(())


def season_in(folder, title="Spring cup", scores=("p50", "p95"), game="wordpl/1", deadline=None):
    """Return a season without versions."""
    Season.new(folder, title, game, scores, deadline=deadline, n_games=N_GAMES)
    season = MadeUpSeason(folder)
    season.made_up = {}
    return season


def day(number):
    """Return the time of an event, this number of days after the opening."""
    return f"{OPENED + timedelta(days=number)}T18:00:00+00:00"


def send(season, name, at=0):
    """Add a version of an entry; return its label."""
    number = season.next_number(name)
    season.log.add(log.Submitted(time=day(at), name=name, number=number, digest=f"{name}{number}", file=f"{name}.py"))
    return f"{name}@{number}"


def play(season, games, at, faults=None):
    """Play a round with these games of each version."""
    number = season.log.next_round
    run = f"{day(at)[:10]}-round-{number}"
    _create_run(season, "rounds", run, max(len(credit.credit) for credit in games.values()))
    players = {label.replace("@", "-"): label for label in games}
    season.log.add(log.Round(time=day(at), number=number, run=run, commitment="", players=players, faults=faults or {}))
    season.made_up[run] = games
    season.log.add(log.RunPlayed(time=day(at), run=run, seal="", files=""))
    season.note_standings()


def confirm(season, label, score, value, at, *, is_shown=True):
    """Play a confirmation."""
    number = 1 + sum(isinstance(event, log.Confirmation) for event in season.log.events)
    run = f"{day(at)[:10]}-confirmation-{number}"
    _create_run(season, "confirmations", run, 100)
    season.log.add(
        log.Confirmation(time=day(at), number=number, run=run, commitment="", version=label, slug="x", score=score,
                         value=value, level=0.001)
    )  # fmt: skip
    season.log.add(log.RunPlayed(time=day(at), run=run, seal="", files="", is_shown=is_shown))


def _create_run(season, part, name, n_games):
    facts = game_class(season.terms.game).facts
    config = RunConfig(n_games=n_games, repeats=0, game_id=season.terms.game).resolved("D")
    info = RunInfo(
        config=config, seed="made up", seed_source=SeedSource.TYPED,
        entries=[EntryInfo("Bot()", "bot", facts, "bot.py", "Bot()", "")], versions={}, machine={}, started=day(0),
    )  # fmt: skip
    Run.create(season.folder / part / name, info)


def games_of(rng, centre, share, n_games=N_GAMES, unit=0.5):
    """Return games that spend about `centre` and win this share."""
    spent = np.maximum(unit, np.round(rng.gamma(9, centre / 9, n_games) / unit) * unit)
    return Credits(spent, np.clip(rng.normal(share, 0.1, n_games), 0, 1))


BOTS = {"ada": (34.0, 0.86), "ben": (38.0, 0.85), "mia": (40.0, 0.84), "gus": (41.0, 0.83), "hal": (50.0, 0.9),
        "eve": (30.0, 0.31)}  # fmt: skip
"""The mean cost of a game of each entry, and the share that it wins."""


def spring_cup(folder, n_rounds=9, seed=1, **values):
    """Return a season of six authors, some of which come later or send new versions, with a record of p50."""
    rng = np.random.default_rng(seed)
    season = season_in(folder, **values)
    current = {name: send(season, name) for name in ("ben", "hal", "eve")}
    for number in range(n_rounds):
        for place, name in ((2, "ada"), (3, "mia"), (n_rounds - 1, "gus")):
            if number == place:
                current[name] = send(season, name, 7 * number + 1)
        if number == 4:
            current["ada"] = send(season, "ada", 7 * number + 1)
        games = {label: games_of(rng, *BOTS[name]) for name, label in current.items()}
        if number == 5:
            confirm(season, current["ada"], season.terms.scores[0], 39.5, 7 * number + 3)
        play(season, games, 7 * number + 4)
    return season
