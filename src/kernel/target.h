// What the emitter must know of the machine it emits for. A target is a row of facts; the backends
// make one, the emitter reads it.
#pragma once

#include <string>

namespace heddle::kernel {

struct Target {
  std::string triple;
  std::string cpu;             // LLVM's name: "x86-64-v3", "x86-64-v4", …
  std::string features;        // extra LLVM features, "+f16c,…"
  int vector_bytes = 16;       // width of a SIMD register
  bool masked_memory = false;  // masked loads and stores of every element size are cheap
  bool vector_math = false;    // libmvec is there (CPU)
};

}  // namespace heddle::kernel
