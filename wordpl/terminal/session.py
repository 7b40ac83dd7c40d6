"""Creates the games that a person plays, one after the other."""

from collections.abc import Iterator
from difflib import get_close_matches

from wordpl.contest.match import secret_of
from wordpl.contest.session import Session
from wordpl.core import seeds
from wordpl.core.errors import UserError
from wordpl.games import Game

__all__ = ["Session", "sessions"]


def sessions(game: Game, seed: str, number: int, secret: str | None) -> Iterator[Session]:
    """Yield the games of this seed from `number` on, as in a run; `secret` replaces their secrets if it is given.

    Raises:
        UserError: The secret is not possible in this game.
    """
    if secret is not None and not game.facts.has_secret:
        raise UserError(f"{game.facts.id} has no fixed secret: remove --secret.")
    if secret is not None and secret not in game.lists.answer_set:
        raise UserError(f"{_shortened(secret)} is not a word of the answers.{_hint(secret, game)}")
    while True:
        yield Session(game, seed, number, secret or secret_of(game, number, seeds.run_key(seed)))
        number += 1


def _shortened(text: str) -> str:
    return ascii(text if len(text) <= 30 else f"{text[:30]}...")


def _hint(secret: str, game: Game) -> str:
    similar_words = get_close_matches(secret[:30], game.lists.answers, n=3)
    return (
        f" Did you mean {' or '.join(similar_words)}?"
        if similar_words
        else f" It has words of {game.lists.length} letters."
    )
