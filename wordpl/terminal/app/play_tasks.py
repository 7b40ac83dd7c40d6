"""Worker tasks for the screen Play: letter probabilities, hints, and the effect of different epsilons."""

from collections.abc import Iterator, Sequence
from typing import Any

from wordpl import games
from wordpl.contest.session import Session
from wordpl.core.clues import keep_probability
from wordpl.terminal import hints as game_hints
from wordpl.terminal.app import kept_words
from wordpl.terminal.app.noisy_tasks import expected_bits

Message = dict[str, Any]
EPSILONS = (2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 16.0, 20.0)


def session_of(name: str, game: str, seed: str, number: int, secret: str, proposals: Sequence[Any]) -> Session:
    """Return the game after these moves. The same seed gives the same clues as before."""
    session = Session(games.make_game(game, kept_words.get(name).lists), seed, number, secret)
    for proposal in proposals:
        session.play(tuple(proposal) if isinstance(proposal, list) else proposal)
    return session


def letters(name: str, **game: Any) -> Iterator[Message]:
    """Yield the probability that each letter is in the secret, and the remaining bits."""
    session = session_of(name, **game)
    posterior = session.posterior()
    chances = session.letter_chances()
    yield {"kind": "letters", "chances": chances, "bits": posterior.bits, "top": posterior.top(5)}


def hints(name: str, **game: Any) -> Iterator[Message]:
    """Yield the hints as lines."""
    session = session_of(name, **game)
    lines = game_hints.noisy_hints(session) if session.is_noisy else game_hints.classic_hints(session)
    yield {"kind": "hints", "lines": lines}


def price(name: str, guess: str, **game: Any) -> Iterator[Message]:
    """Yield, for some epsilons, the probability that a mark is true and the expected bits of this guess."""
    session = session_of(name, **game)
    posterior, lists = session.posterior(), session.game.lists
    rows = []
    for epsilon in EPSILONS:
        bits = expected_bits(lists, session.game.clue_rule, posterior, guess, epsilon)
        rows.append([epsilon, keep_probability(epsilon, lists.length), bits])
    yield {"kind": "price", "guess": guess, "rows": rows}
