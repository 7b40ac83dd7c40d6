"""The lower bound of the records: what the checker accepts is true, and what is not true it refuses."""

from math import comb, exp

import numpy as np
import pytest

from benchmarks import check_converse, converse
from benchmarks.check_converse import Certificate, Refused

N_ROWS = 31
"""The rows of the certificate that most tests check: budgets up to 3."""


@pytest.fixture(scope="module")
def arrays():
    with np.load(check_converse.CERTIFICATE) as file:
        return {"terms": file["terms"], "masses": file["masses"][:N_ROWS], "claims": np.array([[0.001, 1.11]])}


def accept(arrays, folder):
    """Check a certificate that is made of arrays, and return it."""
    np.savez(folder / "edited.npz", **arrays)
    certificate = Certificate(folder / "edited.npz")
    certificate.check()
    return certificate


def won(ratio, epsilons):
    """Return the largest chance of a game with these epsilons to end with a likelihood ratio above `ratio`."""
    chances, ratios = np.ones(1), np.ones(1)
    for epsilon in epsilons:
        k = exp(epsilon / 5) / (2 + exp(epsilon / 5))
        true = np.arange(6)
        shares = np.array([comb(5, i) * (1 / 3) ** i * (2 / 3) ** (5 - i) for i in true])
        chances = np.outer(chances, shares).ravel()
        ratios = np.outer(ratios, (3 * k) ** true * (1.5 * (1 - k)) ** (5 - true)).ravel()
    return float(chances @ np.maximum(ratios - ratio, 0))


@pytest.mark.long  # 12 CPU seconds, on the whole table
@pytest.mark.timeout(600)
def test_the_certificate_shows_the_bounds_of_the_documentation(capsys):
    check_converse.main([])
    lines = capsys.readouterr().out.split("\n")
    assert [line.split()[-1] for line in lines if line] == ["10.72.", "23.03.", "38.92."]


def test_no_sequence_of_epsilons_does_better_than_the_certificate_says(arrays, tmp_path):
    certificate, rng = accept(arrays, tmp_path), np.random.default_rng(1)
    budget = (N_ROWS - 1) * certificate.h
    for place in np.flatnonzero(np.abs(np.log(certificate.x)) < 3)[::6]:
        for n in (1, 1, 2, 3, 4):
            epsilons = budget * rng.dirichlet(np.ones(n) * rng.choice([0.3, 3.0]))
            expected = won(1 / certificate.x[place], epsilons) * certificate.x[place]
            assert expected <= certificate.values[-1, place]


def test_a_bound_of_a_longer_list_is_not_that_of_a_shorter_one(arrays, tmp_path):
    certificate = accept(arrays, tmp_path)
    shares = (0.0006, 0.0008, 0.001, 0.0013)
    budgets = [certificate.budget(share) for share in shares]
    assert budgets == sorted(budgets)
    assert certificate.budget(0.0004) == 0  # one of 2,315 is guessed without a clue


def moved(arrays, row, source, target, amount):
    """Return the arrays with a mass moved from one kink to another."""
    masses = arrays["masses"].copy()
    part = np.uint64(masses[row, source] * amount)
    masses[row, source] -= part
    masses[row, target] += part
    return {**arrays, "masses": masses}


def heaviest(arrays, row):
    """Return the kink with most mass."""
    return 1 + int(arrays["masses"][row, 1:].argmax())


@pytest.mark.parametrize("row", [0, 1, 7, 15, 29, 30])
@pytest.mark.parametrize("amount", [1.0, 0.01])
def test_a_smaller_w_is_refused(row, amount, arrays, tmp_path):
    kink = heaviest(arrays, row)
    with pytest.raises(Refused):
        accept(moved(arrays, row, kink, kink + 3, amount), tmp_path)


@pytest.mark.parametrize(
    ("place", "value"),
    [(0, 9), (0, 11), (0, 0), (1, 4), (2, 17), (2, 0), (3, 9), (3, 11), (4, -139), (4, -141), (4, 1)],
)
def test_other_terms_than_those_of_the_table_are_refused(place, value, arrays, tmp_path):
    terms = arrays["terms"].copy()
    terms[place] = value
    with pytest.raises(Refused):
        accept({**arrays, "terms": terms}, tmp_path)


def rows_in_another_order(masses):
    return masses[[0, 2, 1, *range(3, len(masses))]]


def a_row_left_out(masses):
    return np.delete(masses, 5, axis=0)


def a_column_left_out(masses):
    return np.delete(masses, 100, axis=1)


def no_mass_at_infinity(masses):
    masses = masses.copy()
    masses[10:] = masses[9]
    return masses


def a_greater_w(masses):
    masses = masses.copy()
    masses[:, 0] += np.uint64(2**18)
    return masses


def signed(masses):
    return masses.astype(np.int64)


def one_row(masses):
    return masses[0]


@pytest.mark.parametrize(
    "edit",
    [rows_in_another_order, a_row_left_out, a_column_left_out, no_mass_at_infinity, a_greater_w, signed, one_row],
)
def test_an_edited_table_is_refused(edit, arrays, tmp_path):
    with pytest.raises(Refused):
        accept({**arrays, "masses": edit(arrays["masses"])}, tmp_path)


def test_a_file_that_is_no_certificate_is_refused_with_a_sentence(tmp_path):
    (tmp_path / "other.npz").write_text("no archive")
    with pytest.raises(SystemExit, match="is refused"):
        check_converse.main([str(tmp_path / "other.npz")])


@pytest.mark.slow
def test_a_certificate_that_is_made_anew_is_accepted(tmp_path):
    words = ["--budget", "2", "--per-unit", "5", "--parts", "8", str(tmp_path / "new.npz")]
    converse.main(words, standalone_mode=False)
    certificate = Certificate(tmp_path / "new.npz")
    certificate.check()
    assert len(certificate.values) == 11
