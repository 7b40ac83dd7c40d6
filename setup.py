"""Build of the package: adds files from the top of the repository.

A checkout has the contest's word lists, strategies, documentation and recorded scores in its top folders. The build
copies them into the package, in the folder `bundled`.
"""

import re
import shutil
import sys
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

TOP = Path(__file__).resolve().parent
COPIED = ("answers.txt", "valid.txt", "results/bundled/run.json", "results/bundled/scores.csv")
SHIPPED = "strategies/shipped.txt"
EDITABLE = ".editable"
"""The folder that an editable install puts on the module path; it holds a link to the package, and nothing else."""


class BuildWithTopLevelFiles(build_py):
    """Adds the files of the top folders to the package."""

    def run(self):
        """Build the package."""
        package = Path(self.build_lib, "wordpl")
        if not self.editable_mode:
            shutil.rmtree(package, ignore_errors=True)  # or files of an earlier build would get into the wheel
        super().run()
        if self.editable_mode:
            return  # the files are read from the checkout
        for path in map(TOP.joinpath, [*shipped_files(), *COPIED, *TOP.glob("docs/*.md")]):
            target = package / "bundled" / path.relative_to(TOP)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())


class SourceWithShippedFiles(sdist):
    """Adds the strategies that the package ships, and no other file of strategies/."""

    def make_distribution(self):
        """Write the archive."""
        self.filelist.extend(shipped_files())
        super().make_distribution()


def shipped_files():
    """Return the list of the strategies that the package ships, and the files that it names."""
    lines = (line.partition("#")[0] for line in (TOP / SHIPPED).read_text(encoding="utf-8").splitlines())
    names = (line.partition(":")[0].strip() for line in lines)
    return [SHIPPED, *(f"strategies/{name}" for name in names if name)]


def package_folders():
    """Return where packages lie: for an editable install, in a folder of their own, where editors find them.

    Editors and type checkers do not read the import hook that setuptools would install. The checkout itself must not be
    on the path, since all programs of the environment would then import whatever it holds, such as a sitecustomize.py.
    """
    if "editable_wheel" not in sys.argv:
        return {}
    link = TOP / EDITABLE / "wordpl"
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(Path("..", "wordpl"), target_is_directory=True)
    return {"": EDITABLE}


def description():
    """Return the introduction of README.md, without links and pictures, which only a checkout has."""
    introduction = (TOP / "README.md").read_text(encoding="utf-8").partition("\n## ")[0]
    paragraphs = introduction.split("\n\n")
    text = "\n\n".join(
        paragraph
        for paragraph, following in zip(paragraphs, [*paragraphs[1:], ""], strict=True)
        if not (paragraph.startswith("![") or (paragraph.endswith(":") and following.startswith("![")))
    )
    return re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", text)


setup(
    long_description=description(),
    long_description_content_type="text/markdown",
    package_dir=package_folders(),
    cmdclass={"build_py": BuildWithTopLevelFiles, "sdist": SourceWithShippedFiles},
)
