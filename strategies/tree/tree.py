"""Play from a decision tree that was computed before: a lookup a move.

SALET's are the best there are for the original words, as Alex Selby was the first to prove; these come from
`wordpl solve --opener salet --exact`, with `--hard` for hard mode.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from wordpl import Strategy, trees

BEST = {"wordle/1": "tree-salet.json", "wordle-hard/1": "tree-salet-hard.json"}


@dataclass
class Tree(Strategy):
    """Guesses from a tree's file.

    file: a tree in this folder, or its path; without one the best tree that is there for the game being played
    """

    file: str = ""

    @property
    def game(self):
        provenance = self.loaded()[1]
        return provenance.rules if self.file and provenance else "wordle/1"

    def first_move(self):
        self.node = self.tree
        return self.node.guess

    def next_move(self, guess, clues):
        self.node = self.node.branches[clues]
        return self.node.guess

    @cached_property
    def tree(self):
        tree, provenance = self.loaded(BEST.get(self.rules))
        if provenance and not self.lists.has_words_of(provenance.sha256):
            raise ValueError("this tree was made for other word lists than those of the contest")
        return tree

    def loaded(self, best=None):
        return trees.load(Path(__file__).parent / (self.file or best or BEST["wordle/1"]))


ENTRIES = [Tree(), Tree("tree-salet-hard.json")]
