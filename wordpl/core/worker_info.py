"""The description of a cluster worker in run.json."""

import msgspec


class WorkerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster worker that played games of a run.

    Attributes:
        machine: its host name, system and type of processor
        level: the strongest sandbox level that it supports
        versions: the versions of the software that affects games
        calibration_s: the CPU time of the calibration kernel on it, see `wordpl.contest.cluster.calibration`
        slowness: that time divided by the run's `calibration_s`; the CPU limits of players are multiplied by it
    """

    machine: dict[str, str | int]
    level: str
    versions: dict[str, str]
    calibration_s: float
    slowness: float = 1.0
