"""`wordpl words` builds, explains and compares lists; their files state their origin."""

import pytest

from tests.helpers.cli import wordpl
from wordpl.core import known_answers, paths, priors, words
from wordpl.core.known_answers import all_known


@pytest.fixture(scope="module")
def short_list(tmp_path_factory):
    """Return a short word list, with which every step is fast."""
    path = tmp_path_factory.mktemp("lists") / "some.txt"
    path.write_text(words.as_text(words.bundled("modern")[::10]))
    return path


@pytest.mark.slow
def test_a_list_built_with_filters_alone_states_its_origin(tmp_path, short_list):
    out = tmp_path / "set.txt"
    result = wordpl(
        "words", "build", out, "--guesses", short_list, "--model", "none", "--filter", "zipf=3", "--filter", "suffix"
    )
    assert result.exit_code == 0, result.output
    assert "Filter suffix: " in result.output
    text = out.read_text()
    assert (
        f"# Made by: wordpl words build set.txt --guesses {short_list} --filter zipf=3 --filter suffix --model none"
        in text
    )
    assert "CC BY-SA" in text
    assert set(words.read(out)) < set(words.read(short_list))


@pytest.mark.long  # builds twice
def test_a_prior_can_be_built_again_byte_for_byte(tmp_path, short_list):
    contents = []
    for name in ("a", "b"):
        out = tmp_path / name / "prior.csv"
        out.parent.mkdir()
        assert wordpl("words", "build", out, "--guesses", short_list, "--model", "spy-em").exit_code == 0
        contents.append(out.read_bytes())
    assert contents[0] == contents[1]
    shipped = (paths.DATA / "prior.csv").read_text().splitlines()
    assert [line for line in shipped if line.startswith("# Source: ")] == [
        line for line in contents[0].decode().splitlines() if "Source" in line
    ]
    assert priors.load(out, words.read(short_list)).sum() == pytest.approx(1)


@pytest.mark.slow
def test_a_word_is_explained_among_its_neighbours(short_list):
    result = wordpl("words", "explain", words.read(short_list)[5], "--guesses", short_list, "--model", "spy-em")
    assert "probability 0." in result.output
    assert "frequency.zipf" in result.output or "inflection." in result.output
    assert "is not one of the" in wordpl("words", "explain", "xyzzy", "--guesses", short_list).output


@pytest.mark.long  # fits every model
def test_methods_are_compared_in_a_table_and_a_plot(tmp_path):
    plot = tmp_path / "plot.svg"
    result = wordpl("words", "evaluate", "--model", "spy-em", "--features", "frequency", "--plot", plot)
    assert result.exit_code == 0, result.output
    for text in ("spy-em, frequency", "zipf alone", "3,137", "before 2022-02-15"):
        assert text in result.output
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
def test_invalid_options_are_refused(options, complaint):
    result = wordpl("words", "build", *options)
    assert result.exit_code == 1
    assert complaint in result.output


def test_bundled_lists_are_shown_and_contain_each_other():
    output = wordpl("words", "lists").output
    modern = words.bundled("modern")
    known = all_known(modern, known_answers.bundled())
    assert all(name in output for name in words.BUNDLED)
    assert len(known) == 2363
    assert known <= set(words.bundled("answers-predicted")) <= set(modern)
    prior = dict(zip(modern, priors.load(priors.find("default"), modern), strict=True))
    assert max(prior.values()) > prior["crane"] > prior["aahed"]
