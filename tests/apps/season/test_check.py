"""What does not follow from the log and the seeds of a season is named, each by its own sentence."""

import json
import shutil

import pytest

from tests.helpers.cli import wordpl
from tests.helpers.trusted_seasons import TrustedSeason
from wordpl.apps.season import check, log
from wordpl.core.messages import UserError


def found(folder):
    """Return what is wrong with a season, in one text."""
    try:
        return "\n".join(check.problems(TrustedSeason(folder)))
    except UserError as error:
        return error.message


def first_of(faults):
    return next(iter(faults))


def rounds(folder):
    return sorted((folder / "rounds").iterdir())


def of_round(folder, part):
    return sorted((rounds(folder)[0] / part).iterdir())[0]


def appended(path, text):
    with path.open("a") as file:
        file.write(text)


def run_json(folder, part="rounds", **values):
    path = next((folder / part).iterdir()) / "run.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values, indent=2))


def linked(folder, name):
    outside = folder.parent / "outside"
    (folder / name).rename(outside)
    (folder / name).symlink_to(outside)


FILES = [
    {
        "the files of one@1 have changed": lambda f: appended(f / "versions/one@1/one.py", "\n"),
        "the files of two@1 have changed": lambda f: (f / "versions/two@1/two.py").unlink(),
        "versions/one@1/.more is not a file of this version": lambda f: (f / "versions/one@1/.more").write_text(""),
        "versions/one@1/more is not a file of this version": lambda f: (f / "versions/one@1/more").mkdir(),
        "versions/one@1 is a link": lambda f: linked(f, "versions/one@1"),
        "one@9 is in versions/, but not in the log": lambda f: shutil.copytree(
            f / "versions/one@1", f / "versions/one@9"),
        "another seal than the log says": lambda f: run_json(f, seal="0" * 64),
        "another commitment than the log says": lambda f: run_json(f, commitment="0" * 64),
        "notes.txt is no file of a run": lambda f: (rounds(f)[0] / "notes.txt").write_text(""),
        "parts is no file of a run": lambda f: (rounds(f)[0] / "parts").mkdir(),
        "rounds/x is not in the log": lambda f: (f / "rounds/x").mkdir(),
        "confirmations/x is not in the log": lambda f: (f / "confirmations/x").mkdir(),
        ".lock is no lock": lambda f: (rounds(f)[0] / ".lock").write_text("text"),
        "the last line of the log has no end": lambda f: (f / "log.jsonl").write_bytes(
            (f / "log.jsonl").read_bytes()[:-1]),
        "season.toml has changed since": lambda f: appended(f / "season.toml", "# more"),
        "3-official/.lock is no lock": lambda f: (rounds(f)[1] / ".lock").symlink_to("/dev/null"),
    },
    {
        "the files of two@1 are missing": lambda f: shutil.rmtree(f / "versions/two@1"),
        "versions is a link": lambda f: linked(f, "versions"),
        "has changed since it was played": lambda f: appended(of_round(f, "durations"), "\n"),
    },
    {
        "no readable run.json": lambda f: shutil.rmtree(rounds(f)[0]),
    },
]  # fmt: skip
"""What is wrong together, and how it comes about."""


def test_a_season_that_was_not_touched_holds(cup):
    assert found(cup.folder) == ""


def unnamed(folder, faults):
    text = found(folder)
    return [sentence for sentence in faults if sentence not in text]


@pytest.mark.parametrize("faults", FILES, ids=first_of)
def test_touched_files_are_named(cup, faults):
    for touch in faults.values():
        touch(cup.folder)
    assert unnamed(cup.folder, faults) == []


def test_games_that_do_not_follow_from_the_seed_are_found_even_if_they_are_sealed_anew(cup):
    """Whoever has the whole folder can seal it anew and write the log anew; only the seed contradicts him."""
    event = cup.played_rounds[0]
    run = cup.run_of(event)
    path = run.entries[0].records_path
    mark = path.read_text().partition('5.0,"')[2][0]  # the first one that was shown
    path.write_text(path.read_text().replace(f'5.0,"{mark}', f'5.0,"{"i" if mark == "c" else "c"}', 1))
    run.finish(run.info.finished)
    rewrite(cup.folder, lambda events: of_run(events, "played", event.run).update(
        seal=run.info.seal, files=check.digest_of_files(run)))  # fmt: skip
    assert f"{event.run}: " in found(cup.folder)
    assert "expected" in found(cup.folder)


def rewrite(folder, change):
    """Let a function change the list of events, and write the digests of all lines anew."""
    path = folder / "log.jsonl"
    events = [json.loads(line) for line in path.read_text().splitlines()]
    events = change(events) or events
    before, lines = "", []
    for event in events:
        lines.append(json.dumps(event | {"before": before}, separators=(",", ":")).encode())
        before = log.digest(lines[-1])
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def of_kind(events, kind, place=0):
    return [event for event in events if event["event"] == kind][place]


def of_run(events, kind, run):
    return next(event for event in events if event["event"] == kind and event["run"] == run)


def with_values(kind, place=0, **values):
    return lambda events: of_kind(events, kind, place).update(values)


def more(**values):
    return lambda events: [*events, {"time": events[-1]["time"], "release": events[-1]["release"], **values}]


def again(kind):
    return lambda events: [*events, of_kind(events, kind)]


def without(kind, place=0):
    return lambda events: [event for event in events if event is not of_kind(events, kind, place)]


def ranked_by_more_games(events):
    of_kind(events, "ranked", 1)["standings"]["p_win"][0][-1] += 1


def earlier(events):
    return [*events[:1], *events[2:5], events[1], *events[5:]]


LOG = [
    {
        "one@1, which was not sent before": earlier,
        "has other entries than the log says": with_values("round", players={"one": "one@1", "two": "two@1"}),
        "the numbers of the rounds are [1, 3]: one was left out": with_values("round", 1, number=3),
        "the numbers of the confirmations are [2]: one was left out": with_values("confirmation", number=2),
        "which was not announced, or was played before": again("played"),
        "a confirmation of this season has 0.0125": with_values("confirmation", level=0.03),
        "does not show what the log says": with_values("played", 1, is_shown=True),
        "was played by other files than those of": with_values("submitted", digest="0" * 64),
        "is not written as wordpl writes it": with_values("submitted", note="x"),
        "has no valid time": with_values("submitted", time="yesterday"),
        "should decide between no versions": with_values("round", 1, decides=True),
    },
    {
        "the next version of this name has the number 1": with_values("submitted", number=2),
        "another commitment than the log says": with_values("round", commitment="0" * 64),
        "another seal than the log says": with_values("played", seal="0" * 64),
        "has changed since it was played": with_values("played", files="0" * 64),
        "for the second time": again("round"),
        "gives no reason": more(event="banned", author="two", reason=" "),
        "bans nobody, who has sent nothing": more(event="banned", author="nobody", reason="why"),
        "with two@1, which was withdrawn or disqualified before": lambda events: [
            *events[:3], {**more(event="withdrawn", version="two@1")(events)[-1]}, *events[3:]],
        "bridges other conditions than those of the rounds before": more(event="bridged", old="a", new="b", games={}),
    },
    {
        "-official is open": without("played"),
        "the files of one@1 have changed": with_values("submitted", digest="0" * 64),
        "withdraws two@1, which was withdrawn or disqualified before": lambda events: [
            *events, *2 * more(event="withdrawn", version="two@1")(events)[-1:]],
        "more equal games than were replayed": more(event="bridged", old="a", new="b", games={"one@1": [60, 70]}),
        "with two@1, which was withdrawn or disqualified before": lambda events: [
            *events[:3], {**more(event="banned", author="two", reason="why")(events)[-1]}, *events[3:]],
    },
    {
        "was announced and never played to its end, although later ones were": without("played"),
        "the levels of the confirmations add up to 6.25%": lambda events: [
            *events, *(of_kind(events, "confirmation") | {"number": n, "run": f"c{n}"} for n in range(2, 6))],
    },
    {
        "the log of release": ranked_by_more_games,
        "line 14 of the log gives no reason": more(event="disqualified", version="one@1", reason=" "),
        "line 15 of the log gives no reason": lambda events: more(
            event="voided", run=of_kind(events, "round")["run"], reason=" ")(events),
    },
]  # fmt: skip
"""What is wrong together, and how it comes about."""


@pytest.mark.parametrize("faults", LOG, ids=first_of)
def test_a_line_that_does_not_follow_is_named_although_all_digests_were_written_anew(cup, faults):
    for change in faults.values():
        rewrite(cup.folder, change)
    assert unnamed(cup.folder, faults) == []


def test_a_round_whose_entries_are_not_those_of_the_log_has_no_standings(cup):
    rewrite(cup.folder, with_values("round", players={"one": "one@1", "other": "two@1"}))
    with pytest.raises(UserError, match="has other entries than the log says"):
        TrustedSeason(cup.folder).standings()


REFUSED = {
    "no run x can be void": more(event="voided", run="x", reason="why"),
    "is no confirmation, and shows no record": with_values("played", is_shown=True),
    "there is no version nobody@1": more(event="withdrawn", version="nobody@1"),
    "there is no version other@1": more(event="disqualified", version="other@1", reason="why"),
    "there is no version third@1": more(event="bridged", old="a", new="b", games={"third@1": [60, 60]}),
    "the terms have another digest": with_values("opened", terms="0" * 64),
    "which only a newer release of wordpl can read": with_values("opened", format=log.FORMAT + 1),
    "the next round has the number 1": with_values("opened", round=2),
    "the next round has the number 3": again("opened"),
    "'../x' is not a plain name": with_values("round", run="../x"),
    "'.x' is not a plain name": with_values("submitted", file=".x"),
    "the name of the machine is not a plain text": with_values("played", machine="\x1b[31mred"),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_a_log_with_an_event_that_cannot_be_is_not_read(cup, sentence):
    rewrite(cup.folder, REFUSED[sentence])
    with pytest.raises(UserError) as error:
        log.Log(cup.folder)
    assert sentence in error.value.message


def test_a_run_that_is_void_may_be_lost_and_is_not_void_twice(cup):
    event = cup.played_rounds[0]
    cup.void(event.run, "bad memory")
    assert found(cup.folder) == ""
    appended(of_round(cup.folder, "durations"), "\n")
    assert "has changed since it was played" in found(cup.folder)
    rewrite(cup.folder, again("voided"))
    with pytest.raises(UserError, match="can be void"):
        log.Log(cup.folder)


def test_a_log_has_to_continue_the_one_whose_digest_was_published(cup):
    words = ("season", "verify", "-C", cup.folder, "--digest")
    cup.log.path.parent.joinpath("README.md").write_text("")
    published = [wordpl(*words, digest).output for digest in (cup.log.digests[3], "0" * 64)]
    assert ["the log does not continue the one with the digest" in " ".join(text.split()) for text in published] == [
        False, True]  # fmt: skip
