"""Nodes of graphs that can be run, which are changed there alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from heddle.cuda.bindings import checked
from heddle.cuda.core._graph_nodes import (
    ChildGraphNode,
    EventRecordNode,
    EventWaitNode,
    GraphNode,
    HostCallbackNode,
    KernelNode,
    MemcpyNode,
    MemsetNode,
    context,
    host_params,
    kernel_params,
    memcpy_params,
    memset_params,
)
from heddle.cuda.core._memory import address

if TYPE_CHECKING:
    from heddle.cuda.core._launch import LaunchConfig
    from heddle.cuda.core._module import Kernel
    from heddle.cuda.core._stream import Event
    from heddle.cuda.core.graph import Graph, GraphDefinition


class ExecutableGraphNode:
    """A node of a graph that can be run."""

    def __init__(self, graph: Graph, node: GraphNode) -> None:
        self._graph, self._node = graph, node

    def _set(self, function: str, params: object, kept: object) -> None:
        getattr(checked, function)(self._graph.handle, self._node.handle, params)
        self._graph._kept.append(kept)


class _Switched(ExecutableGraphNode):
    """A node that may be left out."""

    @property
    def is_enabled(self) -> bool:
        """Whether it is run."""
        return bool(checked.cuGraphNodeGetEnabled(self._graph.handle, self._node.handle))

    def enable(self) -> None:
        """Run it."""
        checked.cuGraphNodeSetEnabled(self._graph.handle, self._node.handle, 1)

    def disable(self) -> None:
        """Leave it out."""
        checked.cuGraphNodeSetEnabled(self._graph.handle, self._node.handle, 0)


class ExecutableKernelNode(_Switched):
    """A launch."""

    def update(self, config: LaunchConfig, kernel: Kernel, *args: object) -> None:
        """Launch something else."""
        kept: list[Any] = []
        params = kernel_params(config, kernel, args, kept)
        self._set("cuGraphExecKernelNodeSetParams", params, (kept, kernel, args))


class ExecutableMemsetNode(_Switched):
    """Memory is filled."""

    def update(
        self,
        dst: object,
        value: int,
        width: int,
        *,
        element_size: int = 1,
        height: int = 1,
        pitch: int = 0,
    ) -> None:
        """Fill something else."""
        facts = {"dptr": address(dst), "value": value, "width": width, "height": height}
        facts |= {"element_size": element_size, "pitch": pitch}
        handle, node = self._graph.handle, self._node.handle
        checked.cuGraphExecMemsetNodeSetParams(handle, node, memset_params(facts), context())
        self._graph._kept.append(dst)


class ExecutableMemcpyNode(_Switched):
    """Memory is copied."""

    def update(self, dst: object, src: object, size: int) -> None:
        """Copy something else."""
        facts = {"dst": address(dst), "src": address(src), "size": size}
        handle, node = self._graph.handle, self._node.handle
        checked.cuGraphExecMemcpyNodeSetParams(handle, node, memcpy_params(facts), context())
        self._graph._kept.append((dst, src))


class ExecutableChildGraphNode(ExecutableGraphNode):
    """Another graph."""

    def update(self, child: GraphDefinition) -> None:
        """Another graph of the same shape."""
        self._set("cuGraphExecChildGraphNodeSetParams", child.handle, child)


class ExecutableEventRecordNode(ExecutableGraphNode):
    """An event is recorded."""

    def update(self, event: Event) -> None:
        """Record another event."""
        self._set("cuGraphExecEventRecordNodeSetEvent", event.handle, event)


class ExecutableEventWaitNode(ExecutableGraphNode):
    """An event is waited for."""

    def update(self, event: Event) -> None:
        """Wait for another event."""
        self._set("cuGraphExecEventWaitNodeSetEvent", event.handle, event)


class ExecutableHostCallbackNode(ExecutableGraphNode):
    """A function of the host's is called."""

    def update(self, fn: object, *, user_data: object = None) -> None:
        """Call another function."""
        params, kept = host_params(fn, user_data)
        self._set("cuGraphExecHostNodeSetParams", params, kept)


EXECUTABLE: dict[type[Any], type[Any]] = {
    KernelNode: ExecutableKernelNode,
    MemsetNode: ExecutableMemsetNode,
    MemcpyNode: ExecutableMemcpyNode,
    ChildGraphNode: ExecutableChildGraphNode,
    EventRecordNode: ExecutableEventRecordNode,
    EventWaitNode: ExecutableEventWaitNode,
    HostCallbackNode: ExecutableHostCallbackNode,
}
