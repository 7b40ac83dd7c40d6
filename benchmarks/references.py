"""Play 1,001 games of every bundled entry, and compare moves, clues and verdicts with those of the reference.

    python -m benchmarks.references            compare with benchmarks/references.txt
    python -m benchmarks.references --write    write that file anew, after a change of rules or strategies

A change that is not meant to change a game must not change a line of the reference. The file has one line per entry:
its game, its name, and the first 16 bits of the SHA-256 of each of its games, in the order of games.
"""

import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from wordpl import Contest, RunConfig

REFERENCE = Path(__file__).with_suffix(".txt")
SEED, N_GAMES = "reference", 1001
HEX_CHARACTERS = 4


def play(n_games: int = N_GAMES) -> dict[str, str]:
    """Return the digests of the games of all bundled entries, by the entry's game and name."""
    with TemporaryDirectory() as results:
        run = Contest(RunConfig(n_games=n_games, seed=SEED, repeats=0, results=Path(results))).play()
        frame = run.to_frame(moves=True)
    return {
        f"{rules} {entry}": "".join(map(digest, games.itertuples()))
        for (rules, entry), games in frame.groupby(["rules", "entry"])
    }


def digest(game: Any) -> str:
    """Return the digest of one game: its secret, its moves with their clues, and its verdict.

    Args:
        game: A row of `Run.to_frame`.
    """
    moves = (" ".join(map(str, [move] if isinstance(move, str) else move)) for move in game.moves)
    text = "\n".join([game.secret, *moves, game.verdict])
    return sha256(text.encode()).hexdigest()[:HEX_CHARACTERS]


def differences(reference: dict[str, str], played: dict[str, str]) -> list[str]:
    """Return a sentence for each entry that is missing, new, or has games that differ from the reference."""
    found = [f"{name} is not in the reference" for name in sorted(played.keys() - reference.keys())]
    found += [f"{name} was not played" for name in sorted(reference.keys() - played.keys())]
    for name in sorted(played.keys() & reference.keys()):
        starts = range(0, len(played[name]), HEX_CHARACTERS)
        parts = [(reference[name][start:][:HEX_CHARACTERS], played[name][start:][:HEX_CHARACTERS]) for start in starts]
        different = [number for number, (expected, got) in enumerate(parts) if expected != got]
        if different:
            found.append(f"{name}: {len(different)} games differ, the first is game {different[0]}")
    return found


@click.command(help=__doc__.partition("\n")[0])
@click.option("--write", is_flag=True, help="Write the reference anew.")
def main(write: bool) -> None:
    """Play, then compare or write."""
    played = play()
    if write:
        REFERENCE.write_text("".join(f"{name} {played[name]}\n" for name in sorted(played)))
        return
    reference = dict(line.rsplit(" ", 1) for line in REFERENCE.read_text().splitlines())
    found = differences(reference, played)
    click.echo("\n".join(found) or f"All {len(played)} entries played the {N_GAMES:,} games of the reference.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
