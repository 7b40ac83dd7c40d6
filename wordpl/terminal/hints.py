"""What `?` shows: the likeliest words, the bits left, and a guess that says much."""

from math import log2

from wordpl.contest.advice import ANSWER_PROBABILITY, absurdle_guess, best_allowed, suggestion
from wordpl.contest.knowledge import candidates, posterior_of
from wordpl.contest.session import Session
from wordpl.terminal.board import share
from wordpl.terminal.screen import Screen

N_WORDS = 6
N_CANDIDATES = 30
BAR = 24


def show(session: Session, screen: Screen) -> None:
    """Show what the clues say, and what to do next."""
    with screen.thinking():
        lines = noisy_hints(session) if session.is_noisy else classic_hints(session)
    screen.say("", *lines, "")


def noisy_hints(session: Session) -> list[str]:
    """Return the hints of a game of noisy clues."""
    posterior = posterior_of(session)
    bits = posterior.bits
    ranked = posterior.top(N_WORDS)
    lines = [f"{bits:.1f} bits left, as with {2**bits:,.0f} words all as likely. The likeliest:"]
    for word, probability in ranked:
        lines.append(f"  {word}  {probability:.3f}  {'▪' * round(BAR * probability)}".rstrip())
    best, probability = ranked[0]
    if probability >= ANSWER_PROBABILITY:
        return [*lines, f"Suggested: !{best}, right with chance {share(probability)}; another guess would hardly pay."]
    move = suggestion(posterior, session.game.lists, session.game.clue_rule)
    among = ("all" if move.n_rated == len(session.game.lists.guesses) else "the likeliest") + f" {move.n_rated:,} words"
    return [
        *lines,
        f"Suggested: {move.guess} {move.epsilon:g}, {move.bits:.1f} bits expected: the most of {among},",
        f"  at the epsilon that says most for its price. Answer from a chance of {ANSWER_PROBABILITY} on.",
    ]


def classic_hints(session: Session) -> list[str]:
    """Return the hints of a game of true clues."""
    left = candidates(session)
    shown = " ".join(left[:N_CANDIDATES]) + (" ..." if len(left) > N_CANDIDATES else "")
    n_left = f"{len(left):,} answers are" if len(left) > 1 else "1 answer is"
    if not session.game.has_secret:
        settled = ", and none of them has been settled on" if len(left) > 1 else ""
        return [f"{n_left} left{settled}.", f"  {shown}", _cornering(session, left)]
    each = f", each with chance {share(1 / len(left))}" if len(left) > 1 else ""
    lines = [f"{n_left} left{each}: {log2(len(left)):.1f} bits.", f"  {shown}"]
    guess, bits = best_allowed(session, left)
    why = f"{bits:.1f} bits expected" if bits else "the answer"
    if bits and guess in left:
        why += ", and it may be the answer"
    return [*lines, f"Suggested: {guess}, {why}."]


def _cornering(session: Session, left: list[str]) -> str:
    """Return in words the guess that leaves the fewest words to a game that keeps as many as it can."""
    guess, n_left = absurdle_guess(session, left)
    what = "the answer" if len(left) == 1 else f"after which {n_left:,} {'is' if n_left == 1 else 'are'} left at most"
    return f"Suggested: {guess}, {what}."
