"""What is worth computing ahead for a noisy game with a fixed budget: second guesses, and how to split the budget."""
