"""The options with which the app starts."""

from dataclasses import dataclass, field
from pathlib import Path

from wordpl.terminal.app.setups import Setup

SCREENS = ("solve", "play", "watch", "replay")


@dataclass(frozen=True)
class AppOptions:
    """The first screen and its contents.

    Attributes:
        screen: One of SCREENS.
        hints: The first clues of Solve.
        game_id: The first game of Play; "" for the saved game or the daily puzzle.
        seed: The seed of Play; "" for a random one.
        number: The number of the first game of the seed.
        run: The run of Watch and Replay; None for the newest.
        theme: One of `style.THEMES`.
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
