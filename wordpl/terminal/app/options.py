"""What the app is started with."""

from dataclasses import dataclass, field
from pathlib import Path

from wordpl.terminal.app.setups import Setup

SCREENS = ("solve", "play", "watch", "replay")


@dataclass(frozen=True)
class AppOptions:
    """The first screen and what it shows.

    Attributes:
        screen: one of SCREENS.
        setup: how Solve solves.
        hints: clues that Solve begins with.
        game_id: the game that Play begins with, "" for the one that was left or the daily puzzle's.
        seed: of the games of Play, "" for a fresh one.
        number: the first game of that seed.
        results: the folder that has the runs.
        run: the run that Watch and Replay show, None for the newest.
        theme: one of `themes.THEMES`.
    """

    screen: str = "solve"
    setup: Setup = field(default_factory=Setup)
    hints: tuple[tuple[str, str], ...] = ()
    game_id: str = ""
    seed: str = ""
    number: int = 0
    results: Path = Path("results")
    run: Path | None = None
    theme: str = "dark"
