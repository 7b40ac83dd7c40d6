"""Decides which reported results count: one for each player and puzzle, however often it was reported.

Also finds the time zone that explains the days of a league.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from wordpl.apps.league.player_names import NameResolver
from wordpl.apps.league.posts import NO_NUMBER, TOO_LATE, UNFINISHED, UNSOLVED, DayFrom, Person
from wordpl.core.messages import UserError, amount, did_you_mean
from wordpl.core.puzzles import DAY_MS, GRACE_MS, local_ms, number_at_ms, numbers_summarized_at

CANDIDATES = (
    *("Europe/London", "Europe/Berlin", "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    *("Australia/Sydney", "Pacific/Auckland", "Asia/Kolkata", "Asia/Tokyo", "Asia/Shanghai", "America/Sao_Paulo"),
    *("UTC", "Pacific/Pago_Pago", "Pacific/Honolulu", "America/Anchorage", "America/Adak", "Pacific/Marquesas"),
    *("Pacific/Gambier", "America/Phoenix", "America/Mexico_City", "America/Bogota", "America/Havana"),
    *("America/Halifax", "America/Caracas", "America/Santiago", "America/Asuncion", "America/St_Johns"),
    *("America/Miquelon", "America/Nuuk", "America/Noronha", "Atlantic/Azores", "Atlantic/Cape_Verde"),
    *("Africa/Lagos", "Europe/Athens", "Africa/Johannesburg", "Africa/Cairo", "Asia/Jerusalem", "Asia/Beirut"),
    *("Europe/Chisinau", "Europe/Moscow", "Asia/Riyadh", "Asia/Tehran", "Asia/Dubai", "Asia/Kabul", "Asia/Karachi"),
    *("Asia/Kathmandu", "Asia/Dhaka", "Asia/Yangon", "Asia/Bangkok", "Australia/Perth", "Australia/Adelaide"),
    *("Australia/Darwin", "Australia/Brisbane", "Australia/Lord_Howe", "Pacific/Noumea", "Pacific/Norfolk"),
    *("Pacific/Fiji", "Pacific/Tongatapu", "Pacific/Apia", "Pacific/Kiritimati", "Pacific/Chatham", "Asia/Kamchatka"),
    *("Pacific/Easter", "Australia/Eucla"),
)
"""One time zone for each set of rules, those of most players first."""
AFTER_MIDNIGHT_MS = 45 * 60 * 1000
"""The app posts its summary within this time after midnight."""
UNCERTAIN_UTC_MS = (9.75 * DAY_MS / 24, 12.25 * DAY_MS / 24)
"""Summaries that arrive between these times of the UTC day may report either of two days if the zone is unknown."""
MIN_SHARE_BETWEEN = 0.25
"""How many of the summaries must arrive between these times for the days to be uncertain."""
SHIFTS = (-1, 0, 1)
"""By how many days a time zone may move a summary."""
MAX_NUMBER = 1 << 20
MIN_CONTRADICTIONS = 2
MAX_NAMED = 5


class ZoneAdvice(NamedTuple):
    """What is known about the time zone of a league.

    Attributes:
        zone: The zone that explains the summaries and the shares best; "" without summaries that have no number.
        is_uncertain: Whether the days of summaries may be wrong with the zone that the league has.
        contradictions: (number of the player, puzzle) of the numbered shares that contradict summaries, but not in
            `zone`.
    """

    zone: str
    is_uncertain: bool
    contradictions: tuple[tuple[int, int], ...]

    def text(self, current: str, players: Mapping[int, str]) -> str:
        """Return what to tell the organiser, "" if there is nothing to tell.

        Args:
            current: The league's time zone, "" if it has none.
            players: The names of the players.
        """
        if not self.is_uncertain:
            return ""
        choose = f"choose it with `wordpl league settings --zone {self.zone}` or `/settings zone:{self.zone}`"
        has = f"the time zone {current}" if current else "no time zone yet"
        if not self.contradictions:
            return (
                f"This league has {has}, and its summaries arrive when the day is not the same everywhere: they may "
                f"count for the wrong day. If {self.zone} is right, {choose}."
            )
        by_player: dict[str, list[str]] = {}
        for player, number in self.contradictions:
            by_player.setdefault(players[player], []).append(f"{number:,}")
        named = "; ".join(
            f"{player} {', '.join(numbers[:MAX_NAMED])}{' …' if len(numbers) > MAX_NAMED else ''}"
            for player, numbers in list(by_player.items())[:MAX_NAMED]
        )
        more = "; …" if len(by_player) > MAX_NAMED else ""
        return (
            f"{amount(len(self.contradictions), 'share')} with the number of the puzzle "
            f"{'contradicts' if len(self.contradictions) == 1 else 'contradict'} the days of the summaries "
            f"({named}{more}). The time zone {self.zone} would explain this, and the league has {has}: {choose}."
        )


def advise(summaries: pd.DataFrame, shares: pd.DataFrame, zone: str) -> ZoneAdvice:
    """Return what the times of summaries and the numbers of shares say about a league's time zone.

    Args:
        summaries: The results in summaries without a number, with columns posted (milliseconds since 1970, UTC),
            player (a number) and guesses.
        shares: The results in numbered shares, with columns player, number and guesses.
        zone: The league's time zone, "" if it has none.
    """
    if summaries.empty:
        return ZoneAdvice("", False, ())
    posted, place = np.unique(summaries["posted"].to_numpy(), return_inverse=True)
    middle = numbers_summarized_at(posted, "")
    verdicts = _verdicts(summaries, shares, middle[place])
    scores = np.zeros((len(posted), len(SHIFTS)), int)
    np.add.at(scores, place, verdicts)

    def shift(name: str) -> np.ndarray:
        return np.asarray(numbers_summarized_at(posted, name) - middle + 1)

    def cost(name: str) -> tuple[int, float]:
        after = (local_ms(posted, name) + DAY_MS // 2) % DAY_MS - DAY_MS // 2
        distance = np.where(after >= 0, after // AFTER_MIDNIGHT_MS, 1 - after // AFTER_MIDNIGHT_MS)
        return -int(scores[np.arange(len(posted)), shift(name)].sum()), float(distance.mean())

    best = min(CANDIDATES, key=cost)
    own, other = shift(zone)[place], shift(best)[place]
    rows = np.arange(len(summaries))
    explained = (verdicts[rows, own] < 0) & (verdicts[rows, other] >= 0)
    named = summaries[explained].assign(number=(middle[place] + own - 1)[explained])
    contradictions = tuple(sorted(set(zip(named["player"].tolist(), named["number"].tolist(), strict=True))))
    is_systematic = len(contradictions) >= MIN_CONTRADICTIONS and cost(best)[0] < cost(zone)[0]
    time_of_day = posted % DAY_MS
    is_between = (time_of_day >= UNCERTAIN_UTC_MS[0]) & (time_of_day < UNCERTAIN_UTC_MS[1])
    is_uncertain = is_systematic or (not zone and bool(is_between.mean() > MIN_SHARE_BETWEEN))
    return ZoneAdvice(best, is_uncertain, contradictions if is_systematic else ())


def _verdicts(summaries: pd.DataFrame, shares: pd.DataFrame, middle: np.ndarray) -> np.ndarray:
    """Return for each result in a summary, and each of SHIFTS of its number, what the player's share says.

    Returns:
        1 if it says the same, -1 if it says otherwise, 0 if there is no share, int[n, 3].
    """
    keys = shares["player"].to_numpy(np.int64) * MAX_NUMBER + shares["number"].to_numpy()
    order = np.argsort(keys)
    keys, guesses = keys[order], shares["guesses"].to_numpy()[order]
    found = np.zeros((len(summaries), len(SHIFTS)), int)
    if not len(keys):
        return found
    for column, by in enumerate(SHIFTS):
        wanted = summaries["player"].to_numpy(np.int64) * MAX_NUMBER + middle + by
        at = np.searchsorted(keys, wanted).clip(max=len(keys) - 1)
        same = np.where(guesses[at] == summaries["guesses"].to_numpy(), 1, -1)
        found[:, column] = np.where(keys[at] == wanted, same, 0)
    return found


SAME_SUMMARY_MS = 20 * 3600 * 1000
"""Summaries with the same content within this time are one summary: a group gets one a day."""
SUMMARY_AFTER_MS = 36 * 3600 * 1000
"""A channel's next summary within this time reports the day on which a game was started."""
MAX_PLAYERS = 1 << 31
SOURCE_NAMES = np.array(["date", "picture", "typed"], dtype=object)
"""Names of the values of DayFrom, in that order."""
PRECEDENCE = np.array([1, 0, 2], np.int8)
"""Precedence of the values of DayFrom, in that order; 0 comes first."""
CONTRADICTS_SUMMARY = "the app's summary says otherwise"
DAY_UNCERTAIN = "the summary may be of another day: check the time zone"
REPORTED_TWICE = "reported twice with other results"
AFTER_DEADLINE = "posted after the deadline"
EDITED_AFTER_DEADLINE = "edited after the deadline"
LATE, EDITED, EARLY = 1, 2, 3
REASONS = np.array(["", AFTER_DEADLINE, EDITED_AFTER_DEADLINE, TOO_LATE], dtype=object)
"""Why a share does not count, by LATE, EDITED and EARLY."""
LAST_ZONE_MS = DAY_MS // 2
"""How far the last time zone is behind UTC; its days end last."""

MISSED = UNSOLVED + 1
"""The number of guesses that a missed day counts as, if it counts."""
IntArray = np.ndarray[tuple[Any, ...], np.dtype[np.signedinteger[Any]]]


class LeagueOptions(NamedTuple):
    """What a league has chosen.

    Attributes:
        zone: Its time zone; "" if it has not chosen one.
        x_is_seven: Whether X counts as 7 guesses; otherwise unsolved puzzles are left out of means and rankings.
        deadline_days: How many days after its own day a puzzle's share may be posted.
        missed: How many guesses a missed day counts as in totals, MISSED; 0: missed days do not count.
    """

    zone: str = ""
    x_is_seven: bool = True
    deadline_days: int = 1
    missed: int = 0

    def updated(
        self,
        zone: str | None = None,
        x_is_seven: bool | None = None,
        deadline_days: int | None = None,
        missed: bool | None = None,
    ) -> "LeagueOptions":
        """Return the options with those changed that are not None; `missed` says whether a missed day counts."""
        return LeagueOptions(
            self.zone if zone is None else zone,
            self.x_is_seven if x_is_seven is None else x_is_seven,
            self.deadline_days if deadline_days is None else deadline_days,
            self.missed if missed is None else MISSED * missed,
        )


DEFAULT_OPTIONS = LeagueOptions()


@dataclass(frozen=True)
class LeagueReports:
    """Everything that a league's sources report.

    Attributes:
        people: The people.
        results: The reported results, with columns post (position in `posts`), person (position in `people`), number
            (NO_NUMBER in summaries), guesses, reported (milliseconds since 1970, -1 if unknown) and is_current (False
            for those of earlier versions of a post).
        posts: The posts, with columns channel (a number per channel), posted (milliseconds since 1970, -1 if unknown),
            day_from, number (of a summary's picture, else NO_NUMBER) and is_local (whether `reported` is a wall-clock
            time).
        options: What the league has chosen.
        accepted: Player and puzzle of late shares that a host has accepted.
    """

    people: Sequence[Person]
    results: pd.DataFrame
    posts: pd.DataFrame
    options: LeagueOptions = DEFAULT_OPTIONS
    accepted: frozenset[tuple[Person, int]] = frozenset()


@dataclass(frozen=True)
class ResolvedLeague:
    """The results of a league.

    Attributes:
        results: One row per player and puzzle, sorted by day and player, with columns player, day (the puzzle number),
            guesses (7 for X) and source ("typed", "picture" or "date": where the number comes from).
        unfinished: Games that were started and never reported, with columns player and day.
        unresolved: Names that match several ids, with columns name, candidates, n_results, first and last (puzzle
            numbers).
        unconfirmed: Players known only by name, with columns name, suggestions (ids of people with similar names) and
            n_results.
        conflicts: Reports that do not count next to those they contradict, with columns player, day, guesses, source,
            counts and why.
        ids: The Discord id or the name behind each player.
        options: What the league has chosen.
        warning: What to tell the organiser about the time zone, "" if nothing.
        zone: The time zone that explains the summaries best, "" if there are none without a number.
    """

    results: pd.DataFrame
    unfinished: pd.DataFrame
    unresolved: pd.DataFrame
    unconfirmed: pd.DataFrame
    conflicts: pd.DataFrame
    ids: dict[str, Person]
    options: LeagueOptions = DEFAULT_OPTIONS
    warning: str = ""
    zone: str = ""

    @property
    def board_options(self) -> dict[str, Any]:
        """What the league's choices say about a leaderboard, as fields of `LeaderboardSettings`."""
        newest = None if self.results.empty else int(self.results["day"].max())
        return {"x_is_seven": self.options.x_is_seven, "missed": self.options.missed, "open_day": newest}

    @property
    def counted(self) -> pd.DataFrame:
        """The results that means and comparisons use: without unsolved puzzles if the league leaves X out."""
        return self.results if self.options.x_is_seven else self.results[self.results["guesses"] < UNSOLVED]

    def find(self, text: str, names: NameResolver) -> str:
        """Return the player with this name or id.

        Raises:
            UserError: Nobody with results has this name, or several people have it.
        """
        players = set(self.results["player"])
        if text in self.ids:
            player = text
        else:
            resolved = names.look_up(text)
            if resolved.player is None and resolved.candidates:
                raise UserError(f"{text!r} could be {', '.join(resolved.candidates)}: give the id.")
            player = next((name for name, person in self.ids.items() if person == resolved.player), "")
        if player not in players:
            raise UserError(f"there are no results of {text!r}.{did_you_mean(text, players)}")
        return player


def resolve(reports: LeagueReports, names: NameResolver) -> ResolvedLeague:
    """Return the results that count among those that were reported."""
    numbered = replace(reports, results=_numbered(reports))
    players, codes = _players(numbered, names)
    late, is_shown = _lateness(numbered, players, codes)
    if not is_shown.all():
        numbered = replace(numbered, results=numbered.results[is_shown].reset_index(drop=True))
        late, codes = late[is_shown], codes[is_shown]
    number, day_from = _puzzle_numbers(numbered, codes)
    is_known = codes >= 0
    labels, order, ranks = _ranked(players, np.unique(codes[is_known]), names, reports.people)
    table = pd.DataFrame(
        {
            "player": ranks[codes[is_known]],
            "day": number[is_known].astype(np.int32),
            "guesses": numbered.results["guesses"].to_numpy()[is_known],
            "day_from": day_from[is_known].astype(np.int8),
            "late": late[is_known],
        },
        copy=False,
    )
    is_started = (table["guesses"] == UNFINISHED).to_numpy()
    posts_of_rows = numbered.results["post"].to_numpy()[is_known]
    advice = _advice(table, numbered.posts["posted"].to_numpy(), posts_of_rows, reports.options.zone)
    names_of = np.array([labels[player] for player in order], object)
    results, conflicts = _best_reports(table[~is_started] if is_started.any() else table, names_of)
    started_games = table[is_started & (table["day"] >= 0)]
    by_label = {label: player for player, label in labels.items()}
    return ResolvedLeague(
        results,
        _unfinished(started_games.assign(player=names_of[started_games["player"]]), results),
        _unresolved(numbered, names, number, ~is_known),
        _unconfirmed(results, by_label, names),
        _with_uncertain_days(conflicts, advice, names_of),
        by_label,
        reports.options,
        advice.text(reports.options.zone, dict(enumerate(names_of))),
        advice.zone,
    )


def _ranked(
    players: Sequence[Person], codes: np.ndarray, names: NameResolver, people: Sequence[Person]
) -> tuple[dict[Person, str], list[Person], np.ndarray]:
    """Return the labels of the players with these codes, the players in the order of labels, and all players' places.

    The place of a player without a label is -1.
    """
    labels = names.labels((players[code] for code in codes), [person for person in people if not person.is_id])
    order = sorted(labels, key=lambda player: (labels[player], player))
    rank = {player: position for position, player in enumerate(order)}
    return labels, order, np.array([rank.get(player, -1) for player in players], np.int32)


def _numbered(reports: LeagueReports) -> pd.DataFrame:
    """Return the results with the puzzle numbers of summaries: from the picture, or from the day they were posted."""
    posts, post = reports.posts, reports.results["post"].to_numpy()
    of_post, is_dated = posts["number"].to_numpy().copy(), (posts["day_from"] == DayFrom.DATE).to_numpy()
    posted = posts["posted"].to_numpy()[is_dated]
    of_post[is_dated] = numbers_summarized_at(posted, reports.options.zone)
    number = of_post[post].astype(np.int32)
    is_typed = number == NO_NUMBER
    number[is_typed] = reports.results["number"].to_numpy()[is_typed]
    return reports.results.assign(number=number)


def _lateness(reports: LeagueReports, players: Sequence[Person], codes: IntArray) -> tuple[np.ndarray, np.ndarray]:
    """Return why each share does not count, as a position in REASONS, and which results are considered.

    An edit after the deadline does not replace what the message said before, if that is known.
    """
    results, posts = reports.results, reports.posts
    late = np.zeros(len(results), np.int8)
    is_shown = results["is_current"].to_numpy().copy()
    rows = np.flatnonzero(results["reported"].to_numpy() >= 0)
    if not len(rows):
        return late, is_shown
    post, person, number, reported = (
        results[name].to_numpy()[rows] for name in ("post", "person", "number", "reported")
    )
    local = local_ms(reported, reports.options.zone) if reports.options.zone else reported - LAST_ZONE_MS
    said_on = number_at_ms(np.where(posts["is_local"].to_numpy()[post], reported, local))
    is_late = said_on > number + reports.options.deadline_days
    codes_of = {player: code for code, player in enumerate(players)}
    for player, accepted in reports.accepted:
        is_late &= (codes[rows] != codes_of.get(player, len(players))) | (number != accepted)
    is_edited = (posts["posted"].to_numpy()[post] >= 0) & (reported > posts["posted"].to_numpy()[post])
    late[rows] = np.where(is_late, np.where(is_edited, EDITED, LATE), 0)
    late[rows[number > number_at_ms(reported + GRACE_MS)]] = EARLY
    earlier: dict[tuple[int, int, int], tuple[int, int]] = {}
    for position in np.flatnonzero(~is_shown[rows] & (late[rows] == 0)):
        key = int(post[position]), int(person[position]), int(number[position])
        earlier[key] = max(earlier.get(key, (-1, -1)), (int(reported[position]), int(rows[position])))
    for position in np.flatnonzero(is_shown[rows] & (late[rows] == EDITED)) if earlier else ():
        _, row = earlier.get((int(post[position]), int(person[position]), int(number[position])), (-1, -1))
        if row >= 0:
            is_shown[row] = True
    return late, is_shown


def _advice(table: pd.DataFrame, posted: np.ndarray, post: np.ndarray, zone: str) -> ZoneAdvice:
    """Return what the summaries without a number and the shares in time say about the time zone."""
    is_result = (table["guesses"] != UNFINISHED).to_numpy()
    is_dated = is_result & (table["day_from"] == DayFrom.DATE).to_numpy()
    is_share = is_result & (table["day_from"] == DayFrom.TEXT).to_numpy() & (table["late"] == 0).to_numpy()
    if not is_dated.any():
        return ZoneAdvice("", False, ())
    summaries = table.loc[is_dated, ["player", "guesses"]].assign(posted=posted[post[is_dated]])
    return advise(summaries, table.loc[is_share, ["player", "day", "guesses"]].rename(columns={"day": "number"}), zone)


def _with_uncertain_days(conflicts: pd.DataFrame, advice: ZoneAdvice, names: np.ndarray) -> pd.DataFrame:
    """Return the conflicts, with another reason for shares that another time zone would explain."""
    if not advice.contradictions:
        return conflicts
    explained = {(names[player], number) for player, number in advice.contradictions}
    games = zip(conflicts["player"], conflicts["day"], conflicts["why"], strict=True)
    why = [
        DAY_UNCERTAIN if reason == CONTRADICTS_SUMMARY and (player, day) in explained else reason
        for player, day, reason in games
    ]
    return conflicts.assign(why=why)


def _players(reports: LeagueReports, names: NameResolver) -> tuple[list[Person], IntArray]:
    """Return the players and, for each result, the position of its player, -1 if the name is ambiguous."""
    codes: dict[Person, int] = {}

    def code(player: Person | None) -> int:
        return -1 if player is None else codes.setdefault(player, len(codes))

    of_person = np.array([code(names.resolve(person).player) for person in reports.people], np.int32)
    person, number = (reports.results[column].to_numpy() for column in ("person", "number"))
    player_codes = of_person[person]
    for index, reporter in enumerate(reports.people):
        rows = np.flatnonzero(person == index) if reporter.key in names.aliases else np.empty(0, int)
        for alias in names.aliases.get(reporter.key, ()):
            is_covered = (number[rows] >= alias.first_number) & (number[rows] <= alias.last_number)
            player_codes[rows[is_covered]] = code(names.resolve_alias(alias).player)
    return list(codes), player_codes


def _puzzle_numbers(reports: LeagueReports, codes: IntArray) -> tuple[IntArray, IntArray]:
    """Return the puzzle number of each result and where it comes from.

    A summary with a number derived from its date takes over the more reliable number of a summary with the same
    content: the same one in another channel, or posted twice. A started game gets the number of the channel's next
    summary, -1 if there is none.
    """
    results = reports.results
    post, number = results["post"].to_numpy(), results["number"].to_numpy().copy()
    day_from = reports.posts["day_from"].to_numpy()[post]
    is_started = results["guesses"].to_numpy() == UNFINISHED
    rows = np.flatnonzero((day_from < DayFrom.TEXT) & ~is_started)
    if len(rows):
        summarized = np.where(codes < 0, len(reports.people) + results["person"].to_numpy(), codes)[rows]
        better_numbers = _better_numbers(reports.posts, _summaries(post[rows], summarized, results.iloc[rows]))
        new_number, new_from = np.full((2, len(reports.posts)), -1)
        new_number[better_numbers.index] = better_numbers["number"]
        new_from[better_numbers.index] = better_numbers["day_from"]
        is_better = new_number[post] >= 0
        number, day_from = np.where(is_better, new_number[post], number), np.where(is_better, new_from[post], day_from)
    if is_started.any():
        number[is_started] = _next_summary(reports.posts, post[is_started], post[rows], number[rows])
    return number, day_from


def _summaries(post: IntArray, summarized: IntArray, results: pd.DataFrame) -> pd.DataFrame:
    """Return the number of each summary, and its content as bytes that are equal for summaries with equal results.

    >>> rows = pd.DataFrame({"guesses": [3, 4, 4, 3], "number": [9, 9, 8, 8]})
    >>> _summaries(np.array([0, 0, 1, 1]), np.array([5, 6, 6, 5]), rows)["content"].nunique()
    1
    """
    entries = summarized * (UNSOLVED + 1) + results["guesses"].to_numpy()
    order = np.lexsort((entries, post))
    starts = np.flatnonzero(np.diff(post[order], prepend=-1))
    parts = np.split(entries[order], starts[1:])
    return pd.DataFrame(
        {"content": [part.tobytes() for part in parts], "number": results["number"].to_numpy()[order][starts]},
        index=post[order][starts],
    )


def _better_numbers(posts: pd.DataFrame, summaries: pd.DataFrame) -> pd.DataFrame:
    """Return the most reliable number and its day_from, by post, for each summary whose number comes from its date."""
    summaries = summaries.join(posts[["posted", "day_from"]]).sort_values(["content", "posted", "number"])
    starts = (summaries["content"] != summaries["content"].shift()) | (summaries["posted"].diff() > SAME_SUMMARY_MS)
    summaries["same"] = starts.cumsum()
    best = summaries.sort_values("day_from", ascending=False, kind="stable").drop_duplicates("same").set_index("same")
    derived = summaries[summaries["day_from"] == DayFrom.DATE]
    return best.loc[derived["same"], ["number", "day_from"]].set_index(derived.index)


def _next_summary(posts: pd.DataFrame, started: IntArray, summaries: IntArray, number: IntArray) -> IntArray:
    """Return the number of the first summary after each post in its channel; -1 if none follows in time."""
    first = pd.DataFrame({"number": number}, index=summaries).groupby(level=0)["number"].first()
    posts = posts[["posted", "channel"]]
    later_summaries = posts.loc[first.index].assign(number=first).sort_values("posted")
    started_posts = posts.loc[started].assign(at=np.arange(len(started))).sort_values("posted")
    columns = ["posted", "channel", "number"]
    matched_posts = pd.merge_asof(
        started_posts,
        later_summaries[columns],
        on="posted",
        by="channel",
        direction="forward",
        tolerance=SUMMARY_AFTER_MS,
    )
    return matched_posts.sort_values("at")["number"].fillna(-1).to_numpy(np.int64)


def _best_reports(table: pd.DataFrame, labels: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return each player's result of each puzzle according to the best source, and the conflicts.

    The reports are sorted into groups, one for each player and puzzle, and by the precedence of their sources: the
    first report of a group counts, unless another one of the same precedence differs from it.
    """
    is_late = (table["late"] > 0).to_numpy()
    late, table = table[is_late], table[~is_late] if is_late.any() else table
    keys = table["day"].to_numpy(np.int64) * MAX_PLAYERS
    keys += table["player"].to_numpy()
    precedence = PRECEDENCE[table["day_from"]]
    sort_keys = keys * (len(PRECEDENCE) * (UNSOLVED + 1))
    sort_keys += precedence * np.int8(UNSOLVED + 1)
    sort_keys += table["guesses"].to_numpy()
    order = np.argsort(sort_keys).astype(np.int32)
    del sort_keys
    table, keys, precedence = table.take(order), keys[order], precedence[order]
    guesses = table["guesses"].to_numpy()
    is_first = np.append(True, np.diff(keys) != 0)[: len(keys)]
    del keys, order

    starts, group = np.flatnonzero(is_first), np.cumsum(is_first, dtype=np.int32) - 1
    differs = guesses != guesses[starts][group]
    is_disputed, has_conflict = np.zeros((2, len(starts)), bool)
    is_disputed[group[differs & (precedence == precedence[starts][group])]] = True
    has_conflict[group[differs]] = True

    rows = differs | (is_first & has_conflict[group])
    why = np.where(is_disputed[group[rows]], REPORTED_TWICE, np.where(differs[rows], CONTRADICTS_SUMMARY, ""))
    conflict_rows = table[rows].assign(counts=~is_disputed[group[rows]] & ~differs[rows], why=why.astype(object))
    late_rows = _with_names(late.assign(counts=False, why=REASONS[late["late"]]), labels, ["counts", "why"])
    late_rows = late_rows.sort_values(["day", "player", "guesses", "source", "why"])  # not by when they were added
    conflicts = pd.concat([_with_names(conflict_rows, labels, ["counts", "why"]), late_rows])
    conflicts = conflicts.drop_duplicates(ignore_index=True)
    return _with_names(table.take(starts[~is_disputed]), labels), conflicts


def _with_names(table: pd.DataFrame, labels: np.ndarray, columns: Sequence[str] = ()) -> pd.DataFrame:
    """Return rows with the names of players and of the sources of puzzle numbers."""
    named = {
        "player": pd.Series(labels[table["player"]], dtype=object),
        "day": table["day"].to_numpy(),
        "guesses": table["guesses"].to_numpy(np.int16),
        "source": pd.Series(SOURCE_NAMES[table["day_from"]], dtype=object),
    }
    return pd.DataFrame(named | {name: table[name].to_numpy() for name in columns}, copy=False)


def _unfinished(started: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """Return player and day of games that were started and have no result."""
    games = started[["player", "day"]].drop_duplicates()
    played_games = pd.MultiIndex.from_frame(results[["player", "day"]])
    is_played = pd.MultiIndex.from_frame(games).isin(played_games)
    return games[~is_played].sort_values(["day", "player"], ignore_index=True)


def _unresolved(reports: LeagueReports, names: NameResolver, number: IntArray, is_open: np.ndarray) -> pd.DataFrame:
    people = reports.people
    is_unresolved = is_open & (reports.results["guesses"].to_numpy() != UNFINISHED)
    reported = pd.DataFrame(
        {"person": reports.results["person"].to_numpy()[is_unresolved], "number": number[is_unresolved]}
    )
    rows = [
        (people[person].key, names.resolve(people[person]).candidates, len(numbers), numbers.min(), numbers.max())
        for person, numbers in ((int(str(key)), numbers) for key, numbers in reported.groupby("person")["number"])
    ]
    table = pd.DataFrame(rows, columns=["name", "candidates", "n_results", "first", "last"])
    return table.sort_values("name", ignore_index=True)


def _unconfirmed(results: pd.DataFrame, ids: dict[str, Person], names: NameResolver) -> pd.DataFrame:
    counts = results["player"].value_counts()
    rows = [
        (name, names.suggestions(name), int(counts[name]))
        for name, person in sorted(ids.items())
        if not person.is_id and name in counts
    ]
    return pd.DataFrame(rows, columns=["name", "suggestions", "n_results"])
