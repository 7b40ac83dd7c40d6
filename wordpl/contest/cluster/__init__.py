"""Runs on a cluster of machines with dask: a host distributes chunks of games to workers and collects the records.

Importing this package does not need dask; the modules that use it import it when they are called.
"""

from wordpl.contest.cluster.certificates import ClusterAddress

__all__ = ["ClusterAddress"]
