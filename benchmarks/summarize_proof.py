"""Summarize the log of a proof.

    python benchmarks/summarize_proof.py proof.jsonl --command "wordpl solve ..." > SUMMARY

A log has a line for each opener, about a megabyte in all. The summary states what was proved, how many openers were
refuted by each bound, and the log's SHA-256. Times are those printed by `/usr/bin/time -v`. With `--of`, the number of
all openers, the log of an interrupted proof is summarized by how many of them it refutes.
"""

import json
from collections import Counter
from hashlib import sha256
from pathlib import Path

import click


@click.command()
@click.argument("log", type=click.Path(exists=True, path_type=Path))
@click.option("--command", "typed", required=True, help="The command that wrote the log.")
@click.option("--best", required=True, help="The best opener, from the last lines of the proof.")
@click.option("--date", required=True)
@click.option("--of", "n_all", type=int, help="The number of all openers.  [default: those in the log]")
@click.option("--cpu-s", type=float)
@click.option("--wall-s", type=float)
@click.option("--peak-memory-mb", type=int)
@click.option("--remark", default="")
def main(log: Path, typed: str, best: str, date: str, n_all: int | None, **measured: float | str | None) -> None:
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
        "date": date,
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
