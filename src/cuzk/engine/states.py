"""The states of jobs, partitions, processes, devices and parameters, and every transition there is.

Each table maps (from, to) to what causes it. A worker has no state `busy`: it is busy while the ledger holds a lease
of it (see `ledger`), so that nothing can be said twice and differ.

    job         checking ─► queued ─► running ─► done
                   └──────────┴──────────┴─────► failed, cancelled
    partition   pending ─► synthesizing ─► synth_done ─► gpu ─► done
                   ▲───────────┴───────────────┴──────────┤
                   └── retry                              └───► failed (from every state but done)
    process     starting ─► up ─► restarting ─► starting …, quarantined for devices, stopped from all
    file        unknown ─► checking ─► good, bad; wanted again, either is checked again
    srs         cold ─► loading ─► hot ─► cold (of one circuit on one device)
"""

from typing import Literal

JobState = Literal["checking", "queued", "running", "done", "failed", "cancelled"]
PartitionState = Literal["pending", "synthesizing", "synth_done", "gpu", "done", "failed"]
ProcessState = Literal["starting", "up", "restarting", "quarantined", "stopped"]
FileState = Literal["unknown", "checking", "good", "bad"]
SrsState = Literal["cold", "loading", "hot"]

JOB_TRANSITIONS: dict[tuple[str, str], str] = {
    ("checking", "queued"): "checked, on disk",
    ("checking", "failed"): "a job of the journal that passes its check no longer",
    ("checking", "cancelled"): "cancelled while it was checked",
    ("queued", "running"): "its first partition began",
    ("queued", "done"): "every partition was in the journal",
    ("queued", "failed"): "its parameters are bad",
    ("queued", "cancelled"): "cancelled",
    ("running", "done"): "every partition proved and verified",
    ("running", "failed"): "a partition used up its attempts",
    ("running", "cancelled"): "cancelled",
}

PARTITION_TRANSITIONS: dict[tuple[str, str], str] = {
    ("pending", "synthesizing"): "a synthesis process took it",
    ("pending", "done"): "its proof was in the journal",
    ("pending", "failed"): "its job ended",
    ("synthesizing", "synth_done"): "synthesized",
    ("synthesizing", "pending"): "synthesis failed: one more attempt",
    ("synthesizing", "failed"): "synthesis failed for good, or its job ended",
    ("synth_done", "gpu"): "a lane took it",
    ("synth_done", "failed"): "its job ended",
    ("gpu", "done"): "proved and verified",
    ("gpu", "pending"): "proving failed: one more attempt, from synthesis, since the device consumes a and b",
    ("gpu", "failed"): "proving failed for good, or its job ended",
}

PROCESS_TRANSITIONS: dict[tuple[str, str], str] = {
    ("starting", "up"): "it said that it is ready",
    ("starting", "restarting"): "it died before it was ready",
    ("starting", "stopped"): "the engine stops",
    ("up", "restarting"): "it died",
    ("up", "quarantined"): "repeated faults",
    ("up", "stopped"): "the engine stops, or it is not needed",
    ("restarting", "starting"): "the back-off is over",
    ("restarting", "quarantined"): "repeated faults",
    ("restarting", "stopped"): "the engine stops",
    ("quarantined", "quarantined"): "its last work ended, so its process was stopped",
    ("quarantined", "starting"): "probation",
    ("quarantined", "stopped"): "the engine stops",
}

FILE_TRANSITIONS: dict[tuple[str, str], str] = {
    ("unknown", "checking"): "first wanted",
    ("checking", "good"): "it is what its manifest says",
    ("checking", "bad"): "it is missing, or not what its manifest says",
    ("good", "checking"): "wanted again: it may have changed",
    ("good", "bad"): "no device could load it",
    ("bad", "checking"): "wanted again: it may have been repaired",
}

SRS_TRANSITIONS: dict[tuple[str, str], str] = {
    ("cold", "loading"): "memory was reserved for it",
    ("loading", "hot"): "loaded",
    ("loading", "cold"): "it could not be loaded, or the device process died",
    ("hot", "cold"): "evicted, or the device process died",
}


class InvalidTransitionError(RuntimeError):
    """A transition that is in no table: a bug, told with the history of what it concerns."""

    def __init__(self, what: str, start: str, finish: str, story: list[str]) -> None:
        super().__init__(f"{what} cannot go from {start} to {finish}; its story: {'; '.join(story) or 'nothing yet'}")
        self.story = story
