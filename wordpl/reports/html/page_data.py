"""Packs the games of a page into one block for its script, with the moves of as many games as fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from wordpl import games
from wordpl.core import seeds
from wordpl.core.clues import Exact, RandomizedResponse
from wordpl.core.game_facts import GameFacts
from wordpl.core.numbering import Numbering
from wordpl.games.base import Game
from wordpl.kernels.posterior import Posterior
from wordpl.reports.board import FAULTS, Board
from wordpl.reports.cells import Entry
from wordpl.reports.html import game_data
from wordpl.reports.results import RunResults
from wordpl.run.frame import rows_by

NO_SECRET = 65535
N_LIKELIEST = 5
"""The number of words of which the probability after each move is stored, in games whose posterior needs their code."""
MAX_STATES = 5000
"""The maximum number of moves of a game after which probabilities are stored."""
N_TRIES = 4
"""The maximum number of attempts to find the number of games that fits.

Each attempt aims at a block that fills TARGET_FILL of the room; the search ends when one fills SUFFICIENT_FILL of it.
"""
SAMPLE_EVERY = 16
"""The size of the block of all games is estimated from one game in this many."""
MAX_ESTIMATE = 1.1
"""All games are tried if the estimate is less than this many times the room."""
TARGET_FILL = 0.98
SUFFICIENT_FILL = 0.96


@dataclass(frozen=True, eq=False)
class _BoardGames:
    """A board with the games of its entries, the index of each game's secret in the answers, and the entries."""

    board: Board
    secrets: NDArray[np.uint16]
    entries: Sequence[game_data.EntryGames]
    names: Mapping[str, Entry]
    states: Mapping[str, "_States"] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class _States:
    """What was known after each move of the first games of an entry, in a game whose posterior needs its own code.

    Attributes:
        n_games: The number of games, in the order in which their moves are stored.
        bits: The bits left after each move.
        words: The indices of the most likely answers after each move, uint16[n, N_LIKELIEST].
        chances: Their probabilities, float64[n, N_LIKELIEST].
    """

    n_games: int
    bits: NDArray[np.float64]
    words: NDArray[np.uint16]
    chances: NDArray[np.float64]

    def added(self, columns: game_data.Columns) -> dict[str, int]:
        """Add the states to the columns; return the facts that the reader needs."""
        return {
            "n": self.n_games,
            "bits": columns.add(self.bits),
            "words": columns.add(self.words.ravel()),
            "chances": columns.add(self.chances.ravel()),
        }


@dataclass(frozen=True, eq=False)
class PageGames:
    """The games of some runs.

    Attributes:
        reports: The runs.
        boards: The games of each run's boards.
        guesses: All words guessed, in the order of their numbers.
    """

    reports: Sequence[RunResults]
    boards: Sequence[Sequence[_BoardGames]]
    guesses: Sequence[str]

    @property
    def n_known(self) -> dict[str, int]:
        """The number of games of each entry with states, by the name of a game whose posterior needs its own code."""
        every = (board for run in self.boards for board in run if board.states)
        return {board.board.rules: min(states.n_games for states in board.states.values()) for board in every}

    def packed(self, n_kept: int) -> str:
        """Return the block, with the moves of games with numbers below `n_kept` and of all faults."""
        columns = game_data.Columns()
        stored = [entry.moves.first(entry.n_stored(n_kept)) for run in self.boards for board in run
                  for entry in board.entries]  # fmt: skip
        used_guesses = np.unique(np.concatenate([moves.guesses[~moves.is_same] for moves in stored]))
        numbers = np.zeros(len(self.guesses), np.int64)
        numbers[used_guesses] = np.arange(len(used_guesses))
        runs = [
            {
                "name": report.name,
                "length": report.lists.length,
                "answers": "".join(report.lists.answers),
                "others": "".join(sorted(report.lists.guess_set - report.lists.answer_set)),
                "key": seeds.run_key(report.seed).hex() if report.seed else "",
                "boards": [_facts(board_games, columns, numbers, n_kept, report.seed) for board_games in boards],
            }
            for report, boards in zip(self.reports, self.boards, strict=True)
        ]
        facts = {
            "runs": runs,
            "guesses": [self.guesses[index] for index in used_guesses],
            "verdicts": list(game_data.VERDICTS),
            "faults": list(map(str, FAULTS)),
        }
        return game_data.packed(facts, columns)


def games_of(reports: Sequence[RunResults]) -> PageGames:
    """Return the games of these runs, from which blocks of any size can be made."""
    guesses: Numbering[str] = Numbering()
    boards = [[_board_games(report, board, guesses) for board in report.boards] for report in reports]
    return PageGames(reports, boards, list(guesses))


def _board_games(report: RunResults, board: Board, guesses: Numbering[str]) -> _BoardGames:
    rows = report.rows_of(board)
    answers = {answer: number for number, answer in enumerate(report.lists.answers)}
    first = rows.drop_duplicates("game")
    secrets = np.full(int(rows["game"].max()) + 1, NO_SECRET, np.uint16)
    secrets[first["game"].to_numpy()] = first["secret"].astype(str).map(answers).fillna(NO_SECRET).to_numpy(np.uint16)
    by_name = rows_by(rows, "entry")
    entries = [game_data.entry_games(name, board.game.has_epsilon, by_name[name], guesses)
               for name in board.table["strategy"]]  # fmt: skip
    states = {}
    if games.is_known(board.game) and _clue_rule(board.game) is None:
        game = games.make_game(board.game, report.lists)
        states = {entry.name: _states_of(entry, game, MAX_STATES // len(entries)) for entry in entries}
    return _BoardGames(board, secrets, entries, report.entries(board), states)


def _states_of(entry: game_data.EntryGames, game: Game, max_moves: int) -> _States:
    """Return what was known after each move of as many games of an entry as have at most `max_moves` moves."""
    moves, secrets = entry.rows["moves"].array, entry.rows["secret"].array
    bits: list[float] = []
    places: list[list[int]] = []
    chances: list[list[float]] = []
    n_games = 0
    for position in entry.order:
        if len(bits) + len(moves[position]) > max_moves:
            break
        posterior = Posterior.of(game)
        for guess, *epsilon, clues in moves[position]:  # classic moves have no epsilon
            has_ended = guess == secrets[position] and not game.facts.has_answer_move
            if clues and not has_ended:
                posterior.update(guess, *(*epsilon, clues)[:2])
            shares = posterior.probabilities
            top = np.argsort(-shares, kind="stable")[:N_LIKELIEST]
            if has_ended:
                top[0] = game.lists.answers.index(guess)
            bits.append(0.0 if has_ended else posterior.bits)
            places.append(top.tolist())
            chances.append([1.0] + [0.0] * (len(top) - 1) if has_ended else shares[top].tolist())
        n_games += 1
    shape = (len(bits), min(N_LIKELIEST, len(game.lists.answers)))
    return _States(
        n_games, np.array(bits), np.array(places, np.uint16).reshape(shape), np.array(chances, float).reshape(shape)
    )


def _facts(
    board_games: _BoardGames, columns: game_data.Columns, numbers: NDArray[np.int64], n_kept: int, seed: str
) -> dict[str, object]:
    game = board_games.board.game
    return {
        "play": _rules(game) if seed else None,
        "rules": board_games.board.rules,
        "noisy": game.has_epsilon,
        "clues": _clue_rule(game),
        "marks": games.game_class(game).clue_rule if games.is_known(game) and not game.is_exact else None,
        "secret": game.has_secret,
        "secrets": columns.add(board_games.secrets),
        "entries": [
            game_data.add_entry(entry, columns, numbers, n_kept)
            | {"label": board_games.names[entry.name].short, "number": board_games.names[entry.name].number}
            | ({"states": board_games.states[entry.name].added(columns)} if board_games.states else {})
            for entry in board_games.entries
        ],
    }


def _rules(facts: GameFacts) -> dict[str, object] | None:
    """Return what the page needs to let a reader play a game; None for a host's own game."""
    if facts.sha256 or not games.is_known(facts):
        return None
    game = games.game_class(facts)
    return {"max": game.max_guesses, "hard": game.uses_hints}


def _clue_rule(facts: GameFacts) -> str | None:
    """Return the clue rule by which the page computes posteriors; None if only the game's own code could."""
    if not games.is_known(facts):
        return None
    game = games.game_class(facts)
    return game.clue_rule if game.channel_type in (Exact, RandomizedResponse) else None


def fitting(page_games: PageGames, room: int) -> tuple[str, int]:
    """Return the largest block that fits into `room` bytes, and the number of games of each entry with moves.

    The size is almost proportional to the number of games, so that a few steps of interpolation are enough.
    """
    n_games = max((report.n_games for report in page_games.reports), default=0)
    if n_games == 0:
        return "", 0
    best, n_best = page_games.packed(0), 0  # the largest block that fits; n_above games do not fit into the room
    n_above = n_games
    size_above = len(best) + SAMPLE_EVERY * (len(page_games.packed(n_games // SAMPLE_EVERY)) - len(best))
    if size_above <= MAX_ESTIMATE * room:
        data = page_games.packed(n_games)
        if len(data) <= room:
            return data, n_games
        size_above = len(data)
    for _ in range(N_TRIES):
        n_aimed = n_best + int((n_above - n_best) * (TARGET_FILL * room - len(best)) / max(1, size_above - len(best)))
        if not n_best < n_aimed < n_above or len(best) >= SUFFICIENT_FILL * room:
            break
        data = page_games.packed(n_aimed)
        if len(data) <= room:
            best, n_best = data, n_aimed
        else:
            n_above, size_above = n_aimed, len(data)
    return best, n_best
