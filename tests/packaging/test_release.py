"""What a tag releases: the name of the repository, the version, and the checks up to the upload."""

import re
import shutil
import subprocess
import tomllib

import pytest

from tests.helpers.paths import HOME

PLACEHOLDER = "/".join(("OWNER", "wordpl"))  # in parts, as the script must not find it here
VERSION = tomllib.loads((HOME / "pyproject.toml").read_text())["project"]["version"]

pytestmark = pytest.mark.skipif(not (HOME / ".git").exists(), reason="needs a checkout")


@pytest.fixture
def clone(tmp_path):
    """A clone of this checkout, with its uncommitted changes, in one commit that has the tag of the version."""
    folder = tmp_path / "clone"
    listed = git(HOME, "ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    for name in filter(None, listed):
        if (HOME / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(HOME / name, folder / name)
    git(folder, "init", "-q", "-b", "main")
    commit(folder)
    git(folder, "tag", f"v{VERSION}")
    return folder


def git(folder, *arguments):
    command = ["git", "-c", "user.name=Test", "-c", "user.email=test@example.org", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout


def commit(folder):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--allow-empty", "-m", "A release")


def run(folder, *command, **options):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, **options)


def head_changelog(folder, title):
    """Give the newest section of the changelog another title."""
    path = folder / "CHANGELOG.md"
    path.write_text(re.sub(r"^## .*$", f"## {title}", path.read_text(), count=1, flags=re.M))
    commit(folder)
    git(folder, "tag", "-f", f"v{VERSION}")


@pytest.mark.slow
def test_the_name_of_the_repository_is_set_everywhere_by_one_script(clone):
    named = git(clone, "grep", "-l", PLACEHOLDER).split()
    assert {"pyproject.toml", "CITATION.cff", "docs/hosting.md"} <= set(named)
    assert run(clone, ".ci/set-repository", "not a name").returncode == 2
    done = run(clone, ".ci/set-repository", "some-body/wordpl.x")
    assert (done.returncode, done.stdout.split()) == (0, named)
    assert run(clone, "git", "grep", "-l", PLACEHOLDER).stdout == ""
    urls = tomllib.loads((clone / "pyproject.toml").read_text())["project"]["urls"].values()
    assert all(url.startswith("https://github.com/some-body/wordpl.x") for url in urls)
    assert run(clone, ".ci/set-repository", "some-body/wordpl").returncode == 1


@pytest.mark.slow
def test_only_a_dated_tag_of_the_version_in_a_clean_checkout_is_released(clone):
    head_changelog(clone, "Unreleased")
    for tag, reason in (("v9.9.9", "but pyproject.toml has version"), (f"v{VERSION}", "CHANGELOG.md needs a section")):
        done = run(clone, ".ci/release", tag, "dist")
        assert done.returncode == 1
        assert reason in done.stdout
    head_changelog(clone, f"{VERSION} (2026-11-23)")
    (clone / "README.md").write_text("changed")
    assert "the checkout has changes" in run(clone, ".ci/release", f"v{VERSION}", "dist").stdout
    commit(clone)
    assert "is not the commit that is checked out" in run(clone, ".ci/release", f"v{VERSION}", "dist").stdout


def test_citation_and_package_have_one_version():
    assert re.search(rf"^version: {re.escape(VERSION)}$", (HOME / "CITATION.cff").read_text(), re.M)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_tag_builds_a_checked_sdist_and_a_wheel_that_passes_its_session(clone, tmp_path):
    head_changelog(clone, f"{VERSION} (2026-11-23)")
    done = run(clone, "bash", "-euo", "pipefail", "-c", f'.ci/release "v{VERSION}" "{tmp_path}/dist"')
    assert done.returncode == 0, done.stdout + done.stderr
    names = sorted(path.name for path in (tmp_path / "dist").iterdir())
    assert names == [f"wordpl-{VERSION}-py3-none-any.whl", f"wordpl-{VERSION}.tar.gz"]
    assert done.stdout.count("PASSED") == 2
