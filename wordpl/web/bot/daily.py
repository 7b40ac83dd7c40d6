"""The daily job of the bot: play the page, save the result, and share it once."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import BrowserContext

from wordpl.core.errors import UserError
from wordpl.core.words import WordLists
from wordpl.web.bot import adapters, targets
from wordpl.web.bot.archive import Archive
from wordpl.web.bot.browser import browser_context
from wordpl.web.bot.errors import NoGuessError, PageError, ShareError
from wordpl.web.bot.game import PageGame, Progress, play_with_tries
from wordpl.web.bot.guessers import Guesser, SearchGuesser, TreeGuesser, tree_files
from wordpl.web.bot.outbox import Outbox, OutboxPost, PostState
from wordpl.web.bot.result import Result, draw_tiles
from wordpl.web.bot.targets import ShareMessage, ShareTarget

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class BotConfig:
    """The options of the bot.

    Attributes:
        strategy: "tree", "suggest", or an entry as on the command line.
        folder: The folder for records, pictures, evidence and the outbox.
        prior: The probability of each answer, for "suggest".
        shares: The targets, as texts for `targets.target_of`.
        posts: Whether to post results; otherwise they are only shown.
        resends: Whether to repeat a post that may have arrived.
        spoilers: Whether to share the letters.
        program: The browser's executable, see `browser.browser_context`.
        profile: The browser's profile folder, see `browser.browser_context`.
        shows: Whether the browser's window is shown.
        seed: The seed of an entry's random choices.
        day: The day of the puzzle, for a page that does not say it.
    """

    url: str
    adapter: str
    strategy: str
    lists: WordLists
    folder: Path
    prior: "np.ndarray | None" = None
    is_hard: bool = False
    shares: tuple[str, ...] = ()
    posts: bool = False
    resends: bool = False
    spoilers: bool = False
    program: str | None = None
    profile: Path | None = None
    shows: bool = False
    seed: str = "bot"
    day: date | None = None


@dataclass(frozen=True)
class ShareOutcome:
    """The outcome of sharing.

    Attributes:
        state: A state of the outbox, or "dry run".
        problem: Why the result was not posted, or why that is unclear.
    """

    target: str
    state: str
    problem: str = ""


@dataclass(frozen=True)
class DayOutcome:
    """The outcome of the daily job.

    Attributes:
        is_new: Whether the result was saved; False if the puzzle already has one.
        findings: Contradictions between the page's marks and the rules, or between its share text and its tiles.
    """

    result: Result
    is_new: bool
    picture: Path
    text: str
    findings: tuple[str, ...]
    shares: tuple[ShareOutcome, ...]

    @property
    def is_clean(self) -> bool:
        """Whether there are no findings, and no post has failed."""
        return not self.findings and not any(share.problem for share in self.shares)


def play_day(config: BotConfig, progress: Progress) -> DayOutcome:
    """Play the page and share the result.

    Raises:
        PageError: The page cannot be played; the message names the saved evidence.
        NoGuessError: The strategy has no guess.
        UserError: An option is wrong, or another bot uses the folder.
    """
    names = [targets.name_of(share) for share in config.shares]
    share_targets = [targets.target_of(share) for share in config.shares] if config.posts else []
    archive = Archive(config.folder)
    with archive.locked():
        guesser = make_guesser(config)
        try:
            with browser_context(config.program, config.profile, config.shows) as context:
                game = _play(config, context, guesser, archive, progress)
                result = Result(game, config.strategy, game.day or datetime.now(UTC).date())
                picture = archive.picture_file(result)
                draw_tiles(context, result, picture, config.spoilers)
        finally:
            guesser.close()
        is_new = archive.keep(result)
        message = ShareMessage(result.text(config.spoilers), result.key, picture)
        shares = tuple(_share(config, target, message, Outbox(config.folder)) for target in share_targets)
        shares = shares or tuple(ShareOutcome(name, "dry run") for name in names)
    findings = tuple(finding for finding in (result.difference(), result.other_day(), *result.false_marks()) if finding)
    return DayOutcome(result, is_new, picture, message.text, findings, shares)


def make_guesser(config: BotConfig) -> Guesser:
    """Return the guesser for the strategy. Raises UserError for an unknown strategy."""
    if config.strategy == "tree":
        return TreeGuesser(config.lists, tree_files(), config.is_hard)
    if config.strategy == "suggest":
        return SearchGuesser(config.lists, config.is_hard, config.prior)
    if config.prior is not None:
        raise UserError("--prior needs --strategy suggest; an entry can take a prior as its argument.")
    from wordpl.web.bot.entries import EntryGuesser

    return EntryGuesser(config.strategy, config.lists, config.seed, config.is_hard)


def _play(
    config: BotConfig, context: BrowserContext, guesser: Guesser, archive: Archive, progress: Progress
) -> PageGame:
    page = context.pages[0] if context.pages else context.new_page()
    adapter = adapters.adapter_class(config.adapter)(page)
    try:
        return play_with_tries(adapter, config.url, guesser, progress, config.day)
    except (PageError, NoGuessError) as error:
        files = archive.keep_evidence(page)
        saved_note = f" Saved: {', '.join(str(file) for file in files)}." if files else ""
        raise type(error)(f"{error.message}{saved_note}") from None


def _share(config: BotConfig, target: ShareTarget, message: ShareMessage, outbox: Outbox) -> ShareOutcome:
    draft = OutboxPost(target.identity, message.key, PostState.SENDING, message.text)
    try:
        return ShareOutcome(target.name, outbox.post_once(draft, lambda: target.send(message), config.resends))
    except ShareError as error:
        earlier_post = outbox.find(target.identity, message.key)
        return ShareOutcome(target.name, earlier_post.state if earlier_post else PostState.FAILED, error.message)


def adapter_table() -> Sequence[tuple[str, str]]:
    """Return the name and the description of each adapter."""
    return [(name, adapters.adapter_class(name).about) for name in adapters.names()]
