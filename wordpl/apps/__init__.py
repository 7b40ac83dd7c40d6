"""Apps: guests of the contest. Each folder can be deleted whole, and nothing outside of it imports it."""
