"""What the command line does, one thing a file."""
