import subprocess
import sys

import pytest

from wordpl.players import shared_kernels

ALL_KERNELS = """
from wordpl.kernels import compiled
with compiled.quick_imports():
    from numba.core.cpu import CPUContext
    def prepare(context): raise SystemExit("a kernel that is kept was not loaded by itself")
    CPUContext.load_additional_registries = prepare
    from wordpl.players import shared_kernels
    shared_kernels.preload(list(shared_kernels.GROUPS))  # loads and calls every shared kernel
"""


@pytest.mark.slow
def test_cached_kernels_load_without_the_compiler():
    shared_kernels.ensure_compiled()
    result = subprocess.run([sys.executable, "-c", ALL_KERNELS], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
