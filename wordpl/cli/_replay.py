"""One game of an entry shown move by move, what the noise hid beside what the entry saw."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from wordpl import games
from wordpl.cli import _captured_output
from wordpl.cli._echo import say
from wordpl.cli._evaluation import Settings, describe
from wordpl.contest.match import play
from wordpl.core import seeds, words
from wordpl.core.game_kinds import PlayerKind
from wordpl.core.moves import ClassicMove
from wordpl.core.records import EntryInfo, Record, RunInfo, cost
from wordpl.players.pool import PlayerPool


def replay_all(entries: Sequence[EntryInfo], number: int, settings: Settings) -> None:
    """Play game `number` with each of the entries, and show it."""
    lists, info = words.load(settings.answers, settings.guesses), describe(list(entries), settings)
    with TemporaryDirectory(ignore_cleanup_errors=True) as parent, PlayerPool(lists, Path(parent)) as pool:
        for entry in entries:
            replay(entry, number, info, pool, games.make_game(entry.game_id, lists))


def replay(entry: EntryInfo, number: int, info: RunInfo, pool: PlayerPool, game: games.Game) -> None:
    """Play game `number` again under the run's terms and show it; what the entry prints goes to standard error."""
    with _captured_output.shown() as output:
        trusted = info.player == PlayerKind.TRUSTED
        player = pool.player(entry, info) if trusted else pool.isolated(entry, info, output=output)
        record = play(game, player, number, seeds.run_key(info.seed), info)
        duration = player.duration(number)
        player.close()
    say(f"{entry.name} plays game {number} of {entry.game_id}, seed {info.seed}. {secret_of(record)}")
    for line in move_lines(record, game):
        say(line)
    say(f"{ending(record, entry)} It took {duration.wall_s:.3f} s.")


def secret_of(record: Record) -> str:
    """Return in a sentence what the secret was."""
    return f"The secret is {record.secret}." if record.secret else "No secret was drawn."


def move_lines(record: Record, game: games.Game) -> Iterator[str]:
    """Yield a line for each move; for a noisy game, the true clue, then the one that was seen, then what differs."""
    for number, move in enumerate(record.moves, 1):
        line = f"{number:3}  {move.guess}"
        if isinstance(move, ClassicMove):
            yield f"{line}  {move.clues}"
        elif move.is_answer:
            yield f"{line}  proposed as the answer"
        else:
            true = game.clue(move.guess, record.secret)
            changed = "".join("^" if a != b else " " for a, b in zip(true, move.clues, strict=True)).rstrip()
            yield f"{line}  epsilon {move.epsilon:<8.6g} true {true}  seen {move.clues}  {changed}".rstrip()


def ending(record: Record, entry: EntryInfo) -> str:
    """Return in a sentence how the game ended."""
    if record.message:
        return f"Verdict: {record.verdict}.\n{record.message}\n"
    spent = cost(record, entry.measure)
    return f"Verdict: {record.verdict}." + (f" Cost: {spent:.6g} ({entry.measure})." if spent < float("inf") else "")
