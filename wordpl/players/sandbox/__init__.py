"""What keeps a player from harming the machine it runs on, one mechanism a file."""
