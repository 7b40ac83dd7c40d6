"""Boards, pages and files hold at every legal epsilon: honest play is accused of nothing, and no number breaks them."""

import json
import re
import sys

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.helpers.limits import LIMITS
from tests.helpers.written_runs import session_of
from wordpl.core import words
from wordpl.core.moves import Verdict
from wordpl.games import game_class
from wordpl.kernels.posterior import Posterior
from wordpl.reports import as_json
from wordpl.reports.elements import Entry
from wordpl.reports.html.run_page import run_page
from wordpl.reports.html.story import TimedValue, time_chart
from wordpl.reports.run_report import RunReport
from wordpl.run.config import RunConfig
from wordpl.run.folder import Run
from wordpl.run.info import EntryInfo, RunInfo, SeedSource
from wordpl.run.records import Record, encode

GUESSES = ("crane", "slimy", "doubt", "fetch")
PRICES = st.lists(st.sampled_from(LIMITS) | st.floats(1, 20), min_size=1, max_size=4)


def honest_game(number, prices):
    """Return the record of a game of an entry that pays these prices and answers the likeliest word."""
    session, posterior = session_of(number), Posterior.uniform(words.load())
    for guess, epsilon in zip(GUESSES, prices, strict=False):
        session.play((guess, epsilon))
        posterior.update(*session.moves[-1].arguments)
    session.play((posterior.best()[0], 0))
    return Record(number, session.secret, session.moves, session.verdict)


def played(folder, entries, n_games):
    """Return the report of a finished run of entries that pay these prices."""
    facts = game_class("wordpl/1").facts
    info = RunInfo(
        config=RunConfig(n_games=n_games, timeout_s=1.0, warmup_s=1.0, memory_mb=512, repeats=0).resolved("D"),
        seed="hand", seed_source=SeedSource.TYPED, versions={}, machine={}, started="2026-01-31T12:00:00+00:00",
        entries=[EntryInfo(name, name.lower(), facts, "x.py", name, "") for name in entries],
    )  # fmt: skip
    run = Run.create(folder, info)
    for entry, prices in zip(run.info.entries, entries.values(), strict=True):
        lines = b"".join(encode(honest_game(number, prices)) for number in range(n_games))
        run.entry(entry).records_path.write_bytes(lines)
    run.finish("2026-01-31T12:05:00+00:00")
    return RunReport.of(run.folder)


@pytest.mark.slow
@settings(max_examples=4, deadline=None)
@given(PRICES, PRICES, st.sampled_from([1, 2, 20]))
@example([1e308] * 3, [8.0, 8.0], 20)
@example([5e-324, 1e-300, sys.float_info.max], [1e154, 1e154], 1)
def test_no_price_causes_a_warning_an_accusation_or_a_number_that_is_none(tmp_path_factory, first, second, n_games):
    report = played(tmp_path_factory.mktemp("prices") / "run", {"One": first, "Two": second}, n_games)
    assert list(report.findings()) == []
    assert ";nan" not in report.scores_csv()
    assert "nan" not in report.markdown().split()
    json.loads(as_json.as_text("run", as_json.run(report)), parse_constant=pytest.fail)
    for axes in report.plot(report.records.run.folder / "plot.png").axes:
        assert all(np.isfinite(line.get_xdata()).all() for line in axes.lines)


def test_a_game_won_at_more_than_the_largest_number_is_won_at_an_infinite_budget(tmp_path):
    report = played(tmp_path / "run", {"Over": [1e308] * 3, "Less": [1e154] * 2, "Least": [1e120] * 3}, 12)
    games = report.records.run.to_frame(["entry", "verdict", "cost", "spent"])
    over = games[games["entry"] == "Over"]
    n_won = int((over["verdict"] == Verdict.WON).sum())
    assert n_won > 3
    assert np.isinf(over["spent"]).all()
    head, *rows = (line.split(";") for line in report.scores_csv().strip().split("\n"))
    found = {row[0]: dict(zip(head, row, strict=True)) for row in rows}
    assert found["Over"]["n_won"] == str(n_won)
    assert {name: row["p05"] for name, row in found.items()} == {
        "Over": "inf",
        "Less": "2e+154",
        "Least": "3e+120",
    }
    assert "∞" in report.markdown()
    run_page([report.results()])


def test_a_value_over_time_is_drawn_up_to_the_largest_number(tmp_path):
    points = [TimedValue(n, value, Entry("Bot()"), f"{value:g}", f"round {n}") for n, value in enumerate(LIMITS)]
    chart = time_chart("p05", points, [(0, "round 0"), (len(points) - 1, "now")])
    places = [float(place) for place in re.findall(r"[-\d.]+", re.search('points="([^"]*)"', chart)[1])]
    assert len(places) == 2 * len(points) + 2
    assert all(0 <= place <= 1000 for place in places)
