"""The digests and draws are those that docs/fairness.md describes, so that any language can compute them."""

import json
import re
import subprocess
import sys

from tests.helpers.paths import HOME
from wordpl.core.seeds import Draws
from wordpl.run import seal

PAGE = (HOME / "docs" / "fairness.md").read_text(encoding="utf-8")
VECTORS = next(block for block in re.findall(r"```\n(.*?)```", PAGE, re.DOTALL) if block.startswith("key of "))
PROGRAM = (HOME / "docs" / "data" / "vectors.py").read_text(encoding="utf-8")


def test_the_program_beside_the_page_prints_the_test_vectors(tmp_path):
    command = [sys.executable, "-I", "-X", "utf8", "-c", PROGRAM]
    result = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, encoding="utf-8", check=True)
    assert result.stdout == VECTORS


def test_the_test_vectors_are_those_of_played_games():
    draws, drawn_seed = Draws.of(2026), bytes(range(32)).hex()
    facts = json.loads(re.search(r'RUN = """(.*?)"""', PROGRAM, re.DOTALL)[1])
    terms = seal.terms_digest(facts)
    entries = [entry["sha256"] for entry in facts["entries"]]
    expected = {
        "key of the run": draws.key.hex(),
        "key of game 17": f"{draws.game(17).key[:32].hex()} ...",
        "secret, game 17": draws.game(17).secret_index(2315),
        "noise, game 17/2": " ".join(map(str, draws.game(17).noise(2, 5))),
        "entry's seed, 17": draws.game(17).strategy_seed,
        "order of 8 games": " ".join(map(str, draws.order(8))),
        "terms": terms,
        "commitment": seal.commitment(drawn_seed, terms),
        "seed of the games": seal.games_seed(drawn_seed, "round 1000: ünser", entries),
    }
    assert [f"{name:17} {value}" for name, value in expected.items()] == VECTORS.splitlines()


def test_the_terms_digest_covers_all_facts_known_before_the_first_game():
    facts = {"n_games": 3, "limits": {"open_files": 256}, "seed": None}
    assert seal.terms_digest(facts) == seal.terms_digest(
        facts | {"seed": "later", "beacon": "later", "finished": "later"}
    )
    for change in ({"n_games": 4}, {"limits": {"open_files": 255}}, {"anything": 1}):
        assert seal.terms_digest(facts | change) != seal.terms_digest(facts)
