"""Apps: each folder can be deleted whole, and nothing outside of it imports it."""
