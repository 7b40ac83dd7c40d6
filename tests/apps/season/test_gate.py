"""A pull request brings one's own entry and nothing else; copies, bans, owners and quotas."""

from textwrap import dedent

import pytest

from tests.apps.season.test_season import BOT, bot, isolated, new_season, own_folders, submit  # noqa: F401
from tests.helpers.cli import wordpl
from wordpl.apps.season.gate import examine
from wordpl.apps.season.season import Season
from wordpl.core.messages import UserError
from wordpl.run.normal_form import normal_form

OWNERS = """
[owners]
one = ["Octo"]
ann = ["ann-l"]
"""
COPY = '''
"""Mine, and mine alone."""
AUTHOR = "me"


class Best:
    # A comment.
    def first_move(me):
        """Move."""
        return \
            "crane",   5.0

    def next_move(me, word, price,
                  marks):
        return "slate", 0
'''


def examined(season, *changed, sender="octo", below=""):
    return examine(Season(season.folder), changed, sender, below)


@pytest.fixture
def season(tmp_path):
    season = new_season(tmp_path / "cup", authors='ann = ["ann_bot", "ann_two"]\n' + OWNERS, versions_per_round=2)
    submit(season, "one", "two")
    return season


@pytest.mark.parametrize(
    "path",
    [
        "season.toml", "log.jsonl", "queue.py", ".github/workflows/season.yml", "strategies/shared.txt",
        "strategies/shipped.txt", "strategies", "strategies/.hidden.py", "strategies/_private.py",
        "versions/one@1/one.py", "strategies/../season.toml", "docs/index.html",
    ],
)  # fmt: skip
def test_a_pull_request_changes_its_sender_s_entry_alone(season, path):
    bot(season.folder / "strategies", "one", 9.0)
    assert examined(season, "strategies/one.py").refused == ()
    (reason,) = examined(season, "strategies/one.py", path).refused
    assert reason == f"{path} is no entry: a pull request changes the sender's own entry alone."


def test_paths_of_a_season_below_a_folder_are_those_of_the_repository(season):
    bot(season.folder / "strategies", "one", 9.0)
    assert examined(season, "cup/strategies/one.py", below="cup/").refused == ()
    assert len(examined(season, "strategies/one.py", below="cup/").refused) == 1


def test_an_entry_belongs_to_its_owner(season):
    for name, epsilon in (("one", 9.0), ("two", 10.0), ("ann_bot", 11.0), ("new", 12.0)):
        bot(season.folder / "strategies", name, epsilon)
    assert examined(season, "strategies/ann_bot.py", sender="ANN-L").refused == ()
    assert examined(season, "strategies/new.py", sender="somebody").refused == ()
    refused = {
        ("one", "ann-l"): "one: it belongs to one, and ann-l is none of its [owners].",
        ("ann_bot", "octo"): "ann_bot: it belongs to ann, and octo is none of its [owners].",
        ("two", "ann-l"): "two: nobody is known as its owner: the host adds two to [owners] in season.toml.",
        ("new", "ann-l"): "new: ann-l sends as ann: the host adds this name to ann in [authors], or to [owners].",
    }
    for (name, sender), reason in refused.items():
        assert examined(season, f"strategies/{name}.py", sender=sender).refused == (reason,)
    (reason,) = examined(season, "strategies/one.py", "strategies/two.py").refused[:1]
    assert reason == "it changes 2 entries, one, two: send one at a time."


def test_a_long_list_of_other_files_is_cut_and_a_folder_keeps_its_whole_name(season, tmp_path):
    refused = examined(season, *(f"docs/{n}.html" for n in range(1234))).refused
    assert (len(refused), refused[-1]) == (21, "1,214 paths more are no entries.")
    bot(season.folder / "strategies" / "my.bot", "my.bot", 9.0)
    assert examined(season, "strategies/my.bot/my.bot.py", sender="somebody").refused == ()
    assert (
        examined(season, "strategies/my.bot/x.py", "strategies/my.py", sender="x").refused[0].startswith("it changes 2")
    )
    without = new_season(tmp_path / "other")
    bot(without.folder / "strategies", "new")
    found = examined(without, "strategies/new.py")
    assert (found.refused, len(found.notes), found.entries) == ((), 1, ("new.py",))


def test_removed_files_and_forbidden_names_are_refused(season):
    (season.folder / "strategies" / "one.py").unlink()
    assert "it is removed" in examined(season, "strategies/one.py").refused[0]
    bot(season.folder / "strategies", "0ne", 9.0)
    assert "0ne looks like one" in examined(season, "strategies/0ne.py").refused[0]


def test_a_copy_under_another_name_is_refused_whatever_it_is_called_and_however_it_is_laid_out(season):
    place = season.folder / "strategies" / "mine.py"
    place.write_text(COPY)
    assert (
        "mine.py has the source of one@1, apart from names, comments and layout"
        in examined(season, "strategies/mine.py", sender="somebody").refused[0]
    )
    with pytest.raises(UserError, match="equal entries are one version"):
        season.submit(place)
    season.withdraw("one@1")
    with pytest.raises(UserError, match="equal entries are one version"):
        season.submit(place)
    place.write_text(COPY.replace("5.0", "5.01"))
    assert season.submit(place)[1]
    bot(season.folder / "strategies", "one").write_text(COPY)  # the author of one may lay it out anew
    assert season.submit(season.folder / "strategies" / "one.py")[0].label == "one@2"


@pytest.mark.slow
@pytest.mark.timeout(300)
@isolated
def test_equal_moves_on_a_sample_are_named_and_not_refused(season, tmp_path, own_folders):  # noqa: F811
    assert wordpl("season", "round", "-C", season.folder, "--quiet", "--jobs", "1").exit_code == 0
    mine, other = (bot(season.folder / "strategies", name) for name in ("mine", "other"))
    mine.write_text(mine.read_text().replace("5.0", "10.0 / 2"))
    other.write_text(other.read_text().replace("5.0", "7.0"))
    result = wordpl(
        "season", "sample", mine, other, "-C", season.folder, "--games", "8", "--jobs", "1", "--quiet", "--summary",
        tmp_path / "summary.md",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    sentence = "mine makes the same moves as one@1, which was sent on "
    assert sentence in " ".join(result.output.split())
    assert "other makes the same moves" not in result.output
    assert "makes the same moves as one" in (tmp_path / "summary.md").read_text()


@pytest.mark.parametrize(
    ("first", "second", "is_equal"),
    [
        ("x = 1  # one\ny = x", "a = 1\n\n\nb = a", True),
        ("x = 1\ny = 2\nz = x", "x = 1\ny = 2\nz = y", False),
        ("import numpy as np\nnp.max(a)", "import numpy as n\nn.max(b)", True),
        ("import numpy as np\nnp.max(a)", "import scipy as np\nnp.max(a)", False),
        ("from m import f, g\nf(1)", "from m import f, g\ng(1)", False),
        ("max(a)", "min(a)", False),
        ("a.upper()", "a.lower()", False),
        ("x = '#1'", "x = '#2'", False),
        ('def f():\n    """Doc."""\n    return 1', "def g():\n    return 1", True),
        ("x = (\n'a'\n'b'\n)", "x = (\n'a'\n'c'\n)", False),
        ("x = 10", "x = 11", False),
    ],
)
def test_the_normal_form_keeps_what_a_program_does(first, second, is_equal):
    assert (normal_form(first) == normal_form(second)) is is_equal


def test_a_ban_disqualifies_all_versions_of_an_author_and_accepts_no_more(tmp_path):
    season = new_season(tmp_path / "cup", authors='mia = ["one", "two"]')
    submit(season, "one", "two", "other")
    season.disqualify("two@1", "had a friend")
    submit(season, "one", epsilon=9.0)
    result = wordpl("season", "ban", "mia", "--reason", "knew the secrets", "-C", season.folder)
    assert "mia is banned: one@1, two@1, one@2" in result.output
    season = Season(season.folder)
    assert [season.versions[index].label for index in season.ranked] == ["other@1"]
    assert [version.disqualified for version in season.versions[:2]] == [
        "its author is banned: knew the secrets", "had a friend"]  # fmt: skip
    with pytest.raises(UserError, match="mia is banned: knew the secrets"):
        submit(season, "two", epsilon=10.0)
    bot(season.folder / "strategies", "two", 11.0)
    assert "two: mia is banned" in examined(season, "strategies/two.py").refused[0]
    assert wordpl("season", "verify", "-C", season.folder).exit_code == 0


def test_an_author_sends_as_many_versions_between_two_rounds_as_the_terms_allow(season):
    submit(season, "one", epsilon=9.0)
    bot(season.folder / "strategies", "one", 10.0)
    assert examined(season, "strategies/one.py").refused == (
        "one: one has sent 2 versions since the last round; 2 are allowed.",
    )
    added, refused = season.submit_changed()
    assert (added, list(refused)) == ([], ["one.py"])
    submit(season, "ann_bot", "ann_two", epsilon=20.0)
    bot(season.folder / "strategies", "ann_two", 30.0)
    (reason,) = examined(season, "strategies/ann_two.py", sender="ann-l").refused
    assert reason == "ann_two: ann has sent 2 versions since the last round; 2 are allowed."  # with any of her names


def test_the_command_fails_with_a_sentence_for_each_reason(season, tmp_path):
    changed, summary = tmp_path / "changed", tmp_path / "summary.md"
    changed.write_bytes(b"strategies/two.py\0season.toml\0" + b"\x1b[31mred\0")
    (season.folder / "strategies" / "two.py").write_text(dedent(BOT.format(epsilon=20.0)))
    result = wordpl("season", "gate", changed, "--by", "octo", "-C", season.folder, "--summary", summary)
    assert result.exit_code == 1
    assert len(result.stdout.splitlines()) == 3
    assert "\x1b" not in result.stdout + summary.read_text()
    assert summary.read_text().startswith("# Gate: refused\n- ")
