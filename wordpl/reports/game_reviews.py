"""The reviews of a page: the games with the dearest moves of each entry; and reviews in words, for all renderers."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np

from wordpl import games
from wordpl.core.moves import Move, Verdict
from wordpl.games import Game
from wordpl.reports.elements import Column, Table, Value
from wordpl.reports.results import RunResults
from wordpl.reports.standings import Board
from wordpl.run.frame import Moves, rows_by
from wordpl.stats.game_review import GameReview, ReviewedMove, Reviewer, is_reviewed

MAX_REVIEWED = 48
"""About the most games that a page reviews; each takes about a tenth of a second."""
N_WORST = 6
"""The most games of an entry that a page lists as its worst ones."""
N_SEARCHED = 200
"""The number of games of an entry among which its dearest moves are searched."""
N_SPARE = 1
"""How many more games are reviewed than listed, since the search only estimates what moves cost."""
DIGITS = 4


@dataclass(frozen=True, eq=False)
class ReviewedGame:
    """A game of an entry with its review."""

    game: int
    secret: str
    verdict: str
    review: GameReview

    @property
    def price(self) -> float:
        """What its dearest move cost."""
        return max((move.price for move in self.review.moves), default=0.0)


@dataclass(frozen=True, eq=False)
class BoardReviews:
    """The reviews of a board's games.

    Attributes:
        worst: The games with the dearest moves of each entry, the dearest first, by the name of the entry.
        beside: The games of the leaders with the dearest moves of each other, by name.
        n_searched: The number of games of each entry that were searched.
    """

    worst: Mapping[str, Sequence[ReviewedGame]] = field(default_factory=dict)
    beside: Mapping[str, Sequence[ReviewedGame]] = field(default_factory=dict)
    n_searched: int = 0

    def of(self, name: str) -> dict[int, GameReview]:
        """Return the reviews of an entry's games by their numbers."""
        return {one.game: one.review for one in [*self.worst.get(name, ()), *self.beside.get(name, ())]}


def reviews_of(results: RunResults, board: Board, names: Container[str], max_reviewed: int) -> BoardReviews:
    """Return the reviews that the page of a run shows of a board; none if its games are not reviewed.

    Args:
        results: The results of the run.
        board: The board.
        names: The entries whose worst games are wanted.
        max_reviewed: About the most games to review.
    """
    if not results.has_moves or not games.is_known(board.game):
        return BoardReviews()
    game = games.make_game(board.game, results.lists)
    wanted = [name for name in board.names if name in names][: max(1, max_reviewed)]
    if not is_reviewed(game) or not wanted:
        return BoardReviews()
    n_each = min(N_WORST, max(1, max_reviewed // len(wanted)))
    rows, reviewer = rows_by(results.rows_of(board), "entry"), Reviewer(game)
    played = {name: _Played(rows[name], results.moves[name], reviewer) for name in wanted}
    worst = {name: played[name].worst(n_each) for name in wanted}
    beside = {}
    for name, rival in (wanted[:2], wanted[1::-1]) if len(wanted) > 1 else ():
        known = {one.game for one in worst[name]}
        others = (played[name].reviewed(one.game) for one in worst[rival] if one.game not in known)
        beside[name] = [one for one in others if one is not None]
    return BoardReviews(worst, beside, N_SEARCHED)


class _Played:
    """The games of an entry, some of which are reviewed."""

    def __init__(self, rows: Any, moves: Moves, reviewer: Reviewer):
        self.rows, self.moves, self.reviewer = rows.set_index("game"), moves, reviewer

    def worst(self, n: int) -> list[ReviewedGame]:
        """Return the n games with the dearest moves of the first N_SEARCHED games."""
        numbers = sorted(self.rows.index[:N_SEARCHED].tolist())
        prices = np.array([self._estimated(number) for number in numbers])
        likely = [numbers[place] for place in np.argsort(-prices, kind="stable")[: n + N_SPARE] if prices[place] >= 0]
        reviewed = [one for number in likely if (one := self.reviewed(number)) is not None]
        return sorted(reviewed, key=lambda one: (-round(one.price, DIGITS), one.game))[:n]

    def _estimated(self, number: int) -> float:
        try:
            return self.reviewer.estimated_price(self._moves(number), won=self._is_won(number))
        except ValueError:  # its clues are not allowed, which the page says elsewhere
            return -1.0

    def reviewed(self, number: int) -> ReviewedGame | None:
        """Return a game with its review; None if the entry has not played it, or if it breaks the rules."""
        if number not in self.rows.index:
            return None
        row = self.rows.loc[number]
        try:
            review = self.reviewer.review(self._moves(number), str(row["secret"]), won=self._is_won(number))
        except ValueError:
            return None
        return ReviewedGame(number, str(row["secret"]), str(row["verdict"]), review)

    def _is_won(self, number: int) -> bool:
        return bool(self.rows.at[number, "verdict"] == str(Verdict.WON))

    def _moves(self, number: int) -> Sequence[Sequence[Any]]:
        return self.moves.game(int(np.searchsorted(self.moves.games, number)))


@lru_cache(8)
def reviewer_of(game: Game) -> Reviewer:
    """Return the reviewer of a game, which remembers the positions that it has judged."""
    return Reviewer(game)


def review_of(game: Game, moves: Sequence[Move], secret: str, verdict: Verdict | str | None) -> GameReview | None:
    """Return the review of a game that has ended; None if such games are not reviewed, or if clues break the rules."""
    if not is_reviewed(game):
        return None
    try:
        return reviewer_of(game).review([move.arguments for move in moves], secret, won=verdict == Verdict.WON)
    except ValueError:
        return None


def value_text(review: GameReview, value: float) -> str:
    """Return what a game is worth: a chance such as 71%, which never looks certain if it is not, or guesses."""
    if review.unit != "chance":
        return f"{value:.2f}"
    if 0 < value < 0.005:
        return "<1%"
    return ">99%" if 0.995 <= value < 1 else f"{100 * value:.0f}%"


def amount_text(review: GameReview, amount: float) -> str:
    """Return a difference of worths without a sign: percentage points or guesses."""
    if review.unit != "chance":
        return f"{amount:.2f} guesses"
    return f"{100 * amount:.{1 if abs(amount) < 0.0995 else 0}f} points"


def signed_text(review: GameReview, amount: float) -> str:
    """Return a luck with its sign; positive is good for the player."""
    text = amount_text(review, abs(amount))
    if not any(digit in text for digit in "123456789"):
        return "none"
    if review.unit != "chance":
        return f"{text} {'saved' if amount > 0 else 'lost'}"
    return ("+" if amount > 0 else "−") + text


def is_dear(review: GameReview, move: ReviewedMove) -> bool:
    """Return whether a move cost anything that its text shows."""
    return any(digit in amount_text(review, move.price) for digit in "123456789")


def move_text(review: GameReview, move: ReviewedMove) -> str:
    """Return what a move was worth, compared with the best candidate."""
    if move.epsilon == 0:
        if not is_dear(review, move):
            return f"the likeliest word: {value_text(review, move.after)}"
        return f"{amount_text(review, move.price)} less likely than {move.best.upper()}"
    if not is_dear(review, move):
        return f"the best of {move.n_candidates} words" if move.guess == move.best else "as good as the best word"
    more = "below" if review.unit == "chance" else "more than with"
    return f"{amount_text(review, move.price)} {more} {move.best.upper()}"


def headline(review: GameReview) -> str:
    """Return which move cost most."""
    dearest = review.dearest
    if dearest is None or not is_dear(review, review.moves[dearest]):
        return "No move was worth less than the best of the words that it was compared with."
    move = review.moves[dearest]
    name = "the answer" if move.epsilon == 0 else f"guess {dearest + 1}"
    return f"The costliest move was {name}, {move.guess.upper()}: {move_text(review, move)}."


def cost_text(review: GameReview) -> str:
    """Return in a few words what the costliest move of a game cost."""
    dearest = review.dearest
    if dearest is None or not is_dear(review, review.moves[dearest]):
        return "no move cost anything"
    move = review.moves[dearest]
    return f"{move.guess.upper()} {'was ' if move.epsilon == 0 else ''}{move_text(review, move)}"


def sums_text(review: GameReview) -> str:
    """Return what all moves cost, and the luck of all clues."""
    return f"All moves together cost {amount_text(review, -review.skill)}; luck: {signed_text(review, review.luck)}."


def as_json(review: GameReview) -> dict[str, Any]:
    """Return a review as JSON for the script that draws it, with rounded numbers and the texts beside them."""
    found = msgspec.to_builtins(review)
    for move, made in zip(review.moves, found["moves"], strict=True):
        made["text"], made["dear"] = move_text(review, move), is_dear(review, move)
        made["luck_text"] = "" if move.epsilon == 0 else signed_text(review, move.luck)
        made["texts"] = [value_text(review, value) for value in (move.before, move.expected, move.after)]
        made["chances"] = [[word, value_text(review, chance) if chance < 1 else "100%"]
                           for word, chance in move.likeliest] if review.unit == "chance" else []  # fmt: skip
        del made["likeliest"]
    found["dearest"] = review.dearest if headline(review).startswith("The") else None
    found |= {"headline": headline(review), "sums": sums_text(review), "start_text": value_text(review, review.start)}
    return dict(_rounded(found))


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


def _row(review: GameReview, place: int) -> list[str]:
    """Return a move, what the game was worth before it, as expected of it and after it, its luck, and its price."""
    move = review.moves[place]
    mark = "*" if place == review.dearest and is_dear(review, move) else ""
    values = [value_text(review, value) for value in (move.before, move.expected, move.after)]
    luck = f"{100 * move.luck:+.1f}" if review.unit == "chance" else f"{move.luck:+.2f}"
    if not any(digit in luck for digit in "123456789"):
        luck = luck[1:]
    return [f"{mark}{move.guess}", *values, "" if move.epsilon == 0 else luck, move_text(review, move)]


def review_lines(review: GameReview) -> list[str]:
    """Return a review in lines of about 40 columns; those of a move belong together."""
    what = "Chance to win" if review.unit == "chance" else "Expected guesses"
    lines = [f"{what}: before, expected, after; luck"]
    for place in range(len(review.moves)):
        name, before, expected, after, luck, text = _row(review, place)
        lines += [f"{name:>{review_width(review)}} {before:>4} {expected:>4} {after:>4}  {luck}".rstrip(),
                  f"{'':{review_width(review)}} {text}"]  # fmt: skip
    return [*lines, headline(review), sums_text(review)]


def review_width(review: GameReview) -> int:
    """Return the width of the column of words in `review_lines`."""
    return 1 + max((len(move.guess) for move in review.moves), default=0)


def review_table(review: GameReview, title: str) -> Table:
    """Return the moves of a review as a table of at most 80 columns."""
    heads = ("move", "before", "expected", "after", "luck", "compared with the best word")
    columns = [Column(heads[0], "name"), *(Column(head, "number") for head in heads[1:4]), Column(heads[4], "number"),
               Column(heads[5], "text")]  # fmt: skip
    rows: list[list[Value]] = [[*_row(review, place)] for place in range(len(review.moves))]
    return Table(title, columns, rows, legend_of(review))


def legend_of(review: GameReview) -> str:
    """Return what the numbers of a review mean."""
    what = (
        "Chance to win before the move, as expected of it, and after its clue, by the posterior and by what the game "
        "still spent; luck in points"
        if review.unit == "chance"
        else "Expected guesses of the whole game before the move, as expected of it, and after its clue; luck in "
        "guesses saved"
    )
    return f"{what}; * the costliest move. {review.candidates}"
