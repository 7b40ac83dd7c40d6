import pytest

from wordpl import Solver, UserError, clues

RHYMES = ["brown", "crown", "drown", "frown", "grown"]
WORDS = [*RHYMES, "badge", "crane", "fudge"]


def test_a_solver_wins_within_its_limit_against_every_answer():
    solver = Solver(RHYMES, WORDS, limit=3, exact=True)
    for answer in RHYMES:
        known = {}
        while (guess := solver.best(known)) != answer:
            known[guess] = clues.counted(guess, answer)
        assert len(known) < 3


def test_hard_mode_suggests_only_guesses_with_all_hints():
    known = {"brown": ".cccc"}
    assert Solver(RHYMES, WORDS).best(known) not in RHYMES
    hard_solver = Solver(RHYMES, WORDS, hard=True)
    assert {suggestion.guess for suggestion in hard_solver.rank(known)} <= set(RHYMES)
    assert hard_solver.rank(known)[0].expected == pytest.approx(2.5)


def test_a_prior_decides_the_order_of_answers():
    assert Solver(["drown", "grown"], prior={"drown": 1, "grown": 3}).best() == "grown"
    assert Solver(RHYMES, prior={"frown": 1.0}).candidates() == ("frown",)


def test_clues_are_read_in_every_notation():
    texts = (".cccc", "BGGGG", "\u2b1b\U0001f7e9\U0001f7e9\U0001f7e9\U0001f7e9")
    candidates = {Solver(RHYMES, WORDS).candidates({"Brown": text, "badge": "....."}) for text in texts}
    assert candidates == {("crown", "frown")}


def test_a_tree_solves_every_answer():
    tree = Solver(RHYMES, WORDS, exact=True).tree()
    assert {path[-1][0] for path in tree.paths()} == set(RHYMES)
    with pytest.raises(UserError, match="no tree within 1 guesses"):
        Solver(RHYMES, WORDS, limit=1).tree()


@pytest.mark.parametrize(
    ("arguments", "known", "message"),
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
def test_invalid_arguments_of_a_solver_are_explained(arguments, known, message):
    with pytest.raises(UserError, match=message):
        Solver(**arguments).best(known)
