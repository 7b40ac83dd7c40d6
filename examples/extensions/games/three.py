"""Wordle with three guesses."""

from wordpl.games import GameFacts, Wordle


class Three(Wordle):
    """Three: find the secret in three guesses."""

    facts = GameFacts.of_guesses("three/1", limit=3)
