"""Reads guesses and clues from command-line arguments."""

from collections.abc import Iterator, Sequence

import click

from wordpl.cli._values import PRIOR
from wordpl.core.clues import read_clues
from wordpl.core.errors import UserError
from wordpl.core.messages import sanitize_untrusted_text
from wordpl.core.words import WordLists

SHOWN_CHARACTERS = 60
PRIOR_HELP = "Probability of each answer: a CSV file word,probability, or `default`."
prior_option = click.option("--prior", type=PRIOR, metavar="PRIOR", help=PRIOR_HELP)


def read_hints(texts: Sequence[str], lists: WordLists) -> tuple[tuple[str, str], ...]:
    """Return (guess, clue) pairs from arguments such as `tares:....i`, or `tares` and `....i`.

    Raises:
        UserError: An argument is not a guess with its clue.
    """
    hints = []
    for guess, clues in _pairs(texts):
        if guess.lower() not in lists.guess_set:
            raise UserError(f"{_shown(guess)} is not a word of the guesses.")
        hints.append((guess.lower(), read_clues(clues, lists.length)))
    return tuple(hints)


def solved_by(hints: Sequence[tuple[str, str]]) -> int:
    """Return the number of the guess that solved the game, counted from 1; 0 if it is not solved.

    >>> solved_by([("tares", "....."), ("crony", "ccccc")]), solved_by([("tares", ".....")])
    (2, 0)
    """
    return next((number for number, (_, clues) in enumerate(hints, 1) if set(clues) == {"c"}), 0)


def _pairs(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    remaining_texts = iter(texts)
    for text in remaining_texts:
        guess, colon, clues = text.partition(":")
        if not colon:
            clues = next(remaining_texts, "")
            if not clues or ":" in clues:
                raise UserError(f"{_shown(text)} must be a guess with its clue, as in tares:....i")
        yield guess, clues


def _shown(text: str) -> str:
    return repr(sanitize_untrusted_text(text, SHOWN_CHARACTERS))
