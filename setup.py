"""Puts the files that live at the top of the repository into the package, so that each has one copy there."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

TOP = Path(__file__).resolve().parent
BUNDLED = ("answers.txt", "valid.txt", "strategies/*.py", "strategies/*.json", "results/bundled/run.json",
           "results/bundled/scores.csv")  # fmt: skip


class BuildWithTopLevelFiles(build_py):
    """Copies word lists, strategies and recorded scores to wordpl/bundled of what is built."""

    def run(self):
        """Build the package."""
        super().run()
        if self.editable_mode:
            return  # a checkout has them beside the package
        for path in (path for pattern in BUNDLED for path in TOP.glob(pattern)):
            target = Path(self.build_lib, "wordpl", "bundled", path.relative_to(TOP))
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


setup(cmdclass={"build_py": BuildWithTopLevelFiles})
