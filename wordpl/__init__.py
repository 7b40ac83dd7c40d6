"""What a contestant imports: the contract of a strategy, and exact Bayes over the answers."""

from typing import TYPE_CHECKING, Any

from wordpl.strategy import Strategy

if TYPE_CHECKING:
    from wordpl.core.posterior import Posterior

__all__ = ["Posterior", "Strategy"]


def __getattr__(name: str) -> Any:
    """Import the posterior when it is asked for: it brings numba, which no command's help should wait for."""
    if name != "Posterior":
        raise AttributeError(f"module 'wordpl' has no attribute {name!r}")
    from wordpl.core.posterior import Posterior

    return Posterior
