// What the emitter must know of the machine it emits for. A target is a row of facts; the backends
// make one, the emitter reads it.
#pragma once

#include <string>

namespace heddle::kernel {

// How a machine runs a kernel: one thread at a time over vectors of lanes, or a grid of blocks of
// threads at once, each with a few lanes.
enum class Model { simd, grid };

class GridDialect;

struct Target {
  std::string triple;
  std::string cpu;       // LLVM's name: "x86-64-v3", …
  std::string features;  // extra LLVM features, "+f16c,…"
  Model model = Model::simd;
  int vector_bytes = 16;  // width of a SIMD register, or of the widest load of a thread
  bool fma = false;       // fused multiply-add is an instruction
  bool avx512 = false;
  bool masked_memory = false;  // masked loads and stores of every element size are cheap
  bool vector_math = false;    // libmvec is there (CPU)
  // Makes LLVM know the machine: called before code is generated, as often as one likes.
  void (*register_machine)() = nullptr;
  const GridDialect* dialect = nullptr;  // the instructions of a grid (kernel/grid_machine.h)
};

}  // namespace heddle::kernel
