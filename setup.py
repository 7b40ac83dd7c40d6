"""Puts the files that live at the top of the repository into the package, so that each has one copy there."""

import lzma
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

TOP = Path(__file__).resolve().parent
BUNDLED = ("answers.txt", "valid.txt", "strategies/*.py", "strategies/*.json", "results/bundled/run.json",
           "results/bundled/scores.csv")  # fmt: skip

COMPRESSED = ("*.txt", "*.csv")
"""The data that are large and, as texts, half as large when compressed by more than a wheel does."""


class BuildWithTopLevelFiles(build_py):
    """Copies word lists, strategies and recorded scores to wordpl/bundled of what is built."""

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
            shutil.copyfile(path, target)
        for path in [file for pattern in COMPRESSED for file in (package / "data").glob(pattern)]:
            path.with_name(f"{path.name}.xz").write_bytes(lzma.compress(path.read_bytes(), preset=9))
            path.unlink()


setup(cmdclass={"build_py": BuildWithTopLevelFiles})
