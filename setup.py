"""Puts the files that live at the top of the repository into the package, small: they have one copy there.

Word lists and the prior become one archive, trees and plans their guesses; scripts lose their remarks, and the wheel is
compressed by libdeflate.
"""

import json
import runpy
import shutil
import sys
import zlib
from pathlib import Path
from unittest import mock

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

TOP = Path(__file__).resolve().parent
BUNDLED = ("strategies/*.py", "strategies/*.json", "results/bundled/run.json", "results/bundled/scores.csv")
WORDS = ("answers.txt", "valid.txt", "wordpl/data/*.txt", "wordpl/data/*.csv")
SCRIPTS = ("web/static/*.js", "reports/html/assets/*.js")
sys.path.insert(0, str(TOP))


class BuildWithTopLevelFiles(build_py):
    """Adds strategies, recorded scores and the archive of words to what is built."""

    def run(self):
        """Build the package."""
        package = Path(self.build_lib, "wordpl")
        if not self.editable_mode:
            shutil.rmtree(package, ignore_errors=True)  # what an earlier build left must not travel
        super().run()
        if self.editable_mode:
            return  # a checkout has them beside the package
        for path in (path for pattern in BUNDLED for path in TOP.glob(pattern)):
            target = package / "bundled" / path.relative_to(TOP)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(compact(path) if path.match("strategies/*.json") else path.read_bytes())
        for path in (path for pattern in WORDS for path in package.parent.glob(pattern)):
            path.unlink()
        for path in (path for pattern in SCRIPTS for path in package.glob(pattern)):
            path.write_text(without_remarks(path.read_text(encoding="utf-8")), encoding="utf-8")
        (package / "data" / "words.xz").write_bytes(archive_of_words())


class Deflater:
    """Compresses like `zlib.compressobj`, by 3 % more."""

    def __init__(self, *_level_and_format):
        """Accept what zipfile says; raw deflate is what it asks for."""
        self._data = bytearray()

    def compress(self, data):
        """Take a part of the data."""
        self._data += data
        return b""

    def flush(self):
        """Return all of the data, compressed."""
        import deflate

        return bytes(deflate.deflate_compress(bytes(self._data), 12))


class SmallWheel(bdist_wheel):
    """Writes the wheel with a better compressor than zlib's."""

    def run(self):
        """Build the wheel."""
        with mock.patch.object(zlib, "compressobj", Deflater):
            super().run()


def archive_of_words():
    """Return all word lists and the prior as one compressed file."""
    from wordpl.core import word_archive

    files = sorted(path for pattern in WORDS for path in TOP.glob(pattern))
    return word_archive.pack({path.name: path.read_text(encoding="utf-8") for path in files})


def compact(path):
    """Return a JSON file, in a form that has its guesses alone if it is a tree or a plan."""
    file = json.loads(path.read_text(encoding="utf-8"))
    if "tree" in file:
        file = tree_of_guesses(path, file)
    elif "second" in file:
        file["second"] = " ".join(file["second"][clues] for clues in sorted(file["second"]))
    return json.dumps(file).encode()


def tree_of_guesses(path, file):
    """Return a tree's file in its compact form."""
    form = runpy.run_path(str(TOP / "wordpl/solvers/trees/compact.py"))
    tree = file.pop("tree")
    guesses = form["guesses_of"](tree)
    if form["grown"](iter(guesses), (TOP / "answers.txt").read_text(encoding="utf-8").split()) != tree:
        raise ValueError(f"{path} is no tree for answers.txt whose games end where one answer is left")
    return {**file, "format": form["FORMAT"], "guesses": " ".join(guesses)}


def without_remarks(script):
    """Return a script without remarks and indentation."""
    import rjsmin

    return rjsmin.jsmin(script)


setup(cmdclass={"build_py": BuildWithTopLevelFiles, "bdist_wheel": SmallWheel})
