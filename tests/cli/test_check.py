"""`wordpl check` lists what a contestant must correct and what a reviewer will see."""

import itertools
import re
from textwrap import dedent
from types import SimpleNamespace

import pytest

from tests.helpers.cli import wordpl
from tests.helpers.runs import DRAWS_ALL
from wordpl.players.sandbox import probe
from wordpl.run.bundle import Bundle

BOT = """
    class Bot:
        games = 0
        def first_move(self):
            self.games += 1
            {exploit}
            return "abide", 0
        def next_move(self, *asked):
            return "abide", 0
"""
FLAWS = {
    "no entry": ("import nothing_of_that_name", "FAIL  interface", "No module named 'nothing_of_that_name'"),
    "crashes": (BOT.format(exploit="raise ValueError('oh')"), "FAIL  games", "ValueError: oh"),
    "breaks rules": (BOT.format(exploit="return 'xyzzy', 1"), "FAIL  games", "'xyzzy' is not a word of the guesses"),
    "is late": (BOT.format(exploit="while self.games == 4: pass"), "FAIL  games", "Use less time per game: see game"),
    "learns": (
        BOT.format(exploit="return (['abide', 'abbey'][self.games > 5], 0)"),
        "FAIL  independent",
        "Reset all state in first_move",
    ),
    "draws": (
        BOT.format(exploit="import os; return ('crane', float(os.urandom(1)[0] + 1))"),
        "FAIL  reproducible",
        "Draw only from self.rng, random or numpy.random",
    ),
}


@pytest.fixture(scope="module")
def check_output(tmp_path_factory):
    """The output of `wordpl check` for these files and an honest entry, and the folder with the files."""
    folder = tmp_path_factory.mktemp("check")
    sources = {name.replace(" ", "_"): source for name, (source, _, _) in FLAWS.items()} | {"honest": DRAWS_ALL}
    for name, source in sources.items():
        (folder / f"{name}.py").write_text(dedent(source).replace("Bot", f"{name.title()}Bot"))
    files = [folder / f"{name}.py" for name in sources]
    options = [
        "--games",
        8,
        "--jobs",
        1,
        "--seed",
        5,
        "--timeout",
        0.2,
        "--isolation",
        "D",
        "--summary",
        folder / "page.md",
        "--full",
    ]
    return wordpl("check", *files, *options), folder


@pytest.mark.slow
def test_an_honest_entry_passes_with_all_details_for_reviewers(check_output):
    result, folder = check_output
    path = folder / "honest.py"
    assert not [line for line in result.stdout.splitlines() if "FAIL" in line and "Honest" in line]
    for part in (
        "pass  interface     HonestBot() plays wordpl/1.",
        "of CPU time for a game (median of 8), at most",
        "8 games repeated, each in a new process: the same moves",
        "8 games played in reverse order: the same moves",
        f"honest.py ({path.stat().st_size} bytes)",
        Bundle.of(path).digest,
        "imports: pathlib, random",
    ):
        assert part in result.stdout, part
    assert re.search(r"wordpl/1 · (\d+ to )?8 games", result.stdout)  # an entry that is late is stopped
    assert re.search(r"\| [\d–]+ \| HonestBot\(\) \|", (folder / "page.md").read_text())


@pytest.mark.parametrize("flaw", FLAWS)
@pytest.mark.slow
def test_each_flaw_fails_its_check_with_advice(check_output, flaw):
    result, _ = check_output
    _, verdict, advice = FLAWS[flaw]
    lines = result.stdout.splitlines()
    name = f"{flaw.replace(' ', '_').title()}Bot" if flaw != "no entry" else "no_entry.py"
    start = next(at for at, line in enumerate(lines) if line.startswith(verdict) and name in line)
    below = itertools.takewhile(lambda line: line.startswith(" "), lines[start + 1 :])
    assert advice in " ".join([lines[start], *below])
    assert result.exit_code == 1
    assert "fix the lines marked FAIL" in result.stdout


STOPPED = {
    "first_move": ("if self.games > 4:\n                while True: pass", "games"),
    "start": ("while True: pass", "speed"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", STOPPED)
def test_a_bot_that_hangs_is_stopped_and_its_replay_command_is_printed(case, tmp_path):
    exploit, name = STOPPED[case]
    file = tmp_path / "hangs.py"
    file.write_text(dedent(BOT).replace("{exploit}", exploit.replace("\n    ", "\n")))
    result = wordpl("check", file, "--games", 40, "--jobs", 1, "--timeout", 0.1, "--warmup", 2, "--isolation", "D")
    failed_line = next(line for line in result.stdout.splitlines() if line.startswith(f"FAIL  {name}"))
    assert ("no game was played" if case == "start" else "were not played") in failed_line
    assert re.search(r"To replay: wordpl evaluate .*hangs.py:Bot\(\).* --number \d+", result.stdout)
    assert result.exit_code == 1


@pytest.mark.slow
def test_failures_are_shown_last_and_the_rest_on_request(tmp_path):
    (tmp_path / "bad.py").write_text(dedent(BOT.format(exploit="return 'CRANE', 1.0")))
    result = wordpl("check", tmp_path / "bad.py", "--games", 4, "--jobs", 1, "--isolation", "D")
    lines = result.stdout.splitlines()
    failed = next(at for at, line in enumerate(lines) if line.startswith("FAIL"))
    assert "checks failed (--full shows the others)" in lines[failed - 1]
    assert not any(line.startswith("pass") or "reviewer" in line for line in lines)
    assert "words are in lower case, so write 'crane'" in result.stdout
    assert "To replay: wordpl evaluate" in lines[-1]


@pytest.mark.slow
def test_a_machine_without_isolation_is_said_to_hold_no_official_runs(tmp_path, monkeypatch):
    (tmp_path / "bot.py").write_text(
        "class Bot:\n    def first_move(self): return 'abide', 0\n    def next_move(self, *a): return 'abide', 0\n"
    )
    monkeypatch.setattr(probe, "sys", SimpleNamespace(platform="darwin"))
    monkeypatch.setattr(probe, "probe", probe.probe.__wrapped__)
    output = " ".join(wordpl("check", tmp_path / "bot.py", "--games", "20", "--jobs", "1").output.split())
    assert "Official runs need another machine. Isolation: level D" in output
    assert "Not A: darwin does not support it; play official runs on Linux." in output


def test_a_file_that_belongs_to_no_entry_is_named_in_the_summary_too(tmp_path):
    (tmp_path / "unused.json").write_text("")
    summary = tmp_path / "summary.md"
    checked = wordpl("check", tmp_path / "unused.json", "--summary", summary)
    assert (checked.exit_code, "unused.json belongs to no entry" in checked.stdout) == (1, True)
    assert "belongs to no entry" in summary.read_text()


@pytest.mark.parametrize("entries", [["/etc/passwd"], ["/etc/passwd", "/etc/group"], ["n_guess", "/etc/passwd"]])
def test_a_path_that_is_no_entry_is_refused_before_a_game(entries):
    checked = wordpl("check", *entries)
    assert checked.exit_code == 1
    assert "to no entry" in checked.stdout and "n_guess" not in checked.stdout
