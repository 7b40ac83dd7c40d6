"""Words, clues, chance and facts: what every other package builds on."""
