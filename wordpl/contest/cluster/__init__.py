"""Runs spread over machines by dask: a host hands out chunks of games, workers play them and return the records.

Importing this package needs nothing but wordpl; the modules that use dask import it when they are called.
"""

from wordpl.contest.cluster.address import ClusterAddress

__all__ = ["ClusterAddress"]
