"""A season for its readers: the table in its README, its standings as tables and JSON, and its pages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import isfinite, isnan, nan
from pathlib import Path
from typing import Any

import msgspec

from wordpl.apps.season import archive
from wordpl.apps.season.credits import SeasonScore
from wordpl.apps.season.log import VERSIONS_FOLDER, Confirmation, Round, Version, Withdrawn
from wordpl.apps.season.sample import RankForecast
from wordpl.apps.season.season import Season
from wordpl.apps.season.standings import (
    RECORDS_ALPHA,
    ScoreStandings,
    StandingRow,
    Standings,
    decimals,
    required,
    rounded,
)
from wordpl.core import bounded, paths
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError, amount
from wordpl.core.moves import budget_text
from wordpl.reports.elements import EstimateCell, Table, Text, Value, rank_interval, text_table
from wordpl.reports.names import in_markdown
from wordpl.reports.renderers import markdown_part, markdown_rows
from wordpl.stats.scores.score import CONFIDENCE

BEGIN, END = "<!-- season -->", "<!-- end of season -->"
BETWEEN = re.compile(f"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", re.DOTALL)
README, STANDINGS, FINAL = "README.md", "standings.json", "FINAL.md"
STANDINGS_FORMAT = "wordpl-standings/1"
FRONT_ROWS = 3
NAMES = {"p_win": "P(win)", "mean": "mean cost"}
MEANINGS = {"p_win": "share of games won", "mean": "mean cost of a game"}
SHORT = {"p_win": "games won", "mean": "mean cost"}
LEGEND = (
    "Ranks: among the current versions of all authors; all ranks of a table hold at the same time, with 95% "
    "confidence, after any number of rounds. A record is announced only by a confirmation on fresh games."
)


def name_of(score: str) -> str:
    """Return the name of a score in tables."""
    return NAMES.get(score, score)


def meaning_of(score: SeasonScore, unit: str) -> str:
    """Return what a score measures, in words; `unit` is what a move costs: budget or guesses."""
    return MEANINGS.get(score.name, f"{unit} to win {100 * (score.q or 0):g}% of games")


def short_of(score: SeasonScore) -> str:
    """Return what a score measures, in two or three words."""
    return SHORT.get(score.name, f"{100 * (score.q or 0):g}% of games")


def head_of(score: SeasonScore, unit: str) -> str:
    """Return the heading of a score's values, in words."""
    return {"p_win": "share won", "mean": "mean cost"}.get(score.name, unit)


def value_cell(row: StandingRow, score: SeasonScore) -> EstimateCell:
    """Return the value of a version with its interval as pages show it."""
    is_share = score.name == "p_win"
    numbers = [number for number in row.numbers if number is not None]
    digits = max((len(f"{number:.10g}".partition(".")[2]) for number in numbers), default=1)
    return EstimateCell(row.value, row.low, row.high, digits, percent=is_share, exact=row.is_exact)


def ranks(row: StandingRow) -> str:
    """Return the possible ranks of a version as text."""
    if not row.n_games:
        return "not loaded" if row.version.n_faults else "new"
    return rank_interval(row.first_rank, row.last_rank) + (", changed" if row.changes else "")


def score_table(table: ScoreStandings, *, legend: bool = True) -> Table:
    """Return the standings of one score; authors are left out where all of them are called like their entries."""
    has_authors = any(row.version.author != row.version.name for row in table.rows)
    rows = [
        (ranks(row), row.version.label, *([row.version.author] if has_authors else []), *row.shown, f"{row.n_games:,}",
         row.version.since[:10])
        for row in table.rows
    ]  # fmt: skip
    author = ["author"] if has_authors else []
    heads = ("rank", "strategy", *author, name_of(table.score.name), "95% interval", "games", "since")
    return text_table(f"Standings by {name_of(table.score.name)}", heads, rows,
                      frozenset({"strategy", "author", "95% interval", "since"}), LEGEND if legend else "")  # fmt: skip


def changes(standings: Standings) -> Iterator[str]:
    """Yield a sentence for each change of a ranked version, and for each order that contradicts itself."""
    for row in standings.tables[0].rows:
        for change in row.changes:
            yield (
                f"{row.version.label} has changed: by {name_of(change.score)}, its games after round "
                f"{change.agreed_until} do not agree with those before, as round {change.shown_in} has shown. It has "
                "the rank of the worse of its periods, and only its own games bound it."
            )
    for table in standings.tables:
        for changed, *others in table.contradictions:
            yield (
                f"By {name_of(table.score.name)}, the results of {changed.label} and "
                f"{', '.join(version.label for version in others)} contradict each other: one of them has changed. The "
                f"rounds of {changed.label} agree least, so only its own games bound it."
            )


def record_table(season: Season) -> Table:
    """Return all records in the order in which they were announced, and the confirmations that failed."""
    results, voided, budget = season.ends, season.voided, season.error_budget
    announced = [event for event in season.log.events if isinstance(event, Confirmation)]
    prizes = {record.run for held in season.records.values() for record in held if record.wins_prize}
    rows = []
    for event in announced:
        played = results.get(event.run)
        verdict = "not played yet" if played is None else "record" if played.is_shown else "not shown"
        verdict += ", wins the prize" if event.run in prizes else ""
        if event.run in voided:
            verdict = f"void: {voided[event.run].reason}"
            beacon = "-"  # its folder may be lost
        else:
            beacon = season.run_of(event).info.beacon or "none: it trusts its host"
        version = season.version(event.version)
        rows.append((name_of(event.score), event.version, version.author, budget_text(event.value), verdict,
                     event.time[:10], beacon, event.run))  # fmt: skip
    heads = ("score", "strategy", "author", "claimed", "result", "date", "beacon", "run")
    legend = (
        f"{len(budget.used)} of {budget.allowed} confirmations were used. The probability that any record of the "
        f"season is false is at most {100 * max(RECORDS_ALPHA, sum(budget.used)):.3g}%."
    )
    return text_table("Records and confirmations", heads, rows, frozenset(heads) - {"claimed"}, legend)


def round_table(season: Season) -> Table:
    """Return the rounds, the newest first."""
    done, voided = season.ends, season.voided
    rows = [
        (str(event.number), event.time[:10], ", ".join(event.players.values()),
         "-" if event.run in voided else f"{season.run_of(event).info.config.n_games:,}",
         f"void: {voided[event.run].reason}" if event.run in voided else "played" if event.run in done else "open",
         "; ".join(event.faults), event.run)
        for event in reversed(season.log.events) if isinstance(event, Round)
    ]  # fmt: skip
    heads = ("round", "date", "players", "games", "state", "not loaded", "run")
    return text_table("Rounds", heads, rows, frozenset(heads) - {"round", "games"})


def version_table(season: Season, versions: Sequence[Version]) -> Table:
    """Return versions with their state, the newest first."""
    withdrawn = {event.version: event.time[:10] for event in season.log.events if isinstance(event, Withdrawn)}
    reasons = {version.label: version.disqualified for version in versions if version.disqualified}
    played: dict[str, list[str]] = {version.label: [] for version in versions}
    for event in season.log.events:
        if isinstance(event, Round):
            for label in event.players.values():
                if label in played:
                    played[label].append(str(event.number))
    ranked = set(season.ranked)
    rows = []
    for version in reversed(versions):
        label = version.label
        state = "current" if version.index in ranked else "replaced"
        if label in withdrawn:
            state = f"withdrawn {withdrawn[label]}"
        if label in reasons:
            state = f"disqualified: {reasons[label]}"
        rows.append((label, version.author, version.since[:10], state, ", ".join(played[label]), version.digest[:12]))
    heads = ("version", "author", "since", "state", "rounds", "digest")
    return text_table("Versions", heads, rows, frozenset(heads))


def front_table(season: Season, standings: Standings) -> str:
    """Return the Markdown between the markers of the README: the record or the leaders of each score."""
    found: list[tuple[str, Version, str, str]] = []
    records = season.records
    for table in standings.tables:
        name = name_of(table.score.name)
        if held := records.get(table.score.name):
            holder = held[-1]
            trust = ("" if holder.beacon else ", trusts its host") + (", wins the prize" if holder.wins_prize else "")
            found.append((f"{name} (record{trust})", holder.version, budget_text(holder.value), holder.since))
        for row in [row for row in table.rows if row.n_games][:FRONT_ROWS]:
            value, interval = row.shown
            found.append((f"{name}, rank {ranks(row)}", row.version, f"{value} ({interval})", row.version.since[:10]))
    rows: list[list[Value]] = [
        [score, Text(version.label, link=f"{VERSIONS_FOLDER}/{version.label}/{version.file}", max_length=200),
         Text(version.author, max_length=200), budget, since]
        for score, version, budget, since in found
    ]  # fmt: skip
    heads = ("score", "strategy", "author", "budget", "since")
    n_rounds, n_versions = len(season.played_rounds), len(season.versions)
    facts = (
        f"{amount(n_rounds, 'round')}, {amount(n_versions, 'version')}. Intervals and ranks hold with 95% confidence "
        "after any number of rounds."
    )
    return "\n".join([markdown_rows(text_table("", heads, rows, set(heads) - {"budget"})), "", facts, ""])


def as_json(season: Season, standings: Standings) -> dict[str, Any]:
    """Return the standings as plain numbers, with the digits that their intervals justify; None is infinite.

    Nothing in it depends on the wording of a table, so that it stays the same when a table is worded anew.
    """
    tables = {table.score.name: [_row_as_json(row) for row in table.rows] for table in standings.tables}
    records = {
        score: [
            {"version": record.version.label, "author": record.version.author, "value": record.value,
             "since": record.since, "run": record.run, "beacon": record.beacon or None, "before": record.before,
             "wins_prize": record.wins_prize}
            for record in held
        ]
        for score, held in season.records.items()
    }  # fmt: skip
    contradictions = [
        {"score": table.score.name, "versions": [version.label for version in found]}
        for table in standings.tables for found in table.contradictions
    ]  # fmt: skip
    named = [{"version": version.label, "text": sentence} for version, sentence in season.named()]
    return {
        "format": STANDINGS_FORMAT,
        "title": season.terms.title,
        "confidence": CONFIDENCE,
        "n_rounds": standings.n_rounds,
        "n_versions": len(season.versions),
        "standings": tables,
        "records": records,
        **({"findings": named} if named else {}),
        **({"contradictions": contradictions} if contradictions else {}),
    }


def _row_as_json(row: StandingRow) -> dict[str, Any]:
    value, low, high = row.numbers
    return {
        "version": row.version.label,
        "author": row.version.author,
        "first_rank": row.first_rank,
        "last_rank": row.last_rank,
        "value": value,
        "low": low,
        "high": high,
        "n_games": row.n_games,
        "since": row.version.since,
        **({"changes": [asdict(change) for change in row.changes]} if row.changes else {}),
    }


def published(season: Season, standings: Standings) -> dict[str, bytes]:
    """Return the files that follow from the records, by their names in the season's folder.

    Raises:
        UserError: The README has no place for the table.
    """
    path = season.folder / README
    text = bounded.read_if_exists(bounded.SEASON_FILE, path).decode()
    readme = text or f"# {season.terms.title}\n\n{BEGIN}\n{END}\n"
    if not BETWEEN.search(readme):
        raise UserError(f"{path} has no place for the table: add a line {BEGIN!r} and, below it, a line {END!r}.")
    page = BETWEEN.sub(lambda _: front_table(season, standings), readme, count=1)
    content = msgspec.json.format(msgspec.json.encode(as_json(season, standings)), indent=2) + b"\n"
    files = {README: page.encode(), STANDINGS: content}
    if season.has_ended and season.pending is None and not season.is_undecided:
        files[FINAL] = final_document(season, standings).encode()
    return files


def final_document(season: Season, standings: Standings) -> str:
    """Return what a season has decided, as Markdown: who is first, its records, and how to check and cite it.

    A first place is shared by all versions that the games do not tell apart.
    """
    events, terms = season.log.events, season.terms
    first, last = events[0].time[:10], events[-1].time[:10]
    title, versions = in_markdown(terms.title), season.versions
    lines = [
        f"# {title}: final results",
        f"{amount(len(season.played_rounds), 'round')} from {first} to {last}, {amount(len(versions), 'version')} of "
        f"{amount(len({version.author for version in versions}), 'author')}.",
    ]
    for table in standings.tables:
        table, unplayed = _played_part(table)
        winners = [row.version for row in table.rows if row.first_rank == 1]
        names = ", ".join(in_markdown(f"{version.label} ({version.author})") for version in winners)
        name = name_of(table.score.name)
        if len(winners) == 1:
            lines.append(f"By {name}, the first place is that of {names}.")
        elif winners:
            lines.append(f"By {name}, the first place is shared by {names}: the games do not tell them apart.")
        lines.append(markdown_part(score_table(table)))
        if unplayed:
            lines.append(f"Sent and not played: {in_markdown(', '.join(version.label for version in unplayed))}.")
    for event in season.played_rounds:
        if event.decides:
            players = in_markdown(", ".join(event.players.values()))
            n_games = f"{season.run_of(event).info.config.n_games:,}"
            lines.append(
                f"After the closing round, {players} shared the first place, and played the further round of {n_games} "
                "games that the terms had announced. The probability that any rank is wrong is at most "
                f"{100 * (1 - CONFIDENCE):.3g}%, with this round."
            )
    lines.append(markdown_part(record_table(season)))
    if terms.first_prize:
        authors = [version.author for version in season.sharing()]
        how = "for" if len(authors) == 1 else "shared by"
        lines.append(f"First prize: {in_markdown(terms.first_prize)}, {how} {in_markdown(', '.join(authors))}.")
    if terms.prize:
        lines.append(f"Prize for records: {in_markdown(terms.prize)}")
    digest = season.log.last_digest
    lines += [
        f"To check it: `wordpl season verify --digest {digest}`, with wordpl {events[-1].release} for the pages.",
        f"To cite it: {title}. Season of {first} to {last}, {digest}. wordpl {events[-1].release}.",
        f"Its archive, as `wordpl season archive FILE.zip` writes it with any release, has the SHA-256 "
        f"{archive.digest(season)}.",
    ]
    return "\n\n".join(lines) + "\n"


def _played_part(table: ScoreStandings) -> tuple[ScoreStandings, list[Version]]:
    """Return the standings of the versions that have played, and the others."""
    played = [row for row in table.rows if row.n_games]
    return replace(table, rows=played), [row.version for row in table.rows if not row.n_games]


def write(season: Season, standings: Standings) -> None:
    """Write the table of the README and standings.json."""
    for name, content in published(season, standings).items():
        write_atomically(paths.inside(season.folder, name), content)


def unpublished(season: Season, standings: Standings) -> list[str]:
    """Return the names of published files that are not as this release writes them, and of a final document too early.

    Of the README, what lies between the markers is compared.
    """
    expected = published(season, standings)
    early = [FINAL] if FINAL not in expected and (season.folder / FINAL).exists() else []
    differing = (name for name, new in expected.items() if _content(name, season.folder / name) != _content(name, new))
    return [*early, *differing]


def _content(name: str, source: Path | bytes) -> object:
    """Return the content of a published file, or what the README has between the markers.

    Args:
        name: The name of the file.
        source: Its path or its content.
    """
    try:
        content = source if isinstance(source, bytes) else bounded.read(bounded.SEASON_FILE, source)
        tables = BETWEEN.findall(content.decode()) if name == README else [content]
        return tables[0] if len(tables) == 1 or source is content else None
    except (OSError, UserError, UnicodeDecodeError):
        return None


def forecast_table(season: Season, forecasts: Sequence[RankForecast], n_games: int) -> Table:
    """Return what a sample says about entries that were not sent yet.

    Args:
        season: The season.
        forecasts: The forecasts of each entry and score.
        n_games: The number of games of the sample.
    """
    rows = []
    for forecast in forecasts:
        ends = sorted({forecast.first_rank, forecast.last_rank})
        above = "there is none" if forecast.chance is None else f"{100 * forecast.chance:.0f}%"
        needed = "-" if forecast.required is None else f"{forecast.required:.4g}"
        rows.append((
            f"{forecast.entry}@{season.next_number(forecast.entry)}", forecast.author, name_of(forecast.score.name),
            rounded(forecast.value, 3), f"{' to '.join(map(str, ends))} of {forecast.n_ranked}", needed, above,
        ))  # fmt: skip
    heads = ("version", "author", "score", "in the sample", "would rank", "a record needs", "above the record with")
    legend = (
        f"A forecast from a sample of {amount(n_games, 'game')} that counts for nothing: the ranks with 95% "
        "confidence, and the probability that the score is that of a record. A record needs a confirmation."
    )
    text_columns = frozenset(heads) - {"in the sample", "a record needs", "above the record with"}
    return text_table("In the season", heads, rows, text_columns, legend)


@dataclass(frozen=True)
class Nomination:
    """A leader whose estimate would be a record.

    Attributes:
        score: The score.
        row: The leader.
        value: Its estimate; of a version that has changed, that of its newest period.
        needed: What a record needs; None if there is none yet.
    """

    score: SeasonScore
    row: StandingRow
    value: float
    needed: float | None

    @property
    def shown(self) -> str:
        """The estimate, with the digits that its interval justifies."""
        return rounded(self.value, decimals(self.row.low, self.row.high))

    @property
    def sentence(self) -> str:
        """Who is nominated, and why."""
        needed = "there is no record yet" if self.needed is None else f"a record needs {rounded(self.needed, 4)}"
        return (
            f"{self.row.version.label} is nominated for a record of {name_of(self.score.name)}: its estimate is "
            f"{self.shown}, and {needed}."
        )

    @property
    def command(self) -> tuple[str, ...]:
        """The subcommand that confirms the record."""
        return "confirm", self.row.version.label, "--score", self.score.name, "--value", "VALUE"


def nominations(season: Season, standings: Standings) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield, for each leader whose estimate would be a record, a sentence and the subcommand that confirms it."""
    yield from ((one.sentence, one.command) for one in nominees(season, standings))


def nominees(season: Season, standings: Standings) -> Iterator[Nomination]:
    """Yield each leader whose estimate would be a record."""
    for table in standings.tables:
        score = table.score
        limit = required(season.value_to_improve(score.name), season.terms.improvement, score)
        row = next((row for row in table.rows if row.n_games and not (row.changes and isnan(row.newest))), None)
        value = nan if row is None else row.newest if row.changes else row.value
        if row is None or not isfinite(value):
            continue
        if limit is None or (value < limit if score.lower_is_better else value > limit):
            yield Nomination(score, row, value, limit)
