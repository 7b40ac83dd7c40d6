"""Recomputes the games of a host's own game with the reader's copy of its file."""

from collections.abc import Iterator

from wordpl import games
from wordpl.contest.match import GameSetup
from wordpl.core import seeds
from wordpl.core.moves import Move
from wordpl.core.words import WordLists
from wordpl.games import Game, IllegalMoveError
from wordpl.run.folder import Run
from wordpl.run.records import Record
from wordpl.verify import Findings
from wordpl.verify.difference import Difference


def check_own_games(run: Run, lists: WordLists, findings: Findings) -> None:
    """Add what is wrong with the secrets, clues and verdicts of a host's own games, as far as their code is at hand.

    Args:
        run: The run.
        lists: The word lists that it was played with.
        findings: Receives differences, and a note on each entry whose game is the host's own.
    """
    key = None if run.info.seed is None else seeds.run_key(run.info.seed)
    for entry in run.info.entries:
        if not entry.game.sha256:
            continue
        if not games.is_known(entry.game):
            findings.notes.append(f"the clues of {entry.name}: {games.which_file(entry.game)}")
            continue
        findings.notes.append(
            f"the clues of {entry.name}: {entry.game.id} has no independent second reading; they were recomputed with "
            "the file that you named."
        )
        if key is None:
            continue
        game = games.make_game(entry.game, lists)
        for record in run.entry(entry).read():
            setup = GameSetup.of(game, record.game, key, run.info.config)
            findings.n_games += 1
            findings.differences += [
                Difference(entry.name, f"game {record.game}", *problem)
                for problem in _problems(game, record, setup, key)
            ]


def _problems(game: Game, record: Record, setup: GameSetup, key: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with a record: what it is, the value found, and the value expected."""
    if record.secret != setup.secret:
        yield "the secret", record.secret, setup.secret
        return
    moves: list[Move] = []
    for number, move in enumerate(record.moves, 1):

        def draws(number: int = number) -> tuple[int, ...]:
            return seeds.noise(key, record.game, number, game.lists.length)

        try:
            proposal = move.proposal if game.facts.has_epsilon else move.guess
            reply = game.reply(setup.secret, moves, game.check(proposal), draws)
        except IllegalMoveError as error:
            yield f"move {number}", str(move.proposal), f"a legal move: {error}"
            return
        if reply.clues != move.clues:
            yield f"the clue of move {number}", move.clues, reply.clues
        if reply.verdict is not None and (number < len(record.moves) or record.verdict != reply.verdict):
            yield "the verdict", str(record.verdict), f"{reply.verdict} after move {number}"
            return
        moves.append(move)
    if record.verdict in ("won", "wrong", "unsolved") and (not moves or reply.verdict is None):
        yield "the verdict", str(record.verdict), "another one, as the rules did not end this game"
