"""The sandbox of players and builds, one mechanism per module."""
