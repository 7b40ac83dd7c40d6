"""What is worth computing ahead for a noisy game with a fixed budget: second guesses, and how to split the budget."""

from wordpl.solvers.plans.plan_file import Plan, load

__all__ = ["Plan", "load"]
