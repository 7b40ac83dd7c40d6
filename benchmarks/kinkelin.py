"""Play the entries of Kinkelin/WordleCompetition with its own referee and with this one, and compare all rounds.

`python -m benchmarks.kinkelin CHECKOUT OUT` needs a checkout of https://github.com/Kinkelin/WordleCompetition, whose
files are not changed and not part of this project. Its rounds have the secrets of a file in their order, so that both
harnesses must play the same guesses, word by word. Here its entries play `examples/every_letter.py`, each in a bundle
with the files of the checkout and an adapter. Needs numpy and pytablewriter, as the competition does.
"""

import csv
import json
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import click

from wordpl.core.paths import IMPORT_ROOT
from wordpl.run.folder import Run

PUBLISHED = {
    "OutcomeBasedAI": (3.816, 100.0),
    "EntropyAI": (4.091, 100.0),
    "RubzipAI": (4.569, 97.2),
    "LetterPopularityAI": (4.653, 93.6),
    "BruugleAI": (6.120, 97.0),
}
"""Points per round and percentage of solved words of the first 1,000, by its README.md; MonkeyAI guesses randomly."""
FILES = {"RubzipAI": "rubzipAI"}
"""Modules that are not named like their class."""
REFEREE = """
import json, sys
from importlib import import_module
module, name, first, last = sys.argv[1:]
from Competition import Competition
from WordList import WordList
class One(Competition):
    def load_competitors(self):
        return [getattr(import_module(f"ai_implementations.{module}"), name)(self.wordlist.get_list_copy())]
competition = One("ai_implementations")
secrets = WordList("data/official/shuffled_real_wordles.txt").get_list_copy()
for secret in secrets[int(first):int(last)]:
    print(json.dumps([secret, *competition.play(competition.competitors[0], secret)]), flush=True)
"""
ADAPTER = '''"""Plays {name} of the checkout in this folder, which reads its data from the current folder."""

import os
import sys
from pathlib import Path

from wordpl import Strategy

FOLDER = Path(__file__).resolve().parent / "checkout"
sys.path.insert(0, str(FOLDER))
os.chdir(FOLDER)

from ai_implementations.{module} import {name}  # noqa: E402
from WordleAI import LetterInformation  # noqa: E402
from WordList import WordList  # noqa: E402

MARKS = {{"c": LetterInformation.CORRECT, "i": LetterInformation.PRESENT, ".": LetterInformation.NOT_PRESENT}}


class Adapted(Strategy):
    game = "every-letter/1"

    def __init__(self):
        self.ai = {name}(WordList("data/official/combined_wordlist.txt").get_list_copy())

    def first_move(self):
        self.history = []
        return str(self.ai.guess([]))

    def next_move(self, guess, clues):
        self.history.append((guess, [MARKS[mark] for mark in clues]))
        return str(self.ai.guess(list(self.history)))


ENTRIES = [Adapted()]
'''


def played_there(checkout: Path, out: Path, name: str, n_words: int) -> list[tuple[str, bool, list[str]]]:
    """Return the secret, whether it was found, and the guesses of each round in the competition's own referee."""
    path = out / f"{name}.jsonl"
    n_known = len(path.read_text().splitlines()) if path.exists() else 0
    if n_known < n_words:
        command = [sys.executable, "-c", REFEREE, FILES.get(name, name), name, str(n_known), str(n_words)]
        with path.open("a") as file:
            subprocess.run(command, cwd=checkout, stdout=file, check=True)
    return [json.loads(line) for line in path.read_text().splitlines()[:n_words]]


def played_here(checkout: Path, out: Path, name: str, secrets: list[str]) -> dict[str, tuple[bool, list[str]]]:
    """Return whether each secret was found, and the guesses, in this harness."""
    folder = out / "contest"
    bundle = folder / "strategies" / name.lower()
    shutil.rmtree(bundle, ignore_errors=True)
    (bundle / "checkout" / "ai_implementations").mkdir(parents=True)
    for file in ("WordleAI.py", "WordleJudge.py", "WordList.py", f"ai_implementations/{FILES.get(name, name)}.py"):
        shutil.copy(checkout / file, bundle / "checkout" / file)
    shutil.copytree(
        checkout / "data", bundle / "checkout" / "data", ignore=shutil.ignore_patterns("shuffled*", "*historic*")
    )
    (bundle / f"{name.lower()}.py").write_text(ADAPTER.format(module=FILES.get(name, name), name=name))
    (folder / "answers.txt").write_text("".join(f"{secret}\n" for secret in secrets))
    results = out / "results" / f"{name} {len(secrets)}"
    if not results.exists():
        game = f"{IMPORT_ROOT}/examples/every_letter.py:EveryLetter"
        command = [sys.executable, "-m", "wordpl", "evaluate", f"strategies/{name.lower()}", "--game", game]
        lists = ["--answers", "answers.txt", "--guesses", str(IMPORT_ROOT / "valid.txt"), "--games", "all"]
        limits = ["--repeats", "0", "--timeout", "600", "--warmup", "600", "--seed", "kinkelin", "--jobs", "1"]
        place = ["--results", str(results.resolve()), "--quiet"]
        subprocess.run([*command, *lists, *limits, *place], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    (path,) = results.glob("*/run.json")
    records = Run(path.parent).entries[0].read()
    return {record.secret: (record.verdict == "won", [move.guess for move in record.moves]) for record in records}


@click.command()
@click.argument("checkout", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("out", type=click.Path(file_okay=False, path_type=Path))
@click.option("--words", "n_words", default=1000, show_default=True)
@click.option("--only", multiple=True, help="Play only these entries.")
@click.option("--csv", "table", type=click.Path(path_type=Path), help="Append the figures to this file.")
def main(checkout: Path, out: Path, n_words: int, only: tuple[str, ...], table: Path | None) -> None:
    """Compare both harnesses word by word, and the figures with the published ones."""
    out.mkdir(parents=True, exist_ok=True)
    n_failed = 0
    for name in only or PUBLISHED:
        there = played_there(checkout.resolve(), out, name, n_words)
        here = played_here(checkout.resolve(), out, name, [secret for secret, _, _ in there])
        n_same = sum(here[secret] == (found, guesses) for secret, found, guesses in there)
        points = [len(guesses) if found else 10 for found, guesses in here.values()]
        solved = 100 * sum(found for found, _ in here.values()) / len(here)
        n_failed += n_same < len(there)
        mean, (said, said_solved) = sum(points) / len(points), PUBLISHED[name]
        print(
            f"{name}: {n_same} of {len(there)} rounds alike, {mean:.3f} points ({said}), {solved:.1f}% ({said_solved}%)"
        )
        if table:
            is_new = not table.exists()
            with table.open("a", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                if is_new:
                    writer.writerow(
                        ("entry", "published_points", "published_solved", "words", "alike", "points", "solved", "date")
                    )
                date = f"{datetime.now(UTC):%Y-%m-%d}"
                writer.writerow((name, said, said_solved, len(there), n_same, f"{mean:.3f}", f"{solved:.1f}", date))
    sys.exit(bool(n_failed))


if __name__ == "__main__":
    main()
