"""Play a group of eight games with one secret through OpenEnv 0.10, as a trainer does: pip install openenv.

python examples/openenv_client.py [ADDRESS OF A SERVER]
"""

import random
import sys
import threading
import time

import uvicorn
from openenv import GenericEnvClient

from wordpl import words
from wordpl.apps.envs.openenv import app


def serve():
    """Serve in this process; a trainer would run `uvicorn --factory wordpl.apps.envs.openenv:app`."""
    server = uvicorn.Server(uvicorn.Config(app(), port=0, log_level="error"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    return f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"


def main():
    address = sys.argv[1] if len(sys.argv) > 1 else serve()
    guesses, rng = words.load().guesses, random.Random(1)
    for rollout in range(8):
        with GenericEnvClient(base_url=address).sync() as env:
            result = env.reset(split="train", index=3)
            total = 0.0
            while not result.done:
                result = env.step({"word": rng.choice(guesses)})
                total += result.reward
            sys.stdout.write(f"rollout {rollout}: {result.observation['text']} Reward {total:g}\n")


if __name__ == "__main__":
    main()
