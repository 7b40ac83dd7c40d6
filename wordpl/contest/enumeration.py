"""Exact probabilities of winning.

Of one game, given its clues, and of an entry with at most three guesses, by enumerating all clues that can be shown.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from wordpl import games
from wordpl.core.clues import RandomizedResponse, decode, encode
from wordpl.core.files import temporary_folder
from wordpl.core.messages import UserError
from wordpl.core.moves import NoisyMove, noisy, total_epsilon
from wordpl.core.words import WordLists
from wordpl.games import Game
from wordpl.kernels.clue_matrix import ClueTable, agreements, guess_rows
from wordpl.kernels.posterior import Posterior, add_clues
from wordpl.players.base import Player, TimeLimits, allowance
from wordpl.players.pool import PlayerPool
from wordpl.run.bundle import BundleStore
from wordpl.run.config import RunConfig
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record
from wordpl.solvers.noisy.clue_entropy import channel
from wordpl.solvers.noisy.final_guess import win_chances
from wordpl.solvers.plans.search import updated

FOR_NOISY_GAMES = "estimates are for noisy games such as wordpl/1."


def posterior(words: ClueTable, rows: dict[str, int], moves: Sequence[NoisyMove]) -> np.ndarray:
    """Return the probability of each answer after these moves and their clues, float64[n_answers]."""
    logs = np.zeros(words.matrix.shape[1])
    for move in moves:
        marks = agreements(encode(move.clues), words.length)
        add_clues(logs, words.matrix[rows[move.guess]], marks, move.epsilon / words.length)
    weights: np.ndarray = np.exp(logs)
    return np.asarray(weights / weights.sum())


class WinChances:
    """The chances of winning that the clues of games leave, in a game whose answer is a move of its own.

    Attributes:
        has_kernels: Whether there are kernels for the game's channel; otherwise the chance before the last clue is not
            computed.
    """

    def __init__(self, game: Game):
        """Prepare the tables of the game."""
        self.has_kernels = type(game.channel) is RandomizedResponse
        self._game = game
        self._columns = {answer: index for index, answer in enumerate(game.lists.answers)}
        self._rows = guess_rows(game.lists)
        self._table = ClueTable.of(game.lists, game.clue_rule) if self.has_kernels else None

    def of(self, record: Record) -> tuple[float, float]:
        """Return the posterior of a record's answer, and the chance of winning before the last clue.

        The latter is for an entry that then proposes the likeliest word; without kernels, it is that of the answer.
        """
        *guesses, answer = noisy(record.moves)
        chance = float(self.posterior(guesses)[self._columns[answer.guess]])
        return chance, chance if self._table is None else chance_before_last(self._table, self._rows, record)

    def posterior(self, guesses: Sequence[NoisyMove]) -> np.ndarray:
        """Return the probability of each answer after these guesses and their clues, float64[n_answers]."""
        if self._table is not None:
            return posterior(self._table, self._rows, guesses)
        result = Posterior.of(self._game)
        for move in guesses:
            result.update(*move.arguments)
        return result.probabilities


def chance_before_last(words: ClueTable, rows: dict[str, int], record: Record) -> float:
    """Return the probability of winning a noisy game before its last clue, if the likeliest word is then proposed.

    Args:
        words: The clues of all words.
        rows: The row of each guess in the clue matrix, see `guess_rows`.
        record: The record of the game.
    """
    if len(record.moves) < 2:
        return 0.0
    *earlier, last, _ = noisy(record.moves)
    row = rows[last.guess]
    chances = posterior(words, rows, earlier)
    return float(win_chances(words.columns[:, row : row + 1], chances, last.epsilon, words.length)[0])


def entries_with_budget(entries: Sequence[EntryInfo]) -> list[EntryInfo]:
    """Return the entries that play a noisy game, which can be estimated.

    Raises:
        UserError: There is none.
    """
    noisy_entries = [entry for entry in entries if entry.game.has_answer_move]
    if not noisy_entries:
        game_ids = ", ".join(sorted({entry.game.id for entry in entries}))
        raise UserError(f"no entry has a budget in {game_ids}: {FOR_NOISY_GAMES}")
    return noisy_entries


MAX_ENUMERATED_GUESSES = 2
TOLERANCE = 1e-6


class Branch(msgspec.Struct, kw_only=True):
    """All games with the same first clue.

    Attributes:
        chance: The joint probability of this clue and a win.
        budget: The maximum cost of these games.
        n_guesses: The maximum number of guesses in these games.
        n_games: The number of games played so far, including those of earlier branches.
        last_guesses: The third guess and its epsilon after each second clue.
    """

    chance: float = 0.0
    budget: float = 0.0
    n_guesses: int = 0
    n_games: int = 0
    last_guesses: dict[str, tuple[str, float]] = {}


@dataclass(frozen=True)
class EnumerationResult:
    """The result of an enumeration.

    Attributes:
        chance: The probability of winning.
        budget: The maximum cost of a game.
        n_guesses: The maximum number of guesses in a game.
        last_guesses: The third guess and its epsilon after each pair of clues; None if they are unknown.
    """

    chance: float
    budget: float
    n_guesses: int
    last_guesses: dict[tuple[str, ...], tuple[str, float]] | None


@contextmanager
def started_player(entry: EntryInfo, config: RunConfig, store: BundleStore | None = None) -> Iterator[Player]:
    """Yield a player for the entry, under the same conditions as in a run with this configuration.

    Args:
        entry: The entry.
        config: The configuration.
        store: Has the entry's files and what it wrote while it was loaded. None: its author's files are copied.
    """
    lists = config.load_lists()
    with (
        temporary_folder() as parent,
        PlayerPool(lists, Path(parent), [config.results], store) as pool,
    ):
        player = pool.player(entry, config)
        try:
            yield player
        finally:
            player.close()


def enumerate_entry(
    entry: EntryInfo, config: RunConfig, step: Callable[[], object], store: BundleStore | None = None
) -> tuple[float, float]:
    """Return an entry's exact probability of winning and the budget that it spends, as in a run with this config.

    Args:
        config: The configuration of the run.
        step: Called after each first clue.
        store: See `started_player`.
    """
    lists = config.load_lists()
    with started_player(entry, config, store) as player:
        return exact(player, lists, entry.game.id, allowance(config), step)


def exact(
    player: Player, lists: WordLists, game_id: str, allowance: TimeLimits, step: Callable[[], object]
) -> tuple[float, float]:
    """Return an entry's exact probability of winning and the budget that it spends.

    Args:
        player: A player of the entry, which makes at most three guesses and is deterministic.
        game_id: The game.
        allowance: The time limits of each game; there are 243 x 243 games with words of five letters.
        step: Called after each first clue.

    Raises:
        UserError: The entry makes more guesses, or proposes another word than the likeliest.
        PlayerError: The player failed.
    """
    result = Enumeration(player, lists, game_id, allowance).run({}, lambda clues, branch: step())
    return result.chance, result.budget


class Enumeration:
    """Enumerates all games of an entry, clue by clue.

    Arrays called `weights` hold the joint probability of each answer and the clues so far, float64[n_answers]. Each
    game has another strategy seed; games with the same clues must have the same moves.
    """

    def __init__(self, player: Player, lists: WordLists, game_id: str, allowance: TimeLimits):
        self.player, self.allowance, self.lists = player, allowance, lists
        self.game = games.make_game(game_id, lists)
        if type(self.game.channel) is not RandomizedResponse:
            raise UserError(f"{game_id} cannot be enumerated: its clues do not pass randomized response.")
        self.words = ClueTable.of(lists, self.game.clue_rule)
        self.rows, self.columns = guess_rows(lists), {answer: i for i, answer in enumerate(lists.answers)}
        self._n_games = 0

    def run(self, known: dict[str, Branch], done: Callable[[str, Branch], object]) -> EnumerationResult:
        """Play all games.

        Args:
            known: The branches that are already finished, by their first clue; they are not played again.
            done: Called with each first clue and its branch.
        """
        n_answers = len(self.lists.answers)
        weights = np.full(n_answers, 1 / n_answers)
        first = self._next_proposal([])
        if first.is_answer:
            return EnumerationResult(float(weights[self.columns[first.guess]]), 0.0, 0, {})
        branches = {}
        for clues, joint in self._possible_clues(first, weights):
            branch = known.get(clues)
            if branch is None:
                branch = Branch()
                branch.chance = self._chance([first.with_clues(clues)], joint, branch)
                branch.n_games = self._n_games
            self._n_games = branch.n_games
            branches[clues] = branch
            done(clues, branch)
        return _combine(branches)

    def _possible_clues(self, move: NoisyMove, weights: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        """Yield each clue that can be shown for a move, with the joint probability of each answer and the clue."""
        joint = channel(move.epsilon, self.words.length)[:, self.words.matrix[self.rows[move.guess]]] * weights
        for code, likely in enumerate(joint):
            yield decode(code, self.words.length), likely

    def _chance(self, moves: list[NoisyMove], weights: np.ndarray, branch: Branch) -> float:
        """Return the joint probability of the clues of these moves and a win, and update the branch."""
        move = self._next_proposal(moves)
        if move.is_answer:
            branch.n_guesses = max(branch.n_guesses, len(moves))
            branch.budget = max(branch.budget, total_epsilon(moves))
            return float(weights[self.columns[move.guess]])
        if len(moves) == MAX_ENUMERATED_GUESSES:
            return self._chance_of_last(moves, move, weights, branch)
        return sum(
            self._chance([*moves, move.with_clues(clues)], joint, branch)
            for clues, joint in self._possible_clues(move, weights)
        )

    def _next_proposal(self, moves: list[NoisyMove]) -> NoisyMove:
        """Return the entry's proposal in a game that began with these moves."""
        self.player.prepare()
        proposal = self.player.first_move(self._n_games, self.allowance)
        self._n_games += 1
        for move in moves:
            if self._legal_move(proposal).proposal != move.proposal:
                raise UserError(
                    f"it proposed {move.proposal} in one game, but {proposal} in another game with the same clues."
                )
            proposal = self.player.next_move(move)
        return self._legal_move(proposal)

    def _legal_move(self, proposal: Any) -> NoisyMove:
        """Return the proposal as a legal move of a noisy game."""
        (move,) = noisy([self.game.check(proposal)])
        return move

    def _chance_of_last(self, moves: list[NoisyMove], last: NoisyMove, weights: np.ndarray, branch: Branch) -> float:
        """Return the joint probability of the clues of these moves and a win after this last guess.

        To check that the entry proposes the likeliest word, it is shown the clue that this word would give.
        """
        row, total, length = self.rows[last.guess], weights.sum(), self.words.length
        code = int(self.words.matrix[row, weights.argmax()])
        answer = self._legal_move(self.player.next_move(last.with_clues(decode(code, length))))
        if not answer.is_answer:
            max_guesses = MAX_ENUMERATED_GUESSES + 1
            raise UserError(
                f"this entry makes more than {max_guesses} guesses: there are too many games to play them all."
            )
        after = updated(weights, self.words.matrix[row], code, last.epsilon, length)
        if after[self.columns[answer.guess]] < after.max() * (1 - TOLERANCE):
            played = ", ".join(f"{move.guess} {move.epsilon:g} {move.clues}".strip() for move in [*moves, last])
            raise UserError(
                f"after {played} it proposes {answer.guess!r}, which is not the likeliest word: an entry with three "
                "guesses can only be enumerated if it proposes that word. Without --exact, games are sampled."
            )
        branch.budget = max(branch.budget, total_epsilon([*moves, last]))
        branch.n_guesses = MAX_ENUMERATED_GUESSES + 1
        branch.last_guesses[moves[1].clues] = last.proposal
        won = win_chances(self.words.columns[:, row : row + 1], weights / total, last.epsilon, length)
        return float(won[0] * total)


def _combine(branches: dict[str, Branch]) -> EnumerationResult:
    return EnumerationResult(
        sum(branch.chance for branch in branches.values()),
        max(branch.budget for branch in branches.values()),
        max(branch.n_guesses for branch in branches.values()),
        {(first, second): last for first, branch in branches.items() for second, last in branch.last_guesses.items()},
    )
