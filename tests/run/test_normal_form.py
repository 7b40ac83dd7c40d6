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
