"""`wordpl publish`: what it refuses, and the README of an archive."""

import re
import shlex

import pytest
from click.testing import CliRunner

from tests.helpers.paths import HOME
from wordpl.cli import main, publishing
from wordpl.reports import publication
from wordpl.run.folder import Run


@pytest.mark.parametrize("with_entries", [True, False])
def test_the_readme_shows_a_command_that_verify_understands(tmp_path, monkeypatch, with_entries):
    run = Run(HOME / "results" / "official-05")
    text = publication.readme_of(run, "May", with_entries=with_entries)
    monkeypatch.chdir(tmp_path)
    (tmp_path / publication.ARCHIVE).touch()  # whatever the archive is called, its bytes are the same
    (line,) = re.findall(r"^    wordpl verify (.*)$", text, re.M)
    given = publishing.verify_command.make_context("verify", shlex.split(line)).params
    assert given["against"] == run.info.commitment
    assert (given["n_replayed"] is not None) == with_entries
    assert ("`run/bundles/`" in text) == with_entries
    assert "20,000 games" in text
    assert f"pip install wordpl=={run.info.versions['wordpl']}" in text
    assert max(map(len, text.splitlines())) <= 130


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "may.zip"], "say --with-entries or --without-entries"),
        (["-o", "may.tar", "--with-entries"], "may.tar should end with .zip"),
        (["-o", "no/may.zip", "--with-entries"], "there is no folder no"),
    ],
)
def test_unclear_wishes_are_refused_before_anything_is_computed(arguments, message):
    done = CliRunner().invoke(main, ["publish", str(HOME / "results" / "bundled"), *arguments])
    assert done.exit_code != 0
    assert message in " ".join(done.output.split())


def test_a_file_that_is_no_archive_is_not_verified(tmp_path):
    (tmp_path / "notes.txt").write_text("hello")
    done = CliRunner().invoke(main, ["verify", str(tmp_path / "notes.txt")])
    assert done.exit_code == 2
    assert "neither the folder of a run nor a .zip archive" in " ".join(done.output.split())
