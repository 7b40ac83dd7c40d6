"""Computes hints in a separate process that never receives the secret."""

from typing import TYPE_CHECKING, Any

from wordpl import games
from wordpl.web.worker_process import served_lists

if TYPE_CHECKING:
    from wordpl.contest.session import Session

TIMEOUT_S = 60.0
"""The time limit of a hint; most take half a second."""
N_WORDS = 10


def hint(game_id: str, rows: list[list[Any]]) -> dict[str, Any]:
    """Return a hint: lines of text, the most likely words, and the probabilities of letters and of marks.

    Args:
        rows: The moves so far, as in a record.
    """
    from wordpl.contest.session import Session
    from wordpl.core.moves import from_json

    game = games.make_game(game_id, served_lists())
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
