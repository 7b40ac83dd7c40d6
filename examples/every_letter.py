"""Wordle in which every letter is marked by itself: repeated letters are all marked if the secret has one of them."""

from msgspec.structs import replace

from wordpl.games import GameFacts, Wordle


class EveryLetter(Wordle):
    """Find the secret in six guesses. Each letter is marked by itself, so that a repeated one may be marked twice."""

    facts = replace(GameFacts.of_guesses("every-letter/1", limit=6), loss_cost=10.0)  # a lost round gives 10 points
    clue_rule = "anywhere"
