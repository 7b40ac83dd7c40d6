"""Where an entry runs: in this process, or in one of its own."""
