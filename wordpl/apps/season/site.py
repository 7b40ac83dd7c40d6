"""The pages of a season: its standings, records and rounds, and a page for each entry with its versions and curves.

They follow from the season's folder alone: the same bytes on any machine with the same version of wordpl.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from wordpl.apps.season import anytime, report
from wordpl.apps.season.credits import Credits
from wordpl.apps.season.log import Version
from wordpl.apps.season.season import Season
from wordpl.apps.season.standings import Standings
from wordpl.apps.season.story import KEY, MEANINGS, SeasonStory, linked_table, page_of
from wordpl.core import bounded, paths
from wordpl.core.intervals import ROUNDING
from wordpl.core.messages import UserError, amount
from wordpl.reports import elements
from wordpl.reports.elements import Curve, Entry, Line, Text, Value, text_table
from wordpl.reports.html.document import (
    Content,
    PageSection,
    document,
    element,
    fact_list,
    html_curve,
    write_page,
)
from wordpl.reports.html.story import cards, front
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


def pages(season: Season, standings: Standings) -> dict[str, str]:
    """Return the pages of the season by their names: the index, and one page for each entry."""
    games, story = standings.games, SeasonStory(season, standings)
    found = {INDEX: _index(story, games)}
    for name in sorted({version.name for version in season.versions}):
        found[page_of(name)] = _entry_page(story, games, name)
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


def _index(story: SeasonStory, games: Mapping[int, Credits]) -> str:
    season, tables, newest = story.season, story.standings.tables, story.past.newest
    found = [element("p", line, class_="finding") for line in story.findings()]
    lead = [element("p", _summary(season), class_="lead"), found]
    when = f"after round {newest.number}" if newest else "before its first round"
    if season.has_ended and season.pending is None and not season.is_undecided:
        when = "final results"
    first = front(cards(story.cards()), [story.news(), story.next_steps()],
                  [element("h2", "Standings"), _by_score([story.panel(table) for table in tables])],
                  story.record_charts())  # fmt: skip
    leaders = [row.version for row in tables[0].rows if row.n_games][:MAX_CURVES]
    records, rounds = report.record_table(season), report.round_table(season)
    versions = report.version_table(season, season.versions)
    sections = [
        PageSection("standings", "", [first, element("p", KEY, class_="note")], "Standings"),
        PageSection("curves", "Games won within a budget", _curves(story, leaders, games), "Curves"),
        PageSection("records", "Records", linked_table(records, "confirmations, in their order")).folded(),
        PageSection("rounds", "Rounds", linked_table(rounds, "the newest round first")).folded(),
        PageSection("versions", "Versions", linked_table(versions, "the newest version first")).folded(),
        PageSection("terms", "Terms", fact_list(_terms(season))).folded(),
        PageSection("words", "How to read these pages", _words(season)).folded(),
    ]
    return document(season.terms.title, sections, lead=lead, heading=f"{season.terms.title} · {when}")


def _by_score(panels: Sequence[Content]) -> Content:
    return element("div", panels, class_="tabs", data_label="Scores")


def _entry_page(story: SeasonStory, games: Mapping[int, Credits], name: str) -> str:
    season, tables = story.season, story.standings.tables
    own = [version for version in season.versions if version.name == name]
    current = next((row.version for row in tables[0].rows if row.version.name == name), None)
    about = [f"by {own[-1].author}", amount(len(own), "version"), f"ranked: {current.label}" if current else ""]
    back = element("p", element("a", season.terms.title, href=INDEX),
                   [f" · {one}" for one in about if one], class_="lead")  # fmt: skip
    labels = tuple(f"{version.label} " for version in own)
    found = [element("p", line, class_="finding") for line in story.findings() if line.startswith(labels)]
    if current is not None:
        first: Content = front(
            cards([story.own_card(table, current) for table in tables]),
            [story.own_news(current), story.next_steps(current)],
            [element("h2", "Where it stands"), _by_score([story.panel(table, current) for table in tables])],
            [story.own_chart(table, current) for table in tables],
        )
    elif any(version.is_active for version in own):
        first = element("p", "Another entry of its author is ranked.")
    else:
        first = element("p", "All its versions were withdrawn or disqualified.")
    played = [version for version in own if version.index in games][-MAX_CURVES:]
    versions = linked_table(report.version_table(season, own), "the newest version first")
    sections = [
        PageSection("scores", "", first, "Standing"),
        PageSection("curves", "Games won within a budget", _curves(story, played[::-1], games), "Curves"),
        PageSection("games", "Its games", _runs_of(season, own), "Games"),
        PageSection("versions", "Versions", versions, "Versions"),
    ]
    return document(f"{name} · {season.terms.title}", sections, lead=[back, *found], heading=name)


def _runs_of(season: Season, own: Sequence[Version]) -> Content:
    """Return the rounds in which versions played, and how to see their games; None if there are none."""
    labels, rows = {version.label for version in own}, []
    for event in reversed(season.played_rounds):
        if played := [label for label in event.players.values() if label in labels]:
            folder = season.run_of(event).folder.relative_to(season.folder)
            command = Text(f"wordpl report {folder} -o round-{event.number}.html", role="code", max_length=400)
            rows.append((str(event.number), event.time[:10], ", ".join(played), command))
    heads = ("round", "date", "version", "to replay its games, in a copy of the season")
    return linked_table(text_table("", heads, rows, frozenset(heads[1:])), "the newest round first") if rows else None


def _words(season: Season) -> Content:
    """Return the words of the pages."""
    terms = season.terms
    return [
        element("p", report.LEGEND, class_="note"),
        fact_list({
            "sure, open": f"{MEANINGS['sure']} Otherwise the order is open: more rounds are needed.",
            "p05, p50, p95": "the budget within which 5, 50 or 95% of all games are won",
            "P(win)": "the share of all games that are won, whatever the budget",
            "record": "a value that a confirmation has shown on fresh games; the number of its games is fixed before",
            "nominated": f"the estimate of a leader would be a record. A confirmation on {terms.confirmation_games:,} "
                         "fresh games decides, since the best of many estimates is often lucky.",
            "changed": "later rounds of a version contradict its earlier ones, so that it starts anew",
        }),
    ]  # fmt: skip


def _summary(season: Season) -> str:
    """Return the size of the season and its dates on one line."""
    rounds, versions, terms = season.played_rounds, season.versions, season.terms
    authors = amount(len({version.author for version in versions}), "author")
    parts = [terms.game, f"{authors}, {amount(len(versions), 'version')}", f"{terms.games:,} new games a round"]
    parts += [f"played {rounds[-1].time[:10]}"] if rounds else []
    if season.has_ended:
        parts.append("the season has ended")
    elif terms.deadline:
        parts.append(f"open until {terms.deadline}")
    return " · ".join(parts)


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


def _curves(story: SeasonStory, versions: Sequence[Version], games: Mapping[int, Credits]) -> Content:
    """Return the shares of games won within each budget, as a chart and a table; None without versions."""
    if not versions:
        return None
    is_one = len({version.name for version in versions}) == 1
    entries = [Entry(version.label, number=place) if is_one else story.entry(version)
               for place, version in enumerate(versions)]  # fmt: skip
    lines = [curve_of(entry, games[version.index]) for entry, version in zip(entries, versions, strict=True)]
    most = max(line.x[-1] for line in lines) or 1.0  # nothing was spent where all games failed at once
    budgets = [float(f"{most * (place + 1) / TABLE_BUDGETS:.3g}") for place in range(TABLE_BUDGETS)]
    rows: list[list[Value]] = [
        [line.entry, *(elements.number(_at(line, budget), percent=True) for budget in budgets)] for line in lines
    ]
    heads = ("version", *(f"{budget:g}" for budget in budgets))
    table = text_table(f"P(win) within each {story.unit}", heads, rows, frozenset({"version"}))
    game = story.season.terms.game
    name = story.unit.capitalize()
    return html_curve(
        Curve("P(win)", story.unit, "P(win)", most, lines, table, CURVE_LEGEND, game, x_name=name, start=most / 2)
    )


def _at(line: Line, budget: float) -> float:
    """Return the value of a step function."""
    place = int(np.searchsorted(np.asarray(line.x) * (1 - ROUNDING), budget, side="right"))
    return line.y[place - 1] if place else 0.0
