"""Text from contestants is harmless wherever it is shown: terminal, CI logs, Markdown, CSV."""

import csv
import json
import re
from itertools import groupby
from unicodedata import category

import pytest

from tests.helpers.cli import evaluate, only_run
from wordpl.contest import preflight
from wordpl.reports import author_texts

TEXTS = [
    "\x1b[2J\x1b[31mred",
    "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07",
    "abc\u202edcba\u2066",
    "zero\u200bwidth\ufeff",
    "<script>alert(1)</script><img src=x onerror=y>",
    "a|b`c`*d*_e_[x](http://evil.example)![i](//evil.example/i.png)",
    "=cmd|' /C calc'!A0",
    "@SUM(A1:A9),=1+1;-2+3",
    "::error file=a.py,line=1::lost",
    "x ##[group]y ##vso[task.complete]",
    "{desc}{0}%s[bold red]x[/]",
    "\ud800half\udfff a letter\r\n::set-output name=x::y",
]
BOT = """
class Bot:
    def __init__(self, text):
        self.text = text

    def __str__(self):
        return self.text

    def first_move(self):
        import os
        print(self.text.encode(errors="replace").decode())
        os.write(2, b"\\xff\\x1b[2J\\n::warning::printed\\r  ::error::printed\\n" + self.text.encode(errors="replace"))
        return "crane", 5.0

    def next_move(self, guess, epsilon, clues):
        raise ValueError("\\n" + self.text + "\\n::error::" + "x" * 900)


ENTRIES = [Bot(text) for text in {texts}]
"""
pytestmark = pytest.mark.slow
COMMAND = re.compile(r"^\s*::\w|##\w*\[", re.MULTILINE)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    for start in range(0, len(TEXTS), 3):
        (folder / f"bot_{start}.py").write_text(BOT.format(texts=ascii(TEXTS[start : start + 3])))
    (folder / "\x1b[31m ##[error].py").write_text(f"raise ValueError({TEXTS[0]!r})")
    return sorted(folder.iterdir())


@pytest.fixture(scope="module")
def hostile_run(files, tmp_path_factory):
    results = tmp_path_factory.mktemp("results")
    return evaluate(*files, "--games", 2, "--seed", 1, "--jobs", 1, "--repeats", 1, "--results", results), results


def assert_harmless(text, allowed="\n"):
    assert {character for character in text if category(character)[0] == "C"} <= set(allowed)
    assert not COMMAND.search(text), COMMAND.search(text)


def test_no_control_sequence_reaches_the_terminal(hostile_run):
    result, _ = hostile_run
    assert result.exit_code == 0
    assert "crashed" in result.stdout
    assert "could not be loaded" in result.stderr
    assert_harmless(result.stdout)
    assert_harmless(result.stderr, allowed="\n\r")


def test_replays_and_their_output_are_harmless(files):
    result = evaluate(files[1], files[-1], "--number", 1, "--seed", 1)
    assert result.stderr.count("printed") == 12  # in a game and in the warm-up before it, by six entries
    assert result.stdout.count("ValueError") >= 6
    assert_harmless(result.stdout)
    assert_harmless(result.stderr)


def test_markdown_contains_only_text_of_contestants(hostile_run):
    page = (only_run(hostile_run[1]) / "LEADERBOARD.md").read_text()
    assert_harmless(page)
    assert not re.search(r"<[a-z/]|(?<!\\)\]\(|(?<!\\)!\[|://|(?<!\\)\*[a-z]", page)
    rows = [line for line in page.splitlines() if line.startswith("|")]
    tables = [list(table) for is_row, table in groupby(page.splitlines(), lambda line: line.startswith("|")) if is_row]
    for table in tables:
        assert len({row.count("|") for row in table}) == 1
    assert rows == [row for table in tables for row in table]
    assert 2 + len(TEXTS) in map(len, tables)


@pytest.mark.parametrize("separator", [";", ",", "\t"])
def test_no_csv_value_is_a_formula_with_any_separator(hostile_run, separator):
    text = (only_run(hostile_run[1]) / "scores.csv").read_text()
    assert_harmless(text)
    values = [value for row in csv.reader(text.splitlines(), delimiter=separator) for value in row]
    assert len(values) > len(TEXTS)
    assert not [value for value in values if re.match(r"\s*[=+@]|\s*-(?!\d)", value)]


def test_a_check_and_its_page_are_harmless(files):
    checks = [preflight.Check("games", False, text, f"Traceback\n{text}") for text in TEXTS]
    summaries = [preflight.summarize_file(file) for file in files if file.name.isprintable()]
    page = author_texts.check_page(checks, summaries, [], {"seed": TEXTS[5]})
    assert_harmless(page)
    assert not re.search(r"<(?!br>)[a-z/]|(?<!\\)\]\(|(?<!\\)!\[|://", page)
    tables = page[: page.index("- file")].splitlines()
    assert len({line.count("|") for line in tables if line.startswith("|")}) == 1


def test_an_untrusted_run_is_harmless_when_it_is_shown(hostile_run):
    """The run's files have been edited, as in a run from somebody else."""
    run = only_run(hostile_run[1])
    facts = json.loads((run / "run.json").read_text())
    for entry, text in zip(facts["entries"], TEXTS[:-1], strict=False):
        entry["name"] = text
        path = run / "records" / f"{entry['slug']}.jsonl"
        path.write_text(path.read_text().replace("Traceback", json.dumps(f"\n{text}")[1:-1]))
    (run / "run.json").write_text(json.dumps(facts))
    refused = evaluate("--resume", run, "--isolation", "D")  # the seal does not cover the changes
    assert refused.exit_code == 1
    assert_harmless(refused.output)
    (run / "run.json").write_text(json.dumps(facts | {"finished": None}))
    result = evaluate("--resume", run, "--isolation", "D")
    assert "crashed" in result.stdout
    assert_harmless(result.stdout)
    assert_harmless((run / "LEADERBOARD.md").read_text())
