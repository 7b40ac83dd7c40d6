"""Edits of a run's folder, each a function of the folder."""

import gzip
import json
import re
import shutil

from tests.verify.conftest import entry_named
from wordpl.run.folder import Run

NAME = "wordpl/1"


def edit_info(change):
    """Return a function that edits run.json."""

    def edit(folder):
        path = folder / "run.json"
        facts = json.loads(path.read_bytes())
        change(facts)
        path.write_text(json.dumps(facts))

    return edit


def place_of(info, name):
    """Return the object of run.json with this fact: its configuration, or run.json itself."""
    return info["config"] if name in info["config"] else info


def set_facts(info, **facts):
    for name, value in facts.items():
        place_of(info, name)[name] = value


def with_facts(**facts):
    return edit_info(lambda info: set_facts(info, **facts))


def without_fact(name):
    return edit_info(lambda info: place_of(info, name).pop(name))


def with_changed_facts(**facts):
    """Return a function that changes facts; None removes one, but the seed, which is null while it is withheld."""

    def change(info):
        set_facts(info, **facts)
        for name, value in facts.items():
            if value is None and name != "seed":
                place_of(info, name).pop(name)

    return edit_info(change)


def with_entry_facts(**facts):
    return edit_info(lambda info: info["entries"][0].update(facts))


def with_game_facts(**facts):
    return edit_info(lambda info: info["entries"][0]["game"].update(facts))


def edit_records(change, part="records"):
    """Return a function that edits the first record of an entry which the change alters."""

    def edit(folder):
        path = folder / part / f"{entry_named(Run(folder), NAME).slug}.jsonl"
        lines = path.read_text().splitlines()
        for number, line in enumerate(lines):
            record = json.loads(line)
            change(record)
            new = json.dumps(record, separators=(",", ":"), ensure_ascii=False)
            if new != line:
                lines[number] = new
                break
        path.write_text("".join(f"{line}\n" for line in lines))

    return edit


def edit_lines(path, change):
    """Return a function that edits the list of a file's lines."""

    def edit(folder):
        (file,) = folder.glob(path)
        lines = file.read_text().splitlines(keepends=True)
        change(lines)
        file.write_text("".join(lines))

    return edit


def edit_text(path, old, new):
    """Return a function that replaces text in a file, which must contain it."""

    def edit(folder):
        (file,) = folder.glob(path)
        before = file.read_text()
        after = re.sub(old, new, before, count=1)
        assert after != before
        file.write_text(after)

    return edit


def remove(path):
    return lambda folder: next(folder.glob(path)).unlink()


def add(path, content="{}\n"):
    return lambda folder: (folder / path).write_text(content)


def copy_file(path, other):
    return lambda folder: shutil.copy(folder / path, folder / other)


def compress_without_last_record(folder):
    path = folder / "records" / "wordpl.jsonl"
    data = path.read_bytes().splitlines(keepends=True)
    path.unlink()
    (folder / "fingerprints" / "wordpl.txt").unlink()
    with gzip.open(f"{path}.gz", "wb") as file:
        file.write(b"".join(data[:-1]))


def forget_guess(record):
    if len(record["moves"]) > 2:
        record["moves"].pop(0)


def swap_moves(record):
    if len(record["moves"]) > 2:
        record["moves"][:2] = record["moves"][1::-1]


def swap_first_and_last(lines):
    lines[0], lines[-1] = lines[-1], lines[0]
