"""Compiled kernels are used only with the sources that they were compiled from."""

from pathlib import Path

from wordpl.kernels.compiled import sources_digest
from wordpl.solvers.noisy import clue_entropy, final_guess, information, lookahead
from wordpl.solvers.search import board, search

KERNEL = "from wordpl.kernels.compiled import bound_kernel\n"


def test_the_digest_of_kernels_covers_all_kernel_files_and_no_other(tmp_path):
    for name, source in {"solve.py": KERNEL, "memo.py": KERNEL, "words.py": "", "newer.py": ""}.items():
        (tmp_path / name).write_text(source)
    digest = sources_digest(tmp_path)
    sources_digest.cache_clear()
    (tmp_path / "words.py").write_text("LONGEST = 11\n")
    assert sources_digest(tmp_path) == digest
    for name in ("solve.py", "memo.py"):
        sources_digest.cache_clear()
        (tmp_path / name).write_text(f"{KERNEL}FLAGS = 8\n")
        assert sources_digest(tmp_path) != digest
        (tmp_path / name).write_text(KERNEL)
    sources_digest.cache_clear()


def test_the_numba_cache_uses_the_digest_of_the_sources():
    kernels_by_module = {
        search: (search.solve, board.recall),
        lookahead: (
            lookahead._look_ahead,
            lookahead._choose_last,
            final_guess._scan_chances,
            clue_entropy.scan_entropies,
            information.entropy_bounds,
        ),
    }
    for module, kernels in kernels_by_module.items():
        digest = sources_digest(Path(module.__file__).parent)
        for kernel in kernels:
            assert kernel._cache._cache_file._source_stamp == digest
            assert digest in kernel._cache._cache_file._version, "else a stale index is unpickled"
