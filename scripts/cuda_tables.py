"""Tables of the functions and types of CUDA's libraries, for heddle.cuda.bindings.

They are made of the headers of a CUDA toolkit, which Clang reads, and are part of the repository so
that no toolkit is needed to build or to use Heddle. `tables()` makes them; it gives nothing where
there is no toolkit of the version they were made of, or no Clang.

A line is a kind, a name and words. Types are letters of `struct` (p an address, s a string that
ends with a zero), names of other lines, with * for a pointer to some and [n] for n of them:

E name (enumerator [value])...      an enumeration; without a value, one more than the one before
H name                              an address that only CUDA looks behind
N name type                         a number with a name
A name other                        another name
S name field:type...                a structure; U a union. "name.field" are types without a name
C name value                        a constant
F name symbol type parameter...     a function, its name in the library, and what it returns

A parameter is a mark, a name, a colon and a type: > is a result, = is given and a result, with 0 by
default; + is given and a result. A type with #other has as many elements as the parameter `other`
says, one with @other is an address of so many, one with ?other has the type that the value of
`other` asks for. K are the arguments of a kernel.
"""

import functools
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

VERSION = 13000  # of the toolkit that the tables are made of
FOLDER = "python/heddle/cuda/bindings/tables"
HEADERS = {  # by the name of the table: what is read, and how its names begin
    "driver": (["cuda.h", "cudaProfiler.h"], r"cu[A-Z]|CU|cuuint|GL|cudaError_enum"),
    "runtime": (
        ["cuda_runtime_api.h", "cuda_profiler_api.h"],
        r"cuda|CUDA|CUuuid|CUstream_st|dim3|libraryPropertyType",
    ),
    "nvrtc": (["nvrtc.h"], r"nvrtc"),
    "nvjitlink": (["nvJitLink.h"], r"nvJitLink"),
    "nvvm": (["nvvm.h"], r"nvvm"),
}

# What is in headers that need OpenGL's.
EXTRA = {
    "driver": """
typedef unsigned int GLuint;
typedef unsigned int GLenum;
CUresult cuGraphicsGLRegisterBuffer(
    CUgraphicsResource* pCudaResource, GLuint buffer, unsigned Flags);
CUresult cuGraphicsGLRegisterImage(
    CUgraphicsResource* pCudaResource, GLuint image, GLenum target, unsigned Flags);
""",
}

# Pointers to what is not const are results, but for these, which are read.
READ = """
cuCtxCreate ctxCreateParams
cuCheckpointProcessLock args
cuCheckpointProcessCheckpoint args
cuCheckpointProcessRestore args
cuCheckpointProcessUnlock args
cuDevResourceGenerateDesc resources
cuDeviceGetNvSciSyncAttributes nvSciSyncAttrList
cuGraphAddMemAllocNode nodeParams
cuMemGetDefaultMemPool location
cuMemGetMemPool location
cuMemSetMemPool location
cuMemPoolGetAccess location
cudaGraphAddMemAllocNode nodeParams
cudaMemGetDefaultMemPool location
cudaMemGetMemPool location
cudaMemSetMemPool location
cudaMemPoolGetAccess location
cudaStreamUpdateCaptureDependencies dependencies
cuStreamUpdateCaptureDependencies dependencies
nvrtcDestroyProgram prog
nvJitLinkCreate options
nvJitLinkDestroy handle
nvvmCompileProgram options
nvvmVerifyProgram options
nvvmDestroyProgram prog
cuGraphAddNode nodeParams
cuGraphNodeSetParams nodeParams
cuGraphExecNodeSetParams nodeParams
cuGraphInstantiateWithParams instantiateParams
cuMemPoolImportPointer shareData
cuMemMapArrayAsync mapInfoList
cuMemBatchDecompressAsync paramsArray
cuStreamBatchMemOp paramArray
cuTensorMapReplaceAddress tensorMap
cuTexRefSetBorderColor pBorderColor
cuLaunchCooperativeKernelMultiDevice launchParamsList
cuLinkAddData options
cuLinkAddFile options
cuLinkCreate options
cuModuleLoadDataEx options
cuLibraryLoadData jitOptions libraryOptions
cuLibraryLoadFromFile jitOptions libraryOptions
cuMemcpyBatchAsync dsts srcs sizes attrs attrsIdxs
cuMemcpy3DBatchAsync opList
cuMemPrefetchBatchAsync dptrs sizes prefetchLocs prefetchLocIdxs
cuMemDiscardBatchAsync dptrs sizes
cuMemDiscardAndPrefetchBatchAsync dptrs sizes prefetchLocs prefetchLocIdxs
cuGraphicsMapResources resources
cuGraphicsUnmapResources resources
cuMemRangeGetAttributes dataSizes attributes
cuPointerGetAttributes attributes
cuDeviceGetHostAtomicCapabilities operations
cuDeviceGetP2PAtomicCapabilities operations
cudaDeviceGetHostAtomicCapabilities operations
cudaDeviceGetP2PAtomicCapabilities operations
cudaDeviceGetNvSciSyncAttributes nvSciSyncAttrList
cudaGraphAddNode nodeParams
cudaGraphNodeSetParams nodeParams
cudaGraphExecNodeSetParams nodeParams
cudaGraphInstantiateWithParams instantiateParams
cudaGraphicsMapResources resources
cudaGraphicsUnmapResources resources
cudaLibraryLoadData jitOptions libraryOptions
cudaLibraryLoadFromFile jitOptions libraryOptions
cudaMemPoolImportPointer exportData
cudaMemRangeGetAttributes dataSizes attributes
cudaMemcpyBatchAsync dsts srcs sizes attrs attrsIdxs
cudaMemcpy3DBatchAsync opList
cudaMemPrefetchBatchAsync dptrs sizes prefetchLocs prefetchLocIdxs
cudaMemDiscardBatchAsync dptrs sizes
cudaMemDiscardAndPrefetchBatchAsync dptrs sizes prefetchLocs prefetchLocIdxs
nvrtcGetCUBIN cubin
nvrtcGetLTOIR LTOIR
nvrtcGetOptiXIR optixir
nvrtcGetPTX ptx
nvrtcGetProgramLog log
nvrtcGetTileIR TileIR
nvJitLinkGetErrorLog log
nvJitLinkGetInfoLog log
nvJitLinkGetLinkedCubin cubin
nvJitLinkGetLinkedPtx ptx
nvvmGetCompiledResult buffer
nvvmGetProgramLog buffer
"""

# Parameters that need more than their type says, as the table has them.
SPECIAL = {
    "cuCoredumpGetAttribute": {"value": ">value:?attrib#size", "size": ">size:Q"},
    "cuCoredumpGetAttributeGlobal": {"value": ">value:?attrib#size", "size": ">size:Q"},
    "cuCoredumpSetAttribute": {"value": "value:?attrib#size", "size": ">size:Q"},
    "cuCoredumpSetAttributeGlobal": {"value": "value:?attrib#size", "size": ">size:Q"},
    "cuDevSmResourceSplitByCount": {
        "result": ">result:CUdevResource#nbGroups",
        "nbGroups": "+nbGroups:I",
    },
    "cuDeviceGetGraphMemAttribute": {"value": ">value:?attr"},
    "cuDeviceSetGraphMemAttribute": {"value": "value:?attr"},
    "cuDeviceGetHostAtomicCapabilities": {"capabilities": ">capabilities:I#count"},
    "cuDeviceGetP2PAtomicCapabilities": {"capabilities": ">capabilities:I#count"},
    "cuDeviceGetLuid": {"luid": ">luid:c[8]"},
    "cuDeviceGetName": {"name": ">name:c#len"},
    "cuDeviceGetPCIBusId": {"pciBusId": ">pciBusId:c#len"},
    "cuGraphGetEdges": {
        "from": ">from:CUgraphNode#numEdges",
        "to": ">to:CUgraphNode#numEdges",
        "edgeData": ">edgeData:CUgraphEdgeData#numEdges",
        "numEdges": "=numEdges:Q",
    },
    "cuGraphGetNodes": {"nodes": ">nodes:CUgraphNode#numNodes", "numNodes": "=numNodes:Q"},
    "cuGraphGetRootNodes": {
        "rootNodes": ">rootNodes:CUgraphNode#numRootNodes",
        "numRootNodes": "=numRootNodes:Q",
    },
    "cuGraphNodeGetDependencies": {
        "dependencies": ">dependencies:CUgraphNode#numDependencies",
        "edgeData": ">edgeData:CUgraphEdgeData#numDependencies",
        "numDependencies": "=numDependencies:Q",
    },
    "cuGraphNodeGetDependentNodes": {
        "dependentNodes": ">dependentNodes:CUgraphNode#numDependentNodes",
        "edgeData": ">edgeData:CUgraphEdgeData#numDependentNodes",
        "numDependentNodes": "=numDependentNodes:Q",
    },
    "cuLibraryEnumerateKernels": {"kernels": ">kernels:CUkernel#numKernels"},
    "cuModuleEnumerateFunctions": {"functions": ">functions:CUfunction#numFunctions"},
    "cuLaunchCooperativeKernel": {"kernelParams": "kernelParams:K"},
    "cuLaunchKernel": {"kernelParams": "kernelParams:K", "extra": "extra:p"},
    "cuLaunchKernelEx": {"kernelParams": "kernelParams:K", "extra": "extra:p"},
    "cuLibraryLoadData": {
        "jitOptionsValues": "jitOptionsValues:?jitOptions",
        "libraryOptionValues": "libraryOptionValues:?libraryOptions",
    },
    "cuLibraryLoadFromFile": {
        "jitOptionsValues": "jitOptionsValues:?jitOptions",
        "libraryOptionValues": "libraryOptionValues:?libraryOptions",
    },
    "cuLinkAddData": {"optionValues": "optionValues:?options"},
    "cuLinkAddFile": {"optionValues": "optionValues:?options"},
    "cuLinkCreate": {"optionValues": "optionValues:?options"},
    "cuModuleLoadDataEx": {"optionValues": "optionValues:?options"},
    "cuMemExportToShareableHandle": {"shareableHandle": ">shareableHandle:?handleType"},
    "cuMemGetHandleForAddressRange": {"handle": ">handle:?handleType"},
    "cuMemPoolExportToShareableHandle": {"handle_out": ">handle_out:?handleType"},
    "cuMemPoolGetAttribute": {"value": ">value:?attr"},
    "cuMemPoolSetAttribute": {"value": "value:?attr"},
    "cuMemRangeGetAttribute": {"data": ">data:?attribute#dataSize"},
    "cuMemRangeGetAttributes": {"data": ">data:?attributes#dataSizes"},
    "cuPointerGetAttribute": {"data": ">data:?attribute"},
    "cuPointerGetAttributes": {"data": ">data:?attributes"},
    "cuPointerSetAttribute": {"value": "value:?attribute"},
    "cuStreamGetCaptureInfo": {
        "dependencies_out": ">dependencies_out:CUgraphNode@numDependencies_out",
        "edgeData_out": ">edgeData_out:CUgraphEdgeData@numDependencies_out",
    },
    "cuThreadExchangeStreamCaptureMode": {"mode": "+mode:CUstreamCaptureMode"},
    "cudaDeviceGetGraphMemAttribute": {"value": ">value:?attr"},
    "cudaDeviceSetGraphMemAttribute": {"value": "value:?attr"},
    "cudaDeviceGetHostAtomicCapabilities": {"capabilities": ">capabilities:I#count"},
    "cudaDeviceGetP2PAtomicCapabilities": {"capabilities": ">capabilities:I#count"},
    "cudaDeviceGetPCIBusId": {"pciBusId": ">pciBusId:c#len"},
    "cudaGraphGetEdges": {
        "from": ">from:cudaGraphNode_t#numEdges",
        "to": ">to:cudaGraphNode_t#numEdges",
        "edgeData": ">edgeData:cudaGraphEdgeData#numEdges",
        "numEdges": "=numEdges:Q",
    },
    "cudaGraphGetNodes": {"nodes": ">nodes:cudaGraphNode_t#numNodes", "numNodes": "=numNodes:Q"},
    "cudaGraphGetRootNodes": {
        "pRootNodes": ">pRootNodes:cudaGraphNode_t#pNumRootNodes",
        "pNumRootNodes": "=pNumRootNodes:Q",
    },
    "cudaGraphNodeGetDependencies": {
        "pDependencies": ">pDependencies:cudaGraphNode_t#pNumDependencies",
        "edgeData": ">edgeData:cudaGraphEdgeData#pNumDependencies",
        "pNumDependencies": "=pNumDependencies:Q",
    },
    "cudaGraphNodeGetDependentNodes": {
        "pDependentNodes": ">pDependentNodes:cudaGraphNode_t#pNumDependentNodes",
        "edgeData": ">edgeData:cudaGraphEdgeData#pNumDependentNodes",
        "pNumDependentNodes": "=pNumDependentNodes:Q",
    },
    "cudaLaunchCooperativeKernel": {"args": "args:K"},
    "cudaLaunchKernel": {"args": "args:K"},
    "cudaLaunchKernelExC": {"args": "args:K"},
    "cudaLibraryEnumerateKernels": {"kernels": ">kernels:cudaKernel_t#numKernels"},
    "cudaLibraryLoadData": {
        "jitOptionsValues": "jitOptionsValues:?jitOptions",
        "libraryOptionValues": "libraryOptionValues:?libraryOptions",
    },
    "cudaLibraryLoadFromFile": {
        "jitOptionsValues": "jitOptionsValues:?jitOptions",
        "libraryOptionValues": "libraryOptionValues:?libraryOptions",
    },
    "cudaMemPoolExportToShareableHandle": {"shareableHandle": ">shareableHandle:?handleType"},
    "cudaMemPoolGetAttribute": {"value": ">value:?attr"},
    "cudaMemPoolSetAttribute": {"value": "value:?attr"},
    "cudaMemRangeGetAttribute": {"data": ">data:?attribute#dataSize"},
    "cudaMemRangeGetAttributes": {"data": ">data:?attributes#dataSizes"},
    "cudaStreamGetCaptureInfo": {
        "dependencies_out": ">dependencies_out:cudaGraphNode_t@numDependencies_out",
        "edgeData_out": ">edgeData_out:cudaGraphEdgeData@numDependencies_out",
    },
    "cudaThreadExchangeStreamCaptureMode": {"mode": "+mode:cudaStreamCaptureMode"},
    "cudaGraphMemFreeNodeGetParams": {"dptr_out": ">dptr_out:p"},
    "cuLogsDumpToFile": {"iterator": "+iterator:CUlogIterator"},
    "cuLogsDumpToMemory": {"iterator": "+iterator:CUlogIterator", "size": "+size:Q"},
    "cudaLogsDumpToFile": {"iterator": "+iterator:cudaLogIterator"},
    "cudaLogsDumpToMemory": {"iterator": "+iterator:cudaLogIterator", "size": "+size:Q"},
    "nvrtcGetSupportedArchs": {"supportedArchs": ">supportedArchs:i#*"},
}

LETTERS = {
    "char": "c",
    "signed char": "b",
    "unsigned char": "B",
    "short": "h",
    "unsigned short": "H",
    "int": "i",
    "unsigned int": "I",
    "unsigned": "I",
    "long": "q",
    "unsigned long": "Q",
    "long long": "q",
    "unsigned long long": "Q",
    "size_t": "Q",
    "float": "f",
    "double": "d",
    "void": "v",
    "int8_t": "b",
    "uint8_t": "B",
    "int16_t": "h",
    "uint16_t": "H",
    "int32_t": "i",
    "uint32_t": "I",
    "int64_t": "q",
    "uint64_t": "Q",
}


@functools.cache
def read() -> dict[str, set[str]]:
    """The parameters of READ by function."""
    lines = (line.split() for line in READ.strip().splitlines())
    return {first: set(rest) for first, *rest in lines}


class Table:
    """What one library's headers declare."""

    def __init__(self, folder: Path, clang: str, name: str) -> None:
        headers, begins = HEADERS[name]
        self._begins = re.compile(begins)
        source = "".join(f"#include <{header}>\n" for header in headers) + EXTRA.get(name, "")
        command = [clang, "-x", "c", "-std=c11", f"-I{folder}", "-fsyntax-only", "-"]
        tree = subprocess.run(
            [*command, "-Xclang", "-ast-dump=json"],
            input=source,
            capture_output=True,
            check=True,
            text=True,
        )
        macros = subprocess.run(
            [*command[:-2], "-E", "-dM", "-"],
            input=source,
            capture_output=True,
            check=True,
            text=True,
        )
        self._declarations: list[dict[str, Any]] = json.loads(tree.stdout)["inner"]
        self._macros = dict(re.findall(r"^#define (\w+) +(.+?)\s*$", macros.stdout, re.M))
        self._complete = {  # names of records that are more than a name
            d["name"]
            for d in self._declarations
            if d["kind"] == "RecordDecl" and d.get("completeDefinition") and "name" in d
        }
        self._lines: dict[str, str] = {}

    def text(self) -> str:
        """The lines of what can be reached from functions, constants and enumerations."""
        previous: dict[str, Any] = {}
        for declaration in self._declarations:
            self._add(declaration, previous)
            previous = declaration
        self._add_constants()
        self._check()
        return "".join(f"{line}\n" for line in self._lines.values())

    def _check(self) -> None:
        """Fails where a type is not in the table."""
        have = {line.split()[1] for line in self._lines.values()}
        for line in self._lines.values():
            kind, name, *words = line.split()
            spelled = [re.sub(r"[#@?].*", "", w.partition(":")[2]) for w in words if ":" in w]
            if kind in "FA":
                spelled.append(words[1 if kind == "F" else 0])
            for one in spelled:
                base = re.sub(r"[*]+$|(\[\d+\])+$", "", one)
                if len(base) > 1 and base not in have:
                    raise LookupError(f"{name}: the type {base} is not in the table")

    # --- declarations ---

    def _add(self, declaration: dict[str, Any], previous: dict[str, Any]) -> None:
        name, kind = declaration.get("name", ""), declaration["kind"]
        if name and not self._begins.match(name):
            return
        if kind == "EnumDecl" and name and declaration.get("inner"):
            self._add_enumeration(name, declaration)
        elif kind == "RecordDecl" and name and declaration.get("completeDefinition"):
            self._add_record(name, declaration)
        elif kind == "TypedefDecl":
            self._add_name(name, declaration, previous)
        elif kind == "FunctionDecl":
            self._add_function(name, declaration)

    def _add_enumeration(self, name: str, declaration: dict[str, Any]) -> None:
        words, expected = [], 0
        for one in declaration["inner"]:
            if one["kind"] != "EnumConstantDecl":
                continue
            value = next((int(e["value"]) for e in one.get("inner", ()) if "value" in e), expected)
            words.append(one["name"] if value == expected else f"{one['name']} {value}")
            expected = value + 1
        self._lines[name] = f"E {name} {' '.join(words)}"

    def _add_record(self, name: str, declaration: dict[str, Any]) -> None:
        fields, inside, anonymous = [], None, 0
        for one in declaration["inner"]:
            if one["kind"] == "RecordDecl" and one.get("completeDefinition"):
                inside = one  # the type of the next field
                if "name" in one:
                    self._add_record(one["name"], one)
            elif one["kind"] == "FieldDecl":
                if one.get("isBitfield"):
                    raise NotImplementedError(f"{name} has fields of bits")
                field = one.get("name", "")
                if not field:
                    field, anonymous = f"~{anonymous}", anonymous + 1
                spelled = one["type"]["qualType"]
                if "unnamed" in spelled or "anonymous" in spelled:
                    assert inside is not None
                    array = re.search(r"\[\d+\]$", spelled)
                    self._add_record(f"{name}.{field}", inside)
                    fields.append(f"{field}:{name}.{field}{array.group() if array else ''}")
                else:
                    made = "K" if field == "kernelParams" else self._type(spelled)
                    fields.append(f"{field}:{made}")
        kind = "S" if declaration["tagUsed"] == "struct" else "U"
        self._lines[name] = f"{kind} {name} {' '.join(fields)}"

    def _add_name(self, name: str, declaration: dict[str, Any], previous: dict[str, Any]) -> None:
        spelled = declaration["type"]["qualType"]
        if previous.get("kind") in ("EnumDecl", "RecordDecl") and "name" not in previous:
            add = self._add_enumeration if previous["kind"] == "EnumDecl" else self._add_record
            add(name, previous)  # typedef struct { ... } name
            return
        made = self._type(spelled)
        if made == name:  # typedef struct name name
            return
        if made == "p":
            self._lines[name] = f"H {name}"
        elif len(made) == 1:
            self._lines[name] = f"N {name} {made}"
        elif "*" not in made and "[" not in made:
            self._lines[name] = f"A {name} {made}"

    def _add_function(self, name: str, declaration: dict[str, Any]) -> None:
        if name in self._lines or name.startswith("__"):
            return
        result = declaration["type"]["qualType"].partition("(")[0].strip()
        public = self._public_name(name)
        parameters = [
            self._parameter(public, one)
            for one in declaration.get("inner", ())
            if one["kind"] == "ParmVarDecl"
        ]
        words = [self._type(result), *parameters]
        self._lines[f"{public}()"] = f"F {public} {name} {' '.join(words)}"
        if public == "cuGraphInstantiateWithFlags":  # a macro has a second name for it
            self._lines["cuGraphInstantiate()"] = f"F cuGraphInstantiate {name} {' '.join(words)}"

    @functools.cached_property
    def _newest(self) -> dict[str, str]:
        """The names that macros stand for, by what they become."""
        return {
            symbol: name
            for name, body in self._macros.items()
            if (symbol := re.sub(r"__\w+\((\w+)\)", r"\1", body)) != name
            and re.fullmatch(re.escape(name) + r"_v\d+", symbol)
        }

    def _public_name(self, symbol: str) -> str:
        return self._newest.get(symbol, symbol)

    def _parameter(self, function: str, parameter: dict[str, Any]) -> str:
        name, spelled = parameter.get("name", "unnamed"), parameter["type"]["qualType"]
        special = SPECIAL.get(function, {})
        if name in special:
            return special[name]
        made = self._type(spelled)
        is_pointer = spelled.endswith("*") and "(*)" not in spelled
        behind = spelled[:-1].strip()
        named = name not in read().get(function, ())
        if is_pointer and named and not behind.startswith("const ") and behind != "void":
            if behind == "char":
                return f"{name}:p"
            return f">{name}:{self._type(behind)}"
        if is_pointer and named and behind in ("const char *", "const void *"):
            return f">{name}:{self._type(behind)}"
        return f"{name}:{made}"

    def _add_constants(self) -> None:
        for name, body in sorted(self._macros.items()):
            if not self._begins.match(name) or name in self._newest.values():
                continue
            number = re.sub(r"\(\(?\w+(?: \w+)*\s*\*?\)\s*(?=\w|-)", "", body).strip("()")
            number = re.sub(r"(?<=\w)[uUlL]+$", "", number)
            if re.fullmatch(r"-?(0x[0-9a-fA-F]+|\d+)", number):
                self._lines[name] = f"C {name} {int(number, 0)}"

    # --- types ---

    def _type(self, spelled: str) -> str:
        spelled = re.sub(r"\b(const|volatile|restrict|struct|union|enum)\b", "", spelled)
        spelled = " ".join(spelled.split()).replace(" *", "*").replace("* ", "*")
        if "(*)" in spelled or "(" in spelled:
            return "p"
        if array := re.fullmatch(r"(.*?)\s*((?:\[\d+\])+)", spelled):
            return f"{self._type(array.group(1))}{array.group(2)}"
        if spelled.endswith("*"):
            behind = spelled[:-1]
            if behind == "char":
                return "s"
            if behind == "void" or (behind not in LETTERS and self._is_hidden(behind)):
                return "p"
            return f"{self._type(behind)}*"
        return LETTERS.get(spelled, spelled)

    def _is_hidden(self, name: str) -> bool:
        """Whether nothing is known of a structure."""
        known = {"*"} | self._complete
        if name.endswith("*") or name in known:
            return False
        return not any(
            d.get("name") == name and d["kind"] in ("TypedefDecl", "EnumDecl")
            for d in self._declarations
        )


def toolkit() -> Path | None:
    """The folder of a toolkit's headers, of the version that the tables are of."""
    for root in (os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"):
        header = Path(root or "/") / "include" / "cuda.h"
        if header.exists() and re.search(rf"#define CUDA_VERSION {VERSION}\b", header.read_text()):
            return header.parent
    return None


def tables() -> Iterator[tuple[str, str]]:
    """Paths in the repository and texts."""
    folder = toolkit()
    clang = next((path for n in ("clang-22", "clang") if (path := shutil.which(n))), None)
    if folder is None or clang is None:
        return
    for name in HEADERS:
        yield f"{FOLDER}/{name}.txt", Table(folder, clang, name).text()
