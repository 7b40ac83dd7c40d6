import pytest

from wordpl import Solver, UserError, clues

ROWN = ["brown", "crown", "drown", "frown", "grown"]
WORDS = [*ROWN, "badge", "crane", "fudge"]


def test_a_solver_wins_within_its_limit_against_every_answer():
    solver = Solver(ROWN, WORDS, limit=3, exact=True)
    for answer in ROWN:
        known = {}
        while (guess := solver.best(known)) != answer:
            known[guess] = clues.counted(guess, answer)
        assert len(known) < 3


def test_hard_mode_cannot_leave_what_was_revealed():
    known = {"brown": ".cccc"}
    assert Solver(ROWN, WORDS).best(known) not in ROWN
    hard = Solver(ROWN, WORDS, hard=True)
    assert {suggestion.guess for suggestion in hard.rank(known)} <= set(ROWN)
    assert hard.rank(known)[0].expected == pytest.approx(2.5)


def test_a_prior_decides_which_answer_comes_first():
    assert Solver(["drown", "grown"], prior={"drown": 1, "grown": 3}).best() == "grown"
    assert Solver(ROWN, prior={"frown": 1.0}).candidates() == ("frown",)


def test_clues_are_read_in_every_notation():
    texts = (".cccc", "BGGGG", "\u2b1b\U0001f7e9\U0001f7e9\U0001f7e9\U0001f7e9")
    found = {Solver(ROWN, WORDS).candidates({"Brown": text, "badge": "....."}) for text in texts}
    assert found == {("crown", "frown")}


def test_a_tree_solves_every_answer():
    tree = Solver(ROWN, WORDS, exact=True).tree()
    assert {path[-1][0] for path in tree.paths()} == set(ROWN)
    with pytest.raises(UserError, match="no tree within 1 guesses"):
        Solver(ROWN, WORDS, limit=1).tree()


@pytest.mark.parametrize(
    ("arguments", "known", "said"),
    [
        ({"answers": []}, {}, "the answers: there is no word"),
        ({"answers": ["cr4ne"]}, {}, "'cr4ne' is not a word of letters a to z"),
        ({"answers": ["crane", "crane"]}, {}, "'crane' occurs twice"),
        ({"answers": ["crane"], "guesses": ["slate"]}, {}, "every answer must also be a guess"),
        ({"answers": ["crane"], "guesses": ["cat"]}, {}, "use one length"),
        ({"guesses": ["crane"]}, {}, "give the answers too"),
        ({"answers": ["crane"], "prior": {"slate": 1.0}}, {}, "at least one answer more than 0"),
        ({"answers": ["crane"]}, {"slate": "....."}, "'slate' is not a word of the guesses"),
        ({"answers": ["crane"]}, {"crane": "..."}, "is not a clue for 5 letters"),
        ({"answers": ["crane", "crate"], "limit": 1}, {"crane": "ccc.c"}, "none is left"),
    ],
)
def test_what_a_solver_cannot_do_is_explained(arguments, known, said):
    with pytest.raises(UserError, match=said):
        Solver(**arguments).best(known)
