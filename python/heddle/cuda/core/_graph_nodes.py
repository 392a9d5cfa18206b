"""Graphs that are built by hand: their nodes."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Iterator, MutableSet, Sequence
from typing import TYPE_CHECKING, Any, SupportsInt, TypeVar

from heddle.cuda.bindings import checked, driver
from heddle.cuda.core._launch import LaunchConfig, kernel_arguments
from heddle.cuda.core._memory import address
from heddle.cuda.core._module import Kernel
from heddle.cuda.core._stream import Event

if TYPE_CHECKING:
    from heddle.cuda.bindings._types import Handle
    from heddle.cuda.core._device import Device
    from heddle.cuda.core.graph import GraphDefinition

N = TypeVar("N", bound="GraphNode")
HOST_FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_TYPES = driver.CUgraphNodeType


def host_function(function: Any, user_data: Any = None) -> tuple[int, Any, list[Any]]:
    """The address of a function of Python's or C's, what it is given, and what is kept."""
    kept: list[Any] = []
    if isinstance(function, int) or not callable(function) or isinstance(function, ctypes._Pointer):
        where = int(function)
    elif hasattr(function, "argtypes"):  # one of ctypes
        where = ctypes.cast(function, ctypes.c_void_p).value or 0
        kept.append(function)
    else:
        plain: Callable[[], Any] = function
        made = HOST_FUNCTION(lambda _: plain())
        where = ctypes.cast(made, ctypes.c_void_p).value or 0
        kept.append(made)
    if isinstance(user_data, (bytes, bytearray)):
        held = ctypes.create_string_buffer(bytes(user_data), len(user_data))
        kept.append(held)
        return where, ctypes.addressof(held), kept
    return where, int(user_data or 0), kept


def context() -> Any:
    """The current context."""
    return checked.cuCtxGetCurrent()


class AdjacencySetProxy(MutableSet[Any]):
    """The nodes before or after a node, as a set that can be changed."""

    def __init__(self, node: GraphNode, before: bool) -> None:
        self._node, self._before = node, before

    def _nodes(self) -> list[Any]:
        name = "cuGraphNodeGetDependencies" if self._before else "cuGraphNodeGetDependentNodes"
        function, handle = getattr(checked, name), self._node.handle
        count = function(handle)[2]
        found = function(handle, count)[0] if count else []
        return [self._node.graph._node(h) for h in found]

    def _edge(self, other: GraphNode) -> tuple[list[Any], list[Any]]:
        ends = [other.handle], [self._node.handle]
        return ends if self._before else (ends[1], ends[0])

    def add(self, value: GraphNode) -> None:
        """Add an edge."""
        if value not in self:
            begins, ends = self._edge(value)
            checked.cuGraphAddDependencies(self._node.graph.handle, begins, ends, None, 1)

    def discard(self, value: GraphNode) -> None:
        """Take an edge away."""
        if value in self:
            begins, ends = self._edge(value)
            checked.cuGraphRemoveDependencies(self._node.graph.handle, begins, ends, None, 1)

    def clear(self) -> None:
        """Take all edges away."""
        for node in self._nodes():
            self.discard(node)

    def update(self, *others: Iterable[GraphNode]) -> None:
        """Add several edges."""
        for other in others:
            for node in other:
                self.add(node)

    def __contains__(self, value: object) -> bool:
        return value in self._nodes()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._nodes())

    def __len__(self) -> int:
        return len(self._nodes())

    def __repr__(self) -> str:
        return f"AdjacencySetProxy({self._nodes()})"


class NodeMaker:
    """What graphs and nodes have in common: nodes are made that come after them."""

    @property
    def _definition(self) -> Any:
        raise NotImplementedError

    def _before(self) -> list[Any]:
        raise NotImplementedError

    def _place(self) -> tuple[Any, list[Any], int]:
        before = self._before()
        return self._definition.handle, before, len(before)

    def _made(self, kind: type[N], handle: object, kept: object = None, **facts: object) -> N:
        node: N = kind._of(handle, self._definition)
        node.__dict__.update({f"_{name}": value for name, value in facts.items()})
        self._definition._keep(node, kept)
        return node

    def launch(self, config: LaunchConfig, kernel: Kernel, *args: object) -> KernelNode:
        """A launch of a kernel."""
        kept: list[Any] = []
        params = kernel_params(config, kernel, args, kept)
        handle = checked.cuGraphAddKernelNode(*self._place(), params)
        return self._made(KernelNode, handle, (kept, kernel, args), kernel=kernel, config=config)

    def join(self, *nodes: GraphNode) -> EmptyNode:
        """A node that does nothing, after this and others."""
        before = [*self._before(), *(n.handle for n in nodes)]
        handle = checked.cuGraphAddEmptyNode(self._definition.handle, before, len(before))
        return self._made(EmptyNode, handle)

    def allocate(
        self,
        size: int,
        *,
        device: Device | int | None = None,
        memory_type: str = "device",
        peer_access: Iterable[Device | int] = (),
    ) -> AllocNode:
        """Memory that exists from here on."""
        from heddle.cuda.core._memory import location_of
        from heddle.cuda.device import get_device_id

        if memory_type != "device":
            raise NotImplementedError("memory of graphs is a device's")
        number = get_device_id() if device is None else int(getattr(device, "device_id", device))
        params = driver.CUDA_MEM_ALLOC_NODE_PARAMS()
        params.poolProps.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
        params.poolProps.location = location_of(number)
        params.bytesize = size
        peers = []
        for peer in peer_access:
            one = driver.CUmemAccessDesc()
            one.location = location_of(peer)
            one.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
            peers.append(one)
        if peers:
            params.accessDescs, params.accessDescCount = peers, len(peers)
        handle = checked.cuGraphAddMemAllocNode(*self._place(), params)
        facts = {"dptr": int(params.dptr), "bytesize": size, "device_id": number}
        return self._made(AllocNode, handle, None, **facts, peer_access=tuple(peer_access))

    def deallocate(self, dptr: SupportsInt) -> FreeNode:
        """The end of memory of the graph."""
        where = int(dptr.dptr if isinstance(dptr, AllocNode) else dptr)
        handle = checked.cuGraphAddMemFreeNode(*self._place(), where)
        return self._made(FreeNode, handle, None, dptr=where)

    def memset(
        self,
        dst: object,
        value: int,
        width: int,
        *,
        element_size: int = 1,
        height: int = 1,
        pitch: int = 0,
    ) -> MemsetNode:
        """Memory is filled: `width` elements, in `height` rows."""
        facts = {"dptr": _address(dst), "value": value, "width": width, "height": height}
        facts |= {"element_size": element_size, "pitch": pitch}
        handle = checked.cuGraphAddMemsetNode(*self._place(), memset_params(facts), context())
        return self._made(MemsetNode, handle, dst, **facts)

    def memcpy(self, dst: object, src: object, size: int) -> MemcpyNode:
        """Memory is copied."""
        facts = {"dst": _address(dst), "src": _address(src), "size": size}
        handle = checked.cuGraphAddMemcpyNode(*self._place(), memcpy_params(facts), context())
        return self._made(MemcpyNode, handle, (dst, src), **facts)

    def embed(self, child: GraphDefinition) -> ChildGraphNode:
        """Another graph, as it is now."""
        handle = checked.cuGraphAddChildGraphNode(*self._place(), child.handle)
        return self._made(ChildGraphNode, handle, child, child_graph=child)

    def record(self, event: Event) -> EventRecordNode:
        """An event is recorded."""
        handle = checked.cuGraphAddEventRecordNode(*self._place(), event.handle)
        return self._made(EventRecordNode, handle, event, event=event)

    def wait(self, event: Event) -> EventWaitNode:
        """An event is waited for."""
        handle = checked.cuGraphAddEventWaitNode(*self._place(), event.handle)
        return self._made(EventWaitNode, handle, event, event=event)

    def callback(self, fn: object, *, user_data: object = None) -> HostCallbackNode:
        """A function of the host's is called, which must not use the GPU."""
        params, kept = host_params(fn, user_data)
        handle = checked.cuGraphAddHostNode(*self._place(), params)
        return self._made(HostCallbackNode, handle, kept, callback=fn)

    def _conditional(self, kind: type[Any], condition: object, name: str, count: int) -> Any:
        params = conditional_params(condition, name, count)
        graph, before, number = self._place()
        handle = checked.cuGraphAddNode(graph, before, None, number, params)
        bodies = conditional_bodies(params, count)
        branches = tuple(type(self._definition)._of(body, self._definition) for body in bodies)
        return self._made(kind, handle, condition, condition=condition, branches=branches)

    def if_then(self, condition: object) -> IfNode:
        """A graph that runs if a condition is not 0."""
        return self._conditional(IfNode, condition, "IF", 1)  # type: ignore[no-any-return]

    def if_else(self, condition: object) -> IfElseNode:
        """Two graphs: one that runs if a condition is not 0, and one that runs if it is."""
        return self._conditional(IfElseNode, condition, "IF", 2)  # type: ignore[no-any-return]

    def while_loop(self, condition: object) -> WhileNode:
        """A graph that runs while a condition is not 0."""
        return self._conditional(WhileNode, condition, "WHILE", 1)  # type: ignore[no-any-return]

    def switch(self, condition: object, count: int) -> SwitchNode:
        """Several graphs, of which the condition says which one runs."""
        return self._conditional(SwitchNode, condition, "SWITCH", count)  # type: ignore[no-any-return]


def _address(value: object) -> int:
    return int(value.dptr) if isinstance(value, AllocNode) else address(value)


def kernel_params(
    config: LaunchConfig, kernel: Kernel, args: Sequence[object], kept: list[object]
) -> Any:
    """The driver's structure for a launch."""
    if config.cluster is not None or config.is_cooperative:
        raise NotImplementedError("clusters and cooperative launches are captured: GraphBuilder")
    params = driver.CUDA_KERNEL_NODE_PARAMS()
    params.kern = int(kernel.handle)
    params.gridDimX, params.gridDimY, params.gridDimZ = config.grid
    params.blockDimX, params.blockDimY, params.blockDimZ = config.block
    params.sharedMemBytes = config.shmem_size
    given = [a.dptr if isinstance(a, AllocNode) else a for a in args]
    params.kernelParams = kernel_arguments(given, kept)
    return params


def memset_params(facts: dict[str, int]) -> Any:
    """The driver's structure for filling memory."""
    params = driver.CUDA_MEMSET_NODE_PARAMS()
    params.dst, params.pitch, params.value = facts["dptr"], facts["pitch"], facts["value"]
    params.elementSize = facts["element_size"]
    params.width, params.height = facts["width"], facts["height"]
    return params


def memcpy_params(facts: dict[str, int]) -> Any:
    """The driver's structure for copying memory."""
    params = driver.CUDA_MEMCPY3D()
    unified = driver.CUmemorytype.CU_MEMORYTYPE_UNIFIED
    params.srcMemoryType = params.dstMemoryType = unified
    params.srcDevice, params.dstDevice = facts["src"], facts["dst"]
    params.WidthInBytes, params.Height, params.Depth = facts["size"], 1, 1
    return params


def host_params(function: object, user_data: object) -> tuple[Any, list[Any]]:
    """The driver's structure for calling a function, and what is kept."""
    params = driver.CUDA_HOST_NODE_PARAMS()
    where, data, kept = host_function(function, user_data)
    params.fn, params.userData = where, data
    return params, kept


def conditional_params(condition: Any, name: str, count: int) -> Any:
    """The driver's structure for a node with bodies."""
    params = driver.CUgraphNodeParams()
    params.type = _TYPES.CU_GRAPH_NODE_TYPE_CONDITIONAL
    kinds = driver.CUgraphConditionalNodeType
    params.conditional.handle = int(condition.handle)
    params.conditional.type = kinds[f"CU_GRAPH_COND_TYPE_{name}"]
    params.conditional.size, params.conditional.ctx = count, int(context())
    return params


def conditional_bodies(params: Any, count: int) -> list[Any]:
    """The graphs that the driver made for the bodies of a node."""
    where = int(params.conditional.phGraph_out)
    found = (ctypes.c_void_p * count).from_address(where)
    return [driver.CUgraph(value or 0) for value in found]


class GraphNode(NodeMaker):
    """A node of a graph."""

    def __init__(self) -> None:
        raise RuntimeError("nodes are made by methods of graphs and of nodes")

    _handle: Any
    _graph: GraphDefinition

    @classmethod
    def _of(cls, handle: object, graph: GraphDefinition) -> Any:
        made = cls.__new__(cls)
        made._handle, made._graph = handle, graph
        return made

    @property
    def _definition(self) -> Any:
        return self._graph

    def _before(self) -> list[Any]:
        return [self._handle]

    @property
    def type(self) -> Any:
        """What it does, as the driver calls it."""
        return checked.cuGraphNodeGetType(self._handle)

    @property
    def graph(self) -> GraphDefinition:
        """The graph that it is of."""
        return self._graph

    @property
    def handle(self) -> Handle:
        """CUDA's handle."""
        found: Handle = self._handle
        return found

    @property
    def is_valid(self) -> bool:
        """Whether it was not destroyed."""
        return int(self._handle) != 0

    def destroy(self) -> None:
        """Take it out of its graph."""
        checked.cuGraphDestroyNode(self._handle)
        self._graph._forget(self)
        self._handle = driver.CUgraphNode(0)

    @property
    def pred(self) -> AdjacencySetProxy:
        """The nodes before it; may be set."""
        return AdjacencySetProxy(self, True)

    @pred.setter
    def pred(self, nodes: Iterable[GraphNode]) -> None:
        there = AdjacencySetProxy(self, True)
        there.clear()
        there.update(nodes)

    @property
    def succ(self) -> AdjacencySetProxy:
        """The nodes after it; may be set."""
        return AdjacencySetProxy(self, False)

    @succ.setter
    def succ(self, nodes: Iterable[GraphNode]) -> None:
        there = AdjacencySetProxy(self, False)
        there.clear()
        there.update(nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GraphNode) and self._handle == other._handle

    def __hash__(self) -> int:
        return hash(int(self._handle))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {int(self._handle):#x}>"


def _fact(name: str, doc: str) -> property:
    return property(lambda self: self.__dict__[f"_{name}"], doc=doc)


class EmptyNode(GraphNode):
    """A node that does nothing."""


class KernelNode(GraphNode):
    """A launch."""

    kernel = _fact("kernel", "The kernel.")
    config = _fact("config", "How many threads run it.")

    @property
    def grid(self) -> tuple[int, ...]:
        """Blocks."""
        found: tuple[int, ...] = self.config.grid
        return found

    @property
    def block(self) -> tuple[int, ...]:
        """Threads of a block."""
        found: tuple[int, ...] = self.config.block
        return found

    @property
    def shmem_size(self) -> int:
        """Dynamic shared memory of a block."""
        return int(self.config.shmem_size)

    def update(self, config: LaunchConfig, kernel: Kernel, *args: object) -> None:
        """Launch something else."""
        kept: list[Any] = []
        params = kernel_params(config, kernel, args, kept)
        checked.cuGraphKernelNodeSetParams(self._handle, params)
        self.__dict__.update(_kernel=kernel, _config=config)
        self._graph._keep(self, (kept, kernel, args))


class AllocNode(GraphNode):
    """Memory that exists from here on."""

    dptr = _fact("dptr", "Its address.")
    bytesize = _fact("bytesize", "Its bytes.")
    device_id = _fact("device_id", "The number of its device.")
    peer_access = _fact("peer_access", "The other devices that may use it.")
    memory_type = property(lambda self: "device", doc="Where it is.")


class FreeNode(GraphNode):
    """The end of memory."""

    dptr = _fact("dptr", "Its address.")


class MemsetNode(GraphNode):
    """Memory is filled."""

    dptr = _fact("dptr", "Where.")
    value = _fact("value", "What with.")
    element_size = _fact("element_size", "Bytes of an element.")
    width = _fact("width", "Elements of a row.")
    height = _fact("height", "Rows.")
    pitch = _fact("pitch", "Bytes from a row to the next.")

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
        facts = {"dptr": _address(dst), "value": value, "width": width, "height": height}
        facts |= {"element_size": element_size, "pitch": pitch}
        checked.cuGraphMemsetNodeSetParams(self._handle, memset_params(facts))
        self.__dict__.update({f"_{name}": fact for name, fact in facts.items()})
        self._graph._keep(self, dst)


class MemcpyNode(GraphNode):
    """Memory is copied."""

    dst = _fact("dst", "Where to.")
    src = _fact("src", "Where from.")
    size = _fact("size", "Bytes.")

    def update(self, dst: object, src: object, size: int) -> None:
        """Copy something else."""
        facts = {"dst": _address(dst), "src": _address(src), "size": size}
        checked.cuGraphMemcpyNodeSetParams(self._handle, memcpy_params(facts))
        self.__dict__.update({f"_{name}": fact for name, fact in facts.items()})
        self._graph._keep(self, (dst, src))


class ChildGraphNode(GraphNode):
    """Another graph."""

    child_graph = _fact("child_graph", "The graph.")

    def update(self, child: object) -> None:
        """The driver lets executable graphs change this alone."""
        raise NotImplementedError(
            "a child graph is changed where the graph was instantiated: graph[node]"
        )


class EventRecordNode(GraphNode):
    """An event is recorded."""

    event = _fact("event", "The event.")

    def update(self, event: Event) -> None:
        """Record another event."""
        checked.cuGraphEventRecordNodeSetEvent(self._handle, event.handle)
        self.__dict__["_event"] = event
        self._graph._keep(self, event)


class EventWaitNode(GraphNode):
    """An event is waited for."""

    event = _fact("event", "The event.")

    def update(self, event: Event) -> None:
        """Wait for another event."""
        checked.cuGraphEventWaitNodeSetEvent(self._handle, event.handle)
        self.__dict__["_event"] = event
        self._graph._keep(self, event)


class HostCallbackNode(GraphNode):
    """A function of the host's is called."""

    callback = _fact("callback", "The function.")

    def update(self, fn: object, *, user_data: object = None) -> None:
        """Call another function."""
        params, kept = host_params(fn, user_data)
        checked.cuGraphHostNodeSetParams(self._handle, params)
        self.__dict__["_callback"] = fn
        self._graph._keep(self, kept)


class ConditionalNode(GraphNode):
    """Graphs that run as a condition says."""

    condition = _fact("condition", "The condition.")
    branches = _fact("branches", "The graphs.")
    cond_type = "if"


class IfNode(ConditionalNode):
    """A graph that runs if a condition is not 0."""

    then = property(lambda self: self.branches[0], doc="The graph.")


class IfElseNode(ConditionalNode):
    """Two graphs, of which one runs."""

    then = property(lambda self: self.branches[0], doc="The one that runs if it is not 0.")
    else_ = property(lambda self: self.branches[1], doc="The one that runs if it is 0.")


class WhileNode(ConditionalNode):
    """A graph that runs while a condition is not 0."""

    cond_type = "while"
    body = property(lambda self: self.branches[0], doc="The graph.")


class SwitchNode(ConditionalNode):
    """Several graphs, of which one runs."""

    cond_type = "switch"
