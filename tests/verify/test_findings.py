"""Tests of what a verification says of its result."""

import pytest

from wordpl.verify.replay import ClueNumbers, Difference, Findings

DIFFERENCE = Difference("alice", "game 17", "the verdict", "won", "lost")


@pytest.mark.parametrize(
    ("findings", "holds", "verdict"),
    [
        (Findings(5), True, "All holds"),
        (Findings(5, notes=["the games: withheld."]), True, "All holds"),
        (Findings(5, [DIFFERENCE] * 2), False, "Differences: 2"),
        (Findings(5, unexplained=["x"]), False, "Results that clues do not allow: 1"),
        (Findings(5, [DIFFERENCE], ["x"]), False, "Differences: 1; Results that clues do not allow: 1"),
    ],
)
def test_differences_and_unexplained_results_are_counted(findings, holds, verdict):
    assert (findings.holds, findings.verdict) == (holds, verdict)


@pytest.mark.parametrize("clue", [".ic.", ".ic.ic", ".ic.x"])
def test_only_a_clue_of_the_length_of_the_words_has_a_number(clue):
    with pytest.raises(KeyError):
        ClueNumbers(5)[clue]
