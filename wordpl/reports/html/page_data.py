"""Packs the games of a page into binary columns for its script, with the moves of as many games as fit."""

import json
import zlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from wordpl import games
from wordpl.core.clues import Exact, RandomizedResponse, encode
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.moves import LARGEST_BUDGET, GameFacts, Verdict
from wordpl.games.base import Game
from wordpl.kernels.posterior import Posterior
from wordpl.reports.elements import Entry
from wordpl.reports.game_reviews import BoardReviews, as_json, headline
from wordpl.reports.results import RunResults
from wordpl.reports.standings import FAULTS, Board
from wordpl.run.frame import Moves, rows_by
from wordpl.stats.game_review import is_reviewed

VERDICTS = tuple(str(verdict) for verdict in Verdict)
MAX_COSTS = 4096
"""The maximum number of different costs that are stored exactly; more are rounded to 1/65535 of the largest."""
MAX_ROUNDED = 1e6
"""Larger costs have no digits to round."""
ZLIB_LEVEL = 6
"""The highest level takes seven times as long, and its output is only 0.6% smaller."""
MAX_MESSAGES = 200
MESSAGE_CHARACTERS = 600
REPLY_CHARACTERS, MAX_REPLIES = 2000, 1_000_000
"""The characters of the end of a reply, and of all replies of an entry together, that a page has."""
TYPES = {"uint8": "B", "uint16": "H", "uint32": "I", "float64": "d"}
Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class CodedMoves:
    """The moves of n games, one game after the other.

    Attributes:
        starts: The start of each game's moves and the end of the last one, int[n + 1].
        guesses: The number of the word of each move.
        prices: The index of the epsilon of each move.
        epsilons: The epsilons, some of which may not occur; 0 in classic games.
        clues: The number of the clue of each move.
        has_clues: Whether a move has a clue; the answer of a noisy game has none.
        is_same: Whether a move repeats that of the most recent earlier game with the same moves and clues so far.
    """

    starts: Integers
    guesses: NDArray[np.uint32]
    prices: NDArray[np.uint32]
    epsilons: NDArray[np.float64]
    clues: NDArray[np.uint32]
    has_clues: NDArray[np.bool_]
    is_same: NDArray[np.bool_]

    def first(self, n_games: int) -> "CodedMoves":
        """Return the moves of the first `n_games` games."""
        of_moves = ("guesses", "prices", "clues", "has_clues", "is_same")
        kept = {name: getattr(self, name)[: self.starts[n_games]] for name in of_moves}
        return replace(self, starts=self.starts[: n_games + 1], **kept)

    def spent(self) -> NDArray[np.float64]:
        """Return the sum of the epsilons of each game, at most LARGEST_BUDGET."""
        lengths, prices = np.diff(self.starts), np.minimum(self.epsilons, LARGEST_BUDGET)
        sums = np.bincount(np.repeat(np.arange(len(lengths)), lengths), prices[self.prices], len(lengths))
        return np.asarray(np.minimum(sums, LARGEST_BUDGET), float)


def coded_moves(played: Moves, has_epsilon: bool, guesses: dict[str, int]) -> CodedMoves:
    """Return the moves of games as the page stores them.

    Args:
        played: The moves.
        has_epsilon: Whether the moves have epsilons.
        guesses: The numbers of guessed words on the page, to which new words are added.
    """
    used, first = np.unique(played.guess_codes, return_index=True)
    word_numbers = np.zeros(len(played.guesses), np.uint32)
    for code in used[np.argsort(first)]:
        word_numbers[code] = guesses.setdefault(played.guesses[code], len(guesses))
    words = word_numbers[played.guess_codes]
    clues = np.array([encode(text) for text in played.clues], np.uint32)[played.clue_codes]
    of_price = played.epsilon_codes.astype(np.uint32)
    moves = _group_numbers(words, of_price)
    epsilons = played.epsilons if has_epsilon else np.zeros(len(played.epsilons))
    has_clues = epsilons[of_price] != 0 if has_epsilon else np.ones(len(words), bool)
    is_same = _is_same(played.starts, moves, clues)
    return CodedMoves(played.starts, words, of_price, epsilons, clues, has_clues, is_same)


def _is_same(starts: Integers, moves: Integers, clues: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which moves repeat those of the most recent game with the same history."""
    is_same = np.zeros(len(moves), bool)
    lengths = np.diff(starts)
    games = np.flatnonzero(lengths > 0)
    history = np.zeros(len(games), np.int64)
    for round_ in range(int(lengths.max(initial=0))):
        move_indices = starts[games] + round_
        order = np.argsort(history, kind="stable")
        sorted_moves, sorted_history = moves[move_indices[order]], history[order]
        repeats = (sorted_history[1:] == sorted_history[:-1]) & (sorted_moves[1:] == sorted_moves[:-1])
        is_same[move_indices[order[1:]]] = repeats
        history = _group_numbers(_group_numbers(history, moves[move_indices]), clues[move_indices])
        goes_on = lengths[games] > round_ + 1
        games, history = games[goes_on], history[goes_on]
    return is_same


def _group_numbers(values: NDArray[Any], partners: NDArray[Any]) -> Integers:
    """Return a number for each pair of non-negative integers; equal pairs get the same number."""
    values = values.astype(np.int64) * (int(partners.max(initial=0)) + 1) + partners
    return np.asarray(pd.factorize(values)[0], np.int64)


@dataclass
class PackedColumns:
    """Concatenated arrays with an index of their positions."""

    parts: list[bytes] = field(default_factory=list)
    index: list[tuple[str, int, int]] = field(default_factory=list)
    size: int = 0

    def add(self, values: NDArray[Any]) -> int:
        """Add an array; return its number."""
        data = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<")).tobytes()
        self.index.append((TYPES[values.dtype.name], self.size, len(values)))
        padded = data + bytes(-len(data) % 8)
        self.parts.append(padded)
        self.size += len(padded)
        return len(self.index) - 1


def packed(facts: dict[str, Any], columns: PackedColumns) -> str:
    """Return a compressed block as base64: the length of the facts, the facts as JSON, and the columns."""
    text = json.dumps({**facts, "arrays": columns.index}, sort_keys=True, separators=(",", ":"), allow_nan=False)
    head = text.encode()
    head += b" " * (-(len(head) + 8) % 8)
    block = len(head).to_bytes(8, "little") + head + b"".join(columns.parts)
    return b64encode(zlib.compress(block, ZLIB_LEVEL)).decode()


@dataclass(frozen=True, eq=False)
class EntryGames:
    """The games of one entry.

    Attributes:
        name: The name of the entry.
        has_epsilon: Whether its moves have epsilons.
        rows: Rows of `folder.load_run`, in the order of the games.
        order: The positions of the games, in the order in which their moves are stored.
        moves: The moves, in that order.
        replies: The replies of a model by the number of the game, each with the number of its move.
    """

    name: str
    has_epsilon: bool
    rows: pd.DataFrame
    order: NDArray[np.int64]
    moves: CodedMoves
    replies: Sequence[tuple[int, Sequence[tuple[int, str]]]] = ()

    def n_stored(self, n_kept: int) -> int:
        """Return the number of games with stored moves: faults, and games with numbers below `n_kept`."""
        return int((self.is_fault | (self.numbers < n_kept)).sum())

    @cached_property
    def numbers(self) -> NDArray[np.int64]:
        """The number of each game."""
        return self.rows["game"].to_numpy(np.int64)

    @cached_property
    def is_fault(self) -> NDArray[np.bool_]:
        """Whether each game ended by a fault."""
        return is_fault(self.rows)

    @cached_property
    def lengths(self) -> NDArray[np.uint16]:
        """The number of moves of each game."""
        return self.rows["n_moves"].clip(upper=65535).to_numpy(np.uint16)

    @cached_property
    def verdicts(self) -> NDArray[np.uint8]:
        """The position of each game's verdict in VERDICTS."""
        codes = {verdict: position for position, verdict in enumerate(VERDICTS)}
        return self.rows["verdict"].map(codes).to_numpy().astype(np.uint8)

    @cached_property
    def messages(self) -> list[tuple[int, str]]:
        """The first messages with the numbers of their games."""
        with_message = self.rows[self.rows["message"] != ""].head(MAX_MESSAGES)
        return [(int(game), sanitize_untrusted_text(str(text), MESSAGE_CHARACTERS))
                for game, text in zip(with_message["game"], with_message["message"], strict=True)]  # fmt: skip

    @cached_property
    def costs(self) -> tuple[NDArray[np.uint16], NDArray[np.float64] | float]:
        """The cost of each game, won or not: indices into an array of values, or multiples of 1/65535 of a maximum."""
        costs = np.empty(len(self.rows))
        costs[self.order] = self.moves.spent()
        exact = np.where(costs < MAX_ROUNDED, np.round(np.minimum(costs, MAX_ROUNDED), 9), costs)
        values, which = np.unique(exact, return_inverse=True)
        if len(values) <= MAX_COSTS:
            return which.astype(np.uint16), np.where(values < LARGEST_BUDGET, values, np.inf)
        max_cost = float(costs.max())
        return np.round(costs / max_cost * 65535).astype(np.uint16), max_cost


def entry_games(name: str, has_epsilon: bool, rows: pd.DataFrame, moves: Moves, guesses: dict[str, int]) -> EntryGames:
    """Return the games of an entry; its words are added to `guesses`, the numbers of guessed words."""
    rows = rows.sort_values("game")
    faults = is_fault(rows)
    order = np.concatenate([np.flatnonzero(faults), np.flatnonzero(~faults)])
    played = moves.of_games(rows["game"].to_numpy(np.int64)[order])
    return EntryGames(name, has_epsilon, rows, order, coded_moves(played, has_epsilon, guesses))


def is_fault(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which games ended by a fault."""
    return rows["verdict"].isin([str(verdict) for verdict in FAULTS]).to_numpy(bool)


def add_entry(entry: EntryGames, columns: PackedColumns, new_numbers: NDArray[np.int64], n_kept: int) -> dict[str, Any]:
    """Add an entry's games to the columns; return the facts that the reader needs.

    Args:
        entry: The games of the entry.
        columns: The columns, to which arrays are added.
        new_numbers: The number of each guessed word on the page.
        n_kept: Moves are stored for games with numbers below this, and for all faults.
    """
    numbers = entry.numbers
    facts: dict[str, Any] = {
        "name": sanitize_untrusted_text(entry.name, 400),
        "noisy": entry.has_epsilon,
        "n": len(numbers),
        "kept": n_kept,
        "verdicts": columns.add(entry.verdicts),
        "lengths": columns.add(entry.lengths),
        "messages": entry.messages,
    }
    if entry.replies:
        facts["replies"] = entry.replies
    if not np.array_equal(numbers, np.arange(len(numbers))):
        facts["numbers"] = columns.add(numbers.astype(np.uint32))
    if entry.has_epsilon:  # the cost of each game, won or not
        costs, values = entry.costs
        facts["costs"] = columns.add(costs)
        facts |= {"most": values} if isinstance(values, float) else {"values": columns.add(values)}
    return facts | _moves(entry.moves.first(entry.n_stored(n_kept)), entry.has_epsilon, columns, new_numbers)


def _moves(
    moves: CodedMoves, has_epsilon: bool, columns: PackedColumns, new_numbers: NDArray[np.int64]
) -> dict[str, int]:
    """Add the bits of repeated moves, the words and epsilons of the others, and all clues."""
    is_stored = ~moves.is_same
    clues = moves.clues[moves.has_clues]
    fields = {
        "same": columns.add(np.packbits(moves.is_same, bitorder="little")),
        "words": columns.add(new_numbers[moves.guesses[is_stored]].astype(np.uint16)),
        "clues": columns.add(clues.astype(np.uint8 if clues.max(initial=0) < 256 else np.uint32)),
    }
    if has_epsilon:
        used_epsilons, prices = np.unique(moves.epsilons[moves.prices[is_stored]], return_inverse=True)
        fields["prices"] = columns.add(prices.astype(np.uint16 if len(used_epsilons) < 65536 else np.uint32))
        fields["epsilons"] = columns.add(used_epsilons)
    return fields


MAX_LISTED = 500_000
"""The most games that a page lists; of more, it lists the first ones of each entry."""
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
    entries: Sequence[EntryGames]
    names: Mapping[str, Entry]
    states: Mapping[str, "_KnownAfter"] = field(default_factory=dict)
    reviews: BoardReviews = field(default_factory=BoardReviews)


@dataclass(frozen=True, eq=False)
class _KnownAfter:
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

    def added(self, columns: PackedColumns) -> dict[str, int]:
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
    def n_listed(self) -> int:
        """The number of games of each entry that the page lists; see MAX_LISTED."""
        return max((len(board.secrets) for boards in self.boards for board in boards), default=0)

    @property
    def n_known(self) -> dict[str, int]:
        """The number of games of each entry with states, by the name of a game whose posterior needs its own code."""
        every = (board for run in self.boards for board in run if board.states)
        return {board.board.rules: min(states.n_games for states in board.states.values()) for board in every}

    def packed(self, n_kept: int) -> str:
        """Return the block, with the moves of games with numbers below `n_kept` and of all faults."""
        columns = PackedColumns()
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
                "key": report.draws.key.hex() if report.draws else "",
                "game_keys": report.draws is not None and report.draws.has_game_keys,
                "boards": [
                    _facts(board_games, columns, numbers, n_kept)
                    | {
                        "play": report.draws and _rules(board_games.board.game),
                        "command": _command(report, board_games),
                    }
                    for board_games in boards
                ],
            }
            for report, boards in zip(self.reports, self.boards, strict=True)
        ]
        facts = {
            "runs": runs,
            "guesses": [self.guesses[index] for index in used_guesses],
            "verdicts": list(VERDICTS),
            "faults": list(map(str, FAULTS)),
        }
        return packed(facts, columns)


def games_of(reports: Sequence[RunResults], reviews: Mapping[tuple[int, str], BoardReviews] | None = None) -> PageGames:
    """Return the games of these runs, from which blocks of any size can be made.

    Args:
        reports: The runs.
        reviews: The reviews of each board, by the place of its run and the name of its game.
    """
    guesses: dict[str, int] = {}
    known = reviews or {}
    boards = [
        [
            replace(_board_games(report, board, guesses), reviews=known.get((place, board.rules), BoardReviews()))
            for board in report.boards
        ]
        for place, report in enumerate(reports)
    ]
    return PageGames(reports, boards, list(guesses))


def listed(rows: pd.DataFrame, n_entries: int) -> pd.DataFrame:
    """Return the games that a page lists, of all games of a board."""
    return rows if len(rows) <= MAX_LISTED else rows[rows["game"] < max(1, MAX_LISTED // n_entries)]


def _board_games(report: RunResults, board: Board, guesses: dict[str, int]) -> _BoardGames:
    rows = report.rows_of(board)
    rows = listed(rows, len(board.rows))
    answers = {answer: number for number, answer in enumerate(report.lists.answers)}
    first = rows.drop_duplicates("game")
    secrets = np.full(int(rows["game"].max()) + 1, NO_SECRET, np.uint16)
    secrets[first["game"].to_numpy()] = first["secret"].astype(str).map(answers).fillna(NO_SECRET).to_numpy(np.uint16)
    by_name = rows_by(rows, "entry")
    entries = [entry_games(name, board.game.has_epsilon, by_name[name], report.moves[name], guesses)
               for name in board.names]  # fmt: skip
    entries = [replace(entry, replies=_replies(report.replies.get(entry.name, {}))) for entry in entries]
    states = {}
    if games.is_known(board.game) and _clue_rule(board.game) is None:
        game = games.make_game(board.game, report.lists)
        most = MAX_STATES // len(entries)
        states = {entry.name: _states_of(entry, report.moves[entry.name], game, most) for entry in entries}
    return _BoardGames(board, secrets, entries, report.entries(board), states)


def _replies(found: Mapping[int, Mapping[int, str]]) -> list[tuple[int, list[tuple[int, str]]]]:
    """Return the replies of an entry as the page stores them: those of the first games that fit, sanitized."""
    shown: list[tuple[int, list[tuple[int, str]]]] = []
    n_left = MAX_REPLIES
    for game in sorted(found):
        texts = [(move, sanitize_untrusted_text(text[-REPLY_CHARACTERS:], REPLY_CHARACTERS, keep="\n"))
                 for move, text in sorted(found[game].items())]  # fmt: skip
        n_left -= sum(len(text) for _, text in texts)
        if n_left < 0:
            break
        shown.append((game, texts))
    return shown


def _states_of(entry: EntryGames, moves: Moves, game: Game, max_moves: int) -> _KnownAfter:
    """Return what was known after each move of as many games of an entry as have at most `max_moves` moves."""
    places, secrets = np.searchsorted(moves.games, entry.numbers), entry.rows["secret"].array
    bits: list[float] = []
    likeliest: list[list[int]] = []
    chances: list[list[float]] = []
    n_games = 0
    for position in entry.order:
        played = moves.game(int(places[position]))
        if len(bits) + len(played) > max_moves:
            break
        posterior = Posterior.of(game)
        for guess, *epsilon, clues in played:  # classic moves have no epsilon
            has_ended = guess == secrets[position] and not game.facts.has_answer_move
            if clues and not has_ended:
                posterior.update(guess, *(*epsilon, clues)[:2])
            shares = posterior.probabilities
            top = np.argsort(-shares, kind="stable")[:N_LIKELIEST]
            if has_ended:
                top[0] = game.lists.answers.index(guess)
            bits.append(0.0 if has_ended else posterior.bits)
            likeliest.append(top.tolist())
            chances.append([1.0] + [0.0] * (len(top) - 1) if has_ended else shares[top].tolist())
        n_games += 1
    shape = (len(bits), min(N_LIKELIEST, len(game.lists.answers)))
    return _KnownAfter(
        n_games, np.array(bits), np.array(likeliest, np.uint16).reshape(shape), np.array(chances, float).reshape(shape)
    )


def _facts(
    board_games: _BoardGames, columns: PackedColumns, numbers: NDArray[np.int64], n_kept: int
) -> dict[str, object]:
    game = board_games.board.game
    return {
        "rules": board_games.board.rules,
        "noisy": game.has_epsilon,
        "clues": _clue_rule(game),
        "marks": games.game_class(game).clue_rule if games.is_known(game) and not game.is_exact else None,
        "secret": game.has_secret,
        "secrets": columns.add(board_games.secrets),
        "entries": [
            add_entry(entry, columns, numbers, n_kept)
            | {"label": board_games.names[entry.name].short, "number": board_games.names[entry.name].number}
            | ({"states": board_games.states[entry.name].added(columns)} if board_games.states else {})
            | _reviews(board_games.reviews, entry.name)
            for entry in board_games.entries
        ],
    }


def _reviews(reviews: BoardReviews, name: str) -> dict[str, object]:
    """Return the reviews of an entry's games, and the numbers of those with its dearest moves."""
    found = reviews.of(name)
    if not found:
        return {}
    worst = [(one.game, headline(one.review)) for one in reviews.worst.get(name, ())]
    return {"worst": worst, "reviews": [(number, as_json(review)) for number, review in found.items()]}


def _command(report: RunResults, board_games: _BoardGames) -> str | None:
    """Return the command that reviews a game of a board, without its number; None if there is none."""
    facts = board_games.board.game
    if not games.is_known(facts) or not is_reviewed(games.make_game(facts, report.lists)):
        return None
    return f"wordpl replay {sanitize_untrusted_text(report.name, 100)}"


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
    n_games = page_games.n_listed
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
