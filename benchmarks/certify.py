"""Write a certificate that no opener of Wordle leads to less than a given total, for `benchmarks.check_certificate`.

    python -m benchmarks.certify search 7920 normal.jsonl
    python -m benchmarks.certify search 8122 hard.jsonl --hard
    python -m benchmarks.certify pack hard.jsonl hard.npz

`search` refutes opener by opener and appends a line for each, so that it can be stopped at any time; the same command
goes on. Processors share the work with `--part 1/4` to `--part 4/4`, a file for each, and `pack` takes all files.
`--sample 20` takes only so many openers, drawn at random, to estimate the time.

A line has a number for each clue set of an opener, as `benchmarks.check_certificate` says. They are found with the
search of that program, since it has to prove them anyway; nothing that is done here has to be believed.
"""

import json
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import click
import numpy as np
from numba import njit

from benchmarks.check_certificate import (
    INFINITE,
    NEVER,
    UNLIMITED,
    WORK,
    allowed_board,
    answer_of,
    bound_by_size,
    demand,
    least,
    prepared,
)
from benchmarks.check_proofs import LISTS
from wordpl.cli._output import progress_bar
from wordpl.core import words
from wordpl.core.files import complete_lines
from wordpl.core.words import WordLists


@njit(cache=True)
def bounds_below(board, column, left, total, game):
    """Return a bound for each clue set of an opener, in order of appearance; they add up to a total unless it is less.

    In small steps, the bound is raised that is the cheapest to raise.
    """
    labels = board.labels[:, column]
    n_parts = np.int64(labels.max()) + 1
    lows, costs = np.empty(n_parts, np.int64), np.empty(n_parts, np.int64)
    places, boards, found = np.full(n_parts, -1), [board], len(labels)
    for part in range(n_parts):
        rows = np.flatnonzero(labels == part)
        lows[part], costs[part] = bound_by_size(len(rows), game.most), len(rows) ** 2
        if len(rows) < 3:
            costs[part] = INFINITE
        if len(rows) == 1 and board.own[rows[0]] == column:
            lows[part] = 0
        found += lows[part]
    while found < total and costs.min() < INFINITE:
        part = np.argmin(costs)
        rows = np.flatnonzero(labels == part)
        goal = min(total - found + lows[part], lows[part] + 1 + (len(rows) >> 5))
        child, rows_there = board, rows
        if game.is_hard:
            if places[part] < 0:
                known = np.empty_like(board.known)
                demand(board.known, board.guesses[column], answer_of(board, rows[0]), game, known)
                places[part] = len(boards)
                boards.append(allowed_board(board, rows, known, game))
            child, rows_there = boards[places[part]], np.arange(len(rows))
        before = game.tally[WORK]
        bound = max(least(child, rows_there, left, goal, game), lows[part])
        found, lows[part] = found + bound - lows[part], bound
        costs[part] = max(len(rows) ** 2, 3 * ((game.tally[WORK] - before) >> 6)) if bound >= goal else INFINITE
    return lows


class Certifier:
    """Finds bounds of the clue sets of openers that add up to a total.

    Args:
        lists: The words.
        total: The total below which no opener leads.
        limit: The largest number of guesses in a game, 0 for any number.
        is_hard: Whether it is played in hard mode.
    """

    def __init__(self, lists: WordLists, total: int, limit: int, is_hard: bool):
        self.guesses, self.total, self.limit = sorted(lists.guesses), total, limit
        self.game, self.board = prepared(sorted(lists.answers), self.guesses, is_hard)
        self.column_of = np.argsort(self.board.guesses)

    def line(self, opener: str) -> dict[str, Any]:
        """Return the line of an opener.

        Raises:
            SystemExit: The opener leads to less than the total.
        """
        column = int(self.column_of[self.guesses.index(opener)])
        for is_limited in (False, True) if self.limit else (False,):
            left = self.limit - 1 if is_limited else UNLIMITED
            bounds = bounds_below(self.board, column, left, self.total, self.game)
            sizes = np.bincount(self.board.labels[:, column])
            found = int(sizes.sum() + bounds.sum())
            if found >= self.total:
                excess = self._excess(bounds, sizes, found - self.total)
                return {"opener": opener, "limited": is_limited, "excess": excess.tolist()}
        raise SystemExit(f"{opener} leads to {found:,}, which is less than {self.total:,}")

    def _excess(self, bounds: np.ndarray, sizes: np.ndarray, spare: int) -> np.ndarray:
        """Return by how much bounds exceed those by size, after those of the largest sets were lowered if possible."""
        lows = np.array([bound_by_size(size, self.game.most) if bounds[i] else 0 for i, size in enumerate(sizes)])
        excess = bounds - lows
        if bounds.max() >= INFINITE:
            return NEVER * (bounds == bounds.max())
        for part in np.argsort(-sizes, kind="stable"):
            less = min(spare, int(excess[part]))
            excess[part] -= less
            spare -= less
        return excess


def claim(lists: WordLists, total: int, limit: int, is_hard: bool) -> dict[str, Any]:
    """Return what a certificate says: of which words, under which rules, and how much no opener is below."""
    sha256, terms = lists.set_sha256, {"total": total, "limit": limit, "hard": is_hard}
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
    said, done = claim(lists, total, limit, hard), dict[str, Any]()
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
    certifier, started = Certifier(lists, total, limit, hard), process_time()
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
