"""Trees of random guesses for small games: correct by construction, but rarely good."""

from itertools import product
from random import Random

from wordpl.core.clues import counted
from wordpl.core.words import WordLists
from wordpl.solvers.trees import Tree

WORDS = tuple("".join(letters) for letters in product("abc", repeat=3))


def random_lists(random: Random) -> WordLists:
    return WordLists(tuple(random.sample(WORDS, random.randint(1, 20))), WORDS)


def random_tree(answers, guesses, random):
    """Return a tree of random guesses that finds every answer; each guess makes progress."""
    distinguishing = [word for word in guesses if len({counted(word, answer) for answer in answers}) > 1]
    guess = random.choice(distinguishing if random.random() < 0.5 and distinguishing else answers)
    groups = {}
    for answer in answers:
        groups.setdefault(counted(guess, answer), []).append(answer)
    branches = {clues: random_tree(group, guesses, random) for clues, group in groups.items() if clues != "ccc"}
    return Tree(guess, branches, "ccc" in groups)
