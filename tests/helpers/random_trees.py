"""Trees for small games, grown by guessing at random: right by construction, and rarely good."""

from itertools import product
from random import Random

from wordpl.core.clues import counted
from wordpl.core.words import WordLists
from wordpl.solvers.trees import Tree

WORDS = tuple("".join(letters) for letters in product("abc", repeat=3))


def some_lists(random: Random) -> WordLists:
    return WordLists(tuple(random.sample(WORDS, random.randint(1, 20))), WORDS)


def grown(answers, guesses, random):
    """Return a tree that finds each of the answers; a guess at random, as long as it tells some of them apart."""
    telling = [word for word in guesses if len({counted(word, answer) for answer in answers}) > 1]
    guess = random.choice(telling if random.random() < 0.5 and telling else answers)
    groups = {}
    for answer in answers:
        groups.setdefault(counted(guess, answer), []).append(answer)
    branches = {clues: grown(group, guesses, random) for clues, group in groups.items() if clues != "ccc"}
    return Tree(guess, branches, "ccc" in groups)
