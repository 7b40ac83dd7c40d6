"""The folder of a run: its configuration, description, records, journals and seal."""
