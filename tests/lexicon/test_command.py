"""`wordpl words` builds, explains and compares, and its files say where they come from."""

import pytest

from tests.helpers.cli import wordpl
from wordpl.core import paths, priors, words
from wordpl.lexicon.known_answers import all_known


@pytest.fixture(scope="module")
def some(tmp_path_factory):
    """A list with which every step is fast."""
    path = tmp_path_factory.mktemp("lists") / "some.txt"
    path.write_text(words.as_text(words.bundled("modern")[::10]))
    return path


@pytest.mark.slow
def test_filters_alone_make_a_set_with_its_provenance(tmp_path, some):
    out = tmp_path / "set.txt"
    done = wordpl(
        "words", "build", out, "--guesses", some, "--model", "none", "--filter", "zipf=3", "--filter", "suffix"
    )
    assert done.exit_code == 0, done.output
    assert "Filter suffix: " in done.output
    text = out.read_text()
    assert (
        f"# Made by: wordpl words build set.txt --guesses {some} --filter zipf=3 --filter suffix --model none" in text
    )
    assert "CC BY-SA" in text
    assert set(words.read(out)) < set(words.read(some))


@pytest.mark.long  # builds twice
def test_a_set_and_a_prior_are_built_again_byte_for_byte(tmp_path, some):
    made = []
    for name in ("a", "b"):
        out = tmp_path / name / "prior.csv"
        out.parent.mkdir()
        assert wordpl("words", "build", out, "--guesses", some, "--model", "logistic").exit_code == 0
        made.append(out.read_bytes())
    assert made[0] == made[1]
    shipped = (paths.DATA / "prior.csv").read_text().splitlines()
    assert [line for line in shipped if line.startswith("# Source: ")] == [
        line for line in made[0].decode().splitlines() if "Source" in line
    ]
    assert priors.load(out, words.read(some)).sum() == pytest.approx(1)


@pytest.mark.slow
def test_a_word_is_explained_among_its_neighbours(some):
    done = wordpl("words", "explain", words.read(some)[5], "--guesses", some, "--model", "logistic")
    assert "probability 0." in done.output
    assert "frequency.zipf" in done.output or "inflection." in done.output
    assert "is not one of the" in wordpl("words", "explain", "xyzzy", "--guesses", some).output


@pytest.mark.long  # fits every model
def test_methods_are_compared_in_a_table_and_a_plot(tmp_path):
    plot = tmp_path / "plot.svg"
    done = wordpl("words", "evaluate", "--model", "logistic", "--features", "frequency", "--plot", plot)
    assert done.exit_code == 0, done.output
    for said in ("logistic, frequency", "zipf alone", "3,137", "before 2022-02-15"):
        assert said in done.output
    assert "<svg" in plot.read_text()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["out.doc"], "must end in .txt"),
        (["out.txt", "--keep", "5", "--recall", "0.9"], "give only one of them"),
        (["out.csv", "--model", "none"], "needs a model"),
        (["out.txt", "--filter", "zipf=9"], "words is left"),
    ],
)
def test_bad_orders_are_refused(options, complaint):
    done = wordpl("words", "build", *options)
    assert done.exit_code == 1
    assert complaint in done.output


def test_the_lists_that_come_with_it_are_named_and_nest():
    said = wordpl("words", "lists").output
    modern = words.bundled("modern")
    known = all_known(modern, {})
    assert all(name in said for name in words.BUNDLED)
    assert len(known) == 2340
    assert known <= set(words.bundled("answers-predicted")) <= set(modern)
    prior = dict(zip(modern, priors.load(priors.find("default"), modern), strict=True))
    assert max(prior.values()) > prior["crane"] > prior["aahed"]
