"""Plays the parts of a run on the workers of dask: `wordpl evaluate --cluster ADDRESS`."""
