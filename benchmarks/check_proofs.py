"""Check that the totals of the proofs in benchmarks/proofs/ are reached, or summarize the log of a proof.

    python -m benchmarks.check_proofs
    python -m benchmarks.check_proofs summarize proof.jsonl --best salet --command "wordpl solve ..." > SUMMARY

To check a summary, the tree of its best opener is searched again and written to a file. Then `wordpl.verify.tree`,
which does not depend on the search, plays the game of every answer with it. The lower bounds, which prove that no
opener is better, are not checked here: they rest on the search alone.

A log has a line for each opener, about a megabyte in all. Its summary states what was proved, how many openers were
refuted by each bound, and the log's SHA-256.
"""

import json
from collections import Counter
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from time import process_time
from typing import Any

import click

from wordpl.core import words
from wordpl.core.words import WordLists, bundled
from wordpl.solvers.search import ClassicSearch
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
    (lists,) = (word_lists for word_lists in LISTS if word_lists.has_words_of(digests))
    problem = Problem(lists, limit=claim["limit"], is_hard=claim["is_hard"])
    opener = next(word for word in ("salet", "tarse") if f"{word} leads to" in summary["proved"])
    min_bound = min(int(bound.split()[0]) for bound in summary["openers_by_bound"])
    search = ClassicSearch(problem.position())
    search.rate(lists.guesses.index(opener))
    rules = "wordle-hard/1" if claim["is_hard"] else "wordle/1"
    provenance = TreeProvenance(rules, lists.set_sha256, "benchmarks/check_proofs.py")
    file = as_json(problem.tree(search, lists.guesses.index(opener)), provenance)
    played = play_file(json.loads(file), lists.answers, lists.guesses, claim["limit"])
    assert played.total == min_bound, f"the tree takes {played.total:,}, and the proof says {min_bound:,}"
    return (
        f"{opener}: {played.n_answers:,} answers in {played.total:,} guesses, {played.worst} at worst; "
        f"tree's SHA-256 {sha256(file).hexdigest()[:16]}"
    )


@click.group(invoke_without_command=True)
@click.pass_context
def main(context: click.Context) -> None:
    """Check all summaries."""
    for path in sorted(PROOFS.glob("*.json")) if context.invoked_subcommand is None else ():
        started = process_time()
        print(f"{path.name}: {check(json.loads(path.read_text()))} ({process_time() - started:.1f} CPU s)", flush=True)


@main.command()
@click.argument("log", type=click.Path(exists=True, path_type=Path))
@click.option("--command", "typed", required=True, help="The command that wrote the log.")
@click.option("--best", required=True, help="The best opener, from the last lines of the proof.")
@click.option("--of", "n_all", type=int, help="The number of all openers, if the proof was interrupted.")
@click.option("--cpu-s", type=float, help="As printed by /usr/bin/time -v; the next two, too.")
@click.option("--wall-s", type=float)
@click.option("--peak-memory-mb", type=int)
@click.option("--remark", default="")
def summarize(log: Path, typed: str, best: str, n_all: int | None, **measured: float | str | None) -> None:
    """Print the summary of the LOG of a proof."""
    claim, *lines = [json.loads(line) for line in log.read_text().splitlines()]
    openers = {line["opener"]: line["bound"] for line in lines}
    assert len(openers) == len(lines), "an opener occurs twice"
    min_bound = min(openers.values())
    assert openers[best] == min_bound, f"{best} has the bound {openers[best]}, and {min_bound} is the least"
    by_bound = Counter(openers.values())
    is_complete = n_all in (None, len(openers))
    which = "no opener leads" if is_complete else f"none of {len(openers):,} of {n_all:,} openers leads"
    summary = {
        "proved": f"{which} to less than {min_bound:,} guesses; {best} leads to {min_bound:,}",
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "command": typed,
        "claim": claim,
        "n_openers": len(openers),
        "openers_by_bound": {str(bound): by_bound[bound] for bound in sorted(by_bound)},
        **{name: value for name, value in measured.items() if value},
        "log_sha256": sha256(log.read_bytes()).hexdigest(),
        "log_lines": len(lines) + 1,
    }
    print(json.dumps(summary, indent=1))


if __name__ == "__main__":
    main()
