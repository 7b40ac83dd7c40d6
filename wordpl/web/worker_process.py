"""Slow computations in a separate process, and the one that computes hints, which never receives the secret."""

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING, Any

from wordpl import games
from wordpl.core.words import WordLists
from wordpl.games import OwnGame
from wordpl.web.config import RefusedError

if TYPE_CHECKING:
    from wordpl.contest.session import Session

MAX_WAITING = 16


class WorkerProcess:
    """One process that runs functions one after the other. It is started when it is first used."""

    def __init__(
        self, timeout_s: float, initializer: Callable[..., None] | None = None, initargs: tuple[Any, ...] = ()
    ):
        """Configure the process.

        Args:
            timeout_s: The time limit of a function in seconds, after which the process is stopped.
            initializer: A module-level function that the process calls first.
        """
        self._timeout_s = timeout_s
        self._initializer, self._initargs = initializer, initargs
        self._pool: ProcessPoolExecutor | None = None
        self._n_waiting = 0

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run a module-level function in the process and return its result.

        Raises:
            RefusedError: Too many calls are waiting, the function took too long, or the process has died.
        """
        if self._n_waiting >= MAX_WAITING:
            raise RefusedError(503, "the server is busy: try again in a moment.", 5)
        self._n_waiting += 1
        try:
            pool = self._started()
            async with asyncio.timeout(self._timeout_s):
                return await asyncio.get_running_loop().run_in_executor(pool, function, *arguments)
        except (TimeoutError, BrokenProcessPool):
            self.close()
            raise RefusedError(503, "the request took too long: try again.", 5) from None
        finally:
            self._n_waiting -= 1

    def close(self) -> None:
        """Stop the process."""
        pool, self._pool = self._pool, None
        if pool is not None:
            processes = list((getattr(pool, "_processes", None) or {}).values())  # Python 3.14 has a method for this
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.terminate()

    def _started(self) -> ProcessPoolExecutor:
        if self._pool is None:
            spawn = get_context("spawn")
            initargs = (self._initializer, self._initargs)
            self._pool = ProcessPoolExecutor(1, spawn, initializer=_begin, initargs=initargs)
        return self._pool


def _begin(initializer: Callable[..., None] | None, initargs: tuple[Any, ...]) -> None:
    """Initialize the process, and make it end with the server even if the server is killed."""
    Thread(target=_end_with_parent, daemon=True).start()
    if initializer is not None:
        initializer(*initargs)


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


TIMEOUT_S = 60.0
"""The time limit of a hint; most take half a second."""
N_WORDS = 10


_lists: WordLists | None = None
"""The word lists of the process that computes hints."""


def prepare_hints(lists: WordLists, own_games: Sequence[OwnGame]) -> None:
    """Set the word lists in the process that computes hints, and bind the host's own games."""
    global _lists
    _lists = lists
    games.bind_all(own_games)


def hint(game_id: str, rows: list[list[Any]]) -> dict[str, Any]:
    """Return a hint: lines of text, the most likely words, and the probabilities of letters and of marks.

    Args:
        rows: The moves so far, as in a record.
    """
    from wordpl.contest.session import Session
    from wordpl.core import words
    from wordpl.core.moves import from_json

    game = games.make_game(game_id, _lists or words.load())
    placeholder = game.lists.answers[0]  # a session needs a secret, but hints do not depend on it
    session = Session(game, "", 0, placeholder, [from_json(row, game.facts.form) for row in rows])
    return _classic_hint(session) if session.is_exact else _noisy_hint(session)


def _noisy_hint(session: "Session") -> dict[str, Any]:
    from wordpl.contest.advice import ANSWER_PROBABILITY, most_informative, suggestion

    posterior = session.posterior()
    words = posterior.top(N_WORDS)
    lines = [f"{posterior.bits:.1f} bits are left, as with {2**posterior.bits:,.0f} equally likely words."]
    best, probability = words[0]
    if not session.has_epsilon:
        guess, gain = most_informative(session, posterior)
        lines.append(f"Suggested: {guess}, {f'{gain:.1f} bits expected' if gain else 'the answer'}.")
    elif probability >= ANSWER_PROBABILITY:
        lines.append(f"Suggested: answer {best}, which is right with probability {probability:.2f}.")
    else:
        move = suggestion(session.game, posterior)
        lines.append(f"Suggested: {move.guess} at epsilon {move.epsilon:g}, with {move.bits:.1f} bits expected.")
    return {"lines": lines, "words": words, "letters": session.letter_chances(), "marks": session.mark_chances()}


def _classic_hint(session: "Session") -> dict[str, Any]:
    from wordpl.contest.advice import absurdle_guess, best_allowed

    candidates = session.candidates()
    lines = [f"{len(candidates):,} {'answer is' if len(candidates) == 1 else 'answers are'} left."]
    if session.game.facts.has_secret:
        guess, bits = best_allowed(session, candidates)
        lines.append(f"Suggested: {guess}, {f'{bits:.1f} bits expected' if bits else 'the answer'}.")
    else:
        guess, n_left = absurdle_guess(session, candidates)
        lines.append(f"Suggested: {guess}, which leaves at most {n_left:,} word{'' if n_left == 1 else 's'}.")
    return {"lines": lines, "words": [(word, None) for word in candidates[:N_WORDS]], "letters": None, "marks": None}


def hint_process(lists: WordLists) -> WorkerProcess:
    """Return the worker process for hints with these word lists."""
    return WorkerProcess(TIMEOUT_S, prepare_hints, (lists, games.bound()))
