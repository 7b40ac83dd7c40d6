import shutil
import subprocess

import pytest

from wordpl.core import entry_caches

DIGEST_COMMAND = "find . -type f -printf '%P\\n' | LC_ALL=C sort | xargs -d '\\n' sha256sum | sha256sum"


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="sha256sum is not installed")
def test_a_shell_computes_the_digest_of_a_cache(tmp_path):
    for name in ("b.txt", "a/b.txt", "a-b.txt", "a/\u00e9 c.txt", "Z"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"content of {name}")
    output = subprocess.run(
        ["bash", "-c", DIGEST_COMMAND], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert entry_caches.digest(tmp_path) == output.split()[0]


def test_a_link_in_place_of_a_file_changes_the_digest(tmp_path):
    (tmp_path / "cache").mkdir()
    (tmp_path / "kept").write_text("content")
    (tmp_path / "cache" / "one").write_text("content")
    before = entry_caches.digest(tmp_path / "cache")
    (tmp_path / "cache" / "one").unlink()
    (tmp_path / "cache" / "one").symlink_to(tmp_path / "kept")
    assert entry_caches.digest(tmp_path / "cache") != before
