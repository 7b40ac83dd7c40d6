"""`wordpl record`: boards, claims, and the pages that contain the boards."""

import json
import re

import numpy as np
import pytest

from tests.helpers.cli import wordpl
from tests.helpers.paths import HOME
from tests.helpers.runs import DRAWS_ALL, new_run
from wordpl.cli import docs
from wordpl.contest.evidence import load_all
from wordpl.core import paths
from wordpl.core.moves import NoisyMove
from wordpl.reports.record_boards import (
    BEGIN,
    BETWEEN,
    BETWEEN_FRONT,
    END,
    FRONT_BEGIN,
    FRONT_END,
    RecordReport,
    boards,
    boards_section,
    front_table,
)
from wordpl.run.folder import Run
from wordpl.run.records import Record, encode

PAGE = HOME / "results" / "LEADERBOARD.md"


def run_with(folder, entries, n_played, **info_fields):
    """Return a run; entries: by name, the largest budget of a game and the probability to win it.

    Every other game costs a little less, so that the wins decide, which do not depend on the clues here.
    """
    run = new_run(folder, dict.fromkeys(entries, DRAWS_ALL), **info_fields)
    rng = np.random.default_rng(1)
    for entry in run.info.entries:
        budget, chance = entries[entry.name]
        guesses = [NoisyMove("crane", budget - part, ".....") for part in (0.0, 0.5)]
        verdicts = np.where(rng.random(n_played) < chance, "won", "wrong")
        lines = (
            encode(Record(game, "crane", [guesses[game % 2], NoisyMove("crane", 0, "")], verdict))
            for game, verdict in enumerate(verdicts.tolist())
        )
        run.entry(entry).records_path.write_bytes(b"".join(lines))
    return run


@pytest.fixture(scope="module")
def official(tmp_path_factory):
    entries = {"cheap": (36.5, 0.52), "dear": (39.0, 0.52)}
    info_fields = {"n_games": 20_000, "commitment": "c0ffee", "finished": "2026-11-21T12:00:00+00:00"}
    return run_with(tmp_path_factory.mktemp("official"), entries, 20_000, **info_fields)


@pytest.mark.slow
def test_the_boards_are_written_between_the_markers_and_nowhere_else(official, tmp_path):
    page = tmp_path / "page.md"
    page.write_text(f"before\n{BEGIN}\nformer\n{END}\nafter\n")
    result = wordpl("record", official.folder, "--write", page)
    assert result.exit_code == 0, result.stderr
    text = page.read_text()
    assert (text.startswith(f"before\n{BEGIN}\n"), text.endswith(f"{END}\nafter\n")) == (True, True)
    assert "former" not in text
    assert re.search(r"\| 1 \| cheap \| 36\.5 \|.*\| holds \|", text)
    assert re.search(r"\| dear \| 39 \|", text)


def test_the_front_table_has_the_holders_with_links_to_their_files(official, tmp_path):
    page = tmp_path / "docs" / "page.md"
    page.parent.mkdir()
    page.write_text(f"before\n{FRONT_BEGIN}\nformer\n{FRONT_END}\nafter\n")
    result = wordpl("record", official.folder, "--write", page)
    assert result.exit_code == 0, result.stderr
    before, *table, after = page.read_text().splitlines()
    assert (before, after) == ("before", "after")
    (row,) = [line for line in table if "50% of games" in line]
    assert re.fullmatch(r"\| 50% of games \| \[cheap\]\(\.\./.*\) \| wordpl \| 36\.5 \| 20.* \| 20,000 games \|", row)


@pytest.mark.slow
def test_the_estimate_decides_where_the_counted_wins_leave_it_open():
    text = wordpl("record", HOME / "results" / "official-05", "--quantile", "0.05", "--budget", "14.6").stdout
    row = next(line for line in text.splitlines() if "14.6" in line and "G3" in line)
    assert "5.21%" in row  # at least 4.95 % with 95 % confidence
    # The exact share is 5.2878 %, see results/evidence.
    assert re.search(r"5\.29% \(5\.27–5\.31%\) .*yes .*above, clear after", " ".join(text.split()))


@pytest.mark.slow
def test_pages_without_markers_and_runs_that_are_not_official_are_refused(official, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("nothing\n")
    assert "add a line '<!-- records -->'" in wordpl("record", official.folder, "--write", page).stderr
    assert "is not official" in wordpl("record", HOME / "results" / "bundled", "--write", page).stderr
    assert page.read_text() == "nothing\n"


@pytest.mark.slow
def test_a_claim_can_be_tested_during_its_run(tmp_path):
    run = run_with(tmp_path, {"good": (30.0, 0.6), "bad": (30.0, 0.4)}, 2000, n_games=2000)
    lines = run.entry(run.info.entries[0]).records_path.read_bytes().splitlines(keepends=True)
    run.entry(run.info.entries[0]).records_path.write_bytes(b"".join(lines[:-1]))
    output = wordpl("record", run.folder, "--quantile", "0.5", "--budget", "30", "--against", "good").stdout
    assert re.search(r"good +1,999 .*not yet.*above, clear after", output)
    assert re.search(r"bad +2,000 .*no +below, clear after", output)
    assert re.search(r"bad +1,999 .*above, clear after", output.partition("on the same games")[2])
    assert "it has not ended" in output


def test_a_claim_needs_both_of_its_options():
    assert "needs both options" in wordpl("record", HOME / "results" / "bundled", "--budget", "15").stderr


@pytest.mark.long  # reads 160,000 games
def test_the_published_records_follow_from_the_runs_that_they_name():
    (text,) = BETWEEN.findall(PAGE.read_text())
    reports = [RecordReport(Run(HOME / folder)) for folder in re.findall(r"official run `(.*?)`", text)]
    evidence = load_all([HOME / "results" / "evidence"]) if "results/evidence" in text else []
    assert text == boards_section(reports, evidence)
    readme = HOME / "README.md"
    assert BETWEEN_FRONT.findall(readme.read_text()) == [front_table(boards(reports, evidence), readme)]


def test_the_holders_are_shown_where_the_package_is_installed_without_runs(monkeypatch, tmp_path):
    monkeypatch.setattr(paths, "bundled", lambda: tmp_path)
    assert "records" in docs.pages()  # which were found before
    shown = wordpl("record")
    assert shown.exit_code == 0
    assert all(word in shown.stdout for word in ("14.3125", "36.25", "68.65", "Lookahead("))
    rows = json.loads(wordpl("record", "--json").stdout)["tables"][0]["rows"]
    assert [row["share won"] for row in rows] == ["5%", "50%", "95%"]
