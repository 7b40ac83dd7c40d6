"""Shows a replayed game as text, with the true clues and those that the entry saw."""

from collections.abc import Iterator
from math import inf

from wordpl import games
from wordpl.contest.replay import ReplayedGame
from wordpl.core.moves import ClassicMove
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, cost


def replay_lines(played: ReplayedGame) -> Iterator[str]:
    """Yield the lines that show the game."""
    entry, record = played.entry, played.record
    yield f"{entry.name} plays game {record.game} of {entry.game.id}, seed {played.seed}. {secret_of(record)}"
    yield from move_lines(record, played.game)
    yield f"{ending(record, entry)} It took {played.duration.wall_s:.3f} s."


def secret_of(record: Record) -> str:
    """Return a sentence with the secret."""
    return f"The secret is {record.secret}." if record.secret else "There is no fixed secret."


def move_lines(record: Record, game: games.Game) -> Iterator[str]:
    """Yield a line for each move; in a noisy game with the true clue, the clue that was seen, and the differences."""
    for number, move in enumerate(record.moves, 1):
        line = f"{number:3}  {move.guess}"
        if isinstance(move, ClassicMove):
            yield f"{line}  {move.clues}"
        elif move.is_answer:
            yield f"{line}  proposed as the answer"
        else:
            true_clues = game.clue(move.guess, record.secret)
            change_marks = "".join("^" if a != b else " " for a, b in zip(true_clues, move.clues, strict=True)).rstrip()
            yield f"{line}  epsilon {move.epsilon:<8.6g} true {true_clues}  seen {move.clues}  {change_marks}".rstrip()


def ending(record: Record, entry: EntryInfo) -> str:
    """Return a sentence that says how the game ended."""
    if record.message:
        return f"Verdict: {record.verdict}.\n{record.message}\n"
    game_cost = cost(record, entry.game)
    return f"Verdict: {record.verdict}." + (f" Cost: {game_cost:.6g} ({entry.game.unit})." if game_cost < inf else "")
