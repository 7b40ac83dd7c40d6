"""Write a certificate that no opener of Wordle leads to less than a given total, for `benchmarks.check_certificate`.

    python -m benchmarks.certify search 7920 normal.jsonl
    python -m benchmarks.certify search 8122 hard.jsonl --hard
    python -m benchmarks.certify pack hard.jsonl hard.npz

`search` refutes opener by opener and appends a line for each, so that it can be stopped at any time and goes on where it
was: after Ctrl-C, the same command. Several machines or processors share the work with `--part 1/4` to `--part 4/4`, a
file for each, and `pack` takes all files. `--sample 20` takes only so many openers, drawn at random, to estimate the
time.

A line has a bound for each clue set of an opener, as the search has found them; how the certificate is to be read is
said in `benchmarks.check_certificate`. Bounds that are not needed to reach the total are lowered.
"""

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import click
import numpy as np

from benchmarks.check_proofs import LISTS
from wordpl.cli._output import progress_bar
from wordpl.core import words
from wordpl.core.files import complete_lines
from wordpl.core.words import WordLists
from wordpl.solvers.search.board import INFEASIBLE
from wordpl.solvers.search.bounds import open_parts
from wordpl.solvers.search.partitions import allocate_parts
from wordpl.solvers.search.position import UNLIMITED, Position
from wordpl.solvers.search.problem import Problem
from wordpl.solvers.search.search import ClassicSearch

NEVER = 0xFFFF
"""The excess of a clue set for which no tree exists."""


class Certifier:
    """Finds bounds of the clue sets of openers that add up to a total.

    Args:
        problem: The game.
        total: The total below which no opener leads.
    """

    def __init__(self, problem: Problem, total: int):
        self.problem, self.total = problem, total
        self.position: Position = problem.position()
        self.search = ClassicSearch(self.position)
        self.most = int(self.search.board.most[0])
        answers = [problem.lists.answers[i] for i in self.position.candidates]
        self.by_word = np.argsort(answers)
        self.place_of = {int(row): place for place, row in enumerate(self.position.own[self.by_word])}

    def line(self, opener: str) -> dict[str, Any]:
        """Return the line of an opener.

        Raises:
            SystemExit: The opener leads to less than the total.
        """
        row = self.problem.lists.guesses.index(opener)
        is_limited = False
        if self.search.rate(row, self.total, is_limited=False).is_exact:
            is_limited = self.position.left is not None
            rating = self.search.rate(row, self.total)
            if rating.is_exact:
                raise SystemExit(f"{opener} leads to {rating.bound:,}, which is less than {self.total:,}")
        return {"opener": opener, "limited": is_limited, "excess": self._excess(row, is_limited).tolist()}

    def _excess(self, row: int, is_limited: bool) -> np.ndarray:
        """Return by how much the bound of each clue set of an opener exceeds the bound by its size."""
        search, clues = self.search, self.position.matrix[row, self.position.candidates[self.by_word]]
        firsts, set_of, sizes = np.unique(clues, return_index=True, return_inverse=True, return_counts=True)[1:]
        rank = np.argsort(np.argsort(firsts))
        left = search.group.left if is_limited else UNLIMITED
        tried = search.group._replace(only=search.column(search.board, row), left=left)
        parts = allocate_parts(len(clues))
        parts.end[:] = 0
        open_parts(search.board, tried, np.int64(INFEASIBLE), parts, search.tools)
        lows = np.where(sizes <= self.most, 2 * sizes - 1, 3 * sizes - self.most - 1)
        excess = np.zeros(len(sizes), np.int64)
        for part in range(len(sizes)):
            place = self.place_of[int(search.board.guesses[search.board.own[parts.rows[parts.begin[part]]]])]
            found = set_of[place]
            if int(self.position.own[self.by_word[place]]) == row and sizes[found] == 1:
                lows[found] = 0
            else:
                excess[found] = parts.low[part] - lows[found]
        if excess.max() > NEVER:
            excess[:] = NEVER * (excess == excess.max())
        else:
            self._lower(excess, sizes, len(clues) + int(lows.sum() + excess.sum()) - self.total)
        ordered = np.empty(len(sizes), np.int64)
        ordered[rank] = excess
        return ordered

    def _lower(self, excess: np.ndarray, sizes: np.ndarray, spare: int) -> None:
        """Lower the bounds of the largest clue sets by what is not needed."""
        if spare < 0:
            raise RuntimeError("the bounds of the search do not add up to the total")
        for found in np.argsort(-sizes, kind="stable"):
            less = min(spare, int(excess[found]))
            excess[found] -= less
            spare -= less


def claim(problem: Problem, total: int) -> dict[str, Any]:
    """Return what a certificate says: of which words, under which rules, and how much no opener is below."""
    sha256 = problem.lists.set_sha256
    terms = {"total": total, "limit": problem.limit or 0, "hard": problem.is_hard}
    return {"answers": sha256["answers"], "guesses": sha256["guesses"], **terms}


def read(path: Path) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
    """Return the claim of a file of `search`, and its lines by opener; a last line that was cut off is left out."""
    lines = [json.loads(line) for line in complete_lines(path)]
    return lines[0], {line["opener"]: line for line in lines[1:]}


def packed(said: dict[str, Any], lines: dict[str, dict[str, Any]], guesses: Iterable[str]) -> dict[str, np.ndarray]:
    """Return the arrays of a certificate.

    Raises:
        SystemExit: An opener is missing.
    """
    openers = sorted(guesses)
    if missing := [opener for opener in openers if opener not in lines]:
        raise SystemExit(f"{len(missing):,} of {len(openers):,} openers are missing, such as {missing[0]}")
    return {
        "claim": np.frombuffer(json.dumps(said).encode(), np.uint8),
        "limited": np.array([lines[opener]["limited"] for opener in openers], np.uint8),
        "excess": np.concatenate([lines[opener]["excess"] for opener in openers]).astype(np.uint16),
    }


@click.group()
def main() -> None:
    """Write a certificate of a lower bound for all openers."""


@main.command()
@click.argument("total", type=click.IntRange(1))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--hard", is_flag=True)
@click.option("--max-guesses", "limit", default=6, show_default=True, help="0: no limit.")
@click.option("--lists", "which", type=click.Choice(["original", "2309", "2023"]), default="original")
@click.option("--answers", type=click.Path(exists=True, path_type=Path), help="Instead of --lists, with --guesses.")
@click.option("--guesses", type=click.Path(exists=True, path_type=Path))
@click.option("--part", default="1/1", show_default=True, metavar="I/N", help="Every N-th opener, from the I-th on.")
@click.option("--sample", type=click.IntRange(1), help="Only so many openers, drawn at random.")
def search(
    total: int, out: Path, hard: bool, limit: int, which: str, answers: Path | None, guesses: Path | None, part: str,
    sample: int | None,
) -> None:  # fmt: skip
    """Search bounds that add up to TOTAL, and append them to OUT."""
    lists = words.load(answers, guesses) if answers else LISTS[("original", "2309", "2023").index(which)]
    problem = Problem(lists, limit=limit or None, is_hard=hard)
    said, done = claim(problem, total), dict[str, Any]()
    if out.exists() and out.stat().st_size:
        earlier, done = read(out)
        if earlier != said:
            raise SystemExit(f"{out} is about another game or total: {earlier}")
    else:
        out.write_text(json.dumps(said) + "\n")
    first, step = (int(number) for number in part.split("/"))
    openers: Sequence[str] = sorted(lists.guesses)[first - 1 :: step]
    if sample:
        openers = random.Random(f"{out.name}").sample(openers, sample)
    certifier, started = Certifier(problem, total), process_time()
    todo = [opener for opener in openers if opener not in done]
    with out.open("r+b") as file, progress_bar(len(todo), "word", "openers") as bar:
        file.truncate(file.read().rfind(b"\n") + 1)
        file.seek(0, 2)
        try:
            for opener in todo:
                file.write(json.dumps(certifier.line(opener), separators=(",", ":")).encode() + b"\n")
                file.flush()
                bar.update()
        except KeyboardInterrupt:
            raise SystemExit(f"\nStopped after {bar.n:,} of {len(todo):,} openers; the same command goes on.") from None
    print(f"{len(todo):,} openers in {process_time() - started:.1f} CPU s.")


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.argument("out", type=click.Path(path_type=Path))
@click.option("--guesses", type=click.Path(exists=True, path_type=Path), help="The list of guesses, if it was given.")
def pack(files: tuple[Path, ...], out: Path, guesses: Path | None) -> None:
    """Write the certificate OUT from all FILES of `search`."""
    claims, lines = zip(*(read(path) for path in files), strict=True)
    if any(said != claims[0] for said in claims):
        raise SystemExit("the files are about different games or totals")
    lists: list[WordLists] = [words.load(None, guesses)] if guesses else LISTS
    chosen = next(one for one in lists if one.set_sha256["guesses"] == claims[0]["guesses"])
    merged = {opener: line for part in lines for opener, line in part.items()}
    np.savez_compressed(out, **packed(claims[0], merged, chosen.guesses))
    print(f"{out}: {out.stat().st_size:,} bytes.")


if __name__ == "__main__":
    main()
