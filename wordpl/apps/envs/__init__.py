"""Environments in which agents learn to play, for Gymnasium, TRL and OpenEnv; see `wordpl docs environments`."""

from typing import TYPE_CHECKING

from wordpl.core import lazy_getattr

if TYPE_CHECKING:
    from wordpl.apps.envs.environment import WordEnv
    from wordpl.apps.envs.policies import as_strategy
    from wordpl.apps.envs.tasks import Task, split
    from wordpl.apps.envs.vector import WordVectorEnv

__all__ = ["Task", "WordEnv", "WordVectorEnv", "as_strategy", "split"]

__getattr__ = lazy_getattr(
    __name__,
    {
        "Task": "wordpl.apps.envs.tasks",
        "WordEnv": "wordpl.apps.envs.environment",
        "WordVectorEnv": "wordpl.apps.envs.vector",
        "as_strategy": "wordpl.apps.envs.policies",
        "split": "wordpl.apps.envs.tasks",
    },
)
