"""Submissions with common sources are found, whatever their authors call things."""

import pytest

from wordpl.run import normal_form
from wordpl.run.bundle import Bundle

SOURCE = "\n".join(f"def name{n}(a, b):\n    return [a + {n}, b * {n}, sorted(a), min(b)]" for n in range(4))
OTHER = "\n".join(
    f"class Kind{n}:\n    value = {{{n}: None}}\n    def get(self, key): del self.x[key]" for n in range(4)
)
TEMPLATE = "\n".join(f"for i in range({n}):\n    print(i, end='{n}') if i else None" for n in range(9))


@pytest.fixture
def bundle(tmp_path):
    def write(name, source):
        path = tmp_path / f"{name}.py"
        path.write_text(source)
        return Bundle.of(path)

    return write


def test_names_comments_and_layout_make_no_difference_and_everything_else_does(bundle):
    imports = "import numpy as np\nfrom random import choice\n"
    source = imports + SOURCE
    renamed = source.replace("name", "other").replace("as np", "as n").replace("(a, b):", "(a,\\\n  b):  # new")
    about = '"""New."""\nAUTHOR = "x"\n'
    assert normal_form.normal_digest(bundle("a", source)) == normal_form.normal_digest(bundle("b", about + renamed))
    for change in (("choice", "shuffle"), ("numpy", "pandas")):
        assert normal_form.normal_form(imports.replace(*change)) != normal_form.normal_form(imports)
    assert normal_form.normal_form("x.append(1)") != normal_form.normal_form("x.remove(1)")
    for change in (SOURCE.replace("* 3", "* 4"), SOURCE.replace("min", "max"), SOURCE.replace("[a + 2", "[b + 2")):
        assert normal_form.normal_digest(bundle("c", change)) != normal_form.normal_digest(bundle("a", SOURCE))


def test_the_share_is_that_of_the_shorter_one(bundle):
    both = bundle("both", SOURCE + "\n" + OTHER)
    (pair,) = normal_form.similar({"short": bundle("short", SOURCE.replace("name", "x")), "both": both})
    assert (pair.first, pair.second) == ("short", "both")
    assert pair.share > 0.9
    assert not list(normal_form.similar({"one": bundle("one", SOURCE), "two": bundle("two", OTHER)}))
    assert not list(normal_form.similar({"one": bundle("one", "x = 1"), "two": bundle("two", "y = 1")})), "too short"


def test_a_template_of_most_submissions_is_not_counted(bundle):
    parts = [SOURCE, SOURCE, OTHER, "", ""]
    bundles = {f"n{n}": bundle(f"n{n}", TEMPLATE + "\n" + part) for n, part in enumerate(parts)}
    assert [(pair.first, pair.second) for pair in normal_form.similar(bundles)] == [("n0", "n1")]


def test_the_names_of_files_make_no_difference_and_long_files_are_compared_as_they_are(tmp_path, monkeypatch):
    found = []
    for first, second in (("a", "b"), ("b", "a")):
        folder = tmp_path / first
        folder.mkdir()
        (folder / "bot.py").write_text(SOURCE)
        (folder / f"{first}.txt").write_text("x")
        (folder / f"{second}.txt").write_text("y")
        found.append(normal_form.normal_digest(Bundle.of(folder)))
    assert found[0] == found[1]
    (tmp_path / "a" / "bot.py").write_text(SOURCE + "\n# said")
    assert normal_form.normal_digest(Bundle.of(tmp_path / "a")) == found[0]
    monkeypatch.setattr(normal_form, "MAX_SOURCE_BYTES", 9)
    assert normal_form.normal_digest(Bundle.of(tmp_path / "a")) != normal_form.normal_digest(Bundle.of(tmp_path / "b"))


def test_pairs_are_named_from_a_share_and_a_length_on_the_most_similar_ones_first(bundle, monkeypatch):
    lines = [f"x = {n}" for n in range(20)]  # 3 tokens each: 53 sequences of 8
    bundles = {name: bundle(name, "\n".join(lines[:n] + [f"y = -{n}"] * 3)) for name, n in (("a", 20), ("b", 18))}
    bundles["c"] = bundle("c", "\n".join(lines))
    found = list(normal_form.similar(bundles))
    assert [(pair.first, pair.second) for pair in found] == [("a", "c"), ("b", "c"), ("a", "b")]
    assert (found[0].share, found[0].n_sequences) == (1, 53)
    monkeypatch.setattr(normal_form, "MIN_COMMON", found[1].share)
    assert len(list(normal_form.similar(bundles))) == 2
    short = {name: bundle(name, "\n".join(lines[:9])) for name in "de"}  # 20 sequences
    assert len(list(normal_form.similar(short))) == 1
    assert not list(normal_form.similar({name: bundle(name, "\n".join(lines[:8])) for name in "fg"}))
