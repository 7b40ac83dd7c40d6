"""Check that the totals of the proofs in benchmarks/proofs/ are reached: `python benchmarks/check_proofs.py`.

For each summary, the tree of its best opener is searched again and written to a file. Then `wordpl.verify.tree`, which
does not depend on the search, plays the game of every answer with it. The lower bounds, which prove that no opener is
better, are not checked here: they rest on the search alone.
"""

import json
import sys
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any

from wordpl.core import words
from wordpl.core.words import WordLists, bundled
from wordpl.solvers.search import Search
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.trees.tree_files import TreeProvenance, as_json
from wordpl.verify.tree import play_file

PROOFS = Path(__file__).parent / "proofs"
GONE = {"agora", "fibre", "lynch", "pupal", "slave", "wench"}
"""The answers that were removed in 2022."""
ORIGINAL = words.load()
RECENT = bundled("modern")
LISTS = [
    ORIGINAL,
    WordLists(tuple(word for word in ORIGINAL.answers if word not in GONE), RECENT),
    WordLists(bundled("answers-2023"), RECENT),
]


def check(summary: dict[str, Any]) -> str:
    """Return the guesses that the tree of the summary's opener takes.

    Raises:
        TreeError: The tree is wrong.
        AssertionError: The totals differ from the summary.
    """
    claim = summary["claim"]
    digests = {"answers": claim["answers"], "guesses": claim["guesses"]}
    (lists,) = (word_lists for word_lists in LISTS if word_lists.sha256 == digests)
    problem = Problem(lists, limit=claim["limit"], is_hard=claim["is_hard"])
    opener = next(word for word in ("salet", "tarse") if f"{word} leads to" in summary["proved"])
    min_bound = min(int(bound.split()[0]) for bound in summary["openers_by_bound"])
    search = Search(problem.position())
    search.rate(lists.guesses.index(opener))
    rules = "wordle-hard/1" if claim["is_hard"] else "wordle/1"
    provenance = TreeProvenance(rules, lists.sha256, "benchmarks/check_proofs.py")
    file = as_json(problem.tree(search, lists.guesses.index(opener)), provenance)
    played = play_file(json.loads(file), lists.answers, lists.guesses, claim["limit"])
    assert played.total == min_bound, f"the tree takes {played.total:,}, and the proof says {min_bound:,}"
    return (
        f"{opener}: {played.n_answers:,} answers in {played.total:,} guesses, {played.worst} at worst; "
        f"tree's SHA-256 {sha256(file).hexdigest()[:16]}"
    )


def main() -> None:
    for path in sorted(PROOFS.glob("*.json")):
        started = process_time()
        print(f"{path.name}: {check(json.loads(path.read_text()))} ({process_time() - started:.1f} CPU s)", flush=True)


if __name__ == "__main__":
    sys.exit(main())
