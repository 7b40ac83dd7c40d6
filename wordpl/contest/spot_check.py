"""Checks of a finished run that need code beside its folder.

Some games are replayed with their entries, and all games of a host's own game are recomputed with the reader's copy
of its file.
"""

import random
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import msgspec

from wordpl import games
from wordpl.contest.isolation import ReaderTerms, player_pool
from wordpl.contest.referee import GameComparison, GameSetup, compare, play
from wordpl.core.files import temporary_folder
from wordpl.core.messages import UserError
from wordpl.core.moves import Move, Verdict
from wordpl.core.words import WordLists
from wordpl.games import Game, IllegalMoveError
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, plain
from wordpl.verify import Difference, Findings


def check_own_games(run: Run, lists: WordLists, findings: Findings) -> None:
    """Add what is wrong with the secrets, clues and verdicts of a host's own games, as far as their code is at hand.

    Args:
        run: The run.
        lists: The word lists that it was played with.
        findings: Receives differences, and a note on each entry whose game is the host's own.
    """
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
        if run.info.draws is None:
            continue
        game = games.make_game(entry.game, lists)
        for record in run.entry(entry).read():
            setup = GameSetup.of(game, run.info.draws.game(record.game))
            findings.n_games += 1
            findings.differences += [
                Difference(entry.name, f"game {record.game}", *problem) for problem in _problems(game, record, setup)
            ]


def _problems(game: Game, record: Record, setup: GameSetup) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with a record: what it is, the value found, and the value expected."""
    if record.secret != setup.secret:
        yield "the secret", record.secret, setup.secret
        return
    moves: list[Move] = []
    for number, move in enumerate(record.moves, 1):

        def noise(number: int = number) -> tuple[int, ...]:
            return setup.draws.noise(number, game.lists.length)

        try:
            proposal = move.proposal if game.facts.has_epsilon else move.guess
            reply = game.reply(setup.secret, moves, game.check(proposal), noise)
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


SKIPPED_VERDICTS = (Verdict.FAULT, Verdict.UNPLAYED)
"""Verdicts that do not depend on the entry's play in the game."""
CAPPED_VERDICTS = (Verdict.LATE, Verdict.MEMORY, Verdict.ILLEGAL, Verdict.CRASHED)
"""Verdicts that a smaller limit on time, memory, replies or open files can cause."""
CUT_OR_CRASHED = (Verdict.LATE, Verdict.MEMORY, Verdict.CRASHED)
"""Verdicts that a replay must repeat, even if its moves are the same."""


@dataclass(frozen=True)
class SpotCheck:
    """The results of a spot check.

    Attributes:
        n_played: The number of replayed games.
        n_cut_short: The number of games that were cut short and could not be compared.
        n_capped: The number of games that exceeded a limit of this machine which is smaller than that of the run, and
            so could not be compared.
        capped: The names of these limits.
        level: The sandbox level at which the games were replayed.
        differences: The differences from the records.
        missing: The entries that were skipped because their stored files are missing or have changed.
        by_entry: By the slug of an entry, the number of its replayed games, and of those that were equal.
    """

    n_played: int
    n_cut_short: int
    n_capped: int
    capped: list[str]
    level: str
    differences: list[Difference]
    missing: list[EntryInfo]
    by_entry: Mapping[str, tuple[int, int]]


def spot_check(
    run: Run,
    n_games: int,
    progress: Callable[[int], object] = lambda n_done: None,
    *,
    terms: ReaderTerms | None = None,
    lists: WordLists | None = None,
    only: Collection[str] = (),
) -> SpotCheck:
    """Replay games of a run in the sandbox, each in a new process, and compare them with their records.

    The sandbox level and the largest limits are this machine's own, whatever the run says.

    Args:
        run: A finished run.
        n_games: The number of games. They are drawn with this machine's randomness, which the host cannot predict.
        progress: Called with 1 after each game.
        terms: The reader's terms; None: those of `ReaderTerms.of`.
        lists: The word lists of the run; None: those that its configuration names.
        only: The slugs of the entries, of each of which this number of games is replayed; empty: of all together.

    Raises:
        UserError: The run has not finished, its entries were trusted, or this machine cannot isolate them.
    """
    info = run.info
    if info.draws is None or info.finished is None:
        raise UserError("games can be replayed only after the run has finished and its seed is known.")
    if info.config.is_trusted:
        raise UserError(
            "the entries of this run were trusted, so they are not replayed: use `wordpl evaluate --number`."
        )
    own_terms, store = terms or ReaderTerms.of(info), run.store
    present = [entry for entry in info.entries if entry.file and all(map(store.holds, entry.digests))]
    present = [entry for entry in present if not entry.is_hosted]
    if only:
        present = [entry for entry in present if entry.slug in only]
        drawn = [game for entry in present for game in _sample(run, [entry], n_games)]
    else:
        drawn = _sample(run, present, n_games)
    own_lists = lists or own_terms.config.load_lists()
    differences: list[Difference] = []
    n_cut_short = n_capped = 0
    equal: Counter[str] = Counter()
    with (
        temporary_folder() as parent,
        player_pool(run, Path(parent), lists) as pool,
    ):
        for entry, record in drawn:
            player, game = pool.isolated(entry, own_terms.config), games.make_game(entry.game, own_lists)
            try:
                replayed = play(game, player, record.game, info.draws, own_terms.config)
            finally:
                player.close()
            comparison = compare(record, replayed)
            if own_terms.capped and replayed.verdict in CAPPED_VERDICTS and record.verdict != replayed.verdict:
                n_capped += 1
            elif comparison == GameComparison.CHANGED or (
                record.verdict in CUT_OR_CRASHED and record.verdict != replayed.verdict
            ):
                differences.append(_difference(entry, record, replayed))
            else:
                n_cut_short += comparison == GameComparison.NOT_COMPARED
                equal[entry.slug] += comparison == GameComparison.SAME or record.verdict == replayed.verdict
            progress(1)
    missing = [entry for entry in info.entries if entry not in present and not entry.is_hosted]
    replayed_of = Counter(entry.slug for entry, _ in drawn)
    by_entry = {slug: (number, equal[slug]) for slug, number in replayed_of.items()}
    return SpotCheck(
        len(drawn), n_cut_short, n_capped, own_terms.capped, own_terms.config.level, differences, missing, by_entry
    )


def _sample(run: Run, entries: list[EntryInfo], n_games: int) -> list[tuple[EntryInfo, Record]]:
    """Draw games with this machine's randomness, reading each record once (reservoir sampling)."""
    chance = random.SystemRandom()
    drawn: list[tuple[EntryInfo, Record]] = []
    n_seen = 0
    for entry in entries:
        for record in map(plain, chain.from_iterable(run.entry(entry).record_blocks())):
            if record.verdict in SKIPPED_VERDICTS or not 0 <= record.game < run.info.config.n_games:
                continue
            n_seen += 1
            if len(drawn) < n_games:
                drawn.append((entry, record))
            elif (place := chance.randrange(n_seen)) < n_games:
                drawn[place] = (entry, record)
    return drawn


def _difference(entry: EntryInfo, record: Record, replayed: Record) -> Difference:
    recorded, expected = (
        f"{msgspec.to_builtins(list(played.moves))} {played.verdict}" for played in (record, replayed)
    )
    return Difference(entry.name, f"game {record.game}", "the game", recorded, f"{expected}, as replayed here")
