"""Fibble: Wordle with nine guesses, in which exactly one mark of each row lies (https://fibble.xyz)."""

from wordpl import Move
from wordpl.games import Channel, GameFacts, Wordle


class OneLie(Channel):
    """One mark of each row, chosen at random, is one of the two others."""

    def outcomes(self, true: int, move: Move) -> tuple[list[int], list[float]]:
        """Return the 2n clues that differ from the true one in a single mark; all are equally likely."""
        codes: list[int] = []
        for place in range(self.length):
            mark = true // 3**place % 3
            codes += [true + (lie - mark) * 3**place for lie in range(3) if lie != mark]
        return codes, [1 / len(codes)] * len(codes)


class Fibble(Wordle):
    """Fibble: find the secret in nine guesses. Exactly one mark of each row lies, except in the row that wins."""

    facts = GameFacts.of_guesses("fibble/1", limit=9)
    channel_type = OneLie
