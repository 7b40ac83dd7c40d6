"""Independent verification of a run from its seed: run.json, and each line of the records.

The verifier shares only the definition of a run with the harness: its file formats, its random draws and its digests.
The rules of the games are implemented a second time, in `wordpl.verify.rules`.
"""

from collections.abc import Callable
from typing import Any

from wordpl.core.words import WordLists
from wordpl.run.folder import Run
from wordpl.verify.replay import NOT_COVERED, ColumnReader, Difference, Findings, Taker, replay, replay_repeated
from wordpl.verify.rules import GAME_RULES, RunDraws
from wordpl.verify.run_info import check_terms, require_files

__all__ = ["NOT_COVERED", "Difference", "Findings", "verify"]


def verify(
    run: Run,
    lists: WordLists,
    progress: Callable[[int], Any] = lambda n_games: None,
    taker: Taker = lambda entry, lines, held: None,
) -> Findings:
    """Verify a run and return the findings.

    Args:
        lists: The word lists that it was played with.
        progress: Called regularly with the number of games checked since the last call.
        taker: Called with the records of entries, in the order of run.json, as they are read; see `replay`.

    Raises:
        UserError: A file of the run is a folder, a pipe or something else that is not a regular file.
    """
    findings = Findings()
    require_files(run)
    check_terms(run, lists, findings)
    if run.info.parts:
        findings.notes.append(
            f"the moves in {len(run.info.parts):,} parts that others may have played, who knew the secrets of their "
            "games: --replay N replays games."
        )
    if run.info.draws is None:
        findings.notes.append("the games: the seed is not revealed before the run has finished.")
        return findings
    contest = RunDraws(run.info.draws, lists, run.info.fresh_draws)

    def count(n_games: int) -> None:
        findings.n_games += n_games
        progress(n_games)

    readers = {
        game: ColumnReader(GAME_RULES[game], contest, run.info.config.n_games)
        for game in {entry.game.id for entry in run.info.entries} & GAME_RULES.keys()
    }
    for entry in run.info.entries:
        if entry.game.id in GAME_RULES:
            findings.differences += replay(run, entry, contest, readers[entry.game.id], count, taker)
            findings.differences += replay_repeated(run, entry, contest)
    return findings
