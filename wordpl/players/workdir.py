"""The working directory of players, with the contest's word lists under the names that strategies open."""

from pathlib import Path
from tempfile import mkdtemp

from wordpl.core import paths
from wordpl.core.words import WordLists, as_text


def working_folder(lists: WordLists, parent: Path) -> Path:
    """Create a folder in `parent` with answers.txt, valid.txt and a link to strategies/, and return it."""
    folder = Path(mkdtemp(dir=parent))
    for path in (parent, folder):
        path.chmod(0o755)  # a player may be another user
    (folder / "answers.txt").write_text(as_text(lists.answers))
    (folder / "valid.txt").write_text(as_text(lists.guesses))
    (folder / "strategies").symlink_to(paths.strategy_folders()[0])
    return folder
