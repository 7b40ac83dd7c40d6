"""What run.json says of a process of a cluster."""

import msgspec


class WorkerInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A process of a cluster that played games of a run.

    Attributes:
        machine: its host name, system and kind of processor
        level: the best isolation of players that it supports
        versions: of what decides how games go
        calibration_s: the CPU time of the fixed kernel, see `wordpl.contest.cluster.calibration`
        slowness: that time over the run's own; what players may use is multiplied by it
    """

    machine: dict[str, str | int]
    level: str
    versions: dict[str, str]
    calibration_s: float
    slowness: float = 1.0
