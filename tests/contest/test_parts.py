"""A run of parts that were played elsewhere has the bytes of one machine's run, or the part that differs is named."""

import random
import re
import shutil
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

from tests.helpers import written_runs
from tests.helpers.runs import DRAWS_ALL, new_run, own_choice, resume
from tests.helpers.written_runs import BOT, write_games
from wordpl import Contest, Run
from wordpl.contest import isolation, official, parts, run_folder, run_worker
from wordpl.contest.referee import GameSetup
from wordpl.core.messages import UserError
from wordpl.core.moves import NoisyMove, Verdict
from wordpl.core.seeds import Draws
from wordpl.games import make_game
from wordpl.players.sandbox.probe import probe
from wordpl.reports import verification
from wordpl.run.config import PlayerKind, RunConfig
from wordpl.run.info import RunInfo, RunInfoOf1
from wordpl.run.records import Record, Replay, encode

N_GAMES = 12
TRUSTED = {"player": PlayerKind.TRUSTED, "level": ""}


def run_in(folder: Path, **fields) -> Run:
    folder.mkdir()
    return new_run(
        folder, {"one": DRAWS_ALL, "two": DRAWS_ALL}, **{"n_games": N_GAMES, "repeats": 4, **TRUSTED, **fields}
    )


def play_part(run: Run, text: str, at: Path | None = None) -> Path:
    """Play a part in a copy of the run, as on another machine, and return its folder, which lies at `at`."""
    place = Contest.part(run.folder, text, **own_choice(run)).play().folder
    return shutil.move(place, at) if at else place


def join(run: Run, *folders: Path) -> Run:
    return Contest.resume(run.folder, **own_choice(run)).play(parts_played=folders)


def content(run: Run) -> dict[str, bytes]:
    """Return the sealed files of a run, without the repetitions with fresh noise."""
    files = {path for folder in ("records", "fingerprints", "repeats") for path in (run.folder / folder).iterdir()}
    anew = f'"replay":"{Replay.DRAWS}"'.encode()
    return {
        str(path.relative_to(run.folder)): b"".join(
            line for line in path.read_bytes().splitlines(keepends=True) if anew not in line
        )
        for path in files
    }


@pytest.fixture
def whole(tmp_path):
    """Return the files of the run that one machine played."""
    return content(resume(run_in(tmp_path / "whole")).play())


@pytest.mark.parametrize("n_parts", [1, 5, pytest.param(2 * N_GAMES, marks=pytest.mark.slow)])
def test_any_cut_gives_the_same_bytes(tmp_path, whole, n_parts):
    run = run_in(tmp_path / "cut")
    places = [play_part(run, f"{number}/{n_parts}") for number in range(1, n_parts + 1)]
    assert parts.found_in(run) == places
    joined = join(run, *reversed(places))
    assert content(joined) == whole
    assert joined.info.parts == {
        str(part.info.part): part.info.seal for part in (Run(place, may_be_part=True) for place in places)
    }
    assert joined.info.seal == joined.seal_of(joined.info.facts())


def test_parts_hold_each_game_once(tmp_path):
    run = run_in(tmp_path / "run")
    for of in range(1, 2 * N_GAMES + 1):
        infos = [parts.info_of(run.info, number, of) for number in range(1, of + 1)]
        games = [(entry.slug, number) for info in infos for entry in info.entries for number in info.numbers(entry)]
        assert games == [(slug, number) for slug in ("one", "two") for number in range(N_GAMES)]
        sizes = {sum(len(info.numbers(entry)) for entry in info.entries) for info in infos}
        assert max(sizes) - min(sizes) <= 1
    with pytest.raises(UserError, match="24 games of all entries together, which cannot be cut into 25 parts"):
        parts.info_of(run.info, 1, 25)


@pytest.mark.parametrize("text", ["0/0", "0/4", "5/4", "3", "1/0", "-1/2", "a/b", "1/4/5"])
def test_what_is_no_part_is_named(text):
    with pytest.raises(UserError, match="it should be I/N, such as 3/40"):
        parts.numbered(text)


def test_a_join_plays_what_is_missing_and_ends_interrupted_parts(tmp_path, whole):
    run = run_in(tmp_path / "run")
    first, third = play_part(run, "1/3"), Path(parts.prepare(run, 3, 3))
    third_run = Run(third, may_be_part=True)
    third_run.entries[-1].records_path.write_bytes(b'{"game":4,"secret":"ab')  # it was killed in its first game
    joined = join(run, first, third)
    assert content(joined) == whole
    assert set(joined.info.parts) == {"1/3", "3/3"}
    assert join(joined, first).info.seal == joined.info.seal


def test_games_that_a_lost_part_may_have_begun_are_listed_as_played_again(tmp_path, whole):
    run = run_in(tmp_path / "run")
    first = play_part(run, "1/3")
    shutil.rmtree(parts.prepare(run, 2, 3))
    joined = join(run, first)
    assert content(joined) == whole
    assert joined.info.played_again == {"one": [8, 9, 10, 11], "two": [0, 1, 2, 3]}


def test_a_part_is_refused_where_a_run_is_needed_and_its_run_does_not_end_before(tmp_path):
    run = run_in(tmp_path / "run")
    place = play_part(run, "1/2")
    with pytest.raises(UserError, match="is part 1/2 of a run: `wordpl join RUN PARTS"):
        Run(place)
    with pytest.raises(UserError, match=r"is part 1/2 of a run: it has no parts to play"):
        parts.prepare(Run(place, may_be_part=True), 1, 2)
    with pytest.raises(UserError, match="it is a run, and no part of one"):
        join(run, resume(run_in(tmp_path / "other")).play().folder)


def test_an_entry_that_has_used_up_its_time_plays_no_more_games_of_other_parts(tmp_path, monkeypatch):
    run = run_in(tmp_path / "run", total_s=30.0, repeats=0)
    monkeypatch.setattr(
        run_worker.TrustedPlayer, "duration", lambda self, number: run_worker.Duration(number, 5.0, 5.0)
    )
    joined = join(run, *(play_part(run, f"{number}/6") for number in range(1, 7)))
    for entry in joined.entries:
        verdicts = [record.verdict for record in entry.read()]
        assert verdicts.count(Verdict.UNPLAYED) == N_GAMES - 6


# What can happen to a part: each takes the run, the folder of a part, an empty folder and a source of chance.


def vanishes(run, place, folder, rng):
    shutil.rmtree(place)


def is_torn(run, place, folder, rng):
    path = rng.choice([path for path in place.rglob("*") if path.is_file() and path.stat().st_size])
    path.write_bytes(path.read_bytes()[: rng.randrange(path.stat().st_size)])


def is_changed(run, place, folder, rng):
    path = rng.choice([path for path in place.rglob("*") if path.is_file() and path.stat().st_size])
    data = bytearray(path.read_bytes())
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)


def is_doubled(run, place, folder, rng):
    shutil.copytree(place, folder / place.name)


def is_of_another_run(run, place, folder, rng):
    other = run_in(folder / "other", seed="eight")
    shutil.rmtree(place)
    shutil.move(play_part(other, place.name.replace("-of-", "/")), place)


def is_interrupted(run, place, folder, rng):
    part = Run(place, may_be_part=True)
    for entry in part.entries:
        lines = entry.records_path.read_bytes()
        entry.records_path.write_bytes(lines[: rng.randrange(len(lines) + 1)])
    part.info.finished = part.info.seal = None
    part.write_info()


def has_lost_a_file(run, place, folder, rng):
    rng.choice([path for path in place.rglob("*") if path.is_file()]).unlink()


def is_of_another_cut(run, place, folder, rng):
    of = rng.randrange(2, 9)
    play_part(run, f"{rng.randrange(1, of + 1)}/{of}")


HARMS = [
    vanishes,
    is_torn,
    is_changed,
    is_doubled,
    is_of_another_run,
    is_interrupted,
    has_lost_a_file,
    is_of_another_cut,
]


@pytest.mark.parametrize("harm", HARMS)
@pytest.mark.parametrize(
    "seed", [pytest.param(0, marks=pytest.mark.slow), *(pytest.param(n, marks=pytest.mark.long) for n in range(1, 25))]
)
def test_a_part_that_is_lost_or_harmed_is_named_or_the_bytes_are_the_same(tmp_path, whole, harm, seed):
    rng = random.Random(f"{harm.__name__} {seed}")
    run, n_parts = run_in(tmp_path / "run"), rng.randrange(2, 9)
    places = [play_part(run, f"{number}/{n_parts}") for number in range(1, n_parts + 1)]
    (tmp_path / "more").mkdir()
    harmed = rng.choice(places)
    harm(run, harmed, tmp_path / "more", rng)
    given = [*parts.found_in(run), *(place for place in (tmp_path / "more").iterdir() if place.name != "other")]
    try:
        joined = join(run, *given)
    except UserError as error:
        assert str(harmed) in error.message
        joined = join(Run(run.folder), *(place for place in given if place != harmed))
    assert content(joined) == whole
    assert joined.info.seal == joined.seal_of(joined.info.facts())


@pytest.mark.slow
def test_a_harmed_part_with_a_new_seal_is_refused_for_what_was_changed(tmp_path):
    run = run_in(tmp_path / "run")

    def refusal(change) -> str:
        place = play_part(run, "1/2")
        part = Run(place, may_be_part=True)
        change(part)
        for entry in part.entries:
            entry.fingerprints_path.write_bytes(entry.fingerprints())
        part.info.seal = part.seal_of(part.info.facts())
        part.write_info()
        with pytest.raises(UserError) as caught:
            join(Run(run.folder), place)
        shutil.rmtree(place)
        assert str(place) in caught.value.message
        return caught.value.message

    def with_config(**fields):
        return lambda part: setattr(part.info, "config", msgspec.structs.replace(part.info.config, **fields))

    def with_entry(**fields):
        return lambda part: part.info.entries.__setitem__(0, msgspec.structs.replace(part.info.entries[0], **fields))

    def with_records(change):
        def apply(part):
            path = part.entries[0].records_path
            path.write_bytes(change(path.read_bytes()))

        return apply

    assert "config in its run.json differs" in refusal(with_config(timeout_s=60.0))
    assert "entries in its run.json differs" in refusal(with_entry(sha256="0" * 64))
    assert "versions in its run.json differs" in refusal(lambda part: part.info.versions.update(wordpl="1.0.0"))
    assert "seed in its run.json differs" in refusal(lambda part: setattr(part.info, "seed", "other"))
    not_its_games = "its records of one are not those of its games, one of each in their order"
    for change in (
        lambda text: text.replace(b'"game":3', b'"game":4'),
        lambda text: text.replace(b'"game":3', b'"game": 3'),
        lambda text: b"".join(line for line in text.splitlines(keepends=True) if b'"game":5' not in line),
        lambda text: b"".join(reversed(text.splitlines(keepends=True))),
        lambda text: text + text[text.rindex(b"\n", 0, -1) + 1 :],
        lambda text: text.replace(b'"won"', b'"wan"').replace(b'"wrong"', b'"rong"'),
    ):
        assert not_its_games in refusal(with_records(change)), change


@pytest.fixture
def written_part(tmp_path):
    """A run of two entries that was given out in two parts, and the folder of the first, whose games are written."""
    (tmp_path / "given").mkdir()
    sources = {name: BOT.format(word="crane", epsilon=epsilon) for name, epsilon in (("one", 5.0), ("two", 6.0))}
    run = new_run(tmp_path / "given", sources, n_games=3, **TRUSTED)
    place = parts.prepare(run, 1, 2)
    part = Run(place, may_be_part=True)
    write_games(part)
    part.info.played_again = {"one": [1]}
    part.finish("2026-11-01T00:00:00+00:00")
    return Run(run.folder), place


def taken(run, place):
    with parts.Join(run, lambda progress: None) as join:
        join.take(place)
    return run.entries[0].played().n_games


def test_a_part_is_taken_once_with_its_games_and_the_lost_one_is_listed(written_part):
    run, place = written_part
    assert parts.left(run, 2) == [1, 2]
    assert taken(run, place) == 3
    assert taken(run, place) == 3
    assert set(run.info.parts) == {"1/2"}
    assert parts.left(run, 2) == [2]
    assert parts.left(run, 1) == []  # of which some games have been played
    (place.parent / parts.GIVEN).unlink()
    assert parts.prepare(Run(run.folder), 1, 2) == place
    assert parts.given(run) == {"1/2"}
    assert run.entries[0].records_path.read_bytes() == Run(place, may_be_part=True).entries[0].records_path.read_bytes()
    (parts.folder_of(run, 2, 2).parent / parts.GIVEN).write_text("1/2\nx\n2/2\n4/")
    assert parts.given(run) == {"1/2", "2/2"}
    assert Run(run.folder).info.played_again == {"one": [1]}  # as the part says
    written_runs.append(run, 1, range(1, 2))
    taken(run, place)
    assert Run(run.folder).info.played_again == {"one": [1], "two": [0, 2]}  # somebody has begun them
    assert parts.info_of(run.info, 1, 2).played_again == {}


def test_a_part_that_was_taken_is_not_read_again(written_part):
    run, place = written_part
    assert taken(run, place) == 3
    Run(place, may_be_part=True).entries[0].records_path.unlink()
    assert taken(run, place) == 3


def test_what_was_taken_is_on_disk_before_run_json_says_so_at_the_latest_after_a_while(written_part, monkeypatch):
    run, place = written_part
    monkeypatch.setattr(parts, "SYNC_S", -1.0)
    with parts.Join(run, lambda progress: None) as join:
        join.take(place)
        assert set(Run(run.folder).info.parts) == {"1/2"}
        assert Run(run.folder).entries[0].played().n_games == 3


def test_records_are_sorted_after_a_join_unless_each_part_followed_the_one_before(written_part):
    run, place = written_part
    lines = Run(place, may_be_part=True).entries[0].records_path.read_bytes().splitlines(keepends=True)
    for before, is_sorted in ((b"", True), (lines[2], False)):
        run.entries[0].records_path.write_bytes(before)
        run.info.parts = {}
        with parts.Join(run, lambda progress: None) as join:
            join.take(place)
            assert join.taken["one"].is_sorted == is_sorted


def test_parts_are_given_out_of_runs_alone_that_go_on(written_part):
    run, place = written_part
    (place.parent / parts.GIVEN).write_bytes(b"1/2\n4/")
    parts.prepare(run, 2, 2)
    assert (place.parent / parts.GIVEN).read_bytes() == b"1/2\n2/2\n"
    with pytest.raises(UserError, match="is part 2/2 of a run: it has no parts to play"):
        parts.prepare(Run(parts.folder_of(run, 2, 2), may_be_part=True), 1, 3)
    facts = {name: getattr(run.info, name) for name in RunInfo.__struct_fields__}
    old = Run(run.folder)
    old.info = RunInfoOf1(**facts)
    with pytest.raises(UserError, match="which this release only reads"):
        parts.prepare(old, 1, 3)
    run.info.played_again = {"one": [1], "two": [0]}
    parts.list_again(run, {"one": [2, 0], "two": []})
    assert run.info.played_again == {"one": [0, 1, 2], "two": [0]}
    run.finish("2026-11-01T00:00:00+00:00")
    with pytest.raises(UserError, match="has finished: it has no parts to play"):
        parts.prepare(Run(run.folder), 1, 3)


def test_the_games_and_wins_of_a_part_are_reported(written_part):
    run, place = written_part
    (tmp := place.with_name(".draft")).mkdir()
    (tmp / "run.json").write_bytes((place / "run.json").read_bytes())
    assert parts.found_in(run) == [place]
    path = Run(place, may_be_part=True).entries[0].records_path
    path.write_bytes(path.read_bytes().replace(b'"wrong"', b'"won"', 1))
    Run(place, may_be_part=True).finish("2026-11-01T00:00:00+00:00")
    reports = []
    with parts.Join(run, reports.append) as join:
        join.take(place)
    assert [(report.n_played, report.n_won) for report in reports] == [(0, 0), (3, 1)]


def test_as_many_games_are_repeated_as_the_time_of_the_parts_allows(tmp_path):
    """Which their durations tell, as the games were played elsewhere."""
    sources = {"bot": BOT.format(word="crane", epsilon=5.0)}
    run = new_run(tmp_path, sources, n_games=55, **{**TRUSTED, "repeats": None})
    place = parts.prepare(run, 1, 1)
    part = Run(place, may_be_part=True)
    write_games(part)
    durations = part.entries[0].durations_path
    durations.write_text(durations.read_text().replace(";0.000083;0.000226;", ";9.0;9.0;"))
    part.finish("2026-11-01T00:00:00+00:00")
    assert join(Run(run.folder), place).info.n_repeats == 55


EDITS_OF_A_PART = {
    "records or its run.json are not as they were sealed": (
        False, lambda text: text.replace(b'"crane",5.0', b'"crane",4.0', 1)),
    "not those of its games, one of each in their order": (True, lambda text: text[: text.rindex(b"\n", 0, -1) + 1]),
    "one of each in their order": (True, lambda text: b"".join(reversed(text.splitlines(keepends=True)))),
    "its records of one are not those of its games": (True, lambda text: text.replace(b'"game":2', b'"game":1')),
    "its records of one are": (True, lambda text: text.replace(b'"game":2', b'"game": 2')),
    "in place of 5 marks": (True, lambda text: re.sub(rb'"[.ic]{5}"', b'"abcde"', text)),
}  # fmt: skip


@pytest.mark.parametrize("reason", EDITS_OF_A_PART)
def test_a_part_whose_records_are_not_those_of_its_games_is_refused_whatever_its_seal(written_part, reason):
    run, place = written_part
    is_sealed, change = EDITS_OF_A_PART[reason]
    part = Run(place, may_be_part=True)
    path = part.entries[0].records_path
    path.write_bytes(change(path.read_bytes()))
    if is_sealed:
        part.finish(part.info.finished)
    with pytest.raises(UserError) as error:
        taken(run, place)
    assert reason in error.value.message
    assert run.entries[0].played().n_games == 0
    assert Run(run.folder).info.played_again == {}


@pytest.mark.parametrize("name", ["seed", "config", "versions", "entries", "commitment", "beacon", "finished", "part"])
def test_a_part_of_another_run_or_of_other_terms_is_refused(written_part, name):
    run, place = written_part
    part = Run(place, may_be_part=True)
    other = {
        "seed": "eight", "config": msgspec.structs.replace(part.info.config, timeout_s=9.0), "versions": {},
        "entries": [msgspec.structs.replace(part.info.entries[0], sha256="0" * 64)], "commitment": "0" * 64,
        "beacon": "1 2 3", "finished": None, "part": None,
    }  # fmt: skip
    setattr(part.info, name, other[name])
    part.info.seal = part.seal_of(part.info.facts())
    part.write_info()
    with pytest.raises(UserError, match=r"is not taken: it (is|has)"):
        taken(run, place)
    assert run.entries[0].played().n_games == 0


def test_a_part_of_a_run_with_a_commitment_knows_the_draws_of_its_own_games_and_no_seed(tmp_path):
    info = run_in(tmp_path / "run").info
    secret = parts.info_of(msgspec.structs.replace(info, commitment="0" * 64, drawn_seed="1", repeats_seed="2"), 1, 3)
    assert (secret.seed, secret.drawn_seed, secret.repeats_seed) == (None, None, None)
    assert parts.info_of(info, 1, 3).seed == info.seed


def test_two_parts_with_the_same_game_must_have_the_same_record(tmp_path, monkeypatch):
    run = run_in(tmp_path / "run")
    first = play_part(run, "1/2", tmp_path / "first")
    monkeypatch.setattr(Draws, "game_key", lambda self, number: bytes(32))
    second = play_part(run, "1/2", tmp_path / "second")
    monkeypatch.undo()
    with pytest.raises(
        UserError, match=r"second is not taken: game 0 of one went otherwise than in a part taken before"
    ):
        join(run, first, second)
    assert set(join(Run(run.folder), first).info.parts) == {"1/2"}


def test_the_order_of_play_is_that_of_the_draws_for_any_number_of_games():
    draws = Draws.of("seven")
    many = draws.order(150_000)
    assert sorted(many) == list(range(150_000))
    few = set(range(1000))
    assert [number for number in many if number in few] == draws.order(1000)
    assert [number for number in many if 200 <= number < 900] == draws.order(range(200, 900))


WINS = """
    class Bot:
        def first_move(self):
            return "crane", 9.0

        def next_move(self, guess, epsilon, clues):
            return guess, 0
"""


@pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")
def test_the_part_of_an_official_run_has_the_draws_of_its_games_alone_in_the_order_of_play(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    sources = {name: BOT.format(word="crane", epsilon=epsilon) for name, epsilon in (("one", 5.0), ("two", 6.0))}
    info = new_run(tmp_path, sources, n_games=20, level=str(probe().level), seed=None, beacon_from="round 5").info
    run = official.new_run(tmp_path / "official" / "run", info)
    run.store.copy_from(Run(tmp_path / "run").store, [entry.sha256 for entry in info.entries])
    with pytest.raises(UserError, match="waits for its beacon"):
        parts.prepare(run, 2, 3)
    part = Run(parts.prepare(run, 2, 3, "00ff"), may_be_part=True)
    assert part.info.seed is None
    assert [entry.numbers for entry in part.entries] == [range(13, 20), range(6)]
    draws = official.draws(part)
    assert list(draws.games) == [number for number in official.draws(run).order(20) if not 6 <= number < 13]
    assert (part.folder / "draws.json").stat().st_mode & 0o777 == 0o600
    assert part.store.folder.stat().st_mode & 0o777 == 0o700
    isolation.require_hidden(part, tmp_path)  # also from its own players


@pytest.mark.long
@pytest.mark.timeout(300)
@pytest.mark.skipif(not probe().level.is_official, reason="needs Landlock or bubblewrap")
def test_an_official_run_is_played_in_parts_on_machines_that_know_their_own_games_and_a_forged_part_is_found(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "bots").mkdir()
    for name in ("one", "two"):
        (tmp_path / "bots" / f"{name}.py").write_text(f"# {name}\n{dedent(WINS)}")
    config = RunConfig(n_games=40, official=True, beacon_from="round 5", results=tmp_path / "results", repeats=2)
    run = Contest(config, sorted((tmp_path / "bots").iterdir())).open()
    committed = run.info.commitment
    with pytest.raises(UserError, match="waits for its beacon, round 5"):
        Contest.part(run.folder, "1/8")
    machines = [tmp_path / name for name in ("ada", "bob", "eve")]
    places = []
    for number in range(1, 9):
        prepared = Contest.part(run.folder, f"{number}/8", beacon="00ff").open()
        places.append(machines[number % 3] / prepared.folder.name)
        places[-1].parent.mkdir(exist_ok=True)
        shutil.move(prepared.folder, places[-1])
    (secret,) = (tmp_path / "state").rglob(str(committed))
    drawn_seed = secret.read_text().strip()
    secret.rename(tmp_path / "hidden")  # no other machine has the seed
    for place in places:
        part = Run(place, may_be_part=True)
        assert {draws.number for draws in official.draws(part).games.values()} == {*part.entries[0].numbers}
        assert (place / "draws.json").stat().st_mode & 0o077 == 0
        assert not any(drawn_seed in path.read_text() for path in place.rglob("*") if path.is_file())
        Contest.resume(place).play()
    (tmp_path / "hidden").rename(secret)
    forge(places[5])
    joined = Contest.resume(run.folder).play(parts_played=places)
    assert joined.info.commitment == committed
    assert len(joined.info.parts) == 8
    joined.report().write()
    found = joined.verify(replay=60, commitment=committed)
    assert {(each.source, each.what) for each in found.differences} == {("Bot [bots/two.py]", "the game")}
    assert {int(each.place.removeprefix("game ")) for each in found.differences} <= {*range(10, 20)}
    assert "8 parts that others may have played" in verification.conditions(joined.info)["machine"]


def forge(place: Path) -> None:
    """Let the player of a part, who knows its secrets, win all of its games, and seal it."""
    part = Run(place, may_be_part=True)
    (entry,) = part.entries
    game, draws = make_game(entry.info.game, part.info.config.load_lists()), official.draws(part)
    secrets = {number: GameSetup.of(game, draws.game(number)).secret for number in entry.numbers}
    won = [Record(number, word, [NoisyMove(word, 0, "")], Verdict.WON) for number, word in secrets.items()]
    entry.records_path.write_bytes(b"".join(map(encode, won)))
    part.info.finished = None
    part.finish(run_folder.now())
