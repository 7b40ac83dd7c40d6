"""What authors say about their entries is read from the files, without running them."""

import pytest
from msgspec import UNSET

from wordpl.players import source_facts
from wordpl.players.source_facts import Sources
from wordpl.run.info import MAX_AUTHOR_CHARACTERS, About

SOURCE = '''
"""The file."""

raise SystemExit("nobody may run this")
AUTHOR = "Ann\\x1b[31m"
LINK = "https://example.org/bot"


class Bot:
    """Guess the likeliest word.

    More.
    """


class Other:
    pass


ENTRIES = [Bot(), Other(2)]
'''


def about(path, make):
    (facts,) = source_facts.read([Sources(str(path))])
    return facts.about(make)


@pytest.mark.parametrize(
    ("make", "description"),
    [
        ("Bot(5)", "Guess the likeliest word."),
        ("ENTRIES[0]", "Guess the likeliest word."),
        ("ENTRIES[1]", "The file."),
        ("ENTRIES[7]", "The file."),
        ("make(", "The file."),
    ],
)
def test_a_python_file_names_its_author_and_a_link_and_describes_each_class(tmp_path, make, description):
    (tmp_path / "bot.py").write_text(SOURCE)
    assert about(tmp_path / "bot.py", make) == About("Ann?[31m", "https://example.org/bot", description)


def test_a_program_says_the_same_in_its_toml_file(tmp_path):
    lines = ['game = "wordle/1"', 'command = ["x"]', 'author = "Ann"', 'link = "https://a.b"', 'description = "Fast."']
    (tmp_path / "bot.toml").write_text("\n".join(lines))
    assert about(tmp_path / "bot.toml", "") == About("Ann", "https://a.b", "Fast.")


@pytest.mark.parametrize(
    "source", ["", "AUTHOR = 5\nLINK = 'javascript:alert(1)'", "AUTHOR = make()", "def", "AUTHOR = '''\n'''"]
)
def test_what_is_no_text_or_no_web_address_is_left_out(tmp_path, source):
    (tmp_path / "bot.py").write_text(source)
    assert about(tmp_path / "bot.py", "Bot()") is UNSET


def test_texts_are_cut_to_one_short_line(tmp_path):
    (tmp_path / "bot.py").write_text(f"AUTHOR = {'x' * 500 + chr(10) + 'y'!r}")
    assert about(tmp_path / "bot.py", "Bot()") == About("x" * MAX_AUTHOR_CHARACTERS)


def test_an_object_has_the_texts_of_its_module_and_class():
    class Bot:
        """Guess."""

    assert About.of_object(Bot()) == About(description="Guess.")
