"""One game of the bot on a page."""

from collections.abc import Callable
from dataclasses import dataclass

from wordpl.core.moves import Move
from wordpl.core.records import Verdict
from wordpl.games import game_class
from wordpl.web.bot.adapters import Adapter
from wordpl.web.bot.errors import PageError, TransientPageError
from wordpl.web.bot.guessers import Guesser

MAX_REFUSED = 60
"""Words that a page may refuse in one game."""
N_TRIES = 3
Progress = Callable[[str], None]


@dataclass(frozen=True)
class PageGame:
    """What happened on a page.

    Attributes:
        moves: the rows of the page, as its tiles show them.
        n_found: how many of these were there before the bot typed anything.
        refused: the words that the page refused.
        share_text: the page's own text for sharing, "" where it has none.
    """

    adapter: str
    game_id: str
    moves: tuple[Move, ...]
    verdict: Verdict
    n_found: int
    refused: tuple[str, ...]
    share_text: str

    @property
    def was_over(self) -> bool:
        """Whether the game had ended before the bot came."""
        return self.n_found == len(self.moves)


def play_with_tries(adapter: Adapter, url: str, guesser: Guesser, progress: Progress) -> PageGame:
    """Play the page, opening it anew up to twice when it does not answer.

    What was played before a try stays on the page, and is read from there.

    Raises:
        PageError: the page is not as the adapter expects it, or has not answered three times.
    """
    for n_tried in range(1, N_TRIES + 1):
        try:
            return play(adapter, url, guesser, progress)
        except TransientPageError as error:
            if n_tried == N_TRIES:
                raise
            progress(f"try {n_tried} of {N_TRIES}: {error.message}")
            adapter.page.wait_for_timeout(1000 * adapter.patience.pause_s)
    raise AssertionError("the loop returns or raises")


def play(adapter: Adapter, url: str, guesser: Guesser, progress: Progress) -> PageGame:
    """Open the page and play until the game has ended. Raises PageError for a page that cannot be played."""
    adapter.open(url)
    moves = adapter.moves()
    n_found, refused = len(moves), list[str]()
    for _ in range(MAX_REFUSED + (game_class(adapter.game_id).max_guesses or 0)):
        verdict = adapter.verdict(moves)
        if verdict is not None or adapter.is_over():
            share = _share_text(adapter, progress)
            ended = verdict or Verdict.UNSOLVED
            return PageGame(
                adapter.name, guesser.game_id(adapter.game_id), tuple(moves), ended, n_found, tuple(refused), share
            )
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
    raise PageError(f"the page has refused {len(refused)} words, the last {', '.join(refused[-3:])}: check --guesses.")


def _share_text(adapter: Adapter, progress: Progress) -> str:
    """Return the page's own text; a page that does not give it has been played all the same."""
    try:
        return adapter.share_text()
    except PageError as error:
        progress(f"the page's own text for sharing was not read: {error.message}")
        return ""


def _with_new_row(adapter: Adapter, moves: list[Move], word: str) -> list[Move]:
    """Return the page's rows. Raises PageError unless they are those known and one more, with the word typed."""
    found = adapter.moves()
    if [*found[:-1]] != moves or found[-1].guess != word:
        shown = ", ".join(move.guess for move in found)
        raise PageError(f"{word} was typed as guess {len(moves) + 1}, and the rows on the page are now: {shown}.")
    return found
