"""Runs of strategies whose source is in the test, in folders of their own."""

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from textwrap import dedent

from wordpl.contest import run_folder
from wordpl.core import words
from wordpl.core.records import EntryInfo, Run, RunInfo

DRAWS_ALL = """
    import random
    from pathlib import Path

    GUESSES, ANSWERS = (Path(name).read_text().split() for name in ("valid.txt", "answers.txt"))

    class Bot:
        def __repr__(self):
            return f"{type(self).__name__}()"

        def first_move(self):
            self.left = random.randrange(4)
            return random.choice(GUESSES), 5.0

        def next_move(self, guess, epsilon, clues):
            self.left -= 1
            return (random.choice(GUESSES), 2.5) if self.left > 0 else (random.choice(ANSWERS), 0)
"""
"""An honest strategy whose games all differ. It does not import wordpl, which would take seconds."""


def new_run(folder: Path, sources: Mapping[str, str], **info_fields) -> Run:
    """Return a new run in folder/run: an entry for each name and source, which has a class Bot.

    info_fields: fields of RunInfo in place of the defaults
    """
    lists = words.load()
    files = {"answers": "answers.txt", "guesses": "valid.txt"}
    entries = []
    for name, source in sources.items():
        path = folder / f"{name}.py"
        path.write_text(dedent(source))
        digest = sha256(path.read_bytes()).hexdigest()
        entries.append(EntryInfo(name, name, "wordpl/1", "budget", str(path), "Bot()", digest))
    defaults = {"seed": "seven", "n_games": 60, "timeout_s": 0.5, "enforced_s": 0.55, "warmup_s": 10, "memory_mb": 512}
    defaults |= {"player": "process", "level": "D", "versions": run_folder.versions()}
    info = RunInfo(
        **defaults | info_fields,
        lists={
            name: {"file": file, "words": len(getattr(lists, name)), "sha256": lists.sha256[name]}
            for name, file in files.items()
        },
        entries=entries,
        machine={},
        started="",
    )
    return Run.create(folder / "run", info)
