"""Games that differ from Wordle in one number: they are played with word lists of any length from 3 to 11 letters."""

from wordpl.games import GameFacts, Wordle


class SixLetters(Wordle):
    """Wordle with six letters: find the secret in seven guesses; play it with lists of such words."""

    facts = GameFacts.of_guesses("wordle-six/1", limit=7)


class ThreeGuesses(Wordle):
    """Wordle with three guesses."""

    facts = GameFacts.of_guesses("wordle-three/1", limit=3)
