"""A season of a classic game plays each answer once: the scores of entries that draw nothing are known."""

from textwrap import dedent

import pytest

from tests.apps.season.test_season import isolated, own_folders, problems  # noqa: F401
from tests.helpers.cli import wordpl
from wordpl.apps.season import check
from wordpl.apps.season.season import Season

ANSWERS = "aback\nabase\nabate\nabbey\nabbot\nabhor\nabide\nabled\nabode\nabort\nabout\nabove\n"
BOT = """
    from pathlib import Path

    from wordpl import clues

    class Bot:
        def first_move(self):
            self.left = Path("answers.txt").read_text().split()
            return {first}

        def next_move(self, guess, shown):
            self.left = [word for word in self.left if clues.counted(guess, word) == shown and word != guess]
            return self.left[{place}]
"""
BOTS = {
    "first": ("'aback'", "0"), "same": ("'aback' ", "len(self.left) - len(self.left)"), "other": ("'about'", "0"),
    "last": ("'above'", "-1"), "draws": ("self.rng.choice(self.left)", "0"),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.timeout(600)
@isolated
def test_entries_that_draw_nothing_are_ranked_by_their_mean_over_all_answers(tmp_path, own_folders):  # noqa: F811
    folder = tmp_path / "cup"
    made = wordpl("season", "new", folder, "--no-bundled", "--game", "wordle/1", "--score", "mean", "--every-answer")
    assert made.exit_code == 0, made.output
    terms = folder / "season.toml"
    text = terms.read_text().replace('# answers = "answers.txt"', 'answers = "answers.txt"')
    terms.write_text(text.replace("confirmation_games = 26000", "confirmation_games = 100"))
    (folder / "answers.txt").write_text(ANSWERS)
    for name, (first, place) in BOTS.items():
        source = dedent(BOT.format(first=first, place=place))
        if name == "draws":
            source = source.replace("from wordpl import clues", "from wordpl import Strategy, clues")
            source = source.replace("class Bot:", "class Bot(Strategy):\n    game = 'wordle/1'")
        else:
            source = source.replace("class Bot:", "class Bot:\n    game = 'wordle/1'")
        (folder / "strategies" / f"{name}.py").write_text(source)
        result = wordpl("season", "submit", folder / "strategies" / f"{name}.py", "-C", folder)
        assert result.exit_code == 0, result.output
    result = wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    rows = {row.version.name: row for row in Season(folder).standings().tables[0].rows}
    assert {name for name, row in rows.items() if row.is_exact} == set(BOTS) - {"draws"}
    known = {name: row for name, row in rows.items() if row.is_exact}
    assert len({row.value for row in known.values()}) == 3
    for row in known.values():
        n_better = sum(other.value < row.value for other in known.values())
        n_worse = sum(other.value > row.value for other in known.values())
        assert row.first_rank == 1 + n_better
        assert len(rows) - n_worse - 1 <= row.last_rank <= len(rows) - n_worse
        assert row.shown[1] == "exact"
    assert known["first"].value == known["same"].value
    assert rows["draws"].low < rows["draws"].value < rows["draws"].high
    assert problems(folder) == []
    assert {version.name for version in Season(folder).next_players()} >= {"draws"}
    assert len(Season(folder).next_players()) == 2  # what is known is not played again
    result = wordpl("season", "round", "-C", folder, "--quiet", "--jobs", "1")
    assert result.exit_code == 0, result.output
    assert {row.value for row in Season(folder).standings().tables[0].rows if row.is_exact} == {
        row.value for row in known.values()
    }
    assert list(check.problems(Season(folder))) == []


def test_only_classic_games_are_played_once_with_each_answer(tmp_path):
    result = wordpl("season", "new", tmp_path / "cup", "--no-bundled", "--score", "p50", "--every-answer")
    assert result.exit_code == 1
    assert "only a classic game such as wordle/1" in result.output
