"""Train a language model with TRL's GRPO on words that it is not tested with: pip install trl[vllm] datasets.

python examples/grpo.py MODEL     # a processor plays, a graphics card learns
python examples/grpo.py           # without TRL: what one group of rollouts sees, guessing at random
"""

import random
import sys
from functools import partial

from wordpl import words
from wordpl.apps.envs.trl import WordGame, rows

ENVIRONMENT = partial(WordGame, reward="luck-free", part="train")


def train(model):
    from datasets import Dataset
    from trl import GRPOConfig, GRPOTrainer

    GRPOTrainer(
        model=model,
        args=GRPOConfig(num_generations=8, max_completion_length=2048, max_tool_calling_iterations=8),
        train_dataset=Dataset.from_list(rows(10_000)),
        environment_factory=ENVIRONMENT,
    ).train()


def show():
    rng, guesses = random.Random(1), words.load().guesses
    row = rows(1, first=3)[0]
    for _ in range(4):
        game = ENVIRONMENT()
        told = game.reset(**row)
        while "cost" not in told and "over" not in told:
            told = game.guess(rng.choice(guesses))
        sys.stdout.write(f"{told} Reward {game.get_reward():.2f}\n")


if __name__ == "__main__":
    train(sys.argv[1]) if len(sys.argv) > 1 else show()
