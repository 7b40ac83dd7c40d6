"""The corpus of release 1.0.0, unpacked for tests."""

import tarfile
from functools import cache
from pathlib import Path

ARCHIVE = Path(__file__).parent / "corpus.tar.xz"


@cache
def _content() -> tarfile.TarFile:
    return tarfile.open(ARCHIVE)


def unpacked(folder: Path, *parts: str) -> Path:
    """Unpack parts of the corpus into a folder, and return the folder.

    Args:
        folder: Where to put them; it may exist.
        parts: Files or folders of the corpus, such as "runs/typed" or "cup"; without any, all of it.
    """
    corpus = _content()
    members = [
        member
        for member in corpus.getmembers()
        if not parts or any(member.name == part or member.name.startswith(f"{part}/") for part in parts)
    ]
    missing = [part for part in parts if part not in {member.name for member in members}]
    if missing:
        raise FileNotFoundError(f"the corpus has no {', '.join(missing)}")
    corpus.extractall(folder, members, filter="data")
    return folder
