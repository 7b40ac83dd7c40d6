"""The daily job of the bot: play the page, save the result, and share it once, even if the bot is killed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from enum import StrEnum
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from playwright.sync_api import BrowserContext, Error, Page

from wordpl.apps.daily_bot import NoGuessError, PageError, ShareError, UnclearError, adapters, targets
from wordpl.apps.daily_bot.guessers import EntryGuesser, Guesser, SearchGuesser, TreeGuesser, tree_files
from wordpl.apps.daily_bot.page_game import PageGame, Progress, Result, browser_context, draw_tiles, play_with_tries
from wordpl.apps.daily_bot.targets import ShareMessage, ShareTarget
from wordpl.core.files import write_atomically
from wordpl.core.messages import UserError
from wordpl.core.words import WordLists
from wordpl.games import game_class
from wordpl.run.folder import exclusive
from wordpl.run.records import Record, encode, read_records

if TYPE_CHECKING:
    import numpy as np

LEAGUE_FILE = "results.txt"
MAX_RECORDS = 100_000
"""More than a puzzle a day for two hundred years."""
MAX_HTML = 5_000_000


class Archive:
    """The bot's folder, which only one bot at a time may use."""

    def __init__(self, folder: Path):
        """Create the folder. Raises UserError if that fails."""
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"cannot create the bot's folder {folder}: {error.strerror}. Choose another folder with --folder."
            ) from None

    def numbered(self, result: Result) -> Result:
        """Return the result with its number among the games of its day: that of its record, or the next one.

        A page with one puzzle a day has one game a day. Elsewhere, a finished game that is read again is the same one.
        """
        if result.game.day is not None:
            return result
        same_day = {record.game: record for record in self._records(result) if result.is_of_day(record.game)}
        for number, record in same_day.items():
            if tuple(record.moves) == result.game.moves:
                return replace(result, nth=result.nth_of(number))
        return replace(result, nth=1 + len(same_day))

    def keep(self, result: Result) -> bool:
        """Add the result, unless this game has one, by replacing files atomically; return whether it was added."""
        records = self._records(result)
        if any(record.game == result.record_number for record in records):
            return False
        if game_class(result.game.game_id).hard_mode and result.game.day is not None:
            league = self.folder / LEAGUE_FILE
            old_text = league.read_text(encoding="utf-8") if league.exists() else ""
            if result.league_line() not in old_text.splitlines():
                write_atomically(league, f"{old_text}{result.league_line()}\n".encode())
        path = self._record_file(result)
        path.parent.mkdir(exist_ok=True)
        write_atomically(path, b"".join(encode(record) for record in [*records, result.record()]))  # last: it is kept
        return True

    def _record_file(self, result: Result) -> Path:
        return self.folder / "records" / f"{result.game.adapter}-{result.game.game_id.replace('/', '-')}.jsonl"

    def _records(self, result: Result) -> list[Record]:
        form = game_class(result.game.game_id).facts.form
        return list(read_records(self._record_file(result), form, MAX_RECORDS))

    def picture_file(self, result: Result) -> Path:
        """Return the path for the picture of this result."""
        folder = self.folder / "pictures"
        folder.mkdir(exist_ok=True)
        return folder / f"{result.key}.png"

    def keep_evidence(self, page: Page) -> list[Path]:
        """Save the HTML and a screenshot of a page that could not be played; return the files."""
        now = datetime.now(UTC)
        evidence = self.folder / "failures" / f"{now:%Y-%m-%dT%H%M%S}.{now.microsecond:06d}"
        evidence.mkdir(parents=True)
        html, picture = evidence / "page.html", evidence / "page.png"
        files = []
        try:
            html.write_text(page.content()[:MAX_HTML], encoding="utf-8")
            files.append(html)
            page.screenshot(path=picture, timeout=10_000)
            files.append(picture)
        except Error:
            return files  # the page has crashed
        return files


class PostState(StrEnum):
    """The state of a post."""

    SENDING = "sending"  # may or may not have arrived
    SENT = "sent"
    FAILED = "failed"  # has not arrived


class OutboxPost(msgspec.Struct, frozen=True):
    """A post in the outbox, without addresses and credentials."""

    target: str
    key: str
    state: PostState
    text: str
    reason: str = ""
    id: str = ""


class Outbox:
    """The outbox of a bot's folder, with one file per post."""

    def __init__(self, folder: Path):
        self._folder = folder / "outbox"

    def find(self, target: str, key: str) -> OutboxPost | None:
        """Return the post with this key to this target, or None. Raises UserError if its file cannot be read."""
        path = self._path(target, key)
        if not path.exists():
            return None
        try:
            return msgspec.json.decode(path.read_bytes(), type=OutboxPost)
        except (OSError, msgspec.DecodeError) as error:
            raise UserError(f"cannot read {path}: {error}. Remove it if the result was not posted.") from None

    def post_once(self, draft: OutboxPost, send: Callable[[], object], resend: bool = False) -> PostState:
        """Send a post unless it has been sent before.

        Args:
            send: Makes the request. Raises UnclearError if the post may have arrived, ShareError if it has not.
            resend: Repeat a post that may have arrived.

        Raises:
            UnclearError: The post may have arrived, now or in an earlier attempt.
            ShareError: The post has not arrived.
        """
        earlier_post = self.find(draft.target, draft.key)
        if earlier_post and earlier_post.state == PostState.SENT:
            return PostState.SENT
        if earlier_post and earlier_post.state == PostState.SENDING and not resend:
            raise UnclearError(f"an earlier post of {draft.key} to {draft.target} was interrupted")
        self._write(draft, PostState.SENDING)
        try:
            sent = send()
        except ShareError as error:
            is_unclear = isinstance(error, UnclearError)
            self._write(draft, PostState.SENDING if is_unclear else PostState.FAILED, error.message)
            raise
        self._write(draft, PostState.SENT, post_id=sent if isinstance(sent, str) else "")
        return PostState.SENT

    def _path(self, target: str, key: str) -> Path:
        digest = blake2b(target.encode(), digest_size=6).hexdigest()
        return self._folder / f"{key}.{digest}.json"

    def _write(self, draft: OutboxPost, state: PostState, reason: str = "", post_id: str = "") -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        post = msgspec.structs.replace(draft, state=state, reason=reason, id=post_id)
        write_atomically(self._path(post.target, post.key), msgspec.json.encode(post) + b"\n")


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
        picture_link: The address of the folder of pictures, if posts link a picture; "" attaches it.
        attaches: Whether a picture is attached at all.
        program: The browser's executable, see `page_game.browser_context`.
        profile: The browser's profile folder, see `page_game.browser_context`.
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
    picture_link: str = ""
    attaches: bool = True
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
        id: The id of the post, once it was sent.
    """

    target: str
    state: str
    problem: str = ""
    id: str = ""


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
    adapters.adapter_class(config.adapter)
    names = [targets.name_of(share) for share in config.shares]
    share_targets = [targets.target_of(share) for share in config.shares] if config.posts else []
    archive = Archive(config.folder)
    with exclusive(config.folder):
        guesser = make_guesser(config)
        try:
            with browser_context(config.program, config.profile, config.shows) as context:
                game = _play(config, context, guesser, archive, progress)
                result = archive.numbered(Result(game, config.strategy, game.day or datetime.now(UTC).date()))
                picture = archive.picture_file(result)
                draw_tiles(context, result, picture, config.spoilers)
        finally:
            guesser.close()
        is_new = archive.keep(result)
        message = _message(config, result, picture)
        shares = tuple(_share(config, target, message, Outbox(config.folder)) for target in share_targets)
        shares = shares or tuple(ShareOutcome(name, "dry run") for name in names)
    findings = tuple(finding for finding in (result.difference(), result.other_day(), *result.false_marks()) if finding)
    return DayOutcome(result, is_new, picture, message.with_words(), findings, shares)


def _message(config: BotConfig, result: Result, picture: Path) -> ShareMessage:
    link = f"{config.picture_link.rstrip('/')}/{picture.name}" if config.picture_link else ""
    attached = picture if config.attaches and not link else None
    return ShareMessage(result.text(), result.key, attached, result.words if config.spoilers else (), link)


def make_guesser(config: BotConfig) -> Guesser:
    """Return the guesser for the strategy. Raises UserError for an unknown strategy."""
    if config.strategy == "tree":
        return TreeGuesser(config.lists, tree_files(), config.is_hard)
    if config.strategy == "suggest":
        return SearchGuesser(config.lists, config.is_hard, config.prior)
    if config.prior is not None:
        raise UserError("--prior needs --strategy suggest; an entry can take a prior as its argument.")
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
        state = outbox.post_once(draft, lambda: target.send(message), config.resends)
        sent = outbox.find(target.identity, message.key)
        return ShareOutcome(target.name, state, id=sent.id if sent else "")
    except ShareError as error:
        earlier_post = outbox.find(target.identity, message.key)
        return ShareOutcome(target.name, earlier_post.state if earlier_post else PostState.FAILED, error.message)


def adapter_table() -> Sequence[tuple[str, str]]:
    """Return the name and the description of each adapter."""
    return [(name, adapters.adapter_class(name).about) for name in adapters.names()]
