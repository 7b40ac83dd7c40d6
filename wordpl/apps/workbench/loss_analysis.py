"""Analyses where an entry loses: by secret, letters, round, confidence and rival; with tables and plots."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import pandas as pd

from wordpl import games
from wordpl.apps.workbench.arena import Arena
from wordpl.apps.workbench.entry_lookup import entries_for
from wordpl.contest import run_folder
from wordpl.contest.entries import entries_named
from wordpl.contest.isolation import ReaderTerms
from wordpl.core import current_folder
from wordpl.core.intervals import mean_of
from wordpl.core.messages import UserError, amount
from wordpl.core.moves import Verdict
from wordpl.core.words import WordLists
from wordpl.reports.elements import EstimateCell, Number, Table, Value, text_table
from wordpl.reports.run_report import RunReport
from wordpl.reports.standings import Standing
from wordpl.run.config import RunConfig
from wordpl.run.folder import MAX_READ_GAMES, Run, RunRecords
from wordpl.run.frame import Moves
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, cost
from wordpl.stats.game_statistics import CalibrationGroup, GameGroup, by_letter_pattern, calibration, hardest_words
from wordpl.stats.guess_values import GuessValue, GuessValuer, RoundValue, by_round
from wordpl.stats.posterior_wins import with_posteriors
from wordpl.stats.scores import facts_of, main_score, scores_for

if TYPE_CHECKING:
    from matplotlib.axes import Axes

N_SAMPLED = 60
"""Default number of games whose guesses are compared with the best ones, each of which takes a search."""
N_WORST = 10
MAX_PLAYED = 500
"""Maximum number of games that an entry from outside the run plays."""
NEIGHBOUR_GROUPS = (
    (0, "no neighbour"),
    (1, "1 or 2 neighbours"),
    (3, "3 to 5 neighbours"),
    (6, "6 or more neighbours"),
)


@dataclass(frozen=True)
class LostGame:
    """A game that the entry lost, or won at a higher cost than the rival.

    Attributes:
        cost: Cost of the entry, infinite for a lost game.
        chance: Posterior probability of the entry's answer, NaN if unknown.
    """

    game: int
    secret: str
    cost: float
    rival_cost: float
    chance: float
    replay: str


@dataclass(frozen=True)
class Rivalry:
    """Comparison with another entry on the same games.

    Attributes:
        n_games: Number of games that both played.
        n_both: Number of games that both won.
        n_only_entry: Number of games that only the entry won.
        n_only_rival: Number of games that only the rival won.
        worst: Games with the largest advantage of the rival.
    """

    rival: str
    n_games: int
    n_both: int
    n_only_entry: int
    n_only_rival: int
    worst: list[LostGame]


@dataclass(frozen=True)
class Analysis:
    """Where an entry loses.

    Attributes:
        standings: Its standings on the board of the run, by column head; those that boards always show.
        letters: Its games by the number of repeated letters in the secret.
        neighbours: Its games by the number of other answers that differ from the secret in one letter.
        rounds: Information of the guesses of each round, compared with the best guesses.
        wasteful: The guesses with the largest gap to the best guess.
        n_valued: Number of games whose guesses were compared.
        calibration: How often the last answer was right, by its posterior probability; empty for classic games.
        rivalry: Comparison with another entry, or None if there is none.
        changed: A sentence if the author's file has changed since the run; else empty.
    """

    entry: EntryInfo
    n_games: int
    n_lost: int
    standings: dict[str, Standing]
    hardest: pd.DataFrame
    letters: list[GameGroup]
    neighbours: list[GameGroup]
    rounds: list[RoundValue]
    wasteful: list[GuessValue]
    n_valued: int
    calibration: list[CalibrationGroup]
    rivalry: Rivalry | None
    changed: list[str]

    @property
    def scores(self) -> dict[str, tuple[float, float, float]]:
        """Its scores in the run, by column head, as (value, low, high)."""
        found = {head: standing.estimate for head, standing in self.standings.items()}
        return {head: (one.value, one.low, one.high) for head, one in found.items()}


def analyse(
    folder: str | Path, entry: str, *, against: str = "", n_valued: int = N_SAMPLED, max_games: int = MAX_READ_GAMES
) -> Analysis:
    """Analyse an entry of a run.

    Args:
        entry: The entry as on the command line. "new" and "old" name the entries of a match.
        against: Another entry of the run, or an entry that plays the same games now. By default the best other entry
            of the run.
        n_valued: Number of games whose guesses are compared with the best ones.
        max_games: See `Run`.

    Raises:
        UserError: The run or the entry does not exist, or the entry has no games.
    """
    run = Run(Path(folder), max_games).require_as_sealed()
    info, lists = _entry_of(run, entry), run.info.config.load_lists()
    records = run.entry(info).read()
    rows = _rows(info, records, lists)
    if rows.empty:
        raise UserError(f"{info.name} has no games in {folder} yet.")
    valued = _values(info, records[:n_valued], lists)
    won = np.isfinite(rows["cost"].to_numpy(float))
    posteriors = rows["posterior"].to_numpy(float)
    return Analysis(
        entry=info,
        n_games=len(rows),
        n_lost=int((~won).sum()),
        standings=_standings(run, info, lists),
        hardest=hardest_words(rows, N_WORST),
        letters=by_letter_pattern(rows),
        neighbours=by_neighbours(rows, lists),
        rounds=by_round(valued),
        wasteful=sorted(valued, key=lambda guess: (-round(guess.wasted, 6), guess.game, guess.round_))[:N_WORST],
        n_valued=len({guess.game for guess in valued}),
        calibration=calibration(posteriors, won) if info.game.has_epsilon else [],
        rivalry=_rivalry(run, info, rows, against),
        changed=run_folder.changed_files([info]),
    )


def _entry_of(run: Run, text: str) -> EntryInfo:
    if text in ("new", "old") and len(run.info.entries) == 2:
        return run.info.entries[("new", "old").index(text)]
    matches = entries_named(text, run.info.entries)
    if len(matches) == 1:
        return matches[0]
    names = "\n".join(f"    {info.name}" for info in matches or run.info.entries)
    raise UserError(f"{text!r} matches {len(matches) or 'no'} entries of this run. Choose one of\n{names}")


def _rows(entry: EntryInfo, records: Sequence[Record], lists: WordLists) -> pd.DataFrame:
    columns = ["entry", "rules", "measure", "game", "secret", "verdict", "cost", "n_moves"]
    rows = [
        (entry.name, entry.game.id, entry.game.unit, record.game, record.secret, str(record.verdict),
         float(cost(record, entry.game)), len(record.moves))
        for record in records
    ]  # fmt: skip
    return with_posteriors(pd.DataFrame(rows, columns=columns), {entry.name: Moves.of(records)}, lists)


def _values(entry: EntryInfo, records: Sequence[Record], lists: WordLists) -> list[GuessValue]:
    game = games.game_class(entry.game)
    if not game.facts.has_secret or not records:
        return []
    valuer = GuessValuer(game(lists))
    return [
        value
        for record in records
        for value in valuer.values(
            record.game, [move.arguments for move in record.moves], won=record.verdict is Verdict.WON
        )
    ]


def _standings(run: Run, entry: EntryInfo, lists: WordLists) -> dict[str, Standing]:
    boards = RunReport(RunRecords(run), lists).boards
    row = next(row for board in boards for row in board.rows if row.name == entry.name)
    return {standing.score.head: standing for standing in row.standings.values() if standing.score.shown == "always"}


def _rivalry(run: Run, entry: EntryInfo, rows: pd.DataFrame, against: str) -> Rivalry | None:
    lists = run.info.config.load_lists()
    others = [info for info in run.info.entries if info is not entry and info.game.id == entry.game.id]
    named_rivals = entries_named(against, others) if against else []
    if against and not named_rivals:
        rival, rival_rows = _played(run, entry, against, len(rows))
    elif named_rivals or others:
        choices = {info.name: (info, _rows(info, run.entry(info).read(), lists)) for info in named_rivals or others}
        rival, rival_rows = min(choices.values(), key=lambda pair: _mean_loss(pair[1], run.info.config.loss_cost))
    else:
        return None
    pairs = rows.merge(rival_rows[["game", "cost"]], on="game", suffixes=("", "_rival"))
    if pairs.empty:
        return None
    mine, other = (np.isfinite(pairs[name].to_numpy(float)) for name in ("cost", "cost_rival"))
    return Rivalry(
        rival.name, len(pairs), int((mine & other).sum()), int((mine & ~other).sum()), int((~mine & other).sum()),
        _worst(pairs, entry, run),
    )  # fmt: skip


def _worst(pairs: pd.DataFrame, entry: EntryInfo, run: Run) -> list[LostGame]:
    costs = pairs[["cost", "cost_rival"]].to_numpy(float) / 2  # so that twice the largest one is a number
    own, other = np.minimum(costs, 2 * np.max(costs, initial=0.0, where=np.isfinite(costs))).T
    gap = own - other
    order = pairs.assign(_gap=gap).sort_values(["_gap", "posterior", "game"], ascending=[False, True, True])
    return [
        LostGame(
            int(row["game"]), row["secret"], float(row["cost"]), float(row["cost_rival"]), float(row["posterior"]),
            run_folder.replay_command(entry, int(row["game"]), run.info, run.folder),
        )
        for row in order[order["_gap"] > 0].head(N_WORST).to_dict("records")
    ]  # fmt: skip


def _mean_loss(rows: pd.DataFrame, loss_cost: float) -> float:
    if rows.empty:
        return float("inf")
    name = "mean_cost" if facts_of(rows).has_epsilon else None
    scores = scores_for(facts_of(rows), loss_cost)
    score = next((score for score in scores if score.name == name), main_score(facts_of(rows)))
    return float(score(score.per_game(rows)).value)


def _played(run: Run, entry: EntryInfo, against: str, n_games: int) -> tuple[EntryInfo, pd.DataFrame]:
    """Let an entry from outside the run play the same games; return the entry and the rows of its games."""
    info = run.info
    if info.draws is None:
        raise UserError("the seed of this run is not revealed yet, so other entries cannot play its games.")
    own_terms = ReaderTerms.of(info, unconfined=True)  # the rival is the reader's own entry
    config: RunConfig = msgspec.structs.replace(own_terms.config, game_id=entry.game.id)
    selection: Any = entries_for([against], config)
    rival: EntryInfo = selection.entries[0]
    with Arena.open(config, draws=info.draws, store=selection.store) as arena:
        (played,) = arena.play([(rival, range(min(n_games, MAX_PLAYED)))])
    return rival, _rows(rival, [record for record, _ in played], info.config.load_lists())


def n_neighbours(lists: WordLists) -> dict[str, int]:
    """Return for each answer how many others differ from it in exactly one letter.

    >>> lists = WordLists(("light", "night", "crane"), ("light", "night", "crane"))
    >>> n_neighbours(lists)
    {'light': 1, 'night': 1, 'crane': 0}
    """
    patterns = Counter(pattern for word in lists.answers for pattern in _patterns(word))
    return {word: sum(patterns[pattern] - 1 for pattern in _patterns(word)) for word in lists.answers}


def _patterns(word: str) -> list[str]:
    return [f"{word[:place]}_{word[place + 1 :]}" for place in range(len(word))]


def by_neighbours(rows: pd.DataFrame, lists: WordLists) -> list[GameGroup]:
    """Group the games of an entry by how many other answers differ from the secret in one letter.

    Args:
        rows: The rows of one entry from `folder.load_run`.
    """
    n_by_word = n_neighbours(lists)
    drawn = rows[rows["secret"] != ""]
    counts = drawn["secret"].map(lambda word: n_by_word.get(word, 0)).to_numpy(int)
    costs = drawn["cost"].to_numpy(float)
    groups = []
    for index, (min_neighbours, name) in enumerate(NEIGHBOUR_GROUPS):
        max_neighbours = NEIGHBOUR_GROUPS[index + 1][0] if index + 1 < len(NEIGHBOUR_GROUPS) else np.inf
        group_costs = costs[(counts >= min_neighbours) & (counts < max_neighbours)]
        won = group_costs[np.isfinite(group_costs)]
        if len(group_costs):
            mean = mean_of(won) if len(won) else float("nan")
            groups.append(
                GameGroup(str(drawn["entry"].iloc[0]), name, index, len(group_costs), len(group_costs) - len(won), mean)
            )
    return groups


MAX_ROUNDS = 10


def analysis_tables(found: Analysis) -> list[Table]:
    """Return the tables of an analysis."""
    all_tables = [_score_table(found), _hardest(found.hardest)]
    all_tables.append(_groups("Games by letters of the secret", [*found.letters, *found.neighbours],
                              "Neighbours are answers that differ from the secret in one letter."))  # fmt: skip
    if found.rounds:
        all_tables += [_rounds(found), _wasteful(found)]
    if found.calibration:
        all_tables.append(_calibration(found.calibration))
    if found.rivalry is not None:
        all_tables += [_rivalry_table(found.rivalry), *_worst_table(found.rivalry)]
    return all_tables


def _score_table(analysis: Analysis) -> Table:
    rows: list[list[Value]] = [
        [head, replace(standing.cell, marked=False, ranks=None)] for head, standing in analysis.standings.items()
    ]
    title = f"{analysis.entry.name}: {amount(analysis.n_games, 'game')}, {analysis.n_lost:,} lost"
    return text_table(title, ["score", "value"], rows, frozenset({"score"}))


def _hardest(hardest: pd.DataFrame) -> Table:
    rows: list[list[Value]] = [
        [row["secret"], int(row["n_games"]), int(row["n_lost"]), Number(float(row["mean_cost"]))]
        for row in hardest.to_dict("records")
    ]
    heads = ["secret", "games", "lost", "mean cost of wins"]
    return text_table("Hardest secrets", heads, rows, frozenset({"secret"}))


def _groups(title: str, groups: Sequence[GameGroup], legend: str) -> Table:
    rows: list[list[Value]] = [
        [group.group, group.n_games, Number(group.n_lost / group.n_games, percent=True), Number(group.mean_cost)]
        for group in groups
    ]
    return text_table(
        title, ["secrets with", "games", "lost", "mean cost of wins"], rows, frozenset({"secrets with"}), legend
    )


def _rounds(analysis: Analysis) -> Table:
    has_epsilon = analysis.entry.game.has_epsilon
    heads = [
        "round",
        "games",
        *(["epsilon"] if has_epsilon else []),
        "bits left",
        "expected",
        "available",
        "used",
        "gained",
    ]
    rows: list[list[Value]] = [
        [mean.round_, mean.n_games, *([Number(mean.epsilon, 2)] if has_epsilon else []), Number(mean.bits_left, 2),
         Number(mean.expected, 2), Number(mean.available, 2), Number(mean.share, percent=True), Number(mean.gained, 2)]
        for mean in analysis.rounds[:MAX_ROUNDS]
    ]  # fmt: skip
    legend = (
        "bits left: uncertainty before the guess; expected: expected information of its clue; available: the same for "
        "the best guess at that epsilon; gained: information of the actual clue. A guess that may be the secret can be "
        "better than one with more information."
    )
    title = f"Information of the guesses in {amount(analysis.n_valued, 'game')}"
    return text_table(title, heads, rows, frozenset(), legend)


def _wasteful(analysis: Analysis) -> Table:
    rows: list[list[Value]] = [
        [move.game, move.round_, move.guess, Number(move.expected, 2), move.best, Number(move.available, 2)]
        for move in analysis.wasteful
        if move.wasted > 0.005
    ]
    heads = ["game", "round", "guess", "bits", "best guess", "its bits"]
    return text_table("Most wasteful guesses", heads, rows, frozenset({"guess", "best guess"}))


def _calibration(groups: Sequence[CalibrationGroup]) -> Table:
    rows: list[list[Value]] = [
        [f"{100 * band.low:.0f}–{100 * band.high:.0f}%", band.n_games, Number(band.said, percent=True),
         EstimateCell(band.n_right / band.n_games, band.right_low, band.right_high, percent=True),
         "yes" if band.agrees else "no"]
        for band in groups
    ]  # fmt: skip
    heads = ["posterior", "games", "mean posterior", "right", "agrees"]
    legend = "How often the last answer was right, by its posterior probability."
    return text_table("Calibration of the last answer", heads, rows, frozenset({"posterior", "agrees"}), legend)


def _rivalry_table(rivalry: Rivalry) -> Table:
    none = rivalry.n_games - rivalry.n_both - rivalry.n_only_entry - rivalry.n_only_rival
    rows: list[list[Value]] = [["both", rivalry.n_both], ["only this entry", rivalry.n_only_entry],
            ["only the other", rivalry.n_only_rival], ["neither", none]]  # fmt: skip
    title = f"Comparison with {rivalry.rival} on the same {amount(rivalry.n_games, 'game')}"
    return text_table(title, ["won by", "games"], rows, frozenset({"won by"}))


def _worst_table(rivalry: Rivalry) -> list[Table]:
    rows: list[list[Value]] = [
        [game.game, game.secret, Number(game.cost), Number(game.rival_cost), Number(game.chance, percent=True)]
        for game in rivalry.worst
    ]
    heads = ["game", "secret", "cost", "cost of the other", "P(answer)"]
    legend = f"To replay the first:\n{rivalry.worst[0].replay}" if rivalry.worst and rivalry.worst[0].replay else ""
    title = "Games with the largest advantage of the other entry"
    return [text_table(title, heads, rows, frozenset({"secret"}), legend)] if rows else []


def plot_analysis(found: Analysis, path: Path) -> None:
    """Plot the information of each round, the losses by letters of the secret, and the calibration.

    Args:
        path: Image file. Its suffix determines the format.

    Raises:
        UserError: matplotlib is not installed, or the file cannot be written.
    """
    try:
        with current_folder.no_settings("matplotlibrc"):
            from matplotlib.figure import Figure
    except ImportError:
        raise UserError('plots need matplotlib: pip install "wordpl[plots]"') from None
    figure = Figure(figsize=(12, 3.8), layout="constrained")
    panels = [_draw_rounds, _draw_groups, *([_draw_calibration] if found.calibration else [])]
    for axes, draw in zip(figure.subplots(1, len(panels)), panels, strict=True):
        draw(found, axes)
    try:
        figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
    except (OSError, ValueError) as error:
        raise UserError(f"cannot write {path}: {error}") from None


def _draw_rounds(analysis: Analysis, axes: "Axes") -> None:
    numbers = [mean.round_ for mean in analysis.rounds]
    for name, style in (("available", "o:"), ("expected", "o-"), ("gained", "x--")):
        axes.plot(numbers, [getattr(mean, name) for mean in analysis.rounds], style, label=name)
    axes.set(xlabel="round", ylabel="bits", title="Information of the guesses", xticks=numbers)
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.legend(frameon=False)


def _draw_groups(analysis: Analysis, axes: "Axes") -> None:
    groups = [*analysis.letters, *analysis.neighbours]
    shares = [100 * group.n_lost / group.n_games for group in groups]
    axes.barh([group.group for group in groups][::-1], shares[::-1], color="tab:red", alpha=0.7)
    axes.set(xlabel="lost, %", title="Losses by letters of the secret")


def _draw_calibration(analysis: Analysis, axes: "Axes") -> None:
    posteriors = [band.said for band in analysis.calibration]
    right = [band.n_right / band.n_games for band in analysis.calibration]
    below = [value - band.right_low for value, band in zip(right, analysis.calibration, strict=True)]
    above = [band.right_high - value for value, band in zip(right, analysis.calibration, strict=True)]
    axes.plot([0, 1], [0, 1], color="grey", linewidth=1)
    axes.errorbar(posteriors, right, [below, above], fmt="o", ms=4, capsize=2)
    axes.set(xlabel="posterior of the answer", ylabel="share right", title="Calibration of the last answer")
