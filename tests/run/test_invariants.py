"""What holds of every run and of every official run: an impossible run of each kind is refused or named."""

import json
import re
from contextlib import suppress

import msgspec
import pytest

from tests.helpers import written_runs
from tests.helpers.cli import wordpl
from tests.helpers.paths import HOME
from tests.verify.conftest import DRAWN, few_words, lists_of, played_run, run  # noqa: F401 - fixtures
from wordpl import Contest, RunConfig, Strategy
from wordpl.core.messages import UserError
from wordpl.run import invariants, seal
from wordpl.run.folder import Run
from wordpl.run.info import RunInfo, WorkerInfo
from wordpl.verify import verify

WORKER = {"machine": {"system": "Linux"}, "level": "A", "versions": {}, "calibration_s": 0.1}


def config(**settings):
    return lambda facts: facts["config"].update(settings)


def fact(**values):
    return lambda facts: facts.update(values)


def without(name):
    return lambda facts: facts.pop(name)


def entry(number=0, **values):
    return lambda facts: facts["entries"][number].update(values)


def game(**values):
    return lambda facts: facts["entries"][0]["game"].update(values)


def second_entry_like_the_first(*names):
    def edit(facts):
        first, second = facts["entries"][:2]
        second.update({name: first[name] for name in names})

    return edit


IMPOSSIBLE = {
    "commitment": [config(official=False, beacon_from=None), without("commitment"), fact(commitment="00")],
    "secret seed": [
        fact(finished=None),
        without("seal"),
        without("drawn_seed"),
        fact(seed=None),
        fact(seed_source="typed"),
    ],
    "isolation": [config(level="D"), config(level="C")],
    "players": [entry(file="", sha256=""), entry(sha256="")],
    "one key": [fact(workers={"elsewhere": WORKER}), fact(calibration_s=0.5)],
    "limits": [
        config(enforced_s=1000.0),
        config(timeout_s=1.0),
        config(limits={"wall_factor": 0.01, "wall_s": 0.01}),
        config(total_s=0.001),
    ],
    "games": [config(game_id="wordpl/1"), config(game_id="wordle/1")],
    "machine": [
        fact(machine={}),
        fact(machine={"system": "Linux x86_64", "processors": 0}),
        fact(machine={"system": "Linux x86_64", "processors": "many"}),
        fact(versions={"wordpl": "9"}),
    ],
    "beacon": [config(beacon_from=None), without("beacon")],
    "start": [fact(started="")],
}
"""Edits that make an official run impossible, by the invariant that they break."""
UNREADABLE = {
    "files": [
        second_entry_like_the_first("slug"),
        second_entry_like_the_first("name"),
        entry(slug="../outside"),
        entry(slug="a\0b"),
        entry(slug=".hidden"),
        entry(slug="x" * 300),
        fact(played_again={"nobody": [1]}),
        lambda facts: facts["entries"].extend(facts["entries"][0] | {"slug": f"s{n}"} for n in range(1000)),
    ],
    "digests": [entry(sha256="../../../etc"), entry(written="0"), game(sha256="Z" * 64)],
    "numbers": [
        config(limits={"reply_bytes": -1}),
        config(limits={"open_files": 0}),
        config(limits={"wall_s": 1e300}),
        game(bins=10**9),
        game(limit=-5),
        game(loss_cost=-1.0),
        fact(workers={"w": WORKER | {"slowness": 0.0}}),
        fact(played_again={"wordpl": [-1]}),
        fact(played_again={"wordpl": [10**12]}),
    ],
    "resolved": [
        config(level=""),
        config(enforced_s=None),
        config(total_s=None),
        config(answers=None),
        lambda facts: facts["config"]["guesses"].update(words=-4),
    ],
    "seed": [without("seed_source"), fact(seed_source="drawn")],
    "times": [fact(started="yesterday"), fact(finished="2026-13-45")],
}
"""Edits after which a run is not read, by the invariant that they break."""
REFUSED_BY_CONFIGURATION = [
    config(memory_mb=0),
    config(player="trusted"),
    config(level="Z"),
    config(n_games=-1),
    config(n_games=0),
    config(repeats=-3),
    config(timeout_s=-5.0),
    config(timeout_s=1e308),
    config(loss_cost=0.0),
]


def cases(edits):
    """Return all edits as parameters; only the first that breaks an invariant is a quick one."""
    return [
        pytest.param(name, edit, id=f"{name} {n}", marks=[pytest.mark.slow] if n else [])
        for name, group in edits.items()
        for n, edit in enumerate(group)
    ]


def published(run, edit):  # noqa: F811
    """Edit run.json as somebody who publishes it: the commitment, the seal and the tables fit again."""
    path = run.folder / "run.json"
    facts = json.loads(path.read_bytes())
    edit(facts)
    has_commitment = "commitment" in facts and facts["commitment"] != "00"
    path.write_text(json.dumps(facts))
    forged = Run(run.folder)
    if has_commitment and facts.get("commitment"):
        facts["commitment"] = seal.commitment(DRAWN, seal.terms_digest(facts))
    if facts.get("seal") and facts.get("finished"):
        facts["seal"] = forged.seal_of({name: value for name, value in facts.items() if name != "seal"})
    path.write_text(json.dumps(facts))
    return Run(run.folder)


def test_there_is_an_impossible_run_for_each_invariant():
    assert list(IMPOSSIBLE) == [invariant.name for invariant in invariants.OF_OFFICIAL_RUNS]
    assert list(UNREADABLE) == [invariant.name for invariant in invariants.OF_EVERY_RUN]


@pytest.mark.parametrize(("name", "edit"), cases(IMPOSSIBLE))
def test_an_impossible_official_run_is_named_by_verify_and_refused_by_the_evaluator(run, name, edit):  # noqa: F811
    forged = published(run, edit)
    (invariant,) = (invariant for invariant in invariants.OF_OFFICIAL_RUNS if invariant.name == name)
    violations = list(invariant.violations(forged.info))
    assert violations
    found = [(difference.what, difference.found, difference.expected) for difference in
             verify(forged, lists_of(forged)).differences]  # fmt: skip
    assert set(map(tuple, violations)) <= set(found)
    with pytest.raises(UserError, match="an official run cannot have these terms"):
        invariants.require_official(forged.info)


@pytest.mark.parametrize(("name", "edit"), cases(UNREADABLE))
def test_an_impossible_run_is_not_read(run, name, edit):  # noqa: F811
    path = run.folder / "run.json"
    facts = json.loads(path.read_bytes())
    edit(facts)
    path.write_text(json.dumps(facts))
    with pytest.raises(UserError, match=re.escape(str(path))):
        Run(run.folder)
    assert wordpl("verify", run.folder).exit_code == 1


BEYOND = {
    "commitment": [fact(drawn_seed="x" * 64)],
    "secret seed": [fact(seal=None), fact(finished=None, seed=None, drawn_seed=None)],
    "limits": [config(enforced_s=0.5), config(limits={"wall_factor": 0.99})],
    "numbers": [game(bins=1001), game(limit=1001), game(loss_cost=1.1e9), fact(played_again={"wordpl": [30]})],
    "files": [entry(slug="a/b"), entry(slug="x" * 201)],
    "resolved": [lambda facts: facts["config"]["guesses"].update(words=0)],
}
"""Further edits, just beyond a bound; and those within it."""
WITHIN = [
    config(limits={"wall_factor": 1.0}), game(bins=1000), game(limit=1000), game(loss_cost=0.0),
    fact(played_again={"wordpl": [29, 0]}), config(total_s=5.0), entry(slug="x" * 200),
]  # fmt: skip


def test_each_edit_breaks_its_invariant_and_none_within_the_bounds_does(played_run):  # noqa: F811
    text = (played_run / "run.json").read_bytes()

    def edited(edit):
        facts = json.loads(text)
        edit(facts)
        return RunInfo.from_json(json.dumps(facts).encode(), "run.json")

    for invariant in (*invariants.OF_OFFICIAL_RUNS, *invariants.OF_EVERY_RUN):
        edits = {**IMPOSSIBLE, **UNREADABLE}[invariant.name] + BEYOND.get(invariant.name, [])
        for number, edit in enumerate(edits):
            with suppress(UserError):  # it is no configuration either
                assert list(invariant.violations(edited(edit))), (invariant.name, number)
        for edit in WITHIN:
            assert not list(invariant.violations(edited(edit)))


@pytest.mark.parametrize("edit", REFUSED_BY_CONFIGURATION)
def test_settings_out_of_range_are_not_read(run, edit):  # noqa: F811
    path = run.folder / "run.json"
    facts = json.loads(path.read_bytes())
    edit(facts)
    path.write_text(json.dumps(facts))
    with pytest.raises(UserError, match=r"run\.json"):
        Run(run.folder)


def test_the_official_run_itself_breaks_no_invariant(run):  # noqa: F811
    assert list(invariants.violations_of_official(run.info)) == []
    worker = msgspec.convert(WORKER, WorkerInfo)
    run.info.workers = {"elsewhere": worker}
    assert len(list(invariants.violations_of_official(run.info))) == 1


def test_whatever_only_official_runs_have_claims_that_a_run_is_official(tmp_path):
    info = written_runs.new_run(tmp_path / "run").info
    assert not list(invariants.violations_of_official(info))
    for claim in ({"commitment": "0" * 64}, {"drawn_seed": "0" * 64}, {"beacon": "x"}, {"seed_source": "official"}):
        assert list(invariants.violations_of_official(msgspec.structs.replace(info, **claim)))


def test_the_number_of_entries_and_the_length_of_names_in_bytes_are_limited(tmp_path, monkeypatch):
    info = written_runs.new_run(tmp_path / "run").info
    monkeypatch.setattr(invariants, "MAX_ENTRIES", 2)
    invariants.require(info, "run.json")
    first, second = info.entries
    for edited in ({"slug": "é" * 101}, {"sha256": "0" * 65}, {"sha256": "0" * 63}, {"slug": second.slug}):
        info.entries = [msgspec.structs.replace(first, **edited), second]
        with pytest.raises(UserError, match=r"^run\.json: .* but should be "):
            invariants.require(info, "run.json")
    info.entries = [first, second, msgspec.structs.replace(first, name="third", slug="third")]
    with pytest.raises(UserError, match="the number of entries is 3, but should be at most 2"):
        invariants.require(info, "run.json")


def test_a_clock_that_was_set_back_is_told(tmp_path):
    info = written_runs.new_run(tmp_path / "run").info
    for finished, is_told in (
        (None, False), ("2026-01-31T12:00:00", False), ("2026-01-31T12:00:01+00:00", False),
        ("2026-01-31T11:59:59+00:00", True), ("2026-01-31T12:30:00+01:00", True),
    ):  # fmt: skip
        info.finished = finished
        assert bool(invariants.clock_step(info)) == is_told, finished


def test_the_verdict_states_isolation_limits_and_machine(run):  # noqa: F811
    output = " ".join(wordpl("verify", run.folder).output.split())
    assert "The run states its isolation: level A (bubblewrap, Landlock, seccomp)" in output
    assert "5 s of CPU time for a game (stopped at 5.5 s), 60 s to start, 512 MiB" in output
    assert "The run states its machine: system Linux x86_64, processors 2." in output


def test_the_page_on_fairness_lists_all_invariants():
    page = " ".join((HOME / "docs" / "fairness.md").read_text().split())
    for invariant in invariants.OF_OFFICIAL_RUNS:
        assert invariant.sentence in page


def test_a_run_of_too_many_entries_is_refused_before_its_folder_is_made(tmp_path):
    class Once(Strategy):
        def __init__(self, number):
            self.number = number

        def __repr__(self):
            return f"Once({self.number})"

        def first_move(self):
            return "crane", 0

        def next_move(self, guess, epsilon, clues):
            return guess, 0

    entries = [Once(number) for number in range(invariants.MAX_ENTRIES + 1)]
    contest = Contest(RunConfig(n_games=1, repeats=0, player="trusted", results=tmp_path / "results"), entries)
    with pytest.raises(UserError, match="the number of entries is 1,001, but should be at most 1,000"):
        contest.play()
    assert not (tmp_path / "results").exists()
