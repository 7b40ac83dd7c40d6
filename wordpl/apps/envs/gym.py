"""Registers the games with Gymnasium when it is imported, which is how Gymnasium 1.x finds environments.

Each bundled game is wordpl/NAME-v0 after its title, and wordpl/Game-v0 takes the argument `game`:

    gymnasium.make("wordpl.apps.envs.gym:wordpl/Wordle-v0")
"""

import gymnasium

from wordpl import games
from wordpl.apps.envs.tasks import name_of


def register() -> None:
    """Register all bundled games, and one that is named by an argument; the entry point of `gymnasium.envs`."""
    named = {name_of(game): {"game": game} for game in games.names() if games.own_game(game) is None}
    for name, arguments in {**named, "Game": {}}.items():
        if (full_name := f"wordpl/{name}-v0") in gymnasium.registry:
            continue
        gymnasium.register(
            full_name,
            entry_point="wordpl.apps.envs.environment:WordEnv",
            vector_entry_point="wordpl.apps.envs.vector:WordVectorEnv",
            kwargs=arguments,
        )


register()
