"""The hints that `?` shows: the most likely words, the remaining bits, and an informative guess."""

from math import log2

from wordpl.contest.advice import ANSWER_PROBABILITY, absurdle_guess, best_allowed, most_informative, suggestion
from wordpl.contest.session import Session
from wordpl.terminal.board import share
from wordpl.terminal.screen import Screen

N_WORDS = 6
N_CANDIDATES = 30
BAR = 24


def show(session: Session, screen: Screen) -> None:
    """Show what is known from the clues, and a suggestion for the next move."""
    with screen.thinking():
        lines = hints(session)
    screen.say("", *lines, "")


def hints(session: Session) -> list[str]:
    """Return what is known from the clues, and a suggestion for the next move."""
    return classic_hints(session) if session.is_exact else noisy_hints(session)


def noisy_hints(session: Session) -> list[str]:
    """Return the hints of a game whose clues may be false."""
    posterior = session.posterior()
    bits = posterior.bits
    ranked = posterior.top(N_WORDS)
    lines = [f"{bits:.1f} bits left, as with {2**bits:,.0f} equally likely words. Most likely:"]
    for word, probability in ranked:
        lines.append(f"  {word}  {probability:.3f}  {'▪' * round(BAR * probability)}".rstrip())
    if not session.has_epsilon:
        guess, gain = most_informative(session, posterior)
        return [*lines, f"Suggested: {guess}, {f'{gain:.1f} bits expected' if gain else 'the answer'}."]
    best, probability = ranked[0]
    if probability >= ANSWER_PROBABILITY:
        return [
            *lines,
            f"Suggested: !{best}, right with probability {share(probability)}. Another guess is not worth its price.",
        ]
    move = suggestion(session.game, posterior)
    is_all = move.n_rated == len(session.game.lists.guesses)
    among = ("all" if is_all else "the most likely") + f" {move.n_rated:,} words"
    return [
        *lines,
        f"Suggested: {move.guess} {move.epsilon:g}. It gives {move.bits:.1f} bits on average, the most of {among},",
        f"  at the epsilon with the most bits for its price. Answer at a probability of {ANSWER_PROBABILITY} or more.",
    ]


def classic_hints(session: Session) -> list[str]:
    """Return the hints of a game with true clues."""
    candidates = session.candidates()
    examples = " ".join(candidates[:N_CANDIDATES]) + (" ..." if len(candidates) > N_CANDIDATES else "")
    n_left = f"{len(candidates):,} answers are" if len(candidates) > 1 else "1 answer is"
    if not session.game.facts.has_secret:
        settled = ", and the game has not settled on one of them" if len(candidates) > 1 else ""
        return [f"{n_left} left{settled}.", f"  {examples}", _cornering(session, candidates)]
    chance_note = f", each with probability {share(1 / len(candidates))}" if len(candidates) > 1 else ""
    lines = [f"{n_left} left{chance_note}: {log2(len(candidates)):.1f} bits.", f"  {examples}"]
    guess, bits = best_allowed(session, candidates)
    reason = f"{bits:.1f} bits expected" if bits else "the answer"
    if bits and guess in candidates:
        reason += ", and a possible answer"
    return [*lines, f"Suggested: {guess}, {reason}."]


def _cornering(session: Session, candidates: list[str]) -> str:
    """Return the suggestion for an adversarial game: the guess that leaves the fewest words in the worst case."""
    guess, n_left = absurdle_guess(session, candidates)
    effect = (
        "the answer" if len(candidates) == 1 else f"which leaves at most {n_left:,} word{'' if n_left == 1 else 's'}"
    )
    return f"Suggested: {guess}, {effect}."
