"""The games of a run: which ones there are, and each move of one with the clues, seen and true, and what is left."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import isfinite
from textwrap import indent
from typing import Any

from wordpl import games
from wordpl.contest import hosted
from wordpl.contest.entries import require_named
from wordpl.core.clues import MARKS
from wordpl.core.messages import UserError, sanitize_untrusted_text
from wordpl.core.moves import Verdict, budget_text
from wordpl.games import Game
from wordpl.kernels.posterior import Posterior
from wordpl.reports import game_reviews
from wordpl.reports.elements import Column, Table, Value, text_table
from wordpl.reports.names import shown
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, cost
from wordpl.stats.game_review import GameReview

MAX_LISTED = 40
MAX_MESSAGE_CHARACTERS, MAX_REPLY = 600, 2000
LEGEND = "seen: the clue that the entry got; left: the answers that can still be the secret after the move."
NOISY_LEGEND = (
    "seen: the clue that the entry got; true: the clue without noise; left: as many equally likely answers are as "
    "uncertain as all answers after the move"
)


def chosen_entries(run: Run, texts: Sequence[str]) -> list[EntryInfo]:
    """Return the entries of a run that the texts name, by default all.

    Raises:
        UserError: A text names no entry.
    """
    named = [info for text in texts for info in require_named(text, run.info.entries)]
    return named or list(run.info.entries)


def find_games(
    run: Run, entries: Sequence[EntryInfo], *, lost: bool = False, faulty: bool = False, secret: str = ""
) -> Iterator[tuple[EntryInfo, Record]]:
    """Yield the games of these entries, one of each number, in the order of their files.

    Args:
        run: The run.
        entries: The entries.
        lost: Only games that were not won.
        faulty: Only games that ended by a fault of the player, not by the rules.
        secret: Only games with this secret, or with one that begins like this.
    """
    for info in entries:
        seen: set[int] = set()
        entry = run.entry(info)
        for record in entry.irregular() if faulty else chain.from_iterable(entry.record_blocks()):
            is_wanted = not (lost and record.verdict == Verdict.WON) and record.secret.startswith(secret)
            if is_wanted and record.game not in seen:
                seen.add(record.game)
                yield info, record


@dataclass(frozen=True)
class ReplayedMove:
    """A move of a game, with what it tells.

    Attributes:
        seen: The clue that the entry got; "" for an answer.
        true: The clue without noise.
        epsilon: The price of the guess; None in games without one.
        left: How many answers are left: of those that can be the secret or, in games with false clues, as many equally
            likely ones as have the same entropy.
        place: The place of the secret among the most likely answers, from 1; None in games without false clues.
    """

    guess: str
    seen: str
    true: str
    epsilon: float | None
    left: float
    place: int | None


@dataclass(frozen=True)
class ReplayedEntry:
    """A game of an entry, step by step."""

    info: EntryInfo
    record: Record
    steps: list[ReplayedMove]
    game: Game
    replies: Mapping[int, str]

    @classmethod
    def find(cls, run: Run, info: EntryInfo, number: int) -> "ReplayedEntry | None":
        """Return the game of this number; None if the entry has not played it."""
        record = next(run.entry(info).records({number}), None)
        if record is None:
            return None
        lists = run.info.config.load_lists()
        game = games.make_game(info.game, lists)
        is_sound = not record.secret or record.secret in lists.answers
        for move in record.moves:
            is_clue = not move.clues or (len(move.clues) == lists.length and set(move.clues) <= set(MARKS))
            is_sound = is_sound and is_clue and move.guess in lists.guess_set
        if not is_sound:
            raise UserError(f"game {number} of {shown(info.name)} breaks the rules: `wordpl verify` says how.")
        posterior, steps = None if game.is_exact else Posterior.of(game), []
        for n_moves, move in enumerate(record.moves, 1):
            true, place = move.clues, None
            if posterior is None:
                left: float = len(game.possible_answers(record.moves[:n_moves]))
            else:
                true = game.clue(move.guess, record.secret) if move.clues else ""
                if move.clues and (game.facts.has_answer_move or move.guess != record.secret):
                    posterior.update(*move.arguments)
                chances = posterior.probabilities
                place = 1 + int((chances > chances[posterior.words.index(record.secret)]).sum())
                left = 2.0**posterior.bits
            steps.append(ReplayedMove(move.guess, move.clues, true, getattr(move, "epsilon", None), left, place))
        return cls(info, record, steps, game, hosted.replies(run, info, {number}).get(number, {}))

    @cached_property
    def review(self) -> GameReview | None:
        """What each move was worth; None for games that are not reviewed."""
        return game_reviews.review_of(self.game, self.record.moves, self.record.secret, self.record.verdict)

    @property
    def ending(self) -> str:
        """How the game ended, with its cost and the message of a fault."""
        spent = cost(self.record, self.info.game)
        costs = f", cost {budget_text(spent)} ({self.info.game.unit})" if isfinite(spent) else ""
        message = sanitize_untrusted_text(self.record.message, MAX_MESSAGE_CHARACTERS, keep="\n")
        return f"{shown(self.info.name)}: {self.record.verdict}{costs}" + (f"\n{message}" if message else "")

    @property
    def said(self) -> list[str]:
        """What a model replied, a text for each move; empty for other entries."""
        return [
            f"{shown(self.info.name)}, reply {move}:\n"
            + indent(sanitize_untrusted_text(text[-MAX_REPLY:], MAX_REPLY, keep="\n").strip() or "(nothing)", "    ")
            for move, text in sorted(self.replies.items())
        ]

    def row(self, at: int, heads: Sequence[str]) -> list[Value]:
        """Return the cells of the move at this position below these headings, empty ones after the end of the game."""
        if at >= len(self.steps):
            return [""] * len(heads)
        step = self.steps[at]
        texts: dict[str, Value] = {
            "guess": step.guess,
            "seen": step.seen or "answer",
            "true": step.true,
            "epsilon": "" if step.epsilon is None else f"{step.epsilon:g}",
            "left": f"{step.left:,.{0 if self.info.game.is_exact or step.left >= 100 else 1}f}",
            "place": "" if step.place is None else f"{step.place:,}",
        }
        return [texts[head] for head in heads]

    def to_json(self) -> dict[str, Any]:
        """Return the game as JSON."""
        spent = cost(self.record, self.info.game)
        return {
            "entry": self.info.name,
            "verdict": str(self.record.verdict),
            "cost": spent if isfinite(spent) else None,
            "message": self.record.message,
            "moves": [{name: getattr(step, name) for name in ReplayedMove.__dataclass_fields__} for step in self.steps],
            "review": None if self.review is None else game_reviews.as_json(self.review),
        } | ({"replies": {str(move): text for move, text in self.replies.items()}} if self.replies else {})


def game_table(played: Sequence[ReplayedEntry]) -> Table:
    """Return the moves of one or more entries in the game of one number, side by side."""
    first = played[0].record
    secret = f"secret {first.secret}" if first.secret else "without a fixed secret"
    game = played[0].info.game
    heads = ["guess", "seen", *([] if game.is_exact else ["true"]), *(["epsilon"] if game.has_epsilon else []), "left"]
    if len(played) == 1 and not game.is_exact:  # two entries and their places need more than 80 columns
        heads.append("place")
    texts = ("guess", "seen", "true")
    columns = [Column(head, "text" if head in texts else "number") for _ in played for head in heads]
    rows: list[list[Value]] = [
        [f"{at + 1}", *chain.from_iterable(one.row(at, heads) for one in played)]
        for at in range(max(len(one.steps) for one in played))
    ]
    legend = LEGEND if game.is_exact else f"{NOISY_LEGEND}."
    if "place" in heads:
        legend = f"{NOISY_LEGEND}; place: that of the secret among the likely answers."
    if len(played) == 2:
        legend += " In the left half: {}. In the right half: {}.".format(*(shown(one.info.name) for one in played))
    return Table(f"Game {first.game} of {game.id}, {secret}", [Column("move", "name"), *columns], rows, legend)


def review_parts(played: ReplayedEntry) -> tuple[list[Table], list[str]]:
    """Return what each move of a game was worth, and sentences about the costliest one; none without a review."""
    if played.review is None:
        return [], []
    name = shown(played.info.name)
    sentences = [f"{name}: {game_reviews.headline(played.review)} {game_reviews.sums_text(played.review)}"]
    return [game_reviews.review_table(played.review, f"What the moves of {name} were worth")], sentences


def list_table(found: Sequence[tuple[EntryInfo, Record]]) -> Table:
    """Return the table of these games."""
    rows: list[list[Value]] = []
    for info, record in found:
        spent = cost(record, info.game)
        texts = [str(record.game), record.secret, str(record.verdict), budget_text(spent) if isfinite(spent) else ""]
        rows.append([*texts, shown(info.name)])
    return text_table("Games", ["game", "secret", "verdict", "cost", "entry"], rows, {"secret", "verdict", "entry"})


def list_json(found: Sequence[tuple[EntryInfo, Record]]) -> list[dict[str, Any]]:
    """Return these games as JSON."""
    return [
        {
            "entry": info.name,
            "number": record.game,
            "secret": record.secret,
            "verdict": str(record.verdict),
            "cost": spent if isfinite(spent := cost(record, info.game)) else None,
        }
        for info, record in found
    ]
