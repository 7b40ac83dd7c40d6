"""Language models as contestants: the harness plays them itself, through endpoints that the host binds."""
