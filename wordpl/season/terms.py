"""The files that a season's host writes: its terms in season.toml, and the repository's README and workflow."""

from datetime import date
from pathlib import Path

import msgspec

from wordpl.core import bounded, words
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.run.config import RunConfig

FILE = "season.toml"
TEMPLATE = """\
title = {title}
game = {game}
scores = {scores}  # the first one sorts the table: p05, p50, p95 (or another share), p_win, mean
deadline = {deadline}

games = {games: <11} # of each version in a round
players = 20        # versions in a round
leaders = 5         # of each score, which play every round
timeout_s = 5.0     # CPU time for one game
warmup_s = 60.0     # CPU time in which an entry has to be loaded
memory_mb = 1024
# answers = "answers.txt"  # word lists in this folder, instead of the contest's
# guesses = "valid.txt"

improvement = 0.01          # a record is lower than the one before by this share at least
confirmations = 20          # in the whole season; the chance that any record is false is 5 % for all of them together
confirmation_games = 26000
prize = ""                  # for example: "500 EUR for each record that improves the one before by 5 %"
prize_improvement = 0.0     # a record that improves the one before by this share wins the prize; 0: no such rule

# The values that the first records of the season have to improve.
[records]
# p50 = 36.9

# Who owns which names: one current version of each author is ranked. A name that is not here is an author of its own.
[authors]
# ada = ["ada_bot", "ada_second"]
"""


class SeasonTerms(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The terms of a season, validated on creation.

    Attributes:
        title: The name of the season.
        game: The game that all versions play.
        scores: The names of the scores; the first one sorts the table.
        deadline: The day after which no round is played except the closing one; None: there is none.
        games: The number of games of each version in a round.
        players: The maximum number of versions in a round.
        leaders: The number of leaders of each score that play every round.
        timeout_s, memory_mb: The limits of a game.
        warmup_s: The CPU time in which a process has to start, in seconds.
        answers, guesses: Word lists in the season's folder; "": those of the contest.
        improvement: The share by which a record must be lower than the one before.
        confirmations: The maximum number of confirmations in the season.
        confirmation_games: The number of games of a confirmation.
        prize: The rule of the prize, in words.
        prize_improvement: The share by which a record must improve the one before to win the prize; 0: none does.
        records: The values to improve at the start, by score.
        authors: The names of the entries of each author.

    Raises:
        UserError: A value is out of range, or two authors own a name.
    """

    title: str
    game: str
    scores: list[str]
    deadline: date | None = None
    games: int = 1000
    players: int = 20
    leaders: int = 5
    timeout_s: float = 5.0
    warmup_s: float = 60.0
    memory_mb: int = 1024
    answers: str = ""
    guesses: str = ""
    improvement: float = 0.01
    confirmations: int = 20
    confirmation_games: int = 26_000
    prize: str = ""
    prize_improvement: float = 0.0
    records: dict[str, float] = {}
    authors: dict[str, list[str]] = {}

    def __post_init__(self) -> None:
        """Validate the values that the configuration of a run does not check."""
        ranges = {"games": (1, 10**9), "players": (2, 1000), "leaders": (1, 1000), "improvement": (0, 0.999),
                  "prize_improvement": (0, 0.999), "confirmations": (1, 10**6),
                  "confirmation_games": (100, 10**9)}  # fmt: skip
        for name, (low, high) in ranges.items():
            if not low <= getattr(self, name) <= high:
                raise UserError(f"{name} should be from {low:,} to {high:,}, got {getattr(self, name)!r}.")
        if not self.scores or len(set(self.scores)) < len(self.scores):
            raise UserError(f"scores should name at least one score, each once, got {self.scores!r}.")
        if unknown := sorted(set(self.records) - set(self.scores)):
            raise UserError(f"records has {unknown[0]!r}, which is none of the scores {', '.join(self.scores)}.")
        owned = [name for names in self.authors.values() for name in names]
        if twice := sorted({name for name in owned if owned.count(name) > 1}):
            raise UserError(f"{twice[0]!r} belongs to two authors: a name has one owner.")
        taken = sorted(set(self.authors) & set(owned) - {a for a, names in self.authors.items() if a in names})
        if taken:
            raise UserError(f"{taken[0]!r} is an author and a name of another author: rename one of them.")

    @classmethod
    def read(cls, folder: Path) -> "SeasonTerms":
        """Return the terms of the season in this folder.

        Raises:
            UserError: There is no valid season.toml.
        """
        path = folder / FILE
        try:
            return msgspec.convert(bounded.read_toml(bounded.SEASON_TERMS, path), cls)
        except FileNotFoundError:
            raise UserError(f"{folder} is not a season: it has no {FILE}. `wordpl season new` creates one.") from None
        except (OSError, msgspec.ValidationError) as error:
            raise UserError(f"{path}: {error}.") from None
        except UserError as error:
            raise UserError(f"{path}: {error.message}") from None

    def author_of(self, name: str) -> str:
        """Return the author who owns a name; a name without an owner is an author of its own."""
        return next((author for author, names in self.authors.items() if name in names), name)

    def lists(self, folder: Path) -> WordLists:
        """Return the word lists of the season in this folder."""
        answers, guesses = (folder / name if name else None for name in (self.answers, self.guesses))
        return words.load(answers, guesses)

    def config(self, folder: Path, results: str, n_games: int, beacon_from: str | None = None) -> RunConfig:
        """Return the configuration of an official run.

        Args:
            folder: The season's folder.
            results: The folder of the run, in the season's folder.
            n_games: The number of games.
            beacon_from: The source of the beacon, if there is one.
        """
        return RunConfig(
            n_games=n_games,
            repeats=min(20, n_games),
            game_id=self.game,
            timeout_s=self.timeout_s,
            warmup_s=self.warmup_s,
            memory_mb=self.memory_mb,
            answers=str(folder / self.answers) if self.answers else None,
            guesses=str(folder / self.guesses) if self.guesses else None,
            official=True,
            beacon_from=beacon_from,
            results=folder / results,
        )


def text(title: str, game: str, scores: list[str], deadline: date | None, n_games: int) -> str:
    """Return a new season.toml."""
    values = {"title": title, "game": game, "scores": scores}
    shown = {name: msgspec.json.encode(value).decode() for name, value in values.items()}
    written = TEMPLATE.format(**shown, deadline=deadline, games=n_games)
    return written if deadline else written.replace("deadline = None", "# deadline = 2027-06-30")


PLACEHOLDER = "OWNER/wordpl@COMMIT"
"""Stands for the action in a workflow, until the host replaces it by a commit that he trusts."""
WORKFLOW_FILE = ".github/workflows/season.yml"

README = """\
# {title}

{begin}
{end}

## How to take part

1. Write one file, `NAME.py` or `NAME.toml` (a program in any language), or a folder `NAME/`. `wordpl new NAME` writes
   a first one.
2. Test it with `wordpl check NAME.py`. In a copy of this repository, `wordpl season sample NAME.py` plays it against
   the leaders and shows the rank that it would have.
3. Send it to the host, for example as a pull request that adds `strategies/NAME.py` and changes nothing else.

A changed file is a new version, `NAME@2`; your newest version is ranked, and you may ask the host to withdraw one.
Everything that you send is published. `season.toml` has the limits, the deadline and the prize.
"""

GITIGNORE = """\
.lock
"""

GITATTRIBUTES = """\
# Digests are computed from the bytes of these files.
log.jsonl -text
rounds/** -text
confirmations/** -text
versions/** -text
strategies/** -text
"""

WORKFLOW = """\
# Hosts the season in this repository. Replace {action} by a commit of wordpl that you trust.
#
# A pull request is checked, and plays a sample against the leaders: its code sees no secret, and the job cannot write.
# After a merge, the job `round` plays a round and cannot write either. The job `publish` may write: it runs no entry,
# verifies each game of the round from its seed, and commits it with the standings, the table and the pages in docs/.
name: season

on:
  pull_request:
    paths:
      - "strategies/**"
  push:
    branches: [main]
    paths:
      - "strategies/**"
      - "season.toml"
  workflow_dispatch:

permissions:
  contents: read

concurrency:
  group: season-${{{{ github.event_name == 'pull_request' && github.ref || 'round' }}}}
  cancel-in-progress: ${{{{ github.event_name == 'pull_request' }}}}

jobs:
  sample:
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-24.04
    timeout-minutes: 30
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
        with:
          fetch-depth: 2
          persist-credentials: false
      - uses: {action}
        with:
          season: sample

  round:
    if: github.event_name != 'pull_request'
    runs-on: ubuntu-24.04
    timeout-minutes: 350
    outputs:
      base: ${{{{ steps.round.outputs.base }}}}
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
        with:
          ref: ${{{{ github.ref }}}}
          persist-credentials: false
      - uses: {action}
        id: round
        with:
          season: round
          round: ${{{{ runner.temp }}}}/round
      - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02  # v4.6.2
        with:
          name: round
          path: ${{{{ runner.temp }}}}/round

  publish:
    needs: round
    runs-on: ubuntu-24.04
    timeout-minutes: 60
    permissions:
      contents: write
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683  # v4.2.2
        with:
          ref: ${{{{ github.ref }}}}
          fetch-depth: 0
      - uses: actions/download-artifact@d3f86a106a0bac45b974a628896c90dbdf5c8093  # v4.3.0
        with:
          name: round
          path: ${{{{ runner.temp }}}}/round
      - uses: {action}
        with:
          season: publish
          round: ${{{{ runner.temp }}}}/round
          base: ${{{{ needs.round.outputs.base }}}}
"""


def hosting_files(title: str, begin: str, end: str, action: str = PLACEHOLDER) -> dict[str, str]:
    """Return the files of a season's repository by their names, besides season.toml.

    Args:
        title: The name of the season.
        begin, end: The lines of the README between which the table is written.
        action: The action of wordpl with its commit.
    """
    return {
        "README.md": README.format(title=title, begin=begin, end=end),
        ".gitignore": GITIGNORE,
        ".gitattributes": GITATTRIBUTES,
        WORKFLOW_FILE: WORKFLOW.format(action=action),
    }
