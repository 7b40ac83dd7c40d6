"""Plays one game on a page."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from wordpl.core.moves import Move, Verdict
from wordpl.games import game_class
from wordpl.web.bot.adapters import Adapter
from wordpl.web.bot.errors import PageError, TransientPageError
from wordpl.web.bot.guessers import Guesser

MAX_REFUSED = 60
"""The maximum number of refused words in one game."""
N_TRIES = 3
Progress = Callable[[str], None]


@dataclass(frozen=True)
class PageGame:
    """A game that was played on a page.

    Attributes:
        moves: The rows of the page.
        n_found: The number of rows that were there before the bot started.
        refused: The words that the page refused.
        share_text: The page's own share text; "" if it has none.
        day: The day of the puzzle; None if the page has a new puzzle for each player.
        day_shared: The day of the puzzle that the share text names; None if it names none.
    """

    adapter: str
    game_id: str
    moves: tuple[Move, ...]
    verdict: Verdict
    n_found: int
    refused: tuple[str, ...]
    share_text: str
    day: date | None = None
    day_shared: date | None = None

    @property
    def was_over(self) -> bool:
        """Whether the game had ended before the bot started."""
        return self.n_found == len(self.moves)


def play_with_tries(
    adapter: Adapter, url: str, guesser: Guesser, progress: Progress, day: date | None = None
) -> PageGame:
    """Play the page, and reload it up to twice if it does not answer.

    Moves of earlier attempts stay on the page and are read from it.

    Args:
        day: The day of the puzzle, for a page that does not say it.

    Raises:
        PageError: The page is not as the adapter expects, or did not answer in three attempts.
    """
    for n_tried in range(1, N_TRIES + 1):
        try:
            return play(adapter, url, guesser, progress, day)
        except TransientPageError as error:
            if n_tried == N_TRIES:
                raise
            progress(f"attempt {n_tried} of {N_TRIES}: {error.message}")
            adapter.page.wait_for_timeout(1000 * adapter.patience.pause_s)
    raise AssertionError("unreachable: the loop returns or raises")


def play(adapter: Adapter, url: str, guesser: Guesser, progress: Progress, given: date | None = None) -> PageGame:
    """Open the page and play until the game has ended.

    Raises:
        PageError: The page cannot be played, or its day is unknown or not the given one.
    """
    adapter.open(url)
    moves, day = adapter.moves(), _day(adapter, given)
    n_found, refused = len(moves), list[str]()
    for _ in range(MAX_REFUSED + game_class(adapter.game_id).max_guesses):
        verdict = adapter.verdict(moves)
        if verdict is not None or adapter.is_over():
            share = _share_text(adapter, progress)
            day_shared = adapter.day_shared(share)
            day = day or day_shared
            _require_day(adapter, day)
            ended = verdict or Verdict.UNSOLVED
            game_id = guesser.game_id(adapter.game_id)
            return PageGame(adapter.name, game_id, tuple(moves), ended, n_found, tuple(refused), share, day, day_shared)
        _require_day(adapter, day)
        proposal = guesser.proposal(adapter.game_id, moves, refused)
        adapter.enter(proposal, len(moves))
        why = adapter.reply(proposal[0], len(moves))
        if why:
            progress(f"{proposal[0]} was refused: {why[:80]}")
            refused.append(proposal[0])
            guesser.refused(why)
            continue
        moves = _with_new_row(adapter, moves, proposal[0])
        progress(f"{moves[-1].guess} {moves[-1].clues}")
    last_refused = ", ".join(refused[-3:])
    raise PageError(f"the page has refused {len(refused)} words, most recently {last_refused}: check --guesses.")


def _day(adapter: Adapter, given: date | None) -> date | None:
    shown = adapter.day()
    if shown and given and shown != given:
        raise PageError(f"the page has the puzzle of {shown}, not that of {given}.")
    return shown or given


def _require_day(adapter: Adapter, day: date | None) -> None:
    if adapter.is_daily and day is None:
        raise PageError(
            "neither the page nor its address says of which day the puzzle is, so that its result would count for the "
            "wrong day: give it with --day 2026-01-31."
        )


def _share_text(adapter: Adapter, progress: Progress) -> str:
    """Return the page's own share text; "" if it cannot be read."""
    try:
        return adapter.share_text()
    except PageError as error:
        progress(f"could not read the page's share text: {error.message}")
        return ""


def _with_new_row(adapter: Adapter, moves: list[Move], word: str) -> list[Move]:
    """Return the page's rows. Raises PageError unless they are the known rows and a new one with the typed word."""
    page_moves = adapter.moves()
    if [*page_moves[:-1]] != moves or page_moves[-1].guess != word:
        page_words = ", ".join(move.guess for move in page_moves)
        raise PageError(f"after typing {word} as guess {len(moves) + 1}, the rows on the page are: {page_words}.")
    return page_moves
