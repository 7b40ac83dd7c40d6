"""Artificial runs of every game with real clues, as pages show them."""

import msgspec
import numpy as np
import pandas as pd

from wordpl import games
from wordpl.core import words
from wordpl.core.moves import ClassicMove, NoisyMove, Verdict
from wordpl.core.seeds import Draws
from wordpl.reports.results import RunResults, boards
from wordpl.run.frame import Moves, rows_by
from wordpl.stats.posterior_wins import with_posteriors

COLUMNS = ("entry", "rules", "measure", "game", "secret", "verdict", "cost", "n_moves", "message", "moves")
HOSTILE = "</script><script>window.hacked=1</script><img src=x onerror=alert(1)>\x1b[31m"
GAMES = ("wordpl/1", "wordpl-counted/1", "wordle/1", "absurdle/1")
DRAWS = Draws.of("page")


def play(game_id, number, rng):
    """Return a game with random guesses as (secret, verdict, cost, moves)."""
    lists = words.load()
    game = games.make_game(game_id, lists)
    secret = lists.answers[DRAWS.game(number).secret_index(len(lists.answers))] if game.facts.has_secret else ""
    moves, verdict = [], None
    n_guesses = int(rng.integers(1, 5))
    while verdict is None:
        if game.facts.has_epsilon:
            ends = len(moves) == n_guesses
            word = secret if ends and rng.random() < 0.5 else lists.answers[rng.integers(len(lists.answers))]
            move = NoisyMove(word, 0 if ends else float(rng.choice([6.0, 9.5, rng.gamma(5, 2)])), "")
        else:
            solved = len(moves) == n_guesses + 1
            move = ClassicMove(secret if solved and secret else lists.answers[rng.integers(len(lists.answers))], "")
        reply = game.reply(secret, moves, move, lambda: DRAWS.game(number).noise(len(moves) + 1, 5))
        moves.append(move.with_clues(reply.clues))
        verdict = reply.verdict
    won = verdict is Verdict.WON
    cost = (sum(m.epsilon for m in moves) if game.facts.has_epsilon else len(moves)) if won else np.inf
    return secret, str(verdict), cost, msgspec.to_builtins(moves)


def noisy_run(rng, n_games=60, game_ids=GAMES, hostile="Evil()"):
    """Return a run with two entries of each game; the name of the second and one message are hostile."""
    rows = []
    for game_id in game_ids:
        measure = games.game_class(game_id).facts.unit
        for entry in (f"Plain {game_id}", f"{hostile} {game_id}"):
            for number in range(n_games):
                secret, verdict, cost, moves = play(game_id, number, rng)
                rows.append((entry, game_id, measure, number, secret, verdict, cost, len(moves), "", moves))
    run = pd.DataFrame(rows, columns=COLUMNS)
    run["cost"] = run["cost"].astype(float)
    crashed = run.index[run["entry"] == f"{hostile} {game_ids[0]}"][3]
    run.loc[crashed, ["verdict", "cost", "message"]] = ["crashed", np.inf, f"Error: {hostile}"]
    return run.assign(cpu_s=0.001 * (1 + run.index.to_numpy() % 7))


def own_run(game_id, rng, n_games):
    """Return a run of one entry in a host's own game whose moves are guesses."""
    game, answers = games.make_game(game_id, words.load()), words.load().answers
    rows = []
    for number in range(n_games):
        secret, moves, verdict = answers[DRAWS.game(number).secret_index(len(answers))], [], None
        n_guesses = int(rng.integers(2, 6))
        while verdict is None:
            word = secret if len(moves) == n_guesses else answers[rng.integers(len(answers))]
            move, at = ClassicMove(word, ""), len(moves) + 1
            reply = game.reply(secret, moves, move, lambda at=at, number=number: DRAWS.game(number).noise(at, 5))
            moves.append(move.with_clues(reply.clues))
            verdict = reply.verdict
        cost = float(len(moves)) if verdict is Verdict.WON else np.inf
        rows.append(("Own()", game_id, game.facts.unit, number, secret, str(verdict), cost, len(moves), "",
                     msgspec.to_builtins(moves)))  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS).assign(facts=game.facts.as_text())


def moves_of(run):
    """Return the moves of each entry's games in a table with a column of lists; none if it has no such column."""
    if "moves" not in run:
        return {}
    return {name: Moves.of_lists(rows["moves"], rows["game"]) for name, rows in rows_by(run, "entry").items()}


def model(run, name="made up"):
    """Return the results of the run, as a page about it shows them."""
    lists = words.load()
    moves = moves_of(run)
    if moves:
        run = run.assign(spent=np.concatenate([moves[name].spent() for name in run["entry"].unique()]))
    frame = run if "posterior" in run else with_posteriors(run, moves, lists)
    run_boards = boards(frame, np.random.default_rng(1))
    facts = {"seed": "page", "date": "2026-01-01"}
    commands = ["wordpl verify RUN"]
    return RunResults(
        run_boards, frame, moves, lists, name, facts, ["A remark."], ["All holds."], commands, draws=DRAWS
    )
