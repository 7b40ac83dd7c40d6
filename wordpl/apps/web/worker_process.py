"""Slow computations in a separate process, and the one that computes hints, which never receives the secret."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wordpl import games
from wordpl.core import words
from wordpl.core.offers import RefusedError
from wordpl.core.words import WordLists
from wordpl.games import OwnGame, bind_all, bound
from wordpl.players.killable import KillableProcess, ProcessEndedError

if TYPE_CHECKING:
    from wordpl.contest.session import Session

MAX_WAITING = 16
_served: list[WordLists] = []


class WorkerProcess:
    """One process that calls functions one after the other. It is started when it is first used."""

    def __init__(self, timeout_s: float, lists: WordLists | None = None):
        """Configure the process: the time limit of a call, after which it is stopped, and the server's word lists."""
        self._timeout_s, self._lists = timeout_s, lists
        self._process: KillableProcess | None = None
        self._n_waiting = 0

    async def run(self, function: str, *arguments: Any) -> Any:
        """Call a function in the process and return its result.

        Args:
            function: The function, as module:name.
            arguments: Its arguments.

        Raises:
            RefusedError: Too many calls are waiting, the function took too long, or the process has died.
        """
        if self._n_waiting >= MAX_WAITING:
            raise RefusedError(503, "the server is busy: try again in a moment.", 5)
        self._n_waiting += 1
        try:
            async with asyncio.timeout(self._timeout_s):
                return await self._started().call(function, *arguments)
        except (TimeoutError, ProcessEndedError):
            self.close()
            raise RefusedError(503, "the request took too long: try again.", 5) from None
        finally:
            self._n_waiting -= 1

    def close(self) -> None:
        """Stop the process."""
        process, self._process = self._process, None
        if process is not None:
            process.stop(0)

    def _started(self) -> KillableProcess:
        if self._process is None:
            self._process = KillableProcess()
            self._process.prepare(f"{__name__}:prepare", self._lists, bound())
        return self._process


def prepare(lists: WordLists | None, own_games: tuple[OwnGame, ...]) -> None:
    """Set the server's word lists in this process, and bind the host's own games."""
    _served[:] = [lists] if lists else []
    bind_all(own_games)


def served_lists() -> WordLists:
    """Return the server's word lists in such a process, elsewhere the contest's."""
    return _served[0] if _served else words.load()


TIMEOUT_S = 60.0
"""The time limit of a hint; most take half a second."""
N_WORDS = 10


def hint(game_id: str, rows: list[list[Any]]) -> dict[str, Any]:
    """Return a hint: lines of text, the most likely words, a letter, and the probabilities of letters and of marks.

    Args:
        rows: The moves so far, as in a record.
    """
    from wordpl.contest.session import Session
    from wordpl.core.moves import from_json

    game = games.make_game(game_id, served_lists())
    placeholder = game.lists.answers[0]  # a session needs a secret, but hints do not depend on it
    session = Session(game, "", 0, placeholder, [from_json(row, game.facts.form) for row in rows])
    return _classic_hint(session) if session.leaves_a_set else _noisy_hint(session)


def _noisy_hint(session: "Session") -> dict[str, Any]:
    from wordpl.contest.session import ANSWER_PROBABILITY, most_informative, suggestion

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
    letters = session.letter_chances()
    return {
        "lines": lines,
        "words": words,
        "letter": _best_letter(letters),
        "letters": letters,
        "marks": session.mark_chances(),
    }


def _classic_hint(session: "Session") -> dict[str, Any]:
    from wordpl.contest.session import absurdle_guess, best_allowed

    candidates = session.candidates()
    lines = [f"{len(candidates):,} {'answer is' if len(candidates) == 1 else 'answers are'} left."]
    if session.game.facts.has_secret:
        guess, bits = best_allowed(session, candidates)
        lines.append(f"Suggested: {guess}, {f'{bits:.1f} bits expected' if bits else 'the answer'}.")
    else:
        guess, n_left = absurdle_guess(session, candidates)
        lines.append(f"Suggested: {guess}, which leaves at most {n_left:,} word{'' if n_left == 1 else 's'}.")
    counts = Counter(letter for word in candidates for letter in set(word))
    letters = {letter: count / len(candidates) for letter, count in counts.items()}
    words = [(word, None) for word in candidates[:N_WORDS]]
    return {"lines": lines, "words": words, "letter": _best_letter(letters), "letters": None, "marks": None}


def review(game_id: str, rows: list[list[Any]], secret: str, is_won: bool) -> dict[str, Any]:
    """Return the review of a game that has ended as `review`, which is None if such games are not reviewed.

    Args:
        game_id: The name of the game.
        rows: The moves, as in a record.
        secret: The secret, which the player may see.
        is_won: Whether the player won.
    """
    from wordpl.core.moves import Verdict, from_json
    from wordpl.reports.game_reviews import as_json, review_of

    game = games.make_game(game_id, served_lists())
    moves = [from_json(row, game.facts.form) for row in rows]
    found = review_of(game, moves, secret, Verdict.WON if is_won else None)
    return {"review": None if found is None else as_json(found)}


KNOWN = 0.99
"""The probability from which on a letter is known to be in the secret."""


def _best_letter(chances: Mapping[str, float]) -> tuple[str, float]:
    """Return the letter that is most likely in the secret and not known to be, with its probability."""
    unknown = {letter: chance for letter, chance in chances.items() if chance < KNOWN}
    return max((unknown or chances).items(), key=lambda pair: (round(pair[1], 9), -ord(pair[0])))
