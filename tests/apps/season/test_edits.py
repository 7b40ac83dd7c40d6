"""Whatever somebody edits in the folder of a season is found; with a digest from outside, a rewritten log is, too."""

import json
import shutil

import pytest

from tests.apps.season.test_season import isolated, new_season, submit
from tests.helpers.cli import wordpl
from wordpl.apps.season.log import digest
from wordpl.apps.season.season import Season

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900), isolated]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A season with two rounds, a confirmation, changed terms, a withdrawn version and pages."""
    folder = tmp_path_factory.mktemp("season") / "cup"
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME"):
            patch.setenv(name, str(folder.parent / name))
        submit(new_season(folder), "one", "two")
        for words in (["round"], ["confirm", "one", "--score", "p_win", "--value", "0.5"]):
            assert wordpl("season", *words, "-C", folder, "--quiet", "--jobs", "1").exit_code == 0
        terms = folder / "season.toml"
        terms.write_text(terms.read_text().replace("players = 4", "players = 5"))
        submit(Season(folder), "one", epsilon=7.0)
        submit(Season(folder), "late", epsilon=8.0)
        assert wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1").exit_code == 0
        assert wordpl("season", "withdraw", "late", "-C", folder).exit_code == 0
        assert wordpl("season", "site", "-C", folder).exit_code == 0
    return folder


@pytest.fixture
def cup(played, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(played.parent / "XDG_CACHE_HOME"))
    return shutil.copytree(played, tmp_path / "cup", symlinks=True)


def rounds(folder):
    return sorted((folder / "rounds").iterdir())


def replaced(path, old, new):
    assert old in path.read_text(), path
    path.write_text(path.read_text().replace(old, new, 1))


def appended(path, text):
    with path.open("a") as file:
        file.write(text)


def moved_behind_a_link(path):
    outside = path.parents[2] / f"outside-{path.name}"
    path.rename(outside)
    path.symlink_to(outside)


def run_json(folder, **values):
    path = rounds(folder)[0] / "run.json"
    facts = json.loads(path.read_text())
    path.write_text(json.dumps(facts | values, indent=2))


def record(folder):
    return sorted((rounds(folder)[0] / "records").iterdir())[0]


CONTENT = {
    "a version's file": lambda f: replaced(f / "versions/one@1/one.py", "crane", "slate"),
    "a file more in a version": lambda f: (f / "versions/one@1/more.py").write_text(""),
    "a hidden file in a version": lambda f: (f / "versions/one@1/.more").write_text(""),
    "an empty folder in a version": lambda f: (f / "versions/one@1/more").mkdir(),
    "a version's file is gone": lambda f: (f / "versions/one@1/one.py").unlink(),
    "a version is a link": lambda f: moved_behind_a_link(f / "versions/one@1"),
    "a version's file is a link": lambda f: moved_behind_a_link(f / "versions/two@1/two.py"),
    "all versions are a link": lambda f: moved_behind_a_link(f / "versions"),
    "a version more": lambda f: shutil.copytree(f / "versions/one@1", f / "versions/one@9"),
    "a version is gone": lambda f: shutil.rmtree(f / "versions/late@1"),
    "two versions are exchanged": lambda f: (f / "versions/one@1/one.py").replace(f / "versions/one@2/one.py"),
    "a record": lambda f: replaced(record(f), "slate", "crane"),
    "a record is gone": lambda f: record(f).write_bytes(b"".join(record(f).read_bytes().splitlines(True)[1:])),
    "a file of records is gone": lambda f: record(f).unlink(),
    "a file of records more": lambda f: record(f).with_name("more.jsonl").write_text(""),
    "a duration": lambda f: sorted((rounds(f)[0] / "durations").iterdir())[0].write_text("game;cpu_s\n"),
    "a fingerprint": lambda f: sorted((rounds(f)[0] / "fingerprints").iterdir())[0].write_text("0\n"),
    "repeated games": lambda f: sorted((rounds(f)[0] / "repeats").iterdir())[0].write_text(""),
    "a stored bundle": lambda f: next((rounds(f)[0] / "bundles").rglob("*.py")).write_text("pass"),
    "a bundle more": lambda f: (rounds(f)[0] / "bundles" / ("0" * 64)).mkdir() or
    (rounds(f)[0] / "bundles" / ("0" * 64) / "x.py").write_text(""),
    "the seed of a round": lambda f: run_json(f, seed="0" * 64),
    "the drawn seed of a round": lambda f: run_json(f, drawn_seed="0" * 64),
    "the commitment of a round": lambda f: run_json(f, commitment="0" * 64),
    "the seal of a round": lambda f: run_json(f, seal="0" * 64),
    "the machine of a round": lambda f: run_json(f, machine={"system": "Linux", "processors": 64}),
    "the versions of a round": lambda f: run_json(f, versions={"wordpl": "1", "python": "3"}),
    "the time of a round": lambda f: run_json(f, started="2026-01-01T00:00:00+00:00"),
    "restarted games of a round": lambda f: run_json(f, played_again={"one": [1]}),
    "a beacon of a round": lambda f: run_json(f, beacon="1 2 3"),
    "run.json is gone": lambda f: (rounds(f)[0] / "run.json").unlink(),
    "a file more in a round": lambda f: (rounds(f)[0] / "notes.txt").write_text(""),
    "a folder more in a round": lambda f: (rounds(f)[0] / "more").mkdir(),
    "a round is a link": lambda f: moved_behind_a_link(rounds(f)[0]),
    "a round is gone": lambda f: shutil.rmtree(rounds(f)[0]),
    "a round more": lambda f: shutil.copytree(rounds(f)[0], f / "rounds/2026-01-01-unknown"),
    "an empty folder of a round": lambda f: (f / "rounds/2026-01-01-000000-official").mkdir(),
    "a file among rounds": lambda f: (f / "rounds/notes.txt").write_text(""),
    "a confirmation is gone": lambda f: shutil.rmtree(next((f / "confirmations").iterdir())),
    "a round among confirmations": lambda f: shutil.copytree(rounds(f)[0], f / "confirmations" / "2026-01-01-x"),
    "the table": lambda f: replaced(f / "README.md", "two@1", "tow@1"),
    "a number of standings.json": lambda f: replaced(f / "standings.json", '"n_games": 8', '"n_games": 9'),
    "standings.json is gone": lambda f: (f / "standings.json").unlink(),
    "a page": lambda f: replaced(f / "docs/index.html", "two@1", "tow@1"),
    "a page is gone": lambda f: (f / "docs/entry-two.html").unlink(),
    "a page more": lambda f: (f / "docs/entry-ben.html").write_text("ben leads"),
    "a page is a link": lambda f: moved_behind_a_link(f / "docs/entry-two.html"),
    "the terms": lambda f: replaced(f / "season.toml", "players = 5", "players = 6"),
    "a comment in the terms": lambda f: replaced(f / "season.toml", "players = 5", "players = 5  #"),
    "the terms are gone": lambda f: (f / "season.toml").unlink(),
    "a module at the top": lambda f: (f / "queue.py").write_text("import os"),
    "a folder at the top": lambda f: (f / "wordpl").mkdir(),
    "a newline more in a version's file": lambda f: appended(f / "versions/one@1/one.py", "\n"),
    "a list of shared modules in a version": lambda f: (f / "versions/one@1/shared.txt").write_text(""),
    "a hidden file among versions": lambda f: (f / "versions/.more").write_text(""),
    "a hidden folder among versions": lambda f: (f / "versions/.more").mkdir(),
    "a record twice": lambda f: record(f).write_bytes(record(f).read_bytes() + record(f).read_bytes()),
    "a hidden file among records": lambda f: record(f).with_name(".more").write_text(""),
    "a text in a lock": lambda f: (f / ".lock").write_text("text"),
    "a text in the lock of a round": lambda f: (rounds(f)[0] / ".lock").write_text("text"),
    "a part of a round": lambda f: (rounds(f)[0] / "parts/1-of-2").mkdir(parents=True),
    "a journal of a round": lambda f: (rounds(f)[0] / ".begun").mkdir(exist_ok=True) or
    (rounds(f)[0] / ".begun/one.jsonl").write_text(""),
    "run.json in another form": lambda f: appended(rounds(f)[0] / "run.json", "\n"),
    "a field of run.json that nobody reads": lambda f: run_json(f, note="x"),
    "a sentence in the table": lambda f: replaced(f / "README.md", "<!-- end", "two has won.\n<!-- end"),
    "a second table": lambda f: appended(f / "README.md", "<!-- season -->\n|a|\n<!-- end of season -->\n"),
    "the table has no end": lambda f: replaced(f / "README.md", "<!-- end of season -->", ""),
    "a field of standings.json twice": lambda f: replaced(f / "standings.json", "{", '{"title": "mine", '),
    "standings.json in another form": lambda f: appended(f / "standings.json", "\n"),
    "a final document too early": lambda f: (f / "FINAL.md").write_text("two has won"),
    "pages behind a link": lambda f: moved_behind_a_link(f / "docs"),
    "a script in a page": lambda f: appended(f / "docs/index.html", "<script>1</script>"),
    "a folder among pages": lambda f: (f / "docs/more").mkdir(),
    "a module called like a license": lambda f: (f / "license.py").write_text("import os"),
    "a workflow more": lambda f: (f / ".github/workflows/more.yml").write_text("on: push"),
    "an entry that nobody has sent": lambda f: (f / "strategies/more.py").write_text("class Bot: pass"),
    "an empty line of the log": lambda f: appended(f / "log.jsonl", "\n"),
    "the log has no end": lambda f: (f / "log.jsonl").write_bytes((f / "log.jsonl").read_bytes()[:-1]),
    "a line of the log": lambda f: replaced(f / "log.jsonl", '"number":2', '"number":3'),
    "a line of the log is gone": lambda f: (f / "log.jsonl").write_bytes(
        b"".join(line for i, line in enumerate((f / "log.jsonl").read_bytes().splitlines(True)) if i != 3)),
    "the log is empty": lambda f: (f / "log.jsonl").write_text(""),
}  # fmt: skip


def rewritten(change):
    """Return an edit that changes the list of events and writes all digests anew."""

    def edit(folder):
        path = folder / "log.jsonl"
        events = [json.loads(line) for line in path.read_text().splitlines()]
        before, lines = "", []
        for event in change(events):
            lines.append(json.dumps(event | {"before": before}, separators=(",", ":")).encode())
            before = digest(lines[-1])
        path.write_bytes(b"".join(line + b"\n" for line in lines))

    return edit


def of_kind(events, kind):
    return [event for event in events if event["event"] == kind]


def with_values(kind, place=0, **values):
    def change(events):
        of_kind(events, kind)[place].update(values)
        return events

    return rewritten(change)


def added(**values):
    return rewritten(lambda events: [*events, {"time": events[-1]["time"], "release": events[-1]["release"], **values}])


LOG = {
    "a version was sent after its round": rewritten(lambda e: [*e[:1], *e[2:], e[1]]),
    "a round without a player": with_values("round", players={}),
    "a round of a version that nobody sent": with_values("round", players={"one": "one@7", "two": "two@1"}),
    "a round with another number": with_values("round", number=2),
    "a round with another commitment": with_values("round", commitment="0" * 64),
    "a round with a fault that it had not": with_values("round", faults={"nobody@1": "slow"}),
    "a round twice": rewritten(lambda e: [*e, *of_kind(e, "round")[:1]]),
    "an end twice": rewritten(lambda e: [*e, *of_kind(e, "played")[:1]]),
    "an end is gone": rewritten(lambda e: [one for one in e if one is not of_kind(e, "played")[0]]),
    "a record that was not shown": with_values("played", 1, is_shown=True),
    "another seal": with_values("played", seal="0" * 64),
    "another digest of files": with_values("played", files="0" * 64),
    "a confirmation with another level": with_values("confirmation", level=0.05),
    "a confirmation of another version": with_values("confirmation", version="two@1"),
    "a submission with another digest": with_values("submitted", digest="0" * 64),
    "a submission with another number": with_values("submitted", number=2),
    "a submission is gone": rewritten(lambda e: [one for one in e if one is not of_kind(e, "submitted")[-1]]),
    "standings that do not follow": rewritten(
        lambda e: [one | ({"standings": {"p_win": [["one@1", 1, 1, 0.9, 0.8, 1.0, 8]]}} if "standings" in one else {})
                   for one in e]),
    "terms with another text": with_values("opened", 1, text="title = 'x'"),
    "terms that hold earlier": with_values("opened", 1, round=1),
    "a value that nobody reads": with_values("submitted", note="x"),
    "keys in another order": rewritten(lambda e: [dict(reversed(one.items())) for one in e]),
    "a submission with another file": with_values("submitted", file="two.py"),
    "a submission with an expression": with_values("submitted", make="Bot(1)"),
    "players exchanged": with_values("round", players={"one": "two@1", "two": "one@1"}),
    "a closing round": with_values("round", closing=True, decides=True),
    "a player that could not be loaded": with_values("round", faults={"late@1": "slow"}),
    "a confirmation with another value": with_values("confirmation", value=0.1),
    "a confirmation of another score": with_values("confirmation", score="p05"),
    "a confirmation with another number": with_values("confirmation", number=2),
    "a confirmation that shows neither": with_values("played", 1, is_shown=None),
    "a round that shows a record": with_values("played", 0, is_shown=True),
    "standings twice": rewritten(lambda e: [*e, of_kind(e, "ranked")[-1]]),
    "a bridge of more games than were replayed": added(event="bridged", old="a", new="b", games={"one@1": [60, 70]}),
    "a bridge between unknown conditions": added(event="bridged", old="a", new="b", games={"one@1": [60, 60]}),
    "a ban of nobody": added(event="banned", author="nobody", reason="why"),
    "a ban without a reason": added(event="banned", author="two", reason=""),
    "a disqualification without a reason": added(event="disqualified", version="two@1", reason=""),
    "a void confirmation that nobody could know": rewritten(lambda e: [*e, {
        "event": "voided", "time": e[-1]["time"], "run": of_kind(e, "confirmation")[0]["run"], "reason": "why",
        "is_known": False, "release": e[-1]["release"]}]),
    "a version withdrawn twice": rewritten(lambda e: [*e, of_kind(e, "withdrawn")[0]]),
    "changed terms are gone": rewritten(lambda e: [one for one in e if one is not of_kind(e, "opened")[1]]),
    "another release": rewritten(lambda e: [one | {"release": "99.0"} for one in e]),
    "a time in the future": with_values("withdrawn", time="2999-01-01T00:00:00+00:00"),
    "a time that is none": with_values("submitted", time="yesterday"),
    "a time that runs backwards": with_values("withdrawn", time="2020-01-01T00:00:00+00:00"),
    "a void round that nobody announced": rewritten(
        lambda e: [*e, {"event": "voided", "time": e[-1]["time"], "run": "x", "reason": "y"}]),
}  # fmt: skip
ONLY_OUTSIDE = {
    "the last line is gone": rewritten(lambda e: e[:-1]),
    "another reason": rewritten(
        lambda e: [*e[:-1], {**e[-1], "event": "disqualified", "reason": "it cheated"}]),
    "a time in the past": with_values("opened", time="2020-01-01T00:00:00+00:00"),
    "another machine": with_values("played", machine="mine: Linux, 2 processors"),
}  # fmt: skip
"""Rewritten logs that contradict nothing in the folder once its pages are written anew."""


def verified(folder, *options):
    return wordpl("season", "verify", "-C", folder, *options)


def test_the_season_itself_holds(cup):
    result = verified(cup, "--digest", Season(cup).log.digests[4])
    assert result.exit_code == 0, result.output
    assert "Remark" not in result.output


@pytest.mark.parametrize("name", [*CONTENT, *LOG])
def test_an_edit_is_found_without_an_outside_witness(cup, name):
    (CONTENT | LOG)[name](cup)
    result = verified(cup)
    assert result.exit_code == 1 or "Remark" in result.output, result.output


@pytest.mark.parametrize("name", [*list(LOG)[::8], *ONLY_OUTSIDE])
def test_a_rewritten_log_does_not_continue_the_one_that_was_published(cup, name):
    published = Season(cup).log.last_digest
    (LOG | ONLY_OUTSIDE)[name](cup)
    wordpl("season", "site", "-C", cup)
    result = verified(cup, "--digest", published)
    assert result.exit_code == 1, result.output
