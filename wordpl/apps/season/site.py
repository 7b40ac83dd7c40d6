"""The pages of a season: its standings, records and rounds, and a page for each entry with its versions and curves.

They follow from the season's folder alone: the same bytes on any machine with the same version of wordpl.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain, pairwise
from math import inf
from pathlib import Path

import numpy as np

from wordpl import games as games_module
from wordpl.apps.season import anytime, report
from wordpl.apps.season import standings as computing
from wordpl.apps.season.credits import Credits
from wordpl.apps.season.log import (
    Banned,
    Bridged,
    Confirmation,
    Disqualified,
    Round,
    RunPlayed,
    SeasonOpened,
    Submitted,
    Version,
    Voided,
    Withdrawn,
)
from wordpl.apps.season.season import Season
from wordpl.apps.season.standings import StandingRow, Standings
from wordpl.core import bounded, paths
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import UserError, amount
from wordpl.reports.elements import Curve, Entry, Line, Table, Text, Value, number, text_table
from wordpl.reports.html.document import (
    Content,
    Markup,
    PageSection,
    coordinate,
    document,
    element,
    entry_name,
    fact_list,
    html_table,
    step_chart,
    write_page,
)
from wordpl.stats.scores.score import CONFIDENCE

FOLDER = "docs"
"""The folder of the pages in the season's folder, which git hosts can serve."""
INDEX = "index.html"
MAX_CURVES = 8
MAX_STEPS = 80
"""The number of budgets at which a curve steps; there are fewer where an entry spends few different sums."""
TABLE_BUDGETS = 6
CURVE_LEGEND = (
    "The probability of winning within a budget, from all rounds under the present terms; of a version that has "
    "changed, those of its newest period. The band has 95% confidence for each budget by "
    "itself, after any number of rounds."
)
CHART, MARGIN = (1080, 260), (70, 230, 16, 34)
"""The size of the chart of records, and its margins: left, right, top and bottom."""


def page_of(name: str) -> str:
    """Return the name of the page of an entry."""
    return f"entry-{name}.html"


def pages(season: Season, standings: Standings) -> dict[str, str]:
    """Return the pages of the season by their names: the index, and one page for each entry."""
    games = standings.games
    found = {INDEX: _index(season, standings, games)}
    for name in sorted({version.name for version in season.versions}):
        found[page_of(name)] = _entry_page(season, standings, games, name)
    return found


def write(season: Season, standings: Standings, out: Path) -> list[Path]:
    """Write the pages of the season into a folder, and return their paths, the index first.

    Raises:
        UserError: The folder cannot be written.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"cannot create the folder {out}: {error.strerror}.") from None
    written = []
    for name, page in pages(season, standings).items():
        written.append(paths.inside(out, name))
        write_page(written[-1], page)
    return written


def publish(season: Season) -> Standings:
    """Write the table of the README, standings.json, and the pages if the season has some; return the standings."""
    standings = season.standings()
    report.write(season, standings)
    if (season.folder / FOLDER / INDEX).exists():
        write(season, standings, season.folder / FOLDER)
    return standings


def unpublished(season: Season, folder: Path | None = None) -> list[str]:
    """Return the names of published files and pages that do not follow from the records.

    Args:
        season: The season.
        folder: The folder of its pages; None: the folder docs, if it has pages.
    """
    standings = season.standings()
    found = report.unpublished(season, standings)
    own = season.folder / FOLDER
    if folder is not None or (own / INDEX).exists():
        found += differing(season, standings, folder or own)
    return found


def differing(season: Season, standings: Standings, folder: Path) -> Iterator[str]:
    """Yield the names of pages in a folder that are missing or do not follow from the season."""
    for name, page in pages(season, standings).items():
        try:
            content = bounded.read(bounded.SEASON_FILE, folder / name)
        except (OSError, UserError):
            content = b""
        if content != page.encode():
            yield f"{folder.name}/{name}"


def _index(season: Season, standings: Standings, games: Mapping[int, Credits]) -> str:
    tables = [
        PageSection(f"standings-{number}", f"Standings by {report.name_of(table.score.name)}",
                    _table(report.score_table(table), "the first ranks are the best"),
                    f"by {report.name_of(table.score.name)}")
        for number, table in enumerate(standings.tables)
    ]  # fmt: skip
    leaders = [row.version for row in standings.tables[0].rows if row.n_games][:MAX_CURVES]
    lead = [element("p", _summary(season)), *(element("p", line, class_="finding") for line in _open(season))]
    named = (sentence for _, sentence in season.named())
    lead += [element("p", sentence, class_="finding") for sentence in chain(named, report.changes(standings))]
    lead += [element("p", sentence) for sentence, _ in report.nominations(season, standings)]
    records = [_records_chart(season), _table(report.record_table(season), "confirmations, in their order")]
    sections = [
        *tables,
        PageSection("curves", "Curves of the leaders", _chart(leaders, games, season), "Curves"),
        PageSection("newest", "What the newest round changed", _newest(season, standings), "Newest round"),
        PageSection("records", "Records", records, "Records"),
        PageSection("rounds", "Rounds", _table(report.round_table(season), "the newest round first"), "Rounds"),
        PageSection("versions", "Versions",
                    _table(report.version_table(season, season.versions), "the newest version first"), "Versions"),
        PageSection("terms", "Terms", fact_list(_terms(season)), "Terms"),
    ]  # fmt: skip
    return document(season.terms.title, sections, lead=lead)


def _entry_page(season: Season, standings: Standings, games: Mapping[int, Credits], name: str) -> str:
    own = [version for version in season.versions if version.name == name]
    current = {row.version.index: row for row in standings.tables[0].rows}
    ranked = [version for version in own if version.index in current]
    back = element("p", element("a", season.terms.title, href=INDEX))
    author = element("p", f"Author: {own[-1].author}. {amount(len(own), 'version')}.")
    played = [version for version in own if version.index in games][-MAX_CURVES:]
    heads = ("version", "score", "rank", "value", "95% interval", "games")
    rows = [
        (row.version.label, report.name_of(table.score.name), report.ranks(row), *row.shown, f"{row.n_games:,}")
        for table in standings.tables
        for row in table.rows
        if row.version in ranked
    ]
    is_active = any(version.is_active for version in own)
    no_rank = "Another entry of its author is ranked." if is_active else (
        "All its versions were withdrawn or disqualified.")  # fmt: skip
    scores = text_table("Scores of the current version", heads, rows, frozenset(heads) - {"value", "games"},
                        report.LEGEND)  # fmt: skip
    sections = [
        PageSection(
            "scores",
            "Scores of the current version",
            _table(scores, "from all rounds under the present terms") if rows else element("p", no_rank),
            "Scores",
        ),
        PageSection("curves", "Curves of its versions", _chart(played[::-1], games, season), "Curves"),
        PageSection(
            "versions", "Versions", _table(report.version_table(season, own), "the newest version first"), "Versions"
        ),
    ]
    labels = tuple(f"{version.label} " for version in own)
    found = [element("p", line, class_="finding") for line in report.changes(standings) if line.startswith(labels)]
    return document(f"{name} · {season.terms.title}", sections, lead=[back, author, *found], heading=name)


def _table(table: Table, caption: str) -> Markup:
    """Return a table whose versions lead to the pages of their entries, and whose intervals are not broken."""
    rows = [[_cell(value, column.head) for value, column in zip(row, table.columns, strict=True)] for row in table.rows]
    return html_table(replace(table, title=caption, rows=rows))


def _cell(value: Value, head: str) -> Value:
    if not isinstance(value, str):
        return value
    if head in ("strategy", "version") and "@" in value:
        return Text(value, link=page_of(value.rpartition("@")[0]))
    return Text(value, role="whole") if head in ("since", "date", "95% interval") else value


def _summary(season: Season) -> str:
    rounds, versions = season.played_rounds, season.versions
    authors = amount(len({version.author for version in versions}), "author")
    parts = [f"{amount(len(versions), 'version')} of {authors}, {amount(len(rounds), 'round')}"]
    if rounds:
        parts.append(f"the newest round was played on {rounds[-1].time[:10]}")
    if season.has_ended:
        parts.append("the season has ended")
    elif season.terms.deadline:
        parts.append(f"open until {season.terms.deadline}")
    return "; ".join(parts) + "."


def _open(season: Season) -> Iterator[str]:
    """Yield a sentence about the run that is announced and not played to its end yet."""
    if season.pending is not None:
        kind = "Round" if isinstance(season.pending, Round) else "Confirmation"
        waits = " and waits for its beacon" if season.is_waiting else ""
        yield f"{kind} {season.pending.number} was announced on {season.pending.time[:10]}{waits}."


def _terms(season: Season) -> dict[str, str]:
    terms = season.terms
    facts = {
        "game": terms.game,
        "games of a version in a round": f"{terms.games:,}",
        "versions in a round": f"at most {terms.players}",
        "CPU time of a game": f"{terms.timeout_s:g} s",
        "memory": f"{terms.memory_mb} MiB",
        "a record improves the one before by": f"{terms.improvement:.1%} at least",
        "confirmations": f"at most {terms.confirmations}, of {terms.confirmation_games:,} games each",
    }
    if terms.deadline:
        facts["deadline"] = str(terms.deadline)
    if terms.prize:
        facts["prize"] = terms.prize
    return facts | {"digest of the season": season.log.last_digest}


def curve_of(entry: Entry, games: Credits) -> Line:
    """Return P(win) within each budget, with bounds of confidence that hold after any number of rounds.

    Args:
        entry: The entry.
        games: Its games.
    """
    budgets = np.unique(games.spent)
    if len(budgets) > MAX_STEPS:
        budgets = np.unique(np.quantile(games.spent, np.linspace(0, 1, MAX_STEPS + 1)[1:], method="inverted_cdf"))
    order = np.argsort(games.spent, kind="stable")
    ends = np.searchsorted(games.spent[order], budgets, side="right")
    credit = games.credit[order]
    powers = [np.full(len(ends), float(len(credit)))]
    powers += [np.concatenate([[0.0], np.cumsum(credit**p)])[ends] for p in range(1, anytime.N_POWERS)]
    sums = np.stack(powers, axis=-1)
    low, high = anytime.intervals(sums, (0.0, 1.0), np.full(len(ends), 1 - CONFIDENCE))
    shares = sums[:, 1] / len(credit)
    return Line(entry, budgets.tolist(), shares.tolist(), np.maximum.accumulate(low).tolist(), high.tolist())


def _chart(versions: Sequence[Version], games: Mapping[int, Credits], season: Season) -> Content:
    """Return the curves of versions, and their values as a table; nothing if none has played."""
    lines = [curve_of(Entry(version.label, number=place), games[version.index])
             for place, version in enumerate(versions)]  # fmt: skip
    if not lines:
        return element("p", "No version has played yet.")
    most = max(line.x[-1] for line in lines) or 1.0  # nothing was spent where all games failed at once
    budgets = [float(f"{most * (place + 1) / TABLE_BUDGETS:.3g}") for place in range(TABLE_BUDGETS)]
    label = "budget" if games_module.game_class(season.terms.game).facts.has_epsilon else "guesses"
    rows: list[list[Value]] = [
        [line.entry, *(number(_at(line, budget), percent=True) for budget in budgets)] for line in lines
    ]
    heads = ("version", *(f"{budget:g}" for budget in budgets))
    table = text_table(f"P(win) within each {label}", heads, rows, frozenset({"version"}))
    curve = Curve("P(win)", label, "P(win)", most, lines, table)
    legend = element("ul", [element("li", entry_name(line.entry)) for line in lines], class_="legend")
    numbers = element("details", element("summary", "The numbers of this chart"), html_table(table))
    return [element("figure", step_chart(curve), legend), element("p", CURVE_LEGEND, class_="note"), numbers]


def _at(line: Line, budget: float) -> float:
    """Return the value of a step function."""
    place = int(np.searchsorted(line.x, budget * (1 + ROUNDING), side="right"))
    return line.y[place - 1] if place else 0.0


def _newest(season: Season, standings: Standings) -> Content:
    """Return what the games of the newest round changed, and what happened since the round before."""
    rounds = season.played_rounds
    if not rounds:
        return element("p", "No round was played yet.")
    newest = rounds[-1]
    before = computing.compute(season.versions, season.ranked, standings.rounds[:-1], season.scores)
    heads = ("strategy", "score", "rank before", "rank now", "value before", "value now", "games")
    rows: list[Sequence[Value]] = []
    for old_table, table in zip(before.tables, standings.tables, strict=True):
        old_rows = {row.version.index: row for row in old_table.rows}
        for row in table.rows:
            old = old_rows[row.version.index]
            if _changed(old, row):
                rows.append((row.version.label, report.name_of(table.score.name),
                             report.ranks(old), report.ranks(row), old.shown[0], row.shown[0],
                             f"+{row.n_games - old.n_games:,}"))  # fmt: skip
    changes = text_table(f"Round {newest.number} of {newest.time[:10]}", heads, rows,
                         frozenset({"strategy", "score", "rank before", "rank now"}))  # fmt: skip
    sentences = list(_since(season, newest))
    return [
        element("p", f"Round {newest.number} of {newest.time[:10]}, {amount(len(newest.players), 'player')}: "
                     + ", ".join(newest.players.values()) + "."),
        element("ul", [element("li", sentence) for sentence in sentences]) if sentences else None,
        _table(changes, "ranks that are different") if rows else element("p", "No rank has changed."),
    ]  # fmt: skip


def _changed(old: StandingRow, new: StandingRow) -> bool:
    return (old.first_rank, old.last_rank, old.n_games > 0) != (new.first_rank, new.last_rank, new.n_games > 0)


def _since(season: Season, newest: Round) -> Iterator[str]:
    """Yield a sentence for each version that came, went or failed between the round before and the newest one."""
    since: list[str] = []
    for event in season.log.events:
        match event:
            case Round() if event is newest:
                break
            case Round():
                since = []
            case Submitted():
                since.append(f"{event.version} was sent.")
            case Withdrawn():
                since.append(f"{event.version} was withdrawn.")
            case Disqualified():
                since.append(f"{event.version} was disqualified: {event.reason}")
            case Bridged():
                kept = ", ".join(label for label in event.games if event.keeps(label)) or "no version"
                since.append(f"Recorded games were replayed under new conditions; {kept} played as before.")
            case Banned():
                since.append(f"{event.author} was banned: {event.reason}")
            case Voided():
                since.append(f"{event.run} is void: {event.reason}")
            case SeasonOpened() if changes := season.changed_terms(event):
                since.append(f"The terms changed from round {event.round} on: {changes}.")
            case RunPlayed(is_shown=shown) if shown is not None:
                claims = (one for one in season.log.events if isinstance(one, Confirmation))
                confirmed = next(one for one in claims if one.run == event.run)
                verdict = "is confirmed" if shown else "was not shown"
                score = report.name_of(confirmed.score)
                since.append(f"A record of {confirmed.version} by {score}, {confirmed.value:.6g}, {verdict}.")
    yield from since
    for label, fault in newest.faults.items():
        yield f"{label} could not be loaded: {fault}"


def _records_chart(season: Season) -> Content:
    """Return a chart of the records of each score over time; nothing if there is none."""
    records = season.records
    if not records:
        return None
    first, last = (date.fromisoformat(event.time[:10]) for event in (season.log.events[0], season.log.events[-1]))
    span = max(1, (last - first).days)
    charts: list[Content] = []
    for place, (score, held) in enumerate(records.items()):
        points = [((date.fromisoformat(record.since) - first).days / span, record.value) for record in held]
        start = [] if held[0].before is None else [(0.0, held[0].before)]
        labels = [f"{record.value:.6g} {record.version.label}" for record in held]
        charts.append(element("h3", f"Records of {report.name_of(score)} over time"))
        charts.append(_record_steps([*start, *points], labels, place, (str(first), str(last))))
    return charts


def _record_steps(
    points: Sequence[tuple[float, float]], labels: Sequence[str], place: int, ends: tuple[str, str]
) -> Markup:
    """Return a step function of time with the names of those who held the record."""
    (width, height), (left, right, top, bottom) = CHART, MARGIN
    values = [value for _, value in points]
    low, high = min(values, default=inf), max(values, default=-inf)
    room = (high - low) or abs(high) or 1.0
    low, high = low - 0.1 * room, high + 0.1 * room

    def x(share: float) -> float:
        return left + share * (width - left - right)

    def y(value: float) -> float:
        return top + (high - value) / (high - low) * (height - top - bottom)

    corners = [f"{coordinate(x(points[0][0]))},{coordinate(y(points[0][1]))}"]
    for (_, before), (share, value) in pairwise(points):
        corners += [f"{coordinate(x(share))},{coordinate(y(before))}", f"{coordinate(x(share))},{coordinate(y(value))}"]
    corners.append(f"{coordinate(x(1.0))},{coordinate(y(values[-1]))}")
    named = points[len(points) - len(labels) :]
    marks = [
        element("g", element("title", label), element("circle", cx=coordinate(x(share)), cy=coordinate(y(value)), r=4))
        for (share, value), label in zip(named, labels, strict=True)
    ]
    ticks = [
        [element("line", x1=left, x2=width - right, y1=coordinate(y(value)), y2=coordinate(y(value)), class_="grid"),
         element("text", f"{value:.4g}", x=left - 8, y=coordinate(y(value) + 4), class_="tick end")]
        for value in dict.fromkeys([max(values), min(values)])
    ]  # fmt: skip
    dates = [element("text", text, x=coordinate(x(share)), y=height - 10, class_="tick middle")
             for share, text in ((0.0, ends[0]), (1.0, ends[1]))]  # fmt: skip
    label = element("text", labels[-1], x=coordinate(x(1.0) + 12), y=coordinate(y(values[-1]) + 4))
    line = element("g", element("polyline", points=Markup(" ".join(corners))), marks, class_=f"line e{place % 8}")
    picture = element("svg", *ticks, line, *dates, element("g", label, class_=f"label e{place % 8}"),
                      viewBox=f"0 0 {width} {height}", class_="chart", role="img",
                      aria_label="Records over time; see the table below for the numbers")  # fmt: skip
    return element("div", picture, class_="scroll", tabindex=0, role="group", aria_label="Chart of records over time")
