"""Processes whose state on GPUs is put aside and brought back."""

from __future__ import annotations

from heddle.cuda.bindings import checked, driver
from heddle.cuda.core.typing import ProcessStateType

__all__ = ["Process"]

_STATES = ("running", "locked", "checkpointed", "failed")


class Process:
    """A process that uses CUDA."""

    def __init__(self, pid: int) -> None:
        self._pid = int(pid)

    @property
    def pid(self) -> int:
        """Its number."""
        return self._pid

    @property
    def state(self) -> ProcessStateType:
        """How far it is."""
        return ProcessStateType(_STATES[int(checked.cuCheckpointProcessGetState(self._pid))])

    @property
    def restore_thread_id(self) -> int:
        """The thread of it that calls CUDA to be restored."""
        return int(checked.cuCheckpointProcessGetRestoreThreadId(self._pid))

    def lock(self, timeout_ms: int = 0) -> None:
        """Let it give no more work to GPUs, when what it gave is done."""
        given = driver.CUcheckpointLockArgs()
        given.timeoutMs = timeout_ms
        checked.cuCheckpointProcessLock(self._pid, given)

    def checkpoint(self) -> None:
        """Bring its state on GPUs to memory of the host."""
        checked.cuCheckpointProcessCheckpoint(self._pid, None)

    def restore(self) -> None:
        """Bring its state back to GPUs."""
        checked.cuCheckpointProcessRestore(self._pid, None)

    def unlock(self) -> None:
        """Let it go on."""
        checked.cuCheckpointProcessUnlock(self._pid, None)
