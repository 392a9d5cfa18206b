"""Graphs: built by hand (`GraphDefinition`) or recorded from a stream (`GraphBuilder`), and run.

Work of Heddle's arrays is recorded by `heddle.cuda.Stream.begin_capture`.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from heddle import _core
from heddle.cuda.bindings import checked, driver
from heddle.cuda.core._graph_executables import (
    EXECUTABLE,
    ExecutableChildGraphNode,
    ExecutableEventRecordNode,
    ExecutableEventWaitNode,
    ExecutableGraphNode,
    ExecutableHostCallbackNode,
    ExecutableKernelNode,
    ExecutableMemcpyNode,
    ExecutableMemsetNode,
)
from heddle.cuda.core._graph_nodes import (
    AdjacencySetProxy,
    AllocNode,
    ChildGraphNode,
    ConditionalNode,
    EmptyNode,
    EventRecordNode,
    EventWaitNode,
    FreeNode,
    GraphNode,
    HostCallbackNode,
    IfElseNode,
    IfNode,
    KernelNode,
    MemcpyNode,
    MemsetNode,
    NodeMaker,
    SwitchNode,
    WhileNode,
    conditional_bodies,
    conditional_params,
    context,
    host_function,
)
from heddle.cuda.core._stream import Stream, handle_of

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Handle

__all__ = [
    "AdjacencySetProxy",
    "AllocNode",
    "ChildGraphNode",
    "ConditionalNode",
    "EmptyNode",
    "EventRecordNode",
    "EventWaitNode",
    "ExecutableChildGraphNode",
    "ExecutableEventRecordNode",
    "ExecutableEventWaitNode",
    "ExecutableGraphNode",
    "ExecutableHostCallbackNode",
    "ExecutableKernelNode",
    "ExecutableMemcpyNode",
    "ExecutableMemsetNode",
    "FreeNode",
    "Graph",
    "GraphBuilder",
    "GraphCompleteOptions",
    "GraphCondition",
    "GraphDebugPrintOptions",
    "GraphDefinition",
    "GraphNode",
    "HostCallbackNode",
    "IfElseNode",
    "IfNode",
    "KernelNode",
    "MemcpyNode",
    "MemsetNode",
    "SwitchNode",
    "WhileNode",
]


@dataclasses.dataclass
class GraphDebugPrintOptions:
    """What is written of a graph."""

    verbose: bool = False
    runtime_types: bool = False
    kernel_node_params: bool = False
    memcpy_node_params: bool = False
    memset_node_params: bool = False
    host_node_params: bool = False
    event_node_params: bool = False
    ext_semas_signal_node_params: bool = False
    ext_semas_wait_node_params: bool = False
    kernel_node_attributes: bool = False
    handles: bool = False
    mem_alloc_node_params: bool = False
    mem_free_node_params: bool = False
    batch_mem_op_node_params: bool = False
    extra_topo_info: bool = False
    conditional_node_params: bool = False

    def _flags(self) -> int:
        names = driver.CUgraphDebugDot_flags.__members__
        flags = 0
        for field in dataclasses.fields(self):
            if getattr(self, field.name):
                short = field.name.upper().replace("MEM_ALLOC", "MEM_ALLOC")
                flags |= int(names[f"CU_GRAPH_DEBUG_DOT_FLAGS_{short}"])
        return flags


@dataclasses.dataclass
class GraphCompleteOptions:
    """How a graph is made ready to run."""

    auto_free_on_launch: bool = False
    upload_stream: Any = None
    device_launch: bool = False
    use_node_priority: bool = False

    def _instantiated(self, graph: object) -> Any:
        names = driver.CUgraphInstantiate_flags
        params = driver.CUDA_GRAPH_INSTANTIATE_PARAMS()
        flags = 0
        if self.auto_free_on_launch:
            flags |= names.CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH
        if self.upload_stream is not None:
            flags |= names.CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD
            params.hUploadStream = handle_of(self.upload_stream)
        if self.device_launch:
            flags |= names.CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH
        if self.use_node_priority:
            flags |= names.CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY
        params.flags = int(flags)
        return checked.cuGraphInstantiateWithParams(graph, params)


class GraphCondition:
    """A number that kernels set (cudaGraphSetConditional) and nodes depend on."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle

    @classmethod
    def _make(cls, graph: object, default_value: int | None) -> GraphCondition:
        flags = 0 if default_value is None else driver.CU_GRAPH_COND_ASSIGN_DEFAULT
        made = checked.cuGraphConditionalHandleCreate(graph, context(), default_value or 0, flags)
        return cls(made)

    @property
    def handle(self) -> Handle:
        """CUDA's handle, an argument of kernels."""
        return self._handle

    def _as_kernel_argument(self) -> Any:
        import ctypes

        return ctypes.c_uint64(int(self._handle))


# --- running ---


class Graph:
    """A graph that can be run."""

    def __init__(self) -> None:
        raise RuntimeError(
            "graphs are made by GraphBuilder.complete and GraphDefinition.instantiate"
        )

    _handle: Any
    _kept: Any

    @classmethod
    def _of(cls, handle: object, kept: object) -> Graph:
        made = cls.__new__(cls)
        made._handle, made._kept = handle, [kept]
        return made

    @property
    def handle(self) -> Handle:
        """CUDA's handle."""
        found: Handle = self._handle
        return found

    def close(self) -> None:
        """Let go of it."""
        if int(self._handle):
            driver.cuGraphExecDestroy(self._handle)
        self._handle = driver.CUgraphExec(0)

    def __del__(self) -> None:
        if int(getattr(self, "_handle", 0)):
            self.close()

    def launch(self, stream: object) -> None:
        """Run it on a stream."""
        _core.cuda.run_pending_work()
        checked.cuGraphLaunch(self._handle, handle_of(stream))

    def upload(self, stream: object) -> None:
        """Bring it to the device ahead of the first run."""
        checked.cuGraphUpload(self._handle, handle_of(stream))

    def update(self, source: GraphBuilder | GraphDefinition) -> None:
        """Do what another graph of the same shape does."""
        graph = source.graph_definition if isinstance(source, GraphBuilder) else source
        error, found = driver.cuGraphExecUpdate(self._handle, graph.handle)
        if error:
            raise _core.cuda.CUDARuntimeError(f"the graphs have other shapes: {error.name}")
        del found
        self._kept.append(graph)

    def __getitem__(self, node: GraphNode) -> ExecutableGraphNode:
        """The node, to be changed in this graph alone."""
        for kind, made in EXECUTABLE.items():
            if isinstance(node, kind):
                found: ExecutableGraphNode = made(self, node)
                return found
        return ExecutableGraphNode(self, node)


# --- by hand ---


class GraphDefinition(NodeMaker):
    """A graph that is built by hand: its methods make nodes, and so do the nodes' for what follows.

    Examples
    --------
    >>> from heddle.cuda.core.graph import GraphDefinition
    >>> graph = GraphDefinition()  # doctest: +SKIP
    >>> graph.memset(buffer, 0, buffer.size).launch(config, kernel, buffer)  # doctest: +SKIP
    >>> graph.instantiate().launch(stream)  # doctest: +SKIP
    """

    def __init__(self) -> None:
        self._set_up(checked.cuGraphCreate(0), True, None)

    def _set_up(self, handle: Any, owns: bool, outer: Any) -> None:
        self._handle, self._owns, self._outer = handle, owns, outer
        self._nodes: dict[int, Any] = {}
        self._kept: dict[int, Any] = {}

    @classmethod
    def _of(cls, handle: object, outer: object, owns: bool = False) -> GraphDefinition:
        made = cls.__new__(cls)
        made._set_up(handle, owns, outer)
        return made

    def __del__(self) -> None:
        if getattr(self, "_owns", False) and int(self._handle):
            driver.cuGraphDestroy(self._handle)

    @property
    def _definition(self) -> GraphDefinition:
        return self

    def _before(self) -> list[Any]:
        return []

    def _keep(self, node: GraphNode, kept: object) -> None:
        self._nodes[int(node.handle)] = node
        self._kept[int(node.handle)] = kept

    def _forget(self, node: GraphNode) -> None:
        self._nodes.pop(int(node.handle), None)
        self._kept.pop(int(node.handle), None)

    def _node(self, handle: Any) -> Any:
        found = self._nodes.get(int(handle))
        return found if found is not None else GraphNode._of(handle, self)

    def empty(self) -> EmptyNode:
        """A node that does nothing."""
        return self.join()

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """A number that nodes depend on; with a default, that is what it is before each run."""
        return GraphCondition._make(self._handle, default_value)

    def instantiate(self, options: GraphCompleteOptions | None = None) -> Graph:
        """What can be run."""
        return Graph._of((options or GraphCompleteOptions())._instantiated(self._handle), self)

    def debug_dot_print(self, path: str, options: GraphDebugPrintOptions | None = None) -> None:
        """Write it to a file in the language of Graphviz."""
        flags = (options or GraphDebugPrintOptions())._flags()
        checked.cuGraphDebugDotPrint(self._handle, str(path), flags)

    def nodes(self) -> set[Any]:
        """All nodes."""
        count = checked.cuGraphGetNodes(self._handle)[1]
        found = checked.cuGraphGetNodes(self._handle, count)[0] if count else []
        return {self._node(handle) for handle in found}

    def edges(self) -> set[tuple[Any, Any]]:
        """All pairs of nodes of which the second waits for the first."""
        count = checked.cuGraphGetEdges(self._handle)[3]
        if not count:
            return set()
        begins, ends, _, _ = checked.cuGraphGetEdges(self._handle, count)
        return {(self._node(a), self._node(b)) for a, b in zip(begins, ends, strict=True)}

    @property
    def handle(self) -> Handle:
        """CUDA's handle."""
        found: Handle = self._handle
        return found


# --- by capture ---

_MODES = {"global": 0, "thread_local": 1, "relaxed": 2}


class GraphBuilder:
    """Records the work that is given to it as to a stream."""

    def __init__(self) -> None:
        raise RuntimeError("builders are made by Device and Stream.create_graph_builder")

    _stream: Stream
    _graph: GraphDefinition | None
    _body: Any
    _building: bool
    _parent: GraphBuilder | None
    _kept: list[Any]

    @classmethod
    def _on(
        cls, stream: Stream, body: object = None, parent: GraphBuilder | None = None
    ) -> GraphBuilder:
        made = cls.__new__(cls)
        made._stream, made._graph, made._body = stream, None, body
        made._building, made._parent, made._kept = False, parent, []
        return made

    @property
    def stream(self) -> Stream:
        """The stream that is recorded."""
        return self._stream

    def __cuda_stream__(self) -> tuple[int, int]:
        """The protocol's version, and the handle."""
        return self._stream.__cuda_stream__()

    @property
    def is_join_required(self) -> bool:
        """Whether it was split off another one, to which it has to be joined."""
        return self._parent is not None

    @property
    def is_building(self) -> bool:
        """Whether work is recorded."""
        return self._building

    @property
    def graph_definition(self) -> GraphDefinition:
        """The graph of what was recorded."""
        if self._graph is None:
            raise RuntimeError("the graph is not finished: call end_building first")
        return self._graph

    def begin_building(self, mode: str = "relaxed") -> GraphBuilder:
        """Work is recorded from now on."""
        if mode not in _MODES:
            raise ValueError(f"mode is one of {sorted(_MODES)}, not {mode!r}")
        if self._building:
            raise RuntimeError("work is recorded already")
        _core.cuda.run_pending_work()
        kind = driver.CUstreamCaptureMode(_MODES[mode])
        if self._body is None:
            checked.cuStreamBeginCapture(self._stream.handle, kind)
        else:
            checked.cuStreamBeginCaptureToGraph(
                self._stream.handle, self._body, None, None, 0, kind
            )
        self._building = True
        return self

    def end_building(self) -> GraphBuilder:
        """No more work is recorded."""
        if not self._building or self._parent is not None:
            raise RuntimeError("no work is recorded here, or the builder was not joined")
        graph = checked.cuStreamEndCapture(self._stream.handle)
        self._building = False
        self._graph = GraphDefinition._of(graph, self._kept, self._body is None)
        return self

    def complete(self, options: GraphCompleteOptions | None = None) -> Graph:
        """What can be run."""
        return self.graph_definition.instantiate(options)

    def debug_dot_print(self, path: str, options: GraphDebugPrintOptions | None = None) -> None:
        """Write it to a file in the language of Graphviz."""
        self.graph_definition.debug_dot_print(path, options)

    def close(self) -> None:
        """Let go of it."""
        if self._building and self._parent is None:
            error, graph = driver.cuStreamEndCapture(self._stream.handle)
            if not error and self._body is None:
                driver.cuGraphDestroy(graph)
        self._building, self._graph = False, None

    # --- branches that run at the same time ---

    def split(self, count: int) -> tuple[GraphBuilder, ...]:
        """So many builders, this one included, whose work may run at the same time."""
        if count < 2:
            raise ValueError(f"a builder is split into two or more, not {count}")
        event = self._stream.record()
        made = [self]
        for _ in range(count - 1):
            branch = GraphBuilder._on(self._stream.device.create_stream(), None, self)
            branch._stream.wait(event)
            branch._building, branch._kept = True, self._kept
            made.append(branch)
        return tuple(made)

    @staticmethod
    def join(*graph_builders: GraphBuilder) -> GraphBuilder:
        """The builder that goes on after all of them."""
        if len(graph_builders) < 2:
            raise ValueError("two or more builders are joined")
        roots = [b for b in graph_builders if b._parent is None]
        root = roots[0] if roots else graph_builders[0]
        for branch in graph_builders:
            if branch is not root:
                root._stream.wait(branch._stream.record())
                root._kept.append(branch._stream)
                branch._building = False
        return root

    # --- nodes ---

    def _captured(self) -> tuple[Any, list[Any]]:
        """The graph that is recorded, and what comes before the next node."""
        if not self._building:
            raise RuntimeError("no work is recorded: call begin_building first")
        _, _, graph, before, _, _ = checked.cuStreamGetCaptureInfo(self._stream.handle)
        return graph, before

    def create_condition(self, default_value: int | None = None) -> GraphCondition:
        """A number that nodes depend on; with a default, that is what it is before each run."""
        return GraphCondition._make(self._captured()[0], default_value)

    def _conditional(self, condition: GraphCondition, name: str, count: int) -> list[GraphBuilder]:
        graph, before = self._captured()
        params = conditional_params(condition, name, count)
        node = checked.cuGraphAddNode(graph, before, None, len(before), params)
        flags = driver.CUstreamUpdateCaptureDependencies_flags.CU_STREAM_SET_CAPTURE_DEPENDENCIES
        checked.cuStreamUpdateCaptureDependencies(self._stream.handle, [node], None, 1, flags)
        made = []
        for body in conditional_bodies(params, count):
            builder = GraphBuilder._on(self._stream.device.create_stream(), body)
            builder._kept = self._kept
            made.append(builder)
        return made

    def if_then(self, condition: GraphCondition) -> GraphBuilder:
        """A builder of what runs if a condition is not 0."""
        return self._conditional(condition, "IF", 1)[0]

    def if_else(self, condition: GraphCondition) -> tuple[GraphBuilder, GraphBuilder]:
        """Builders of what runs if a condition is not 0, and of what runs if it is."""
        first, second = self._conditional(condition, "IF", 2)
        return first, second

    def switch(self, condition: GraphCondition, count: int) -> tuple[GraphBuilder, ...]:
        """Builders of which the condition says which one's work runs."""
        return tuple(self._conditional(condition, "SWITCH", count))

    def while_loop(self, condition: GraphCondition) -> GraphBuilder:
        """A builder of what runs while a condition is not 0."""
        return self._conditional(condition, "WHILE", 1)[0]

    def embed(self, child: GraphBuilder | GraphDefinition) -> None:
        """Another graph, as it is now."""
        inner = child.graph_definition if isinstance(child, GraphBuilder) else child
        graph, before = self._captured()
        node = checked.cuGraphAddChildGraphNode(graph, before, len(before), inner.handle)
        flags = driver.CUstreamUpdateCaptureDependencies_flags.CU_STREAM_SET_CAPTURE_DEPENDENCIES
        checked.cuStreamUpdateCaptureDependencies(self._stream.handle, [node], None, 1, flags)
        self._kept.append(inner)

    def callback(self, fn: object, *, user_data: object = None) -> None:
        """A function of the host's is called, which must not use the GPU."""
        where, data, kept = host_function(fn, user_data)
        checked.cuLaunchHostFunc(self._stream.handle, where, data)
        self._kept.append(kept)
