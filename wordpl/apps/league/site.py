"""The pages of a league: standings, players, days, records, head-to-head results, and each week and month.

The pages contain names, results and ratings, no texts of messages. Players who chose to be hidden are left out.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from wordpl.apps.league import pictures, statistics
from wordpl.apps.league import report as tables
from wordpl.apps.league.posts import UNSOLVED, Person
from wordpl.apps.league.report import ranking_table
from wordpl.apps.league.resolve import ResolvedLeague
from wordpl.apps.league.settings import LeaderboardSettings
from wordpl.apps.league.statistics import player_stats, streaks
from wordpl.core import paths
from wordpl.core.files import draft_of, sync_folder, write_atomically
from wordpl.core.messages import UserError, amount
from wordpl.core.puzzles import day_of
from wordpl.reports.elements import Table, Text, text_table
from wordpl.reports.html.document import Content, Markup, PageSection, document, element, html_table, text
from wordpl.stats import rankings
from wordpl.stats.rankings import Ranking

PAGES = {"Standings": "index", "Days": "days", "Weeks and months": "seasons", "Records": "records",
         "Head to head": "head-to-head"}  # fmt: skip
MANIFEST = "wordpl-site.txt"
"""The list of the site's files, so that those of people who left are removed."""
N_RECORDS = 10
PICTURES = {"curves": "Ratings after each day", "distribution": "Distribution of guesses", "mean": "Running mean"}


@dataclass(frozen=True)
class LeagueSite:
    """The pages of a league.

    Attributes:
        name: The name of the league.
        league: Its results, without the players who chose to be hidden.
    """

    name: str
    league: ResolvedLeague

    @classmethod
    def of(cls, name: str, league: ResolvedLeague, hidden: Collection[Person] = ()) -> "LeagueSite":
        """Return the site of a league without these players.

        Raises:
            UserError: There are no results to show.
        """
        shown = {label for label, person in league.ids.items() if person not in hidden}
        results = league.results[league.results["player"].isin(shown)].reset_index(drop=True)
        unfinished = league.unfinished[league.unfinished["player"].isin(shown)]
        if results.empty:
            raise UserError("the league has no results to show.")
        return cls(name, replace(league, results=results, unfinished=unfinished))

    def files(self) -> Iterator[tuple[str, Callable[[], bytes]]]:
        """Yield the path of each file, and a function that makes its content."""
        results = self.league.results
        yield "index.html", self._standings
        if self._has_curves:
            yield "curves.svg", self._curves
        yield "days.html", self._days
        for day in self._numbers():
            yield f"days/{day}.html", partial(self._day, day)
        for player, slug in self._slugs().items():
            yield f"players/{slug}.html", partial(self._player, player)
            yield f"players/{slug}-distribution.svg", partial(pictures.distribution, results, player, "svg")
            yield f"players/{slug}-mean.svg", partial(pictures.running_means, results, [player], "svg")
        yield "records.html", lambda: self._page("Records", [*self._records()])
        yield "head-to-head.html", lambda: self._page("Head to head", [html_table(self._head_to_head())])
        for name in self._seasons():
            yield f"seasons/{name}.html", partial(self._season, name)
        yield "seasons.html", lambda: self._page("Weeks and months", [self._links("seasons", self._seasons())])

    def _numbers(self) -> list[int]:
        return sorted({int(day) for day in self.league.results["day"]}, reverse=True)

    def _slugs(self) -> dict[str, str]:
        return {player: f"{place}" for place, player in enumerate(sorted(set(self.league.results["player"])), 1)}

    def _seasons(self) -> list[str]:
        days = [day_of(number) for number in self._numbers()]
        weeks = {f"{day.isocalendar()[0]}-W{day.isocalendar()[1]:02}" for day in days}
        return sorted({f"{day:%Y-%m}" for day in days}, reverse=True) + sorted(weeks, reverse=True)

    def _ranking(self, game_cutoff: int) -> Ranking:
        return LeaderboardSettings(game_cutoff=game_cutoff, **self.league.board_options).ranking()

    def _board(self, results: pd.DataFrame, game_cutoff: int) -> Content:
        ranking = self._ranking(game_cutoff)
        table = ranking(results)
        if table.empty:
            return element("p", f"Nobody has {amount(game_cutoff, 'game')} yet.")
        return html_table(ranking_table(table, ranking))

    def _standings(self) -> bytes:
        board = self._board(self.league.results, LeaderboardSettings().game_cutoff)
        players = element("ul", [
            element("li", element("a", player, href=f"players/{slug}.html")) for player, slug in self._slugs().items()
        ])  # fmt: skip
        picture = _picture("curves.svg", "curves") if self._has_curves else None
        return self._page("Standings", [board, picture, element("h2", "Players"), players])

    @property
    def _has_curves(self) -> bool:
        return not self._ranking(LeaderboardSettings().game_cutoff)(self.league.results).empty

    def _curves(self) -> bytes:
        """Return the picture of the table of standings: the same players in the same order."""
        results, ranking = self.league.results, self._ranking(LeaderboardSettings().game_cutoff)
        return pictures.rating_curves(rankings.curves(results, ranking), ranking(results), ranking, "svg")

    def _days(self) -> bytes:
        days = self.league.results.groupby("day")["guesses"]
        best, n_players = days.min().to_dict(), days.size().to_dict()
        rows = [
            (
                Text(f"{day:,}", link=f"days/{day}.html"),
                str(day_of(day)),
                tables.guesses_text(best[day]),
                f"{n_players[day]}",
            )
            for day in self._numbers()
        ]
        heads = ("puzzle", "day", "best", "players")
        return self._page("Days", [html_table(text_table("All days", heads, rows, frozenset({"puzzle", "day"})))])

    def _day(self, day: int) -> bytes:
        table = tables.day_table(day, statistics.day_results(self.league.results, day), self.league.options.x_is_seven)
        return self._page(table.title, [html_table(table)], depth=1)

    def _player(self, player: str) -> bytes:
        league, slug = self.league, self._slugs()[player]
        x_is_seven = league.options.x_is_seven
        stats = player_stats(league.results, player, unfinished=league.unfinished, x_is_seven=x_is_seven)
        parts: list[Content] = [html_table(table) for table in tables.personal_tables(stats)]
        parts += [_picture(f"{slug}-distribution.svg", "distribution"), _picture(f"{slug}-mean.svg", "mean")]
        return self._page(player, parts, depth=1)

    def _records(self) -> Iterator[Content]:
        results = self.league.results
        yield html_table(tables.crowns_table(statistics.crowns(results)))
        longest = sorted(((streaks(results, player).solved, player) for player in self._slugs()), reverse=True)
        rows = [(player, amount(days, "day")) for days, player in longest[:N_RECORDS]]
        yield html_table(
            text_table("Longest streaks of solved puzzles", ("player", "length"), rows, frozenset({"player"}))
        )
        counted = results[results["guesses"] < UNSOLVED].sort_values(["guesses", "day"]).head(N_RECORDS)
        few = [(player, f"{guesses}", f"{day:,} ({day_of(day)})") for player, day, guesses in
               counted[["player", "day", "guesses"]].itertuples(index=False)]  # fmt: skip
        yield html_table(
            text_table("Fewest guesses", ("player", "needed", "puzzle"), few, frozenset({"player", "puzzle"}))
        )
        means = results.groupby("day")["guesses"].agg(["mean", "size"])
        means = means[means["size"] > 1].sort_values("mean")
        for title, part in (("Easiest days", means), ("Hardest days", means[::-1])):
            days = zip(part.index[:N_RECORDS], part["mean"], part["size"], strict=False)
            cells = [(f"{day:,} ({day_of(int(day))})", f"{mean:.2f}", f"{n}") for day, mean, n in days]
            yield html_table(text_table(title, ("puzzle", "mean", "players"), cells, frozenset({"puzzle"})))

    def _head_to_head(self) -> Table:
        """Return the days that each player won, tied and lost against each other one."""
        sheet = self.league.counted.pivot_table(index="day", columns="player", values="guesses", aggfunc="first")
        players = list(sheet.columns)
        rows = []
        for player in players:
            own, others = sheet[[player]].to_numpy(), sheet.to_numpy()
            counts = [(own < others).sum(axis=0), (own == others).sum(axis=0), (own > others).sum(axis=0)]
            cells = zip(players, *counts, strict=True)
            rows.append((player, *("–" if other == player else f"{w}–{t}–{n}" for other, w, t, n in cells)))
        legend = "Days won, tied and lost by the player of the row against the player of the column."
        return text_table("Head to head", ("player", *players), rows, frozenset({"player"}), legend)

    def _season(self, name: str) -> bytes:
        results = statistics.parse_season(name).results(self.league.results)
        crowns = html_table(tables.crowns_table(statistics.crowns(results)))
        return self._page(f"Season {name}", [self._board(results, 1), crowns], depth=1)

    def _links(self, folder: str, names: Sequence[str]) -> Markup:
        return element("ul", [element("li", element("a", name, href=f"{folder}/{name}.html")) for name in names])

    def _page(self, title: str, parts: Sequence[Content], depth: int = 0) -> bytes:
        """Return a page with the navigation; `depth` is the number of folders above it."""
        links = {name: f"{'../' * depth}{page}.html" for name, page in PAGES.items()}
        title = f"{self.name} · {title}"
        return document(title, [PageSection("content-of-page", "", parts)], others=links, is_plain=True).encode()


def _picture(path: str, kind: str) -> Markup:
    return Markup(f'<p><img src="{text(path)}" alt="{text(PICTURES[kind])}"></p>')


def write_site(site: LeagueSite, folder: Path) -> int:
    """Write the pages into a folder and remove those of an earlier site; return the number of files.

    Raises:
        UserError: The folder contains other files, or cannot be written.
    """
    manifest = folder / MANIFEST
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not manifest.exists() and any(path != draft_of(manifest) for path in folder.iterdir()):
            raise UserError(f"{folder} contains other files: give a new or empty folder.")
        old = set(manifest.read_text(encoding="utf-8").splitlines()) if manifest.exists() else set()
        pages = dict(site.files())
        new = set(pages)
        write_atomically(manifest, "\n".join(sorted(old | new)).encode())  # first: what a power cut leaves is known
        for path, make in pages.items():
            page = paths.inside(folder, path)
            page.parent.mkdir(exist_ok=True)
            write_atomically(page, make())
        removed = [paths.inside(folder, path) for path in old - new]
        for page in removed:
            page.unlink(missing_ok=True)
        for parent in {page.parent for page in removed if page.parent.is_dir()}:
            sync_folder(parent)  # the manifest, which names them no more, must not be on disk first
        write_atomically(manifest, "\n".join(sorted(new)).encode())
    except OSError as error:
        raise UserError(f"cannot write {folder}: {error.strerror}.") from None
    return len(new)
