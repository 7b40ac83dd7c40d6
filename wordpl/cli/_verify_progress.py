"""Shows how far the check of some runs is."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def verifying(folders: Sequence[Path], is_verified: bool) -> Iterator[Callable[[int], object]]:
    """Show a progress bar on standard error; yield the function that takes the number of games checked meanwhile."""
    from tqdm import tqdm

    from wordpl.reports.run_pages import n_games

    total = n_games(folders) if is_verified else 0
    with tqdm(total=total, desc="verify", unit="game", dynamic_ncols=True, leave=False, disable=not total) as bar:
        yield bar.update
