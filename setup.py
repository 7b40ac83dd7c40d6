"""Build of the package: adds files from the top of the repository and makes the wheel small.

A checkout has the word lists, strategies and recorded scores in its top folders. The build copies them into the
package: word lists and the prior as one archive, the documentation as another, trees and plans in a compact form,
scripts without comments.
"""

import bz2
import json
import re
import runpy
import shutil
import struct
import sys
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from setuptools import setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

TOP = Path(__file__).resolve().parent
RECORDED = ("results/bundled/run.json", "results/bundled/scores.csv")
SHIPPED = "strategies/shipped.txt"
WORDS = ("answers.txt", "valid.txt", "wordpl/data/*.txt", "wordpl/data/prior.csv")
TEMPLATES = "apps/workbench/templates"
ASSETS = ("apps/tournament/static", "apps/web/static", "reports/html/assets", "apps/season/templates", TEMPLATES)
ZIP_VERSION = 20
UNIX = 3
sys.path.insert(0, str(TOP))


class BuildWithTopLevelFiles(build_py):
    """Adds the files of the top folders to the package, in their compact forms."""

    def run(self):
        """Build the package."""
        package = Path(self.build_lib, "wordpl")
        if not self.editable_mode:
            shutil.rmtree(package, ignore_errors=True)  # or files of an earlier build would get into the wheel
        super().run()
        if self.editable_mode:
            return  # the files are read from the checkout
        for path in map(TOP.joinpath, [*shipped_files(), *RECORDED]):
            target = package / "bundled" / path.relative_to(TOP)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(compact_json(path) if path.match("strategies/*/*.json") else path.read_bytes())
        for path in (path for pattern in WORDS for path in package.parent.glob(pattern)):
            path.unlink()
        (package / "data" / "assets.bz2").write_bytes(pack_assets())
        for folder in ASSETS:
            shutil.rmtree(package / folder)
        (package / "data" / "words.xz").write_bytes(pack_word_lists())
        (package / "data" / "docs.bz2").write_bytes(pack_documentation())


class SourceWithShippedFiles(sdist):
    """Adds the strategies that the package ships, and no other file of strategies/."""

    def make_distribution(self):
        """Write the archive."""
        self.filelist.extend(shipped_files())
        super().make_distribution()


class SmallWheel(bdist_wheel):
    """Compresses the finished wheel again, by libdeflate, to some 3% less than zlib does."""

    def run(self):
        """Build the wheel."""
        super().run()
        _, _, path = self.distribution.dist_files[-1]
        recompress(Path(path))


def shipped_files():
    """Return the list of the strategies that the package ships, and the files that it names."""
    lines = (line.partition("#")[0] for line in (TOP / SHIPPED).read_text(encoding="utf-8").splitlines())
    names = (line.partition(":")[0].strip() for line in lines)
    return [SHIPPED, *(f"strategies/{name}" for name in names if name)]


def pack_word_lists():
    """Return an archive of all word lists and the prior."""
    from wordpl.core import word_archive

    files = sorted(path for pattern in WORDS for path in TOP.glob(pattern))
    return word_archive.pack({path.name: path.read_text(encoding="utf-8") for path in files})


def pack_documentation():
    """Return an archive of the pages of the documentation, as `wordpl docs` reads it."""
    return compress({path.stem: path.read_text(encoding="utf-8") for path in sorted((TOP / "docs").glob("*.md"))})


def pack_assets():
    """Return an archive of scripts, styles, pages and templates, for wordpl.core.paths."""
    folders = {}
    for folder in ASSETS:
        files = (path for path in sorted((TOP / "wordpl" / folder).iterdir()) if path.is_file())
        texts = {path.name: path.read_text(encoding="utf-8") for path in files}
        is_page = folder != TEMPLATES  # whose comments are for the author of a strategy
        folders[folder] = {
            name: minify(text) if is_page and name.endswith(".js") else text for name, text in texts.items()
        }
    return compress(folders)


def compress(texts):
    """Return texts by their names as compressed JSON. Of such texts, bzip2 makes 5% less than LZMA."""
    return bz2.compress(json.dumps(texts, ensure_ascii=False).encode())


def compact_json(path):
    """Return the content of a JSON file, with only the guesses of a tree or of a plan's second step."""
    file = json.loads(path.read_text(encoding="utf-8"))
    if "tree" in file:
        file = compact_tree(path, file)
    elif "second" in file:
        file["second"] = " ".join(file["second"][clues] for clues in sorted(file["second"]))
    return json.dumps(file).encode()


def compact_tree(path, file):
    """Return the fields of a tree's file, with its guesses in place of the tree.

    Raises:
        ValueError: The tree cannot be rebuilt from its guesses.
    """
    # by its path: importing its package needs libraries that a build does not install
    compact = runpy.run_path(str(TOP / "wordpl/solvers/trees/compact.py"))
    tree = file.pop("tree")
    guesses = compact["list_guesses"](tree)
    answers = (TOP / "answers.txt").read_text(encoding="utf-8").split()
    if compact["rebuild"](iter(guesses), answers) != tree:
        raise ValueError(f"{path} is not a tree for answers.txt in which a single remaining answer is the next guess")
    return {**file, "format": compact["FORMAT"], "guesses": " ".join(guesses)}


def minify(script):
    """Return a script without comments and indentation."""
    import rjsmin

    return rjsmin.jsmin(script)


def recompress(path):
    """Replace a zip archive by one with the same entries and better deflate streams.

    `zipfile` cannot store data that is already compressed, so the archive is written here, in the format of PKWARE's
    APPNOTE.TXT: for each entry a header (4.3.7) and its data, then the central directory (4.3.12), then its end
    record (4.3.16). Names, order, dates and permissions stay.

    Raises:
        ValueError: The new archive would not have the same content.
    """
    with ZipFile(path) as archive:
        entries = [(info, archive.read(info)) for info in archive.infolist()]
    body, directory = bytearray(), bytearray()
    for info, content in entries:
        method, stream = deflated(content)
        name = info.filename.encode("ascii")
        common = struct.pack(
            "<4H3L2H", 0, method, *dos_time(info.date_time), info.CRC, len(stream), len(content), len(name), 0
        )
        directory += struct.pack("<4s2H", b"PK\x01\x02", UNIX << 8 | ZIP_VERSION, ZIP_VERSION) + common
        directory += struct.pack("<3H2L", 0, 0, 0, info.external_attr, len(body)) + name
        body += struct.pack("<4sH", b"PK\x03\x04", ZIP_VERSION) + common + name + stream
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, len(entries), len(entries), len(directory), len(body), 0)
    path.write_bytes(body + directory + end)
    with ZipFile(path) as archive:
        if [archive.read(info) for info in archive.infolist()] != [content for _, content in entries]:
            raise ValueError(f"{path} has changed by its compression")


def deflated(content):
    """Return the method and the data with which a zip archive stores this content."""
    import deflate

    stream = bytes(deflate.deflate_compress(content, 12))
    return (ZIP_DEFLATED, stream) if len(stream) < len(content) else (ZIP_STORED, content)


def dos_time(moment):
    """Return the time and the date of (year, month, day, hour, minute, second) as two 16-bit numbers."""
    year, month, day, hour, minute, second = moment
    return hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day


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
    cmdclass={"build_py": BuildWithTopLevelFiles, "sdist": SourceWithShippedFiles, "bdist_wheel": SmallWheel},
)
