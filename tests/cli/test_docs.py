"""`wordpl docs`: the pages in the terminal."""

import re

import pytest

from tests.helpers.cli import wordpl
from tests.helpers.paths import HOME
from wordpl.cli import docs


def test_every_page_is_a_topic_of_one_part():
    listed = [name for names in docs.topics().values() for name in names]
    pages = {path.stem for path in (HOME / "docs").glob("*.md")} - {"index"}
    assert sorted(listed) == sorted(pages)


def test_the_list_has_the_title_of_each_page():
    text = wordpl("docs").stdout
    assert re.search(r"^Get started:\n  tutorial +Tutorial: your first strategy$", text, re.M)


def test_a_page_is_printed_as_markdown_without_a_terminal():
    assert wordpl("docs", "games").stdout == (HOME / "docs" / "games.md").read_text()
    assert wordpl("docs", "docs/games.md").stdout == (HOME / "docs" / "games.md").read_text()


def test_a_misspelt_topic_is_corrected():
    result = wordpl("docs", "tutoral")
    assert result.exit_code == 1
    assert "there is no page on 'tutoral'. Did you mean 'tutorial'?" in result.stderr


def test_lines_are_found_in_any_case():
    text = wordpl("docs", "--find", "SALET").stdout
    assert text.startswith(("commands:", "solver:", "performance:")) or "\nsolver: The solver\n" in text
    assert all("salet" in line.lower() for line in text.splitlines() if line.startswith("    "))
    assert "does not occur in the page on games" in wordpl("docs", "games", "--find", "no such text").stderr


def test_a_terminal_gets_commands_in_place_of_links(monkeypatch):
    shown = []
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr(docs.click, "echo_via_pager", lambda text, color: shown.append(text))
    docs._show(docs.pages()["library"])
    (page,) = shown
    assert "wordpl docs solver" in page
    assert "](solver.md)" not in page


@pytest.mark.parametrize("topic", sorted({path.stem for path in (HOME / "docs").glob("*.md")} - {"index"}))
def test_no_page_for_the_terminal_has_links_to_files_or_directives(topic):
    text = re.sub(r"```.*?```", "", docs.for_terminal(docs.pages()[topic]), flags=re.S)
    assert not re.findall(r"\]\([\w/-]+\.md[)#]", text)
    assert "{toctree}" not in docs.pages()[topic]


def test_help_names_topics_that_exist():
    topics = {name for names in docs.topics().values() for name in names}
    sources = [path.read_text() for path in (HOME / "wordpl").rglob("*.py")]
    named = {topic for text in sources for topic in re.findall(r"`wordpl docs ([a-z][a-z-]+)`", text)}
    assert named
    assert named <= topics
    assert not [
        text
        for path in (HOME / "wordpl" / "cli").glob("*.py")
        if re.search(r"docs/\w+\.md (?:says|shows|explains|describes|lists)", text := path.read_text())
    ]
