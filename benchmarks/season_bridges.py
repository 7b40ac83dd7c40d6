"""False orders and false records in seasons with bridges, void rounds, changed terms and withdrawn versions.

    python benchmarks/season_bridges.py [--seasons 200]

All versions are equal, so every order is false, and each claim of a record is exactly the true score. After a third and
two thirds of the rounds, the conditions change: a bridge lets some versions keep their games, others start anew. The
host declares rounds void, authors send variants and withdraw those that look worse, and the number of confirmations
becomes smaller; a void confirmation counts as used. Orders are checked after every second round.
"""

import argparse

import numpy as np

from wordpl.apps.season import standings
from wordpl.apps.season.bridge import era_of
from wordpl.apps.season.credits import Credits, SeasonScore
from wordpl.apps.season.log import MIN_REPLAYED, Bridged, Version
from wordpl.apps.season.periods import RoundGames

N_AUTHORS, N_ROUNDS, N_GAMES, SHARE = 8, 18, 150, 0.55
N_CONFIRMATIONS, N_CONFIRMATION_GAMES = 20, 1000
SCORE = SeasonScore("p_win", None)


def games_of(rng: np.random.Generator, n_players: int) -> list[Credits]:
    """Return the games of a round: half of the difficulty is common to all players."""
    common = rng.random(N_GAMES)
    own = rng.random((n_players, N_GAMES))
    difficulty = np.where(rng.random((n_players, N_GAMES)) < 0.5, common, own)
    return [Credits(np.full(N_GAMES, 10.0), row) for row in (difficulty < SHARE).astype(float)]


def has_false_order(rng: np.random.Generator) -> bool:
    """Return whether a version was shown to be better than another one at any time of a season."""
    versions = [Version(i, f"bot{i}", 1, f"bot{i}", "", "", "", "") for i in range(N_AUTHORS)]
    current, rounds, bridges = list(range(N_AUTHORS)), [], []
    conditions = ["a", "b", "c"]
    for number in range(N_ROUNDS):
        now = conditions[3 * number // N_ROUNDS]
        if rounds and rounds[-1][0] != now:
            kept = {versions[i].label: (MIN_REPLAYED, MIN_REPLAYED - int(rng.random() < 0.5)) for i in current}
            bridges.append(Bridged(time="", old=rounds[-1][0], new=now, games=kept))
        games = games_of(rng, len(current))
        if rng.random() < 0.1:
            continue  # the round is declared void
        rounds.append((now, list(current), games))
        worst = min(range(len(current)), key=lambda place: games[place].credit.mean())
        if rng.random() < 0.5:  # its author withdraws it and sends a variant
            versions.append(Version(len(versions), f"bot{len(versions)}", 1, f"bot{worst}", "", "", "", ""))
            current[worst] = len(versions) - 1
        if number % 2:
            order = list(dict.fromkeys(held for held, *_ in rounds))
            pooled = [
                RoundGames(players, own, 0, [era_of(versions[i].label, held, now, bridges, order) for i in players])
                for held, players, own in rounds
            ]
            table = standings.compute(versions, current, pooled, [SCORE]).tables[0]
            if table.order.better.any() or any(row.first_rank > 1 for row in table.rows):
                return True
    return False


def has_false_record(rng: np.random.Generator) -> bool:
    """Return whether a confirmation shows a score that is exactly the true one."""
    n_allowed = int(rng.integers(5, N_CONFIRMATIONS + 1))  # lowered by the host
    for _ in range(n_allowed):
        won = (rng.random(N_CONFIRMATION_GAMES) < SHARE).astype(float)
        shown = standings.is_shown(
            Credits(np.full(len(won), 10.0), won), SCORE, SHARE, standings.level_of(N_CONFIRMATIONS)
        )
        is_void = rng.random() < 0.1  # it counts as used, and its result is lost
        if shown and not is_void:
            return True
    return False


def main() -> None:
    """Print the shares of seasons with a false order and with a false record."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seasons", type=int, default=200)
    n = parser.parse_args().seasons
    rng = np.random.default_rng(56)
    orders = sum(has_false_order(rng) for _ in range(n))
    records = sum(has_false_record(rng) for _ in range(n))
    print(f"{n} seasons: {orders} with a false order, {records} with a false record")


if __name__ == "__main__":
    main()
