"""Runs of strategies whose source is in the test, in folders of their own."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

from msgspec.structs import replace

from wordpl.contest import Contest, run_folder
from wordpl.games import game_class
from wordpl.run.bundle import STORE, Bundle, BundleStore
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, RunInfo, SeedSource

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


def new_run(folder: Path, sources: Mapping[str, str], **fields) -> Run:
    """Return a new run in folder/run: an entry for each name and source, which has a class Bot.

    fields: fields of RunConfig or RunInfo in place of the defaults; a class of a source that has another name than Bot,
        and its game, may follow the name of the entry: "name Class wordle/1"
    """
    entries = []
    for text, source in sources.items():
        name, made, game = text.rsplit(" ", 2) if "/" in text else (text, "Bot", "wordpl/1")
        path = folder / f"{name}.py"
        path.write_text(dedent(source))
        digest = BundleStore(folder / "run" / STORE).add(Bundle.of(path))
        entries.append(EntryInfo(name, name, game_class(game).facts, str(path), f"{made}()", digest, uses=[]))
    settings = {"n_games": 60, "repeats": 0, "timeout_s": 0.5, "warmup_s": 10, "memory_mb": 512, "level": "D"}
    settings |= {"total_s": 1e6, "official": "commitment" in fields or "beacon_from" in fields}
    source = SeedSource.OFFICIAL if settings["official"] or fields.get("official") else SeedSource.TYPED
    facts = {"seed": "seven", "seed_source": source, "versions": run_folder.versions(), "machine": {}, "started": ""}
    if settings["official"] or fields.get("official"):
        facts |= {"machine": {"system": "Linux x86_64", "processors": 2}, "started": "2026-11-21T00:00:00+00:00"}
    for name, value in fields.items():
        (facts if name in RunInfo.__struct_fields__ else settings)[name] = value
    config = replace(RunConfig(**settings).resolved("D"), repeats=settings["repeats"])  # also if it is trusted
    info = RunInfo(config=config, entries=entries, **facts)
    return Run.create(folder / "run", info)


def own_choice(run: Run) -> dict[str, Any]:
    """Return what a host says who resumes a run of his own that plays without isolation."""
    config = run.info.config
    return {"level": "" if config.level in ("A", "B") else config.level, "trusted": config.is_trusted}


def resume(run: Run, **options: Any) -> Contest:
    """Return a contest that plays the rest of a run, at the level that it has."""
    return Contest.resume(run.folder, **own_choice(run), **options)
