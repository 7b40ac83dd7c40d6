"""The archive that stands for the word lists and the prior in an installed package."""

import pytest

from tests.helpers.paths import HOME
from wordpl.core import paths, word_archive

FILES = [*(HOME / name for name in paths.WORD_LISTS), *paths.DATA.glob("*.txt"), paths.DATA / "prior.csv"]


@pytest.mark.slow
def test_every_list_and_the_prior_survive_packing():
    texts = {path.name: path.read_text() for path in FILES}
    archive = word_archive.unpack(word_archive.pack(texts))
    assert len(texts) == 10
    assert {name: word_archive.text(archive, name) for name in texts} == texts


def test_lists_of_any_order_and_remarks_survive_packing():
    texts = {
        "a.txt": "# from there\nslate\ncrane\n",
        "b.txt": "crane\nlight\n",
        "c.csv": "# made\nword,probability\ncrane,0.252\nslate,1.24e-05\n",
        "empty.txt": "# nothing yet\n",
    }
    archive = word_archive.unpack(word_archive.pack(texts))
    assert {name: word_archive.text(archive, name) for name in texts} == texts


@pytest.mark.parametrize("text", ["crane\n\nslate\n", "word,probability\ncrane,0.1234\n"])
def test_a_text_that_packing_would_change_is_refused(text):
    with pytest.raises(ValueError):
        word_archive.pack({"a.txt": text})
