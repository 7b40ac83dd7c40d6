"""`wordpl words update` and `backtest`: later answers, from a file or a league, in the lists and the prior."""

import csv
import json
from datetime import UTC, date, datetime, time, timedelta
from types import SimpleNamespace

import pytest

from tests.helpers.browsing import answering, as_json
from tests.helpers.cli import wordpl
from wordpl.apps.words import command
from wordpl.cli import _arguments
from wordpl.core import known_answers, paths, priors, words

LAST = known_answers.last_day(known_answers.bundled())
NEW = {LAST + timedelta(1): "aahed", LAST + timedelta(2): "gunky"}


def write(path, days):
    path.write_bytes(known_answers.as_csv(days, "# mine\n"))
    return path


def test_the_bundled_days_are_complete_and_those_of_the_lists():
    days = known_answers.bundled()
    assert not known_answers.missing_days(days)
    assert words.answers_until(known_answers.LATER) == LAST
    assert set(words.bundled("past-answers")) == known_answers.played(days)
    for name in ("past-answers.txt", "answers-predicted.txt", "prior.csv"):
        assert words.answers_until(paths.DATA / name) == LAST
    assert known_answers.played(days) <= set(words.bundled("answers-predicted"))
    known_answers.check(days, words.bundled("modern"), LAST, "the bundled days")


@pytest.mark.long
def test_later_answers_of_a_file_and_of_a_league_give_the_same_lists(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = write(tmp_path / "july.csv", NEW)
    result = wordpl("words", "update", file)
    assert result.exit_code == 0, result.output
    assert f"july.csv: 2 new days; answers are known up to {max(NEW)}." in result.output
    names = ("later-answers.csv", "past-answers.txt", "answers-predicted.txt", "prior.csv")
    assert sorted(path.name for path in (tmp_path / "words").iterdir()) == sorted(names)
    predicted = words.read(tmp_path / "words/answers-predicted.txt")
    assert {"aahed", "gunky"} <= set(predicted)
    assert {"aahed", "gunky"} <= set(words.read(tmp_path / "words/past-answers.txt"))
    modern = words.bundled("modern")
    before, after = (
        dict(zip(modern, priors.load(path, modern), strict=True))
        for path in (priors.find("default"), tmp_path / "words/prior.csv")
    )
    assert after["aahed"] > 10 * before["aahed"]  # a played word is likelier to come again than a strange one to come
    assert all(words.answers_until(tmp_path / "words" / name) == max(NEW) for name in names)

    (tmp_path / "shares.csv").write_text(f"date,name,score\n{LAST},Ann,4\n")
    assert wordpl("league", "import", "shares.csv", "--zone", "UTC").exit_code == 0
    nothing = wordpl("words", "update", "--from-league", "league.sqlite", "-o", "other")
    assert (nothing.exit_code, "record some with `wordpl league answers FILE`" in nothing.output) == (1, True)
    said = wordpl("league", "answers", file)
    assert "2 answers recorded, 2 in all" in said.output
    printed = wordpl("league", "answers").output
    assert list(csv.reader(printed.splitlines())) == [["date", "word"], *([str(day), NEW[day]] for day in NEW)]
    assert wordpl("words", "update", "--from-league", "league.sqlite", "-o", "other").exit_code == 0
    for name in names:
        assert (tmp_path / "other" / name).read_bytes().replace(b"other/", b"words/") == (
            tmp_path / "words" / name
        ).read_bytes()


@pytest.mark.parametrize(
    ("days", "complaint"),
    [
        ({LAST: "crane"}, f"crane as the answer of {LAST}, but prawn is known to be it"),
        ({date(2021, 6, 19): "crane"}, "crane as the answer of 2021-06-19, but cigar is known to be it"),
        ({date(2024, 6, 19): "aahed"}, "aahed as the answer of 2024-06-19, but it was no answer until 2025-09-29"),
        ({LAST + timedelta(1): "qqqqq"}, "not among the 14,855 words that can be guessed (qqqqq)"),
        ({datetime.now(UTC).date() + timedelta(3): "crane"}, "which is in the future"),
    ],
)
def test_answers_that_contradict_what_is_known_change_nothing(tmp_path, monkeypatch, days, complaint):
    monkeypatch.chdir(tmp_path)
    result = wordpl("words", "update", write(tmp_path / "later.csv", days))
    assert (result.exit_code, complaint in result.output) == (1, True), result.output
    assert not (tmp_path / "words").exists()


def test_one_source_of_later_answers_is_given(tmp_path):
    for arguments in ([], [write(tmp_path / "a.csv", NEW), "--from-league", "x.sqlite"]):
        assert "give the later answers as a FILE, or a league's store" in wordpl("words", "update", *arguments).output


def test_days_without_an_answer_are_named():
    days = known_answers.merge(known_answers.bundled(), {LAST + timedelta(4): "crane"}, "x")
    missing = known_answers.missing_days(days)
    assert missing == [LAST + timedelta(day) for day in (1, 2, 3)]
    assert known_answers.describe_missing(missing) == (
        "No answer is known of 3 days: 2026-08-23, 2026-08-24, 2026-08-25."
    )


@pytest.mark.parametrize(("n_days", "is_old"), [(180, False), (181, True)])
def test_old_answers_are_noticed(tmp_path, monkeypatch, n_days, is_old):
    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(LAST.year, LAST.month, LAST.day, 12, tzinfo=tz) + timedelta(n_days)

    monkeypatch.setattr(_arguments, "datetime", Clock)
    result = wordpl("suggest", "raise:.....", "--prior", "default", "--answers", "modern", "--guesses", "nothing")
    note = f"note: default knows the answers up to {LAST}, {n_days} days ago. `wordpl words update` adds later ones."
    assert (note in result.output) == is_old


@pytest.mark.long
def test_a_backtest_scores_what_was_known_before(tmp_path):
    result = wordpl("words", "backtest", "--json")
    fields = json.loads(result.stdout)
    assert (fields["n_days"], len(fields["new"]), fields["n_known"]) == (327, 23, 2340)
    by_name = {each["name"]: each for each in fields["lists"]}
    assert by_name["answers-2023"]["n_found"] == 23
    learning, kept, uniform = (each["bits"] for each in fields["priors"])
    assert learning < kept < uniform == pytest.approx(13.8586, abs=1e-3)
    late = wordpl("words", "backtest", "--until", str(LAST))
    assert "no answer after 2026-08-22 is known: give later ones with --known FILE" in late.output
    assert "give a later day" in wordpl("words", "backtest", "--until", "2024-01-01").output


def published(days, folder, url):
    def reply(request, _):
        found = {f"/{day}.json": {"solution": word, "print_date": str(day)} for day, word in days.items()}
        answer = found.get(request.path)
        return (200, "application/json", as_json(answer)) if answer else (404, "text/html", b"<html>")

    with answering(reply) as address:
        return wordpl("words", "update", "--from-web", f"{address}/{url}", "-o", folder)


@pytest.mark.long
def test_answers_that_a_page_publishes_give_the_lists_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "datetime", SimpleNamespace(now=lambda _: datetime.combine(max(NEW), time(), UTC)))
    result = published(NEW, tmp_path / "words", "{day}.json")
    assert result.exit_code == 0, result.output
    assert {"aahed", "gunky"} <= set(words.read(tmp_path / "words" / "past-answers.txt"))
    again = published(NEW, tmp_path / "words", "{day}.json")
    assert (again.exit_code, "there is nothing to read" in again.stderr) == (1, True)


def test_what_no_page_publishes_changes_nothing_and_a_file_is_named_instead(tmp_path):
    for url, days in (("{day}.json", {}), ("{day}.json", {min(NEW): "no word"}), ("none", {})):
        result = published(days, tmp_path / "words", url)
        assert (result.exit_code, (tmp_path / "words").exists()) == (1, False)
        assert "FILE" in result.stderr or "is not a word" in result.stderr
    unreachable = wordpl("words", "update", "--from-web", "http://127.0.0.1:9/{day}", "-o", tmp_path / "words")
    assert "Without a network, give the later answers as a FILE" in unreachable.stderr
    assert "give the later answers as a FILE" in wordpl("words", "update").stderr
