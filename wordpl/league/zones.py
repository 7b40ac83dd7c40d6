"""The time zone that explains a league: when its summaries arrive, and what numbered shares say about their days."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from wordpl.core.messages import amount
from wordpl.league.puzzles import DAY_MS, local_ms, numbers_summarized_at

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
