"""A prior is read as written, or refused with what would be right."""

import numpy as np
import pytest

from wordpl.core import priors
from wordpl.core.messages import UserError


def test_a_prior_s_probabilities_sum_to_one_over_the_answers(tmp_path):
    path = tmp_path / "prior.csv"
    path.write_text("# where from\nword,probability\ncrane,3\nslate,1\nother,5\nzesty,0\n", encoding="utf-8-sig")
    assert np.allclose(priors.load(path, ["abide", "crane", "slate", "zesty"]), [0, 0.75, 0.25, 0])
    assert priors.find(str(path)) == path
    assert "crane" in priors.read_file(priors.find("default"))
    with pytest.raises(UserError, match="there is no prior 'none'"):
        priors.find("none")


@pytest.mark.parametrize("text", ["", "crane,1\n", "word,probability\ncrane\n", "word,probability\ncrane,-1\n",
                                  "word,probability\ncrane,nan\n", "word,probability\ncrane,inf\n",
                                  "word,probability\ncrane,1,2\n", "word,probability\nother,1\n"])  # fmt: skip
def test_invalid_priors_are_refused(tmp_path, text):
    path = tmp_path / "prior.csv"
    path.write_text(text)
    is_headed = text.startswith("word,probability")
    with pytest.raises(UserError, match=str(path) if is_headed else "is not a prior: its first line should be"):
        priors.load(path, ["crane"])
