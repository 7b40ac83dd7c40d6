"""Names that are replaced on request: an author gets a number, his sources are removed, and his results stay.

The log is a chain of digests, and a commitment fixes the names in a round. So the log keeps the digest of each line as
it was, beside that of the line without the name, and a round the digest of its terms: digests that were published stay
those of this season, and all games, ranks and intervals are verified as before. Who has an earlier copy can compare.
What the folder's history in git, other copies and other sites have is not changed.

Everything is written beside the season first, into the folder `anonymized`, and moved to its place when that is
complete: an interruption leaves the season as it was, or a folder that the same command goes on with.
"""

import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from secrets import token_hex
from typing import Any

import msgspec
from msgspec import UNSET

from wordpl.apps.season import log, terms
from wordpl.apps.season.log import Anonymized, Confirmation, Log, Round, SeasonOpened
from wordpl.apps.season.rounds import digest_of_files, now
from wordpl.apps.season.season import Season
from wordpl.apps.season.state import ANONYMIZED
from wordpl.apps.season.terms import CONFIRMATIONS, ROUNDS, SeasonTerms
from wordpl.core import bounded, paths
from wordpl.core.files import draft_of, make_folders, put_in_place, sync_folder, write_atomically
from wordpl.core.messages import UserError
from wordpl.run import records, seal
from wordpl.run.bundle import PROGRAM, PYTHON, STORE, STRATEGIES
from wordpl.run.folder import LOCK, Run
from wordpl.run.info import EntryInfo
from wordpl.run.records import Record, encode

NOT_FAILURES = ("won", "wrong", "unsolved")
REMOVED = "Removed()"
REQUEST = "request.json"
Replace = Callable[[str], str]


class Replacement(msgspec.Struct, frozen=True):
    """What is done for an author who asked for it, in the folder of what replaces the season's files.

    Attributes:
        author: The name that stands for the author.
        salt: The salt of the digest of his name that the log keeps: only who has it can show whose results these are.
        digest: That digest.
        removed: The names of files and folders of the season to remove.
    """

    author: str
    salt: str
    digest: str
    removed: list[str]


def anonymize(season: Season, author: str) -> Replacement:
    """Replace an author's names by a number, and remove his sources; `close` ends it.

    Args:
        season: The season; nothing may be announced and unplayed.
        author: The author.

    Raises:
        UserError: There is no such author, a run is open, or season.toml would mean something else.
    """
    own = [version for version in season.versions if version.author == author]
    if not own:
        raise UserError(f"no version of the season is by {author!r}.")
    if season.pending is not None:
        raise UserError(f"{season.pending.run} is not played to its end yet: play it, or declare it void.")
    names = sorted({version.name for version in own}, key=[version.name for version in own].index)
    pseudonym = f"author-{1 + own[0].index}"
    others = {version.name for version in season.versions} - set(names)
    if pseudonym in others | set(season.terms.authors):
        raise UserError(f"{pseudonym} is taken: somebody sends entries by this name.")
    by_name = {name: pseudonym + (f"-{place}" if len(names) > 1 else "") for place, name in enumerate(names, 1)}
    forge = season.terms.owners.get(author, [])
    replace = _replacing(by_name | {author: pseudonym} | dict.fromkeys(forge, pseudonym))
    new_terms = _replaced_terms(season, replace)

    if not season.has_ended:
        for version in own:
            season.withdraw(version.label)
    draft = draft_of(season.folder / ANONYMIZED)
    shutil.rmtree(draft, ignore_errors=True)
    runs, slugs, removed = {}, {}, list(_own_files(own, names))
    labels = {version.label: by_name[version.name] for version in own}
    for event in season.announced:
        players = event.players if isinstance(event, Round) else {event.slug: event.version}
        mine = {slug: labels[label] for slug, label in players.items() if label in labels}
        folder = f"{ROUNDS if isinstance(event, Round) else CONFIRMATIONS}/{event.run}"
        if mine:
            slugs[event.run] = mine
        if mine and event.run in season.ends:
            _copy(season.folder / folder, draft / folder)
            runs[event.run] = _rewrite_run(Run(draft / folder, season.max_games), mine)
        elif mine:  # it is void, and nothing was played
            removed.append(folder)
    salt = token_hex(16)
    written, lines = _rewritten_log(season.log, replace, slugs, labels)
    request = Replacement(pseudonym, salt, _digest(author, salt), removed)
    last = season.log.linked(Anonymized(time=now(), author=pseudonym, digest=request.digest, lines=lines, runs=runs))
    written.append(msgspec.json.encode(last))  # at once: without it, the other lines would not follow from each other
    make_folders(draft)
    write_atomically(draft / log.FILE, b"".join(line + b"\n" for line in written))
    write_atomically(draft / terms.FILE, new_terms.encode())
    write_atomically(draft / REQUEST, msgspec.json.encode(request))
    put_in_place(draft, season.folder / ANONYMIZED)  # from here on, the season is without the names
    resume(season.folder, author)
    season.log = Log(season.folder)
    season.written = SeasonTerms.read(season.folder)
    return request


def _digest(author: str, salt: str) -> str:
    return sha256(f"{salt}/{author}".encode()).hexdigest()


def resume(folder: Path, author: str) -> Replacement | None:
    """Move what replaces a season's files to its place, as far as that was not done before, and return the request.

    Args:
        folder: The season's folder.
        author: The author.

    Returns:
        None if nothing was interrupted.

    Raises:
        UserError: The names of another author are being replaced, or the folder was not written by wordpl.
    """
    known = folder / ANONYMIZED / REQUEST
    if not os.path.lexists(known):
        with suppress(OSError):  # it is not empty, or not there
            known.parent.rmdir()
        return None
    try:
        request = msgspec.convert(bounded.read_json(bounded.SEASON_FILE, known), Replacement)
    except msgspec.ValidationError as error:
        raise UserError(f"{known} is not what wordpl has written: {error}.") from None
    if _digest(author, request.salt) != request.digest:
        raise UserError(f"the names of {request.author} are being replaced: repeat the command with his name first.")
    for name in filter(paths.is_plain, request.removed):
        around, _, last = name.rpartition("/")
        path = paths.inside(folder, around) / last
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
        if path.parent.is_dir():
            sync_folder(path.parent)
    runs = [f"{part}/{new.name}" for part in (ROUNDS, CONFIRMATIONS) for new in (folder / ANONYMIZED / part).glob("*")]
    for name in (*sorted(runs), terms.FILE, log.FILE):  # without the log, the others say nothing
        new, place = paths.inside(folder, f"{ANONYMIZED}/{name}"), paths.inside(folder, name)
        if new.is_dir() and place.exists():
            shutil.rmtree(place)
        if new.exists():
            put_in_place(new, place)
    for part in (ROUNDS, CONFIRMATIONS):
        with suppress(FileNotFoundError):
            (folder / ANONYMIZED / part).rmdir()
    return request


def close(folder: Path) -> None:
    """End the replacement of names: the last trace of it, which has the salt, is removed."""
    (folder / ANONYMIZED / REQUEST).unlink()
    sync_folder(folder / ANONYMIZED)
    (folder / ANONYMIZED).rmdir()
    sync_folder(folder)


def _replacing(names: Mapping[str, str]) -> Replace:
    """Return a function that replaces these names in a text, also in those of files, where they are whole words."""
    words = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    end = rf"(?![\w-])(?!\.(?!(?:{PYTHON[1:]}|{PROGRAM[1:]})\b)\w)"
    found = re.compile(rf"(?<![\w-])(?<!\w\.)({words}){end}")
    return lambda text: found.sub(lambda match: names[match[1]], text)


def _replaced_terms(season: Season, replace: Replace) -> str:
    """Return season.toml without the names.

    Raises:
        UserError: Something else would change, too.
    """
    before = SeasonTerms.text(season.folder)
    after = _in_values(before, replace)
    old, new = SeasonTerms.parse(before), SeasonTerms.parse(after)
    people = ("authors", "owners", "title", "prize", "first_prize")
    if any(getattr(old, name) != getattr(new, name) for name in old.__struct_fields__ if name not in people):
        raise UserError(f"a name is also a value of {terms.FILE}: this cannot be replaced.")
    return after


def _in_values(text: str, replace: Replace) -> str:
    """Return the text of a season.toml with names replaced in values, comments, and keys of tables of names."""
    lines, table = [], ""
    for line in text.splitlines(keepends=True):
        if line.startswith("["):
            table = line.strip()
        key, equals, value = line.partition("=")
        is_kept = equals and table not in ("[authors]", "[owners]") and not line.lstrip().startswith("#")
        lines.append(key + equals + replace(value) if is_kept else replace(line))
    return "".join(lines)


def _copy(source: Path, target: Path) -> None:
    """Copy the folder of a run."""
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        if path.is_dir() and not path.is_symlink():
            place.mkdir(parents=True, exist_ok=True)
        elif path.name != LOCK:
            place.parent.mkdir(parents=True, exist_ok=True)
            with bounded.open_file(bounded.RECORDS, path) as file:
                write_atomically(place, iter(lambda: file.read(bounded.CHUNK_BYTES), b""))


def _rewrite_run(run: Run, slugs: Mapping[str, str]) -> tuple[str, str]:
    """Write the folder of a run without an author's names, and return its new seal and the digest of its files.

    Args:
        run: The run.
        slugs: The new slugs of his entries by the old ones.
    """
    info = run.info
    terms_before = info.replaced or seal.terms_digest(info.facts())
    kept = {digest for entry in info.entries if entry.slug not in slugs for digest in entry.digests}
    for entry in [entry for entry in info.entries if entry.slug in slugs]:
        found = run.entry(entry)
        played, repeated = found.read(), [one for several in found.repeats().values() for one in several]
        anonymous = EntryInfo(
            slugs[entry.slug], slugs[entry.slug], entry.game, slugs[entry.slug] + PYTHON, REMOVED, entry.sha256,
            entry.written, UNSET, entry.uses,
        )  # fmt: skip
        for digest in {*entry.digests} - kept:
            shutil.rmtree(run.folder / STORE / digest, ignore_errors=True)
        target = run.entry(anonymous)
        if os.path.lexists(found.durations_path):
            found.durations_path.replace(target.durations_path)
        for path in (found.records_path, found.repeats_path, found.fingerprints_path):
            for one in (path, records.compressed_path(path)):
                one.unlink(missing_ok=True)
        compressed = records.compressed_path(found.durations_path)
        if compressed.exists():
            compressed.replace(records.compressed_path(target.durations_path))
        for path, lines in ((target.records_path, played), (target.repeats_path, repeated)):
            write_atomically(path, b"".join(encode(_without_message(record)) for record in lines))
        write_atomically(target.fingerprints_path, target.fingerprints())
        info.entries[info.entries.index(entry)] = anonymous
    info.played_again = {slugs.get(slug, slug): games for slug, games in info.played_again.items()}
    info.after_seed = [slugs.get(slug, slug) for slug in info.after_seed]
    info.replaced = terms_before
    info.seal = run.seal_of(info.facts())
    write_atomically(run.folder / "run.json", info.to_json())
    fresh = Run(run.folder)
    fresh.compress()
    return str(info.seal), digest_of_files(fresh)


def _without_message(record: Record) -> Record:
    """Return a record without the message of a failure, which has names of files and classes."""
    return record if record.verdict in NOT_FAILURES else msgspec.structs.replace(record, message="")


def _own_files(own: Iterable[log.Version], names: Iterable[str]) -> Iterator[str]:
    """Yield the names of an author's files in the folder of the season."""
    for version in own:
        yield f"{log.VERSIONS_FOLDER}/{version.label}"
    for name in names:
        yield f"docs/entry-{name}.html"
        yield from (f"{STRATEGIES}/{name}{suffix}" for suffix in ("", PYTHON, PROGRAM))


def _rewritten_log(
    known: Log, replace: Replace, slugs: Mapping[str, Mapping[str, str]], labels: Mapping[str, str]
) -> tuple[list[bytes], dict[int, tuple[str, str]]]:
    """Return the lines of the log without the names, and the digests of those that changed, as they were and are.

    Args:
        known: The log.
        replace: Replaces the names in a text.
        slugs: For each run, the new slugs of the author's entries by the old ones.
        labels: The new name of each of his versions.
    """
    written, changed = [], dict(known.replaced)
    for number, (event, line) in enumerate(zip(known.events, known.lines(), strict=True), 1):
        facts = json.loads(line)
        match event:
            case Round(run=run):
                facts["players"] = {slugs.get(run, {}).get(slug, slug): v for slug, v in event.players.items()}
                facts["faults"] = {label: "could not be loaded" if label in labels else fault
                                   for label, fault in event.faults.items()}  # fmt: skip
            case Confirmation(run=run):
                facts["slug"] = slugs.get(run, {}).get(event.slug, event.slug)
        kept = {name: facts[name] for name in ("text",) if name in facts and isinstance(event, SeasonOpened)}
        facts = _walk(facts, replace) | {name: _in_values(text, replace) for name, text in kept.items()}
        if facts == json.loads(line):
            written.append(line)
            continue
        written.append(log.encoded(facts))
        changed[number] = (known.digests[number - 1], log.digest(written[-1]))
    return written, changed


def _walk(value: Any, replace: Replace) -> Any:
    """Return JSON with names replaced in all texts, and in all keys that are no fields of an event."""
    if isinstance(value, str):
        return replace(value)
    if isinstance(value, list):
        return [_walk(part, replace) for part in value]
    if isinstance(value, dict):
        return {key if key in log.FIELDS else replace(key): _walk(part, replace) for key, part in value.items()}
    return value
